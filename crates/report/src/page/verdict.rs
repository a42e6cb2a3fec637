//! Classes of verdicts, which the pages count, colour and filter by. The words themselves come from
//! [`crate::analysis::words`]; a class is what they begin with.

use serde::Serialize;

use crate::analysis::claim::Agreement;
use crate::analysis::words::head;

/// How a verdict stands to what was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tone {
    /// It goes against the claim.
    Against,
    /// It agrees.
    Agrees,
    /// The data do not decide.
    Open,
    /// It answers a question of ours, neither for nor against a paper.
    Answered,
    /// There are no data for it.
    Absent,
}

/// The class of a verdict: its words without reasons and additions (`inconclusive`, of `inconclusive (if ...)`).
pub(crate) fn class(words: &str) -> &str {
    head(words).trim()
}

/// The tone of a verdict, by its class.
pub(crate) fn tone(words: &str) -> Tone {
    let class = class(words).to_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| class.starts_with(start));
    if ["yes", "no"].contains(&class.as_str()) {
        Tone::Answered
    } else if begins(&["steeper", "grows faster", "exceeded", "contradicted", "wrong as printed", "decided against"]) {
        Tone::Against
    } else if begins(&["matches", "as stated", "holds", "faster", "grows more slowly", "supported"]) {
        Tone::Agrees
    } else if begins(&["missing", "not testable", "not tested", "no data", "no exponent", "too few"])
        || class.is_empty()
    {
        Tone::Absent
    } else {
        Tone::Open
    }
}

/// What the verdict of a row of rates says of a claim that names the row.
pub(crate) fn agreement(verdict: &str) -> Agreement {
    match tone(verdict) {
        Tone::Against => Agreement::Contradicted,
        Tone::Agrees => Agreement::Supported,
        Tone::Open | Tone::Answered => Agreement::Undecided,
        Tone::Absent => Agreement::Untested,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::bound::{BoundStanding, ValueCheck};
    use crate::analysis::rate::judgement::RateFinding;
    use crate::analysis::rate::verdict::{ExponentVerdict, Power};
    use crate::analysis::words;
    use noregret_papers::theorem::Subject;

    #[test]
    fn the_words_of_rates_have_classes_and_tones() {
        for subject in [Subject::Quality, Subject::Cost] {
            let of = |finding| {
                let words = words::rate(finding, subject);
                (class(&words).to_owned(), tone(&words))
            };
            assert_eq!(of(RateFinding::Matches).1, Tone::Agrees);
            assert_eq!(of(RateFinding::Faster).1, Tone::Agrees);
            assert_eq!(of(RateFinding::Steeper).1, Tone::Against);
            for open in [
                RateFinding::SteeperAlone,
                RateFinding::FasterAlone,
                RateFinding::Inconclusive(Some(Power::Impractical)),
            ] {
                assert_eq!(of(open), ("inconclusive".into(), Tone::Open));
            }
            let untestable = RateFinding::Untestable(ExponentVerdict::Matches);
            for absent in [RateFinding::Missing, RateFinding::NoExponent, RateFinding::TooFew, untestable] {
                assert_eq!(of(absent).1, Tone::Absent);
            }
        }
        assert_eq!(class("steeper than the bound on this range; curved"), "steeper than the bound on this range");
        assert_eq!(class("no exponent: a single seed"), "no exponent");
    }

    #[test]
    fn the_words_of_claims_and_bounds_have_tones() {
        let claim = |agreement| tone(words::claim(agreement));
        assert_eq!(claim(Agreement::Supported), Tone::Agrees);
        assert_eq!(claim(Agreement::Contradicted), Tone::Against);
        assert_eq!(claim(Agreement::Undecided), Tone::Open);
        assert_eq!(claim(Agreement::Untested), Tone::Absent);
        let question = |agreement| tone(words::question(agreement));
        assert_eq!([Agreement::Supported, Agreement::Contradicted].map(question), [Tone::Answered; 2]);
        assert_eq!([Agreement::Undecided, Agreement::Untested].map(question), [Tone::Open, Tone::Absent]);
        let bound = |standing, vacuous_to| {
            let check = ValueCheck { largest: 0.1, at: 10, upper: None, standing, worst: None, vacuous_to };
            let words = words::bound(&check, &[10, 20]);
            (class(&words).to_owned(), tone(&words))
        };
        assert_eq!(bound(BoundStanding::Holds, Some(10)), ("holds".into(), Tone::Agrees));
        assert_eq!(bound(BoundStanding::Exceeded, None), ("exceeded".into(), Tone::Against));
        assert_eq!(bound(BoundStanding::Open, None), ("open".into(), Tone::Open));
        assert_eq!(bound(BoundStanding::Holds, Some(20)), ("vacuous".into(), Tone::Open));
    }
}
