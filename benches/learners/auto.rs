//! `auto` in blocks and row by row, beside what a row costs that updates the matrices of its kernel members one after the
//! other: for each of them a product of a symmetric matrix with a vector, and a rank-one update.

use std::hint::black_box;

use noregret_core::learner::api::{Gauges, Learner};
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::vector::{add_scaled, dot};

use crate::Line;
use crate::common::{BLOCK, best, busiest_thread, data, full, process_seconds, seconds};

const DIM: usize = 10;
/// Landmarks, columns and a constant.
const FEATURES: usize = 250 + DIM + 1;
/// The kernel members that see the columns, and all where there are no categories.
const KERNELS: [(&str, usize); 2] = [("plain", 12), ("all", 15)];
const ROWS: usize = 6_000;
const LIVE: usize = 2_000;

/// The lower triangle of a symmetric matrix, row after row.
struct Triangle(Vec<f64>);

impl Triangle {
    fn new() -> Self {
        Self(vec![1e-3; FEATURES * (FEATURES + 1) / 2])
    }

    /// `out` = A x.
    fn times(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let mut from = 0;
        for i in 0..x.len() {
            let row = &self.0[from..from + i];
            out[i] += dot(row, &x[..i]) + self.0[from + i] * x[i];
            add_scaled(&mut out[..i], x[i], row);
            from += i + 1;
        }
    }

    /// A += scale x x'.
    fn update(&mut self, scale: f64, x: &[f64]) {
        let mut from = 0;
        for i in 0..x.len() {
            add_scaled(&mut self.0[from..=from + i], scale * x[i], &x[..=i]);
            from += i + 1;
        }
    }
}

/// Seconds of a row of the floor, for each of these numbers of matrices.
fn floors() -> [f64; 2] {
    KERNELS.map(|(_, count)| {
        let mut matrices: Vec<Triangle> = (0..count).map(|_| Triangle::new()).collect();
        let x: Vec<f64> = (0..FEATURES).map(|i| (i as f64).sin()).collect();
        let mut out = vec![0.0; FEATURES];
        let rows = 100;
        let spent = best(5, || {
            seconds(|| {
                for _ in 0..rows {
                    for matrix in &mut matrices {
                        matrix.times(black_box(&x), &mut out);
                        matrix.update(-1e-12, black_box(&out));
                    }
                }
            })
        });
        spent / f64::from(rows)
    })
}

/// Processor time of all threads, that of the busiest one, and the time on the clock, in seconds: the least of three runs by
/// the first.
fn times(mut work: impl FnMut()) -> [f64; 3] {
    let mut least = [f64::INFINITY; 3];
    for _ in 0..3 {
        let (mut all, mut wall) = (0.0, 0.0);
        let busiest = busiest_thread(|| (all, wall) = process_seconds(&mut work));
        if all < least[0] {
            least = [all, busiest, wall];
        }
    }
    least
}

/// Predicts each row, then learns it.
fn live(learner: &mut dyn Learner, rows: usize) -> Gauges {
    let (inputs, targets) = data(DIM, rows);
    let draws = Draws::named(&[]);
    for (t, (x, y)) in inputs.view().iter().zip(&targets).enumerate() {
        let draw = &mut draws.at(Role::Predict, t as u64);
        black_box(learner.predict(x, draw));
        learner.learn(x, *y, draw).expect("no breakdown");
    }
    learner.gauges()
}

/// Prints the times; returns their lines of the final table.
pub fn run() -> Vec<Line> {
    let (inputs, targets) = data(DIM, ROWS);
    println!("\nauto, {DIM} columns: microseconds a row, all epochs from the first row on included");
    let mut lines = Vec::new();
    for ((members, kernels), floor) in KERNELS.into_iter().zip(floors()) {
        let make = || full("auto", &format!("members = '{members}'"), DIM, ROWS);
        // Threads are started before they are counted.
        live(&mut *make(), 100);
        let blocks = times(|| _ = crate::common::play(&mut *make(), &inputs, &targets, BLOCK));
        let one = times(|| _ = live(&mut *make(), LIVE));
        let micro = |seconds: [f64; 3], rows: usize| seconds.map(|seconds| 1e6 * seconds / rows as f64);
        let ([all, busiest, wall], [live, _, clock]) = (micro(blocks, ROWS), micro(one, LIVE));
        let floor = 1e6 * floor;
        println!(
            "members = {members}, {kernels} kernels: {ROWS} rows in blocks of {BLOCK} {all:.0} of processor time, {busiest:.0} \
             of it by the busiest thread, {wall:.0} on the clock; {LIVE} rows one by one {live:.0}, {clock:.0} on the clock; a \
             symmetric product and a rank-one update of {kernels} matrices of order {FEATURES} {floor:.0}"
        );
        let what = |what: &str| format!("auto, members = {members}, d = {DIM}: {what}");
        if members == "all" {
            lines.push(Line::new(what("a row in blocks, by the busiest thread"), true, 60.0, busiest, " us"));
        }
        let text = "a row in blocks, as a multiple of a symmetric product and a rank-one update for each kernel";
        lines.push(Line::new(what(text), true, 3.0, all / floor, ""));
    }
    lines
}
