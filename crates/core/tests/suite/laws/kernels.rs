//! Laws of kernels.

use std::sync::Arc;

use noregret_core::kernel::KERNELS;
use noregret_core::kernel::api::Kernel;
use noregret_core::linalg::eigen;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;

use super::cases::{Data, data, variants};

/// Every kernel with every variant of its parameters and points it takes.
fn all() -> Vec<(String, Arc<dyn Kernel>, Data)> {
    let mut all = Vec::new();
    for entry in KERNELS.iter() {
        let before = all.len();
        for dim in [1, 3] {
            for table in variants(entry.params, dim) {
                let params =
                    check(entry.params, &table, "", &AllParts).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
                let kernel = (entry.build)(&params).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
                if kernel.accepts(dim).is_ok() {
                    let what = format!("{} {{ {} }} in {dim} dimensions", entry.name, table.to_string().trim());
                    all.push((what, kernel, data(dim, 60)));
                }
            }
        }
        assert!(all.len() > before, "{} accepts neither 1 nor 3 input columns", entry.name);
    }
    all
}

fn gram(kernel: &dyn Kernel, data: &Data) -> Vec<f64> {
    let points = data.inputs.view();
    let mut gram = vec![f64::NAN; points.rows() * points.rows()];
    kernel.gram(points, points, &mut gram);
    gram
}

#[test]
fn symmetric() {
    for (what, kernel, data) in all() {
        for x in data.inputs.view().iter() {
            for z in data.inputs.view().iter() {
                assert_eq!(kernel.evaluate(x, z).to_bits(), kernel.evaluate(z, x).to_bits(), "{what}");
            }
        }
    }
}

#[test]
fn rows_blocks_and_diagonal_are_evaluations() {
    for (what, kernel, data) in all() {
        let points = data.inputs.view();
        let (n, block) = (points.rows(), gram(&*kernel, &data));
        for (i, x) in points.iter().enumerate() {
            let mut row = vec![f64::NAN; n];
            kernel.row(points, x, &mut row);
            let own = kernel.evaluate(x, x);
            assert!((kernel.diagonal(x) - own).abs() <= 1e-14 * own, "{what}");
            assert!(kernel.largest_diagonal().is_none_or(|bound| own <= bound * (1.0 + 1e-14)), "{what}");
            for (j, z) in points.iter().enumerate() {
                let value = kernel.evaluate(x, z);
                // Relative to what Cauchy-Schwarz allows: inner products may cancel.
                let scale = 1e-14 * (own * kernel.diagonal(z)).sqrt().max(value.abs());
                assert!((row[j] - value).abs() <= scale, "{what}: {} {value}", row[j]);
                assert!((block[i * n + j] - value).abs() <= scale, "{what}: {} {value}", block[i * n + j]);
                // Repeated points are the same point.
                if x == z {
                    assert_eq!(value, own, "{what}");
                }
            }
        }
    }
}

/// Sums over points with coefficients of both signs, at several numbers of inputs, added to what was there.
#[test]
fn combinations_are_sums_of_evaluations() {
    for (what, kernel, data) in all() {
        let points = data.inputs.view();
        let coefficients: Vec<f64> = (0..points.rows()).map(|i| (i as f64).sin()).collect();
        for count in [1, 16, 53] {
            let inputs = points.slice(3, 3 + count);
            let mut found = vec![0.5; count];
            kernel.combine(points, &coefficients, inputs, &mut found);
            for (x, found) in inputs.iter().zip(&found) {
                let terms: Vec<f64> =
                    points.iter().zip(&coefficients).map(|(z, a)| a * kernel.evaluate(z, x)).collect();
                let scale = 0.5 + terms.iter().map(|term| term.abs()).sum::<f64>();
                assert!((found - 0.5 - terms.iter().sum::<f64>()).abs() <= 1e-13 * scale, "{what}");
            }
        }
    }
}

#[test]
fn positive_semidefinite() {
    for (what, kernel, data) in all() {
        let n = data.inputs.rows();
        let gram = gram(&*kernel, &data);
        let trace: f64 = (0..n).map(|i| gram[i * n + i]).sum();
        let smallest = eigen::symmetric(&gram, n, false).unwrap().values[0];
        assert!(smallest >= -1e-10 * trace, "{what}: eigenvalue {smallest}, trace {trace}");
    }
}

#[test]
fn finite_for_large_and_tiny_inputs() {
    for (what, kernel, data) in all() {
        for scale in [0.0, 1e-300, 1e6] {
            let x: Vec<f64> = data.inputs.row(0).iter().map(|x| x * scale).collect();
            let z: Vec<f64> = data.inputs.row(1).iter().map(|z| z * scale).collect();
            assert!(kernel.evaluate(&x, &z).is_finite() && kernel.diagonal(&x).is_finite(), "{what}: {scale}");
        }
    }
}
