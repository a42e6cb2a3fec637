//! What a learner of the noisy protocol may query.

/// Independent noisy copies of the current example. The protocol hands out a wrapper that counts the queries, so a
/// learner can neither forget nor flatter itself; the clean example is not reachable from here.
pub trait Oracle {
    /// Number of input columns.
    fn dim(&self) -> usize;
    /// Writes one more independent copy of x_t + noise; `out` has `dim` entries.
    fn x(&mut self, out: &mut [f64]);
    /// One more independent copy of y_t + noise.
    fn y(&mut self) -> f64;
}
