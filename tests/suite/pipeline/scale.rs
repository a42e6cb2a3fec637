//! Memory per cell: what planning, making and summarising take, at a size that takes seconds.
#![cfg(target_os = "linux")]

use std::process::Stdio;
use std::time::Duration;

use super::project::Small;

/// An experiment with so many cells, each of two rounds.
fn grid(cells: usize) -> Small {
    let project = Small::new();
    let text = format!(
        r#"
title = "Grid"
replicates = {}
horizons = [2]
[stream]
law = "kernel-function"
[[learners]]
name = "constant"
label = "constant {{value}}"
value = [0, 1]
"#,
        cells / 2
    );
    project.write("pipeline/experiments/grid.toml", &text);
    project
}

/// The largest resident size of a command in kB, as it was last seen.
fn peak(project: &Small, arguments: &[&str]) -> u64 {
    let mut command = project.command(arguments);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let size = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        peak = peak.max(size.unwrap_or(0));
        if let Some(ended) = child.try_wait().unwrap() {
            assert!(ended.success(), "{arguments:?}: {ended}");
            return peak;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A million cells are planned in about 300 MB.
#[test]
fn a_planned_cell_takes_330_bytes() {
    let cells = 500_000;
    let few = peak(&grid(2), &["run", "-n", "run/grid"]);
    let many = peak(&grid(cells), &["run", "-n", "run/grid"]);
    assert!((many - few) * 1000 < 330 * cells as u64, "{few} kB for two cells, {many} kB for {cells}");
}

/// A hundred thousand cells are made, and summarised, in less than 500 MB.
#[test]
fn a_cell_that_is_made_and_summarised_takes_4_kilobytes() {
    let cells = 3000;
    let project = grid(cells);
    let planned = peak(&project, &["run", "-n", "run/grid"]);
    for target in ["run/grid", "summarise/grid"] {
        let made = peak(&project, &["run", "-j", "2", target]);
        // Threads, and buffers of a fixed size.
        let allowed = planned + 20_000 + 4 * cells as u64;
        assert!(made < allowed, "{target}: {planned} kB to plan, {made} kB to make");
    }
}
