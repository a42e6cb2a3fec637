//! best-expert: the least loss of one forecast, where the inputs are forecasts.

use crate::comparator::api::ComparatorEntry;
use crate::comparator::best_shifts::BestShifts;

/// Its registry entry.
pub(crate) static ENTRY: ComparatorEntry = ComparatorEntry {
    name: "best-expert",
    summary: "min_k sum l(f_k, y): the best input column, where these are forecasts",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Box::new(BestShifts(0))),
};
