//! Rows on their way to a learner: in the order of the file or in a random one, scaled, with those passed over that cannot be
//! read.

use std::rc::Rc;

use crate::args::OnBadRow;
use crate::error::StreamError;
use crate::kept::mark;
use crate::origin::InputOrigin;
use noregret_data::encode::plan::EncodingPlan;
use noregret_data::error::DataError;
use noregret_data::format::RowReader;
use noregret_data::table::{DataTable, block};
use noregret_model::inputs::Scaling;
use noregret_model::service::Seen;

/// What can be done about a row that cannot be read, besides what the reader says.
const PASS_OVER: &str = "; or pass such rows over (--on-bad-row skip)";

/// Rows on their way to a learner.
pub(crate) struct RowFeed {
    pub(super) rows: Supply,
    /// The scaling of the inputs.
    pub(crate) scaling: Scaling,
    /// Whether the scaling learns from the rows. What is only predicted teaches nothing.
    pub(super) learns: bool,
    /// The numbers of the rows of the last block, from 1, where they are not in the order of the file.
    pub numbers: Option<Vec<u64>>,
    /// How many rows the limit still allows.
    pub(super) left: u64,
    /// Number of inputs.
    pub dim: usize,
    pub(super) origin: Rc<InputOrigin>,
    /// The encoders of a file that was read before the first round.
    pub(super) plan: Option<EncodingPlan>,
    /// Why there are no further rows, told after those before it.
    pub(super) ended: Option<StreamError>,
    /// What was seen of the inputs, where that is wanted.
    pub seen: Option<Seen>,
    /// How many inputs of each row of the last block lie outside of what was seen before; empty where nobody asks.
    pub unseen: Vec<u64>,
    /// The values of the columns that are marks, for each row of the last block: that of the position, then that of the id or of the group.
    pub marks: Vec<String>,
    /// The further targets of each row of the last block, one row after the other; NaN for one that is missing.
    pub further: Vec<f64>,
    /// What tells the last row of the last block from others.
    pub(crate) row: Option<u64>,
    pub(super) on_bad_row: OnBadRow,
    pub(super) passable: bool,
    /// How many rows could not be read and were passed over.
    pub(crate) bad: u64,
    /// What is to be said of them.
    pub(super) said: Vec<String>,
    /// Why the first of them could not be read.
    pub why: Vec<String>,
}

/// How many reasons are kept.
const REASONS: usize = 3;

/// What tells a row from others. What is missing is the same everywhere.
fn row_mark(inputs: &[f64], target: f64) -> u64 {
    let numbers = inputs.iter().chain([&target]).map(|number| if number.is_nan() { f64::NAN } else { *number });
    mark(&numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
}

/// Where rows come from.
pub(super) enum Supply {
    InOrder(Box<dyn RowReader>),
    Shuffled { table: DataTable, order: std::vec::IntoIter<usize> },
}

impl RowFeed {
    /// What is to be said of rows that were passed over since the last time.
    pub(crate) fn take_said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said)
    }

    /// The encoders, with what they have learned from the rows so far; None where the file holds plain numbers.
    pub(crate) fn plan(&self) -> Option<&EncodingPlan> {
        let plan = match &self.rows {
            Supply::InOrder(reader) => reader.plan(),
            Supply::Shuffled { .. } => self.plan.as_ref(),
        };
        plan.filter(|plan| !plan.is_plain())
    }

    /// The classes so far, where targets are classes.
    pub(crate) fn classes(&self) -> Option<&[String]> {
        self.plan()?.target.words()
    }

    /// How many rows the file has besides, which are left out because a value is missing.
    pub(crate) fn left_out(&self) -> u64 {
        match &self.rows {
            Supply::InOrder(reader) => reader.skipped(),
            Supply::Shuffled { .. } => 0,
        }
    }

    /// Files without rows, which were passed over.
    pub(crate) fn empty_files(&self) -> &[String] {
        match &self.rows {
            Supply::InOrder(reader) => reader.empty_files(),
            Supply::Shuffled { .. } => &[],
        }
    }

    /// Passes over rows; returns how many, fewer than `rows` at the end.
    pub(crate) fn skip(&mut self, rows: u64) -> Result<u64, StreamError> {
        let (mut left, most) = (rows, block(self.dim));
        let (mut inputs, mut targets) = (Vec::new(), Vec::new());
        while left > 0 {
            inputs.clear();
            targets.clear();
            match self.next_block(most.min(usize::try_from(left).unwrap_or(most)), &mut inputs, &mut targets)? {
                0 => break,
                count => left -= count as u64,
            }
        }
        Ok(rows - left)
    }

    /// Appends the next rows, at most `most`, scaled; returns how many, 0 at the end. Sound rows come before the error of
    /// the row after them.
    pub(crate) fn next_block(
        &mut self,
        most: usize,
        inputs: &mut Vec<f64>,
        targets: &mut Vec<f64>,
    ) -> Result<usize, StreamError> {
        let most = most.min(usize::try_from(self.left).unwrap_or(most));
        let before = inputs.len();
        if let Some(numbers) = &mut self.numbers {
            numbers.clear();
        }
        let count = match &mut self.rows {
            _ if most == 0 => 0,
            Supply::InOrder(_) => self.next_in_order(most, inputs, targets)?,
            Supply::Shuffled { table, order } => {
                let known = targets.len();
                for row in order.take(most) {
                    let start = inputs.len();
                    inputs.resize(start + self.dim, 0.0);
                    table.inputs.write_row(row, &mut inputs[start..]);
                    targets.push(table.targets[row]);
                    if let Some(numbers) = &mut self.numbers {
                        numbers.push(row as u64 + 1);
                    }
                }
                targets.len() - known
            }
        };
        if let Some(target) = targets.last().filter(|_| count > 0) {
            self.row = Some(row_mark(&inputs[inputs.len() - self.dim..], *target));
        }
        self.unseen.clear();
        if let Some(seen) = &mut self.seen {
            for row in inputs[before..].chunks_exact(self.dim.max(1)) {
                self.unseen.push(seen.outside(row));
                if self.learns {
                    seen.observe(row);
                }
            }
        }
        match self.learns {
            true => self.scaling.apply(&mut inputs[before..]),
            false => self.scaling.apply_each(&mut inputs[before..]),
        }
        self.left -= count as u64;
        Ok(count)
    }

    /// Appends the next rows of the file as they are. Rows that cannot be read are passed over, or end it, as the options say.
    fn next_in_order(
        &mut self,
        most: usize,
        inputs: &mut Vec<f64>,
        targets: &mut Vec<f64>,
    ) -> Result<usize, StreamError> {
        let Supply::InOrder(reader) = &mut self.rows else { return Ok(0) };
        if let Some(error) = self.ended.take() {
            return Err(error);
        }
        self.marks.clear();
        self.further.clear();
        let (before, targets_before) = (inputs.len(), targets.len());
        let mut count = 0;
        loop {
            let known = targets.len();
            let read = reader.next_block(most - count, inputs, targets);
            self.marks.extend_from_slice(reader.marks());
            self.further.extend_from_slice(reader.further_targets());
            let error = match read {
                Ok(more) => return Ok(count + more),
                // A run that goes on by position may find nothing new.
                Err(DataError::Empty { .. }) if self.row.is_some() => return Ok(count),
                Err(error) => error,
            };
            // Of the row that cannot be read, some numbers may be there.
            let numbers = inputs.len() - before - count * self.dim;
            count += (targets.len() - known).min(numbers / self.dim.max(1));
            inputs.truncate(before + count * self.dim);
            targets.truncate(targets_before + count);
            let passed = self.on_bad_row != OnBadRow::Stop && error.is_of_a_row() && reader.pass_over();
            let remedy = self.passable && self.on_bad_row == OnBadRow::Stop && error.is_of_a_row();
            let error = self.origin.error(error);
            let error = if remedy { error.or(PASS_OVER) } else { error };
            match (passed, count) {
                (true, _) => {
                    self.bad += 1;
                    if self.why.len() < REASONS {
                        self.why.push(error.to_string());
                    }
                    if self.on_bad_row == OnBadRow::Log {
                        self.said.push(error.to_string());
                    }
                    if count == most {
                        return Ok(count);
                    }
                }
                (false, 0) => return Err(error),
                (false, _) => {
                    self.ended = Some(error);
                    return Ok(count);
                }
            }
        }
    }
}
