//! The book as a whole: its table of contents, its links, and the parts that the program generates.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

use noregret::cli::list::fallback;
use noregret::config::study::Kind;
use noregret_core::learner::LEARNERS;
use noregret_core::params::Spec;
use noregret_core::params::check::{allowed, check};
use noregret_core::parts::AllParts;

use super::pages::{all, chapters, generated, root, text};

/// The targets of the links of a page, `[words](target)`.
fn links(page: &str) -> Vec<&str> {
    page.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

#[test]
fn every_chapter_is_in_the_table_of_contents_and_every_link_leads_somewhere() {
    let summary = text("docs/src/SUMMARY.md");
    let listed: BTreeSet<String> = links(&summary).iter().map(|target| format!("docs/src/{target}")).collect();
    let there: BTreeSet<String> = chapters().into_iter().filter(|page| page != "docs/src/SUMMARY.md").collect();
    assert_eq!(listed, there);
    let mut wrong = Vec::new();
    for page in all().iter().map(String::as_str).chain(["CONTRIBUTING.md", "ARCHITECTURE.md"]) {
        for target in links(&text(page)) {
            let file = target.split('#').next().unwrap();
            let outside = target.contains("://") || target.starts_with("mailto:");
            let path = root().join(page).parent().unwrap().join(file);
            if !outside && !file.is_empty() && !path.exists() {
                wrong.push(format!("{page} leads to {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(text("docs/book.toml").parse::<toml::Table>().is_ok());
}

/// What `noregret ... --help` prints, with lines that end in no blanks.
fn help(command: &[&str]) -> String {
    let ended = Command::new(env!("CARGO_BIN_EXE_noregret")).args(command).arg("--help").output().unwrap();
    assert!(ended.status.success(), "{command:?}");
    let text = String::from_utf8(ended.stdout).unwrap();
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect::<String>().trim_end().to_owned()
}

/// The names below `Commands:`.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_chapter_of_commands_is_what_help_says() {
    let whole = help(&[]);
    let mut page = format!("\n```text\n{whole}\n```\n");
    let names = subcommands(&whole);
    assert!(names.len() > 10, "{names:?}");
    for name in &names {
        let own = help(&[name]);
        let _ = write!(page, "\n## noregret {name}\n\n```text\n{own}\n```\n");
        for below in subcommands(&own) {
            let _ = write!(page, "\n### noregret {name} {below}\n\n```text\n{}\n```\n", help(&[name, &below]));
        }
    }
    page.push('\n');
    generated("docs/src/commands.md", &page).unwrap();
}

/// The parameters as a table.
fn parameters(params: &[Spec]) -> String {
    if params.is_empty() {
        return "It has no parameters.\n".into();
    }
    let mut table = "| parameter | default | values | meaning |\n| --- | --- | --- | --- |\n".to_owned();
    for Spec { name, doc, kind, default } in params {
        let cells = [fallback(default), allowed(kind), (*doc).to_owned()].map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(table, "| `{name}` | {} | {} | {} |", cells[0], cells[1], cells[2]);
    }
    table
}

/// Operations and memory as the program forecasts them for 10 inputs, where all parameters have defaults.
fn forecast(entry: &noregret_core::learner::api::LearnerEntry) -> Option<String> {
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

#[test]
fn every_learner_has_a_page_with_its_parameters() {
    let mut wrong = Vec::new();
    let mut list = "\n| learner | what it is |\n| --- | --- |\n".to_owned();
    let figures = crate::studies::all(Kind::Figure);
    for entry in LEARNERS.iter() {
        let page = format!("docs/src/learners/{}.md", entry.name);
        let _ = writeln!(list, "| [{0}](learners/{0}.md) | {1} |", entry.name, entry.summary.replace('|', "\\|"));
        if !root().join(&page).is_file() {
            wrong.push(format!("{page} is not there: write it as the others are"));
            continue;
        }
        let found = text(&page);
        for heading in ["## Formula\n", "## Cost\n", "## When to use it\n"] {
            let body = found.split_once(heading).map_or("", |(_, rest)| rest.split("\n## ").next().unwrap());
            if body.trim().is_empty() {
                wrong.push(format!("{page} says nothing under {heading}"));
            }
        }
        let part =
            format!("\n{}.\n\n{}{}\n", entry.summary, parameters(entry.params), forecast(entry).unwrap_or_default());
        wrong.extend(generated(&page, &part).err());
        for figure in found.split("`figure/").skip(1).filter_map(|rest| rest.split('`').next()) {
            if !figures.iter().any(|(name, _)| name == figure) {
                wrong.push(format!("{page} names figure/{figure}, which is not there"));
            }
        }
    }
    wrong.extend(generated("docs/src/learners.md", &format!("{list}\n")).err());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn numbers_are_shortened() {
    assert_eq!([0.0, 12.0, 9_900.0, 1.25e7].map(scaled), ["0.0 ", "12 ", "9.9 k", "12 M"]);
}
