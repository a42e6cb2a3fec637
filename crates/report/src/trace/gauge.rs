//! The gauges: what a learner holds and has spent at a checkpoint. An item of `SPECS` says everything about a gauge: its
//! column in the result tables, its title in reports, and where its value comes from. A new gauge goes to the end.

use noregret_core::protocol::record::Checkpoint;

use crate::trace::schema::{ResultColumn, Type};
use crate::trace::table::ColumnData;

/// The value of a gauge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Of a column of counts.
    Count(u64),
    /// Of a column of numbers.
    Number(f64),
}

/// How a gauge is read from a checkpoint of the core.
enum Read {
    Count(fn(&Checkpoint) -> Option<u64>),
    Number(fn(&Checkpoint) -> Option<f64>),
}

/// Column, title and source of a gauge.
type GaugeSpec = (ResultColumn, &'static str, Read);
type GaugeText = &'static str;

const fn count(
    name: GaugeText,
    title: GaugeText,
    unit: GaugeText,
    doc: GaugeText,
    read: fn(&Checkpoint) -> Option<u64>,
) -> GaugeSpec {
    (ResultColumn { name, kind: Type::Count, nullable: true, unit, doc }, title, Read::Count(read))
}

/// The weight of forecast k of an aggregation.
macro_rules! weight {
    ($k:literal) => {
        number(
            concat!("weight_", $k),
            concat!("Weight of forecast ", $k),
            "",
            concat!(
                "weight of forecast ",
                $k,
                " in the last round, 0 for an absent one (aggregate), or of that family of members (auto)"
            ),
            |at| at.gauges.weights[$k - 1],
        )
    };
}

const fn number(
    name: GaugeText,
    title: GaugeText,
    unit: GaugeText,
    doc: GaugeText,
    read: fn(&Checkpoint) -> Option<f64>,
) -> GaugeSpec {
    (ResultColumn { name, kind: Type::Number, nullable: true, unit, doc }, title, Read::Number(read))
}

/// All gauges, in the order of their columns.
const SPECS: &[GaugeSpec] = &[
    count(
        "stored_points",
        "Stored points",
        "points",
        "points kept from the stream (support points, dictionary)",
        |at| at.gauges.stored_points,
    ),
    count("features", "Features", "features", "dimension of an explicit feature space", |at| at.gauges.features),
    count("kernel_evaluations", "Kernel evaluations", "evaluations", "kernel evaluations so far", |at| {
        at.gauges.kernel_evaluations
    }),
    number("norm", "Norm", "", "norm of the hypothesis in its space", |at| at.gauges.norm),
    count("state_bytes", "State", "bytes", "bytes of the state that grows or dominates", |at| at.gauges.state_bytes),
    count("queries", "Queries", "copies", "noisy copies asked for so far (noisy protocol)", |at| at.queries),
    number(
        "lower",
        "Lower end",
        "units of the target",
        "lower end of the interval for the target of the last round (intervals); null where it contains nothing or has no end",
        |at| at.gauges.lower,
    ),
    number("upper", "Upper end", "units of the target", "upper end of that interval", |at| at.gauges.upper),
    count("missed", "Missed targets", "targets", "targets outside of their intervals so far (intervals)", |at| {
        at.gauges.missed
    }),
    weight!(1),
    weight!(2),
    weight!(3),
    weight!(4),
    weight!(5),
    weight!(6),
    weight!(7),
    weight!(8),
    weight!(9),
    weight!(10),
    number(
        "deviation",
        "Deviation",
        "units of the target",
        "standard deviation of the target of the last round, as it was known before (model-averaging)",
        |at| at.gauges.deviation,
    ),
    number(
        "log_loss",
        "Log loss",
        "",
        "sum of -ln of the densities that targets had before they were seen (model-averaging)",
        |at| at.gauges.log_loss,
    ),
];

/// The columns of all gauges, shared by the runs and the traces table.
pub const GAUGES: &[ResultColumn] = &{
    let mut columns = [SPECS[0].0; SPECS.len()];
    let mut index = 0;
    while index < columns.len() {
        columns[index] = SPECS[index].0;
        index += 1;
    }
    columns
};

/// One of the gauges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge(usize);

/// Points kept from the stream.
pub const STORED_POINTS: Gauge = Gauge(0);
/// Dimension of an explicit feature space.
pub(crate) const FEATURES: Gauge = Gauge(1);
/// Kernel evaluations so far.
pub(crate) const KERNEL_EVALUATIONS: Gauge = Gauge(2);
/// Bytes of state.
pub(crate) const STATE_BYTES: Gauge = Gauge(4);
/// Noisy copies asked for so far.
pub const QUERIES: Gauge = Gauge(5);

impl Gauge {
    /// All gauges, in the order of their columns.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..GAUGES.len()).map(Gauge)
    }

    /// Its column in the runs and traces tables.
    pub(crate) fn column(self) -> &'static ResultColumn {
        &GAUGES[self.0]
    }

    /// Its title in the headings of tables.
    pub(crate) fn title(self) -> &'static str {
        SPECS[self.0].1
    }
}

/// The value of every gauge at a checkpoint, where it applies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GaugeValues([Option<Amount>; GAUGES.len()]);

impl GaugeValues {
    /// The values that the core recorded.
    pub fn new(at: &Checkpoint) -> Self {
        GaugeValues(std::array::from_fn(|index| match SPECS[index].2 {
            Read::Count(read) => read(at).map(Amount::Count),
            Read::Number(read) => read(at).map(Amount::Number),
        }))
    }

    /// The same with another value for one gauge.
    pub fn with(mut self, gauge: Gauge, value: Option<Amount>) -> Self {
        self.0[gauge.0] = value;
        self
    }

    /// The value of a gauge that counts.
    pub fn count(&self, gauge: Gauge) -> Option<u64> {
        match self.0[gauge.0]? {
            Amount::Count(count) => Some(count),
            Amount::Number(_) => None,
        }
    }

    /// The value of a gauge as a number.
    pub(crate) fn number(&self, gauge: Gauge) -> Option<f64> {
        Some(match self.0[gauge.0]? {
            Amount::Count(count) => count as f64,
            Amount::Number(number) => number,
        })
    }
}

/// The columns of all gauges, with a row for each of `rows`; a row that is none has nulls.
pub(crate) fn columns_of(rows: &[Option<&GaugeValues>]) -> Vec<ColumnData> {
    let column = |gauge: Gauge| match gauge.column().kind {
        Type::Count => ColumnData::Count(rows.iter().map(|row| row.and_then(|row| row.count(gauge))).collect()),
        _ => ColumnData::Number(rows.iter().map(|row| row.and_then(|row| row.number(gauge))).collect()),
    };
    Gauge::all().map(column).collect()
}

/// Reads [`columns_of`] back: the values of `rows` rows from the columns that `counts` and `numbers` find by name.
pub(crate) fn rows_of<E>(
    rows: usize,
    counts: impl Fn(&'static str) -> Result<Vec<Option<u64>>, E>,
    numbers: impl Fn(&'static str) -> Result<Vec<Option<f64>>, E>,
) -> Result<Vec<GaugeValues>, E> {
    let mut values = vec![GaugeValues::default(); rows];
    for (index, &ResultColumn { name, kind, .. }) in GAUGES.iter().enumerate() {
        let amounts: Vec<Option<Amount>> = match kind {
            Type::Count => counts(name)?.into_iter().map(|count| count.map(Amount::Count)).collect(),
            _ => numbers(name)?.into_iter().map(|number| number.map(Amount::Number)).collect(),
        };
        values.iter_mut().zip(amounts).for_each(|(row, amount)| row.0[index] = amount);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_core::learner::api::{Gauges, WEIGHTS};

    /// Whether every field of the core's gauges, as its `Debug` output names them, has a row; the weights have one each.
    fn complete(debugged: &str) -> bool {
        let fields = debugged.split(['{', ',']).filter_map(|part| Some(part.split_once(':')?.0.trim()));
        let has = |name: &str| Gauge::all().any(|gauge| gauge.column().name == name);
        let weights = (1..=WEIGHTS).all(|k| has(&format!("weight_{k}")));
        fields.into_iter().all(|field| has(field) || field == "weights" && weights)
    }

    #[test]
    fn every_gauge_of_the_core_has_a_row() {
        let debugged = format!("{:?}", Gauges::default());
        assert!(debugged.contains("stored_points: None") && complete(&debugged), "{debugged}");
        assert!(!complete(&debugged.replace("norm", "depth")));
    }

    #[test]
    fn names_find_their_gauges() {
        let named =
            [STORED_POINTS, FEATURES, KERNEL_EVALUATIONS, STATE_BYTES, QUERIES].map(|gauge| gauge.column().name);
        assert_eq!(named, ["stored_points", "features", "kernel_evaluations", "state_bytes", "queries"]);
        let values = GaugeValues::default().with(QUERIES, Some(Amount::Count(3)));
        assert_eq!((values.count(QUERIES), values.number(QUERIES), values.count(FEATURES)), (Some(3), Some(3.0), None));
    }
}
