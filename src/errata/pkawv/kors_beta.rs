//! Section 4: KORS with beta = 1.

use crate::draw::{Draws, Role};
use crate::errata::api::{Erratum, Paper, Quantity, Relation};
use crate::errata::pkawv::dictionary::{kernel, points, run};
use crate::kernel::api::Kernel;
use crate::learner::kors::Weights;
use crate::linalg::eigen;
use crate::linalg::growing::Growing;
use crate::linalg::matrix::Matrix;

pub static ERRATUM: Erratum = Erratum {
    id: "pkawv-kors-beta",
    paper: Paper::Pkawv,
    place: "Section 4 (beta = 1) against Proposition 5",
    printed: "KORS with beta = 1: Proposition 5 bounds what the dictionary leaves out by mu",
    corrected: "Proposition 5 needs beta = 12 log(n / delta); with it nearly every point enters",
    method: "Largest eigenvalue of K - K_P, P the projection to the final dictionary of a run over 400 uniform points \
             with mu = 1, for both beta, delta = 0.05; and the share of points that enter with the beta of theory, \
             which a dictionary much smaller than n would keep below a half",
    file: file!(),
    decide,
};

const POINTS: usize = 400;

/// The largest eigenvalue of K - K_P and the size of the dictionary.
fn left_out(points: &Matrix, beta: f64, draws: &Draws) -> (f64, usize) {
    let kernel = kernel();
    let offers = run(points, beta, Weights::Theory, &mut draws.at(Role::Learn, 1));
    let mut members = Matrix::with_width(points.cols());
    let entered = points.view().iter().zip(&offers).filter(|(_, offer)| offer.entered);
    entered.for_each(|(point, _)| members.push_row(point));
    let m = members.rows();
    // K_P = Psi Psi', Psi = K_nm L^-T with a factor of K_mm + 1e-9 I: an error far below mu.
    let mut own = vec![0.0; m * m];
    kernel.gram(members.view(), members.view(), &mut own);
    own.iter_mut().step_by(m + 1).for_each(|entry| *entry += 1e-9);
    let mut factor = Growing::new(64, 1e-9);
    if factor.extend(m, &own).is_err() {
        return (f64::NAN, m);
    }
    let features: Vec<Vec<f64>> = points
        .view()
        .iter()
        .map(|point| {
            let mut row = vec![0.0; m];
            kernel.row(members.view(), point, &mut row);
            factor.solve(&mut row);
            row
        })
        .collect();
    let n = points.rows();
    let mut rest = vec![0.0; n * n];
    kernel.gram(points.view(), points.view(), &mut rest);
    for i in 0..n {
        for j in 0..n {
            rest[i * n + j] -= features[i].iter().zip(&features[j]).map(|(a, b)| a * b).sum::<f64>();
        }
    }
    (eigen::symmetric(&rest, n, false).map_or(f64::NAN, |eigen| eigen.values[n - 1]), m)
}

fn decide(draws: &Draws) -> Vec<Quantity> {
    let points = points(POINTS, &mut draws.at(Role::Example, 1));
    let n = POINTS as f64;
    let theory = 12.0 * (n / 0.05).ln();
    let (small, _) = left_out(&points, 1.0, draws);
    let (large, size) = left_out(&points, theory, draws);
    let at_most = Relation::AtMost;
    vec![
        // Without a claim the eigenvalue is at most the trace, n.
        Quantity::exact("largest eigenvalue left out, beta = 1", at_most, 1.0, n, small, 1e-9),
        Quantity::exact("largest eigenvalue left out, beta of theory", at_most, 1.0, 1.0, large, 1e-9),
        Quantity::exact("share of points that enter, beta of theory", at_most, 0.5, 1.0, size as f64 / n, 1e-9),
    ]
}
