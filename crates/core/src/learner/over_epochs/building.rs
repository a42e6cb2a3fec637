//! How learners over epochs are built.

use super::{BuildLearner, BuildWide, MOST_ROWS, OverEpochs};
use crate::epoch::{FIRST, Moments, Scales, Standard};
use crate::learner::given::Given;
use crate::params::ParamError;
use crate::recent::{Outside, Recent};
use crate::view::{ColumnKind, EpochView, ViewKind};
use noregret_numeric::draw::Draws;

/// The most numbers that are kept, 64 MiB of them: rows of more than 255 inputs are fewer than [`MOST_ROWS`].
const MOST_NUMBERS: usize = 1 << 23;

/// The fewest rows that are kept, however wide they are.
const FEWEST_ROWS: usize = 32;

impl OverEpochs {
    /// The learner that `build` makes with the draws `draws`, which those of later rounds belong to, over epochs of rows
    /// with as many inputs as `quantities` says: false for those whose scale has a meaning (parts of categories, dates on a
    /// circle, indicators), which are only centred. So are columns that have held nothing but 0 and 1.
    ///
    /// # Errors
    /// Those of `build`.
    pub fn new(build: BuildLearner, draws: Draws, quantities: &[bool], scales: Scales) -> Result<Self, ParamError> {
        Self::keeping(Self::most(quantities.len()), build, draws, quantities, scales)
    }

    /// The most rows with as many columns that are kept.
    pub fn most(columns: usize) -> usize {
        MOST_ROWS.min((MOST_NUMBERS / (columns + 1)).max(FEWEST_ROWS))
    }

    /// As [`OverEpochs::new`], with a buffer of at most `most` rows, at least 4.
    ///
    /// # Errors
    /// Those of `build`.
    pub fn keeping(
        most: usize,
        build: BuildLearner,
        draws: Draws,
        quantities: &[bool],
        scales: Scales,
    ) -> Result<Self, ParamError> {
        let columns = quantities.iter().map(|quantity| if *quantity { ColumnKind::Number } else { ColumnKind::Part });
        Self::with(most, Box::new(move |_| build()), draws, &columns.collect::<Vec<_>>(), None, scales)
    }

    /// As [`OverEpochs::keeping`], shown views of this kind of rows with these columns; inputs are scaled. Before the first
    /// epoch it has as many inputs as there are columns, all 0.
    ///
    /// # Errors
    /// Those of `build`.
    pub fn viewing(
        most: usize,
        build: BuildWide,
        draws: Draws,
        columns: Vec<ColumnKind>,
        kind: ViewKind,
        targets: bool,
    ) -> Result<Self, ParamError> {
        let shown = EpochView::new(kind, columns.clone());
        Self::with(most, build, draws, &columns, Some(shown), Scales { inputs: true, targets })
    }

    fn with(
        most: usize,
        build: BuildWide,
        draws: Draws,
        columns: &[ColumnKind],
        shown: Option<EpochView>,
        scales: Scales,
    ) -> Result<Self, ParamError> {
        let dim = columns.len();
        let inner = build(dim)?;
        let wide = shown.as_ref().map_or(dim, EpochView::wide);
        Ok(Self {
            build,
            draws,
            parts: columns.iter().map(|column| *column == ColumnKind::Part).collect(),
            scales,
            shown,
            inner,
            rows: Recent::new(wide, most.max(4)),
            inputs: Standard::default(),
            targets: Moments { mean: 0.0, deviation: 1.0 },
            learnt: 0,
            next: FIRST,
            since: 0,
            rounds: 0,
            clipped: Outside::new(dim),
            given: Given::default(),
            learns: true,
        })
    }
}
