//! The book as a whole: its table of contents, its links, and what the program says of itself in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use noregret_core::learner::LEARNERS;
use noregret_study::config::study::ItemKind;

use super::pages::{all, chapters, made, root, text};

/// The targets of the links of a page, `[words](target)`.
fn links(page: &str) -> Vec<&str> {
    page.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

/// The anchors that mdBook and GitHub give the headings of a page.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let letter = |c: char| match c {
        c if c.is_whitespace() => Some('-'),
        c if c.is_alphanumeric() || "-_".contains(c) => Some(c),
        _ => None,
    };
    headings.map(|heading| heading.to_lowercase().chars().filter_map(letter).collect()).collect()
}

/// The links of a page that lead nowhere.
fn broken(path: &Path) -> Vec<String> {
    let page = fs::read_to_string(path).unwrap();
    let outside = |target: &&str| target.contains("://") || target.starts_with("mailto:");
    let leads = |target: &&str| {
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let there = if file.is_empty() { path.to_owned() } else { path.parent().unwrap().join(file) };
        let known = || fs::read_to_string(&there).is_ok_and(|page| anchors(&page).contains(anchor));
        there.exists() && (anchor.is_empty() || known())
    };
    let wrong = links(&page).into_iter().filter(|target| !outside(target) && !leads(target));
    wrong.map(|target| format!("{} leads to {target}", path.display())).collect()
}

#[test]
fn every_chapter_is_in_the_table_of_contents_and_every_link_leads_somewhere() {
    let summary = chapter("SUMMARY.md");
    let listed: BTreeSet<String> = links(&summary).iter().map(|target| format!("docs/src/{target}")).collect();
    let learners = LEARNERS.iter().map(|entry| format!("docs/src/learners/{}.md", entry.name));
    let there: BTreeSet<String> =
        chapters().into_iter().filter(|page| page != "docs/src/SUMMARY.md").chain(learners).collect();
    assert_eq!(listed, there);
    let others = ["CONTRIBUTING.md", "ARCHITECTURE.md", "docs/README.md", "results/README.md"];
    let pages = all().into_iter().chain(others.map(str::to_owned)).map(|page| root().join(page));
    let book = chapters().into_iter().map(|page| made().join(page.strip_prefix("docs/").unwrap()));
    let wrong: Vec<String> = pages.chain(book).flat_map(|page| broken(&page)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(text("docs/book.toml").parse::<toml::Table>().is_ok());
}

/// The text of a page of the book that was made.
fn chapter(name: &str) -> String {
    let page = fs::read_to_string(made().join("src").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(!page.contains("<!-- generated"), "{name} is not complete");
    page
}

#[test]
fn every_page_of_the_book_is_complete() {
    for page in chapters() {
        let (there, own) = (chapter(page.strip_prefix("docs/src/").unwrap()), text(&page));
        assert!(own.contains("<!-- generated: ") || own == there, "{page}");
    }
    let kinds = ["experiment", "figure", "table", "rates", "dataset", "profiles", "project"];
    let fields = chapter("toml.md");
    assert!(kinds.iter().all(|kind| fields.contains(&format!("\n## {kind}: `"))), "{fields}");
    let columns = chapter("results.md");
    let names = ["run_id", "status", "t", "norm", "regret", "cpu_ns", "bound"];
    assert!(names.iter().all(|name| columns.contains(&format!("\n| `{name}` |"))), "{columns}");
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
    let page = chapter("commands.md");
    // Options that all commands have stand once, at the program.
    let shared = "\nOptions of all commands:\n";
    let own = |text: &str| {
        let Some((before, rest)) = text.split_once(shared) else { panic!("no shared options: {text}") };
        let after = rest.split_once("\n\n").filter(|(_, after)| !after.starts_with(' ')).map_or("", |(_, after)| after);
        format!("{before}\n{after}").trim_end().to_owned()
    };
    let (whole, mut blocks) = (help(&[]), 1);
    let mut has = |heading: &str, text: &str| {
        assert!(page.contains(&format!("{heading}\n\n```text\n{text}\n```\n")), "{heading}");
        blocks += 1;
    };
    let names = subcommands(&whole);
    assert!(names.len() > 10, "{names:?}");
    for name in &names {
        let text = help(&[name]);
        has(&format!("\n## noregret {name}"), &own(&text));
        for below in subcommands(&text) {
            has(&format!("\n### noregret {name} {below}"), &own(&help(&[name, &below])));
        }
    }
    assert!(page.contains(&format!("\n```text\n{whole}\n```\n")));
    assert_eq!((page.matches("```text").count(), page.matches(shared).count()), (blocks, 1));
}

#[test]
fn every_learner_has_a_page_with_its_parameters() {
    let (mut wrong, list) = (Vec::new(), chapter("learners.md"));
    let figures = crate::studies::all(ItemKind::Figure);
    for entry in LEARNERS.iter() {
        let page = format!("learners/{}.md", entry.name);
        let complete = chapter(&page);
        let row = |spec: &noregret_core::params::Spec| complete.contains(&format!("\n| `{}` | ", spec.name));
        if !complete.contains(&format!("\n{}.\n", entry.summary)) || !entry.params.iter().all(row) {
            wrong.push(format!("{page} does not show what {} declares", entry.name));
        }
        if !list.contains(&format!("\n| [{0}](learners/{0}.md) |", entry.name)) {
            wrong.push(format!("docs/src/learners.md does not list {}", entry.name));
        }
        for heading in ["## Formula\n", "## Cost\n", "## When to use it\n"] {
            let body = complete.split_once(heading).map_or("", |(_, rest)| rest.split("\n## ").next().unwrap());
            if body.trim().is_empty() {
                wrong.push(format!("{page} says nothing under {heading}"));
            }
        }
        for figure in complete.split("`figure/").skip(1).filter_map(|rest| rest.split('`').next()) {
            if !figures.iter().any(|(name, _)| name == figure) {
                wrong.push(format!("{page} names figure/{figure}, which is not there"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
