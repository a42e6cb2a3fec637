//! Commands in progress, and what is required of the end of each.

use std::io::{Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Whatever takes longer hangs. Every command here needs less than a second.
const HANGS: Duration = Duration::from_secs(300);

/// The documented exit statuses.
const STATUSES: [i32; 6] = [0, 1, 2, 75, 130, 143];

/// What no output may hold: a panic, an overflow of the stack, memory that ran out.
const ABORTS: [&str; 4] = ["panicked at", "has overflowed its stack", "memory allocation of", "fatal runtime error"];

/// Whether each command is printed when it ends, as is useful for a single try.
pub static TELL: AtomicBool = AtomicBool::new(false);

/// A command in progress.
pub struct Running {
    child: Child,
    words: String,
    said: Vec<JoinHandle<String>>,
    sent: Vec<Signal>,
}

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// What was started.
    pub words: String,
    /// The exit status, or minus the number of the signal that ended it.
    pub status: i32,
    /// What it printed, on standard output and then on standard error.
    pub said: String,
}

impl Running {
    /// Starts a command that reads `input` from a pipe; without it, from nowhere.
    pub fn start(mut command: Command, input: Option<Vec<u8>>) -> Self {
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if let (Some(mut pipe), Some(bytes)) = (child.stdin.take(), input) {
            // The reader may end at any time.
            spawn(move || pipe.write_all(&bytes));
        }
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        Self { child, words: words.join(" "), said: vec![reader(out), reader(err)], sent: Vec::new() }
    }

    /// Sends a signal, which does nothing if the command has ended. Its number is nobody else's before [`Self::end`].
    pub fn signal(&mut self, signal: Signal) {
        let _ = kill_process(Pid::from_child(&self.child), signal);
        self.sent.push(signal);
    }

    /// Waits for the end.
    ///
    /// # Panics
    /// If it hangs, aborts, panics, or ends with a status that is not documented or by a signal that was not sent.
    pub fn end(mut self) -> Ended {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() > HANGS {
                self.child.kill().unwrap();
                panic!("`{}` hangs", self.words);
            }
            sleep(Duration::from_millis(2));
        };
        let said: String = self.said.into_iter().map(|reader| reader.join().unwrap()).collect();
        let killed = std::os::unix::process::ExitStatusExt::signal(&status);
        let ended = Ended { words: self.words, status: status.code().unwrap_or(-killed.unwrap_or(0)), said };
        if TELL.load(Ordering::Relaxed) {
            println!("{ended:#?}");
        }
        let known = match killed {
            None => STATUSES.contains(&ended.status),
            Some(signal) => self.sent.iter().any(|sent| sent.as_raw() == signal),
        };
        assert!(known && !ABORTS.iter().any(|word| ended.said.contains(word)), "{ended:#?}");
        ended
    }
}

impl Ended {
    /// Requires one of these exit statuses.
    pub fn with(self, statuses: &[i32]) -> Self {
        assert!(statuses.contains(&self.status), "none of {statuses:?}: {self:#?}");
        self
    }

    /// Requires that the command printed this.
    pub fn saying(self, text: &str) -> Self {
        assert!(self.said.contains(text), "`{}` does not say `{text}`: {self:#?}", self.words);
        self
    }
}

fn reader(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
