//! The dataset casp as the authors of PKAWV ran it, with the selection weights of their code, compared with the
//! processor time of their code. It needs the file `CASP.csv` in the folder that `NOREGRET_MIRROR` names.

use std::path::Path;

use noregret_data::format::open::open;
use noregret_data::format::{DataSource, ReadOptions};
use noregret_data::prepare::{InputScale, Preparation, TargetTransform, prepare};
use noregret_data::table::{DataTable, read};
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

use crate::Line;
use crate::common::{BLOCK, best, full, play, seconds};

/// (learner, parameters, rounds, seconds of the authors' code for these rounds, aimed speed-up)
///
/// Their times are those of one thread of a similar machine, shared with other work, in Python with numpy.
const CASES: &[(&str, &str, usize, f64, f64)] = &[
    ("fogd", "features = 1000", 45_730, 2.9, 30.0),
    ("pros-n-kons", "variant = 'authors'\nweights = 'authors'", 45_730, 14.9, 30.0),
    ("pkrr-taylor", "order = 2", 45_730, 1.45, 100.0),
    ("pkrr-taylor", "order = 3", 45_730, 11.1, 30.0),
    ("pkawv-taylor", "order = 2", 45_730, 2.5, 30.0),
    ("pkrr-nystrom", "weights = 'authors'", 45_730, 86.7, 30.0),
    ("kernel-ridge", "", 1_768, 121.0, 30.0),
];

/// Prints each case; returns their lines of the final table.
pub fn run() -> Vec<Line> {
    let Some(folder) = std::env::var_os("NOREGRET_MIRROR") else {
        println!("\ncasp: left out, NOREGRET_MIRROR names no folder with CASP.csv");
        return Vec::new();
    };
    let table = match casp(&Path::new(&folder).join("CASP.csv")) {
        Ok(table) => table,
        Err(error) => {
            println!("\ncasp: left out, {error}");
            return Vec::new();
        }
    };
    println!("\nlearner on casp: seconds, times as fast as the authors' code, mean square");
    let line = |(name, toml, rounds, theirs, aim): &(&str, &str, usize, f64, f64)| {
        let rounds = table.rows().min(*rounds);
        let mut inputs = Matrix::with_width(table.inputs.cols());
        inputs.push_rows(table.inputs.dense().slice(0, rounds));
        let targets = &table.targets[..rounds];
        let mut loss = 0.0;
        let spent = best(5, || {
            let mut learner = full(name, toml, inputs.cols(), rounds);
            seconds(|| loss = play(&mut *learner, &inputs, targets, BLOCK) / rounds as f64)
        });
        println!(
            "{name} {{{}}}, {rounds} rounds: {spent:.4}, {:.0}, {loss:.5}",
            toml.replace('\n', ", "),
            theirs / spent
        );
        Line::new(
            format!("casp, {name} {}: times as fast as the authors' code", toml.replace('\n', ", ")),
            false,
            *aim,
            theirs / spent,
            "",
        )
    };
    CASES.iter().map(line).collect()
}

/// The rows in random order, with inputs scaled to [0, 1] and targets scaled as in the authors' code.
fn casp(path: &Path) -> Result<DataTable, String> {
    let options = ReadOptions { target: Some("RMSD".into()), ..ReadOptions::default() };
    let table = open(&DataSource::Path(path.into()), &options).and_then(|mut reader| {
        let table = read(&mut *reader, None, |_, _| {})?;
        prepare(table, &Preparation { scale: InputScale::Unit, target: TargetTransform::Authors })
    });
    let mut table = table.map_err(|error| error.to_string())?;
    let order = Draws::named(&["bench", "casp"]).at(Role::Start, 0).permutation(table.rows());
    let mut inputs = Matrix::with_width(table.inputs.cols());
    let rows = table.inputs.dense().into_owned();
    order.iter().for_each(|row| inputs.push_row(rows.row(*row)));
    (table.inputs, table.targets) = (inputs.into(), order.iter().map(|row| table.targets[*row]).collect());
    Ok(table)
}
