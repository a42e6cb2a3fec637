//! Bytes that another thread reads ahead, since a read that has begun cannot be ended: the wait for them can.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use bytes::Bytes;

/// How many bytes a piece has at most.
pub(crate) const PIECE: usize = 1 << 16;

/// How often a wait looks whether the program is to stop.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// The pieces that a thread sends; an empty one, or none any more, is the end.
pub(crate) struct Pieces<E> {
    arriving: Receiver<Result<Bytes, E>>,
    piece: Bytes,
}

impl<E> Pieces<E> {
    /// Those that arrive here.
    pub(crate) fn new(arriving: Receiver<Result<Bytes, E>>) -> Self {
        Self { arriving, piece: Bytes::new() }
    }

    /// Waits for bytes; there are none at the end. `stop` is asked while nothing arrives, and its error ends the wait.
    pub(crate) fn read(&mut self, buffer: &mut [u8], stop: impl Fn() -> Result<(), E>) -> Result<usize, E> {
        while self.piece.is_empty() {
            match self.arriving.recv_timeout(LOOK) {
                Ok(piece) => self.piece = piece?,
                Err(RecvTimeoutError::Timeout) => {
                    stop()?;
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
            if self.piece.is_empty() {
                return Ok(0);
            }
        }
        let taken = self.piece.split_to(buffer.len().min(self.piece.len()));
        buffer[..taken.len()].copy_from_slice(&taken);
        Ok(taken.len())
    }
}
