//! Rows of cells become rows of numbers.

use std::collections::VecDeque;

use crate::encode::choices::{ColumnEncoding, MissingValues, UnlabelledRows};
use crate::encode::column::ColumnValue;
use crate::encode::marks::Marks;
use crate::encode::plan::EncodingPlan;
use crate::encode::recognise::ColumnSample;
use crate::encode::target::Sought;
use crate::error::{DataError, Gap};
use crate::format::RowReader;
use crate::format::cells::{Cells, FileCell};
use crate::format::columns::{NO_TARGET, ReaderColumns};

/// The most rows by which the kinds of columns are recognised.
const SAMPLED: usize = 1000;

/// Reads the rows of a file through encoders.
pub(crate) struct Encoded {
    cells: Box<dyn Cells>,
    plan: EncodingPlan,
    /// The columns of the file.
    raw: ReaderColumns,
    /// The columns that rows have.
    columns: ReaderColumns,
    /// Whether the row that `cells` stand on was not yet read.
    ahead: bool,
    done: bool,
    /// Rows that were left out.
    skipped: u64,
    /// The word of the class +1, as long as it is to be found.
    sought: Option<Sought>,
    /// Columns whose values are told, and rows that are passed over by them.
    marks: Marks,
    /// Why rows before those that are read were passed over, told first.
    early: VecDeque<DataError>,
    /// Whether `cells` are at their end.
    over: bool,
}

impl Encoded {
    /// A reader of the columns `raw` of `cells`; `ahead` says that these stand on a row that is still to be read.
    pub(crate) fn new(cells: Box<dyn Cells>, raw: ReaderColumns, plan: EncodingPlan, ahead: bool) -> Self {
        let inputs = plan.names();
        let columns = ReaderColumns {
            names: raw.names.clone(),
            input_positions: (0..inputs.len()).collect(),
            target_position: inputs.len(),
            inputs,
            target: raw.target.clone(),
        };
        Self {
            cells,
            plan,
            raw,
            columns,
            ahead,
            done: false,
            skipped: 0,
            sought: None,
            marks: Marks::default(),
            early: VecDeque::new(),
            over: false,
        }
    }

    /// A reader of cells that stand on the first row that counts, with what was found out about the rows before it.
    pub(crate) fn from_first(cells: Box<dyn Cells>, raw: ReaderColumns, plan: EncodingPlan, first: First) -> Self {
        let ahead = !first.over;
        let new = Self::new(cells, raw, plan, ahead);
        Self { skipped: first.skipped, early: first.early.into(), over: first.over, ..new }
    }

    /// Tells the values of these columns, and passes rows over by them.
    pub(crate) fn marking(self, marks: Marks) -> Self {
        Self { marks, ..self }
    }

    /// Ends with an error if no row has this word.
    pub(crate) fn seeking(self, sought: Option<Sought>) -> Self {
        Self { sought, ..self }
    }

    /// Reads one row; returns whether there was one, and whether it is left out.
    fn next_row(&mut self, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<RowOutcome, DataError> {
        if let Some(error) = self.early.pop_front() {
            return Err(error);
        }
        if !std::mem::take(&mut self.ahead) && (self.over || !self.cells.advance()?) {
            let missed = self.sought.as_ref().map(|sought| sought.error(self.cells.file(), &self.raw.target));
            return missed.map_or(Ok(RowOutcome::End), Err);
        }
        let (cells, plan, raw) = (&*self.cells, &mut self.plan, &self.raw);
        let at = raw.target_position;
        let cell = if at == NO_TARGET { FileCell::Missing } else { cells.cell(at) };
        if let Some(place) = self.marks.passed(cells, plan.decimal) {
            // Of the rows at the value, those count that were played.
            let marked = place.is_eq() && self.marks.read(cells, plan.decimal, !cell.is_missing()).is_ok();
            if marked && matches!(read(cells, raw, plan), Ok(Some((Some(_), _)))) {
                self.marks.pass();
            }
            return Ok(RowOutcome::Skipped);
        }
        if self.sought.as_mut().is_some_and(|sought| sought.is(cell)) {
            self.sought = None;
        }
        self.marks.read(cells, plan.decimal, !cell.is_missing())?;
        let step = encode(cells, raw, plan, inputs, targets)?;
        if let RowOutcome::Row = step {
            self.marks.keep(&*self.cells);
        }
        Ok(step)
    }
}

/// Appends the row that `cells` stand on, unless it is left out. Encoders learn from the inputs of one without a target, as
/// they do where such rows are predicted.
fn encode(
    cells: &dyn Cells,
    raw: &ReaderColumns,
    plan: &mut EncodingPlan,
    inputs: &mut Vec<f64>,
    targets: &mut Vec<f64>,
) -> Result<RowOutcome, DataError> {
    let Some((target, values)) = read(cells, raw, plan)? else { return Ok(RowOutcome::Skipped) };
    let (at, before) = (raw.target_position, inputs.len());
    plan.target.settle(if at == NO_TARGET { FileCell::Missing } else { cells.cell(at) });
    for ((column, &at), value) in plan.columns.iter_mut().zip(&raw.input_positions).zip(values) {
        column.settle(cells.cell(at));
        column.push(value, inputs);
    }
    let Some(target) = target else {
        inputs.truncate(before);
        return Ok(RowOutcome::Skipped);
    };
    targets.push(target);
    Ok(RowOutcome::Row)
}

/// The target and the inputs of a row.
type RowCells<'a> = (Option<f64>, Vec<ColumnValue<'a>>);

/// The target and the inputs of the row that `cells` stand on, from which no encoder has learned; None if nothing is to be
/// learnt from it, and no target if it is left out all the same.
fn read<'a>(cells: &'a dyn Cells, raw: &ReaderColumns, plan: &EncodingPlan) -> Result<Option<RowCells<'a>>, DataError> {
    let at = raw.target_position;
    let cell = if at == NO_TARGET { FileCell::Missing } else { cells.cell(at) };
    match (plan.target.value(cell, || cells.location(at))?, plan.unlabelled) {
        (None, UnlabelledRows::Skip) if at != NO_TARGET => {
            // What cannot be read may be no row at all, such as a line of totals.
            Ok(values(cells, raw, plan).ok().flatten().map(|values| (None, values)))
        }
        (None, UnlabelledRows::Refuse) if at != NO_TARGET => {
            Err(DataError::Missing { at: Box::new(cells.location(at)), gap: Gap::Target })
        }
        (target, _) => Ok(values(cells, raw, plan)?.map(|values| (Some(target.unwrap_or(f64::NAN)), values))),
    }
}

/// The inputs of the row that `cells` stand on; None if one is missing that leaves the row out.
fn values<'a>(
    cells: &'a dyn Cells,
    raw: &ReaderColumns,
    plan: &EncodingPlan,
) -> Result<Option<Vec<ColumnValue<'a>>>, DataError> {
    let mut values = Vec::with_capacity(plan.columns.len());
    for (column, &position) in plan.columns.iter().zip(&raw.input_positions) {
        let value = column.value(cells.cell(position), || cells.location(position))?;
        match (value, &plan.missing) {
            (ColumnValue::Missing, MissingValues::Drop) => return Ok(None),
            (ColumnValue::Missing, MissingValues::Refuse) => {
                return Err(DataError::Missing { at: Box::new(cells.location(position)), gap: Gap::Input });
            }
            _ => values.push(value),
        }
    }
    Ok(Some(values))
}

enum RowOutcome {
    Row,
    Skipped,
    End,
}

/// What was found out about a file by its first row that counts.
#[derive(Default)]
pub(crate) struct First {
    /// What that row holds in each column that is used, the target last.
    pub(crate) samples: Vec<ColumnSample>,
    /// Rows before it that cannot be read, and are passed over.
    early: Vec<DataError>,
    /// Rows before it that are left out.
    skipped: u64,
    /// Whether there is no such row.
    pub(crate) over: bool,
}

impl First {
    /// What samples of the first rows say, of which the cells stand on one.
    pub(crate) fn known(samples: Vec<ColumnSample>) -> Self {
        Self { samples, ..Self::default() }
    }

    /// Looks for the first row that is neither left out nor, where the reader is `tolerant`, passed over. `cells` then stand
    /// on it. Its cells decide what the columns hold; whether it has a target does not matter.
    ///
    /// # Errors
    /// A file without rows, or whose first row cannot be read.
    pub(crate) fn find(
        cells: &mut dyn Cells,
        raw: &ReaderColumns,
        encoding: &ColumnEncoding,
        tolerant: bool,
    ) -> Result<Self, DataError> {
        let encoding = ColumnEncoding { unlabelled: UnlabelledRows::Keep, ..encoding.clone() };
        let mut found = Self { samples: Self::of(None, raw), ..Self::default() };
        loop {
            match cells.advance() {
                Ok(true) => {}
                Ok(false) => {
                    found.over = true;
                    return Ok(found);
                }
                Err(error) if tolerant && error.is_of_a_row() => {
                    found.early.push(error);
                    continue;
                }
                Err(error) => return Err(error),
            }
            found.samples = Self::of(Some(cells), raw);
            let plan = EncodingPlan::new(cells.file(), raw, &encoding, &found.samples, false, false);
            match encode(cells, raw, &mut plan?, &mut Vec::new(), &mut Vec::new()) {
                Ok(RowOutcome::Skipped) => found.skipped += 1,
                Err(error) if tolerant && error.is_of_a_row() => found.early.push(error),
                // What is wrong with it is told when it is read.
                Ok(RowOutcome::Row | RowOutcome::End) | Err(_) => return Ok(found),
            }
        }
    }

    fn of(row: Option<&dyn Cells>, raw: &ReaderColumns) -> Vec<ColumnSample> {
        let positions = raw.input_positions.iter().chain([&raw.target_position]);
        let sample = |position: &usize| {
            let mut sample = ColumnSample::default();
            sample.add(row.map_or(FileCell::Missing, |cells| cells.cell(*position)));
            sample
        };
        positions.map(sample).collect()
    }
}

impl RowReader for Encoded {
    fn columns(&self) -> &ReaderColumns {
        &self.columns
    }

    fn next_block(&mut self, limit: usize, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<usize, DataError> {
        let mut rows = 0;
        self.marks.forget();
        while rows < limit && !self.done {
            // Until the row is known to be sound.
            self.done = true;
            match self.next_row(inputs, targets)? {
                RowOutcome::Row => rows += 1,
                RowOutcome::Skipped => self.skipped += 1,
                RowOutcome::End => break,
            }
            self.done = false;
        }
        Ok(rows)
    }

    fn plan(&self) -> Option<&EncodingPlan> {
        Some(&self.plan)
    }

    fn marks(&self) -> &[String] {
        self.marks.kept()
    }

    fn further_targets(&self) -> &[f64] {
        self.marks.numbers()
    }

    fn pass_over(&mut self) -> bool {
        self.done = false;
        true
    }

    fn skipped(&self) -> u64 {
        self.skipped
    }
}

/// What the first rows hold in the columns `raw`: one sample for each input, then one for the target. Where the reader is
/// `tolerant`, rows that cannot be read are passed over. Of `one` row, an
/// error is returned; further rows that cannot be read end the sample, since the reader itself will tell.
pub(crate) fn sample(
    cells: &mut dyn Cells,
    raw: &ReaderColumns,
    one: bool,
    tolerant: bool,
) -> Result<Vec<ColumnSample>, DataError> {
    let positions: Vec<usize> = raw.input_positions.iter().copied().chain([raw.target_position]).collect();
    let mut samples = vec![ColumnSample::default(); positions.len()];
    let (mut row, most) = (0, if one { 1 } else { SAMPLED });
    while row < most {
        match cells.advance() {
            Ok(true) => row += 1,
            Err(error) if tolerant && error.is_of_a_row() => continue,
            Err(error) if row == 0 => return Err(error),
            Ok(false) | Err(_) => break,
        }
        for (sample, &position) in samples.iter_mut().zip(&positions) {
            sample.add(cells.cell(position));
        }
    }
    Ok(samples)
}
