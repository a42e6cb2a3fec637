//! Memory does not grow with the file.

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
