//! The vocabulary of errata: the classes, what the numbers of an item must show in each, and the words for verdicts.

use serde::{Deserialize, Serialize};

/// The class of an erratum, in the order of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// What is printed is false.
    Wrong,
    /// A step of a proof fails.
    ProofGap,
    /// What is printed is true, but a sharper form is, too.
    Sharpened,
    /// What is printed says something else than is meant, as the same paper shows.
    Notation,
    /// What is run is far from what the theory asks for.
    Practice,
    /// Our text of the paper may differ from the paper.
    Text,
    /// Nothing of a paper: a shortcut that suggests itself, and fails.
    Pitfall,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 7] = [
        Class::Wrong,
        Class::ProofGap,
        Class::Sharpened,
        Class::Notation,
        Class::Practice,
        Class::Text,
        Class::Pitfall,
    ];

    /// Its name.
    pub fn words(self) -> &'static str {
        match self {
            Class::Wrong => "wrong as printed",
            Class::ProofGap => "proof gap, statement stands",
            Class::Sharpened => "sharpened",
            Class::Notation => "slip of notation",
            Class::Practice => "gap between theory and practice",
            Class::Text => "doubt about the text at hand",
            Class::Pitfall => "pitfall, printed nowhere",
        }
    }

    /// What it means, and what its numbers must show.
    pub fn meaning(self) -> &'static str {
        match self {
            Class::Wrong => {
                "what is printed, taken literally, is false: some number refutes it and agrees with the corrected form, \
                 which says something else about it"
            }
            Class::ProofGap => {
                "a step of the proof is false: some number refutes it; the statement holds wherever it was computed, \
                 which does not prove it"
            }
            Class::Sharpened => "what is printed is true; the corrected form is true as well and says more",
            Class::Notation => {
                "taken literally, what is printed is false, but the same paper shows what is meant, and nothing else \
                 in it changes"
            }
            Class::Practice => {
                "nothing printed is refuted; a number shows how far what is run is from what the theory, or the text, \
                 asks for"
            }
            Class::Text => "the text that we have may have lost or changed characters, so the paper may be right",
            Class::Pitfall => "no paper says so: a number shows what a shortcut that suggests itself does wrong",
        }
    }

    /// What the two forms of an item are called: that which is refuted, and that which holds.
    pub fn forms(self) -> [&'static str; 2] {
        if self == Class::Pitfall { ["shortcut", "instead"] } else { ["printed", "corrected"] }
    }

    /// The verdict on an item of this class. `stands` says whether some number agrees with a statement that the printed
    /// and the corrected form make alike.
    ///
    /// ```
    /// use noregret_papers::errata::class::{Class, ErratumDecision, Verdict};
    ///
    /// assert_eq!(Class::Wrong.verdict(ErratumDecision::Corrected, false), Verdict::Decided);
    /// // What is true as printed is not decided, and a proof gap is none if the statement was never tried.
    /// assert_eq!(Class::Wrong.verdict(ErratumDecision::Sharper, false), Verdict::NotShown);
    /// // Nor is something wrong while nothing that is right about the same number is computed.
    /// assert_eq!(Class::Wrong.verdict(ErratumDecision::Refuted, false), Verdict::NotShown);
    /// assert_eq!(Class::ProofGap.verdict(ErratumDecision::Corrected, false), Verdict::NotShown);
    /// ```
    pub fn verdict(self, decision: ErratumDecision, stands: bool) -> Verdict {
        use {Class as C, ErratumDecision as D};
        match (self, decision) {
            (_, D::Against) => Verdict::Against,
            (C::Wrong | C::Notation, D::Corrected) => Verdict::Decided,
            (C::Notation, D::Refuted) => Verdict::Refuted,
            (C::ProofGap, D::Corrected) if stands => Verdict::StepDecided,
            (C::ProofGap, D::Refuted) if stands => Verdict::StepRefuted,
            (C::Sharpened, D::Sharper) => Verdict::Sharper,
            (C::Practice, D::Refuted) => Verdict::Gap,
            (C::Text, D::Corrected | D::Refuted) => Verdict::TextRefuted,
            (C::Text, D::Sharper) => Verdict::TextSharper,
            (C::Pitfall, D::Corrected | D::Refuted) => Verdict::Fails,
            _ => Verdict::NotShown,
        }
    }
}

/// What the numbers of an item show, whatever its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErratumDecision {
    /// Some number refutes the printed form and agrees with the corrected one, which says something else about it; none
    /// refutes the corrected form.
    Corrected,
    /// Some number refutes the printed form, but the corrected form says nothing about any such number.
    Refuted,
    /// No number refutes either form, and about some number the corrected form says more than the printed one.
    Sharper,
    /// Some number refutes the corrected form.
    Against,
    /// None of these, or some number is not finite.
    Undecided,
}

/// What is said of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Both forms say something about a number, and the number decides.
    Decided,
    /// The printed form is false; the corrected one says nothing about the number that shows it.
    Refuted,
    /// As [`Decided`](Verdict::Decided), for a step of a proof.
    StepDecided,
    /// As [`Refuted`](Verdict::Refuted), for a step of a proof.
    StepRefuted,
    /// Both forms hold, and the corrected one says more.
    Sharper,
    /// Theory and practice differ.
    Gap,
    /// The text that we have is false.
    TextRefuted,
    /// The text that we have holds, and another form says more.
    TextSharper,
    /// The shortcut fails.
    Fails,
    /// The corrected form is false.
    Against,
    /// The numbers do not show what the class says.
    NotShown,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 11] = [
        Verdict::Decided,
        Verdict::Refuted,
        Verdict::StepDecided,
        Verdict::StepRefuted,
        Verdict::Sharper,
        Verdict::Gap,
        Verdict::TextRefuted,
        Verdict::TextSharper,
        Verdict::Fails,
        Verdict::Against,
        Verdict::NotShown,
    ];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Decided => "decided for the corrected form",
            Verdict::Refuted => "printed form refuted",
            Verdict::StepDecided => "step decided for the corrected form, statement not refuted",
            Verdict::StepRefuted => "step refuted, statement not refuted",
            Verdict::Sharper => "both forms hold, the corrected one says more",
            Verdict::Gap => "gap shown",
            Verdict::TextRefuted => "text at hand refuted, the paper perhaps not",
            Verdict::TextSharper => "text at hand holds, the supposed form says more",
            Verdict::Fails => "the shortcut fails",
            Verdict::Against => "decided against the corrected form",
            Verdict::NotShown => "not shown",
        }
    }

    /// Whether the numbers show what the class of the item says.
    pub fn shown(self) -> bool {
        !matches!(self, Verdict::Against | Verdict::NotShown)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// For each class, the decisions that show it; every other one does not.
    #[test]
    fn a_class_is_shown_by_its_own_numbers_only() {
        use {Class as C, ErratumDecision as D};
        let decisions = [D::Corrected, D::Refuted, D::Sharper, D::Against, D::Undecided];
        let showing = |class, stands| -> Vec<ErratumDecision> {
            decisions.into_iter().filter(|decision| C::verdict(class, *decision, stands).shown()).collect()
        };
        for stands in [false, true] {
            assert_eq!(showing(C::Wrong, stands), [D::Corrected]);
            assert_eq!(showing(C::Sharpened, stands), [D::Sharper]);
            assert_eq!(showing(C::Notation, stands), [D::Corrected, D::Refuted]);
            assert_eq!(showing(C::Practice, stands), [D::Refuted]);
            assert_eq!(showing(C::Text, stands), [D::Corrected, D::Refuted, D::Sharper]);
            assert_eq!(showing(C::Pitfall, stands), [D::Corrected, D::Refuted]);
        }
        assert_eq!(showing(C::ProofGap, true), [D::Corrected, D::Refuted]);
        assert_eq!(showing(C::ProofGap, false), []);
    }

    /// Only two classes can be "decided", and only by a number about which both forms say something.
    #[test]
    fn decided_needs_two_forms_that_differ() {
        for class in Class::ALL {
            for decision in [
                ErratumDecision::Refuted,
                ErratumDecision::Sharper,
                ErratumDecision::Against,
                ErratumDecision::Undecided,
            ] {
                assert_ne!(class.verdict(decision, true), Verdict::Decided);
            }
        }
        let decided =
            Class::ALL.iter().filter(|class| class.verdict(ErratumDecision::Corrected, true) == Verdict::Decided);
        assert_eq!(decided.collect::<Vec<_>>(), [&Class::Wrong, &Class::Notation]);
    }

    #[test]
    fn words_differ() {
        let classes: BTreeSet<&str> = Class::ALL.iter().map(|class| class.words()).collect();
        let verdicts: BTreeSet<&str> = Verdict::ALL.iter().map(|verdict| verdict.words()).collect();
        assert_eq!((classes.len(), verdicts.len()), (Class::ALL.len(), Verdict::ALL.len()));
        assert!(Class::ALL.is_sorted() && Verdict::ALL.is_sorted());
    }
}
