//! What there is to know of a learner besides how it is built: its page in the book, its kind, and what `noregret compare`
//! tries of it.
//!
//! A grid assumes what `compare` gives learners: inputs and targets with mean 0 and deviation 1, by epochs (learners of
//! labels take -1 and +1). Values that depend on the file are given relative to it ([`Tried`]):
//!
//! - **bandwidth**: multiples of the typical distance, the root of the mean squared distance between two rows of scaled
//!   inputs that play before those that judge. At 1/4 of it only near rows are alike; at 4 times it the function is close to
//!   linear.
//! - **lambda**, **alpha**: weight of the squared norm, in units of squared (scaled) losses: 1 weighs as much as one round
//!   whose error is the deviation of the target. Smooth functions of wide kernels need small weights.
//! - **eta**: step size; 1 replaces the prediction at a point by its target where k(x, x) = 1.
//! - **order**: degrees of Taylor features, as long as there are at most [`MOST_FEATURES`] of them.
//! - **features**, **budget**, **rank**: sizes of feature maps and dictionaries: a small one and a moderate one.
//! - **memory**, **q**: how many past rounds count, and by how much the function may move in a round: fast, moderate and slow.
//! - **mu**: a smaller value lets more points into a dictionary.
//! - **clip**, **bound**: the largest absolute target.

use std::fmt::{self, Display, Formatter};

/// What there is to know of a learner.
///
/// ```
/// use noregret_core::learner::about::{About, Compared};
/// use noregret_core::prelude::*;
///
/// let about = LEARNERS.find("fogd")?.build.about;
/// assert!(about.random && about.text().starts_with("## Formula\n"));
/// assert!(matches!(about.compared, Compared::Grid(axes) if axes[0].0 == "eta" && axes[0].1.to_string() == "0.01, 0.03, 0.1, 0.3, 1"));
/// # Ok::<(), ParamError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its page in the book, as [`text`](Self::text) gives it, but each line after a blank.
    pub(crate) page: &'static str,
    /// What it is a kind of, if it is one of those that figures tell apart.
    pub kin: Option<Kin>,
    /// Whether it draws random numbers, so that it is played with several seeds.
    pub random: bool,
    /// Whether it takes labels and predicts logits, so that it takes part only where errors of sign decide.
    pub labels: bool,
    /// How it takes part in `noregret compare`.
    pub compared: Compared,
    /// What its parameters do not show.
    pub further: Option<Further>,
}

/// A heading, and what makes the lines below it.
pub type Further = (&'static str, fn() -> Vec<String>);

/// How a learner takes part in `noregret compare`.
#[derive(Clone, Copy, Debug)]
pub enum Compared {
    /// Always: it is a baseline, which looks at no inputs.
    Baseline,
    /// Always: it has nothing to set.
    Always,
    /// All combinations of these values of dotted parameters are tried; other parameters have their defaults.
    Grid(&'static [(&'static str, Tried)]),
    /// It does not, for this reason.
    Absent(&'static str),
}

impl Compared {
    /// Whether the learner takes part where others are named, and is always drawn.
    pub fn always(self) -> bool {
        matches!(self, Self::Baseline | Self::Always)
    }
}

/// Kinds of learners. Figures have a hue for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kin {
    /// Regression over the whole space of a kernel.
    Exact,
    /// Over Taylor features.
    Taylor,
    /// Over random Fourier features.
    Fourier,
    /// Over the span of a dictionary.
    Nystrom,
    /// Gradient descent.
    Gradient,
    /// Newton steps in the space of a kernel.
    Newton,
    /// Mixtures of learners or forecasts.
    Mixture,
    /// Learners of noisy copies.
    Noisy,
    /// Learners of infinite layers.
    Layers,
    /// Learners with robust losses.
    Robust,
    /// Baselines.
    Baseline,
}

/// Values of a parameter that are tried.
#[derive(Clone, Copy, Debug)]
pub enum Tried {
    /// These numbers.
    Numbers(&'static [f64]),
    /// These whole numbers.
    Whole(&'static [i64]),
    /// These words.
    Words(&'static [&'static str]),
    /// These multiples of the typical distance between two rows.
    Distances(&'static [f64]),
    /// The degrees 1, 2, ... up to this one whose Taylor features number at most [`MOST_FEATURES`]; at least 1.
    Orders(u64),
    /// The largest absolute target.
    TargetBound,
    /// All of these numbers as one value, a list.
    List(&'static [f64]),
    /// All of these multiples of the typical distance as one value, a list.
    DistanceList(&'static [f64]),
}

/// The most Taylor features of a setting that is tried.
pub const MOST_FEATURES: u64 = 300;

pub(crate) const LAMBDAS: Tried = Tried::Numbers(&[1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0]);
pub(crate) const FEW_LAMBDAS: Tried = Tried::Numbers(&[0.01, 0.1, 1.0, 10.0]);
pub(crate) const WIDTHS: Tried = Tried::Distances(&[0.25, 0.5, 1.0, 2.0, 4.0]);
pub(crate) const FEW_WIDTHS: Tried = Tried::Distances(&[0.5, 1.0, 2.0]);
pub(crate) const STEPS: Tried = Tried::Numbers(&[0.01, 0.03, 0.1, 0.3, 1.0]);

impl About {
    /// A learner that takes part in `compare` in this way, and of which nothing else is said.
    pub const fn new(compared: Compared) -> Self {
        Self { page: "", kin: None, random: false, labels: false, compared, further: None }
    }

    /// Its page in the book, as Markdown: formula, cost, and when to use it. Empty if it has none.
    pub fn text(&self) -> String {
        self.page.lines().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
    }

    /// One that takes part with all combinations of these values.
    pub const fn grid(axes: &'static [(&'static str, Tried)]) -> Self {
        Self::new(Compared::Grid(axes))
    }

    /// The same, of this kind.
    pub const fn of(self, kin: Kin) -> Self {
        Self { kin: Some(kin), ..self }
    }

    /// The same, of a learner that draws random numbers.
    pub const fn random(self) -> Self {
        Self { random: true, ..self }
    }

    /// The same, of a learner of labels.
    pub const fn labels(self) -> Self {
        Self { labels: true, ..self }
    }
}

impl Display for Tried {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        fn list(values: &[impl Display]) -> String {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        match self {
            Self::Numbers(values) => f.write_str(&list(values)),
            Self::Whole(values) => f.write_str(&list(values)),
            Self::Words(values) => f.write_str(&list(values)),
            Self::Distances(values) => write!(f, "{} times the typical distance of two rows", list(values)),
            Self::Orders(most) => write!(f, "1 to {most}, as long as there are at most {MOST_FEATURES} features"),
            Self::TargetBound => f.write_str("the largest absolute target"),
            Self::List(values) => write!(f, "[{}]", list(values)),
            Self::DistanceList(values) => write!(f, "[{}] times the typical distance of two rows", list(values)),
        }
    }
}
