//! On how many streams a named entry wins, ties and loses against each other one.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::board::{Board, BoardRequest, LossPart, ShownChoices, SummedLoss};
use crate::analysis::holm::adjusted;
use crate::analysis::paired::{self, PairedOutcome, contrast};
use crate::analysis::ranks::median;
use crate::analysis::reported::geometric_mean;
use crate::analysis::summary::MeanEstimate;
use crate::analysis::wilcoxon::signed_rank;
use crate::exhibit::ExhibitNeed;
use crate::figure::api::Name;
use crate::number::plus_minus;
use crate::standing::{absent, choices, measures, missing, names};
use crate::table::api::{Filled, TableInput, TableKind, TableOptions};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};

pub(crate) static KIND: TableKind =
    TableKind::new("wins", module_path!(), &[ExhibitNeed::Runs], fill).taking::<WinsOptions>();

/// The options of the kind `wins`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WinsOptions {
    /// The entry that is compared with each other one.
    of: String,
    /// How one of several settings of the others is chosen: `first-tenth` (the default), `hindsight`, or `both`.
    #[serde(default)]
    choose: ShownChoices,
    /// What is lost: `average_loss`, `error_rate`, or a count. By default errors where all runs of a stream count them.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    loss: Option<SummedLoss>,
    /// Entries that are left out.
    #[serde(default)]
    without: Vec<String>,
}

impl TableOptions for WinsOptions {
    fn names(&self) -> Vec<Name> {
        [names("of", [&self.of]), names("without", &self.without)].concat()
    }
}

/// What came of the comparison with an entry.
#[derive(Default)]
struct PairOutcome {
    wins: Vec<String>,
    ties: Vec<String>,
    losses: Vec<String>,
    /// Ratios of losses where both are positive numbers.
    ratios: Vec<f64>,
    /// Differences of losses over their sums, stream by stream.
    contrasts: Vec<f64>,
}

fn fill(given: &TableInput<'_>) -> Filled {
    let options: WinsOptions = given.options().unwrap_or_default();
    let request = BoardRequest {
        of: Some(&options.of),
        choices: options.choose,
        without: &options.without,
        loss: options.loss.as_ref().map(|loss| &loss.0),
    };
    let board = Board::new(given.experiments, &request);
    let columns = vec![
        Heading::new("learner", "Against", CellKind::Text),
        Heading::new("streams", "Streams", CellKind::Count),
        Heading::new("wins", "Wins", CellKind::Count),
        Heading::new("ties", "Ties", CellKind::Count),
        Heading::new("losses", "Losses", CellKind::Count),
        Heading::new("median_ratio", "Median ratio of losses", CellKind::Number),
        Heading::new("mean_ratio", "Geometric mean of ratios", CellKind::Number).detail(),
        Heading::new("p", "p, after Holm", CellKind::Number),
        Heading::new("p_alone", "p, alone", CellKind::Number).detail(),
        Heading::new("lost_on", "Lost on", CellKind::Prose),
        Heading::new("tied_on", "Tied on", CellKind::Prose).detail(),
        Heading::new("won_on", "Won on", CellKind::Prose).detail(),
    ];
    let of = board.find(&options.of);
    let others = (0..board.entries.len())
        .filter(|entry| of.is_some_and(|of| board.entries[of].entry != board.entries[*entry].entry));
    let found: Vec<(usize, PairOutcome)> =
        others.filter_map(|entry| Some((entry, compared(&board, of?, entry)))).collect();
    let alone: Vec<f64> = found.iter().map(|(_, one)| tail(one)).collect();
    let together = adjusted(&alone);
    let mut rows: Vec<_> = found.iter().zip(alone.iter().zip(together)).collect();
    // The strongest rivals first.
    rows.sort_by_key(|((_, one), _)| (std::cmp::Reverse(one.losses.len()), one.wins.len()));
    let rows = rows
        .into_iter()
        .map(|((entry, one), (alone, together))| cells(board.entries[*entry].name(), one, *alone, together));
    let grid = TableGrid { columns, rows: rows.collect() };
    Filled { grid, caption: vec![caption(&board, &options.of)] }
}

/// The streams on which `of` and another entry have results.
fn compared(board: &Board<'_>, of: usize, other: usize) -> PairOutcome {
    let mut found = PairOutcome::default();
    for stream in &board.streams {
        let Some((outcome, difference)) = paired::outcome(stream, of, other) else { continue };
        let told = match difference {
            Some(MeanEstimate { mean, half_width, .. }) => {
                format!("{} ({})", stream.name, plus_minus(mean, half_width))
            }
            None => format!("{} (diverged)", stream.name),
        };
        match outcome {
            PairedOutcome::Win => found.wins.push(told),
            PairedOutcome::Tie => found.ties.push(told),
            PairedOutcome::Loss => found.losses.push(told),
        }
        let scores = [of, other].map(|entry| stream.score(entry, LossPart::All).unwrap_or(f64::NAN));
        found.contrasts.push(contrast(scores));
        let ratio = scores[0] / scores[1];
        found.ratios.extend(Some(ratio).filter(|ratio| ratio.is_finite() && *ratio > 0.0));
    }
    found
}

/// The tail of Wilcoxon's test of the ratios of losses; NaN without streams.
fn tail(one: &PairOutcome) -> f64 {
    if one.contrasts.is_empty() { f64::NAN } else { signed_rank(&one.contrasts).unwrap_or(f64::NAN) }
}

fn cells(name: String, one: &PairOutcome, alone: f64, together: f64) -> Vec<TableCell> {
    let number = |value: f64| Some(value).filter(|value| !value.is_nan()).into();
    let count = |streams: &[String]| TableCell::Count(streams.len() as u64);
    let listed = |streams: &[String]| Some(streams.join("; ")).filter(|text| !text.is_empty()).into();
    vec![
        TableCell::Text(name),
        TableCell::Count(one.contrasts.len() as u64),
        count(&one.wins),
        count(&one.ties),
        count(&one.losses),
        median(&one.ratios).into(),
        geometric_mean(&one.ratios).into(),
        number(together),
        number(alone),
        listed(&one.losses),
        listed(&one.ties),
        listed(&one.wins),
    ]
}

fn caption(board: &Board<'_>, of: &str) -> String {
    let mut told = vec![
        format!(
            "{of} wins on a stream where the 95 % t interval of the mean difference of losses lies below 0, loses where it lies \
             above, and ties elsewhere. The interval is over replicates where at least three have orders of their own, else over \
             blocks of consecutive rounds (batch means); it is that of one comparison, so of 20 equal learners about one is \
             called won or lost. A divergence loses to every finished run. In parentheses: the difference. Ratios are losses of \
             {of} over those of the other, where both are positive."
        ),
        "p: Wilcoxon's signed-rank test of the logs of ratios over streams, two-sided, exact up to 50 streams, and after Holm's \
         correction for all rows."
            .into(),
        measures(board),
    ];
    told.extend(absent(board, Some(of)));
    told.extend(choices(board));
    told.extend(missing(board));
    told.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::board::tests::{board, changing};
    use crate::table::registry::read;
    use crate::trace::cell::EndStatus;

    /// Six streams on which `auto` loses 1, `worse` 2, and `mixed` 0.5 on the first and the same on the second; it diverges
    /// on the third.
    #[test]
    fn wins_ties_and_losses() {
        let mut runs = Vec::new();
        for stream in 0..6 {
            let name = format!("s{stream}");
            runs.push(changing(&name, "auto", 1.0, 1.0));
            runs.push(changing(&name, "worse", 2.0, 2.0));
            let mut mixed = changing(&name, "mixed", 1.0, [0.5, 1.0, 1.0, 3.0, 3.0, 3.0][stream]);
            if stream == 2 {
                mixed.0.status = EndStatus::Diverged;
            }
            runs.push(mixed);
        }
        let experiment = board(runs);
        let text = "kind = 'wins'\nexperiments = ['e']\ntitle = ''\nshows = ''\noptions = { of = 'auto' }";
        let table = read("test", text).unwrap();
        let given =
            TableInput { experiments: &[&experiment], options: Some(&table.spec.options), ..TableInput::default() };
        let found = (table.kind.fill)(&given);
        let row = |at: usize| found.grid.rows[at].iter().map(TableCell::text).collect::<Vec<_>>();
        assert_eq!(row(0)[..5], ["mixed", "6", "4", "1", "1"]);
        assert!(row(0)[9].starts_with("s0 (0.45 \u{b1} "), "{:?}", row(0));
        // All six of one sign: 2 / 2^6, and twice that after Holm.
        assert_eq!(row(1)[..9], ["worse", "6", "6", "0", "0", "0.5000", "0.5000", "0.06250", "0.03125"]);
        let nothing = read("test", "kind = 'wins'\nexperiments = ['e']\ntitle = ''\nshows = ''");
        assert!(nothing.unwrap_err().to_string().contains("missing field `of`"));
    }
}
