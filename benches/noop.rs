//! The processor time that it takes to find that there is nothing to do, with 1,000 and with 100,000 fresh cells:
//! `cargo bench --bench noop`. The aims are 50 ms and 1 s.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use noregret_engine::exec::engine::{RunRequest, run};
use noregret_engine::exec::interrupt::Interrupt;
use noregret_engine::exec::progress::Silent;
use noregret_engine::exec::records::snapshot;
use noregret_engine::exec::store::{ObjectName, ResultStore};
use noregret_engine::plan::key::content;
use noregret_engine::plan::planner::plan;
use noregret_engine::plan::select::select;
use noregret_engine::plan::sources::Current;
use noregret_engine::plan::work::{Facts, Failure, Graph, Item, ItemInput, Job, Need, Product, Stage, Storage, Work};
use rustix::time::{ClockId, clock_gettime};

struct Nothing;

impl Work for Nothing {
    fn label(&self, item: usize) -> String {
        item.to_string()
    }
    fn facts(&self, _: usize) -> Facts {
        Facts { parameters: serde_json::Value::Null, code: std::sync::Arc::default() }
    }
    fn execute(&self, _: usize, _: &dyn Job) -> Result<Product, Failure> {
        Ok(Product::Files(vec![(PathBuf::from("out/data.txt"), b"data".to_vec())]))
    }
}

/// One file, and `cells` cells that read it.
fn graph(cells: usize) -> Graph {
    let item = |n: usize, inputs: Arc<[ItemInput]>| Item { fingerprint: content(&n.to_le_bytes()), inputs };
    let read: Arc<[ItemInput]> = Arc::new([ItemInput { stage: 0, item: Some(0), need: Need::Required }]);
    let stage = |name: &str, items, storage| Stage { name: name.to_owned(), items, work: Arc::new(Nothing), storage };
    Graph {
        stages: vec![
            stage("fetch/data", vec![item(0, Arc::new([]))], Storage::Files),
            stage(
                "run/grid",
                (0..cells).map(|n| item(n, Arc::clone(&read))).collect(),
                Storage::Object { extension: "parquet" },
            ),
        ],
    }
}

/// Fills a store like a run, with a sealed object per cell, but without syncing each, which would take minutes.
fn fill(graph: &Graph, store: &ResultStore) -> Result<(), Box<dyn std::error::Error>> {
    let fetch = RunRequest { targets: vec!["fetch/data".to_owned()], ..RunRequest::default() };
    run(graph, &fetch, store, &Silent, &Interrupt::default())?;
    let plan = plan(graph, &select(graph, &[])?, false, &snapshot(store, false, Some(0.0))?);
    let mut inputs = Current::default();
    inputs.add(0, plan.contents[0][0]);
    let sources = inputs.sources().unwrap_or_default();
    for key in &plan.keys[1] {
        let name = ObjectName::format(key, key, &sources, "parquet");
        let path = store.object_path(&name);
        fs::create_dir_all(path.parent().unwrap_or(store.root()))?;
        fs::write(&path, key)?;
        if let Some(parsed) = ObjectName::parse(&name) {
            fs::File::open(&path)?.set_modified(parsed.seal())?;
        }
    }
    Ok(())
}

fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut kept = true;
    for (cells, bound) in [(1_000, 0.05), (100_000, 1.0)] {
        let folder = tempfile::tempdir()?;
        let store = ResultStore::new(folder.path());
        fill(&graph(cells), &store)?;
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let begin = cpu();
            let summary = run(&graph(cells), &RunRequest::default(), &store, &Silent, &Interrupt::default())?;
            best = best.min((cpu() - begin).as_secs_f64());
            assert!(summary.is_noop() && summary.fresh == cells + 1, "{summary:?}");
        }
        kept &= best < bound;
        println!("{cells:>7} fresh cells: {:8.1} ms of CPU time (bound {:.0} ms)", best * 1e3, bound * 1e3);
    }
    Ok(if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
