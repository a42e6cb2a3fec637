//! Files are cut short, emptied, overwritten with noise, or continued with it.

use super::{Kind, Outcome};
use crate::attempt::Try;
use crate::damage::{aftermath, some_files};

pub const KIND: Kind = Kind { name: "garble", about: "files cut short, emptied or overwritten with noise", attempt };

fn attempt(this: &mut Try) -> Outcome {
    this.complete();
    let openly = this.below(2) == 0;
    some_files(this, 4, openly, |this, bytes| {
        let length = bytes.len() as u64;
        match this.below(4) {
            0 => bytes.truncate(this.below(length + 1) as usize),
            1 => bytes.clear(),
            2 => *bytes = this.noise(length),
            _ => {
                let more = 1 + this.below(100);
                bytes.extend(this.noise(more));
            }
        }
    });
    aftermath(this);
    Outcome::Made
}
