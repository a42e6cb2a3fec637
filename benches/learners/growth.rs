//! The growth of costs: fitted exponents of the time of a run in the numbers of rounds n, features r, columns d and
//! dictionary points m.

use crate::common::{BLOCK, best, data, exponent, full, play, process_seconds, seconds};

/// Prints the table.
pub fn run() {
    println!("\nexponents of the time of a run, fitted to the sizes shown (in theory)");
    let n = [1000, 2000, 4000, 8000];
    let toml = "kernel.name = 'gaussian'";
    print("kernel-awv in n", "2 to 3", &n[..3], |n| spent("kernel-awv", toml, 9, n));
    print("kernel-ogd in n", "2", &n, |n| spent("kernel-ogd", "", 9, n));
    print("robust-ogd in n", "2", &n, |n| spent("robust-ogd", "", 9, n));
    print("pkrr-taylor (order 2) in n", "1", &n, |n| spent("pkrr-taylor", "order = 2", 8, n));
    print("fogd in n", "1", &n, |n| spent("fogd", "", 8, n));
    print("pkrr-taylor (order 2) in r", "2", &[55, 190, 820], |r| {
        let dim = [(55, 9), (190, 18), (820, 39)].iter().find(|size| size.0 == r).map_or(9, |size| size.1);
        spent("pkrr-taylor", "order = 2", dim, 4000)
    });
    print("fogd in r", "1", &[250, 500, 1000, 2000], |r| spent("fogd", &format!("features = {r}"), 8, 4000));
    let d = [8, 16, 32, 64];
    print("fogd in d", "0 to 1", &d, |d| spent("fogd", "", d, 2000));
    print("kernel-ogd in d", "0 to 1", &d, |d| spent("kernel-ogd", "", d, 4000));
    print("kernel-awv in d", "0 to 1", &d, |d| spent("kernel-awv", "", d, 1000));
    dictionary();
}

fn spent(name: &str, toml: &str, dim: usize, rounds: usize) -> f64 {
    let (inputs, targets) = data(dim, rounds);
    best(2, || {
        let mut learner = full(name, toml, dim, rounds);
        // The time of all threads, because exact learners of many rounds share their work.
        process_seconds(|| play(&mut *learner, &inputs, &targets, BLOCK)).0
    })
}

fn print(what: &str, theory: &str, sizes: &[usize], of: impl Fn(usize) -> f64) {
    let points: Vec<(f64, f64)> = sizes.iter().map(|size| (*size as f64, of(*size))).collect();
    println!("{what} = {sizes:?}: {:.2} ({theory})", exponent(&points));
}

/// Time per round of the Nystrom learner once its dictionary of m points is complete.
fn dictionary() {
    let (dim, rounds) = (9, 4000);
    let (inputs, targets) = data(dim, rounds);
    let mut points = Vec::new();
    for mu in [10.0, 1.0, 0.3, 0.1] {
        let mut learner = full("pkawv-nystrom", &format!("mu = {mu:?}"), dim, rounds);
        play(&mut *learner, &inputs, &targets, BLOCK);
        let before = learner.gauges().stored_points.unwrap_or(0) as f64;
        // The same rounds again, so that hardly any point enters the dictionary.
        let spent = seconds(|| play(&mut *learner, &inputs, &targets, BLOCK));
        points.push(((before + learner.gauges().stored_points.unwrap_or(0) as f64) / 2.0, spent));
    }
    let sizes: Vec<f64> = points.iter().map(|point| point.0.round()).collect();
    println!("pkawv-nystrom in m = {sizes:?}: {:.2} (1 to 2)", exponent(&points));
}
