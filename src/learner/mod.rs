//! Learners: one file each, joined in [`registry`]. A learner's file holds its parameters, its mathematics with
//! the source, and its tests against that mathematics. What several learners share: [`sequential`] (ridge and AWV
//! forecasts from a growing factor), [`exact`] and [`fixed_features`] on top of it, [`expansion`] (functions
//! sum_i a_i k(x_i, .)), [`linear_descent`] (linear functions), [`surrogate_descent`] (descent behind Gaussian noise),
//! [`random_map`] and [`tensor_sum`] (features from random numbers of copies), [`step`] (step sizes) and
//! [`robust_step`] (those of robust losses); [`dictionary`] (points that [`kors`] chose, with the coordinates of
//! [`basis`] in their span), [`growing_ridge`] and [`nystrom`] on top of it; [`newton`] and [`kons_dual`] (online Newton
//! steps); [`parameters`] (what several declare alike); [`prefix`] (coefficients that shrink together, and draws in proportion to them).

pub mod api;
pub mod basis;
pub mod dictionary;
pub mod exact;
pub mod expansion;
pub mod expert_mixture;
pub mod fixed_features;
pub mod fogd;
pub mod growing_ridge;
pub mod kernel_awv;
pub mod kernel_ogd;
pub mod kernel_ridge;
pub mod kernel_ridge_low_rank;
pub mod kons;
pub mod kons_dual;
pub mod kors;
pub mod linear_descent;
pub mod linear_ogd;
pub mod newton;
pub mod nogd;
pub mod noisy_analytic;
pub mod noisy_gaussian;
pub mod noisy_linear_covariance;
pub mod noisy_linear_two_copy;
pub mod noisy_radial;
pub mod nystrom;
pub mod parameters;
pub mod pkawv_nystrom;
pub mod pkawv_taylor;
pub mod pkrr_nystrom;
pub mod pkrr_taylor;
pub mod prefix;
pub mod pros_n_kons;
pub mod random_map;
pub mod registry;
pub mod robust_batch;
pub mod robust_ogd;
pub mod robust_step;
pub mod sequential;
pub mod shrinking_gradient;
pub mod sketched_kons;
pub mod step;
pub mod surrogate_descent;
pub mod taylor;
pub mod tensor_sum;
