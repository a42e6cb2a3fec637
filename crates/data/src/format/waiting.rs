//! Standard input whose wait for bytes ends when the program is asked to stop, so that what was learnt before can be saved.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::sync_channel;
use std::thread;

use bytes::Bytes;
use noregret_platform::signals::is_stop_requested;

use crate::pieces::{PIECE, Pieces};

/// How many pieces are read ahead.
const AHEAD: usize = 2;

/// A source that another thread reads.
pub(super) struct WaitingReader {
    pieces: Pieces<io::Error>,
    stop: fn() -> bool,
}

impl WaitingReader {
    /// Standard input.
    pub(super) fn stdin() -> io::Result<Self> {
        Self::new(io::stdin(), is_stop_requested)
    }

    /// A source; `stop` is asked while nothing arrives.
    fn new(mut source: impl Read + Send + 'static, stop: fn() -> bool) -> io::Result<Self> {
        let (send, arriving) = sync_channel(AHEAD);
        let read = move || {
            loop {
                let mut piece = vec![0; PIECE];
                let read = match source.read(&mut piece) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    read => read.map(|count| Bytes::from(piece).slice(..count)),
                };
                let last = read.as_ref().map_or(true, Bytes::is_empty);
                if send.send(read).is_err() || last {
                    return;
                }
            }
        };
        thread::Builder::new().name("input".into()).spawn(read)?;
        Ok(Self { pieces: Pieces::new(arriving), stop })
    }
}

impl Read for WaitingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // `ErrorKind::Interrupted` would be tried again.
        let stop = || if (self.stop)() { Err(io::Error::other("interrupted")) } else { Ok(()) };
        self.pieces.read(buffer, stop)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn bytes_are_those_of_the_source() {
        let bytes: Vec<u8> = (0..300_000u32).map(|i| (i % 251) as u8).collect();
        let mut read = Vec::new();
        WaitingReader::new(io::Cursor::new(bytes.clone()), || false).unwrap().read_to_end(&mut read).unwrap();
        assert!(read == bytes);
    }

    #[test]
    fn a_wait_ends_when_the_program_is_to_stop() {
        static STOP: AtomicBool = AtomicBool::new(false);
        let (source, mut writer) = io::pipe().unwrap();
        writer.write_all(b"abc").unwrap();
        let mut reader = WaitingReader::new(source, || STOP.load(Ordering::Relaxed)).unwrap();
        let mut buffer = [0; 8];
        assert_eq!(reader.read(&mut buffer).unwrap(), 3);
        STOP.store(true, Ordering::Relaxed);
        let error = reader.read(&mut buffer).unwrap_err();
        assert_ne!(error.kind(), ErrorKind::Interrupted, "{error}");
    }
}
