//! Memory does not grow with the file, and nothing is left behind.

/// The copy of a pipe that is read twice has no name, so that not even a kill leaves it behind.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_stream_leaves_no_copy_of_its_pipe() {
    use std::io::Write;
    use std::process::Stdio;
    use std::time::Duration;

    use super::*;

    let folder = tempfile::tempdir().unwrap();
    let args = ["--input", "-", "--scale", "unit", "--output", "/dev/null"];
    let mut child = command(&[&RIDGE[..], &args].concat());
    let mut child = child.env("TMPDIR", folder.path()).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"a,b,y\n1,2,3\n").unwrap();
    // It waits for the rest of the pipe, with the copy open and nothing in the folder.
    let descriptors = format!("/proc/{}/fd", child.id());
    let nameless = || {
        let files = fs::read_dir(&descriptors).unwrap();
        let mut files = files.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
        files.any(|file| file.starts_with(folder.path())) && fs::read_dir(folder.path()).unwrap().count() == 0
    };
    let patience = 4000;
    let waited =
        (0..patience).take_while(|_| !nameless()).map(|_| std::thread::sleep(Duration::from_millis(5))).count();
    assert!(waited < patience, "a copy stands under a name while its pipe is read");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Feeds two million rows (about 40 MB of text, 48 MB of numbers) through a pipe and compares the process's largest
/// resident size after a twentieth of them with that near the end. A pipe holds 64 kB, so nearly all rows were read
/// then.
#[cfg(target_os = "linux")]
#[test]
fn a_long_stream_takes_no_more_memory_than_a_short_one() {
    use std::io::Write;
    use std::process::Stdio;

    use super::*;

    let args = ["--input", "-", "--output", "/dev/null", "--set", "order=1"];
    let mut child =
        command(&[&RIDGE[..], &args].concat()).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let resident_kb = |child: &std::process::Child| -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let (block, blocks) = (10_000, 200);
    let mut rows = String::new();
    for i in 0..block {
        let a = f64::from(i % 97) / 97.0;
        rows += &format!("{a:.6},{:.6},{:.3}\n", 1.0 - a * a, a - 0.5);
    }
    pipe.write_all(b"a,b,y\n").unwrap();
    let mut early = 0;
    for i in 1..=blocks {
        pipe.write_all(rows.as_bytes()).unwrap();
        if i == blocks / 20 {
            early = resident_kb(&child);
        }
    }
    let late = resident_kb(&child);
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).starts_with("2000000 rounds, "), "{}", stderr(&output));
    assert!(late < early + 4_000, "{early} kB after a twentieth, {late} kB at the end");
}

/// A stream that waits for its input never asks whether it was interrupted, and its last message may find no reader.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_stream_that_waits() {
    use std::io::Write;
    use std::process::Stdio;

    use rustix::process::Signal;

    use super::*;
    use crate::pipeline::project::signalled;

    // A pipe that nobody reads, and that is full.
    let (_reader, full) = std::io::pipe().unwrap();
    let mut filling = full.try_clone().unwrap();
    std::thread::spawn(move || while filling.write_all(&[b' '; 4096]).is_ok() {});
    let read = Stdio::piped;
    for (signal, status, stderr) in
        [(Signal::TERM, 143, read()), (Signal::INT, 130, read()), (Signal::TERM, 143, full.into())]
    {
        let mut child = command(&[&RIDGE[..], &["--input", "-", "--output", "/dev/null"]].concat());
        let mut child = child.stdin(Stdio::piped()).stderr(stderr).spawn().unwrap();
        // It catches signals as soon as it has a thread for them.
        let tasks = format!("/proc/{}/task", child.id());
        let caught = || {
            let mut names =
                fs::read_dir(&tasks).unwrap().map(|task| fs::read_to_string(task.unwrap().path().join("comm")));
            names.any(|name| name.is_ok_and(|name| name.trim() == "signals"))
        };
        assert_eq!(signalled(&mut child, signal, caught), Some(status));
    }
}

/// A signal finds a stream that waits for its next row: what it has played is written and saved, and goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_loses_no_round_of_a_stream_that_waits() {
    use std::io::Write;
    use std::process::Stdio;

    use rustix::process::Signal;

    use super::*;
    use crate::pipeline::project::signalled;

    let folder = Folder::new();
    let path = |name: &str| folder.path(name).to_str().unwrap().to_owned();
    let text = table(300);
    let whole = stream(&[&RIDGE[..], &["--live", "--input", &folder.file("all.csv", &text)]].concat());
    let partial = folder.path("rounds.csv.partial");
    let lines = |path: &Path| fs::read_to_string(path).map_or(0, |text| text.lines().count());
    for (signal, status) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let (output, model) = (path("rounds.csv"), path("model"));
        let mut child = command(&[&RIDGE[..], &["--input", "-", "--output", &output, "--save", &model]].concat());
        let mut child = child.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // The names of the columns, 200 rows, and half of a row.
        let rows: String = text.lines().take(201).map(|line| format!("{line}\n")).collect();
        pipe.write_all((rows + "0.5,0.").as_bytes()).unwrap();
        assert_eq!(signalled(&mut child, signal, || lines(&partial) == 201), Some(status));
        let played = parse(&fs::read(&output).unwrap());
        assert!(played == parse(&whole.stdout)[..200], "{} rounds, or others", played.len());
        // The model goes on as if nothing had happened.
        let rest = format!("a,b,y\n{}", text.split_inclusive('\n').skip(201).collect::<String>());
        let on = stream(&["--live", "--load", &model, "--input", &folder.file("rest.csv", rest)]);
        assert!(parse(&on.stdout) == parse(&whole.stdout)[200..], "the rounds after it");
        fs::remove_file(&output).unwrap();
    }
}

/// A product of matrices reserves no buffer that follows the size of the machine's last cache, neither for few rows nor,
/// where the address space is limited, for many; the rounds have the same bits.
#[cfg(target_os = "linux")]
#[test]
fn small_streams_need_little_address_space() {
    use std::process::Command;

    use super::*;

    let folder = Folder::new();
    for (inputs, rows) in [(2, 3), (18, 3), (9, 700)] {
        let names: Vec<String> = (0..inputs).map(|i| format!("x{i}")).collect();
        let mut text = format!("{},y\n", names.join(","));
        for row in 0..rows {
            let values = (0..inputs).map(|i| ((row * 7 + i * i) % 11).to_string()).collect::<Vec<_>>();
            text += &format!("{},{}\n", values.join(","), row % 5);
        }
        let input = folder.file("rows.csv", text);
        for learner in ["pkrr-taylor", "pkawv-taylor", "kernel-awv"] {
            let args = ["stream", "--learner", learner, "--input", &input, "--target", "y", "--scale", "unit"];
            let free = Command::new(env!("CARGO_BIN_EXE_noregret")).args(args).output().unwrap();
            let mut limited = Command::new("sh");
            let within = r#"ulimit -v 307200 && exec "$0" "$@""#;
            let limited = limited.args(["-c", within, env!("CARGO_BIN_EXE_noregret")]).args(args).output().unwrap();
            assert!(limited.status.success(), "{learner}, {inputs} inputs, {rows} rows: {}", stderr(&limited));
            assert!(free.stdout == limited.stdout, "{learner}, {inputs} inputs, {rows} rows");
        }
    }
}
