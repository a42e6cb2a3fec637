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

pub mod against;
pub mod caption;
pub mod chart;
pub mod claim;
pub mod error;
pub mod exhibit;
pub mod figure;
pub mod markup;
pub mod number;
pub mod page;
pub mod rates;
pub mod table;
