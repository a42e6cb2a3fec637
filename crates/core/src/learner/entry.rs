//! How a learner's file declares its entry.

/// A learner's entry, with its page in the book as its documentation:
///
/// ```text
/// learner! {
///     /// ## Formula
///     /// ...
///     pub(crate) static ENTRY = LearnerEntry { name: "fogd", ... };
/// }
/// ```
macro_rules! learner {
    ($($(#[doc = $line:literal])+ $vis:vis static $name:ident = $entry:expr;)+) => {
        $($(#[doc = $line])+ $vis static $name: $crate::learner::api::LearnerEntry =
            $crate::learner::api::LearnerEntry::with_page($entry, concat!($($line, "\n"),+));)+
    };
}
pub(crate) use learner;
