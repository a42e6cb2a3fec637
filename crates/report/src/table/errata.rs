//! Errata: what is printed, what is correct, the numbers that show it, and the verdict; those numbers in full; and how
//! many items there are of each class. Pitfalls, which are of no paper, have a table of their own.

use crate::caption::sentence;
use crate::exhibit::ExhibitNeed;
use crate::number::{grouped, significant};
use crate::table::api::{Filled, TableKind};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};
use noregret_papers::errata::api::{
    Accuracy, Class, ErratumFinding, ErratumNumber, FALSE_ALARM, Paper, Relation, STANDARD_ERRORS, Verdict, counted,
};

pub(crate) static KIND: TableKind = TableKind {
    says: |given| counts(given.findings),
    ..TableKind::new("errata", module_path!(), &[ExhibitNeed::Errata], |given| fill(given.findings))
};

pub(crate) static CLASSES: TableKind =
    TableKind::new("errata-classes", module_path!(), &[ExhibitNeed::Errata], |given| classes(given.findings));

pub(crate) static NUMBERS: TableKind =
    TableKind::new("errata-numbers", module_path!(), &[ExhibitNeed::Errata], |given| numbers(given.findings));

pub(crate) static PITFALLS: TableKind =
    TableKind::new("pitfalls", module_path!(), &[ExhibitNeed::Errata], |given| pitfalls(given.findings));

/// Whether an item is about a passage.
fn of_passage(finding: &&ErratumFinding) -> bool {
    finding.class != Class::Pitfall
}

/// The findings about passages by class, then by paper, then in the order of the registry.
fn sorted(findings: &[ErratumFinding]) -> Vec<&ErratumFinding> {
    let mut sorted: Vec<&ErratumFinding> = findings.iter().filter(of_passage).collect();
    sorted.sort_by_key(|finding| (finding.class, finding.paper));
    sorted
}

/// The number of items of each class, pitfalls apart, with their verdicts: one line per class.
fn counts(findings: &[ErratumFinding]) -> Vec<String> {
    let findings: Vec<ErratumFinding> = findings.iter().filter(of_passage).cloned().collect();
    let line = |(class, verdicts): (Class, Vec<(Verdict, usize)>)| {
        let total: usize = verdicts.iter().map(|(_, count)| count).sum();
        format!("{}: {total} ({})", class.words(), split(&verdicts))
    };
    counted(&findings).into_iter().map(line).collect()
}

/// The verdicts and their numbers, in words.
fn split(verdicts: &[(Verdict, usize)]) -> String {
    let parts: Vec<String> = verdicts.iter().map(|(verdict, count)| format!("{count} {}", verdict.words())).collect();
    parts.join("; ")
}

fn fill(findings: &[ErratumFinding]) -> Filled {
    let columns = vec![
        Heading::new("verdict", "Verdict", CellKind::Prose),
        Heading::new("class", "Class", CellKind::Prose),
        Heading::new("paper", "Paper", CellKind::Prose),
        Heading::new("place", "Place", CellKind::Prose),
        Heading::new("printed", "Printed", CellKind::Prose),
        Heading::new("corrected", "Corrected", CellKind::Prose),
        Heading::new("evidence", "Evidence", CellKind::Prose),
        Heading::new("quote", "Passage", CellKind::Prose).detail(),
        Heading::new("reason", "Why this class", CellKind::Prose).detail(),
        Heading::new("stage", "Stage", CellKind::Prose).detail(),
    ];
    let row = |finding: &&ErratumFinding| {
        vec![
            TableCell::Text(finding.verdict().words().into()),
            TableCell::Text(finding.class.words().into()),
            TableCell::Text(finding.paper.title().into()),
            TableCell::Text(finding.place.clone()),
            TableCell::Text(finding.printed.clone()),
            TableCell::Text(finding.corrected.clone()),
            evidence(finding),
            TableCell::Text(finding.quote.clone()),
            TableCell::Text(finding.reason.clone()),
            TableCell::Text(format!("errata/{}", finding.id)),
        ]
    };
    let rows: Vec<_> = sorted(findings).iter().map(row).collect();
    let counted = format!("{} items. {}.", rows.len(), counts(findings).join(". "));
    Filled { grid: TableGrid { columns, rows }, caption: vec![sentence(&counted), rule()] }
}

/// How a verdict comes about.
fn rule() -> String {
    format!(
        "An item is decided for the corrected form only if a number differs from what the printed form says of it and \
         agrees with what the corrected form says of it; where the corrected form says nothing of the number, the \
         printed form is refuted. A sampled mean differs if it is off by more than {STANDARD_ERRORS} of its standard \
         errors (a mean that is exactly as predicted is off by so much with probability {}); any other number differs \
         if it is off by more than its tolerance. Passages were chosen because they need a remark, so these counts say \
         nothing about how often the papers are right. The words of a passage are quoted from the text at hand. Each \
         item can be run alone: noregret run STAGE.",
        significant(FALSE_ALARM, 2)
    )
}

fn classes(findings: &[ErratumFinding]) -> Filled {
    let mut columns =
        vec![Heading::new("class", "Class", CellKind::Prose), Heading::new("meaning", "Meaning", CellKind::Prose)];
    columns.extend(Paper::ALL.map(|paper| Heading::new(paper.id(), paper.title(), CellKind::Count)));
    columns.push(Heading::new("items", "Items", CellKind::Count));
    columns.push(Heading::new("verdicts", "Verdicts", CellKind::Prose));
    let row = |(class, verdicts): (Class, Vec<(Verdict, usize)>)| {
        let count = |paper: Option<Paper>| {
            let of =
                |finding: &&ErratumFinding| finding.class == class && paper.is_none_or(|paper| finding.paper == paper);
            TableCell::Count(findings.iter().filter(of).count() as u64)
        };
        let mut cells = vec![TableCell::Text(class.words().into()), TableCell::Text(class.meaning().into())];
        cells.extend(Paper::ALL.map(Some).into_iter().chain([None]).map(count));
        cells.push(TableCell::Text(split(&verdicts)));
        cells
    };
    let rows = counted(findings).into_iter().filter(|(class, _)| *class != Class::Pitfall).map(row).collect();
    Filled { grid: TableGrid { columns, rows }, caption: vec![rule()] }
}

/// The table of pitfalls, in the order of the registry.
fn pitfalls(findings: &[ErratumFinding]) -> Filled {
    let columns = vec![
        Heading::new("about", "About", CellKind::Prose),
        Heading::new("shortcut", "Shortcut", CellKind::Prose),
        Heading::new("instead", "Instead", CellKind::Prose),
        Heading::new("evidence", "What the shortcut does", CellKind::Prose),
        Heading::new("shown", "Shown", CellKind::Prose),
        Heading::new("reason", "Why it suggests itself", CellKind::Prose).detail(),
        Heading::new("stage", "Stage", CellKind::Prose).detail(),
    ];
    let row = |finding: &ErratumFinding| {
        vec![
            TableCell::Text(finding.place.clone()),
            TableCell::Text(finding.printed.clone()),
            TableCell::Text(finding.corrected.clone()),
            evidence(finding),
            TableCell::Text(finding.verdict().words().into()),
            TableCell::Text(finding.reason.clone()),
            TableCell::Text(format!("errata/{}", finding.id)),
        ]
    };
    let rows = findings.iter().filter(|finding| !of_passage(finding)).map(row).collect();
    let caption = "No paper is at fault here: these are shortcuts that suggest themselves to whoever writes such a learner. A \
                   shortcut fails if a number is not what it promises, by more than the number's tolerance, and no number \
                   contradicts what is done instead. Each item can be run alone: noregret run STAGE.";
    Filled { grid: TableGrid { columns, rows }, caption: vec![caption.to_owned()] }
}

/// The computation with its numbers.
fn evidence(finding: &ErratumFinding) -> TableCell {
    let numbers: Vec<String> = finding.quantities.iter().map(|quantity| compared(quantity, finding.class)).collect();
    TableCell::Text(format!("{}. Numbers: {}.", finding.method, numbers.join("; ")))
}

/// A computed number beside both predictions, and how far it is from the printed one.
fn compared(quantity: &ErratumNumber, class: Class) -> String {
    let ErratumNumber { what, printed, corrected, found, .. } = quantity;
    let digits = agreeing(&[printed.unwrap_or(*found), corrected.unwrap_or(*found), *found]);
    let number = |value: f64| significant(value, digits);
    let sign = match quantity.relation {
        Relation::Equal => "",
        Relation::AtMost => "at most ",
        Relation::AtLeast => "at least ",
    };
    let found = match quantity.accuracy {
        Accuracy::Sampled { standard_error, samples } if standard_error > 0.0 => {
            let away = |prediction: &f64| significant(quantity.excess(*prediction) / standard_error, 2);
            let off: Vec<String> = printed.iter().chain(corrected).map(away).collect();
            let off = off.join(" and ");
            format!(
                "{} \u{b1} {} ({} samples; {off} standard errors off)",
                number(*found),
                significant(standard_error, 2),
                grouped(samples)
            )
        }
        Accuracy::Sampled { samples, .. } => format!("{} in each of {} samples", number(*found), grouped(samples)),
        Accuracy::Exact { .. } => number(*found),
    };
    let says = |form: &str, prediction: &Option<f64>| match prediction {
        Some(value) => format!("{form} {sign}{}", number(*value)),
        None => format!("{form} claims nothing"),
    };
    let [first, second] = class.forms();
    format!("{what}: {}, {}, found {found}", says(first, printed), says(second, corrected))
}

/// As many significant digits, from 4 to 9, as it takes to tell apart those numbers that differ by more than 1e-8.
fn agreeing(numbers: &[f64; 3]) -> usize {
    let differ = |a: f64, b: f64| (a - b).abs() > 1e-8 * a.abs().max(b.abs());
    let pairs = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| (numbers[i], numbers[j]));
    let told =
        |digits: usize| pairs.iter().all(|&(a, b)| !differ(a, b) || significant(a, digits) != significant(b, digits));
    (4..9).find(|&digits| told(digits)).unwrap_or(9)
}

fn numbers(findings: &[ErratumFinding]) -> Filled {
    let columns = vec![
        Heading::new("erratum", "Item", CellKind::Prose),
        Heading::new("what", "Number", CellKind::Prose),
        Heading::new("relation", "Predicted to be", CellKind::Text),
        Heading::new("printed", "Printed form", CellKind::Number),
        Heading::new("corrected", "Corrected form", CellKind::Number),
        Heading::new("found", "Found", CellKind::Number),
        Heading::new("standard_error", "Standard error", CellKind::Number),
        Heading::new("samples", "Samples", CellKind::Count),
        Heading::new("tolerance", "Tolerance", CellKind::Number),
    ];
    let mut rows = Vec::new();
    for finding in sorted(findings) {
        for quantity in &finding.quantities {
            let relation = match quantity.relation {
                Relation::Equal => "equal",
                Relation::AtMost => "at most",
                Relation::AtLeast => "at least",
            };
            let (standard_error, samples, tolerance) = match quantity.accuracy {
                Accuracy::Sampled { standard_error, samples } => {
                    (TableCell::Number(standard_error), TableCell::Count(samples), TableCell::Empty)
                }
                Accuracy::Exact { tolerance } => (TableCell::Empty, TableCell::Empty, TableCell::Number(tolerance)),
            };
            rows.push(vec![
                TableCell::Text(finding.id.clone()),
                TableCell::Text(quantity.what.clone()),
                TableCell::Text(relation.into()),
                quantity.printed.map_or(TableCell::Empty, TableCell::Precise),
                quantity.corrected.map_or(TableCell::Empty, TableCell::Precise),
                TableCell::Precise(quantity.found),
                standard_error,
                samples,
                tolerance,
            ]);
        }
    }
    Filled { grid: TableGrid { columns, rows }, caption: vec![rule()] }
}
