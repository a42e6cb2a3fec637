//! The protocols, and which of them plays a cell.

use crate::protocol::cell::{Cell, Feed, Protocol};
use crate::protocol::design::Design;
use crate::protocol::{adversary, full, noisy};
use crate::stream::spec::Origin;

/// The protocol of a cell: against an adversary; through noisy copies where the stream has noise and the learner is not
/// shown the clean data; with full information otherwise.
pub fn of(design: &Design, cell: &Cell) -> &'static Protocol {
    let stream = &design.streams[cell.stream];
    match (&stream.origin, &stream.noise, cell.feed) {
        (Origin::Adversary { .. }, _, _) => &adversary::PROTOCOL,
        (_, Some(_), Feed::Copies(_)) => &noisy::PROTOCOL,
        _ => &full::PROTOCOL,
    }
}
