//! `noregret report`: makes the report from the results that are there, and opens it. It runs no cell.

use clap::Args;
use clap_complete::engine::ArgValueCandidates;

use super::complete;
use super::error::CliError;
use super::exit;
use super::run::{self, RunArgs};
use super::select::Select;
use super::show::{json, show};
use crate::config::project::Project;
use noregret_engine::exec::engine::RunSummary;
use noregret_engine::exec::store::Store;

/// Arguments of `noregret report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The profile [default: paper, or NOREGRET_PROFILE]
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(complete::profiles))]
    profile: Option<String>,
    /// Open the report in the browser
    #[arg(long)]
    open: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Makes the report from the cells that are there, prints its path, and opens it on request. The report lists what is
/// missing.
pub fn run(project: &Project, args: &ReportArgs) -> Result<u8, CliError> {
    let page = project.reports().join("index.html");
    let words = vec!["report".to_owned()];
    let select = Select { words, profile: args.profile.clone(), offline: true, ..Select::default() };
    let graph = select.graph(project)?;
    let store = Store::new(project.root());
    let run = RunArgs { select, no_cells: true, ..RunArgs::default() };
    let made = run::make(&run, &graph, &store)?;
    // Cells that are missing are told of, and are no failure of the report.
    let status = exit::of_run(&RunSummary { absent: 0, ..made }, false);
    if !page.is_file() {
        return Err(CliError::failed("the report could not be made"));
    }
    if args.json {
        json(&serde_json::json!({ "report": page }), &mut std::io::stdout().lock())?;
    } else {
        show(&format!("{}\n", page.display()))?;
    }
    if args.open {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let opened = std::process::Command::new(opener).arg(&page).status();
        if !opened.is_ok_and(|status| status.success()) {
            return Err(CliError::failed(format!("{opener} could not open {}", page.display())));
        }
    }
    Ok(status)
}
