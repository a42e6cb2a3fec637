//! Rows of cells become rows of numbers.

use crate::dataset::encode::choices::{Missing, Unlabelled};
use crate::dataset::encode::column::Value;
use crate::dataset::encode::marks::Marks;
use crate::dataset::encode::plan::Plan;
use crate::dataset::encode::recognise::Sample;
use crate::dataset::encode::target::Sought;
use crate::dataset::error::{DataError, Gap};
use crate::dataset::format::RowReader;
use crate::dataset::format::cells::{Cell, Cells};
use crate::dataset::format::columns::{Columns, NO_TARGET};

/// The most rows by which the kinds of columns are recognised.
const SAMPLED: usize = 1000;

/// Reads the rows of a file through encoders.
pub struct Encoded {
    cells: Box<dyn Cells>,
    plan: Plan,
    /// The columns of the file.
    raw: Columns,
    /// The columns that rows have.
    columns: Columns,
    /// Whether the row that `cells` stand on was not yet read.
    ahead: bool,
    done: bool,
    /// Rows that were left out.
    skipped: u64,
    /// The word of the class +1, as long as it is to be found.
    sought: Option<Sought>,
    /// Columns whose values are told, and rows that are passed over by them.
    marks: Marks,
}

impl Encoded {
    /// A reader of the columns `raw` of `cells`; `ahead` says that these stand on a row that is still to be read.
    pub fn new(cells: Box<dyn Cells>, raw: Columns, plan: Plan, ahead: bool) -> Self {
        let inputs = plan.names();
        let columns = Columns {
            input_positions: (0..inputs.len()).collect(),
            target_position: inputs.len(),
            inputs,
            target: raw.target.clone(),
        };
        Self { cells, plan, raw, columns, ahead, done: false, skipped: 0, sought: None, marks: Marks::default() }
    }

    /// Tells the values of these columns, and passes rows over by them.
    pub fn marking(self, marks: Marks) -> Self {
        Self { marks, ..self }
    }

    /// Ends with an error if no row has this word.
    pub fn seeking(self, sought: Option<Sought>) -> Self {
        Self { sought, ..self }
    }

    /// Reads one row; returns whether there was one, and whether it is left out.
    fn next_row(&mut self, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<Step, DataError> {
        if !std::mem::take(&mut self.ahead) && !self.cells.advance()? {
            let missed = self.sought.as_ref().map(|sought| sought.error(self.cells.file(), &self.raw.target));
            return missed.map_or(Ok(Step::End), Err);
        }
        let (cells, plan, raw) = (&*self.cells, &mut self.plan, &self.raw);
        if self.marks.passes_over(cells) {
            return Ok(Step::Skipped);
        }
        let at = raw.target_position;
        let cell = if at == NO_TARGET { Cell::Missing } else { cells.cell(at) };
        if self.sought.as_mut().is_some_and(|sought| sought.is(cell)) {
            self.sought = None;
        }
        let target = plan.target.value(cell, || cells.location(at))?;
        let target = match (target, plan.unlabelled) {
            (Some(target), _) => target,
            (None, Unlabelled::Keep) => f64::NAN,
            (None, _) if at == NO_TARGET => f64::NAN,
            (None, Unlabelled::Skip) => return Ok(Step::Skipped),
            (None, Unlabelled::Refuse) => {
                return Err(DataError::Missing { at: Box::new(cells.location(at)), gap: Gap::Target });
            }
        };
        let value = |index: usize| -> Result<Value<'_>, DataError> {
            let at = raw.input_positions[index];
            plan.columns[index].value(cells.cell(at), || cells.location(at))
        };
        self.marks.read(cells, plan.decimal)?;
        // A row is left out, or refused, before any encoder learns from it.
        for (index, &position) in raw.input_positions.iter().enumerate() {
            match (value(index)?, &plan.missing) {
                (Value::Missing, Missing::Drop) => return Ok(Step::Skipped),
                (Value::Missing, Missing::Refuse) => {
                    return Err(DataError::Missing { at: Box::new(cells.location(position)), gap: Gap::Input });
                }
                _ => {}
            }
        }
        for (column, &at) in plan.columns.iter_mut().zip(&raw.input_positions) {
            let value = column.value(cells.cell(at), || cells.location(at))?;
            column.push(value, inputs);
        }
        plan.target.learn(if at == NO_TARGET { Cell::Missing } else { cells.cell(at) });
        targets.push(target);
        self.marks.keep(&*self.cells);
        Ok(Step::Row)
    }
}

enum Step {
    Row,
    Skipped,
    End,
}

impl RowReader for Encoded {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn next_block(&mut self, limit: usize, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<usize, DataError> {
        let mut rows = 0;
        self.marks.forget();
        while rows < limit && !self.done {
            // Until the row is known to be sound.
            self.done = true;
            match self.next_row(inputs, targets)? {
                Step::Row => rows += 1,
                Step::Skipped => self.skipped += 1,
                Step::End => break,
            }
            self.done = false;
        }
        Ok(rows)
    }

    fn plan(&self) -> Option<&Plan> {
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
pub fn sample(cells: &mut dyn Cells, raw: &Columns, one: bool, tolerant: bool) -> Result<Vec<Sample>, DataError> {
    let positions: Vec<usize> = raw.input_positions.iter().copied().chain([raw.target_position]).collect();
    let mut samples = vec![Sample::default(); positions.len()];
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
