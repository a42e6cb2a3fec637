//! Two results folders over each other: the means of all runs that both have, those that differ first.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;

use crate::analysis::quantity::RunQuantity;
use crate::analysis::summary::{LEVEL, estimate};
use crate::error::ReportError;
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};

/// Values up to this relative difference are equal: results repeat to it across processors.
const ROUNDING: f64 = 1e-9;

/// The most rows that the page lists; the CSV file has all of them.
const MOST: usize = 2000;

/// What two runs must have in common to be compared, replicate apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComparisonKey {
    /// The experiment.
    pub experiment: String,
    /// The stream.
    pub stream: String,
    /// The label of the curve.
    pub label: String,
    /// The number of rounds.
    pub horizon: u64,
    /// The name of the quantity.
    pub quantity: String,
}

/// The values of one side: replicate by replicate, at each place.
pub type SideValues = BTreeMap<ComparisonKey, Replicates>;

/// The values of replicates by their numbers.
type Replicates = BTreeMap<u64, f64>;

/// How two sides compare at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MeansVerdict {
    Differs,
    Open,
    Equal,
}

impl MeansVerdict {
    fn words(self) -> &'static str {
        match self {
            MeansVerdict::Differs => "differs",
            MeansVerdict::Open => "not told apart",
            MeansVerdict::Equal => "equal",
        }
    }
}

/// A comparison of two sides.
pub struct ResultsComparison {
    /// All places that both have, those that differ first, by the size of the difference.
    pub grid: TableGrid,
    /// What was found, in sentences.
    pub summary: Vec<String>,
}

/// Compares the runs of two sides, called `names`. Replicates with the same number share their data, so that differences
/// are taken replicate by replicate.
pub fn compare(names: [&str; 2], sides: [&SideValues; 2]) -> ResultsComparison {
    let [here, there] = sides;
    let both = here.iter().filter_map(|(place, own)| row(place, own, there.get(place)?));
    let mut rows: Vec<(MeansVerdict, f64, Vec<TableCell>)> = both.collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let count = |wanted: MeansVerdict| rows.iter().filter(|(found, ..)| *found == wanted).count();
    let (differ, open, equal) = (count(MeansVerdict::Differs), count(MeansVerdict::Open), count(MeansVerdict::Equal));
    let mut summary = vec![format!(
        "Means that both have: {}, of which {differ} with a difference, {open} not told apart and {equal} equal. A mean \
         differs where the {:.0} % t interval of the mean paired difference does not hold 0, or, with a single replicate, where the \
         values differ.",
        rows.len(),
        100.0 * LEVEL
    )];
    summary.extend([only(names[0], here, there), only(names[1], there, here)].into_iter().flatten());
    let columns = vec![
        Heading::new("outcome", "Outcome", CellKind::Text),
        Heading::new("experiment", "Experiment", CellKind::Text),
        Heading::new("stream", "Stream", CellKind::Text),
        Heading::new("label", "Curve", CellKind::Text),
        Heading::new("horizon", "Horizon", CellKind::Count),
        Heading::new("quantity", "Quantity", CellKind::Text),
        Heading::new("here", "Here", CellKind::Number),
        Heading::new("there", "There", CellKind::Number),
        Heading::new("difference", "Here minus there", CellKind::Interval),
        Heading::new("replicates", "Replicates", CellKind::Count),
    ];
    let rows: Vec<Vec<TableCell>> = rows.into_iter().map(|(_, _, cells)| cells).collect();
    ResultsComparison { grid: TableGrid { columns, rows }, summary }
}

/// What was found of a place that both sides have, with the size of the difference; None without a common replicate.
fn row(place: &ComparisonKey, own: &Replicates, other: &Replicates) -> Option<(MeansVerdict, f64, Vec<TableCell>)> {
    let pairs: Vec<(f64, f64)> =
        own.iter().filter_map(|(replicate, value)| Some((*value, *other.get(replicate)?))).collect();
    let differences: Vec<f64> = pairs.iter().map(|(own, other)| own - other).collect();
    let (difference, one, two) = (estimate(&differences)?, mean(own.values())?, mean(other.values())?);
    let equal = pairs.iter().all(|(own, other)| (own - other).abs() <= ROUNDING * own.abs().max(other.abs()));
    let found = match difference.half_width {
        _ if equal => MeansVerdict::Equal,
        Some(half_width) if difference.mean.abs() <= half_width => MeansVerdict::Open,
        _ => MeansVerdict::Differs,
    };
    let relative = difference.mean / two.abs().max(f64::MIN_POSITIVE);
    let cells = vec![
        TableCell::Text(found.words().into()),
        TableCell::Text(place.experiment.clone()),
        TableCell::Text(place.stream.clone()),
        TableCell::Text(place.label.clone()),
        TableCell::Count(place.horizon),
        TableCell::Text(RunQuantity::read(&place.quantity).map_or(place.quantity.clone(), |one| one.title())),
        TableCell::Number(one),
        TableCell::Number(two),
        TableCell::Interval {
            mean: difference.mean,
            half_width: difference.half_width.filter(|_| !equal),
            best: false,
        },
        TableCell::Count(pairs.len() as u64),
    ];
    Some((found, relative.abs(), cells))
}

/// What one side alone has, in a sentence.
fn only(name: &str, own: &SideValues, other: &SideValues) -> Option<String> {
    // Of an experiment that the other side did not run at all, the name is enough.
    let ran: BTreeSet<&str> = other.keys().map(|place| place.experiment.as_str()).collect();
    let words = |place: &ComparisonKey| match ran.contains(place.experiment.as_str()) {
        true => format!("{}: {} on {} (horizon {})", place.experiment, place.label, place.stream, place.horizon),
        false => format!("experiment {}", place.experiment),
    };
    let mut only: Vec<String> = own.keys().filter(|place| !other.contains_key(*place)).map(words).collect();
    only.dedup();
    let shown: Vec<&str> = only.iter().take(20).map(String::as_str).collect();
    match only.len() {
        0 => None,
        some if some > shown.len() => {
            Some(format!("Only in {name}: {}; and {} others.", shown.join("; "), some - shown.len()))
        }
        _ => Some(format!("Only in {name}: {}.", shown.join("; "))),
    }
}

fn mean<'a>(values: impl Iterator<Item = &'a f64>) -> Option<f64> {
    estimate(&values.copied().collect::<Vec<_>>()).map(|found| found.mean)
}

/// The page.
///
/// # Errors
/// A template that cannot be rendered.
pub fn html(names: [&str; 2], against: &ResultsComparison) -> Result<String, ReportError> {
    #[derive(Serialize)]
    struct AgainstRow {
        outcome: String,
        bar: Option<(f64, f64)>,
        cells: Vec<String>,
    }
    #[derive(Serialize)]
    struct AgainstPage<'a> {
        here: &'a str,
        there: &'a str,
        summary: &'a [String],
        headings: Vec<&'a str>,
        rows: Vec<AgainstRow>,
        left: usize,
    }
    let row = |cells: &Vec<TableCell>| {
        let number = |at: usize| cells.get(at).and_then(TableCell::number);
        // Both values on one scale from 0, so that they can be seen over each other.
        let bar = number(6).zip(number(7)).map(|(one, two)| {
            let most = one.abs().max(two.abs()).max(f64::MIN_POSITIVE);
            (100.0 * one.abs() / most, 100.0 * two.abs() / most)
        });
        AgainstRow {
            outcome: cells.first().map(TableCell::text).unwrap_or_default().replace(' ', "-"),
            bar,
            cells: cells.iter().map(TableCell::text).collect(),
        }
    };
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("against.html", TEMPLATE)?;
    let page = AgainstPage {
        here: names[0],
        there: names[1],
        summary: &against.summary,
        headings: against.grid.columns.iter().map(|column| column.title.as_str()).collect(),
        rows: against.grid.rows.iter().take(MOST).map(row).collect(),
        left: against.grid.rows.len().saturating_sub(MOST),
    };
    Ok(environment.get_template("against.html")?.render(Serde(page))?)
}

const TEMPLATE: &str = include_str!("templates/against.html");

#[cfg(test)]
mod tests {
    use super::*;

    fn side(values: &[(&str, &[f64])]) -> SideValues {
        let place = |label: &str| ComparisonKey {
            experiment: "e".into(),
            stream: "s".into(),
            label: label.into(),
            horizon: 10,
            quantity: "average_loss".into(),
        };
        values.iter().map(|(label, values)| (place(label), (0..).zip(values.iter().copied()).collect())).collect()
    }

    #[test]
    fn what_differs_comes_first() {
        let here = side(&[("equal", &[1.0, 2.0]), ("far", &[1.0, 2.0, 3.0]), ("noise", &[1.0, 2.0]), ("new", &[1.0])]);
        let there =
            side(&[("equal", &[1.0, 2.0]), ("far", &[2.0, 3.0, 4.01]), ("noise", &[2.0, 1.0]), ("old", &[1.0])]);
        let found = compare(["a", "b"], [&here, &there]);
        let outcomes: Vec<(String, String)> =
            found.grid.rows.iter().map(|cells| (cells[0].text(), cells[3].text())).collect();
        let expected = [("differs", "far"), ("not told apart", "noise"), ("equal", "equal")];
        assert_eq!(outcomes, expected.map(|(outcome, label)| (outcome.to_owned(), label.to_owned())));
        assert!(
            found.summary[0].starts_with("Means that both have: 3, of which 1 with a difference, 1 not told apart")
        );
        assert!(found.summary[1].contains("Only in a: e: new") && found.summary[2].contains("Only in b: e: old"));
        let same = compare(["a", "b"], [&here, &here]);
        assert!(same.summary.len() == 1 && same.grid.rows.iter().all(|cells| cells[0].text() == "equal"));
        let page = html(["<a>", "b"], &found).unwrap();
        assert!(page.contains("&lt;a&gt;") && page.find(">far<") < page.find(">equal<"), "{page}");
        // A single replicate has no interval: a difference is a difference.
        let one = compare(["a", "b"], [&side(&[("x", &[1.0])]), &side(&[("x", &[1.1])])]);
        assert_eq!(one.grid.rows[0][0].text(), "differs");
    }
}
