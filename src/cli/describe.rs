//! `noregret describe NAME`: a kind of file, or anything that has a name (see [`super::list`]).

use super::error::CliError;
use super::list::{self, DescribeArgs};
use noregret_study::config::learners::Learners;
use noregret_study::config::project::Project;
use noregret_study::config::reference::File;
use noregret_study::config::reference::text::terminal;

/// The text of the command.
pub(crate) fn describe(project: Option<&Project>, args: &DescribeArgs) -> Result<String, CliError> {
    match (File::find(&args.name), args.schema) {
        (Some(file), true) => {
            let learners = project.map_or_else(|| Ok(Learners::default()), |project| Learners::load(project.root()))?;
            let schema = serde_json::to_string_pretty(&file.schema(&learners));
            schema
                .map(|text| text + "\n")
                .map_err(|error| CliError::failed(format!("cannot write the schema: {error}")))
        }
        (Some(file), false) => Ok(terminal(file)),
        (None, true) => {
            let names: Vec<&str> = File::ALL.iter().map(|file| file.name()).collect();
            Err(CliError::usage(format!(
                "--schema: `{}` is no kind of file; there are: {}",
                args.name,
                names.join(", ")
            )))
        }
        (None, false) => list::describe(project, args),
    }
}
