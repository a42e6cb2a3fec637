//! The file of `noregret compare`: read within its share of the time, and prepared.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use noregret_model::running::{Running, is_quantity};
use noregret_numeric::draw::{Draws, Role};
use sha2::{Digest as _, Sha256};
use toml::{Table, Value};

use crate::cli::compare::name::{name_of, slug};
use crate::cli::error::CliError;
use crate::cli::show::counted;
use noregret_data::declaration::{Dataset, Task};
use noregret_data::encode::choices::{CategoryAs, DateAs, Labels};
use noregret_data::encode::column::EncodedColumn;
use noregret_data::encode::plan::EncodingPlan;
use noregret_data::error::DataError;
use noregret_data::format::ReadOptions;
use noregret_data::own::{Own, table_of};
use noregret_data::prepare::{InputScale, Preparation, TargetTransform};
use noregret_data::table::ContentHash;
use noregret_data::user::{Addition, declared};
use noregret_stream::file_args::FileArgs;
use noregret_study::compare::arena::Plate;
use noregret_study::compare::candidates::Measure;
use noregret_study::compare::crew::{Budget, Clock};
use noregret_study::compare::played::CompareMetric;

/// The most numbers that are kept of a file: 512 MiB. Scaling them takes as much again.
const MOST_NUMBERS: usize = 1 << 26;

/// A file, and what is predicted from what.
#[derive(Args, Clone, Debug)]
pub(crate) struct CompareQuestion {
    /// A file of CSV, JSON lines, Parquet, Arrow IPC, ARFF or LIBSVM text, plain or compressed; or a folder or a pattern in
    /// quotes ('parts/*.parquet'), which is its files one after the other, by name. They stay where they are. Columns of words and
    /// dates are recognised, and gaps are filled
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How the file is read
    #[command(flatten)]
    pub columns: FileArgs,
    /// Further columns to predict. The targets are compared one after the other, each within its share of the budget and in a
    /// folder of its own; no target is an input of another one
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', requires = "target")]
    pub further_targets: Vec<String>,
    /// What is predicted [default: binary if the target has two values, classes if it has other words]
    #[arg(long, value_enum, value_name = "TASK")]
    pub task: Option<TaskChoice>,
    /// The order of the rows: of the file, or a random one, the same for all learners
    #[arg(long, value_enum, value_name = "ORDER", default_value_t)]
    pub order: RowOrder,
}

/// What is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskChoice {
    /// A quantity
    Regression,
    /// One of two classes
    Binary,
    /// One of several classes, in the words of the file; errors decide
    Classes,
}

/// The order of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowOrder {
    /// As in the file
    #[default]
    File,
    /// Random, by the seed
    Shuffle,
}

/// A file, ready to be played.
pub(super) struct Opened {
    /// What is known of it.
    pub facts: FileFacts,
    /// Its rows.
    pub plate: Plate,
    /// The rows as `auto` reads them, with codes of words and calendars, and the parameter that tells it of the codes.
    pub auto: Option<(Plate, Table)>,
}

/// What is known of a file.
pub(super) struct FileFacts {
    /// The file as the user named it.
    pub file: PathBuf,
    /// The name of dataset and experiment.
    pub name: String,
    /// The folder of the project.
    pub root: PathBuf,
    /// Its declaration, where it was read to its end.
    pub dataset: Option<Dataset>,
    /// Its `[stream]` in an experiment.
    pub stream: Table,
    /// The name of the target.
    pub target: String,
    /// Number of rows that were read.
    pub rows: u64,
    /// Whether rows are in the order of the file.
    pub in_order: bool,
    /// Whether there are more rows, which were not read.
    pub cut: bool,
    /// What decides.
    pub metric: CompareMetric,
    /// What the grids need to know.
    pub measure: Measure,
    /// Whether targets are classes.
    pub classes: bool,
    /// Why there is nothing to compare on these rows, where there is not.
    pub pointless: Option<String>,
    /// In which unit an experiment's losses are.
    pub unit: String,
    /// What it is, and what was found out about its columns.
    pub words: String,
    /// How it is read, as `noregret stream` takes it.
    pub options: ReadOptions,
    /// Whether there are columns of categories, and of dates.
    pub kinds: [bool; 2],
}

/// What a target is.
#[derive(Clone, Copy)]
struct FileTarget {
    /// Whether it is one of two classes.
    binary: bool,
    /// How many classes there are, where it is the words of one of several.
    several: Option<usize>,
    /// What lies between the two classes.
    middle: Option<f64>,
}

/// Opens a file.
pub(super) struct Opening<'a> {
    /// Which file, and what is asked of it.
    pub question: &'a CompareQuestion,
    /// What decides. Several classes make it errors.
    pub metric: CompareMetric,
    /// The folder of the project, where the user named one.
    pub output: Option<&'a Path>,
    /// Seed of all random draws.
    pub seed: u32,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// How long it may take, of which reading has a share.
    pub budget: Budget,
}

/// The classes of a target that is one of several.
fn classes(own: &Own) -> Option<usize> {
    own.plan.as_ref()?.target.words().map(<[String]>::len)
}

impl Opening<'_> {
    /// Reads the file and prepares its rows; `say` is told what it is.
    ///
    /// # Errors
    /// A file that cannot be read, or of which this cannot be asked; a folder that compares something else.
    pub(super) fn open(mut self, say: &dyn Fn(&str)) -> Result<Opened, CliError> {
        let own = self.read(None)?;
        let several = classes(&own);
        self.metric = self.metric_of(several)?;
        let name = name_of(&self.question.file);
        let root = self.folder(&name, &own.table.target_name)?;
        let (facts, plate) = self.prepared(own, several, name, root)?;
        say(&facts.words);
        let auto = if facts.pointless.is_none() { self.for_auto(&facts, &plate) } else { None };
        Ok(Opened { facts, plate, auto })
    }

    /// Reads the file, as far as its share of the time, from now on, and of the memory allows. `positive` is the word of the
    /// class +1, where that is not the user's.
    fn read(&self, positive: Option<String>) -> Result<Own, CliError> {
        let CompareQuestion { file, columns, task, .. } = self.question;
        let begin = self.clock.seconds();
        if file == Path::new("-") {
            let why = "-: compare reads the rows several times, and its project reads them again: put them into a file";
            return Err(CliError::usage(why));
        }
        let stop = |_, numbers, pass| {
            // Where gaps are looked for first, the rows are read in the other half of the time.
            let share = if pass == 0 { 0.5 } else { 1.0 };
            numbers >= MOST_NUMBERS || self.clock.seconds() - begin >= share * self.budget.reading()
        };
        let columns = FileArgs { positive: positive.or_else(|| columns.positive.clone()), ..columns.clone() };
        let mut options = columns.options();
        // As in the command that is printed: in the order of the file, later rows are not known.
        options.encoding.first_cell = self.question.order == RowOrder::File;
        if *task == Some(TaskChoice::Classes) {
            options.encoding.labels = Labels::Always(Vec::new());
        }
        match table_of(file, &options, &stop) {
            Err(DataError::Classes { .. } | DataError::OtherClass { .. })
                if task.is_none() && columns.positive.is_none() =>
            {
                options.encoding.labels = Labels::Words;
                Ok(table_of(file, &options, &stop)?)
            }
            other => Ok(other?),
        }
    }

    /// What decides: errors where the target is one of several classes.
    fn metric_of(&self, several: Option<usize>) -> Result<CompareMetric, CliError> {
        match (several, self.metric) {
            (None, metric) => Ok(metric),
            (Some(_), CompareMetric::Squared | CompareMetric::Error) => Ok(CompareMetric::Error),
            (Some(classes), CompareMetric::Absolute) => Err(CliError::usage(format!(
                "--metric absolute is for numbers; the target is one of {classes} classes, which errors judge"
            ))),
        }
    }

    /// The folder of the project that compares this target of the file: the one that was asked for, or one that is named by
    /// file and target. It is an error if the folder compares something else.
    fn folder(&self, name: &str, target: &str) -> Result<PathBuf, CliError> {
        let CompareQuestion { columns, further_targets, .. } = self.question;
        // Of several targets, each has a folder in the one that was named.
        let named = columns.target.as_ref().filter(|_| !further_targets.is_empty());
        let folder = match (self.output, named) {
            (Some(folder), Some(target)) => folder.join(slug(Path::new(target))),
            (Some(folder), None) => folder.to_owned(),
            (None, _) => format!("{name}-{}-compare", slug(Path::new(target))).into(),
        };
        if folder.is_file() {
            let why = format!("--output {}: it is a file, and a comparison is written into a folder", folder.display());
            return Err(CliError::usage(format!("{why}: name another one")));
        }
        let Some((file, other)) = compared(&folder, name) else { return Ok(folder) };
        // A file that is gone, as after a move, is not another one.
        let here = self.question.file.canonicalize();
        let moved = file.canonicalize().map_or(true, |file| here.as_ref().is_ok_and(|here| *here == file));
        if moved && other == target {
            return Ok(folder);
        }
        let why = format!("{} compares the target {other} of {}", folder.display(), file.display());
        Err(CliError::usage(format!("{why}: choose another folder with --output")))
    }

    /// Prepares the rows that were read, of which `several` says into how many classes they fall.
    fn prepared(
        &self,
        own: Own,
        several: Option<usize>,
        name: String,
        root: PathBuf,
    ) -> Result<(FileFacts, Plate), CliError> {
        let two = own.values.as_ref().is_some_and(|values| values.len() == 2) && several.is_none();
        let binary = self.question.task.map_or(two, |task| task == TaskChoice::Binary);
        if binary && own.values.is_none() {
            return Err(CliError::usage("--task binary: the target has more than two values"));
        }
        if self.metric == CompareMetric::Error && !binary && several.is_none() {
            return Err(CliError::usage("--metric error is for targets with two values; this one is a quantity"));
        }
        let own = if binary { self.as_classes(own)? } else { own };
        // Experiments have two classes at most, and datasets one file.
        let none = own.cut || several.is_some() || !own.parts.is_empty();
        let dataset = if none { None } else { Some(self.dataset(&name, &own, &root)?) };
        let middle = own.values.as_deref().filter(|_| binary).and_then(middle);
        let kind = FileTarget { binary, several, middle };
        let mut options = own.options.clone();
        if let Some((_, positive)) = own.classes.as_ref().filter(|_| binary) {
            // Other commands take words for classes of their own.
            options.encoding.positive.get_or_insert_with(|| positive.clone());
        }
        let rows = own.table.targets.len() as u64;
        let constant = own.values.as_ref().filter(|values| values.len() == 1).map(|values| values[0]);
        let any = |kind: fn(&EncodedColumn) -> bool| own.plan.iter().flat_map(|plan| &plan.columns).any(kind);
        let kinds = [any(EncodedColumn::is_category), any(EncodedColumn::is_date)];
        let (stream, unit, words) = (self.stream(&name, kind), unit(&own, kind), self.words(&own, kind));
        let cut = own.cut;
        let (plate, target) = self.plate(own, kind);
        let labels = self.metric == CompareMetric::Error && (middle == Some(0.0) || several.is_some());
        let facts = FileFacts {
            file: self.question.file.clone(),
            name,
            root,
            dataset,
            stream,
            target,
            rows,
            in_order: self.question.order == RowOrder::File,
            cut,
            metric: self.metric,
            measure: plate.measure(labels),
            classes: binary || several.is_some(),
            pointless: pointless(rows, constant),
            unit,
            words,
            options,
            kinds,
        };
        Ok((facts, plate))
    }

    /// Reads two numbers as the classes -1 and +1: the larger one is +1. Zeros and ones stay what they are, unless errors
    /// decide: learners of labels take part then.
    fn as_classes(&self, own: Own) -> Result<Own, CliError> {
        let Some([low, high]) = own.values.as_deref() else { return Ok(own) };
        let (bits, high) = ((*low, *high) == (0.0, 1.0), *high);
        if (*low, high) == (-1.0, 1.0) || (bits && self.metric != CompareMetric::Error) {
            return Ok(own);
        }
        match self.read(Some(high.to_string())) {
            Ok(found) if found.values.as_deref() == Some(&[-1.0, 1.0]) => Ok(found),
            // They are written in another way, such as 1.0.
            _ if bits => Ok(own),
            _ => Err(CliError::usage(format!(
                "the classes are numbers of which {high} is one: choose it, as the file writes it, with --positive"
            ))),
        }
    }

    /// The dataset's declaration in the project at `root`.
    fn dataset(&self, name: &str, own: &Own, root: &Path) -> Result<Dataset, CliError> {
        let CompareQuestion { file, task, .. } = self.question;
        let addition = Addition { file: file.clone(), name: name.to_owned(), options: own.options.clone() };
        let data = std::path::absolute(root.join("data")).map_err(|error| CliError::io("cannot find", root, error))?;
        let dataset = declared(&addition, own, &data)?;
        let task = match task {
            None => dataset.task,
            Some(TaskChoice::Regression) => Task::Regression,
            Some(TaskChoice::Binary | TaskChoice::Classes) => Task::Classification,
        };
        Ok(Dataset { task, ..dataset })
    }

    /// The `[stream]` of an experiment.
    fn stream(&self, name: &str, kind: FileTarget) -> Table {
        // Zeros and ones become classes by their signs.
        let target = if kind.middle == Some(0.5) { TargetTransform::Symmetric } else { TargetTransform::Epochs };
        let preparation = serde_json::json!(Preparation { scale: InputScale::Epochs, target });
        let word = |key: &str| preparation[key].as_str().unwrap_or_default();
        let order = if self.question.order == RowOrder::File { "file" } else { "shuffle" };
        let fields = [("dataset", name), ("order", order), ("scale", word("scale")), ("target", word("target"))];
        fields.into_iter().map(|(key, value)| (key.to_owned(), Value::String(value.to_owned()))).collect()
    }

    /// What the file is, and what was found out about its columns.
    fn words(&self, own: &Own, kind: FileTarget) -> String {
        let table = &own.table;
        let words = format!(
            "{}: {}{}, {}, target {}: {}",
            self.question.file.display(),
            counted(table.targets.len(), "row"),
            if own.cut { " read in time" } else { "" },
            counted(table.input_names.len(), "input"),
            table.target_name,
            match kind.several {
                Some(classes) => format!("{classes} classes"),
                None if kind.binary => "two classes".to_owned(),
                None => "regression".to_owned(),
            }
        );
        std::iter::once(&words).chain(&own.notes).map(String::as_str).collect::<Vec<_>>().join("\n  ")
    }

    /// The rows in the order in which they are played, and the name of the target.
    fn plate(&self, own: Own, FileTarget { several, middle, .. }: FileTarget) -> (Plate, String) {
        let table = own.table;
        let rows = table.targets.len();
        let mut hash = ContentHash::new(rows as u64, &own.columns);
        let mut row = vec![0.0; table.inputs.cols()];
        for (i, target) in table.targets.iter().enumerate() {
            table.inputs.write_row(i, &mut row);
            hash.update(&row, &[*target]);
        }
        let order = match self.question.order {
            RowOrder::File => None,
            // That of `noregret stream --shuffle --seed`.
            RowOrder::Shuffle => {
                let draws = Draws::named(&["stream", &self.seed.to_string(), "order"]);
                Some(draws.at(Role::Start, 0).permutation(rows))
            }
        };
        let task = if several.is_some() { "classes".to_owned() } else { format!("{middle:?}") };
        let about = format!("{} epochs {task} {} {}", hash.finish(), order.is_some(), self.seed);
        let plate = Plate {
            inputs: table.inputs,
            targets: table.targets,
            order,
            middle,
            several,
            quantities: table.input_names.iter().map(|name| is_quantity(name)).collect(),
            content: hex::encode(Sha256::digest(about)),
        };
        (plate, table.target_name)
    }

    /// The rows as `auto` reads them where nobody says how. None where it reads them as the others do, or where reading them
    /// again takes longer than the rest of the share of the time.
    fn for_auto(&self, facts: &FileFacts, plate: &Plate) -> Option<(Plate, Table)> {
        let CompareQuestion { file, columns, .. } = self.question;
        if columns.category_as.is_some() || columns.date_as.is_some() || facts.kinds == [false, false] {
            return None;
        }
        let mut options = facts.options.clone();
        options.encoding.category_as = CategoryAs::Codes;
        options.encoding.date_as = DateAs::Calendar;
        let own = table_of(file, &options, &|_, _, _| self.clock.seconds() >= self.budget.reading()).ok()?;
        if own.table.targets != plate.targets {
            return None;
        }
        let codes = own.plan.as_ref().map(EncodingPlan::codes).unwrap_or_default();
        let codes: Vec<Value> = codes.into_iter().map(|number| Value::Integer(number as i64)).collect();
        let words = (!codes.is_empty()).then(|| ("words".to_owned(), Value::Array(vec![Value::Array(codes)])));
        let plate = Plate {
            quantities: own.quantities,
            inputs: own.table.inputs,
            targets: own.table.targets,
            order: plate.order.clone(),
            content: format!("{} codes and calendar", plate.content),
            ..*plate
        };
        Some((plate, words.into_iter().collect()))
    }
}

/// What the project at `root` compares, by its declaration of the dataset `name`: the file and its target.
fn compared(root: &Path, name: &str) -> Option<(PathBuf, String)> {
    let text = std::fs::read_to_string(root.join(format!("pipeline/datasets/{name}.toml"))).ok()?;
    let declared: Table = text.parse().ok()?;
    let word = |key: &str| declared.get(key)?.as_str().map(str::to_owned);
    Some((root.join(word("path")?), word("target")?))
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

/// In which unit an experiment's losses are.
fn unit(own: &Own, kind: FileTarget) -> String {
    if kind.middle.is_some() {
        let number = || own.values.as_ref().map(|values| (values[0].to_string(), values[1].to_string()));
        let (negative, positive) = own.classes.clone().or_else(number).unwrap_or_default();
        return format!("The target is +1 for {positive} and -1 for {negative}.");
    }
    let mut moments = Running::default();
    own.table.targets.iter().for_each(|target| moments.observe(*target));
    let [mean, deviation] = [moments.mean(), moments.deviation()].map(short);
    format!("The target has mean {mean} and deviation {deviation} over all rows.")
}

fn short(value: f64) -> String {
    let text = noregret_report::number::significant(value, 6);
    let zeros = text.contains('.') && !text.contains('e');
    if zeros { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Why there is nothing to compare on these rows, of which all may have the same target.
fn pointless(rows: u64, constant: Option<f64>) -> Option<String> {
    if rows < 2 {
        let rows = if rows == 1 { "1 row" } else { "no rows" };
        let why =
            "half of the rows choose the settings and the other half judges them, so it takes 2, and 100 for intervals";
        return Some(format!("No winner: the file has {rows} to play; {why}."));
    }
    let so = "every learner that predicts it is right, and nothing can be learnt";
    constant.map(|value| format!("No winner: the target is {value} in every row, so that {so}."))
}
