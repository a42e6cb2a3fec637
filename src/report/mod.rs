//! Reports: figures, tables and pages that show what [`crate::analysis`] computed. Every function here is pure: it
//! turns tables and specifications into bytes. The stages read and write files.

/// Declares kinds of figures or tables: the module of each, and the list `KINDS` of what these modules offer.
macro_rules! kinds {
    ($($module:ident { $($kind:ident),+ }),+ $(,)?) => {
        $(pub mod $module;)+

        /// Every kind.
        pub static KINDS: &[&api::Kind] = &[$($(&$module::$kind),+),+];
    };
}

pub(crate) mod against;
pub mod caption;
pub mod chart;
pub(crate) mod claim;
pub mod error;
pub mod exhibit;
pub mod figure;
pub(crate) mod markup;
pub(crate) mod number;
pub mod page;
pub(crate) mod rates;
pub mod table;
