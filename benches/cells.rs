//! By how much the engine makes a run longer for each of 100,000 cells of a millisecond and 22 kB: `cargo bench --bench
//! cells`. The aims are 100 us a cell and fewer than 500 files in the project.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use noregret_engine::exec::engine::{RunRequest, run};
use noregret_engine::exec::interrupt::Interrupt;
use noregret_engine::exec::progress::Silent;
use noregret_engine::exec::store::ResultStore;
use noregret_engine::plan::key::content;
use noregret_engine::plan::work::{Facts, Failure, Graph, Item, Job, Product, Stage, Storage, Work};

/// A cell computes this long, and makes so many bytes.
const CELL: Duration = Duration::from_millis(1);
const BYTES: usize = 22_000;
const CELLS: usize = 100_000;

struct Busy;

impl Work for Busy {
    fn label(&self, item: usize) -> String {
        format!("lambda=1 order=2 replicate={item}")
    }
    fn facts(&self, item: usize) -> Facts {
        Facts { parameters: serde_json::json!({ "replicate": item }), code: Arc::default() }
    }
    fn is_cell(&self) -> bool {
        true
    }
    fn execute(&self, item: usize, _: &dyn Job) -> Result<Product, Failure> {
        let begin = Instant::now();
        let mut state = item as u64;
        let mut bytes = Vec::with_capacity(BYTES);
        while bytes.len() < BYTES {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            bytes.extend(state.to_le_bytes());
        }
        while begin.elapsed() < CELL {
            std::hint::spin_loop();
        }
        Ok(Product::Object { bytes, measurements: None })
    }
}

fn graph() -> Graph {
    let item = |n: usize| Item { fingerprint: content(&n.to_le_bytes()), inputs: Arc::new([]) };
    let storage = Storage::Object { extension: "parquet" };
    let stage = Stage { name: "run/grid".into(), items: (0..CELLS).map(item).collect(), work: Arc::new(Busy), storage };
    Graph { stages: vec![stage] }
}

/// The number of files below a folder.
fn files(folder: &Path) -> std::io::Result<usize> {
    let mut count = 0;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        count += if path.is_dir() { files(&path)? } else { 1 };
    }
    Ok(count)
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir_in(".")?;
    let store = ResultStore::new(folder.path());
    let mut kept = true;
    for jobs in [1, std::thread::available_parallelism()?.get()] {
        std::fs::remove_dir_all(folder.path().join("results")).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
        let request = RunRequest { jobs, ..RunRequest::default() };
        let begin = Instant::now();
        let summary = run(&graph(), &request, &store, &Silent, &Interrupt::default())?;
        let seconds = begin.elapsed().as_secs_f64();
        assert_eq!(summary.made.len(), CELLS, "{:?}", summary.failed.first());
        let beyond = (seconds - CELLS as f64 * CELL.as_secs_f64() / jobs as f64) / CELLS as f64;
        let files = files(folder.path())?;
        kept &= beyond < 1e-4 && files < 500;
        println!(
            "{CELLS} cells on {jobs} threads: {seconds:.1} s, {:.0} us beyond the work of each, {files} files",
            beyond * 1e6
        );
    }
    Ok(if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
