//! The file of `noregret compare`: read within its share of the time, and prepared.

use std::path::{Path, PathBuf};

use noregret_core::epoch::{Moments, Standard};
use noregret_model::running::{Running, is_quantity};
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Rows;
use sha2::{Digest as _, Sha256};
use toml::{Table, Value};

use crate::cli::compare::args::{CompareArgs, RowOrder, TaskChoice};
use crate::cli::error::CliError;
use noregret_data::declaration::{Dataset, Origin, Task};
use noregret_data::encode::choices::{CategoryAs, DateAs, Labels};
use noregret_data::encode::column::Column;
use noregret_data::encode::plan::Plan;
use noregret_data::error::DataError;
use noregret_data::format::ReadOptions;
use noregret_data::own::{Own, table_of};
use noregret_data::prepare::{Preparation, Scale, TargetTransform};
use noregret_data::table::ContentHash;
use noregret_data::user::{Addition, declared};
use noregret_study::compare::arena::Plate;
use noregret_study::compare::candidates::{MEASURED, Measure};
use noregret_study::compare::clock::{Budget, Clock};
use noregret_study::compare::metric::Metric;
use noregret_study::compare::project::slug;

/// The most numbers that are kept of a file: 512 MiB. Scaling them takes as much again.
const MOST_NUMBERS: usize = 1 << 26;

/// A file, ready to be played.
pub(super) struct Prepared {
    /// Its declaration, where it was read to its end.
    pub dataset: Option<Dataset>,
    /// Its `[stream]` in an experiment.
    pub stream: Table,
    /// Its rows.
    pub plate: Plate,
    /// The name of the target.
    pub target: String,
    /// Number of rows that were read.
    pub rows: u64,
    /// Whether there are more rows, which were not read.
    pub cut: bool,
    /// What the grids need to know.
    pub measure: Measure,
    /// Whether targets are classes.
    pub classes: bool,
    /// Whether all targets are the same number, and which.
    pub constant: Option<f64>,
    /// In which unit an experiment's losses are.
    pub unit: String,
    /// What it is, and what was found out about its columns.
    pub words: String,
    /// How it is read, as `noregret stream` takes it.
    pub options: ReadOptions,
    /// Whether there are columns of categories, and of dates.
    pub kinds: [bool; 2],
}

fn wrong(error: DataError) -> CliError {
    match error {
        DataError::Unknown { .. } | DataError::Name { .. } | DataError::NoSuchClass { .. } => {
            CliError::usage(error.to_string())
        }
        error => CliError::failed(error.to_string()),
    }
}

/// Reads the file, as far as its share of the time, from now on, and of the memory allows.
pub(super) fn read(args: &CompareArgs, clock: &dyn Clock, budget: Budget) -> Result<Own, CliError> {
    let begin = clock.seconds();
    if args.file == Path::new("-") {
        let why = "-: compare reads the rows several times, and its project reads them again: put them into a file";
        return Err(CliError::usage(why));
    }
    let stop = |_, numbers, pass| {
        // Where gaps are looked for first, the rows are read in the other half of the time.
        let share = if pass == 0 { 0.5 } else { 1.0 };
        numbers >= MOST_NUMBERS || clock.seconds() - begin >= share * budget.reading()
    };
    let mut options = args.columns.options();
    // As in the command that is printed: in the order of the file, later rows are not known.
    options.encoding.first_cell = args.in_order();
    if args.task == Some(TaskChoice::Classes) {
        options.encoding.labels = Labels::Always(Vec::new());
    }
    match table_of(&args.file, &options, &stop) {
        Err(DataError::Classes { .. } | DataError::OtherClass { .. })
            if args.task.is_none() && args.columns.positive.is_none() =>
        {
            options.encoding.labels = Labels::Words;
            table_of(&args.file, &options, &stop).map_err(wrong)
        }
        other => other.map_err(wrong),
    }
}

/// The classes of a target that is one of several.
pub(super) fn classes(own: &Own) -> Option<&[String]> {
    own.plan.as_ref()?.target.words()
}

/// The rows as `auto` reads them where nobody says how, which is with codes of words and calendars, and the parameter that tells
/// it of the codes. None where it reads them as the others do, or where reading them again takes longer than the rest of the
/// share of the time.
pub(super) fn for_auto(
    args: &CompareArgs,
    prepared: &Prepared,
    clock: &dyn Clock,
    budget: Budget,
) -> Option<(Plate, Table)> {
    let asked = args.columns.category_as.is_some() || args.columns.date_as.is_some();
    if asked || prepared.kinds == [false, false] {
        return None;
    }
    let mut options = prepared.options.clone();
    options.encoding.category_as = CategoryAs::Codes;
    options.encoding.date_as = DateAs::Calendar;
    let own = table_of(&args.file, &options, &|_, _, _| clock.seconds() >= budget.reading()).ok()?;
    let Plate { targets, order, content, .. } = &prepared.plate;
    if own.table.targets != *targets {
        return None;
    }
    let codes = own.plan.as_ref().map(Plan::codes).unwrap_or_default();
    let codes: Vec<Value> = codes.into_iter().map(|number| Value::Integer(number as i64)).collect();
    let words = (!codes.is_empty()).then(|| ("words".to_owned(), Value::Array(vec![Value::Array(codes)])));
    let plate = Plate {
        quantities: own.quantities,
        inputs: own.table.inputs,
        targets: own.table.targets,
        order: order.clone(),
        content: format!("{content} codes and calendar"),
        ..prepared.plate
    };
    Some((plate, words.into_iter().collect()))
}

/// What the project at `root` compares, by its declaration of the dataset `name`: the file and its target.
fn compared(root: &Path, name: &str) -> Option<(PathBuf, String)> {
    let text = std::fs::read_to_string(root.join(format!("pipeline/datasets/{name}.toml"))).ok()?;
    let declared: Table = text.parse().ok()?;
    let word = |key: &str| declared.get(key)?.as_str().map(str::to_owned);
    Some((root.join(word("path")?), word("target")?))
}

/// The folder of the project that compares this target of the file: the one that was asked for, or one that is named by file
/// and target.
///
/// # Errors
/// If the folder compares something else.
pub(super) fn folder(args: &CompareArgs, target: &str) -> Result<PathBuf, CliError> {
    let name = args.name();
    let own = || format!("{name}-{}-compare", slug(Path::new(target))).into();
    let folder: PathBuf = args.output.clone().unwrap_or_else(own);
    let Some((file, other)) = compared(&folder, &name) else { return Ok(folder) };
    // A file that is gone, as after a move, is not another one.
    let here = args.file.canonicalize();
    let moved = file.canonicalize().map_or(true, |file| here.as_ref().is_ok_and(|here| *here == file));
    if moved && other == target {
        return Ok(folder);
    }
    let why = format!("{} compares the target {other} of {}", folder.display(), file.display());
    Err(CliError::usage(format!("{why}: choose another folder with --output")))
}

/// What lies between the two classes, where these are -1 and +1, or 0 and 1. None where they are other numbers, which have to
/// be read as classes first.
fn middle(values: &[f64]) -> Option<f64> {
    match values {
        [low, high] if (*low, *high) == (-1.0, 1.0) => Some(0.0),
        [low, high] if (*low, *high) == (0.0, 1.0) => Some(0.5),
        _ => None,
    }
}

/// Reads two numbers as the classes -1 and +1: the larger one is +1. Zeros and ones stay what they are, unless errors decide:
/// learners of labels take part then.
fn as_classes(args: &CompareArgs, own: Own, clock: &dyn Clock, budget: Budget) -> Result<Own, CliError> {
    let Some([low, high]) = own.values.as_deref() else { return Ok(own) };
    let (bits, high) = ((*low, *high) == (0.0, 1.0), *high);
    if (*low, high) == (-1.0, 1.0) || (bits && args.metric != Metric::Error) {
        return Ok(own);
    }
    let mut again = args.clone();
    again.columns.positive = Some(high.to_string());
    match read(&again, clock, budget) {
        Ok(found) if found.values.as_deref() == Some(&[-1.0, 1.0]) => Ok(found),
        // They are written in another way, such as 1.0.
        _ if bits => Ok(own),
        _ => Err(CliError::usage(format!(
            "the classes are numbers of which {high} is one: choose it, as the file writes it, with --positive"
        ))),
    }
}

/// What the grids need to know, from rows that play before those that judge: their scaled inputs and targets.
fn measured(plate: &Plate, labels: bool) -> Measure {
    let (count, dim) = ((plate.targets.len() / 2).clamp(1, MEASURED), plate.inputs.cols());
    let (mut inputs, mut targets) = (vec![0.0; count * dim], vec![0.0; count]);
    plate.fill(0, &mut inputs, &mut targets);
    let parts: Vec<bool> = plate.quantities.iter().map(|quantity| !quantity).collect();
    if plate.several {
        targets.iter_mut().for_each(|class| *class = if *class == 1.0 { 1.0 } else { -1.0 });
    }
    let scale = Standard::of(Rows::new(dim, &inputs)).centred(&parts);
    inputs.chunks_exact_mut(dim.max(1)).for_each(|row| scale.apply(row));
    let moments = Moments::of(|| targets.iter().copied());
    let deviation = if moments.deviation > 0.0 { moments.deviation } else { 1.0 };
    let scaled: Vec<f64> = targets.iter().map(|y| (y - moments.mean) / deviation).collect();
    Measure::of(Rows::new(dim, &inputs), &scaled, labels)
}

/// Prepares the rows that were read, for the project `name` at `root`.
pub(super) fn prepare(
    args: &CompareArgs,
    own: Own,
    (name, root): (&str, &Path),
    clock: &dyn Clock,
    budget: Budget,
) -> Result<Prepared, CliError> {
    let two = own.values.as_ref().is_some_and(|values| values.len() == 2) && classes(&own).is_none();
    let binary = args.task.map_or(two, |task| task == TaskChoice::Binary);
    if binary && own.values.is_none() {
        return Err(CliError::usage("--task binary: the target has more than two values"));
    }
    let several = classes(&own).map(<[String]>::len);
    if args.metric == Metric::Error && !binary && several.is_none() {
        return Err(CliError::usage("--metric error is for targets with two values; this one is a quantity"));
    }
    let own = if binary { as_classes(args, own, clock, budget)? } else { own };
    // Experiments have two classes at most.
    let dataset = if own.cut || several.is_some() { None } else { Some(dataset(args, name, &own, root)?) };
    let middle = own.values.as_deref().filter(|_| binary).and_then(middle);
    let labels = args.metric == Metric::Error && (middle == Some(0.0) || several.is_some());
    let mut options = own.options.clone();
    if let Some((_, positive)) = own.classes.as_ref().filter(|_| binary) {
        // Other commands take words for classes of their own.
        options.encoding.positive.get_or_insert_with(|| positive.clone());
    }
    let mut moments = Running::default();
    own.table.targets.iter().for_each(|target| moments.observe(*target));
    let constant = own.values.as_ref().filter(|values| values.len() == 1).map(|values| values[0]);
    let any = |kind: fn(&Column) -> bool| own.plan.iter().flat_map(|plan| &plan.columns).any(kind);
    let kinds = [any(Column::is_category), any(Column::is_date)];
    let table = own.table;
    let rows = table.targets.len() as u64;
    let unit = match (&middle, &own.classes) {
        (Some(_), classes) => {
            let number = || own.values.as_ref().map(|values| (values[0].to_string(), values[1].to_string()));
            let (negative, positive) = classes.clone().or_else(number).unwrap_or_default();
            format!("The target is +1 for {positive} and -1 for {negative}.")
        }
        (None, _) => format!(
            "The target has mean {} and deviation {} over all rows.",
            short(moments.mean()),
            short(moments.deviation())
        ),
    };
    let words = format!(
        "{}: {rows} rows{}, {} inputs, target {}: {}",
        args.file.display(),
        if own.cut { " were read in time" } else { "" },
        table.input_names.len(),
        table.target_name,
        match several {
            Some(classes) => format!("{classes} classes"),
            None if binary => "two classes".to_owned(),
            None => "regression".to_owned(),
        }
    );
    let words = std::iter::once(words).chain(own.notes).collect::<Vec<_>>().join("\n  ");
    let width = table.inputs.cols();
    // Zeros and ones become classes by their signs.
    let target = if middle == Some(0.5) { TargetTransform::Symmetric } else { TargetTransform::Epochs };
    let mut hash = ContentHash::new(rows, &own.columns);
    let mut row = vec![0.0; width];
    for (i, target) in table.targets.iter().enumerate() {
        table.inputs.write_row(i, &mut row);
        hash.update(&row, &[*target]);
    }
    let stated = Preparation { scale: Scale::Epochs, target };
    let order = match args.order {
        RowOrder::File => None,
        // That of `noregret stream --shuffle --seed`.
        RowOrder::Shuffle => {
            let draws = Draws::named(&["stream", &args.seed.to_string(), "order"]);
            Some(draws.at(Role::Start, 0).permutation(rows as usize))
        }
    };
    let preparation = serde_json::json!(stated);
    let word = |key: &str| Value::String(preparation[key].as_str().unwrap_or_default().to_owned());
    let mut stream = Table::new();
    stream.insert("dataset".into(), Value::String(name.to_owned()));
    let played = if args.order == RowOrder::File { "file" } else { "shuffle" };
    stream.insert("order".into(), Value::String(played.into()));
    stream.insert("scale".into(), word("scale"));
    stream.insert("target".into(), word("target"));
    let task = if several.is_some() { "classes".to_owned() } else { format!("{middle:?}") };
    let about = format!("{} epochs {task} {} {}", hash.finish(), order.is_some(), args.seed);
    let content = hex::encode(Sha256::digest(about));
    let quantities = table.input_names.iter().map(|name| is_quantity(name)).collect();
    let (inputs, targets, target) = (table.inputs, table.targets, table.target_name);
    let several = several.is_some();
    let plate = Plate { inputs, targets, order, middle, several, quantities, horizon: rows, content };
    let measure = measured(&plate, labels);
    Ok(Prepared {
        dataset,
        stream,
        plate,
        target,
        rows,
        cut: own.cut,
        measure,
        classes: binary || several,
        constant,
        unit,
        words,
        options,
        kinds,
    })
}

fn short(value: f64) -> String {
    let text = noregret_report::number::significant(value, 6);
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The dataset's declaration in the project at `root`.
fn dataset(args: &CompareArgs, name: &str, own: &Own, root: &Path) -> Result<Dataset, CliError> {
    let addition = Addition { file: args.file.clone(), name: name.to_owned(), options: own.options.clone() };
    let data = std::path::absolute(root.join("data")).map_err(|error| CliError::io("cannot find", root, error))?;
    let dataset = declared(&addition, own, &data).map_err(wrong)?;
    let task: Task = args.task.map_or(dataset.task, Into::into);
    Ok(Dataset { task, ..dataset })
}

/// The text of the dataset's declaration.
///
/// # Errors
/// What cannot be written as TOML.
pub(super) fn declaration(dataset: &Dataset, root: &Path) -> Result<String, CliError> {
    let stated = match &dataset.origin {
        Origin::Path(path) => {
            let root = std::path::absolute(root).map_err(|error| CliError::io("cannot find", root, error))?;
            let inside = path.strip_prefix(root).unwrap_or(path).to_owned();
            Dataset { origin: Origin::Path(inside), ..dataset.clone() }
        }
        _ => dataset.clone(),
    };
    let text = toml::to_string(&stated).map_err(|error| CliError::failed(error.to_string()))?;
    let comment = "# The data of `noregret compare`. The file stays where it is; results are made anew when its content changes,\n\
                   # after `noregret compare` or without `content_sha256` here.\n";
    Ok(format!("{comment}{text}"))
}
