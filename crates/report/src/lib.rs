#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// What nobody outside can reach is `pub(crate)`, so that whoever reads an item sees how far a change goes.
#![warn(unreachable_pub)]

/// Declares kinds of figures or tables: the module of each, the list `KINDS` of what these modules offer, and
/// `kind`, which finds one by its name.
macro_rules! kinds {
    ($type:ident: $($module:ident { $($kind:ident),+ }),+ $(,)?) => {
        $(pub mod $module;)+

        /// Every kind.
        pub static KINDS: &[&api::$type] = &[$($(&$module::$kind),+),+];

        /// The kind of that name.
        ///
        /// # Errors
        /// No kind has this name; the message lists those that exist.
        pub(crate) fn kind(name: &str) -> Result<&'static api::$type, String> {
            let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            let found = KINDS.iter().copied().find(|kind| kind.name == name);
            found.ok_or_else(|| format!("unknown kind `{name}`; known kinds: {}", known.join(", ")))
        }
    };
}

pub mod against;
pub(crate) mod alone;
pub mod analysis;
pub mod caption;
pub mod chart;
pub(crate) mod claim;
pub mod compared;
pub mod error;
pub mod exhibit;
pub mod figure;
pub mod formula;
pub(crate) mod markup;
pub mod number;
pub mod page;
pub(crate) mod rates;
pub mod schema;
pub(crate) mod standing;
pub mod streamed;
pub mod table;
pub mod trace;

/// The table of this crate's code identity, as `noregret-identity` writes it.
pub const IDENTITY: &str = include_str!(concat!(env!("OUT_DIR"), "/identity.txt"));
