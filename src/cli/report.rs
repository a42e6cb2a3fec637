//! `noregret report`: makes the report from the results that are there, and opens it. It runs no cell.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::engine::ArgValueCandidates;

use super::complete;
use super::diff;
use super::error::CliError;
use super::exit;
use super::run::{self, RunArgs};
use super::select::SelectArgs;
use super::show::{json, show};
use noregret_engine::exec::engine::RunSummary;
use noregret_engine::exec::progress::tell;
use noregret_report::against::{compare, html};
use noregret_report::exhibit::{Body, Exhibit};
use noregret_report::table::latex::latex_for_two_columns;
use noregret_study::config::project::Project;

/// Arguments of `noregret report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The profile [default: paper, or NOREGRET_PROFILE]
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(complete::profiles))]
    profile: Option<String>,
    /// Open the report in the browser
    #[arg(long)]
    open: bool,
    /// Compare the runs with those of another project, a variant (`variants/NAME`) or a results folder, on a page of
    /// their own: what differs comes first
    #[arg(long, value_name = "DIR")]
    against: Option<PathBuf>,
    /// Draw figures in a style of your own (font, sizes, colours; docs/src/report.md): a report of its own, in `variants/`
    #[arg(long, value_name = "FILE.toml")]
    style: Option<PathBuf>,
    /// Also write a table for a LaTeX article in two columns, with these columns of its CSV file in this order (as printed
    /// without `=...`): `rates=theorem,exponent,verdict` writes `reports/tables/rates-column.tex`
    #[arg(long, value_name = "TABLE[=COLUMN,...]", conflicts_with = "against")]
    table_columns: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Makes the report from the cells that are there, prints its path, and opens it on request. The report lists what is
/// missing.
pub(crate) fn run(project: &Project, args: &ReportArgs) -> Result<u8, CliError> {
    if let Some(other) = &args.against {
        let page = against(project, other)?;
        return finish(args, &page, exit::DONE);
    }
    let (words, style) = (vec!["report".to_owned()], args.style.clone());
    let select = SelectArgs { words, profile: args.profile.clone(), offline: true, style, ..SelectArgs::default() };
    let graph = select.graph(project)?;
    let store = select.store(project.root())?;
    let page = store.base().join("reports").join("index.html");
    let run = RunArgs { select, no_cells: true, ..RunArgs::default() };
    let made = run::make(&run, &graph, &store)?;
    // Cells that are missing are told of, and are no failure of the report.
    let status = exit::of_run(&RunSummary { absent: 0, ..made }, false);
    if !page.is_file() {
        return Err(CliError::failed("the report could not be made"));
    }
    for asked in &args.table_columns {
        let path = table_columns(&store.base(), asked)?;
        tell(&format!("{}\n", path.display()));
    }
    finish(args, &page, status)
}

/// Writes the table that `asked` names, with the columns that it names, for an article in two columns.
fn table_columns(base: &Path, asked: &str) -> Result<PathBuf, CliError> {
    let (name, columns) = asked.split_once('=').unwrap_or((asked, ""));
    let columns: Vec<String> = columns.split(',').filter(|column| !column.is_empty()).map(str::to_owned).collect();
    let folders = ["tables", "timings"].map(|folder| base.join("reports").join(folder));
    let files = folders.iter().map(|folder| folder.join(format!("{name}.json")));
    let Some((folder, file)) = folders.iter().zip(files).find(|(_, file)| file.is_file()) else {
        return Err(CliError::usage(format!(
            "--table-columns {asked}: the report has no table `{name}`; `noregret list stages` has them as table/NAME"
        )));
    };
    let bytes = fs::read(&file).map_err(|error| CliError::io("cannot read", &file, error))?;
    let exhibit: Exhibit = serde_json::from_slice(&bytes).map_err(|error| {
        CliError::failed(format!("{}: {error}; `noregret run table/{name}` makes it anew", file.display()))
    })?;
    let Body::Table(grid) = &exhibit.body else {
        return Err(CliError::usage(format!("--table-columns {asked}: `{name}` is a figure")));
    };
    let shows = exhibit.caption.first().map_or("", String::as_str);
    let text = latex_for_two_columns(grid, &columns, &exhibit.title, shows, name)
        .map_err(|why| CliError::usage(format!("--table-columns {asked}: {why}")))?;
    let path = folder.join(format!("{name}-column.tex"));
    fs::write(&path, text).map_err(|error| CliError::io("cannot write", &path, error))?;
    Ok(path)
}

/// Writes the page that compares the project's runs with those of another folder, and a CSV file of all rows.
fn against(project: &Project, other: &Path) -> Result<PathBuf, CliError> {
    let shown = ["this project".to_owned(), other.display().to_string()];
    let names = shown.each_ref().map(String::as_str);
    let ((here, early), (there, others)) = (diff::values(project.root())?, diff::values(other)?);
    let mut found = compare(names, [&here, &there]);
    for (name, count) in names.into_iter().zip([early, others]).filter(|(_, count)| *count > 0) {
        found.summary.push(format!("Runs of {name} that diverged or failed, which are left out: {count}."));
    }
    let failed =
        |error: &dyn std::fmt::Display| CliError::failed(format!("the comparison could not be written: {error}"));
    let page = html(names, &found).map_err(|error| failed(&error))?;
    let csv = found.grid.csv().map_err(|error| failed(&error))?;
    let folder = project.reports();
    fs::create_dir_all(&folder).map_err(|error| CliError::io("cannot make", &folder, error))?;
    for (name, bytes) in [("against.csv", csv), ("against.html", page.into_bytes())] {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(|error| CliError::io("cannot write", &path, error))?;
    }
    found.summary.iter().for_each(|line| tell(&format!("{line}\n")));
    Ok(folder.join("against.html"))
}

/// Prints the path of a page, and opens it on request.
fn finish(args: &ReportArgs, page: &Path, status: u8) -> Result<u8, CliError> {
    if args.json {
        json(&serde_json::json!({ "report": page }), &mut std::io::stdout().lock())?;
    } else {
        show(&format!("{}\n", page.display()))?;
    }
    if args.open {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let opened = std::process::Command::new(opener).arg(page).status();
        if !opened.is_ok_and(|status| status.success()) {
            return Err(CliError::failed(format!("{opener} could not open {}", page.display())));
        }
    }
    Ok(status)
}
