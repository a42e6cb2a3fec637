//! A million rounds with 18 inputs from a prepared file, through the program itself.

use std::error::Error;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use noregret_data::stored::to_parquet;
use noregret_data::table::DataTable;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

use crate::Line;

const ROUNDS: usize = 1_000_000;
const DIM: usize = 18;

/// Prints the times; returns the lines of time and memory.
pub fn run() -> Vec<Line> {
    match measure() {
        Ok((wall, cpu, memory)) => {
            println!(
                "\n{ROUNDS} rounds with {DIM} inputs, pkrr-taylor of order 2, by `noregret stream`: {wall:.2} s on the clock, \
                 {cpu:.2} s of processor time, at most {memory:.0} MiB resident"
            );
            vec![
                Line::new("1,000,000 rounds, 18 inputs, PKRR r = 190: processor time", true, 10.0, cpu, " s"),
                Line::new("the same: resident memory", true, 1024.0, memory, " MiB"),
            ]
        }
        Err(error) => {
            println!("\na million rounds: {error}");
            Vec::new()
        }
    }
}

/// Wall-clock seconds, seconds of processor time, MiB.
fn measure() -> Result<(f64, f64, f64), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("rounds.parquet");
    fs::write(&file, to_parquet(&table(), &[])?)?;
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_noregret"))
        .args(["stream", "--learner", "pkrr-taylor", "--set", "order=2", "--target", "y", "--input"])
        .arg(&file)
        .stdout(Stdio::null())
        .spawn()?;
    let (mut cpu, mut memory) = (0.0, 0.0);
    let status = loop {
        // The last numbers of the system before the process ended.
        let about = |what: &str| fs::read_to_string(format!("/proc/{}/{what}", child.id())).ok();
        if let Some(peak) = about("status").and_then(|text| peak(&text)) {
            memory = peak;
        }
        if let Some(spent) = about("stat").and_then(|text| ticks(&text)) {
            // Linux counts in hundredths of a second, regardless of its own clock.
            cpu = spent / 100.0;
        }
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let wall = start.elapsed().as_secs_f64();
    if status.success() { Ok((wall, cpu, memory)) } else { Err(format!("noregret stream ended with {status}").into()) }
}

/// The peak of the resident memory, in MiB.
fn peak(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? / 1024.0)
}

/// User and system time.
fn ticks(stat: &str) -> Option<f64> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?)
}

fn table() -> DataTable {
    let mut draw = Draws::named(&["bench", "million"]).at(Role::Example, 0);
    let mut inputs = Matrix::zeros(ROUNDS, DIM);
    inputs.data_mut().iter_mut().for_each(|x| *x = draw.uniform());
    let targets = inputs.view().iter().map(|x| x.iter().sum::<f64>().sin()).collect();
    DataTable {
        input_names: (1..=DIM).map(|k| format!("x{k}")).collect(),
        target_name: "y".into(),
        inputs: inputs.into(),
        targets,
    }
}
