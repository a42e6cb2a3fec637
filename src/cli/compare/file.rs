//! The file of `noregret compare`: registered as a dataset of the project, and prepared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use noregret_core::stream::table::Examples;
use sha2::{Digest as _, Sha256};
use toml::{Table, Value};

use crate::cli::compare::args::{CompareArgs, RowOrder};
use crate::cli::error::CliError;
use crate::compare::candidates::Measure;
use crate::compare::project::{Writer, slug};
use crate::compare::trials::Metric;
use crate::dataset::catalogue::ADDED;
use crate::dataset::declaration::{Dataset, Origin, Task};
use crate::dataset::error::DataError;
use crate::dataset::format::ReadOptions;
use crate::dataset::own::{Own, table_of};
use crate::dataset::prepare::{Preparation, Scale, TargetTransform, prepare as prepared};
use crate::dataset::user::{Addition, add};
use crate::report::number::significant;

/// A file, ready to be played.
pub struct Prepared {
    /// Its declaration.
    pub dataset: Dataset,
    /// Its `[stream]` in an experiment.
    pub stream: Table,
    /// Its rows; taken out by the search.
    pub table: Option<Arc<Examples>>,
    /// Number of rows.
    pub rows: u64,
    /// What the grids need to know.
    pub measure: Measure,
    /// What a loss of 1 is in the units of the file.
    pub unit: f64,
    /// The same in words.
    pub unit_words: String,
    /// What identifies rows and preparation.
    pub content: String,
    /// What it is, and what was found out about its columns.
    pub words: String,
    /// The `--target-scale` with which `noregret stream` gives the learner the same targets.
    pub target_scale: Option<&'static str>,
    /// How it is read, as `noregret stream` takes it.
    pub options: ReadOptions,
}

fn wrong(error: DataError) -> CliError {
    match error {
        DataError::Unknown { .. } | DataError::Name { .. } | DataError::NoSuchClass { .. } => {
            CliError::usage(error.to_string())
        }
        error => CliError::failed(error.to_string()),
    }
}

/// Reads the file.
pub fn read(args: &CompareArgs) -> Result<Own, CliError> {
    if args.file == Path::new("-") {
        let why = "-: compare reads the rows several times, and its project reads them again: put them into a file";
        return Err(CliError::usage(why));
    }
    table_of(&args.file, &args.columns.options(), None).map_err(wrong)
}

/// What the project at `root` compares, by its declaration of the dataset `name`: the file and its target.
fn compared(root: &Path, name: &str) -> Option<(PathBuf, String)> {
    let text = std::fs::read_to_string(root.join(format!("pipeline/datasets/{name}.toml"))).ok()?;
    let declared: Table = text.parse().ok()?;
    let word = |key: &str| declared.get(key)?.as_str().map(str::to_owned);
    Some((root.join(word("path")?), word("target")?))
}

/// The folder of the project that compares this target of the file: the one that was asked for; else that of the file, or
/// one of the target's own where that compares another target.
///
/// # Errors
/// If the folder compares something else.
pub fn folder(args: &CompareArgs, target: &str) -> Result<PathBuf, CliError> {
    let name = args.name();
    let here = args.file.canonicalize();
    let first = args.output.clone().unwrap_or_else(|| format!("{name}-compare").into());
    let own = format!("{name}-{}-compare", slug(Path::new(target))).into();
    let folders = [Some(first.clone()), args.output.is_none().then_some(own)];
    for folder in folders.into_iter().flatten() {
        let Some((file, other)) = compared(&folder, &name) else { return Ok(folder) };
        // A file that is gone, as after a move, is not another one.
        if file.canonicalize().is_ok_and(|file| here.as_ref().is_ok_and(|here| *here != file)) {
            break;
        } else if other == target {
            return Ok(folder);
        }
    }
    let (file, other) = compared(&first, &name).unwrap_or_default();
    let why = format!("{} compares the target {other} of {}", first.display(), file.display());
    Err(CliError::usage(format!("{why}: choose another folder with --output")))
}

/// Registers the file, which was read, in the project at `root`, and prepares it.
pub fn prepare(
    args: &CompareArgs,
    own: Own,
    name: &str,
    root: &Path,
    writer: &mut Writer,
) -> Result<Prepared, CliError> {
    let dataset = declared(args, name, &own.options, root, writer)?;
    let (table, notes) = (own.table, own.notes);
    let rows = table.rows() as u64;
    let (low, high) =
        table.targets.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(*y), high.max(*y)));
    let binary = dataset.task == Task::Classification;
    if binary && table.targets.iter().any(|y| *y != low && *y != high) {
        return Err(CliError::usage("--task binary: the target has more than two values"));
    }
    if args.metric == Metric::Error && !binary {
        return Err(CliError::usage("--metric error is for targets with two values; this one is a quantity"));
    }
    let target = match binary {
        false => TargetTransform::Standardise,
        true if low <= 0.0 && high > 0.0 => TargetTransform::Sign,
        true => TargetTransform::Symmetric,
    };
    let target_scale = match target {
        TargetTransform::Standardise => Some("standardise"),
        _ if (low, high) == (-1.0, 1.0) => None,
        _ => Some("symmetric"),
    };
    let count = rows.max(1) as f64;
    let mean = table.targets.iter().sum::<f64>() / count;
    let deviation = (table.targets.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / count).sqrt();
    let scale = if deviation > 0.0 { deviation } else { 1.0 };
    let (unit, unit_words) = match (binary, args.metric) {
        (true, _) => {
            let number = || (short(low), short(high));
            let (negative, positive) = own.classes.clone().unwrap_or_else(number);
            (1.0, format!("The target is +1 for {positive} and -1 for {negative}."))
        }
        (false, metric) => {
            let unit = if metric == Metric::Absolute { scale } else { scale * scale };
            let words = format!(
                "Targets are scaled to mean 0 and deviation 1 (from mean {} and deviation {}, both over all rows): a loss \
                 of 1 is {} in the unit of the file.",
                short(mean),
                short(scale),
                short(unit)
            );
            (unit, words)
        }
    };
    let preparation = Preparation { scale: Scale::Unit, target };
    let words = format!(
        "{}: {rows} rows, {} inputs, target {}: {}",
        args.file.display(),
        table.input_names.len(),
        table.target_name,
        if binary { "two classes" } else { "regression" }
    );
    let words = std::iter::once(words).chain(notes).collect::<Vec<_>>().join("\n  ");
    let table = prepared(table, &preparation).map_err(wrong)?;
    let measure = Measure::of(&table.inputs, &table.targets);
    let measure = Measure { labels: measure.labels && args.metric == Metric::Error, ..measure };
    let word = |value: &serde_json::Value| Value::String(value.as_str().unwrap_or_default().to_owned());
    let stated = serde_json::json!(preparation);
    let order = if args.order == RowOrder::File { "file" } else { "shuffle" };
    let mut stream = Table::new();
    stream.insert("dataset".into(), Value::String(name.to_owned()));
    stream.insert("order".into(), Value::String(order.into()));
    stream.insert("scale".into(), word(&stated["scale"]));
    stream.insert("target".into(), word(&stated["target"]));
    let content = dataset.content_sha256.clone().unwrap_or_default();
    let content = hex::encode(Sha256::digest(format!("{content} {stated} {rows}")));
    let table = Examples::new(table.inputs, table.targets).map(Arc::new);
    Ok(Prepared {
        dataset,
        stream,
        table,
        rows,
        measure,
        unit,
        unit_words,
        content,
        words,
        target_scale,
        options: own.options,
    })
}

fn short(value: f64) -> String {
    let text = significant(value, 6);
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The dataset's declaration, which is written to pipeline/datasets.
fn declared(
    args: &CompareArgs,
    name: &str,
    options: &ReadOptions,
    root: &Path,
    writer: &mut Writer,
) -> Result<Dataset, CliError> {
    let addition = Addition { file: args.file.clone(), name: name.to_owned(), options: options.clone() };
    let data = std::path::absolute(root.join("data")).map_err(|error| CliError::io("cannot find", root, error))?;
    // It is registered as `noregret data add` does it, and its declaration then moved beside the other files.
    let added = data.join(ADDED).join(format!("{name}.toml"));
    let _ = std::fs::remove_file(&added);
    let dataset = add(&addition, &BTreeMap::new(), &data).map_err(wrong)?;
    let _ = std::fs::remove_file(&added);
    let dataset = match args.task {
        Some(task) => Dataset { task: task.into(), ..dataset },
        None => dataset,
    };
    let stated = match &dataset.origin {
        Origin::Path(path) => {
            let inside = data.parent().and_then(|root| path.strip_prefix(root).ok());
            Dataset { origin: Origin::Path(inside.unwrap_or(path).to_owned()), ..dataset.clone() }
        }
        _ => dataset.clone(),
    };
    let text = toml::to_string(&stated).map_err(|error| CliError::failed(error.to_string()))?;
    let comment = "# The data of `noregret compare`. The file stays where it is; results are made anew when its content changes,\n\
                   # after `noregret compare` or without `content_sha256` here.\n";
    writer.put(&format!("pipeline/datasets/{name}.toml"), &format!("{comment}{text}")).map_err(CliError::failed)?;
    Ok(dataset)
}
