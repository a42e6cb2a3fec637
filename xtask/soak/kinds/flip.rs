//! Single bits of files change, and size and time stay: what a failing disk does.

use super::{Kind, Outcome};
use crate::attempt::Try;
use crate::damage::{aftermath, some_files};

pub const KIND: Kind = Kind { name: "flip", about: "bits of files flipped, size and time kept", attempt };

fn attempt(this: &mut Try) -> Outcome {
    this.complete();
    some_files(this, 4, false, |this, bytes| {
        if !bytes.is_empty() {
            let at = this.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << this.below(8);
        }
    });
    aftermath(this);
    Outcome::Made
}
