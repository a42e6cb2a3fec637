//! What the errata of software on aggregation are, and the pitfalls of learners that no paper here has.

pub(crate) mod carried_inverse;
pub(crate) mod conformal_rank;
pub(crate) mod forgotten_regulariser;
pub(crate) mod late_refresh;
pub(crate) mod loss_form;
pub(crate) mod opera_ml_poly;
pub(crate) mod seen_frequencies;
pub(crate) mod short_stream;
