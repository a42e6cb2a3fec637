//! Lets a process play on the processor core of the thread that asks it. Only one of the two works at a time, and waking
//! a core that has gone to sleep, twice a round, takes longer than most rounds do.
//!
//! The thread is bound to its core only while it waits for an answer, so that nothing that it starts is bound too. Of the
//! process only its first thread is bound, and not where that could cost anything: where other threads or processes
//! work for it, where its rounds are long, and where it has chosen its cores itself. Elsewhere than on Linux, nothing is
//! bound.

use super::usage::{Usage, of_thread, threads_of_group};

/// The number of questions before the process is first looked at, and the most from one look to the next. A question with
/// a look is asked by a thread that is not bound, so that the system finds a core that is free for the two.
const LOOKS: std::ops::RangeInclusive<u64> = 256..=4096;

/// From this processor time for an answer, in seconds, it matters little who wakes whom.
const LONG: f64 = 1e-3;

/// What others may work for its first thread, which is bound: in seconds, and as a part of all. The first is what the
/// system's clocks cannot tell from nothing.
const OTHERS: (f64, f64) = (0.03, 0.05);

/// Where a process plays.
pub(super) struct ThreadPlacement {
    process: i32,
    /// The cores that both may use, as long as they may share one.
    allowed: Option<cores::CpuSet>,
    questions: u64,
    first: Option<UsageSample>,
    /// The core of the process, once it is bound.
    core: Option<cores::CpuSet>,
    /// Whether the thread that asks is bound.
    waits: bool,
}

/// What has been used, after so many questions.
#[derive(Clone, Copy)]
struct UsageSample {
    questions: u64,
    /// The processor time of the first thread of the process, in seconds.
    own: f64,
    /// That of its whole group.
    all: f64,
}

impl UsageSample {
    /// Whether the first thread works almost alone, and for a short time, since another look.
    fn is_light(self, since: UsageSample) -> bool {
        let (own, all) = (self.own - since.own, self.all - since.all);
        all <= LONG * (self.questions - since.questions) as f64 && all - own <= OTHERS.0 + OTHERS.1 * all
    }
}

impl ThreadPlacement {
    /// With a process that was just started.
    pub(super) fn with(process: i32) -> Self {
        let allowed = cores::of(None).filter(|allowed| cores::count(allowed) > 1);
        Self { process, allowed, questions: 0, first: None, core: None, waits: false }
    }

    /// Before a question.
    pub(super) fn meet(&mut self) {
        let Some(allowed) = self.allowed else { return };
        self.questions += 1;
        let looks = self.questions.is_power_of_two() || self.questions.is_multiple_of(*LOOKS.end());
        if looks && self.questions >= *LOOKS.start() {
            self.look(allowed);
        } else if let (Some(_), Some(here)) = (self.core, cores::here()) {
            self.waits = self.follows(here) && cores::bind(None, &here);
        }
    }

    /// After the answer, or when none can come.
    pub(super) fn part(&mut self) {
        if let (true, Some(allowed)) = (std::mem::take(&mut self.waits), &self.allowed) {
            cores::bind(None, allowed);
        }
    }

    /// Whether the process is bound to this core.
    fn follows(&mut self, here: cores::CpuSet) -> bool {
        if self.core != Some(here) && cores::bind(Some(self.process), &here) {
            self.core = Some(here);
        }
        self.core == Some(here)
    }

    /// Finds out whether the process is one that should share a core.
    fn look(&mut self, allowed: cores::CpuSet) {
        let process = self.process;
        let unchanged = cores::of(Some(process)) == Some(self.core.unwrap_or(allowed));
        let (Some(own), Some(usage), true) = (of_thread(process, process), Usage::of_group(process), unchanged) else {
            return self.leave(allowed);
        };
        let now = UsageSample { questions: self.questions, own: 1e-9 * own as f64, all: usage.cpu_seconds };
        match (self.first, cores::here()) {
            (None, _) => self.first = Some(now),
            (Some(first), Some(here)) if now.is_light(first) => {
                self.follows(here);
            }
            _ => self.leave(allowed),
        }
    }

    /// Leaves the process to the system for good, with what it has started since it was bound.
    fn leave(&mut self, allowed: cores::CpuSet) {
        if let Some(core) = self.core.take() {
            let bound = |thread: &i32| cores::of(Some(*thread)) == Some(core);
            for thread in threads_of_group(self.process).into_iter().filter(bound) {
                cores::bind(Some(thread), &allowed);
            }
        }
        self.allowed = None;
    }
}

/// The cores that a thread may use. `None` is the thread that calls, also for [`cores::bind`].
#[cfg(target_os = "linux")]
mod cores {
    use rustix::process::Pid;
    pub(super) use rustix::thread::CpuSet;
    use rustix::thread::{sched_getaffinity, sched_getcpu, sched_setaffinity};

    pub(super) fn of(thread: Option<i32>) -> Option<CpuSet> {
        sched_getaffinity(thread.and_then(Pid::from_raw)).ok()
    }

    pub(super) fn bind(thread: Option<i32>, to: &CpuSet) -> bool {
        sched_setaffinity(thread.and_then(Pid::from_raw), to).is_ok()
    }

    /// The core on which the thread that calls is now, alone.
    pub(super) fn here() -> Option<CpuSet> {
        let mut set = CpuSet::new();
        let core = Some(sched_getcpu()).filter(|core| *core < CpuSet::MAX_CPU)?;
        set.set(core);
        Some(set)
    }

    pub(super) fn count(set: &CpuSet) -> u32 {
        set.count()
    }
}
#[cfg(not(target_os = "linux"))]
mod cores {
    pub(crate) type CpuSet = ();

    pub(crate) fn of(_: Option<i32>) -> Option<CpuSet> {
        None
    }

    pub(crate) fn bind(_: Option<i32>, (): &CpuSet) -> bool {
        false
    }

    pub(crate) fn here() -> Option<CpuSet> {
        None
    }

    pub(crate) fn count((): &CpuSet) -> u32 {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

    use super::*;

    /// A shell that answers, and at the word `more` starts another process.
    struct Shell {
        child: Child,
        input: ChildStdin,
        output: BufReader<ChildStdout>,
        together: ThreadPlacement,
    }

    impl Shell {
        fn new() -> Self {
            let script = "while read -r word; do if [ \"$word\" = more ]; then sleep 600 & fi; echo; done";
            let mut command = Command::new("sh");
            let command = command.args(["-c", script]).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
            let together = ThreadPlacement::with(child.id() as i32);
            Self { child, input, output, together }
        }

        /// Asks until it has been asked so often. In between, this thread may use what it could use before.
        fn ask(&mut self, until: u64, word: &str) {
            let before = cores::of(None);
            while self.together.questions < until {
                self.together.meet();
                writeln!(self.input, "{word}").unwrap();
                assert_eq!(self.output.read_line(&mut String::new()).unwrap(), 1);
                self.together.part();
                assert!(cores::of(None) == before);
            }
        }

        /// How many cores each of its threads may use.
        fn counts(&self) -> Vec<u32> {
            let threads = threads_of_group(self.together.process);
            threads.into_iter().map(|thread| cores::count(&cores::of(Some(thread)).unwrap())).collect()
        }
    }

    impl Drop for Shell {
        fn drop(&mut self) {
            let _ = rustix::process::kill_process_group(
                rustix::process::Pid::from_child(&self.child),
                rustix::process::Signal::KILL,
            );
            let _ = self.child.wait();
        }
    }

    #[test]
    fn a_process_plays_on_the_core_of_its_thread_until_it_chooses_another() {
        let several = cores::of(None).map(|allowed| (allowed, cores::count(&allowed))).filter(|(_, all)| *all > 1);
        let Some((allowed, all)) = several else {
            let _ =
                writeln!(std::io::stderr(), "skipped a test of two cores: there is one, or threads cannot be bound");
            return;
        };
        let mut shell = Shell::new();
        shell.ask(511, "");
        assert_eq!(shell.counts(), [all], "not before it is known what it does");
        shell.ask(600, "");
        assert_eq!(shell.counts(), [1]);
        // What it starts is bound with it, until it is left alone: here because it has chosen its cores.
        shell.ask(601, "more");
        assert_eq!(shell.counts(), [1, 1]);
        assert!(cores::bind(Some(shell.together.process), &allowed));
        shell.together.questions = 1023;
        shell.together.look(allowed);
        assert_eq!(shell.counts(), [all, all]);
        shell.together.meet();
        assert!(!shell.together.waits, "for good");
    }

    #[test]
    fn what_works_with_others_or_long_is_left_alone() {
        let since = UsageSample { questions: 256, own: 2.0, all: 3.0 };
        let light = |questions, own, all| UsageSample { questions, own, all }.is_light(since);
        assert!(light(512, 2.01, 3.03), "a child that starts and ends costs nothing");
        assert!(!light(512, 2.01, 3.05), "other threads work");
        assert!(light(100_256, 12.0, 13.04) && !light(100_256, 12.0, 14.0));
        assert!(light(512, 2.2, 3.2) && !light(512, 2.3, 3.3), "the first thread alone, but for long");
    }
}
