//! What the errata of software on aggregation are, and the pitfalls of learners that no paper here has.

pub mod carried_inverse;
pub mod conformal_rank;
pub mod forgotten_regulariser;
pub mod late_refresh;
pub mod loss_form;
pub mod opera_ml_poly;
pub mod seen_frequencies;
pub mod short_stream;
