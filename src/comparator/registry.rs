//! All comparators, by name.

use crate::comparator::api::ComparatorEntry;
use crate::comparator::{norm_ball, penalised};

/// Every comparator.
pub static COMPARATORS: &[&ComparatorEntry] = &[&penalised::ENTRY, &norm_ball::ENTRY];

/// The comparator of that name.
pub fn find(name: &str) -> Option<&'static ComparatorEntry> {
    COMPARATORS.iter().copied().find(|entry| entry.name == name)
}
