//! Theorems whose constants every run knows, held against every run.

use std::collections::BTreeMap;

use crate::analysis::guarantee::{CheckOutcome, CheckedRun, GuaranteeChecks, GuaranteeWords};
use crate::exhibit::ExhibitNeed;
use crate::number::grouped;
use crate::table::api::{Filled, TableKind};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};

pub(crate) static KIND: TableKind = TableKind {
    says: |given| given.guarantees.into_iter().flat_map(says).collect(),
    ..TableKind::new("guarantees", module_path!(), &[ExhibitNeed::Guarantees], |given| {
        fill(given.guarantees.unwrap_or(&GuaranteeChecks::default()))
    })
};

/// What the terminal is told: every violation, or that there is none.
fn says(found: &GuaranteeChecks) -> Vec<String> {
    let violations: Vec<String> = found.checks.iter().filter_map(CheckedRun::violation).collect();
    if violations.is_empty() { vec![format!("{}: none is violated", counts(found))] } else { violations }
}

/// How many checks of how many runs.
fn counts(found: &GuaranteeChecks) -> String {
    let sides = found.checks.iter().filter(|check| matches!(check.outcome, CheckOutcome::Sides { .. }));
    let real = sides.clone().filter(|check| check.real).count();
    format!(
        "{} statements, {} checks, {} of them on real data",
        found.stated.len(),
        grouped(sides.count() as u64),
        grouped(real as u64)
    )
}

fn fill(found: &GuaranteeChecks) -> Filled {
    let columns = vec![
        Heading::new("violated", "Violated", CellKind::Count),
        Heading::new("statement", "Statement", CellKind::Prose),
        Heading::new("source", "Source", CellKind::Prose),
        Heading::new("learners", "Learners", CellKind::Text),
        Heading::new("synthetic", "Synthetic runs", CellKind::Count),
        Heading::new("real", "Runs on data", CellKind::Count),
        Heading::new("largest", "Largest value / bound", CellKind::Number),
        Heading::new("at", "There", CellKind::Prose),
        Heading::new("largest_real", "On data", CellKind::Number),
        Heading::new("guarantee", "Name", CellKind::Text).detail(),
        Heading::new("rounds", "Rounds there", CellKind::Count).detail(),
        Heading::new("value", "Value there", CellKind::Number).detail(),
        Heading::new("bound", "Bound there", CellKind::Number).detail(),
        Heading::new("silent", "Runs it does not speak of", CellKind::Count).detail(),
        Heading::new("why", "Why", CellKind::Prose).detail(),
    ];
    let rows = found.stated.iter().map(|one| row(one, &found.checks)).collect();
    let others: Vec<String> = found.others.iter().map(|(name, runs)| format!("{name} ({})", grouped(*runs))).collect();
    let caption = vec![
        format!(
            "Statements that hold on every sequence, with constants from the run's own parameters and rounds, so that one \
             violation would be an error of a program or of a theorem. {}. Bounds hold for the first rounds of a run as for all: \
             each is checked at the last checkpoint up to which its determinants are cheap, which the details show. \
             The ratio is that of the regret to its bound; a negative one is a learner \
             that beats what it is compared with. B is the largest |y| of the rounds. The numbers come from the data and the \
             trace, not from the learner, except for the sums that aggregations, auto and intervals report.",
            counts(found)
        ),
        format!(
            "Of {} runs, {} are of learners that no statement here speaks of: {}. What is promised of them holds in expectation \
             or with some probability (noise, drawn features and dictionaries), for independent examples, or not at all.",
            grouped(found.runs),
            grouped(found.others.values().sum()),
            if others.is_empty() { "none".to_owned() } else { others.join(", ") }
        ),
    ];
    Filled { grid: TableGrid { columns, rows }, caption }
}

fn row(stated: &GuaranteeWords, checks: &[CheckedRun]) -> Vec<TableCell> {
    let mut silent: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut counts, mut violated) = ([0, 0], 0);
    let mut largest: [Option<(f64, &CheckedRun)>; 2] = [None, None];
    for check in checks.iter().filter(|check| check.guarantee == stated.name) {
        match &check.outcome {
            CheckOutcome::Silent(why) => *silent.entry(why).or_default() += 1,
            CheckOutcome::Sides { value, bound, violated: broken, .. } => {
                let kind = usize::from(check.real);
                counts[kind] += 1;
                violated += u64::from(*broken);
                let part = value / bound;
                if largest[kind].is_none_or(|(most, _)| part > most) {
                    largest[kind] = Some((part, check));
                }
            }
        }
    }
    let most = largest.into_iter().flatten().max_by(|a, b| a.0.total_cmp(&b.0));
    let sides = most.and_then(|(_, check)| match check.outcome {
        CheckOutcome::Sides { rounds, value, bound, .. } => Some((rounds, value, bound)),
        CheckOutcome::Silent(_) => None,
    });
    let why: Vec<String> = silent.iter().map(|(why, runs)| format!("{} ({why})", grouped(*runs))).collect();
    vec![
        TableCell::Count(violated),
        TableCell::Text(stated.says.clone()),
        TableCell::Text(stated.source.clone()),
        TableCell::Text(stated.learners.clone()),
        TableCell::Count(counts[0]),
        TableCell::Count(counts[1]),
        most.map(|(part, _)| part).into(),
        most.map(|(_, check)| check.place()).into(),
        largest[1].map(|(part, _)| part).into(),
        TableCell::Text(stated.name.clone()),
        sides.map_or(TableCell::Empty, |(rounds, ..)| TableCell::Count(rounds)),
        sides.map(|(_, value, _)| value).into(),
        sides.map(|(.., bound)| bound).into(),
        TableCell::Count(silent.values().sum()),
        Some(why.join("; ")).filter(|why| !why.is_empty()).into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(real: bool, value: f64, violated: bool) -> CheckedRun {
        let outcome = CheckOutcome::Sides { rounds: 10, value, bound: 2.0, violated };
        CheckedRun {
            guarantee: "g".into(),
            experiment: "e".into(),
            stream: "s".into(),
            real,
            label: format!("l{value}"),
            horizon: 20,
            replicate: 1,
            outcome,
        }
    }

    /// Counts, the largest ratio with its place, and what is said; a violation is told and counted.
    #[test]
    fn the_largest_ratio_and_every_violation_are_shown() {
        let words = || "w".to_owned();
        let stated = GuaranteeWords { name: "g".into(), source: words(), says: words(), learners: words() };
        let silent = CheckedRun { outcome: CheckOutcome::Silent("an adversary".into()), ..check(false, 0.0, false) };
        let mut found = GuaranteeChecks {
            stated: vec![stated],
            checks: vec![check(false, 1.0, false), check(true, 1.5, false), silent],
            others: [("fogd".to_owned(), 4)].into(),
            runs: 7,
        };
        let filled = fill(&found);
        let texts: Vec<String> = filled.grid.rows[0].iter().map(TableCell::text).collect();
        assert_eq!(texts[4..8], ["1", "1", "0.7500", "e: l1.5 on s, T = 20, replicate 1"]);
        assert_eq!(texts[13..], ["1", "1 (an adversary)"]);
        assert!(filled.caption[1].contains("Of 7 runs, 4 are of learners") && filled.caption[1].contains("fogd (4)"));
        assert_eq!(says(&found), ["1 statements, 2 checks, 1 of them on real data: none is violated"]);
        found.checks.push(check(false, 3.0, true));
        let told = says(&found);
        assert!(told.len() == 1 && told[0].starts_with("g is VIOLATED after 10 rounds of e: l3 on s"), "{told:?}");
        assert_eq!(fill(&found).grid.rows[0][0], TableCell::Count(1));
    }
}
