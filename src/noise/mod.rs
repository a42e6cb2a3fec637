//! Noise laws and the oracle of the noisy protocol.

pub mod api;
