//! Entries over many streams: losses and ranks beside processor time and memory.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::board::{Board, BoardRequest, LossPart, ShownChoices, SummedLoss};
use crate::analysis::effort::{EntryEffort, StreamAverage};
use crate::exhibit::ExhibitNeed;
use crate::figure::api::Name;
use crate::standing::{Standing, absent, choices, measures, missing, names};
use crate::table::api::{Filled, TableInput, TableKind, TableOptions};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};

pub(crate) static KIND: TableKind =
    TableKind::new("losses-times", module_path!(), &[ExhibitNeed::Runs], fill).measured().taking::<EntryTimesOptions>();

/// The options of the kind `losses-times`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct EntryTimesOptions {
    /// The entry that stands first.
    of: Option<String>,
    /// How one of several settings of an entry is chosen: `first-tenth` (the default), `hindsight`, or `both`.
    choose: ShownChoices,
    /// The average over streams: `geometric` (the default), or `median`.
    average: StreamAverage,
    /// What is lost: `average_loss`, `error_rate`, or a count. By default errors where all runs of a stream count them.
    #[schemars(with = "Option<String>")]
    loss: Option<SummedLoss>,
    /// Entries that are left out.
    without: Vec<String>,
}

impl TableOptions for EntryTimesOptions {
    fn names(&self) -> Vec<Name> {
        [names("of", &self.of), names("without", &self.without)].concat()
    }
}

fn fill(given: &TableInput<'_>) -> Filled {
    let options: EntryTimesOptions = given.options().unwrap_or_default();
    let request = BoardRequest {
        of: options.of.as_deref(),
        choices: options.choose,
        without: &options.without,
        loss: options.loss.as_ref().map(|loss| &loss.0),
    };
    let board = Board::new(given.experiments, &request);
    let of = options.of.as_deref().and_then(|name| board.find(name));
    let standing = Standing::new(&board, LossPart::All);
    let columns = vec![
        Heading::new("learner", "Learner", CellKind::Text),
        Heading::new("settings", "Settings", CellKind::Count),
        Heading::new("streams", "Streams", CellKind::Count),
        Heading::new("mean_rank", "Mean rank", CellKind::Number),
        Heading::new("loss_over_best", "Loss over the best", CellKind::Number),
        Heading::new("seconds_per_row", "Processor time per row", CellKind::Seconds),
        Heading::new("slowest", "On the slowest stream", CellKind::Seconds),
        Heading::new("peak_bytes", "Largest state", CellKind::Bytes),
    ];
    let row = |entry: usize| {
        let complete = EntryEffort::new(&board, &standing.streams, entry, options.average);
        let played: Vec<usize> =
            (0..board.streams.len()).filter(|at| board.streams[*at].score(entry, LossPart::All).is_some()).collect();
        let all = EntryEffort::new(&board, &played, entry, options.average);
        let loss = complete.loss.filter(|_| standing.entries.contains(&entry));
        vec![
            TableCell::Text(board.entries[entry].name()),
            TableCell::Count(board.entries[entry].settings as u64),
            TableCell::Count(played.len() as u64),
            standing.mean_rank(entry).map_or(TableCell::Empty, |value| TableCell::Compared { value, best: false }),
            loss.map_or(TableCell::Empty, |value| TableCell::Compared { value, best: false }),
            all.seconds.map_or(TableCell::Empty, TableCell::Seconds),
            all.slowest.map_or(TableCell::Empty, TableCell::Seconds),
            all.bytes.map_or(TableCell::Empty, TableCell::Bytes),
        ]
    };
    let rows = standing.order(&board, of).into_iter().map(row).collect();
    let mut told = vec![
        format!(
            "Losses are those over the least loss of all settings of all entries on the stream: the {average} over the streams \
             that count for ranks, where the least loss is positive. Processor time is that of one thread for a row, as measured, \
             of the chosen setting alone: the {average} over the streams that were played, and the largest. The state is the \
             largest at a recorded round of any stream; that of other programs is what they report, the length of a saved model.",
            average = options.average.word()
        ),
        measures(&board),
    ];
    told.extend(absent(&board, options.of.as_deref()));
    told.extend(choices(&board));
    told.push(standing.words(&board));
    told.extend(missing(&board));
    Filled { grid: TableGrid { columns, rows }, caption: vec![told.join(" ")] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::effort::tests::timed;
    use crate::table::registry::read;

    #[test]
    fn losses_stand_beside_times_and_states() {
        let text = "kind = 'losses-times'\nexperiments = ['e']\ntitle = ''\nshows = ''\noptions = { of = 'quick', choose = 'both' }";
        let table = read("test", text).unwrap();
        assert!(table.kind.measured);
        let experiment = timed();
        let given =
            TableInput { experiments: &[&experiment], options: Some(&table.spec.options), ..TableInput::default() };
        let found = (table.kind.fill)(&given).grid;
        let rows: Vec<Vec<String>> = found.rows.iter().map(|row| row.iter().map(TableCell::text).collect()).collect();
        let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(names, ["quick", "krr, hindsight", "slow", "krr"]);
        assert_eq!(rows[1][1..], ["2", "2", "1.00", "1.00", "40.0 ms", "40.0 ms", "4.0 KiB"]);
        assert_eq!(rows[0][3..6], ["3.00", "3.08", "5.0 ms"]);
    }
}
