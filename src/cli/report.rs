//! `noregret report`: brings the report up to date with what is there, and opens it. Runs no cell.

use clap::Args;

use super::CliError;
use super::exit;
use super::select::Select;
use crate::config::project::Project;
use crate::exec::engine::{RunRequest, dry_run};
use crate::exec::store::Store;

/// Arguments of `noregret report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The profile, where it is not the default
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
}

/// Says where the report is and whether it is up to date; opens it if asked to.
pub fn run(project: &Project, args: &ReportArgs) -> Result<u8, CliError> {
    let page = project.reports().join("index.html");
    let select = Select { profile: args.profile.clone(), ..Select::default() };
    let (_, graph) = select.graph(project)?;
    let store = Store::new(project.root());
    let request = RunRequest { targets: vec!["report".into()], ..RunRequest::default() };
    let (plan, _) = dry_run(&graph, &request, &store).map_err(exit::Stop::from)?;
    if !page.is_file() {
        return Err(CliError::failed("there is no report yet; `noregret run` makes it"));
    }
    if !plan.steps.is_empty() {
        eprintln!("the report is not up to date: {} items are to be made; `noregret run report`", plan.steps.len());
    }
    super::show(&format!("{}\n", page.display()))?;
    if args.open {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let opened = std::process::Command::new(opener).arg(&page).status();
        if !opened.is_ok_and(|status| status.success()) {
            return Err(CliError::failed(format!("{opener} could not open {}", page.display())));
        }
    }
    Ok(exit::DONE)
}
