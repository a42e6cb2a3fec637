//! Formulas that are printed wrongly, with the numbers that decide; and those numbers in full.

use crate::report::number::{grouped, significant};
use crate::report::table::api::{Fill, Filled, Kind};
use crate::report::table::format::{Cell, CellKind, Grid, Heading};
use noregret_core::errata::api::{Accuracy, Decision, FALSE_ALARM, Finding, Quantity, Relation, STANDARD_ERRORS};

pub static KIND: Kind = Kind {
    name: "errata",
    summary: "formulas printed wrongly: what is printed, what is correct, the numbers that decide, the verdict",
    module: module_path!(),
    measured: false,
    fill: Fill::Errata(fill),
};

pub static NUMBERS: Kind = Kind {
    name: "errata-numbers",
    summary: "the computed numbers behind the errata, one row each, in full precision",
    module: module_path!(),
    measured: false,
    fill: Fill::Errata(numbers),
};

/// The findings by paper; within a paper, in the order of the registry.
fn by_paper(findings: &[Finding]) -> Vec<&Finding> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|finding| finding.paper);
    sorted
}

fn fill(findings: &[Finding]) -> Filled {
    let columns = vec![
        Heading::new("paper", "Paper", CellKind::Prose),
        Heading::new("place", "Place", CellKind::Prose),
        Heading::new("printed", "Printed", CellKind::Prose),
        Heading::new("corrected", "Corrected", CellKind::Prose),
        Heading::new("evidence", "Evidence", CellKind::Prose),
        Heading::new("verdict", "Verdict", CellKind::Prose),
        Heading::new("stage", "Stage", CellKind::Prose),
    ];
    let row = |finding: &&Finding| {
        let evidence: Vec<String> = finding.quantities.iter().map(evidence).collect();
        vec![
            Cell::Text(finding.paper.title().into()),
            Cell::Text(finding.place.clone()),
            Cell::Text(finding.printed.clone()),
            Cell::Text(finding.corrected.clone()),
            Cell::Text(format!("{}. Numbers: {}.", finding.method, evidence.join("; "))),
            Cell::Text(finding.decision().words().into()),
            Cell::Text(format!("errata/{}", finding.id)),
        ]
    };
    let rows = by_paper(findings).iter().map(row).collect();
    let count = |verdict| findings.iter().filter(|finding| finding.decision() == verdict).count();
    let counted = format!(
        "{} items: {} {}, {} {}, {} {}.",
        findings.len(),
        count(Decision::Corrected),
        Decision::Corrected.words(),
        count(Decision::Against),
        Decision::Against.words(),
        count(Decision::Undecided),
        Decision::Undecided.words()
    );
    Filled { grid: Grid { columns, rows }, caption: vec![counted, rule()] }
}

/// How a verdict comes about.
fn rule() -> String {
    format!(
        "An item is decided for the corrected form when some number differs from what the printed form says and none \
         differs from what the corrected form says. A sampled mean differs if it is off by more than \
         {STANDARD_ERRORS} of its standard errors (a mean that is exactly as predicted is off by so much with \
         probability {}); any other number differs if it is off by more than its tolerance. Items that say valid are \
         true as printed; what is decided is whether the corrected form is the smallest or the intended one. Each \
         item can be run alone: noregret run STAGE.",
        significant(FALSE_ALARM, 2)
    )
}

/// A computed number beside both predictions, and how far it is from the printed one.
fn evidence(quantity: &Quantity) -> String {
    let Quantity { what, printed, corrected, found, .. } = quantity;
    let digits = agreeing(&[*printed, corrected.unwrap_or(*found), *found]);
    let number = |value: f64| significant(value, digits);
    let sign = match quantity.relation {
        Relation::Equal => "",
        Relation::AtMost => "at most ",
        Relation::AtLeast => "at least ",
    };
    let found = match quantity.accuracy {
        Accuracy::Sampled { standard_error, samples } if standard_error > 0.0 => {
            let away = |prediction: f64| significant(quantity.excess(prediction) / standard_error, 2);
            let off = match corrected {
                Some(corrected) => format!("{} and {}", away(*printed), away(*corrected)),
                None => away(*printed),
            };
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
    let corrected = match corrected {
        Some(corrected) => format!("corrected {sign}{}", number(*corrected)),
        None => "corrected claims nothing".into(),
    };
    format!("{what}: printed {sign}{}, {corrected}, found {found}", number(*printed))
}

/// As many significant digits, from 4 to 9, as it takes to tell apart those numbers that differ by more than 1e-8.
fn agreeing(numbers: &[f64; 3]) -> usize {
    let differ = |a: f64, b: f64| (a - b).abs() > 1e-8 * a.abs().max(b.abs());
    let pairs = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| (numbers[i], numbers[j]));
    let told =
        |digits: usize| pairs.iter().all(|&(a, b)| !differ(a, b) || significant(a, digits) != significant(b, digits));
    (4..9).find(|&digits| told(digits)).unwrap_or(9)
}

fn numbers(findings: &[Finding]) -> Filled {
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
    for finding in by_paper(findings) {
        for quantity in &finding.quantities {
            let relation = match quantity.relation {
                Relation::Equal => "equal",
                Relation::AtMost => "at most",
                Relation::AtLeast => "at least",
            };
            let (standard_error, samples, tolerance) = match quantity.accuracy {
                Accuracy::Sampled { standard_error, samples } => {
                    (Cell::Number(standard_error), Cell::Count(samples), Cell::Empty)
                }
                Accuracy::Exact { tolerance } => (Cell::Empty, Cell::Empty, Cell::Number(tolerance)),
            };
            rows.push(vec![
                Cell::Text(finding.id.clone()),
                Cell::Text(quantity.what.clone()),
                Cell::Text(relation.into()),
                Cell::Number(quantity.printed),
                quantity.corrected.map_or(Cell::Empty, Cell::Number),
                Cell::Number(quantity.found),
                standard_error,
                samples,
                tolerance,
            ]);
        }
    }
    Filled { grid: Grid { columns, rows }, caption: vec![rule()] }
}
