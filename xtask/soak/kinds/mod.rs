//! The kinds of trouble: one file each.

use crate::attempt::Try;

mod download;
mod edit;
mod flip;
mod full;
mod garble;
mod kill;
mod limit;
mod stream;
mod together;
mod vanish;

/// A kind of trouble.
pub struct Kind {
    /// Its name on the command line.
    pub name: &'static str,
    /// What is done, in a few words.
    pub about: &'static str,
    /// Does it, and checks what must hold meanwhile; what must hold afterwards is checked for all kinds alike.
    pub attempt: fn(&mut Try) -> Outcome,
}

/// Whether a try could be made.
pub enum Outcome {
    /// It was made.
    Made,
    /// It was made, and what must hold afterwards was checked.
    Settled,
    /// It could not, and why.
    Skipped(String),
}

/// All kinds.
pub const KINDS: [&Kind; 10] = [
    &kill::KIND,
    &together::KIND,
    &edit::KIND,
    &vanish::KIND,
    &flip::KIND,
    &garble::KIND,
    &full::KIND,
    &limit::KIND,
    &download::KIND,
    &stream::KIND,
];
