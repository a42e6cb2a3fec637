//! What the errata of software and papers on aggregation are.

pub mod opera_ml_poly;
