//! A kernel of your own: tested by the laws of kernels, then used by a learner from the library.

use std::error::Error;
use std::f64::consts::TAU;
use std::sync::Arc;

use noregret_core::kernel::gaussian::Gaussian;
use noregret_core::laws;
use noregret_core::learner::ridge::exact::{KernelAwv, KernelAwvParams};
use noregret_core::prelude::*;
use noregret_core::protocol::full;

/// k(x, z) = exp(sharpness (cos(x - z) - 1)) of two angles, as on a clock: what is learnt at 23:59 holds at 00:01.
#[derive(Debug)]
struct Clock {
    sharpness: f64,
}

impl Kernel for Clock {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        (self.sharpness * ((x[0] - z[0]).cos() - 1.0)).exp()
    }

    fn accepts(&self, dim: usize) -> Result<(), String> {
        if dim == 1 { Ok(()) } else { Err("takes one angle".into()) }
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(1.0)
    }
}

/// The distance of two angles: symmetric, but not positive definite.
#[derive(Debug)]
struct Distance;

impl Kernel for Distance {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        (x[0] - z[0]).abs()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Angles in a random order, and a function that is continuous over midnight.
    let rounds = 400;
    let mut draw = Draws::named(&["angles"]).at(Role::Start, 0);
    let angles = (0..rounds).map(|_| draw.between(0.0, TAU)).collect();
    let angles = Matrix::from_data(rounds, 1, angles).ok_or("one angle per round")?;
    let targets: Vec<f64> = angles.data().iter().map(|x| (2.0 * (x - 0.5).cos()).exp() / 4.0).collect();

    let clock = Clock { sharpness: 4.0 };
    laws::kernel::all(&clock, angles.view().slice(0, 60))?;
    println!("the clock kernel keeps all {} laws of kernels", laws::kernel::LAWS.len());
    match laws::kernel::all(&Distance, angles.view().slice(0, 60)) {
        Ok(()) => return Err("the distance should be refused".into()),
        Err(broken) => println!("the distance does not: {broken}"),
    }

    let source = TableSource::in_file_order(Arc::new(Examples::new(angles, targets).ok_or("one target per angle")?));
    let kernels: [(&str, Arc<dyn Kernel>); 2] =
        [("clock", Arc::new(clock)), ("gaussian", Arc::new(Gaussian::new(0.5)))];
    for (name, kernel) in kernels {
        let mut learner = KernelAwv::new(KernelAwvParams { lambda: 0.1, kernel }, &Setting::new(1))?;
        let draws = Draws::named(&["own kernel"]);
        let record = full::play(&mut learner, &source, &draws, &draws, &RunOptions::new(rounds as u64), &|| false)?;
        let loss = record.checkpoints.last().ok_or("no rounds")?.cumulative_loss;
        println!("kernel-awv with the {name} kernel: loss {loss:.3} over {rounds} rounds");
    }
    Ok(())
}
