//! Negative controls: whether a row refuses runs to which its theorem does not apply.

use crate::analysis::rate::assess::assess_by;
use crate::analysis::rate::assessment::{Assessed, Assessment, NegativeOutcome};
use crate::analysis::rate::bound::BoundStanding;
use crate::analysis::rate::row::RateRow;
use crate::analysis::rate::setup::Setup;
use crate::analysis::rate::verdict::ExponentVerdict;
use crate::analysis::record::ExperimentResults;

/// Completes the assessment `own` of a row with that of its negative control, whose runs are `control`; `setups` are those
/// of the row's own runs, because the theorem promises its bound for these.
pub fn refuse(row: &RateRow, own: Assessment, control: Option<&ExperimentResults>, setups: &[Setup<'_>]) -> Assessment {
    let negative = row.negative.as_ref().zip(row.of_control());
    let outcome = negative.map(|(negative, changed)| {
        // The bound is of another quantity where the control has one.
        let bounded = changed.quantity == row.quantity;
        let of_row = setups.iter().filter(|setup| bounded && setup.label == row.label);
        let setups: Vec<Setup<'_>> = of_row.map(|setup| Setup { label: &changed.label, ..setup.clone() }).collect();
        let (found, missing) = match assess_by(&changed, control, &setups, false).outcome {
            Assessed::Measured(found) => (Some(found), None),
            Assessed::Missing(why) => (None, Some(why)),
        };
        let (comparison, value_check) = found.map_or((None, None), |found| (found.comparison, found.value_check));
        let verdict = comparison.as_ref().map(|one| one.verdict);
        let steeper = verdict == Some(ExponentVerdict::Steeper);
        let exceeds = value_check.as_ref().is_some_and(|check| check.standing == BoundStanding::Exceeded);
        let refused = verdict.is_some() && verdict != verdict_of(&own) && (steeper || exceeds);
        NegativeOutcome { negative: negative.clone(), comparison, value_check, missing, refused }
    });
    Assessment { negative: outcome, ..own }
}

fn verdict_of(row: &Assessment) -> Option<ExponentVerdict> {
    match &row.outcome {
        Assessed::Measured(found) => found.verdict(),
        Assessed::Missing(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::assess::assess;
    use crate::analysis::rate::assess::tests::{ROW, experiment, row};
    use crate::analysis::record::RunResult;

    /// The golden row with a control.
    fn controlled() -> RateRow {
        row(&format!("{ROW}\nnegative = {{ breaks = 'the step', what = 'longer', set = ['eta=1'] }}"))
    }

    /// Runs whose regret is that of the golden row times T^power, with a fifth seed, without which there is no verdict.
    fn grown(power: f64) -> ExperimentResults {
        let mut grown = experiment();
        let first = grown.runs.iter().filter(|run| run.replicate == 0).cloned();
        let fifth: Vec<RunResult> = first.map(|run| RunResult { replicate: 4, ..run }).collect();
        grown.runs.extend(fifth);
        for run in &mut grown.runs {
            let factor = (run.horizon as f64).powf(power);
            run.cumulative_loss = run.cumulative_loss.map(|loss| 1000.0 + (loss - 1000.0) * factor);
        }
        grown
    }

    /// The assessment of the golden row, with these runs of its own and these of its control.
    fn with_control(own: f64, control: f64) -> Assessment {
        let row = controlled();
        refuse(&row, assess(&row, Some(&grown(own)), &[]), Some(&grown(control)), &[])
    }

    #[test]
    fn a_control_is_refused_where_it_is_steeper_and_the_row_is_not() {
        let of = |own, control| with_control(own, control).negative.unwrap();
        assert!(of(0.0, 0.3).refused && of(-0.3, 0.3).refused);
        // A control that matches like the row, or is faster, shows nothing; neither does one that is as steep as the row.
        assert!(!of(0.0, 0.0).refused && !of(0.0, -0.3).refused && !of(0.3, 0.3).refused);
        assert_eq!(of(0.0, -0.3).comparison.unwrap().verdict, ExponentVerdict::Faster);
        let row = controlled();
        let missing = refuse(&row, assess(&row, Some(&experiment()), &[]), None, &[]).negative.unwrap();
        assert_eq!(
            (missing.refused, missing.missing.as_deref()),
            (false, Some("experiment control-row has no results"))
        );
    }
}
