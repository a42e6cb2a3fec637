//! Assesses a row: takes its values, applies its theorem to its runs, and puts together what the other files compute.

use std::collections::BTreeMap;

use noregret_papers::applied::{EXPECTATION, reference};
use noregret_papers::case::{Application, Condition};
use noregret_papers::theorem::{Arguments, GrowthRate};

use crate::analysis::rate::assessment::{Assessed, Assessment, MeasuredRate, ReferenceExponent};
use crate::analysis::rate::bound::check;
use crate::analysis::rate::competing::candidates;
use crate::analysis::rate::conditions::{Asked, merge};
use crate::analysis::rate::curvature::bend;
use crate::analysis::rate::explain::fill;
use crate::analysis::rate::exponent::{checks, exponent, slope};
use crate::analysis::rate::local::local_slopes;
use crate::analysis::rate::row::RateRow;
use crate::analysis::rate::sample::{Jackknife, RateSample};
use crate::analysis::rate::setup::Setup;
use crate::analysis::rate::values::{MeasuredValues, values};
use crate::analysis::rate::verdict::compare;
use crate::analysis::record::{ExperimentResults, RunResult};

/// Assesses a row. `experiment` is none where the experiment is not declared or left no results; `setups` say how the
/// runs of the row's label and of its control were configured.
pub fn assess(row: &RateRow, experiment: Option<&ExperimentResults>, setups: &[Setup<'_>]) -> Assessment {
    assess_by(row, experiment, setups, true)
}

/// [`assess`], by the runs alone unless they are `configured` as `setups` say: only then is their expectation known.
pub(crate) fn assess_by(
    row: &RateRow,
    experiment: Option<&ExperimentResults>,
    setups: &[Setup<'_>],
    configured: bool,
) -> Assessment {
    let outcome = match experiment {
        None => Assessed::Missing(format!("experiment {} has no results", row.experiment)),
        Some(experiment) => match measure(row, experiment, setups, configured) {
            Ok(measured) => Assessed::Measured(Box::new(measured)),
            Err(reason) => Assessed::Missing(reason),
        },
    };
    let explanation = match &outcome {
        Assessed::Measured(found) => {
            let text = found.comparison.as_ref().and_then(|found| row.explanations.get(&found.verdict));
            text.and_then(|text| fill(text, found))
        }
        Assessed::Missing(_) => None,
    };
    Assessment {
        row: row.name.clone(),
        theorem: row.theorem.name.to_owned(),
        paper: row.theorem.paper,
        place: row.theorem.place.to_owned(),
        statement: row.theorem.statement.to_owned(),
        subject: row.theorem.quantity.subject(),
        shape: row.shape,
        experiment: row.experiment.clone(),
        stream: row.stream.clone(),
        label: row.label.clone(),
        quantity: row.quantity_name.clone(),
        setting: row.setting.clone(),
        margin: row.margin,
        bounded: row.theorem.bound.is_some() && row.theorem.applied.is_some(),
        control: row.control.clone(),
        designs: row.designs.clone(),
        negative: None,
        explanation,
        outcome,
    }
}

fn measure(
    row: &RateRow,
    experiment: &ExperimentResults,
    setups: &[Setup<'_>],
    configured: bool,
) -> Result<MeasuredRate, String> {
    let own = values(row, &row.label, experiment)?;
    let applied = apply(row, &own, setups);
    let control = row.control.as_ref().map(|label| controlled(row, label, &own, experiment, setups)).transpose()?;
    let MeasuredValues { sample, runs, tally } = own;
    let (sample, plain, of_control) = match control {
        Some((better, exact)) => (better, Some(sample), Some(exact)),
        None => (sample, None, None),
    };
    let t = sample.t();
    let exponent = exponent(&sample);
    // The shape on the same horizons, fitted like the means.
    let shape: Vec<f64> = t.iter().map(|t| row.shape.ln(*t).exp()).collect();
    let means = sample.means();
    let not_positive =
        sample.horizons.iter().zip(&means).filter(|(_, mean)| mean.is_nan() || **mean <= 0.0).map(|(t, _)| *t);
    // Of the control where there is one, because the row's own expectation is not known.
    let exact = of_control.or_else(|| expected(row, &row.label, runs.first()?, setups));
    let reference = exact.and_then(|(what, values)| {
        let exponent = slope(&t, &values)?;
        let of = row.control.as_ref().map(|control| format!(" of {control}")).unwrap_or_default();
        Some(ReferenceExponent { what: format!("{what}{of}"), values, exponent })
    });
    // What is known exactly needs no sample. Where there is a control variate, its expectation is that of other runs.
    let known = reference.as_ref().filter(|known| configured && row.control.is_none() && known.what == EXPECTATION);
    let decided = known.map(|known| Jackknife::exact(known.exponent)).or_else(|| exponent.clone());
    let comparison = decided.as_ref().zip(slope(&t, &shape));
    let comparison = comparison.map(|(found, predicted)| compare(found, t.len(), predicted, row.margin));
    Ok(MeasuredRate {
        by_expectation: known.is_some(),
        not_positive: not_positive.collect(),
        comparison,
        checks: checks(&sample),
        bend: bend(&sample, &GrowthRate::power(0.0), row.margin),
        bend_from_shape: bend(&sample, &row.shape, row.margin),
        local: local_slopes(&sample, &row.shape),
        candidates: candidates(&sample, &row.shape),
        value_check: applied.bounds.as_ref().and_then(|bounds| check(&sample, bounds, &applied.worst)),
        exponent,
        bounds: applied.bounds,
        no_bound: applied.no_bound,
        constants: applied.constants,
        conditions: applied.conditions,
        reference,
        sample,
        plain,
        tally,
    })
}

fn setup<'a, 'b>(setups: &'a [Setup<'b>], label: &str, horizon: u64) -> Option<&'a Setup<'b>> {
    setups.iter().find(|setup| setup.label == label && setup.horizon == horizon)
}

/// What the theorem says of the runs.
#[derive(Default)]
struct Applications {
    bounds: Option<Vec<Vec<f64>>>,
    no_bound: Option<String>,
    worst: Vec<Option<f64>>,
    constants: BTreeMap<String, f64>,
    conditions: Vec<Asked>,
}

fn apply(row: &RateRow, found: &MeasuredValues<'_>, setups: &[Setup<'_>]) -> Applications {
    let Some(applied) = row.theorem.applied else { return Applications::default() };
    let mut result = Applications { worst: vec![None; row.horizons.len()], ..Applications::default() };
    let mut conditions = Vec::new();
    let mut bounds: Vec<Vec<f64>> = Vec::new();
    for runs in &found.runs {
        let mut of_seed = Vec::new();
        for (i, run) in runs.iter().enumerate() {
            let application = match setup(setups, &row.label, run.horizon) {
                Some(setup) => applied(&setup.case(run, &row.parameters)),
                None => Err("how the runs were configured is not known".into()),
            };
            let Application { constants, worst, conditions: asked, .. } = application.unwrap_or_else(|why| {
                result.no_bound.get_or_insert_with(|| why.to_string());
                Application::default().meeting(vec![Condition::of_failure(&why)])
            });
            // JSON has no infinite numbers.
            let worst = worst.filter(|worst| worst.is_finite());
            conditions.extend(asked);
            result.worst[i] = match (result.worst[i], worst) {
                (Some(known), Some(new)) => Some(f64::max(known, new)),
                (known, new) => known.or(new),
            };
            match bound(row, run, &constants) {
                Ok(bound) => of_seed.push(bound),
                Err(why) => _ = result.no_bound.get_or_insert(why),
            }
            if run.horizon == row.horizons.last().copied().unwrap_or_default() {
                for (name, value) in constants.into_iter().filter(|(_, value)| value.is_finite()) {
                    let known = result.constants.entry(name).or_insert(value);
                    *known = known.max(value);
                }
            }
        }
        bounds.push(of_seed);
    }
    let complete = row.theorem.bound.is_some() && bounds.iter().all(|row_of| row_of.len() == row.horizons.len());
    result.bounds = complete.then_some(bounds);
    result.no_bound = result.no_bound.filter(|_| row.theorem.bound.is_some() && !complete);
    result.conditions = merge(conditions);
    result
}

/// The bound of one run.
fn bound(row: &RateRow, run: &RunResult, constants: &BTreeMap<String, f64>) -> Result<f64, String> {
    let Some(bound) = &row.theorem.bound else { return Err("the theorem has no explicit constants".into()) };
    if constants.values().any(|value| !value.is_finite()) {
        return Err("the bound is not finite for these runs".into());
    }
    let mut values = row.parameters.clone();
    values.extend(constants.clone());
    let arguments = Arguments::check(&values, &row.bound_parameters()).map_err(|error| error.to_string())?;
    usable((bound.value)(&arguments, run.horizon as f64))
}

/// A bound that values can be divided by.
fn usable(bound: f64) -> Result<f64, String> {
    match bound {
        _ if !bound.is_finite() => Err("the bound is not finite for these runs".into()),
        _ if bound <= 0.0 => Err("the bound is not positive for these runs".into()),
        _ => Ok(bound),
    }
}

/// What it is, and its values at each horizon.
type Expected = (&'static str, Vec<f64>);

/// What theory expects of the runs of a label.
fn expected(row: &RateRow, label: &str, runs: &[&RunResult], setups: &[Setup<'_>]) -> Option<Expected> {
    let quantity = row.quantity_name.trim_start_matches("m:");
    let mut what = "";
    let values = runs.iter().map(|run| {
        let case = setup(setups, label, run.horizon)?;
        let (name, value) = reference(&case.case(run, &row.parameters), quantity)?;
        what = name;
        value.is_finite().then_some(value)
    });
    values.collect::<Option<Vec<f64>>>().map(|values| (what, values))
}

/// The values with the runs of `label`, whose expectation is known, as control variate; and that expectation.
fn controlled(
    row: &RateRow,
    label: &str,
    own: &MeasuredValues<'_>,
    experiment: &ExperimentResults,
    setups: &[Setup<'_>],
) -> Result<(RateSample, Expected), String> {
    let control = values(row, label, experiment)?;
    let first = control.runs.first().ok_or("the control has no runs")?;
    let exact = expected(row, label, first, setups)
        .ok_or_else(|| format!("the expectation of {} of the control `{label}` is not known", row.quantity_name))?;
    let found = own.sample.controlled(&control.sample, &exact.1);
    found
        .map(|sample| (sample, exact))
        .ok_or_else(|| format!("the control `{label}` lacks a seed that `{}` has", row.label))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::analysis::quantity::RunQuantity;
    use crate::analysis::rate::explain::{NUMBERS, fill};
    use crate::analysis::rate::file::read;
    use crate::analysis::rate::sample::tests::golden;
    use crate::analysis::rate::verdict::ExponentVerdict;
    use crate::analysis::record::tests::run;
    use crate::trace::cell::EndStatus;
    use noregret_core::prelude::*;
    use noregret_core::stream::spec::{Noise, Origin, StreamSpec};

    /// A row of the golden vector.
    pub(crate) const ROW: &str = r#"
        theorem = "noisy-theorem-1"
        experiment = "e"
        label = "A"
        setting = "golden vector"
        horizons = [1000, 3000, 10000, 30000, 100000]
    "#;

    pub(crate) fn row(text: &str) -> RateRow {
        read("row", text, "paper", &["paper"]).unwrap()
    }

    /// Runs whose regrets are the golden vector.
    pub(crate) fn experiment() -> ExperimentResults {
        let golden = golden();
        let mut runs = Vec::new();
        for (replicate, values) in golden.values.iter().enumerate() {
            for (horizon, value) in golden.horizons.iter().zip(values) {
                runs.push(RunResult {
                    stream: "s".into(),
                    cumulative_loss: Some(1000.0 + value),
                    comparator_loss: Some(1000.0),
                    measures: BTreeMap::from([("eta".to_owned(), 0.01)]),
                    ..run("A", replicate as u64, *horizon)
                });
            }
        }
        ExperimentResults { name: "e".into(), runs, ..ExperimentResults::default() }
    }

    fn measured(row: &RateRow, experiment: &ExperimentResults) -> MeasuredRate {
        match assess(row, Some(experiment), &[]).outcome {
            Assessed::Measured(measured) => *measured,
            Assessed::Missing(reason) => panic!("{reason}"),
        }
    }

    #[test]
    fn the_golden_row() {
        let found = measured(&row(ROW), &experiment());
        assert_eq!(fill("{exponent} against {predicted}", &found).as_deref(), Some("0.500 against 0.500"));
        let unfilled = NUMBERS.iter().filter(|(name, _)| fill(&format!("{{{name}}}"), &found).is_none());
        assert!(unfilled.map(|(name, _)| *name).eq(["reference", "reference_difference"]));
        assert!((found.exponent.unwrap().value - 0.4996952993629757).abs() < 1e-9);
        let comparison = found.comparison.unwrap();
        assert!((comparison.delta + 0.0003047006).abs() < 1e-9);
        assert_eq!(comparison.verdict, ExponentVerdict::TooFew, "four seeds are too few");
        assert_eq!((found.tally.done, found.local.len(), found.candidates.len()), (4, 4, 4));
        assert!(!found.bend_from_shape.unwrap().curved);
    }

    /// The golden values as regrets of Algorithm 1 with the step 0.01 in the ball of radius 2, on the unit circle with
    /// noise of variance 1/4 in each of 2 columns and |y| <= sqrt(2): G = 4 1.5 (2 sqrt(1.5) + sqrt(2))^2, and the bound is
    /// 2^2 / 0.02 + 0.005 G T.
    #[test]
    fn bounds_are_those_of_the_runs() {
        let choose = |text: &str| text.parse::<toml::Table>().unwrap();
        let law = choose("name = 'kernel-function'\ndim = 2\ninputs = 'sphere'\nkernel = 'linear'\namplitude = 0.5");
        let noise = choose("name = 'gaussian'\nnoise_std = 0.5");
        let stream = StreamSpec {
            origin: Origin::Law(STREAMS.choose(&law, None, "", &AllParts).unwrap()),
            noise: Some(Noise { inputs: Some(NOISES.choose(&noise, None, "", &AllParts).unwrap()), targets: None }),
            corruption: None,
            label: None,
        };
        let learner = LEARNERS.find("noisy-linear-two-copy").unwrap();
        let params = check_params(learner.params, "radius = 2.0");
        let ball = COMPARATORS.find("norm-ball").unwrap();
        let loss = LOSSES.choose(&choose("name = 'squared'"), None, "", &AllParts).unwrap().object;
        let setups: Vec<Setup<'_>> = golden()
            .horizons
            .iter()
            .map(|horizon| Setup {
                label: "A",
                horizon: *horizon,
                learner: learner.name,
                params: &params,
                stream: &stream,
                loss: &*loss,
                comparator: Some((ball.name, check_params(ball.params, "radius = 3.0\nkernel = 'linear'"))),
            })
            .collect();
        let Assessed::Measured(found) = assess(&row(ROW), Some(&experiment()), &setups).outcome else { panic!() };
        let largest = 6.0 * (2.0 * 1.5f64.sqrt() + 2f64.sqrt()).powi(2);
        let expected = 200.0 + 0.005 * largest * 1e5;
        let bounds = found.bounds.as_ref().unwrap();
        assert!((bounds[3][4] / expected - 1.0).abs() < 1e-12, "{} {expected}", bounds[3][4]);
        let against = found.value_check.as_ref().unwrap();
        let worst = 1e5 * (2.0 + 2f64.sqrt()).powi(2);
        assert!((against.worst.unwrap() / worst - 1.0).abs() < 1e-12 && against.vacuous_to.is_none());
        let missed: Vec<&str> =
            found.conditions.iter().filter(|one| one.met == Some(false)).map(|one| one.what.as_str()).collect();
        assert_eq!(missed.len(), 2, "{missed:?}");
        assert!(missed[0].contains("norm of the functions") && missed[1].contains("step over that of the theorem"));
        // Without the step that was used there is no bound, and the row says so.
        let mut unknown = experiment();
        unknown.runs.iter_mut().for_each(|run| run.measures.clear());
        let Assessed::Measured(found) = assess(&row(ROW), Some(&unknown), &setups).outcome else { panic!() };
        assert!(found.bounds.is_none() && found.no_bound.unwrap().contains("no measure `eta`"));
        // Nor is there one that is not a positive number. What is written can be read.
        assert_eq!(usable(2.0), Ok(2.0));
        assert!(usable(0.0).unwrap_err().contains("not positive") && usable(f64::NAN).is_err());
        for (eta, why) in [(-1.0, "at least 0"), (0.0, "is not finite"), (f64::INFINITY, "is not finite")] {
            let mut other = experiment();
            other.runs.iter_mut().for_each(|run| _ = run.measures.insert("eta".into(), eta));
            let assessed = assess(&row(ROW), Some(&other), &setups);
            let read: Assessment = serde_json::from_str(&serde_json::to_string(&assessed).unwrap()).unwrap();
            for one in [assessed, read] {
                let Assessed::Measured(found) = one.outcome else { panic!() };
                assert!(found.bounds.is_none() && found.no_bound.unwrap().contains(why), "eta {eta}");
            }
        }
    }

    fn check_params(specs: &'static [noregret_core::params::Spec], text: &str) -> Params {
        noregret_core::prelude::check(specs, &text.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap()
    }

    #[test]
    fn an_explanation_belongs_to_a_verdict() {
        let text = "[explanation]\ntoo-few = 'from {first_slope} to {last_slope}'\nsteeper = 'never'";
        let found = assess(&row(&format!("{ROW}\n{text}")), Some(&experiment()), &[]);
        assert_eq!(found.explanation.as_deref(), Some("from 0.511 to 0.468"), "four seeds are too few");
        let other = assess(&row(&format!("{ROW}\n[explanation]\nsteeper = 'no'")), Some(&experiment()), &[]);
        assert_eq!(other.explanation, None);
    }

    #[test]
    fn a_control_whose_expectation_is_not_known_is_refused() {
        let text = ROW.replace("setting", "control = \"A\"\nsetting");
        let Assessed::Missing(why) = assess(&row(&text), Some(&experiment()), &[]).outcome else { panic!() };
        assert!(why.contains("the expectation of regret of the control `A` is not known"), "{why}");
    }

    /// Least squares with the steps T^(-5/7) is the control of runs with twice these steps. The reference is the
    /// expectation of the control's own steps, .007203 at T = 128 (robust.md, section 6), whatever the row's are.
    #[test]
    fn the_reference_of_a_controlled_row_is_that_of_the_control() {
        let choose = |text: &str| text.parse::<toml::Table>().unwrap();
        let law = choose("name = 'circle'\ndecay = 3\namplitude = 0.5\nhalf_width = 0.5");
        let origin = Origin::Law(STREAMS.choose(&law, None, "", &AllParts).unwrap());
        let stream = StreamSpec { origin, noise: None, corruption: None, label: None };
        let learner = LEARNERS.find("robust-ogd").unwrap();
        let loss = LOSSES.choose(&choose("name = 'squared'"), None, "", &AllParts).unwrap().object;
        let params = ["least-squares", "welsch"].map(|window| {
            let kernel = "kernel = { name = 'sobolev-periodic', smoothness = 1 }";
            check_params(learner.params, &format!("window = '{window}'\neta = 1\n{kernel}"))
        });
        let (mut setups, mut runs) = (Vec::new(), Vec::new());
        for horizon in [128, 256, 512, 1024] {
            for (i, label) in ["control", "own"].into_iter().enumerate() {
                let (params, comparator) = (&params[i], None);
                setups.push(Setup {
                    label,
                    horizon,
                    learner: "robust-ogd",
                    params,
                    stream: &stream,
                    loss: &*loss,
                    comparator,
                });
                for replicate in 0..5 {
                    let eta = (i + 1) as f64 * (horizon as f64).powf(-5.0 / 7.0);
                    let error = (1.0 + 0.1 * replicate as f64) / horizon as f64;
                    let measures = BTreeMap::from([("eta".into(), eta), ("squared_l2_error".into(), error)]);
                    runs.push(RunResult { measures, ..run(label, replicate, horizon) });
                }
            }
        }
        let data = ExperimentResults { name: "e".into(), runs, ..ExperimentResults::default() };
        let text = "theorem = 'robust-theorem-1'\nparameters = { r = 1.25 }\nexperiment = 'e'\nlabel = 'own'\n\
            control = 'control'\nsetting = 's'\nhorizons = [128, 256, 512, 1024]";
        let Assessed::Measured(found) = assess(&row(text), Some(&data), &setups).outcome else { panic!() };
        let reference = found.reference.unwrap();
        assert!(reference.what.ends_with("of control"), "{}", reference.what);
        for (found, expected) in reference.values.iter().zip([0.007203, 0.00433238, 0.00264251, 0.0016114]) {
            assert!((found / expected - 1.0).abs() < 1e-4, "{found} instead of {expected}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let missing = |row: &RateRow, experiment: Option<&ExperimentResults>| match assess(row, experiment, &[]).outcome
        {
            Assessed::Missing(reason) => reason,
            Assessed::Measured(_) => panic!("nothing is missing"),
        };
        let data = experiment();
        assert!(missing(&row(ROW), None).contains("experiment e has no results"));
        assert!(missing(&row(&ROW.replace("\"A\"", "\"B\"")), Some(&data)).contains("no curve `B`; curves: A"));
        assert!(missing(&row(&ROW.replace("100000]", "300000]")), Some(&data)).contains("at horizon 300000"));
        let risk = RateRow { quantity: RunQuantity::Measure("risk".into()), ..row(ROW) };
        assert!(missing(&risk, Some(&data)).contains("no value of \u{201c}Risk\u{201d}"));
        assert!(missing(&row(&ROW.replace("label", "stream = \"x\"\nlabel")), Some(&data)).contains("stream `x`"));
    }

    /// A replicate that diverged at one horizon is left out at all horizons, and counted.
    #[test]
    fn diverged_replicates_are_left_out_and_counted() {
        let mut data = experiment();
        data.runs[7].status = EndStatus::Diverged;
        let found = measured(&row(ROW), &data);
        assert_eq!((found.tally.done, found.tally.diverged), (3, 1));
        assert_eq!(found.sample.replicates, [0, 2, 3]);
    }

    #[test]
    fn regret_that_is_not_positive_has_no_exponent() {
        let mut data = experiment();
        data.runs.iter_mut().filter(|run| run.horizon == 3000).for_each(|run| run.comparator_loss = Some(2000.0));
        let found = measured(&row(ROW), &data);
        assert!(found.exponent.is_none() && found.comparison.is_none());
        assert_eq!(found.not_positive, [3000]);
    }

    /// Numbers may change in their last digit when they are read back.
    #[test]
    fn assessments_survive_json() {
        let written = assess(&row(ROW), Some(&experiment()), &[]);
        let read: Assessment = serde_json::from_str(&serde_json::to_string(&written).unwrap()).unwrap();
        let exponent = |of: &Assessment| match &of.outcome {
            Assessed::Measured(measured) => measured.exponent.as_ref().unwrap().value,
            Assessed::Missing(reason) => panic!("{reason}"),
        };
        assert!((exponent(&read) - exponent(&written)).abs() < 1e-15);
        assert_eq!(Assessment { outcome: written.outcome.clone(), ..read }, written);
    }
}
