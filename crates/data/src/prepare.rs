//! Scaling of inputs and transforms of targets.

use std::cell::RefCell;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::DataError;
use crate::table::DataTable;
use noregret_core::epoch::Scales;
use noregret_model::inputs::{Bounds, ColumnRange, Scaler};
use noregret_model::running::{RunningScaler, is_quantity};
use noregret_numeric::linalg::sum::Sum;

/// How a table is prepared for learning. All statistics are over all rows of the table, those of later rounds included,
/// except where it says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Preparation {
    /// The scaling of the inputs.
    pub scale: InputScale,
    /// The transform of the target.
    pub target: TargetTransform,
}

/// A scaling of the inputs, each column by its own minimum and maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InputScale {
    /// No scaling.
    #[default]
    None,
    /// To [0, 1]: (x - min) / (max - min). A constant column becomes 0.
    Unit,
    /// To [-1, 1]: 2 (x - min) / (max - min) - 1. A constant column becomes 0.
    Symmetric,
    /// (x - mean) / deviation of the column in this row and the earlier ones, so that no row sees a later one. Columns
    /// of categories, circles and indicators stay as they are. Rows must be played in file order.
    Running,
    /// By epochs: inside one, (x - mean) / deviation of the rows that were played before it, from -4 to 4; at its start each
    /// learner is made anew from all of these. No scale owes anything to a later row, in any order. `auto` and learners in
    /// processes of their own do their own scaling, and see rows as they are.
    Epochs,
}

impl InputScale {
    /// What the range of each column over all rows is mapped to, where the scale is one by this range.
    pub fn bounds(self) -> Option<Bounds> {
        match self {
            // The learners scale by epochs, as rows are played.
            InputScale::None | InputScale::Running | InputScale::Epochs => None,
            InputScale::Unit => Some(Bounds::Unit),
            InputScale::Symmetric => Some(Bounds::Symmetric),
        }
    }
}

impl FromStr for InputScale {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "none" => Ok(InputScale::None),
            "unit" => Ok(InputScale::Unit),
            "symmetric" => Ok(InputScale::Symmetric),
            "running" => Ok(InputScale::Running),
            "epochs" => Ok(InputScale::Epochs),
            _ => Err(format!("`{word}` is not a scale; use none, unit, symmetric, running or epochs")),
        }
    }
}

/// A transform of the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TargetTransform {
    /// No transform.
    #[default]
    None,
    /// To [0, 1]: (y - min) / (max - min). A constant target becomes 0.
    Unit,
    /// To [-1, 1]: 2 (y - min) / (max - min) - 1. A constant target becomes 0.
    Symmetric,
    /// z / max|z| with z = 2y - 1. The code of the PKAWV authors prepares casp in this way: it maps the targets
    /// [0, 20.999] to [-0.024, 1], not to the [-1, 1] of their paper. If all z are 0, they stay 0.
    Authors,
    /// The class label: +1 if y > 0, otherwise -1.
    Sign,
    /// (y - mean) / deviation, where the deviation is the root of the mean squared difference from the mean. A constant
    /// target becomes 0.
    Standardise,
    /// By epochs, as the inputs: each learner sees (y - mean) / deviation of the targets before its epoch. Its predictions
    /// come back, so that losses are in the units of the file.
    Epochs,
}

impl Preparation {
    /// Whether values owe something to all rows, later ones included.
    pub fn sees_all(&self) -> bool {
        use TargetTransform::{Authors, Standardise, Symmetric, Unit};
        self.scale.bounds().is_some() || matches!(self.target, Unit | Symmetric | Authors | Standardise)
    }

    /// What learners scale by epochs.
    pub fn epochs(&self) -> Scales {
        Scales { inputs: self.scale == InputScale::Epochs, targets: self.target == TargetTransform::Epochs }
    }
}

/// The table with its inputs scaled and its target transformed.
pub fn prepare(mut table: DataTable, preparation: &Preparation) -> Result<DataTable, DataError> {
    if preparation.scale == InputScale::Running {
        let quantities: Vec<bool> = table.input_names.iter().map(|name| is_quantity(name)).collect();
        let scaler = RefCell::new(RunningScaler::new(&quantities));
        table.inputs = table.inputs.changed(|row| scaler.borrow_mut().apply(row));
    } else if let Some(bounds) = preparation.scale.bounds() {
        let mut scaler = Scaler::new(bounds, table.inputs.cols());
        let mut row = vec![0.0; table.inputs.cols()];
        for i in 0..table.inputs.rows() {
            table.inputs.write_row(i, &mut row);
            scaler.observe(&row);
        }
        table.inputs = table.inputs.changed(|row| scaler.apply(row));
    }
    transform(&mut table.targets, preparation.target);
    // Transforms of targets near the end of the range of f64 can overflow.
    if table.targets.iter().any(|target| !target.is_finite()) {
        return Err(DataError::Overflow { column: table.target_name, what: "the transform of the target" });
    }
    Ok(table)
}

/// Transforms targets in place.
fn transform(targets: &mut [f64], transform: TargetTransform) {
    let range = ColumnRange::of(targets);
    match transform {
        TargetTransform::None | TargetTransform::Epochs => {}
        TargetTransform::Unit => each(targets, |y| range.unit(y)),
        TargetTransform::Symmetric => each(targets, |y| range.symmetric(y)),
        TargetTransform::Authors => {
            each(targets, |y| 2.0 * y - 1.0);
            let largest = targets.iter().fold(0.0_f64, |largest, z| largest.max(z.abs()));
            divide(targets, largest);
        }
        TargetTransform::Sign => each(targets, |y| if y > 0.0 { 1.0 } else { -1.0 }),
        // The rounded mean of equal numbers may differ from them, and the division would enlarge the difference to 1.
        TargetTransform::Standardise if range.is_constant() => targets.fill(0.0),
        TargetTransform::Standardise => {
            let mean = mean(targets.iter().copied());
            each(targets, |y| y - mean);
            let deviation = self::mean(targets.iter().map(|z| z * z)).sqrt();
            divide(targets, deviation);
        }
    }
}

fn each(values: &mut [f64], f: impl Fn(f64) -> f64) {
    values.iter_mut().for_each(|value| *value = f(*value));
}

/// Divides by `divisor`, unless it is 0, in which case all values are 0.
fn divide(values: &mut [f64], divisor: f64) {
    if divisor != 0.0 {
        each(values, |value| value / divisor);
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    let mut sum = Sum::default();
    values.for_each(|value| sum.add(value));
    sum.value() / count
}
