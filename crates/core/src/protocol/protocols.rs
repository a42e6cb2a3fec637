//! The protocols, and which of them plays a cell.

use crate::protocol::cell::{Cell, Feed, Protocol};
use crate::protocol::design::Design;
use crate::protocol::{adversary, full, noisy};
use crate::stream::spec::Origin;

/// The protocol of a cell: [`adversary`] if its stream is an adversary; [`noisy`] if the stream has noise and the
/// learner is not shown the clean data; [`full`] otherwise.
pub fn of(design: &Design, cell: &Cell) -> &'static Protocol {
    let stream = &design.streams[cell.stream];
    match (&stream.origin, &stream.noise, cell.feed) {
        (Origin::Adversary { .. }, _, _) => &adversary::PROTOCOL,
        (_, Some(_), Feed::Copies(_)) => &noisy::PROTOCOL,
        _ => &full::PROTOCOL,
    }
}
