//! Describes assessed rates in words, for tables and captions. The words claim no more than was shown.

use std::collections::BTreeMap;

use crate::analysis::quantity::RunQuantity;
use crate::analysis::rate::assessment::{Assessed, Assessment, MeasuredRate, NegativeOutcome};
use crate::analysis::rate::judgement::{RateFinding, comparison, judge};
use crate::analysis::rate::repeated::{Repetition, repeated};
use crate::analysis::rate::row::RecordedDesign;
use crate::analysis::rate::verdict::ExponentVerdict;
use crate::analysis::words::{self, head};
use crate::caption::sentence;
use crate::number::{grouped, plus_minus, significant};
use noregret_papers::paper::Paper;
use noregret_papers::theorem::Subject;

/// The paper and the place of the theorem.
pub(crate) fn citation(row: &Assessment) -> String {
    format!("{}: {}", row.paper.title(), row.place)
}

/// The paper and the place of a citation such as `PKAWV: Theorem 4`.
pub(crate) fn cited(text: &str) -> (Option<Paper>, &str) {
    let paper = |title: &str| Paper::ALL.into_iter().find(|paper| paper.title() == title);
    match text.split_once(": ") {
        Some((title, place)) if paper(title).is_some() => (paper(title), place),
        _ => (None, text),
    }
}

/// The quantity of a row, in words.
pub(crate) fn quantity(row: &Assessment) -> String {
    RunQuantity::read(&row.quantity).map_or_else(|_| row.quantity.clone(), |quantity| quantity.title())
}

/// The measured part of a row, if it has one.
pub(crate) fn measured(row: &Assessment) -> Option<&MeasuredRate> {
    match &row.outcome {
        Assessed::Measured(measured) => Some(measured),
        Assessed::Missing(_) => None,
    }
}

/// The verdicts of rows that are shown together, in their order.
pub(crate) fn verdicts(rows: &[&Assessment]) -> Vec<String> {
    rows.iter().zip(judge(rows)).map(|(row, finding)| verdict(row, finding)).collect()
}

/// The verdicts of all rows by name, as the tables of rates and of costs show them.
pub(crate) fn settled(rows: &[Assessment]) -> BTreeMap<String, String> {
    let of = |subject: Subject| {
        let rows: Vec<&Assessment> = rows.iter().filter(|row| row.subject == subject).collect();
        let verdicts = verdicts(&rows);
        rows.into_iter().map(|row| row.row.clone()).zip(verdicts)
    };
    of(Subject::Quality).chain(of(Subject::Cost)).collect()
}

/// The verdict of a row by its own test. "Faster" and "steeper" are said to be that, because only the table of all rows
/// can correct them for the number of tests.
pub(crate) fn own(row: &Assessment) -> String {
    let Some(compared) = comparison(row) else {
        let none = matches!(row.outcome, Assessed::Missing(_));
        return verdict(row, if none { RateFinding::Missing } else { RateFinding::NoExponent });
    };
    let refuses = row.negative.as_ref().is_some_and(|control| control.refused);
    match compared.verdict {
        own if own != ExponentVerdict::TooFew && !refuses => verdict(row, RateFinding::Untestable(own)),
        ExponentVerdict::TooFew => verdict(row, RateFinding::TooFew),
        ExponentVerdict::Matches => verdict(row, RateFinding::Matches),
        ExponentVerdict::Faster => alone(&verdict(row, RateFinding::Faster)),
        ExponentVerdict::Steeper => alone(&verdict(row, RateFinding::Steeper)),
        ExponentVerdict::Inconclusive => verdict(row, RateFinding::Inconclusive(compared.seeds)),
    }
}

/// A verdict that is not corrected for the number of rows.
fn alone(verdict: &str) -> String {
    let head = head(verdict);
    format!("{head} by its own test{}", &verdict[head.len()..])
}

/// The verdict of a row.
fn verdict(row: &Assessment, finding: RateFinding) -> String {
    let words = words::rate(finding, row.subject);
    let measured = match &row.outcome {
        Assessed::Missing(reason) => return format!("{words}: {reason}"),
        Assessed::Measured(measured) => measured,
    };
    if finding == RateFinding::NoExponent {
        let quantity = quantity(row);
        let places: Vec<String> = measured.not_positive.iter().map(|horizon| grouped(*horizon)).collect();
        return match places.as_slice() {
            [] if measured.sample.seeds() < 2 => format!("{words}: a single seed"),
            [] if measured.sample.horizons.len() < 2 => format!("{words}: a single horizon"),
            [] => format!("{words}: {quantity} is not positive when some seed is left out"),
            places => format!("{words}: {quantity} is not positive at T = {}", places.join(", ")),
        };
    }
    let words = if measured.by_expectation { format!("{words}; by its exact expectation") } else { words };
    let curved = finding != RateFinding::TooFew && measured.bend_from_shape.is_some_and(|bend| bend.curved);
    if curved { format!("{words}; curved") } else { words }
}

/// Whether the curve is straight on log-log axes, bends like the theorem's shape, or is curved otherwise.
pub(crate) fn line(measured: &MeasuredRate) -> Option<&'static str> {
    let (bend, relative) = (measured.bend?, measured.bend_from_shape?);
    Some(match (relative.curved, bend.curved) {
        (true, _) => "curved",
        (false, true) => "bends like the shape",
        (false, false) => "straight",
    })
}

/// The first and the last horizon, and their number: `64 to 2048 (6)`.
pub(crate) fn range(measured: &MeasuredRate) -> String {
    let horizons = &measured.sample.horizons;
    let end = |horizon: Option<&u64>| horizon.map(|horizon| grouped(*horizon)).unwrap_or_default();
    format!("{} to {} ({})", end(horizons.first()), end(horizons.last()), horizons.len())
}

/// The number of seeds: `10`, or `9 of 10` if replicates were left out.
pub(crate) fn seeds(measured: &MeasuredRate) -> String {
    let tally = measured.tally;
    if tally.complete() { tally.done.to_string() } else { format!("{} of {}", tally.done, tally.total()) }
}

/// Whether the bound holds, and the largest share of it: `holds: at most 0.41 of the bound`; or why there is none.
pub(crate) fn value_check(found: &MeasuredRate) -> Option<String> {
    match (&found.value_check, &found.no_bound) {
        (Some(check), _) => {
            let standing = words::bound(check, &found.sample.horizons);
            Some(format!("{standing}: at most {} of the bound", significant(check.largest, 3)))
        }
        (None, Some(why)) => Some(format!("none: {why}")),
        (None, None) => None,
    }
}

/// Whether the theorem's conditions are met.
pub(crate) fn conditions(row: &Assessment) -> String {
    measured(row).map_or_else(String::new, |found| words::conditions(&found.conditions))
}

/// How many rows are outside of their theorem, in a sentence.
pub(crate) fn outside(rows: &[&Assessment]) -> Option<String> {
    let found = rows.iter().filter(|row| row.is_outside()).count();
    (found > 0).then(|| {
        format!(
            "The runs of {found} of the {} rows do not meet all conditions of their theorem, so that it promises nothing of \
             them; their settings end with \"{OUTSIDE}\".",
            rows.len()
        )
    })
}

/// How the setting of a row that is outside of its theorem ends, also where a table has no room for the conditions.
const OUTSIDE: &str = "not all conditions met";

/// What the column of rows whose runs another row tells of is about.
pub(crate) const SAME: &str = "Same runs as: a row of the same experiment, stream and quantity that tells of these runs \
     already, by the same curve, or by a learner whose values differ by no more than the stated part at every seed and \
     horizon. The two are one fact, which counts once.";

/// The rows whose runs rows that are shown together tell of again, in their order: `pkawv-gaussian-d1`, or
/// `pkawv-gaussian-d1, to 0.02 %` where it is a learner that does nearly the same.
pub(crate) fn same_runs(rows: &[&Assessment]) -> Vec<Option<String>> {
    let words = |one: Repetition<'_>| match one.apart {
        0.0 => one.of.to_owned(),
        apart => format!("{}, to {} %", one.of, significant(100.0 * apart, 2)),
    };
    repeated(rows).into_iter().map(|one| one.map(words)).collect()
}

/// The setting of a row, with the row that tells of its runs already, and whether it is outside of its theorem.
pub(crate) fn setting(row: &Assessment, same: Option<&str>) -> String {
    let same = same.map(|same| format!("same runs as {same}"));
    let outside = row.is_outside().then(|| OUTSIDE.to_owned());
    [Some(row.setting.clone()), same, outside].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Why the verdicts of rows are what they are, in their order, with a note where an explanation is missing. An
/// explanation belongs to a verdict that is established: there is none where the row is inconclusive or not testable, or
/// where several tests together leave it open.
pub(crate) fn whys(rows: &[&Assessment]) -> Vec<Option<String>> {
    let why = |(row, finding): (&&Assessment, RateFinding)| match (&row.explanation, finding) {
        (_, RateFinding::Untestable(own)) => Some(sentence(untestable(row, own))),
        (Some(text), RateFinding::Matches | RateFinding::Faster | RateFinding::Steeper) => Some(sentence(text)),
        (None, RateFinding::Steeper) => Some("The row has no explanation.".into()),
        _ => None,
    };
    rows.iter().zip(judge(rows)).map(why).collect()
}

/// Why a row is not testable, where it is not.
pub(crate) fn why_untestable(row: &Assessment) -> Option<&str> {
    let own = comparison(row)?.verdict;
    let refuses = row.negative.as_ref().is_some_and(|control| control.refused);
    (own != ExponentVerdict::TooFew && !refuses).then(|| untestable(row, own))
}

/// Why a row with this verdict of its own is not testable.
fn untestable(row: &Assessment, own: ExponentVerdict) -> &str {
    let Some(control) = &row.negative else { return "The row has no negative control" };
    let known = control.missing.as_ref().or(control.negative.untestable.as_ref());
    let same = control.comparison.as_ref().is_some_and(|control| control.verdict == own);
    known.map_or(
        if same {
            "Its negative control has the same verdict"
        } else {
            "Its negative control is not steeper than the bound"
        },
        String::as_str,
    )
}

/// The negative control of a row, all that it changes, and what came of it: `lambda: smaller by the factor n; set:
/// kernel-awv.lambda=1; steeper than the bound on this range, +0.300 \u{b1} 0.021`.
pub(crate) fn negative(row: &Assessment) -> String {
    let Some(NegativeOutcome { negative, comparison, value_check, missing, .. }) = &row.negative else {
        return "none".into();
    };
    let mut parts = vec![format!("{}: {}", negative.breaks, negative.what)];
    parts.extend(negative.label.as_ref().map(|label| format!("the curve is {label}")));
    parts.extend((!negative.set.is_empty()).then(|| format!("set: {}", negative.set.join(", "))));
    match comparison {
        Some(found) => {
            let difference = plus_minus(found.delta, Some(found.half_width_90));
            parts.push(format!("{}, {difference}", words::own(found.verdict, row.subject)));
        }
        None => parts.push(missing.clone().unwrap_or_else(|| "no exponent".into())),
    }
    parts.extend(value_check.iter().map(|check| format!("at most {} of the bound", significant(check.largest, 3))));
    parts.join("; ")
}

/// Since when the design of a row is as it is, and why: `since 2026-11-26: first run; changed on 2026-12-01: more seeds`;
/// `not recorded` where nothing says so.
pub(crate) fn design(row: &Assessment) -> String {
    let state = |(at, state): (usize, &RecordedDesign)| {
        format!("{} {}: {}", if at == 0 { "since" } else { "changed on" }, state.date, state.because)
    };
    let states: Vec<String> = row.designs.iter().enumerate().map(state).collect();
    if states.is_empty() { "not recorded".into() } else { states.join("; ") }
}

/// What theory gives for the very runs of some rows, beside the theorem: a paragraph for a caption, where there are such
/// rows.
pub(crate) fn references(rows: &[&Assessment]) -> Option<String> {
    let of = |row: &&Assessment| {
        let found = measured(row)?;
        let reference = found.reference.as_ref()?;
        let from = found
            .comparison
            .as_ref()
            .map(|one| format!(", {:+.3} from the stated one", reference.exponent - one.predicted));
        Some(format!("{}: {}, {:.3}{}", row.row, reference.what, reference.exponent, from.unwrap_or_default()))
    };
    let known: Vec<String> = rows.iter().filter_map(of).collect();
    (!known.is_empty())
        .then(|| format!("Exponents that theory gives for these runs on these horizons. {}.", known.join("; ")))
}

/// What the values of rows with a control variate are: a paragraph for a caption, where there are such rows.
pub(crate) fn controls(rows: &[&Assessment]) -> Option<String> {
    let with: Vec<String> =
        rows.iter().filter_map(|row| Some(format!("{} ({})", row.row, row.control.as_ref()?))).collect();
    (!with.is_empty()).then(|| {
        format!(
            "Control variate: the values of these rows are differences from least squares on the same seeds, plus its \
             exact expectation: {}.",
            with.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::assess::assess;
    use crate::analysis::rate::assess::tests::{ROW, experiment, row};
    use crate::analysis::rate::conditions::Asked;
    use crate::analysis::rate::row::Negative;
    use crate::analysis::record::RunResult;

    /// The verdict of the golden row after a change of its horizons and runs.
    fn verdict_of(horizons: &str, change: fn(&mut Vec<RunResult>)) -> String {
        let mut data = experiment();
        change(&mut data.runs);
        let row = row(&ROW.replace("[1000, 3000, 10000, 30000, 100000]", horizons));
        verdicts(&[&assess(&row, Some(&data), &[])]).remove(0)
    }

    /// An explanation of "steeper" is told of a row that is steeper, and of no other.
    #[test]
    fn what_is_not_established_is_not_explained() {
        let explained = |verdict: ExponentVerdict, probability: f64, refused: Option<bool>| {
            let mut found = assess(&row(ROW), Some(&experiment()), &[]);
            found.explanation = Some("because".into());
            if let Assessed::Measured(measured) = &mut found.outcome {
                let compared = measured.comparison.as_mut().unwrap();
                (compared.verdict, compared.probability_steeper) = (verdict, probability);
            }
            let negative = Negative::default();
            let outcome =
                |refused| NegativeOutcome { negative, comparison: None, value_check: None, missing: None, refused };
            found.negative = refused.map(outcome);
            whys(&[&found]).remove(0)
        };
        use ExponentVerdict as E;
        assert_eq!(explained(E::Steeper, 0.0, Some(true)).as_deref(), Some("because."));
        assert_eq!(explained(E::Steeper, 0.04, Some(true)), None, "not after Holm's correction");
        assert_eq!(explained(E::Inconclusive, 0.5, Some(true)), None);
        assert_eq!(explained(E::TooFew, 0.5, Some(true)), None);
        assert_eq!(explained(E::Steeper, 0.0, None).as_deref(), Some("The row has no negative control."));
    }

    #[test]
    fn rows_outside_of_their_theorem_say_so() {
        let inside = assess(&row(ROW), Some(&experiment()), &[]);
        assert_eq!(outside(&[&inside]), None);
        assert_eq!(setting(&inside, Some("other")), format!("{}; same runs as other", inside.setting));
        let mut out = inside.clone();
        if let Assessed::Measured(measured) = &mut out.outcome {
            measured.conditions.push(Asked {
                what: "a fixed lambda".into(),
                needs: None,
                here: None,
                met: Some(false),
            });
        }
        assert!(setting(&out, None).ends_with("; not all conditions met"));
        let told = outside(&[&inside, &out]).unwrap();
        assert!(told.starts_with("The runs of 1 of the 2 rows do not meet"), "{told}");
    }

    #[test]
    fn verdicts_without_an_exponent_say_why() {
        let all = "[1000, 3000, 10000, 30000, 100000]";
        assert_eq!(verdict_of("[1000]", |_| ()), "no exponent: a single horizon");
        assert_eq!(verdict_of(all, |runs| runs.retain(|run| run.replicate == 0)), "no exponent: a single seed");
        let all_of_3000 = verdict_of(all, |runs| {
            runs.iter_mut().filter(|run| run.horizon == 3000).for_each(|run| run.cumulative_loss = Some(0.0));
        });
        assert_eq!(all_of_3000, "no exponent: Regret is not positive at T = 3000");
        // Replicate 0 alone makes up for the others.
        let one = verdict_of(all, |runs| {
            for run in runs.iter_mut().filter(|run| run.horizon == 3000) {
                run.cumulative_loss = Some(if run.replicate == 0 { 9000.0 } else { 900.0 });
            }
        });
        assert_eq!(one, "no exponent: Regret is not positive when some seed is left out");
    }
}
