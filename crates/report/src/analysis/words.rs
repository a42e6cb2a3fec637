//! The words of verdicts: on claims of papers, on rates, on bounds and on conditions. Figures, tables and the report take
//! them from here, so that the same finding has the same name everywhere.

use crate::analysis::claim::Agreement;
use crate::analysis::rate::bound::{BoundStanding, ValueCheck};
use crate::analysis::rate::conditions::Asked;
use crate::analysis::rate::judgement::RateFinding;
use crate::analysis::rate::verdict::{ExponentVerdict, Power};
use noregret_papers::case::LimitSide;
use noregret_papers::theorem::Subject;

/// What the data say of a claim. Claims about exponents have the words of [`rate`] instead.
pub(crate) fn claim(agreement: Agreement) -> &'static str {
    match agreement {
        Agreement::Supported => "supported",
        Agreement::Contradicted => "contradicted",
        Agreement::Undecided => "undecided",
        Agreement::Untested => "not tested",
    }
}

/// What the data say of a question of ours. No paper has an answer, so that none of these words supports or contradicts one.
pub(crate) fn question(agreement: Agreement) -> &'static str {
    match agreement {
        Agreement::Supported => "yes",
        Agreement::Contradicted => "no",
        Agreement::Undecided => "unclear",
        Agreement::Untested => "no data",
    }
}

/// What [`whose`] says of questions; tables are read again for it.
pub(crate) const OURS: &str = "our question";

/// Whose a claim is: a paper's, whose words it quotes, or ours.
pub(crate) fn whose(quoted: bool) -> &'static str {
    if quoted { "the paper's" } else { OURS }
}

/// What is said of a row that does not refuse its negative control.
pub(crate) const UNTESTABLE: &str = "not testable here";

/// What is said of a row whose own interval decides, although all tests together do not.
pub(crate) const ALONE: &str = "by its own test, not after Holm's correction";

/// What the data say of a rate, or of a count of operations.
pub(crate) fn rate(finding: RateFinding, subject: Subject) -> String {
    let cost = subject == Subject::Cost;
    let faster = if cost { "grows more slowly than stated" } else { "faster than the bound" };
    let steeper = if cost { "grows faster than stated on this range" } else { "steeper than the bound on this range" };
    match finding {
        RateFinding::Missing => "missing".into(),
        RateFinding::NoExponent => "no exponent".into(),
        RateFinding::TooFew => "too few seeds or horizons for a verdict".into(),
        RateFinding::Matches if cost => "as stated".into(),
        RateFinding::Matches => "matches".into(),
        RateFinding::Faster => faster.into(),
        RateFinding::Steeper => steeper.into(),
        RateFinding::FasterAlone => format!("inconclusive ({faster} {ALONE})"),
        RateFinding::SteeperAlone => format!("inconclusive ({steeper} {ALONE})"),
        RateFinding::Untestable(verdict) => format!("{UNTESTABLE} ({} by its own test)", own(verdict, subject)),
        RateFinding::Inconclusive(None) => "inconclusive".into(),
        RateFinding::Inconclusive(Some(Power::Impractical)) => {
            "inconclusive (if this difference is real, 80 % power needs more than 10000 seeds)".into()
        }
        RateFinding::Inconclusive(Some(Power::Between(low, high))) => {
            format!("inconclusive (if this difference is real, 80 % power needs about {low} to {high} seeds)")
        }
    }
}

/// What the test of one row says.
pub(crate) fn own(verdict: ExponentVerdict, subject: Subject) -> String {
    let finding = match verdict {
        ExponentVerdict::TooFew => RateFinding::TooFew,
        ExponentVerdict::Matches => RateFinding::Matches,
        ExponentVerdict::Faster => RateFinding::Faster,
        ExponentVerdict::Steeper => RateFinding::Steeper,
        ExponentVerdict::Inconclusive => RateFinding::Inconclusive(None),
    };
    rate(finding, subject)
}

/// The first words of a verdict, without what explains them: `inconclusive` of `inconclusive (80 % power ...)`.
pub(crate) fn head(verdict: &str) -> &str {
    let ends = ["; ", " (", ": "].into_iter().filter_map(|end| verdict.find(end));
    &verdict[..ends.min().unwrap_or(verdict.len())]
}

/// Whether a bound holds on the horizons that were run, and whether it says anything there.
pub(crate) fn bound(check: &ValueCheck, horizons: &[u64]) -> String {
    let standing = match check.standing {
        BoundStanding::Holds => "holds",
        BoundStanding::Exceeded => "exceeded",
        BoundStanding::Open => "open",
    };
    match check.vacuous_to {
        None => standing.into(),
        Some(_) if check.vacuous(horizons) => "vacuous".into(),
        Some(last) => format!("{standing}; vacuous up to T = {last}"),
    }
}

/// Whether the conditions of a theorem are met, and which are not; `not computed` where there are none.
pub(crate) fn conditions(asked: &[Asked]) -> String {
    let those = |met: Option<bool>| asked.iter().filter(move |one| one.met == met).map(condition).collect::<Vec<_>>();
    let (missed, open) = (those(Some(false)), those(None));
    let missed = (!missed.is_empty()).then(|| format!("not met: {}", missed.join("; ")));
    let open = (!open.is_empty()).then(|| format!("not computed: {}", open.join("; ")));
    match (missed, open) {
        _ if asked.is_empty() => "not computed".into(),
        (None, None) => "met".into(),
        (one, other) => one.into_iter().chain(other).collect::<Vec<_>>().join("; "),
    }
}

/// One condition, with the numbers of these runs: `eta_0 of (8) is 0.5, at least 80.1 needed`.
fn condition(asked: &Asked) -> String {
    let range = |low: f64, high: f64, digits: i32| match [low, high].map(|value| rounded(value, digits)) {
        [low, high] if low == high => low,
        [low, high] => format!("{low} to {high}"),
    };
    match (asked.here, asked.needs) {
        (Some((low, high)), Some((side, least, most))) => {
            // Three digits, or as many as tell the numbers apart.
            let digits = (3..9).find(|digits| range(low, high, *digits) != range(least, most, *digits)).unwrap_or(9);
            let side = match side {
                LimitSide::AtLeast => "at least ",
                LimitSide::AtMost => "at most ",
                LimitSide::Above => "above ",
                LimitSide::Below => "below ",
                LimitSide::Exactly => "",
            };
            format!("{} is {}, {side}{} needed", asked.what, range(low, high, digits), range(least, most, digits))
        }
        _ => asked.what.clone(),
    }
}

/// A number with so many significant digits, without trailing zeros.
fn rounded(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let decimals = digits - 1 - value.abs().log10().floor() as i32;
    if !(-4..=digits + 5).contains(&decimals) {
        return format!("{value:.*e}", digits.max(1) as usize - 1);
    }
    let unit = 10f64.powi(-decimals);
    let text = format!("{:.*}", decimals.max(0) as usize, (value / unit).round() * unit);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::conditions::merge;
    use noregret_papers::case::Condition;

    #[test]
    fn conditions_in_words() {
        assert_eq!(conditions(&[]), "not computed");
        assert_eq!(conditions(&merge([Condition::holds("constant steps", true)])), "met");
        let missed = merge([Condition::at_least("eta_0", 0.5, 80.126), Condition::at_least("eta_0", 2.0, 80.126)]);
        assert_eq!(conditions(&missed), "not met: eta_0 is 0.5 to 2, at least 80.1 needed");
        let close = merge([Condition::at_most("step", 1.0004, 1.0)]);
        assert_eq!(conditions(&close), "not met: step is 1.0004, at most 1 needed");
        let both = merge([Condition::equal("mu", 0.25, 1e-7), Condition::unknown("noise")]);
        assert_eq!(conditions(&both), "not met: mu is 0.25, 1.00e-7 needed; not computed: noise");
    }

    #[test]
    fn numbers_in_three_digits() {
        let texts = [441.2, 80.126, 0.5, 2.0, 591_872.0, 1e-9, 0.0].map(|value| rounded(value, 3));
        assert_eq!(texts, ["441", "80.1", "0.5", "2", "592000", "1.00e-9", "0"]);
    }

    #[test]
    fn verdicts_claim_no_more_than_was_shown() {
        let words = |finding| rate(finding, Subject::Quality);
        assert_eq!(words(RateFinding::Steeper), "steeper than the bound on this range");
        assert!(words(RateFinding::FasterAlone).starts_with("inconclusive (faster than the bound by its own test"));
        assert_eq!(words(RateFinding::Inconclusive(None)), "inconclusive");
        let power = words(RateFinding::Inconclusive(Some(Power::Between(40, 150))));
        assert_eq!(power, "inconclusive (if this difference is real, 80 % power needs about 40 to 150 seeds)");
        assert_eq!(rate(RateFinding::Faster, Subject::Cost), "grows more slowly than stated");
    }

    #[test]
    fn a_bound_that_says_nothing_neither_holds_nor_fails() {
        let check = |vacuous_to| ValueCheck {
            largest: 0.1,
            at: 10,
            upper: Some(0.2),
            standing: BoundStanding::Holds,
            worst: Some(5.0),
            vacuous_to,
        };
        assert_eq!(bound(&check(None), &[10, 20]), "holds");
        assert_eq!(bound(&check(Some(10)), &[10, 20]), "holds; vacuous up to T = 10");
        assert_eq!(bound(&check(Some(20)), &[10, 20]), "vacuous");
    }
}
