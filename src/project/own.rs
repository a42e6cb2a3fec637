//! A project of one's own: an experiment, a figure and tables, with comments that say how to go on.

use std::path::Path;

use super::write::Template;
use noregret_data::declaration::{Dataset, Task};
use noregret_data::error::DataError;
use noregret_data::table::scan;
use noregret_study::config::learners::Learners;
use noregret_study::config::reference::FileKind;

/// Rows up to which exact kernel methods are among the learners.
const EXACT: u64 = 3_000;
/// Rows up to which a run takes all of them.
const ALL: u64 = 50_000;
/// Inputs up to which Taylor features of order 2 are few.
const NARROW: u64 = 40;

/// What the template says of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnData {
    /// Name of the dataset.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
    /// Number of inputs.
    pub inputs: u64,
    /// The transform of the target in experiments, and why.
    target: (&'static str, &'static str),
    /// The baseline.
    baseline: &'static str,
}

/// Target and its transforms.
const QUANTITY: (&str, &str) =
    ("epochs", "so are targets; losses are in their units; or \"standardise\", \"unit\", \"none\"");

impl OwnData {
    /// The dataset that is compiled into the program.
    pub(crate) fn embedded() -> Self {
        Self { name: "wine-quality".into(), rows: 1599, inputs: 11, target: QUANTITY, baseline: "running-mean" }
    }

    /// A dataset that was registered; its targets are read to see how classes are written.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn of(dataset: &Dataset) -> Result<Self, DataError> {
        let (target, baseline) = match dataset.task {
            Task::Regression => (QUANTITY, "running-mean"),
            Task::Classes => (("none", "the classes"), "majority"),
            Task::Classification => {
                let mut least = f64::INFINITY;
                // A file of the user's own needs no folder of raw data.
                scan(dataset.open(Path::new(""))?.as_mut(), |_, targets| {
                    least = targets.iter().copied().fold(least, f64::min);
                })?;
                let signs = ("sign", "the two classes as -1 and +1");
                let ends = ("symmetric", "the two classes, the smaller as -1 and the larger as +1");
                (if least <= 0.0 { signs } else { ends }, "majority")
            }
        };
        Ok(Self { name: dataset.name.clone(), rows: dataset.rows, inputs: dataset.inputs, target, baseline })
    }
}

/// The files of a project that compares learners on `data`. Where `declares` is set, it declares the embedded dataset.
pub(crate) fn template(data: &OwnData, declares: bool) -> Template {
    let OwnData { name, rows, inputs, target, baseline } = data;
    let short = *rows <= EXACT;
    let values: [(&str, String); 15] = [
        ("exact", if short { include_str!("templates/exact.toml").into() } else { String::new() }),
        ("dataset", name.clone()),
        ("rows", rows.to_string()),
        ("inputs", inputs.to_string()),
        ("bandwidth", format!("{:.1}", (2.0 * *inputs as f64).sqrt())),
        ("half", format!("{:.1}", (0.5 * *inputs as f64).sqrt())),
        ("target", target.0.into()),
        ("target_doc", target.1.into()),
        ("baseline", (*baseline).into()),
        ("replicates", if short { "5" } else { "3" }.into()),
        ("many", if short { "30" } else { "10" }.into()),
        ("horizon", if *rows <= ALL { "\"all\"".into() } else { ALL.to_string() }),
        ("trial", (*rows).min(2_000).to_string()),
        ("quick", (*rows).min(500).to_string()),
        ("order", if *inputs <= NARROW { "[1, 2]" } else { "1" }.into()),
    ];
    let fill = |text: &str| {
        values.iter().fold(text.to_owned(), |text, (key, value)| text.replace(&format!("{{{{{key}}}}}"), value))
    };
    let mut template = Template::new()
        .with("pipeline/profiles.toml", include_str!("templates/profiles.toml"))
        .with("pipeline/experiments/learners.toml", fill(include_str!("templates/experiment.toml")));
    if declares {
        template = template.with("pipeline/datasets/wine-quality.toml", include_str!("templates/dataset.toml"));
    }
    let template = schemas(template);
    template
        .with_default("README.md", fill(include_str!("templates/README.md")))
        .with_default(".gitignore", include_str!("templates/gitignore"))
}

/// With the JSON Schema of each kind of file, to which the comments `#:schema` refer ([`FileKind::schema_path`]).
pub(crate) fn schemas(template: Template) -> Template {
    FileKind::ALL.into_iter().fold(template, |template, file| {
        // Formatting a value cannot fail; its alternate form is indented.
        template.with(file.schema_path(), format!("{:#}\n", file.schema(&Learners::default())))
    })
}
