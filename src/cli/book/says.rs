//! What the program says of itself, as Markdown.

use std::fmt::Write as _;

use clap::Command;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::LearnerEntry;
use noregret_core::params::Spec;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;

use crate::cli::describe::fallback;
use noregret_report::analysis::quantity;
use noregret_report::formula;
use noregret_report::trace::gauge::GAUGES;
use noregret_report::trace::{read, schema};
use noregret_study::config::reference::text::markdown;

/// What a marker names.
///
/// # Errors
/// Nothing has this name.
pub(super) fn about(what: &str, command: &Command) -> Result<String, String> {
    match what.split_once(' ').unwrap_or((what, "")) {
        ("commands", "") => commands(command),
        ("files", "") => Ok(markdown()),
        ("learners", "") => Ok(learners()),
        ("pages", "of learners") => {
            Ok(LEARNERS.iter().map(|entry| format!("  - [{0}](learners/{0}.md)\n", entry.name)).collect())
        }
        ("columns", "of a run") => Ok(read::describe(schema::IDENTITY)),
        ("columns", "of its end") => Ok(read::describe(schema::ENDINGS)),
        ("columns", "of a checkpoint") => Ok(read::describe(schema::CHECKPOINTS)),
        ("columns", "of gauges") => Ok(read::describe(GAUGES)),
        ("columns", "of times") => Ok(read::describe(schema::TIMES)),
        ("columns", "of rates") => Ok(read::describe(schema::POINTS)),
        ("quantities", "") => Ok(quantity::describe()),
        _ => Err("there are: commands, files, learners, pages of learners, columns of ..., quantities".into()),
    }
}

/// What `noregret ... --help` prints, for every command that it lists.
fn commands(command: &Command) -> Result<String, String> {
    let mut page = format!("```text\n{}\n```\n", help(command, &[])?);
    for one in listed(command) {
        let name = one.get_name();
        let _ = write!(page, "\n## noregret {name}\n\n```text\n{}\n```\n", help(command, &[name])?);
        for below in listed(one) {
            let below = below.get_name();
            let text = help(command, &[name, below])?;
            let _ = write!(page, "\n### noregret {name} {below}\n\n```text\n{text}\n```\n");
        }
    }
    Ok(page)
}

/// The commands that help names below `command`.
fn listed(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help")
}

/// The heading of the options that every command has. They stand at the program itself.
const SHARED: &str = "Options of all commands:";

/// The text without the part below a heading, which ends at the next line that is not indented.
fn without(text: &str, heading: &str) -> String {
    let mut inside = false;
    let kept = text.lines().filter(|line| {
        inside = *line == heading || inside && (line.is_empty() || line.starts_with(' '));
        !inside
    });
    kept.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// The help of a command, with lines that end in no blanks; of one below the program, without the options that all have.
fn help(command: &Command, path: &[&str]) -> Result<String, String> {
    let words = ["noregret"].into_iter().chain(path.iter().copied()).chain(["--help"]);
    match command.clone().try_get_matches_from(words) {
        Err(error) if error.kind() == clap::error::ErrorKind::DisplayHelp => {
            let text = error.render().to_string();
            let text = text.lines().map(|line| format!("{}\n", line.trim_end())).collect::<String>();
            let text = text.trim_end();
            Ok(if path.is_empty() { text.to_owned() } else { without(text, SHARED) })
        }
        Err(error) => Err(error.to_string()),
        Ok(_) => Err("it has no help".into()),
    }
}

/// All learners as a table.
fn learners() -> String {
    let mut table = "| learner | what it is |\n| --- | --- |\n".to_owned();
    for entry in LEARNERS.iter() {
        let _ = writeln!(table, "| [{0}](learners/{0}.md) | {1} |", entry.name, entry.summary.replace('|', "\\|"));
    }
    table
}

/// The pages of the learners: the path of each, and what it says.
pub(super) fn pages() -> impl Iterator<Item = (String, String)> {
    LEARNERS.iter().map(|entry| (format!("learners/{}.md", entry.name), learner(entry)))
}

/// The text, with links to the pages in `folder` where it names a learner as `fogd`, but for the learner `own`.
pub(super) fn linked(text: &str, folder: &str, own: &str) -> String {
    let others = LEARNERS.names().filter(|name| *name != own);
    others
        .fold(text.to_owned(), |text, name| text.replace(&format!("`{name}`"), &format!("[{name}]({folder}{name}.md)")))
}

/// A learner: what it is, its parameters, its cost, and its own page.
fn learner(entry: &LearnerEntry) -> String {
    let (parameters, cost) = (parameters(entry.params), forecast(entry).unwrap_or_default());
    let page = linked(&typeset(&entry.build.about.text()), "", entry.name);
    format!("# {}\n\n{}.\n\n{parameters}{cost}\n{page}", entry.name, entry.summary)
}

/// The text with the block below its heading "Formula" as HTML that is set like a formula.
fn typeset(text: &str) -> String {
    const BLOCK: [&str; 2] = ["## Formula\n\n```text\n", "\n```\n"];
    let parts = text.split_once(BLOCK[0]).and_then(|(before, rest)| Some((before, rest.split_once(BLOCK[1])?)));
    let Some((before, (lines, after))) = parts else { return text.to_owned() };
    let style = "font-family: serif; font-size: 1.1em; white-space: pre-wrap; line-height: 1.6";
    format!("{before}## Formula\n\n<pre style=\"{style}\">\n{}\n</pre>\n{after}", formula::html(lines))
}

/// The parameters as a table.
fn parameters(params: &[Spec]) -> String {
    if params.is_empty() {
        return "It has no parameters.\n".into();
    }
    let mut table = "| parameter | default | values | meaning |\n| --- | --- | --- | --- |\n".to_owned();
    for Spec { name, doc, kind, default } in params {
        let cells = [fallback(default), kind.allowed(), (*doc).to_owned()].map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(table, "| `{name}` | {} | {} | {} |", cells[0], cells[1], cells[2]);
    }
    table
}

/// Operations and memory as the program forecasts them for 10 inputs, where all parameters have defaults.
fn forecast(entry: &LearnerEntry) -> Option<String> {
    let params = check(entry.params, &toml::Table::new(), "", &AllParts).ok()?;
    let mut table = "\nForecast for 10 inputs, with these defaults:\n\n| rounds | operations per round | memory |\n\
                     | ---: | ---: | ---: |\n"
        .to_owned();
    for rounds in [1_000, 10_000, 100_000] {
        let cost = (entry.build.cost)(&params, rounds, 10);
        let [flops, bytes] = [cost.flops / rounds as f64, cost.bytes].map(scaled);
        let _ = writeln!(table, "| {rounds} | {flops} | {bytes}B |");
    }
    Some(table)
}

/// Two digits and a prefix: 12 k, 3.4 M.
fn scaled(value: f64) -> String {
    let prefixes = ["", "k", "M", "G", "T", "P"];
    let power = (value.max(1.0).log10() / 3.0).floor().min(5.0);
    let (short, prefix) = (value / 1000f64.powf(power), prefixes[power as usize]);
    if short < 10.0 { format!("{short:.1} {prefix}") } else { format!("{short:.0} {prefix}") }
}

#[cfg(test)]
mod tests {
    use super::{scaled, typeset, without};

    #[test]
    fn formulas_are_typeset() {
        let text = "a\n\n## Formula\n\n```text\nw <- x^2\n```\n\n## Cost\n\n```text\ny^2\n```\n";
        let page = typeset(text);
        assert!(page.contains("<math><msup>") && !page.contains("```text\nw") && page.ends_with("```text\ny^2\n```\n"));
        assert_eq!(typeset("no formula"), "no formula");
    }

    #[test]
    fn a_part_of_a_text_is_left_out() {
        let text = "Options:\n  -a\n\nOf all:\n  -b\n      more\n\n  -c\n\nLast:\n  -d";
        assert_eq!(without(text, "Of all:"), "Options:\n  -a\n\nLast:\n  -d");
        assert_eq!(without(text, "Last:"), text[..text.len() - 11].trim_end());
    }

    #[test]
    fn numbers_are_shortened() {
        assert_eq!([0.0, 12.0, 9_900.0, 1.25e7].map(scaled), ["0.0 ", "12 ", "9.9 k", "12 M"]);
    }
}
