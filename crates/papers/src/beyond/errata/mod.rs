//! What the errata of software on aggregation are, and the pitfalls of learners that no paper here has.

use crate::errata::api::errata;
use crate::paper::Paper;

errata! {
    Paper::Beyond:
    opera_ml_poly, carried_inverse, forgotten_regulariser, late_refresh, loss_form, short_stream, seen_frequencies,
    conformal_rank
}
