//! What stages share: keys and inputs of their items, results that they read, prepared tables, guarded processes.

pub(crate) mod external;
pub(crate) mod items;
pub(crate) mod results;
pub(crate) mod setup;
pub(crate) mod tables;
