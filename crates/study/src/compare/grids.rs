//! The default grid of every learner in `noregret compare`, and why some learners do not take part.
//!
//! A grid assumes what `compare` gives learners: inputs and targets with mean 0 and deviation 1, by epochs (learners of
//! labels take -1 and +1). Values that depend on the file are given relative to it ([`Values`]):
//!
//! - **bandwidth**: multiples of the typical distance, the root of the mean squared distance between two rows of scaled
//!   inputs that play before those that judge. At 1/4 of it only near rows are alike; at 4 times it the function is close to linear.
//! - **lambda**, **alpha**: weight of the squared norm, in units of squared (scaled) losses: 1 weighs as much as one round
//!   whose error is the deviation of the target. Smooth functions of wide kernels need small weights.
//! - **eta**: step size; 1 replaces the prediction at a point by its target where k(x, x) = 1.
//! - **order**: degrees of Taylor features, as long as there are at most [`FEATURES`] of them.
//! - **features**, **budget**, **rank**: sizes of feature maps and dictionaries: a small one and a moderate one.
//! - **memory**, **q**: how many past rounds count, and by how much the function may move in a round: fast, moderate and slow.
//! - **mu**: a smaller value lets more points into a dictionary.
//! - **clip**, **bound**: the largest absolute target.

use std::fmt::{self, Display, Formatter};

use noregret_core::learner::LEARNERS;

/// The most Taylor features of a default setting.
pub(crate) const FEATURES: u64 = 300;

/// The grid of one learner.
#[derive(Debug)]
pub struct Grid {
    /// The learner.
    pub learner: &'static str,
    /// Whether it draws random numbers, so that it is played with several seeds.
    pub random: bool,
    /// Whether it looks at no inputs: a baseline, which always takes part.
    pub baseline: bool,
    /// Whether it always takes part, and is always drawn: baselines, and the learner that has nothing to set.
    pub always: bool,
    /// Whether it takes labels and predicts logits, so that it takes part only where errors of sign decide.
    pub labels: bool,
    /// A dotted parameter with its values; all combinations are tried. Other parameters have their defaults.
    pub values: &'static [(&'static str, Values)],
}

/// Values of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// These numbers.
    Numbers(&'static [f64]),
    /// These whole numbers.
    Whole(&'static [i64]),
    /// These words.
    Words(&'static [&'static str]),
    /// These multiples of the typical distance between two rows.
    Distances(&'static [f64]),
    /// The degrees 1, 2, ... up to this one whose Taylor features number at most [`FEATURES`]; at least 1.
    Orders(u64),
    /// The largest absolute target.
    TargetBound,
    /// All of these numbers as one value, a list.
    List(&'static [f64]),
    /// All of these multiples of the typical distance as one value, a list.
    DistanceList(&'static [f64]),
}

use Values::{DistanceList, Distances, List, Numbers, Orders, TargetBound, Whole, Words};

const LAMBDAS: Values = Numbers(&[1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0]);
const FEW_LAMBDAS: Values = Numbers(&[0.01, 0.1, 1.0, 10.0]);
const WIDTHS: Values = Distances(&[0.25, 0.5, 1.0, 2.0, 4.0]);
const FEW_WIDTHS: Values = Distances(&[0.5, 1.0, 2.0]);
const STEPS: Values = Numbers(&[0.01, 0.03, 0.1, 0.3, 1.0]);

const fn grid(learner: &'static str, values: &'static [(&'static str, Values)]) -> Grid {
    Grid { learner, random: false, baseline: false, always: false, labels: false, values }
}

const fn random(learner: &'static str, values: &'static [(&'static str, Values)]) -> Grid {
    Grid { random: true, ..grid(learner, values) }
}

const fn labels(grid: Grid) -> Grid {
    Grid { labels: true, ..grid }
}

const fn baseline(learner: &'static str) -> Grid {
    Grid { baseline: true, always: true, ..grid(learner, &[]) }
}

/// The learner that has nothing to set.
const AUTO: Grid = Grid { always: true, ..random("auto", &[]) };

const MEMORIES: Values = Numbers(&[10.0, 100.0, 1000.0]);

const NYSTROM: &[(&str, Values)] =
    &[("lambda", FEW_LAMBDAS), ("mu", Numbers(&[0.1, 1.0, 10.0])), ("kernel.bandwidth", FEW_WIDTHS)];

const FOURIER: &[(&str, Values)] = &[
    ("lambda", FEW_LAMBDAS),
    ("bandwidth", FEW_WIDTHS),
    ("features", Whole(&[50, 200])),
    ("kind", Words(&["orthogonal"])),
];

/// All default grids.
pub const GRIDS: &[Grid] = &[
    baseline("running-mean"),
    baseline("last-value"),
    baseline("majority"),
    grid("neighbours", &[("count", Whole(&[5, 15]))]),
    AUTO,
    grid("kernel-ridge", &[("lambda", LAMBDAS), ("kernel.bandwidth", WIDTHS)]),
    grid("kernel-awv", &[("lambda", LAMBDAS), ("kernel.bandwidth", WIDTHS)]),
    grid("pkrr-taylor", &[("lambda", LAMBDAS), ("bandwidth", FEW_WIDTHS), ("order", Orders(5))]),
    grid("pkawv-taylor", &[("lambda", LAMBDAS), ("bandwidth", FEW_WIDTHS), ("order", Orders(5))]),
    random("pkrr-fourier", FOURIER),
    random("pkawv-fourier", FOURIER),
    random("pkrr-nystrom", NYSTROM),
    random("pkawv-nystrom", NYSTROM),
    grid(
        "kons",
        &[("alpha", Numbers(&[0.01, 0.1, 1.0, 10.0])), ("clip", TargetBound), ("kernel.bandwidth", FEW_WIDTHS)],
    ),
    random(
        "sketched-kons",
        &[("alpha", Numbers(&[0.1, 1.0, 10.0])), ("clip", TargetBound), ("kernel.bandwidth", FEW_WIDTHS)],
    ),
    random(
        "pros-n-kons",
        &[
            ("alpha", Numbers(&[0.1, 1.0, 10.0])),
            ("mu", Numbers(&[1.0, 10.0])),
            ("clip", TargetBound),
            ("kernel.bandwidth", FEW_WIDTHS),
        ],
    ),
    random("fogd", &[("eta", STEPS), ("bandwidth", FEW_WIDTHS), ("features", Whole(&[100, 1000]))]),
    grid(
        "nogd",
        &[("eta", STEPS), ("budget", Whole(&[100])), ("rank", Whole(&[20, 100])), ("kernel.bandwidth", FEW_WIDTHS)],
    ),
    grid("kernel-ogd", &[("eta", STEPS), ("kernel.bandwidth", WIDTHS)]),
    random(
        "shrinking-gradient",
        &[
            ("norm_bound", Numbers(&[1.0, 3.0, 10.0])),
            ("eta", Numbers(&[0.03, 0.1, 0.3])),
            ("feature.bandwidth", FEW_WIDTHS),
        ],
    ),
    grid("linear-ogd", &[("eta", Numbers(&[0.001, 0.003, 0.01, 0.03, 0.1])), ("radius", Numbers(&[1.0, 3.0, 10.0]))]),
    labels(grid(
        "aioli-taylor",
        &[
            ("lambda", Numbers(&[1e-4, 0.01, 1.0])),
            ("bound", Numbers(&[3.0, 10.0, 30.0])),
            ("bandwidth", FEW_WIDTHS),
            ("order", Orders(3)),
        ],
    )),
    labels(random(
        "aioli-fourier",
        &[
            ("lambda", Numbers(&[1e-4, 0.01])),
            ("bound", Numbers(&[10.0, 30.0])),
            ("bandwidth", FEW_WIDTHS),
            ("features", Whole(&[50, 200])),
            ("kind", Words(&["orthogonal"])),
        ],
    )),
    grid("coin-kernel", &[("epsilon", Numbers(&[1.0])), ("kernel.bandwidth", WIDTHS)]),
    grid("coin-taylor", &[("bandwidth", FEW_WIDTHS), ("order", Orders(5))]),
    grid(
        "discounted-awv-taylor",
        &[("lambda", FEW_LAMBDAS), ("memory", MEMORIES), ("bandwidth", FEW_WIDTHS), ("order", Orders(3))],
    ),
    grid(
        "tracking-awv-taylor",
        &[
            ("lambda", FEW_LAMBDAS),
            ("q", Numbers(&[1e-6, 1e-4, 0.01])),
            ("bandwidth", FEW_WIDTHS),
            ("order", Orders(3)),
        ],
    ),
    grid(
        "discount-mixture",
        &[
            ("lambda", Numbers(&[0.01, 1.0])),
            ("bandwidth", FEW_WIDTHS),
            ("order", Orders(2)),
            ("bound", TargetBound),
            ("rule", Words(&["aggregating"])),
        ],
    ),
    grid(
        "robust-ogd",
        &[("eta", Numbers(&[0.03, 0.1, 0.3, 1.0])), ("scale", Numbers(&[1.0, 3.0])), ("kernel.bandwidth", FEW_WIDTHS)],
    ),
    grid(
        "robust-batch",
        &[
            ("eta", Numbers(&[0.1, 0.5])),
            ("scale", Numbers(&[1.0, 3.0])),
            ("stopping", Numbers(&[1.0, 10.0])),
            ("kernel.bandwidth", FEW_WIDTHS),
        ],
    ),
    grid(
        "expert-mixture",
        &[
            ("base.name", Words(&["pkawv-taylor"])),
            ("base.order", Orders(3)),
            ("grid.lambda", List(&[1e-3, 0.01, 0.1, 1.0, 10.0])),
            ("grid.bandwidth", DistanceList(&[0.5, 1.0, 2.0])),
            ("bound", TargetBound),
            ("rule", Words(&["aggregating"])),
        ],
    ),
];

/// The learners that take no part, and why.
pub(crate) const ABSENT: &[(&str, &str)] = &[
    ("aggregate", "its inputs are forecasts, or its experts are of your choice; `expert-mixture` mixes over a grid"),
    ("intervals", "it predicts what the learner inside predicts"),
    ("constant", "it knows nothing of the file; `running-mean` is the baseline"),
    ("discounted-ridge-taylor", "`discounted-awv-taylor` stands for both"),
    ("discounted-awv-fourier", "`discounted-awv-taylor` stands for it"),
    ("discounted-ridge-fourier", "`discounted-awv-taylor` stands for it"),
    ("window-awv-taylor", "`discounted-awv-taylor` forgets gradually and stands for it"),
    ("kernel-ridge-low-rank", "it needs all inputs before the first round"),
    ("noisy-linear-two-copy", "it learns from noisy copies only"),
    ("noisy-linear-covariance", "it learns from noisy copies only"),
    ("noisy-gaussian", "it learns from noisy copies only"),
    ("noisy-radial", "it learns from noisy copies only"),
    ("noisy-analytic", "it learns from noisy copies only"),
];

/// The grid of a learner.
pub(crate) fn find(learner: &str) -> Option<&'static Grid> {
    GRIDS.iter().find(|grid| grid.learner == learner)
}

/// The grid of a learner that a project declares: its defaults alone. It lives as long as the learner's entry.
pub(crate) fn defaults(learner: &'static str) -> &'static Grid {
    Box::leak(Box::new(random(learner, &[])))
}

/// Why a registered learner takes no part.
pub(crate) fn why_absent(learner: &str) -> Option<&'static str> {
    ABSENT.iter().find(|(name, _)| *name == learner).map(|(_, why)| *why)
}

impl Display for Values {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        fn list(values: &[impl Display]) -> String {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        match self {
            Numbers(values) => f.write_str(&list(values)),
            Whole(values) => f.write_str(&list(values)),
            Words(values) => f.write_str(&list(values)),
            Distances(values) => write!(f, "{} times the typical distance of two rows", list(values)),
            Orders(most) => write!(f, "1 to {most}, as long as there are at most {FEATURES} features"),
            TargetBound => f.write_str("the largest absolute target"),
            List(values) => write!(f, "[{}]", list(values)),
            DistanceList(values) => write!(f, "[{}] times the typical distance of two rows", list(values)),
        }
    }
}

/// What `compare` tries of a registered learner, a line for each parameter, or why it leaves it out.
pub fn described(learner: &str) -> String {
    let mut text = "  in `noregret compare`\n".to_owned();
    match find(learner) {
        None => text += &format!("    left out: {}\n", why_absent(learner).unwrap_or("it has no grid")),
        Some(grid) if grid.baseline => text += "    a baseline, always played\n",
        Some(grid) if grid.values.is_empty() => text += "    always played; it has nothing to set\n",
        Some(grid) => grid.values.iter().for_each(|(name, values)| text += &format!("    {name}: {values}\n")),
    }
    text
}

/// The learners that can take part, in the order of the registry.
pub(crate) fn learners() -> impl Iterator<Item = &'static str> {
    LEARNERS.iter().map(|entry| entry.name).filter(|name| find(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_learner_has_a_grid_or_a_reason() {
        for entry in LEARNERS.iter() {
            let (grid, absent) = (find(entry.name).is_some(), why_absent(entry.name).is_some());
            assert!(grid != absent, "{}: give it a grid in GRIDS, or a reason in ABSENT", entry.name);
        }
        assert_eq!(learners().count() + ABSENT.len(), LEARNERS.iter().count());
    }
}
