//! What a process writes to its standard error: the end of it is kept.

use std::collections::VecDeque;
use std::io::Read;
use std::process::ChildStderr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How many bytes are kept.
const KEPT: usize = 8 << 10;

/// Reads what a process complains about, so that it never waits for a reader.
pub(super) struct Complaints {
    kept: Arc<Mutex<VecDeque<u8>>>,
    reader: JoinHandle<()>,
}

impl Complaints {
    /// Begins to read.
    pub(super) fn of(mut from: ChildStderr) -> Self {
        let kept: Arc<Mutex<VecDeque<u8>>> = Arc::default();
        let into = kept.clone();
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                let mut kept = into.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&bytes[..count]);
                let surplus = kept.len().saturating_sub(KEPT);
                kept.drain(..surplus);
            }
        });
        Self { kept, reader }
    }

    /// The last lines so far. After the end of the process, `wait` for what is still on its way.
    pub(super) fn lines(&self, wait: bool) -> Vec<String> {
        // A process that is no longer in the group may hold the pipe open, so the wait is short.
        for _ in 0..if wait { 50 } else { 0 } {
            if self.reader.is_finished() {
                break;
            }
            thread::sleep(Duration::from_millis(2));
        }
        let kept: Vec<u8> = self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let text = String::from_utf8_lossy(&kept);
        let plain = |line: &str| line.chars().filter(|c| !c.is_control()).collect::<String>();
        text.lines().map(plain).filter(|line| !line.trim().is_empty()).collect()
    }
}
