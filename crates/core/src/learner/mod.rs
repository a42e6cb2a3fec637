//! Learners: one file each, listed in [`LEARNERS`]. A learner's file holds its parameters, its mathematics with the
//! source, and tests against that mathematics. The other modules are shared by several learners: [`sequential`] (ridge
//! and AWV forecasts from a growing factor), with [`exact`] and [`fixed_features`] on top of it; [`whitened`]
//! (windows of rounds over features); [`forgetting`] and [`discount`] (how fast past rounds are forgotten); [`taylor`]
//! and [`fourier`] (parameters of the two kinds of features); [`aioli`] (online logistic regression over features);
//! [`aggregation`] (weights of forecasts); [`interval_rule`] (radii of intervals that keep their coverage); [`nearest`] (the nearest among the newest rows);
//! [`tracking`] (forecasts against a function that moves); [`experts`] (learners whose forecasts are combined), with
//! [`mixture`] (exponential weights over them) on top of it;
//! [`coin`] (bets on a coin, the step of learners without a step size); [`expansion`]
//! (functions sum_i a_i k(x_i, .)); [`linear_descent`] (linear functions); [`surrogate_descent`] (descent from inputs
//! with Gaussian noise); [`random_map`] and [`tensor_sum`] (features estimated from random numbers of copies); [`step`]
//! (step sizes) and [`robust_step`] (those of robust losses); [`dictionary`] (points that [`kors`] chose, with the
//! coordinates of [`basis`] in their span), with [`growing_ridge`] and [`nystrom`] on top of it, and
//! [`nystrom_rows`] for many predictions; [`newton`],
//! [`newton_window`] and [`kons_dual`] (online Newton steps); [`blind`] (rules that look at targets alone);
//! [`over_epochs`] (any learner on causal scales); [`classes`] (any learner of labels as one of classes); [`last_input`] (the cache of what was computed at
//! the last input); [`parameters`] (parameters that several learners declare); [`sampled_coefficients`] (coefficients
//! that shrink together, and draws in proportion to them).

use crate::params::registry::members;

pub mod aggregation;
pub mod aioli;
pub mod api;
pub(crate) mod basis;
pub(crate) mod blind;
pub mod classes;
pub(crate) mod coin;
pub(crate) mod dictionary;
pub(crate) mod discount;
pub mod draw_count;
pub mod exact;
pub(crate) mod expansion;
pub(crate) mod experts;
pub mod fixed_features;
pub mod forgetting;
pub mod fourier;
pub(crate) mod growing_ridge;
pub mod interval_rule;
pub mod kons_dual;
pub mod kors;
pub(crate) mod last_input;
pub(crate) mod layer_weights;
pub mod linear_descent;
pub mod mixture;
pub(crate) mod nearest;
pub(crate) mod newton;
pub(crate) mod newton_window;
pub mod nystrom;
pub(crate) mod nystrom_rows;
pub mod over_epochs;
pub(crate) mod parameters;
pub mod random_map;
pub mod robust_step;
pub mod said;
pub mod sampled_coefficients;
pub mod sequential;
pub(crate) mod step;
pub mod surrogate_descent;
pub mod taylor;
pub mod tensor_sum;
pub mod tracking;
pub(crate) mod whitened;

/// What the parameters of a learner do not show: a heading, and what makes the lines below it.
pub(crate) type Further = (&'static str, fn() -> Vec<String>);

/// Learners about which there is more to say.
static FURTHER: [(&str, Further); 1] = [("auto", ("members", auto::bank::described))];

/// What there is to say about the learner called `name` beyond its parameters.
///
/// ```
/// let (heading, lines) = noregret_core::learner::further("auto").unwrap();
/// assert!(heading == "members" && lines()[2].starts_with("linear "));
/// assert!(noregret_core::learner::further("fogd").is_none());
/// ```
pub fn further(name: &str) -> Option<Further> {
    FURTHER.iter().find(|(learner, _)| *learner == name).map(|(_, further)| *further)
}

members! {
    /// Every learner.
    LEARNERS: api::Recipe = "learner": auto, kernel_ridge, kernel_ridge_low_rank, kernel_awv, pkrr_taylor, pkawv_taylor, pkrr_fourier, pkawv_fourier, pkrr_nystrom, pkawv_nystrom, kons, sketched_kons, pros_n_kons, fogd, nogd, kernel_ogd, shrinking_gradient, expert_mixture, aggregate, intervals, linear_ogd, aioli_taylor, aioli_fourier, coin_kernel, coin_taylor, discounted_awv_taylor, discounted_ridge_taylor, discounted_awv_fourier, discounted_ridge_fourier, window_awv_taylor, tracking_awv_taylor, discount_mixture, noisy_linear_two_copy, noisy_linear_covariance, noisy_gaussian, noisy_radial, robust_ogd, robust_batch, noisy_analytic, constant, running_mean, last_value, majority, neighbours
}
