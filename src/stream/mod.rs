//! Streams: where rounds come from. One file each, joined in [`registry`].

pub mod api;
