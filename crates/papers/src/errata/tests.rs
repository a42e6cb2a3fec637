//! Every item shows what its class says, and the rule that decides.

use std::collections::BTreeSet;

use crate::errata::api::{
    Accuracy, Class, ErratumDecision, ErratumFinding, ErratumNumber, FALSE_ALARM, Paper, Relation, STANDARD_ERRORS,
    Verdict, counted,
};
use crate::errata::mean::Mean;
use crate::errata::registry::ERRATA;
use noregret_numeric::draw::{Draws, Role};

/// The numbers of each item of a paper show what its class says. The draws are fixed. With other draws, a sampled mean
/// that is exactly as the corrected form says would be found to differ with probability [`FALSE_ALARM`].
fn shown(paper: Paper) {
    let mut wrong = Vec::new();
    for erratum in ERRATA.iter().filter(|erratum| erratum.paper == paper) {
        let finding = erratum.finding();
        assert!(!finding.quantities.is_empty(), "{}", erratum.id);
        if !finding.verdict().shown() {
            wrong.push(format!("{}: {:?}: {:#?}", erratum.id, finding.decision(), finding.quantities));
        }
        wrong.extend(finding.quantities.iter().filter(|one| copied(one)).map(|one| format!("{}: {one:?}", erratum.id)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a number that decides an equation has the very bits of the corrected form and is no integer: then it was
/// found by the same formula. Two formulas round differently, and whole numbers are counts.
fn copied(quantity: &ErratumNumber) -> bool {
    let decides = quantity.printed.is_some_and(|printed| quantity.refutes(printed));
    let same = quantity.corrected.is_some_and(|corrected| corrected.to_bits() == quantity.found.to_bits());
    quantity.relation == Relation::Equal && decides && same && quantity.found.fract() != 0.0
}

#[test]
fn a_number_found_by_the_corrected_formula_is_noticed() {
    let formula = |x: f64| (x.exp() - 1.0) / 3.0;
    let other = |x: f64| x.exp_m1() / 3.0;
    let row = |found| ErratumNumber::exact("x", Relation::Equal, 1.0, formula(0.7), found, 1e-9);
    assert!(copied(&row(formula(0.7))));
    assert!(!copied(&row(other(0.7))));
}

#[test]
fn every_item_of_pkawv_shows_its_class() {
    shown(Paper::Pkawv);
}

#[test]
fn every_item_of_noisy_data_shows_its_class() {
    shown(Paper::Noisy);
}

#[test]
fn every_item_of_infinite_layer_networks_shows_its_class() {
    shown(Paper::InfiniteLayer);
}

#[test]
fn every_item_of_robust_losses_shows_its_class() {
    shown(Paper::Robust);
}

#[test]
fn every_item_beyond_the_papers_shows_its_class() {
    shown(Paper::Beyond);
}

/// Whether a quote can be searched for: two words or more of plain text (one of a listing), no formula, and not as long
/// as a sentence.
fn can_be_searched(quote: &str) -> bool {
    let words = quote.split(' ').count();
    let listing = quote.contains('(') && quote.contains(')');
    quote.is_ascii() && quote.len() <= 80 && (words >= 2 || listing) && !quote.contains(['$', '\\', '^', '\n', '"'])
}

#[test]
fn every_item_quotes_its_passage_and_says_why_it_is_in_its_class() {
    for erratum in ERRATA.iter() {
        // A pitfall quotes nobody.
        let searched = can_be_searched(erratum.quote);
        assert!(searched != (erratum.class == Class::Pitfall), "{}: {}", erratum.id, erratum.quote);
        assert!(searched || erratum.quote.is_empty() && erratum.paper == Paper::Beyond, "{}", erratum.id);
        assert!(erratum.reason.split(' ').count() >= 5, "{}: {}", erratum.id, erratum.reason);
    }
    let passages = || ERRATA.iter().filter(|erratum| erratum.class != Class::Pitfall);
    let quotes: BTreeSet<(Paper, &str)> = passages().map(|erratum| (erratum.paper, erratum.quote)).collect();
    assert_eq!(quotes.len(), passages().count(), "two items quote the same passage");
    for refused in ["", "Lemma", "a formula x^2", "two\nlines", &"far too long ".repeat(10)] {
        assert!(!can_be_searched(refused), "{refused}");
    }
}

#[test]
fn names_are_stages_and_differ_and_texts_survive_every_format() {
    let names: BTreeSet<&str> = ERRATA.iter().map(|erratum| erratum.id).collect();
    assert_eq!(names.len(), ERRATA.len());
    for erratum in ERRATA.iter() {
        assert!(erratum.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{}", erratum.id);
        for text in [erratum.place, erratum.reason, erratum.printed, erratum.corrected, erratum.method] {
            assert!(text.is_ascii() && !text.contains(['`', '*', '$', '~', '\n', '\\']), "{}: {text}", erratum.id);
            assert!(!text.ends_with('.'), "{}: {text}", erratum.id);
        }
    }
}

#[test]
fn the_false_alarm_rate_is_that_of_the_normal_law() {
    assert!((libm::erfc(STANDARD_ERRORS / std::f64::consts::SQRT_2) / FALSE_ALARM - 1.0).abs() < 1e-12);
}

fn finding(quantities: Vec<ErratumNumber>) -> ErratumFinding {
    let text = || "x".to_owned();
    let (id, place, quote, reason, printed, corrected, method) =
        (text(), text(), text(), text(), text(), text(), text());
    let (paper, class) = (Paper::Noisy, Class::Wrong);
    ErratumFinding { id, paper, place, quote, class, reason, printed, corrected, method, quantities }
}

#[test]
fn decisions_follow_the_numbers() {
    let row = |relation, printed: Option<f64>, corrected: Option<f64>, found| {
        ErratumNumber::exact("x", relation, printed, corrected, found, 1e-9)
    };
    let one = |relation, printed, corrected, found| {
        finding(vec![row(relation, Some(printed), Some(corrected), found)]).decision()
    };
    assert_eq!(one(Relation::Equal, 1.0, 2.0, 2.0), ErratumDecision::Corrected);
    assert_eq!(one(Relation::Equal, 1.0, 2.0, 1.0), ErratumDecision::Against);
    assert_eq!(one(Relation::Equal, 2.0, 2.0, 2.0 + 1e-10), ErratumDecision::Undecided);
    assert_eq!(one(Relation::AtMost, 1.0, 2.0, 1.5), ErratumDecision::Corrected);
    assert_eq!(one(Relation::AtMost, 1.0, 2.0, 0.5), ErratumDecision::Undecided);
    assert_eq!(one(Relation::AtMost, 2.0, 1.0, 1.5), ErratumDecision::Against);
    assert_eq!(one(Relation::AtMost, 2.0, 1.0, 0.5), ErratumDecision::Sharper);
    assert_eq!(one(Relation::AtMost, 2.0, 2.0, 0.5), ErratumDecision::Undecided);
    assert_eq!(one(Relation::AtLeast, 2.0, 1.0, 1.5), ErratumDecision::Corrected);
    assert_eq!(one(Relation::AtLeast, 1.0, 2.0, 2.5), ErratumDecision::Sharper);
    assert_eq!(one(Relation::Equal, 1.0, 2.0, f64::NAN), ErratumDecision::Undecided);
    assert_eq!(one(Relation::AtMost, f64::INFINITY, 2.0, 1.0), ErratumDecision::Undecided);
    // What the corrected form says nothing about is no decision for it; what the printed form says nothing about is
    // none against it.
    let (refuted, silent) = (row(Relation::AtMost, Some(1.0), None, 1.5), row(Relation::AtMost, None, Some(2.0), 1.5));
    assert_eq!(finding(vec![refuted.clone(), silent.clone()]).decision(), ErratumDecision::Refuted);
    assert_eq!(finding(vec![silent]).decision(), ErratumDecision::Undecided);
    // One number that refutes the corrected form outweighs all others.
    let against = row(Relation::Equal, None, Some(2.0), 1.0);
    assert_eq!(finding(vec![refuted, against]).decision(), ErratumDecision::Against);
}

/// A statement stands by a number that it bounds, in the same way in both forms, and only if the number agrees.
#[test]
fn a_proof_gap_needs_a_statement_that_was_tried() {
    let step = ErratumNumber::exact("step", Relation::AtMost, 1.0, None, 2.0, 1e-9);
    let statement = |found| ErratumNumber::exact("statement", Relation::AtMost, 3.0, 3.0, found, 1e-9);
    let verdict = |quantities| ErratumFinding { class: Class::ProofGap, ..finding(quantities) }.verdict();
    assert_eq!(verdict(vec![step.clone(), statement(2.5)]), Verdict::StepRefuted);
    assert_eq!(verdict(vec![step.clone()]), Verdict::NotShown);
    assert_eq!(verdict(vec![step, statement(3.5)]), Verdict::Against);
}

#[test]
fn classes_are_counted_apart() {
    let of = |class, found| {
        let quantities = vec![ErratumNumber::exact("x", Relation::AtMost, 1.0, 2.0, found, 1e-9)];
        ErratumFinding { class, ..finding(quantities) }
    };
    let findings = [
        of(Class::Notation, 1.5),
        of(Class::Wrong, 1.5),
        of(Class::Wrong, 2.5),
        of(Class::Wrong, 1.5),
        of(Class::Wrong, 0.5),
    ];
    let wrong = vec![(Verdict::Decided, 2), (Verdict::Against, 1), (Verdict::NotShown, 1)];
    assert_eq!(counted(&findings), [(Class::Wrong, wrong), (Class::Notation, vec![(Verdict::Decided, 1)])]);
}

/// The passage of Theorem 4 with what the corrected form says of its numbers taken out.
#[test]
fn wrong_needs_a_number_of_the_corrected_form() {
    let found = ERRATA.iter().find(|erratum| erratum.id == "noisy-theorem-4").unwrap().finding();
    assert_eq!(found.verdict(), Verdict::Decided);
    let silent = |one: ErratumNumber| ErratumNumber { corrected: None, ..one };
    let quantities = found.quantities.iter().cloned().map(silent).collect();
    let found = ErratumFinding { quantities, ..found };
    assert_eq!((found.decision(), found.verdict()), (ErratumDecision::Refuted, Verdict::NotShown));
}

/// A sampled mean decides only when it is more than five standard errors away.
#[test]
fn sampled_means_need_five_standard_errors() {
    let mut draw = Draws::named(&["errata", "verdict"]).at(Role::Example, 0);
    let mean = Mean::of(10_000, || draw.normal());
    let error = mean.standard_error();
    let verdict = |printed, corrected| {
        finding(vec![ErratumNumber::sampled("x", Relation::Equal, printed, corrected, &mean)]).decision()
    };
    assert_eq!(verdict(mean.mean() + 4.9 * error, 0.0), ErratumDecision::Undecided);
    assert_eq!(verdict(mean.mean() + 5.1 * error, 0.0), ErratumDecision::Corrected);
    assert_eq!(verdict(0.0, mean.mean() - 5.1 * error), ErratumDecision::Against);
}

#[test]
fn findings_survive_json() {
    let accuracy = Accuracy::Sampled { standard_error: 0.1, samples: 10 };
    let quantity = ErratumNumber {
        what: "q".into(),
        relation: Relation::AtMost,
        printed: None,
        corrected: Some(2.0),
        found: 1.5,
        accuracy,
    };
    let finding = finding(vec![quantity]);
    assert_eq!(serde_json::from_str::<ErratumFinding>(&serde_json::to_string(&finding).unwrap()).unwrap(), finding);
}
