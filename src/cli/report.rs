//! `noregret report`: brings the report up to date with the results, and opens it. It runs no cell.

use clap::Args;

use super::error::CliError;
use super::exit;
use super::run::{self, RunArgs};
use super::select::Select;
use super::show::{counted, show};
use crate::config::project::Project;
use noregret_engine::exec::engine::{RunRequest, dry_run};
use noregret_engine::exec::progress::tell;
use noregret_engine::exec::store::Store;

/// Arguments of `noregret report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The profile [default: paper, or NOREGRET_PROFILE]
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Open the report in the browser
    #[arg(long)]
    open: bool,
}

/// Makes the report if no cell has to run for it, prints its path, and opens it on request.
pub fn run(project: &Project, args: &ReportArgs) -> Result<u8, CliError> {
    let page = project.reports().join("index.html");
    let select = Select { profile: args.profile.clone(), offline: true, ..Select::default() };
    let graph = select.graph(project)?;
    let store = Store::new(project.root());
    let request = RunRequest { targets: vec!["report".into()], ..RunRequest::default() };
    let (plan, _) = dry_run(&graph, &request, &store).map_err(CliError::from)?;
    let cells = plan.steps.iter().filter(|step| graph.stages[step.stage].work.is_cell()).count();
    let mut status = exit::DONE;
    if cells > 0 {
        let has = if cells == 1 { "has" } else { "have" };
        tell(&format!(
            "{} {has} no current result, so this is the previous report; `noregret run` brings it up to date\n",
            counted(cells, "cell")
        ));
    } else if !plan.steps.is_empty() {
        let run = RunArgs { select: Select { words: request.targets, ..select }, ..RunArgs::default() };
        status = run::run(&run, &graph, &store, &mut std::io::stdout().lock())?;
    }
    if !page.is_file() {
        return Err(CliError::failed("there is no report yet; `noregret run` makes it"));
    }
    show(&format!("{}\n", page.display()))?;
    if args.open {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let opened = std::process::Command::new(opener).arg(&page).status();
        if !opened.is_ok_and(|status| status.success()) {
            return Err(CliError::failed(format!("{opener} could not open {}", page.display())));
        }
    }
    Ok(status)
}
