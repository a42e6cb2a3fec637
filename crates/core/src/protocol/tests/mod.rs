//! The protocols with learners simple enough to be followed by hand.

mod adversary;
mod full;
mod noisy;
mod toys;
