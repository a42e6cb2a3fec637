use super::turn::turns;
use super::{Agreement, ClaimDecision, Evidence, at_least, both, close, ends_below};
use crate::analysis::curve::{CurvePoint, MeanCurve};
use crate::analysis::summary::{ReplicateTally, estimate};

fn order(curves: &[MeanCurve], lower: &str, higher: &str) -> ClaimDecision {
    super::order(curves, &[lower.into()], &[higher.into()])
}

pub(crate) fn curve(learner: &str, points: &[(u32, &[f64])]) -> MeanCurve {
    let points = points.iter().map(|(x, values)| CurvePoint {
        x: f64::from(*x),
        values: values.iter().enumerate().map(|(replicate, value)| (replicate as u64, *value)).collect(),
        estimate: estimate(values).unwrap(),
    });
    MeanCurve {
        experiment: "e".into(),
        stream: "s".into(),
        learner: learner.into(),
        label: learner.to_uppercase(),
        over: None,
        horizon: 100,
        tally: ReplicateTally::default(),
        points: points.collect(),
    }
}

/// The spread between replicates is larger than the difference, but every pair agrees.
#[test]
fn an_order_is_decided_by_pairs() {
    let low = curve("a", &[(100, &[1.0, 2.0, 3.0])]);
    let high = curve("b", &[(100, &[1.1, 2.11, 3.09])]);
    let curves = [low, high];
    assert_eq!(order(&curves, "a", "b").agreement, Agreement::Supported);
    assert_eq!(order(&curves, "b", "a").agreement, Agreement::Contradicted);
    assert_eq!(order(&curves, "a", "c").agreement, Agreement::Untested);
}

/// A claim is about all that it names: what would have to hold of a name without values is not known, and a curve that ends early
/// is compared where both are.
#[test]
fn nothing_that_is_named_is_left_out() {
    let values = |at: f64| [at, at + 0.1, at + 0.05];
    let short = curve("short", &[(50, &values(0.5))]);
    let curves = [
        curve("a", &[(50, &values(2.0)), (100, &values(1.0))]),
        curve("b", &[(50, &values(3.0)), (100, &values(3.0))]),
        curve("none", &[]),
        short,
    ];
    let higher = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        super::order(&curves, &["a".into()], &names)
    };
    assert_eq!(higher(&["b"]).agreement, Agreement::Supported);
    let lower = |name: &str, than: &str| super::order(&curves, &[name.into(), "c".into()], &[than.into()]);
    // One that is low enough is enough, but all must be too high.
    assert_eq!(lower("a", "b").agreement, Agreement::Supported);
    assert_eq!(lower("b", "a").evidence, Evidence::Nothing("the figure has no curve that is called c".into()));
    for (names, why) in
        [(["b", "c"], "the figure has no curve that is called c"), (["none", "b"], "no completed replicate of NONE")]
    {
        let found = higher(&names);
        assert_eq!((found.agreement, found.evidence), (Agreement::Untested, Evidence::Nothing(why.into())));
    }
    // At round 50 the short one is the lower one.
    let found = higher(&["b", "short"]);
    assert_eq!(found.agreement, Agreement::Undecided);
    assert!(
        matches!(found.evidence, Evidence::Difference { round, among: 2, .. } if round == 50.0),
        "{:?}",
        found.evidence
    );
}

/// A learner that was run in two ways: a label tells which is meant, the learner's name means the better one.
#[test]
fn labels_come_before_learners() {
    let run = |label: &str, value: f64| {
        let values = [value, value + 0.1];
        MeanCurve { label: label.into(), ..curve("ogd", &[(100, &values)]) }
    };
    let curves = [run("noise-free", 1.0), curve("a", &[(100, &[2.0, 2.1])]), run("naive", 3.0)];
    assert_eq!(order(&curves, "a", "ogd").agreement, Agreement::Contradicted);
    assert_eq!(order(&curves, "a", "naive").agreement, Agreement::Supported);
    assert_eq!(order(&curves, "noise-free, s", "A").agreement, Agreement::Supported);
}

/// Three curves of one learner that differ by noise alone: the lowest of them is below a fourth of the same law when
/// it is taken for the only one, and not when the choice counts. The learner that is claimed to be higher must be
/// beaten by all means, not only in its lowest curve.
#[test]
fn the_best_of_many_is_held_to_more() {
    let run = |label: &str, learner: &str, values: &[f64]| MeanCurve {
        label: label.into(),
        ..curve(learner, &[(9, values)])
    };
    let mut curves = vec![run("best", "a", &[0.90, 0.96, 0.92, 1.0]), run("other", "b", &[1.0, 1.0, 1.0, 1.02])];
    assert_eq!(order(&curves, "a", "b").agreement, Agreement::Supported);
    curves.extend(["x", "y", "z"].map(|label| run(label, "a", &[1.01, 0.97, 1.0, 1.02])));
    let decided = order(&curves, "a", "b");
    assert_eq!(decided.agreement, Agreement::Undecided);
    assert!(matches!(decided.evidence, Evidence::Difference { among: 4, .. }), "{decided:?}");
    let named = super::order(&curves, &["best".into(), "x".into()], &["other".into()]);
    assert!(matches!(named.evidence, Evidence::Difference { among: 2, .. }), "{named:?}");
    // A curve that did not get as far does not take part in the choice.
    curves.retain(|curve| curve.label.len() > 1);
    curves.push(MeanCurve { label: "short".into(), ..curve("a", &[(3, &[0.1, 0.1, 0.1, 0.1])]) });
    assert_eq!(order(&curves, "a", "b").agreement, Agreement::Supported);
    let clear = [run("clear", "a", &[0.5, 0.5, 0.5, 0.51]), curves[1].clone(), run("wild", "b", &[0.2, 3.0, 0.3, 2.9])];
    assert_eq!(order(&clear[..2], "a", "b").agreement, Agreement::Supported);
    assert_eq!(order(&clear, "a", "b").agreement, Agreement::Undecided, "`wild` may be below");
}

#[test]
fn overlapping_values_leave_it_open() {
    let curves = [curve("a", &[(100, &[1.0, 2.0, 3.0])]), curve("b", &[(100, &[2.0, 1.0, 3.2])])];
    assert_eq!(order(&curves, "a", "b").agreement, Agreement::Undecided);
    let single = [curve("a", &[(100, &[1.0])]), curve("b", &[(100, &[2.0])])];
    assert_eq!(order(&single, "a", "b").agreement, Agreement::Undecided);
}

#[test]
fn rounding_decides_nothing() {
    let curves = [curve("a", &[(100, &[1.0, 1.0])]), curve("b", &[(100, &[1.0 + 1e-12, 1.0 + 1e-12])])];
    assert_eq!(order(&curves, "a", "b").agreement, Agreement::Undecided);
}

#[test]
fn learners_are_compared_at_their_last_common_round() {
    let long = curve("a", &[(10, &[5.0, 5.1, 5.2]), (100, &[1.0, 1.0, 1.0])]);
    let short = curve("b", &[(10, &[2.0, 2.1, 2.2])]);
    assert_eq!(order(&[long, short], "a", "b").agreement, Agreement::Contradicted);
}

/// A label stands for a curve of one stream; on several, the name says which, and so does the evidence.
#[test]
fn a_name_that_is_on_several_streams_decides_nothing() {
    let on = |label: &str, stream: &str, value: f64| {
        let values = [value, value + 0.01, value];
        MeanCurve { stream: stream.into(), ..curve(label, &[(9, &values)]) }
    };
    let curves = [on("a", "s", 1.0), on("b", "s", 2.0), on("a", "other", 0.2), on("b", "other", 0.1)];
    for decided in [order(&curves, "A", "B"), close(&curves, "A", "B", 0.1), turns(&curves, "A", "B")] {
        let Evidence::Nothing(why) = decided.evidence else { panic!("{decided:?}") };
        assert!(why.contains("A is on several streams") && why.contains("`A, other`"), "{why}");
    }
    let decided = order(&curves, "A, s", "B, s");
    assert_eq!(decided.agreement, Agreement::Supported);
    assert!(matches!(&decided.evidence, Evidence::Difference { lower, .. } if lower == "A, s"), "{decided:?}");
    assert_eq!(order(&curves, "A, other", "B, other").agreement, Agreement::Contradicted);
    let twice = [on("a", "s", 1.0), on("b", "s", 2.0), MeanCurve { experiment: "f".into(), ..on("a", "s", 3.0) }];
    let Evidence::Nothing(why) = order(&twice, "A", "B").evidence else { panic!() };
    assert!(why.contains("several experiments"), "{why}");
}

/// The replicates that went on are a choice: nothing is said of a learner that diverged in others.
#[test]
fn what_diverged_decides_nothing() {
    let tally = ReplicateTally { done: 3, diverged: 1, ..ReplicateTally::default() };
    let broken = MeanCurve { tally, ..curve("a", &[(9, &[1.0, 1.1, 1.0])]) };
    let curves = [broken.clone(), curve("b", &[(9, &[2.0, 2.1, 2.0])])];
    for decided in [
        order(&curves, "a", "b"),
        order(&curves, "b", "a"),
        close(&curves, "a", "b", 9.0),
        ends_below(&[&broken], None, 3.0),
        at_least(&[&broken], 0.5),
        turns(&curves, "b", "a"),
    ] {
        assert_eq!(decided.agreement, Agreement::Untested);
        assert_eq!(decided.evidence, Evidence::Nothing("1 of 4 replicates of A diverged".into()));
    }
}

/// One without values, or without a curve, could end anywhere; another one that ends beyond the bound contradicts in any case.
#[test]
fn all_ends_are_asked_for() {
    let (low, none) = (curve("low", &[(9, &[1.0, 1.1, 1.0])]), curve("none", &[]));
    let why = |decided: ClaimDecision| match decided.evidence {
        Evidence::Nothing(why) => why,
        other => format!("{:?} {other:?}", decided.agreement),
    };
    let below = |absent: Option<&str>| ends_below(&[&low], absent, 3.0);
    assert_eq!(below(None).agreement, Agreement::Supported);
    assert_eq!(why(below(Some("gone"))), "the figure has no curve that is called gone");
    assert_eq!(why(ends_below(&[&low, &none], None, 3.0)), "no completed replicate of NONE");
    assert_eq!(why(at_least(&[&low, &none], 0.5)), "no completed replicate of NONE");
    assert_eq!(ends_below(&[&low, &none], Some("gone"), 0.5).agreement, Agreement::Contradicted);
}

/// The mean of the differences must be close with its interval, and only the last common round counts.
#[test]
fn curves_are_close_in_the_mean() {
    let curves = [
        curve("a", &[(10, &[1.0, 2.0, 3.0]), (100, &[9.0, 9.0, 9.0])]),
        curve("b", &[(1, &[8.0, 8.0, 8.0]), (10, &[1.01, 1.99, 3.0])]),
    ];
    let verdict = close(&curves, "a", "b", 0.1);
    assert_eq!(verdict.agreement, Agreement::Supported);
    let Evidence::Distance { labels, round: 10.0, estimate } = verdict.evidence else { panic!("{verdict:?}") };
    assert!(labels == ["A", "B"] && estimate.mean.abs() < 1e-12 && estimate.count == 3);
    // The interval is 0.025 on each side.
    assert_eq!(close(&curves, "b", "a", 0.01).agreement, Agreement::Undecided);
    let far = [curves[0].clone(), curve("b", &[(10, &[3.01, 3.99, 5.0])])];
    assert_eq!(close(&far, "a", "b", 0.1).agreement, Agreement::Contradicted);
    let single = [curve("a", &[(10, &[1.0])]), curve("b", &[(10, &[1.0])])];
    assert_eq!(close(&single, "a", "b", 0.1).agreement, Agreement::Undecided, "no interval");
    assert_eq!(close(&curves, "a", "c", 1.0).agreement, Agreement::Untested);
}

/// The one that loses less is not the one that is cheaper: no curve wins twice, although each quantity has a winner.
#[test]
fn one_curve_must_win_twice() {
    let run = |label: &str, learner: &str, value: f64| {
        let values = [value, value + 0.01, value - 0.01];
        MeanCurve { label: label.into(), ..curve(learner, &[(9, &values)]) }
    };
    let of = |values: [f64; 3]| vec![run("M=2", "a", values[0]), run("M=4", "a", values[1]), run("F", "f", values[2])];
    let (loss, time) = (of([3.0, 1.0, 2.0]), of([1.0, 3.0, 2.0]));
    let names = ["a".to_owned()];
    assert_eq!(both([&loss, &time], &names, "f").agreement, Agreement::Contradicted);
    let small = of([1.5, 1.0, 2.0]);
    let won = both([&small, &time], &names, "f");
    assert_eq!(won.agreement, Agreement::Supported);
    let Evidence::Both { lower, among: 4, estimates: [first, second], .. } = &won.evidence else { panic!("{won:?}") };
    assert!(lower == "M=2" && (first.mean - 0.5).abs() < 1e-9 && (second.mean - 1.0).abs() < 1e-9);
    // One that neither wins nor loses for certain leaves it open, and so do single replicates.
    assert_eq!(both([&of([2.0, 1.0, 2.0]), &time], &names, "f").agreement, Agreement::Undecided);
    let single = |curves: Vec<MeanCurve>| -> Vec<MeanCurve> {
        let first = |one: MeanCurve| {
            let value = one.points[0].values[0].1;
            MeanCurve { points: curve("x", &[(9, &[value])]).points, ..one }
        };
        curves.into_iter().map(first).collect()
    };
    assert_eq!(both([&single(small), &single(time.clone())], &names, "f").agreement, Agreement::Undecided);
    assert_eq!(both([&loss, &time], &names, "g").agreement, Agreement::Untested);
    assert_eq!(both([&loss, &[]], &names, "f").agreement, Agreement::Untested, "without the other quantity");
}

#[test]
fn curves_end_at_a_bound_or_below() {
    let (low, high) = (curve("a", &[(9, &[1.0, 1.02, 1.01])]), curve("b", &[(9, &[1.1, 1.3, 1.2])]));
    assert_eq!(ends_below(&[&low], None, 1.1).agreement, Agreement::Supported);
    assert_eq!(ends_below(&[&low], None, 1.011).agreement, Agreement::Undecided);
    let both = ends_below(&[&high, &low], None, 0.9);
    assert!(matches!(&both.evidence, Evidence::End { label, among: 2, .. } if label == "B"), "{both:?}");
    assert_eq!(both.agreement, Agreement::Contradicted);
    assert_eq!(ends_below(&[&low, &high], None, 1.1).agreement, Agreement::Undecided);
    assert_eq!(ends_below(&[&curve("c", &[(9, &[1.0])])], None, 2.0).agreement, Agreement::Undecided, "no interval");
    assert_eq!(ends_below(&[], None, 2.0).agreement, Agreement::Untested);
}

#[test]
fn curves_end_at_a_bound_or_above() {
    let (high, low) = (curve("a", &[(10, &[0.1]), (100, &[0.5, 0.51])]), curve("b", &[(100, &[0.2, 0.2])]));
    let found = at_least(&[&high, &low], 0.3);
    assert_eq!(found.agreement, Agreement::Contradicted);
    let Evidence::End { label, end, among: 2, beyond } = found.evidence else { panic!("{found:?}") };
    assert!(label == "B" && end.mean == 0.2 && beyond == ["B"], "{label} {end:?} {beyond:?}");
    assert_eq!(at_least(&[&high], 0.3).agreement, Agreement::Supported);
    // 0.2 and 0.3 have an interval that holds the bound; a single value has none.
    let (wide, single) = (curve("c", &[(100, &[0.2, 0.3])]), curve("d", &[(100, &[0.5])]));
    assert_eq!(at_least(&[&high, &wide], 0.3).agreement, Agreement::Undecided);
    assert_eq!(at_least(&[&single], 0.3).agreement, Agreement::Undecided);
    assert_eq!(at_least(&[], 0.3).agreement, Agreement::Untested);
}
