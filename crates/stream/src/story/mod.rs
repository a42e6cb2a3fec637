//! What a run tells of itself on a page of its own (`--report`): collected row by row, in bounded memory, and written at
//! the end.

pub(crate) mod collect;
mod largest;
pub(crate) mod page;
mod rules;
mod thinned;
