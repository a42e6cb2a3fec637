//! The page of one learner over one file: what `noregret stream --report` writes. It is one file that needs no other.

mod panels;
pub mod story;
pub mod write;
