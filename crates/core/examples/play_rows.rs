//! Plays learners from the registry over rows, and compares them with the best function in hindsight.

use std::error::Error;
use std::sync::Arc;

use noregret_core::comparator::penalised::over_kernel;
use noregret_core::kernel::gaussian::Gaussian;
use noregret_core::prelude::*;
use noregret_core::protocol::full;

const ROUNDS: usize = 2_000;
const LAMBDA: f64 = 1.0;
const BANDWIDTH: f64 = 0.4;

fn main() -> Result<(), Box<dyn Error>> {
    // Put rows of your own here: one row of inputs and one target per round.
    let mut draw = Draws::named(&["rows"]).at(Role::Start, 0);
    let inputs = Matrix::from_data(ROUNDS, 2, (0..2 * ROUNDS).map(|_| draw.between(-1.0, 1.0)).collect());
    let inputs = inputs.ok_or("as many numbers as rows and columns say")?;
    let function = |x: &[f64]| (3.0 * x[0]).sin() * x[1];
    let targets: Vec<f64> = inputs.view().iter().map(|x| function(x) + 0.1 * draw.normal()).collect();
    let best = over_kernel(&Gaussian::new(BANDWIDTH), inputs.view(), &targets, LAMBDA, &[ROUNDS])?;
    let best = best[0].objective;
    let examples = Arc::new(Examples::new(inputs, targets).ok_or("one target per row")?);
    let source = TableSource::in_file_order(examples);

    println!("{ROUNDS} rounds in two dimensions; the best function in hindsight costs {best:.1} with its penalty");
    println!("{:<14} {:>8} {:>8} {:>14}", "learner", "loss", "regret", "stored numbers");
    for (name, toml) in [
        ("kernel-awv", format!("lambda = {LAMBDA:?}\nkernel = {{ bandwidth = {BANDWIDTH} }}")),
        ("pkawv-taylor", format!("lambda = {LAMBDA:?}\nbandwidth = {BANDWIDTH}\norder = 6")),
        ("fogd", format!("features = 200\nbandwidth = {BANDWIDTH}")),
        ("kernel-ogd", format!("kernel = {{ bandwidth = {BANDWIDTH} }}")),
        ("linear-ogd", String::new()),
    ] {
        let entry = LEARNERS.find(name)?;
        let params = check(entry.params, &toml.parse::<toml::Table>()?, "", &AllParts)?;
        let (stream, own) = (Draws::named(&["stream"]), Draws::named(&["learner", name]));
        let setting = Setting { dim: 2, horizon: Some(ROUNDS as u64), draws: own.clone() };
        let AnyLearner::Full(mut learner) = (entry.build.learner)(&params, &setting)? else {
            return Err("this learner plays the noisy protocol".into());
        };
        let options = RunOptions::new(ROUNDS as u64);
        let record = full::play(&mut *learner, &source, &stream, &own, &options, &|| false)?;
        let end = record.checkpoints.last().ok_or("no rounds")?;
        let numbers = end.gauges.state_bytes.unwrap_or_default() / 8;
        println!("{name:<14} {:>8.1} {:>8.1} {numbers:>14}", end.cumulative_loss, end.cumulative_loss - best);
    }
    Ok(())
}
