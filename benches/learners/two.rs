//! The speed-up of two threads on two cores, for one exact learner that shares its products and for a grid of cells.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use noregret_core::protocol::full;
use noregret_core::protocol::run::RunOptions;
use noregret_core::stream::table::{Examples, TableSource};
use noregret_engine::exec::engine::{RunRequest, run};
use noregret_engine::exec::interrupt::Interrupt;
use noregret_engine::exec::progress::Silent;
use noregret_engine::exec::store::ResultStore;
use noregret_engine::plan::key::content;
use noregret_engine::plan::work::{Facts, Failure, Graph, Item, Job, Product, Stage, Storage, Work};
use noregret_numeric::draw::Draws;

use crate::Line;
use crate::common::{self, BLOCK, best, busiest_thread, data, play, process_seconds, product_rate, seconds};

/// Rounds of the exact learner.
const ROUNDS: usize = 20_000;

/// Kernel-AWV on two threads compared with matrix products on both cores at once, at n^3 / 3 operations.
pub fn exact() -> Vec<Line> {
    let both = || {
        thread::scope(|scope| {
            let other = scope.spawn(|| product_rate(10));
            product_rate(10) + other.join().unwrap_or(0.0)
        })
    };
    let (inputs, targets) = data(9, ROUNDS);
    let before = both();
    let mut learner = common::full("kernel-awv", "", 9, ROUNDS);
    let (mut wall, mut cpu) = (0.0, 0.0);
    let busiest = busiest_thread(|| {
        (cpu, wall) = process_seconds(|| play(&mut *learner, &inputs, &targets, BLOCK));
    });
    let products = before.max(both());
    let flops = (ROUNDS as f64).powi(3) / 3.0;
    let share = |seconds: f64| 100.0 * flops / seconds / products;
    println!(
        "\nkernel-awv, {ROUNDS} rounds on two threads: {wall:.1} s on the clock, {cpu:.1} s of processor time, {busiest:.1} s \
         of it by the busiest thread; matrix products on both cores {:.1} Gflop/s, {:.0} % of them by the clock, {:.0} % by \
         the busiest thread",
        products / 1e9,
        share(wall),
        share(busiest)
    );
    let what = format!("kernel-awv, n = {ROUNDS}: share of gemm on two cores, by processor time");
    vec![Line::new(what, false, 60.0, share(busiest), " %")]
}

/// The number of cells of the grid. Every fourth has the same learner.
const CELLS: usize = 64;

/// The learners of the cells, with their parameters.
const LEARNERS: [(&str, &str); 4] =
    [("pkrr-taylor", "order = 3"), ("fogd", "features = 500"), ("kernel-ogd", ""), ("kernel-awv", "")];

struct Grid {
    examples: Arc<Examples>,
    /// Processor time of each thread.
    spent: Mutex<HashMap<ThreadId, f64>>,
}

impl Work for Grid {
    fn label(&self, item: usize) -> String {
        item.to_string()
    }

    fn facts(&self, _: usize) -> Facts {
        Facts { parameters: serde_json::Value::Null, code: std::sync::Arc::default() }
    }

    fn is_cell(&self) -> bool {
        true
    }

    fn execute(&self, item: usize, _: &dyn Job) -> Result<Product, Failure> {
        let (name, toml) = LEARNERS[item % LEARNERS.len()];
        let mut bytes = Vec::new();
        let spent = seconds(|| bytes = self.cell(item, name, toml));
        *self.spent.lock().expect("no panic before").entry(thread::current().id()).or_default() += spent;
        Ok(Product::Object { bytes, measurements: None })
    }
}

impl Grid {
    fn cell(&self, item: usize, name: &str, toml: &str) -> Vec<u8> {
        let (rounds, dim) = (self.examples.targets().len(), self.examples.inputs().cols());
        let mut learner = common::full(name, toml, dim, rounds);
        let draws = Draws::named(&["grid", &item.to_string()]);
        let source = TableSource::shuffled(self.examples.clone(), &draws);
        let record = full::play(&mut *learner, &source, &draws, &draws, &RunOptions::new(rounds as u64), &|| false);
        let losses =
            record.expect("no interruption").checkpoints.iter().map(|at| at.cumulative_loss).collect::<Vec<_>>();
        losses.iter().flat_map(|loss| loss.to_le_bytes()).collect()
    }
}

/// The runner of `noregret run` on 64 cells over the same data, with one thread and with two.
pub fn grid() -> Vec<Line> {
    let (inputs, targets) = data(9, 2500);
    let Some(examples) = Examples::new(inputs, targets) else { return Vec::new() };
    let grid = Arc::new(Grid { examples: Arc::new(examples), spent: Mutex::default() });
    let with = |jobs: usize| {
        let mut busiest = f64::INFINITY;
        let wall = best(3, || {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let items = (0..CELLS).map(|n| Item { fingerprint: content(&n.to_le_bytes()), inputs: Arc::new([]) });
            let storage = Storage::Object { extension: "parquet" };
            let stage = Stage { name: "run/grid".into(), items: items.collect(), work: grid.clone(), storage };
            let (graph, store) = (Graph { stages: vec![stage] }, ResultStore::new(folder.path()));
            let request = RunRequest { jobs, ..RunRequest::default() };
            let (_, wall) = process_seconds(|| {
                let summary = run(&graph, &request, &store, &Silent, &Interrupt::default()).expect("a run");
                assert!(summary.failed.is_empty(), "{summary:?}");
            });
            let spent = std::mem::take(&mut *grid.spent.lock().expect("no panic before"));
            busiest = busiest.min(spent.into_values().fold(0.0, f64::max));
            wall
        });
        (wall, busiest)
    };
    let (one, two) = (with(1), with(2));
    println!(
        "\ngrid of {CELLS} cells with one thread and with two: {:.2} s and {:.2} s on the clock, {:.2} times as fast; busiest \
         thread {:.2} s and {:.2} s of processor time, {:.2} times",
        one.0,
        two.0,
        one.0 / two.0,
        one.1,
        two.1,
        one.1 / two.1
    );
    let what = format!("grid of {CELLS} cells, two threads: times as fast as one, by processor time");
    vec![Line::new(what, false, 1.9, one.1 / two.1, "")]
}
