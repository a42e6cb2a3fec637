//! Every item decides as stated, and the rule that decides.

use std::collections::BTreeSet;

use crate::draw::{Draws, Role};
use crate::errata::api::{Accuracy, Decision, FALSE_ALARM, Finding, Paper, Quantity, Relation, STANDARD_ERRORS};
use crate::errata::mean::Mean;
use crate::errata::registry::ERRATA;

/// Each item of a paper is decided for the corrected form. The draws are fixed. With other draws, a sampled mean that
/// is exactly as the corrected form says would be found to differ with probability [`FALSE_ALARM`].
fn decides(paper: Paper) {
    let mut wrong = Vec::new();
    for erratum in ERRATA.iter().filter(|erratum| erratum.paper == paper) {
        let finding = erratum.finding();
        assert!(!finding.quantities.is_empty(), "{}", erratum.id);
        if finding.decision() != Decision::Corrected {
            wrong.push(format!("{}: {}: {:#?}", erratum.id, finding.decision().words(), finding.quantities));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_item_of_pkawv_is_decided() {
    decides(Paper::Pkawv);
}

#[test]
fn every_item_of_noisy_data_is_decided() {
    decides(Paper::Noisy);
}

#[test]
fn every_item_of_infinite_layer_networks_is_decided() {
    decides(Paper::InfiniteLayer);
}

#[test]
fn every_item_of_robust_losses_is_decided() {
    decides(Paper::Robust);
}

#[test]
fn names_are_stages_and_differ_and_texts_survive_every_format() {
    let names: BTreeSet<&str> = ERRATA.iter().map(|erratum| erratum.id).collect();
    assert_eq!(names.len(), ERRATA.len());
    for erratum in ERRATA {
        assert!(erratum.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{}", erratum.id);
        for text in [erratum.place, erratum.printed, erratum.corrected, erratum.method] {
            assert!(text.is_ascii() && !text.contains(['`', '*', '$', '~', '\n', '\\']), "{}: {text}", erratum.id);
            assert!(!text.ends_with('.'), "{}: {text}", erratum.id);
        }
    }
}

#[test]
fn the_false_alarm_rate_is_that_of_the_normal_law() {
    assert!((libm::erfc(STANDARD_ERRORS / std::f64::consts::SQRT_2) / FALSE_ALARM - 1.0).abs() < 1e-12);
}

fn finding(quantities: Vec<Quantity>) -> Finding {
    let text = || "x".to_owned();
    let (id, place, printed, corrected, method) = (text(), text(), text(), text(), text());
    Finding { id, paper: Paper::Noisy, place, printed, corrected, method, quantities }
}

#[test]
fn verdicts_follow_the_numbers() {
    let one = |relation, printed, corrected, found| {
        finding(vec![Quantity::exact("x", relation, printed, corrected, found, 1e-9)]).decision()
    };
    assert_eq!(one(Relation::Equal, 1.0, 2.0, 2.0), Decision::Corrected);
    assert_eq!(one(Relation::Equal, 1.0, 2.0, 1.0), Decision::Against);
    assert_eq!(one(Relation::Equal, 2.0, 2.0, 2.0 + 1e-10), Decision::Undecided);
    assert_eq!(one(Relation::AtMost, 1.0, 2.0, 1.5), Decision::Corrected);
    assert_eq!(one(Relation::AtMost, 1.0, 2.0, 0.5), Decision::Undecided);
    assert_eq!(one(Relation::AtMost, 2.0, 1.0, 1.5), Decision::Against);
    assert_eq!(one(Relation::AtLeast, 2.0, 1.0, 1.5), Decision::Corrected);
    assert_eq!(one(Relation::Equal, 1.0, 2.0, f64::NAN), Decision::Against);
    let silent = |found| finding(vec![Quantity::exact("x", Relation::AtMost, 1.0, None, found, 1e-9)]).decision();
    assert_eq!(silent(1.5), Decision::Corrected);
    assert_eq!(silent(0.5), Decision::Undecided);
    assert_eq!(one(Relation::AtMost, f64::INFINITY, 2.0, 1.0), Decision::Undecided);
}

/// A sampled mean decides only when it is more than five standard errors away.
#[test]
fn sampled_means_need_five_standard_errors() {
    let mut draw = Draws::named(&["errata", "verdict"]).at(Role::Example, 0);
    let mean = Mean::of(10_000, || draw.normal());
    let error = mean.standard_error();
    let verdict = |printed, corrected| {
        finding(vec![Quantity::sampled("x", Relation::Equal, printed, corrected, &mean)]).decision()
    };
    assert_eq!(verdict(mean.mean() + 4.9 * error, 0.0), Decision::Undecided);
    assert_eq!(verdict(mean.mean() + 5.1 * error, 0.0), Decision::Corrected);
    assert_eq!(verdict(0.0, mean.mean() - 5.1 * error), Decision::Against);
}

#[test]
fn findings_survive_json() {
    let accuracy = Accuracy::Sampled { standard_error: 0.1, samples: 10 };
    let quantity = Quantity {
        what: "q".into(),
        relation: Relation::AtMost,
        printed: 1.0,
        corrected: Some(2.0),
        found: 1.5,
        accuracy,
    };
    let finding = finding(vec![quantity]);
    assert_eq!(serde_json::from_str::<Finding>(&serde_json::to_string(&finding).unwrap()).unwrap(), finding);
}
