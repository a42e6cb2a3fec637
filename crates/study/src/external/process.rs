//! The process of a learner. It is in a process group of its own, which ends with the run, whatever becomes of this
//! program, and so do children of it that have left the group; it works in an empty folder; and it has limited time for
//! every answer.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::io::ioctl_fionread;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use tempfile::TempDir;

use super::isolation;
use super::readable::Readable;
use super::stderr::Complaints;
use super::together::ThreadPlacement;
use super::usage::{Usage, of_threads, with_variable};
use super::wire::{LONGEST_LINE, ProcessTrouble, shown};

/// Starts the command once its group is guarded. If this program ends before, the pipe is closed and nothing starts.
const LAUNCHER: &str = r#"read -r _ && exec "$@""#;

/// Waits until this program says that the process has ended. If the pipe is closed without a word, this program is gone,
/// whatever ended it; then the guard ends the group, and what has left it. In both cases it removes the folder, because this program
/// may be ended before it does.
const GUARD: &str = r#"read -r group
read -r _ || {
    kill -s KILL -- "-$group"
    for process in /proc/[0-9]*; do
        tr '\0' '\n' <"$process/environ" | grep -qxF "NOREGRET_LEARNER=$1" && kill -s KILL "${process#/proc/}"
    done
}
rm -rf -- "$1""#;

/// What to do for a process that may not do what it has to.
const ISOLATED: &str = "it is isolated: name the files that decide its answers in `files` of its declaration, and what else it needs in \
                        `reads`, which is in no key";

/// The variable by which children that have left the group are known. Its value is the folder of the process.
const MARK: &str = "NOREGRET_LEARNER";

/// How often the time of an answer is looked at.
const TICK: Duration = Duration::from_millis(20);

/// How long a process that has closed its output may take to end.
const ENDS_WITHIN: Duration = Duration::from_millis(500);

/// A running process.
pub struct Process {
    child: Child,
    group: Pid,
    input: Option<ChildStdin>,
    output: ChildStdout,
    complaints: Option<Complaints>,
    /// What was read and not yet used.
    unread: Vec<u8>,
    clock: Watchdog,
    together: ThreadPlacement,
    guard: Option<(Child, ChildStdin)>,
    folder: TempDir,
    isolated: bool,
}

impl Process {
    /// Starts a command. If processes can be isolated here, it may read this and no more; without it, all that its user can.
    ///
    /// # Errors
    /// The process, its guard or its folder cannot be made.
    pub fn start(words: &[OsString], readable: Option<&Readable>) -> Result<Self, ProcessTrouble> {
        let failed = |error: std::io::Error| ProcessTrouble::Failure(format!("cannot start its process: {error}"));
        let folder = tempfile::Builder::new().prefix("noregret-learner-").tempdir().map_err(failed)?;
        let shell = |script: &str| {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", script, "sh"]).process_group(0).stdin(Stdio::piped());
            shell
        };
        let mut guard = shell(GUARD);
        let mut guard = guard.arg(folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(failed)?;
        let mut launcher = shell(LAUNCHER);
        launcher
            .args(words)
            .current_dir(folder.path())
            .env(MARK, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let isolated = readable.filter(|_| isolation::possible().is_ok());
        let child = match isolated {
            Some(readable) => isolation::spawn(launcher.env("TMPDIR", folder.path()), readable, folder.path()),
            None => launcher.spawn(),
        };
        let mut child = child.map_err(failed)?;
        let (Some(input), Some(output), Some(mut line), Some(group)) =
            (child.stdin.take(), child.stdout.take(), guard.stdin.take(), Pid::from_raw(child.id() as i32))
        else {
            return Err(ProcessTrouble::Failure("its process has no pipes".into()));
        };
        let complaints = child.stderr.take().map(Complaints::of);
        let (clock, together) = (Watchdog::new(group), ThreadPlacement::with(group.as_raw_nonzero().get()));
        let guarded = writeln!(line, "{}", group.as_raw_nonzero()).and_then(|()| line.flush());
        let unread = Vec::new();
        let guard = Some((guard, line));
        let (input, isolated) = (Some(input), isolated.is_some());
        let mut process =
            Self { child, group, input, output, complaints, unread, clock, together, guard, folder, isolated };
        guarded.map_err(failed)?;
        process.write(b"go\n")?;
        Ok(process)
    }

    /// From now on, each answer may take so long.
    pub fn allow(&mut self, limit: Duration) {
        self.clock.limit = limit;
    }

    /// Sends a message that has an answer.
    ///
    /// # Errors
    /// The process has written something that nobody asked for, or has ended.
    pub fn ask(&mut self, message: &[u8]) -> Result<(), ProcessTrouble> {
        if ioctl_fionread(&self.output).is_ok_and(|waiting| waiting > 0) {
            self.fill()?;
            return Err(self.early());
        }
        self.clock.start();
        self.together.meet();
        self.write(message)
    }

    /// Sends a message that has no answer.
    ///
    /// # Errors
    /// The process has ended.
    pub(crate) fn tell(&mut self, message: &[u8]) -> Result<(), ProcessTrouble> {
        self.clock.start();
        let sent = self.write(message);
        self.clock.stop();
        sent
    }

    /// The line that answers, without its end.
    ///
    /// # Errors
    /// There is none in time, it is too long, more than it came, or the process has ended.
    pub fn line(&mut self) -> Result<Vec<u8>, ProcessTrouble> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.unread[searched..].iter().position(|byte| *byte == b'\n') {
                let mut line = std::mem::take(&mut self.unread);
                self.unread = line.split_off(searched + end + 1);
                line.pop();
                return self.answered().map(|()| line);
            }
            searched = self.unread.len();
            if searched > LONGEST_LINE {
                let begins = shown(&self.unread);
                return Err(self.stopped(format!("it wrote a line of more than {LONGEST_LINE} bytes: `{begins}`")));
            }
            self.fill()?;
        }
    }

    /// The numbers of 64 bits that answer, as many as `numbers` holds.
    ///
    /// # Errors
    /// As [`Process::line`].
    pub fn numbers(&mut self, numbers: &mut [f64]) -> Result<(), ProcessTrouble> {
        while self.unread.len() < 8 * numbers.len() {
            self.fill()?;
        }
        let (eights, _) = self.unread.as_chunks::<8>();
        numbers.iter_mut().zip(eights).for_each(|(number, eight)| *number = f64::from_le_bytes(*eight));
        self.unread.drain(..8 * numbers.len());
        self.answered()
    }

    /// What the process and its children have used so far.
    pub(crate) fn usage(&self) -> Option<Usage> {
        Usage::of_group(self.group.as_raw_nonzero().get())
    }

    /// The processor time of the process itself so far, in nanoseconds.
    pub(crate) fn spent(&self) -> Option<u64> {
        of_threads(self.group.as_raw_nonzero().get())
    }

    /// The last lines of its standard error. It is given a moment to end, if its input is closed.
    pub(crate) fn complaints(&self) -> Vec<String> {
        self.complaints.as_ref().map_or_else(Vec::new, |complaints| complaints.lines(self.input.is_none()))
    }

    /// Closes its input, and lets it end by itself for a moment.
    pub(crate) fn close(&mut self) {
        self.input = None;
        self.ends();
    }

    fn write(&mut self, message: &[u8]) -> Result<(), ProcessTrouble> {
        let sent = self.input.as_mut().is_some_and(|input| input.write_all(message).is_ok());
        if sent { Ok(()) } else { Err(self.gone()) }
    }

    fn fill(&mut self) -> Result<(), ProcessTrouble> {
        let mut bytes = [0; 1 << 14];
        loop {
            match self.output.read(&mut bytes) {
                Ok(0) => return Err(self.gone()),
                Ok(count) => {
                    self.unread.extend_from_slice(&bytes[..count]);
                    return Ok(());
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.stopped(format!("cannot read what it writes: {error}"))),
            }
        }
    }

    /// Stops the clock after an answer. Nothing may follow it.
    fn answered(&mut self) -> Result<(), ProcessTrouble> {
        self.clock.stop();
        self.together.part();
        if self.unread.is_empty() { Ok(()) } else { Err(self.early()) }
    }

    fn early(&mut self) -> ProcessTrouble {
        let written = shown(&self.unread);
        self.stopped(format!("it wrote `{written}` before it was asked: each message has one answer"))
    }

    /// Why the process no longer reads or writes.
    fn gone(&mut self) -> ProcessTrouble {
        self.clock.stop();
        if self.clock.watch.late.load(Ordering::Relaxed) {
            let limit = self.clock.limit.as_secs_f64();
            return self.stopped(format!("it did not answer within {limit} s (does it flush what it writes?)"));
        }
        let ended = self.ends();
        let how = match self.end().filter(|_| ended) {
            None => "it closed its output".to_owned(),
            Some(status) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("its process ended with status {code}"),
                (None, signal) => format!("its process was ended by signal {}", signal.unwrap_or_default()),
            },
        };
        self.stopped(format!("{how} before the run did"))
    }

    /// A failure, with the end of what the process wrote to its standard error. The process ends with it.
    fn stopped(&mut self, what: String) -> ProcessTrouble {
        self.end();
        let lines = self.complaints();
        let last = lines[lines.len().saturating_sub(3)..].join(" | ");
        let said = if last.is_empty() { what } else { format!("{what}; its standard error ends with: {last}") };
        let denied = self.isolated && lines.iter().any(|line| line.to_lowercase().contains("permission denied"));
        ProcessTrouble::Failure(if denied { format!("{said}; {ISOLATED}") } else { said })
    }

    /// Whether the process ends within a moment. It stays there to be waited for, so that its id is not used again.
    fn ends(&self) -> bool {
        let since = Instant::now();
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let mut pause = Duration::from_micros(100);
        loop {
            match waitid(WaitId::Pid(self.group), options) {
                Ok(None) if since.elapsed() < ENDS_WITHIN => thread::sleep(pause),
                Ok(None) => return false,
                _ => return true,
            }
            pause = (2 * pause).min(TICK);
        }
    }

    /// Ends the whole group, and then waits for the process: until then no other can get its id. How it ended.
    fn end(&mut self) -> Option<ExitStatus> {
        self.clock.stop();
        self.together.part();
        self.input = None;
        if let Some((mut guard, mut line)) = self.guard.take() {
            let _ = kill_process_group(self.group, Signal::KILL);
            for one in with_variable(MARK, self.folder.path().as_os_str()).into_iter().filter_map(Pid::from_raw) {
                let _ = kill_process(one, Signal::KILL);
            }
            let _ = line.write_all(b"ended\n");
            drop(line);
            let _ = guard.wait();
        }
        self.child.wait().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// Ends the group of a process that takes too long.
struct Watchdog {
    limit: Duration,
    began: Instant,
    watch: Arc<Deadline>,
    watcher: Option<JoinHandle<()>>,
}

/// What the thread that watches the time knows.
#[derive(Default)]
struct Deadline {
    /// When the answer is late, in nanoseconds from the beginning; 0 while none is awaited.
    until: AtomicU64,
    /// Whether one was late.
    late: AtomicBool,
    /// Whether to end.
    over: AtomicBool,
}

impl Watchdog {
    fn new(group: Pid) -> Self {
        let (watch, began) = (Arc::new(Deadline::default()), Instant::now());
        let of = watch.clone();
        let watcher = thread::spawn(move || {
            while !of.over.load(Ordering::Acquire) {
                let until = of.until.load(Ordering::Acquire);
                if until != 0 && nanoseconds(began.elapsed()) > until {
                    of.late.store(true, Ordering::Release);
                    let _ = kill_process_group(group, Signal::KILL);
                    return;
                }
                thread::park_timeout(TICK);
            }
        });
        Self { limit: Duration::MAX, began, watch, watcher: Some(watcher) }
    }

    fn start(&self) {
        let until = self.began.elapsed().saturating_add(self.limit);
        self.watch.until.store(nanoseconds(until), Ordering::Release);
    }

    fn stop(&self) {
        self.watch.until.store(0, Ordering::Release);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.watch.over.store(true, Ordering::Release);
        if let Some(watcher) = self.watcher.take() {
            watcher.thread().unpark();
            let _ = watcher.join();
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1)
}
