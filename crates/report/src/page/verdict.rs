//! Classes of verdicts, which the pages count, colour and filter by: four words, whatever a verdict is on. The full words come
//! from [`crate::analysis::words`], and stand in the tables.

use serde::Serialize;

use crate::analysis::claim::Agreement;
use crate::analysis::words::{ALONE, head};
use noregret_papers::errata::class::Verdict;

/// How a verdict stands to what was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tone {
    /// It goes against the claim.
    Against,
    /// It agrees.
    Agrees,
    /// The data do not decide, but an interval of its own does.
    Leaning,
    /// The data do not decide.
    Open,
    /// It answers a question of ours, or tells of an erratum: neither for nor against a paper.
    Answered,
    /// There are no data for it, or none that could have gone against it.
    Absent,
}

impl Tone {
    /// The one word for verdicts of this tone, on all pages.
    fn word(self) -> Option<&'static str> {
        match self {
            Tone::Against => Some("disagrees"),
            Tone::Agrees => Some("agrees"),
            Tone::Leaning | Tone::Open => Some("not decided"),
            Tone::Absent => Some("not tested"),
            Tone::Answered => None,
        }
    }
}

/// The class of a verdict: one of four words, or what answers a question of ours.
pub(crate) fn class(words: &str) -> &str {
    tone(words).word().unwrap_or_else(|| own(words))
}

/// The class of an erratum: its words without reasons.
pub(crate) fn own(words: &str) -> &str {
    head(words).trim()
}

/// The tone of a verdict, by the words that it begins with.
pub(crate) fn tone(words: &str) -> Tone {
    let class = own(words).to_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| class.starts_with(start));
    // That an erratum is shown speaks neither for nor against a statement of its paper; the class of the erratum does.
    let shown = Verdict::ALL.iter().any(|verdict| verdict.shown() && verdict.words() == class);
    if shown || ["yes", "no"].contains(&class.as_str()) {
        Tone::Answered
    } else if begins(&["steeper", "grows faster", "exceeded", "contradicted", "wrong as printed", "decided against"]) {
        Tone::Against
    } else if begins(&["matches", "as stated", "holds", "faster", "grows more slowly", "supported"]) {
        Tone::Agrees
    } else if begins(&["missing", "not test", "no data", "no exponent", "too few", "vacuous"]) || class.is_empty() {
        Tone::Absent
    } else if words.contains(ALONE) {
        Tone::Leaning
    } else {
        Tone::Open
    }
}

/// The tone of an erratum: a formula that is wrong goes against its paper, and nothing else does.
pub(crate) fn erratum(class: &str) -> Tone {
    match tone(class) {
        Tone::Against => Tone::Against,
        _ => Tone::Answered,
    }
}

/// What the verdict of a row of rates says of a claim that names the row.
pub(crate) fn agreement(verdict: &str) -> Agreement {
    match tone(verdict) {
        Tone::Against => Agreement::Contradicted,
        Tone::Agrees => Agreement::Supported,
        Tone::Leaning | Tone::Open | Tone::Answered => Agreement::Undecided,
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
            for leaning in [RateFinding::SteeperAlone, RateFinding::FasterAlone] {
                assert_eq!(of(leaning), ("not decided".into(), Tone::Leaning));
            }
            let open = RateFinding::Inconclusive(Some(Power::Impractical));
            assert_eq!(of(open), ("not decided".into(), Tone::Open));
            let untestable = RateFinding::Untestable(ExponentVerdict::Matches);
            for absent in [RateFinding::Missing, RateFinding::NoExponent, RateFinding::TooFew, untestable] {
                assert_eq!(of(absent).1, Tone::Absent);
            }
        }
        assert_eq!(class("steeper than the bound on this range; curved"), "disagrees");
        assert_eq!(class("no exponent: a single seed"), "not tested");
        for verdict in Verdict::ALL {
            let expected = if verdict.shown() { Tone::Answered } else { Tone::Against };
            assert!(tone(verdict.words()) == expected || verdict == Verdict::NotShown, "{}", verdict.words());
        }
    }

    #[test]
    fn the_words_of_claims_and_bounds_have_tones() {
        let claim = |agreement| tone(words::claim(agreement));
        assert_eq!(claim(Agreement::Supported), Tone::Agrees);
        assert_eq!(claim(Agreement::Contradicted), Tone::Against);
        assert_eq!(claim(Agreement::Undecided), Tone::Open);
        assert_eq!(claim(Agreement::Untested), Tone::Absent);
        let question = |agreement| tone(words::question(agreement));
        assert_eq!(
            [class("yes"), class("no"), class("unclear"), class("no data")],
            ["yes", "no", "not decided", "not tested"]
        );
        assert_eq!([Agreement::Supported, Agreement::Contradicted].map(question), [Tone::Answered; 2]);
        assert_eq!([Agreement::Undecided, Agreement::Untested].map(question), [Tone::Open, Tone::Absent]);
        let bound = |standing, vacuous_to| {
            let check = ValueCheck { largest: 0.1, at: 10, upper: None, standing, worst: None, vacuous_to };
            let words = words::bound(&check, &[10, 20]);
            (class(&words).to_owned(), tone(&words))
        };
        assert_eq!(bound(BoundStanding::Holds, Some(10)), ("agrees".into(), Tone::Agrees));
        assert_eq!(bound(BoundStanding::Exceeded, None), ("disagrees".into(), Tone::Against));
        assert_eq!(bound(BoundStanding::Open, None), ("not decided".into(), Tone::Open));
        assert_eq!(bound(BoundStanding::Holds, Some(20)), ("not tested".into(), Tone::Absent));
    }
}
