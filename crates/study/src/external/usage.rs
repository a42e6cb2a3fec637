//! What the processes of a group have used, and which ones have a variable, from /proc; nothing where there is none.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use noregret_platform::machine::clock_ticks;

/// Processor time and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    /// Processor time, in seconds.
    pub cpu_seconds: f64,
    /// The sum of the most memory that each process held, in bytes.
    pub(crate) peak_bytes: u64,
}

impl Usage {
    /// That of the processes of a group that are there now, with the processor time of their children that have ended.
    pub(crate) fn of_group(group: i32) -> Option<Self> {
        let processes = fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| {
            let folder = entry.path();
            let id = entry.file_name().to_str()?.parse::<i32>().ok()?;
            let ticks = ticks_in(&fs::read_to_string(folder.join("stat")).ok()?, group)?;
            let peak = peak_in(&fs::read_to_string(folder.join("status")).ok()?).unwrap_or(0);
            Some((id, ticks, peak))
        });
        let second = clock_ticks() as f64;
        let sum = |sum: Usage, (_, ticks, peak): (i32, u64, u64)| Usage {
            cpu_seconds: sum.cpu_seconds + ticks as f64 / second,
            peak_bytes: sum.peak_bytes + peak,
        };
        let found = processes.fold((0, Usage::default()), |(count, all), one| (count + 1, sum(all, one)));
        (found.0 > 0).then_some(found.1)
    }
}

/// The processor time of the threads of one process so far, in nanoseconds.
pub(super) fn of_threads(process: i32) -> Option<u64> {
    Some(threads_of(process)?.filter_map(|thread| of_thread(process, thread)).sum())
}

/// The processor time of one of them.
pub(super) fn of_thread(process: i32, thread: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/task/{thread}/schedstat")).ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// The threads of the processes of a group.
pub(super) fn threads_of_group(group: i32) -> Vec<i32> {
    let in_group = |process: &i32| {
        fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| ticks_in(&stat, group).is_some())
    };
    let processes = numbered(Path::new("/proc")).into_iter().flatten();
    processes.filter(in_group).filter_map(threads_of).flatten().collect()
}

fn threads_of(process: i32) -> Option<impl Iterator<Item = i32>> {
    numbered(Path::new(&format!("/proc/{process}/task")))
}

/// The numbers among the names in a folder.
fn numbered(folder: &Path) -> Option<impl Iterator<Item = i32> + use<>> {
    Some(fs::read_dir(folder).ok()?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()))
}

/// The processes that were started with this variable in their environment.
pub(super) fn with_variable(name: &str, value: &OsStr) -> Vec<i32> {
    let wanted = [name.as_bytes(), b"=", value.as_encoded_bytes()].concat();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let marked = entries.filter_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let all = fs::read(entry.path().join("environ")).ok()?;
        all.split(|byte| *byte == 0).any(|one| one == wanted).then_some(id)
    });
    marked.collect()
}

/// The processor time in the text of /proc/ID/stat, in ticks, if the process is in the group.
fn ticks_in(stat: &str, group: i32) -> Option<u64> {
    // The name, in parentheses, may contain anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    if fields.get(2)?.parse() != Ok(group) {
        return None;
    }
    fields.get(11..15)?.iter().map(|ticks| ticks.parse::<u64>().ok()).sum()
}

/// The most memory that was held, in the text of /proc/ID/status.
fn peak_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_texts_are_read() {
        let stat = "12 (a (b) c) S 1 12 12 0 -1 4194304 1 2 3 4 50 6 7 8 20 0 1 0 9";
        assert_eq!(ticks_in(stat, 12), Some(71));
        assert_eq!(ticks_in(stat, 13), None);
        assert_eq!(ticks_in("12 (a", 12), None);
        assert_eq!(peak_in("Name:\ta\nVmHWM:\t    2048 kB\n"), Some(2 << 20));
        assert_eq!(peak_in("Name:\ta\n"), None);
    }
}
