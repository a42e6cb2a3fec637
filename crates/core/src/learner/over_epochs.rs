//! Any learner on causal scales: one that is made anew at the start of each epoch ([`crate::epoch`]).
//!
//! Within an epoch the learner sees x' = clip((x - mean) / deviation) and y' = (y - mean) / deviation, with the means and
//! deviations of the rows before the epoch. At its start a new learner learns all rows so far, as rounds 1, 2, ..., in
//! these scales, and goes on from there. Nothing that it knows was learnt in other scales, and no scale knows a later row.
//! Before row 2 inputs are 0 and targets are as they are.
//!
//! Instead of its columns it can be shown a view of each row ([`crate::view`]): with past targets, with categories as indicators,
//! decided anew at each epoch, so that its inputs become more or fewer.
//!
//! The rows are kept in a buffer. Epochs double, so that the last of them begins before it is full. From then on the scales
//! stay, unless the inputs have moved so far that more than 5 % of the last 1,000 rows are clipped in some column: then an
//! epoch begins from the newest rows that the buffer holds, and what was before them is forgotten.

mod scale;

use self::scale::EpochScale;
use crate::epoch::{FIRST, Scales, next};
use crate::learner::api::{Block, Breakdown, Gauges, Hypothesis, Interval, Learner, in_round, predicts_only};
use crate::learner::given::Given;
use crate::learner::predictive::Predictive;
use crate::learner::said::{Attended, Estimated, Foretold};
use crate::params::ParamError;
use crate::recent::{Outside, Recent};
use crate::view::{ColumnKind, EpochView, PastTargets, ViewKind};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{StateError, Store};

/// The most rows that are kept: 2^15.
pub const MOST_ROWS: usize = 1 << 15;

/// The most numbers that are kept, 64 MiB of them: rows of more than 255 inputs are fewer than [`MOST_ROWS`].
const MOST_NUMBERS: usize = 1 << 23;

/// The fewest rows that are kept, however wide they are.
const FEWEST_ROWS: usize = 32;

/// Rows that are learnt together when a learner is made anew.
const BLOCK: usize = 256;

/// Builds a fresh learner, always with the same parameters, inputs and draws.
pub type BuildLearner = Box<dyn Fn() -> Result<Box<dyn Learner>, ParamError> + Send>;

/// Builds one for as many inputs as it is told.
pub type BuildWide = Box<dyn Fn(usize) -> Result<Box<dyn Learner>, ParamError> + Send>;

/// The learner that `build` makes, over epochs; [`crate::epoch`] has an example.
pub struct OverEpochs {
    build: BuildWide,
    draws: Draws,
    /// The scales of the inputs and targets.
    scale: EpochScale,
    /// What it is shown instead of the columns.
    shown: Option<EpochView>,
    inner: Box<dyn Learner>,
    rows: Recent,
    /// Rows that were learnt.
    learnt: u64,
    /// At how many rows the next epoch begins; 0 if none is due any more.
    next: u64,
    /// At how many rows the present one began.
    since: u64,
    /// Rounds of the present learner.
    rounds: u64,
    /// For each column, how many of the recent rows since then were clipped; counted where no epoch is due.
    clipped: Outside,
    /// What was said in the rounds of the last block.
    given: Given,
    /// Whether it still has what learning needs.
    learns: bool,
}

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
            scale: EpochScale::new(scales, columns.iter().map(|column| *column == ColumnKind::Part).collect()),
            shown,
            inner,
            rows: Recent::new(wide, most.max(4)),
            learnt: 0,
            next: FIRST,
            since: 0,
            rounds: 0,
            clipped: Outside::new(dim),
            given: Given::default(),
            learns: true,
        })
    }

    /// The past targets that are shown, if they are.
    fn past(&self) -> Option<PastTargets> {
        self.shown.as_ref().and_then(EpochView::past)
    }

    /// Lets the learner of this epoch learn a row as `learn` does, with the round that it is there.
    fn take(
        &mut self,
        (x, y, weight): (&[f64], f64, f64),
        learn: impl FnOnce(&mut dyn Learner, &[f64], f64, u64, &Draws) -> Result<(), Breakdown>,
    ) -> Result<(), Breakdown> {
        self.given.begin();
        if !self.learns {
            return Err(predicts_only());
        }
        let wide = self.wide(x);
        let (scaled, target) = (self.seen(&wide), self.scale.to(y));
        self.rounds += 1;
        learn(&mut *self.inner, &scaled, target, self.rounds, &self.draws)?;
        let (offset, factor) = self.scale.targets();
        self.given.note(&*self.inner, offset, factor);
        if self.note(&wide, y, weight) { self.begin() } else { Ok(()) }
    }

    /// The number of inputs of the learner in this epoch.
    fn width(&self) -> usize {
        self.shown.as_ref().map_or(self.scale.columns(), EpochView::width)
    }

    /// Rows as they are kept: with past targets, where these are shown.
    fn wide(&self, rows: &[f64]) -> Vec<f64> {
        match &self.shown {
            None => rows.to_vec(),
            Some(shown) => {
                let mut wide = Vec::new();
                rows.chunks_exact(self.scale.columns().max(1)).for_each(|row| shown.widen(row, &mut wide));
                wide
            }
        }
    }

    /// Rows, which have no past targets yet, as the learner sees them.
    fn scaled(&self, rows: &[f64]) -> Vec<f64> {
        match &self.shown {
            None => self.seen(rows),
            Some(_) => self.seen(&self.wide(rows)),
        }
    }

    /// Rows that are kept as the learner sees them: in the scale of the epoch.
    fn seen(&self, rows: &[f64]) -> Vec<f64> {
        if let Some(shown) = &self.shown {
            return shown.show(Rows::new(self.rows.dim, rows));
        }
        self.scale.rows(rows)
    }

    /// Takes note of a row that is learnt, as it is kept; whether an epoch begins after it.
    fn note(&mut self, wide: &[f64], y: f64, weight: f64) -> bool {
        self.rows.push(wide, y, weight);
        self.shown.iter_mut().for_each(|shown| shown.learn(y));
        self.learnt += 1;
        if self.next > 0 {
            return self.learnt == self.next;
        }
        if self.scale.inputs.columns() == 0 {
            return false;
        }
        let (now, most) = (self.learnt - self.since, self.rows.most as u64);
        self.clipped.slide(&self.rows, &self.scale.inputs, now) && now >= most / 2 && self.learnt > most
    }

    /// Fixes the scales of the rows so far, and makes a learner of them.
    fn begin(&mut self) -> Result<(), Breakdown> {
        self.rows.straighten();
        let failed = |breakdown: Breakdown| Breakdown::new(format!("at the start of an epoch: {}", breakdown.cause));
        let kept = Rows::new(self.rows.dim, &self.rows.inputs);
        // What was said of targets that are not known yet stays as it was said.
        let said = self.waiting();
        let centred = self.scale.fit(&self.rows);
        if let (Some(shown), Some(centred)) = (&mut self.shown, centred) {
            shown.begin(kept, &centred);
        }
        let blind = self.shown.as_ref().map_or(0, |shown| shown.blind(kept));
        self.inner = (self.build)(self.width()).map_err(|error| failed(Breakdown::new(error.to_string())))?;
        self.rounds = 0;
        let targets: Vec<f64> = self.rows.targets[blind..].iter().map(|target| self.scale.to(*target)).collect();
        let (mut predictions, mut from) = ([0.0; BLOCK], blind);
        for targets in targets.chunks(BLOCK) {
            let scaled = self.seen(self.rows.rows(from, targets.len()));
            let inputs = Rows::new(self.width(), &scaled);
            let block = Block { first_round: self.rounds + 1, inputs, targets };
            let said = &mut predictions[..targets.len()];
            let played = match self.rows.weights.get(from..from + targets.len()) {
                Some(weights) => self.inner.play_weighted(block, weights, &self.draws, said),
                None => self.inner.play(block, &self.draws, said),
            };
            played.map_err(failed)?;
            self.rounds += targets.len() as u64;
            from += targets.len();
        }
        let (offset, factor) = self.scale.targets();
        let said = said.into_iter().map(|one| one.mapped(-offset / factor, factor.recip()));
        self.inner.keep_waiting(said.collect());
        self.since = self.learnt;
        let next = next(self.learnt);
        self.next = if next <= self.rows.most as u64 { next } else { 0 };
        self.clipped.clear();
        Ok(())
    }
}

impl Hypothesis for OverEpochs {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.scale.back(self.inner.predict(&self.scaled(x), draw))
    }

    fn predict_rows(&self, inputs: Rows<'_>, draw: &dyn Fn(usize) -> Draw, out: &mut [f64]) {
        let scaled = self.scaled(inputs.data());
        self.inner.predict_rows(Rows::new(self.width(), &scaled), draw, out);
        out.iter_mut().for_each(|prediction| *prediction = self.scale.back(*prediction));
    }

    /// Those of the learner of this epoch, with the bytes of the rows that are kept, and intervals as they were given.
    fn gauges(&self) -> Gauges {
        let inner = self.inner.gauges();
        let intervals = inner.missed.is_some();
        let end = |end: f64| Some(end).filter(|end| intervals && end.is_finite());
        Gauges {
            state_bytes: Some(inner.state_bytes.unwrap_or(0) + self.rows.bytes()),
            lower: end(self.given.last[0]),
            upper: end(self.given.last[1]),
            missed: inner.missed.map(|_| self.given.missed),
            deviation: inner.deviation.map(|one| self.scale.targets().1 * one),
            log_loss: None,
            ..inner
        }
    }

    fn predict_averaged(&self, x: &[f64], draw: &mut Draw) -> Option<f64> {
        self.inner.predict_averaged(&self.scaled(x), draw).map(|prediction| self.scale.back(prediction))
    }

    fn estimates(&self) -> bool {
        self.inner.estimates()
    }

    fn estimate_averaged(&self, x: &[f64], draw: &mut Draw) -> Option<Estimated> {
        let estimated = self.inner.estimate_averaged(&self.scaled(x), draw)?;
        let precision = self.scale.targets().1 * estimated.precision;
        Some(Estimated { value: self.scale.back(estimated.value), precision, ..estimated })
    }

    /// The past targets that are shown, if they are; then, if the learner of this epoch knows more, which epoch it is, the scale of
    /// its targets, and that.
    fn context(&self, x: &[f64], draw: &mut Draw) -> Vec<f64> {
        let mut context = self.past().map_or_else(Vec::new, |past| past.0.to_vec());
        let inner = self.inner.context(&self.scaled(x), draw);
        if !inner.is_empty() {
            let (offset, factor) = self.scale.targets();
            // Below 0, because contexts of models that were saved before are without the scale.
            context.extend([-1.0 - self.since as f64, offset, factor]);
            context.extend(inner);
        }
        context
    }

    fn waiting(&self) -> Vec<Foretold> {
        let (offset, factor) = self.scale.targets();
        self.inner.waiting().into_iter().map(|one| one.mapped(offset, factor)).collect()
    }

    fn attended(&self, x: &[f64]) -> Option<Attended> {
        let attended = self.inner.attended(&self.scaled(x))?;
        Some(Attended { prediction: self.scale.back(attended.prediction), ..attended })
    }

    fn interval(&self, prediction: f64) -> Option<Interval> {
        let (offset, factor) = self.scale.targets();
        self.inner.interval(self.scale.to(prediction)).map(|one| one.mapped(offset, factor))
    }

    fn intervals(&self) -> &[Interval] {
        &self.given.intervals
    }

    fn predictive(&self, x: &[f64]) -> Option<Predictive> {
        let (offset, factor) = self.scale.targets();
        self.inner.predictive(&self.scaled(x)).map(|predictive| predictive.mapped(offset, factor))
    }

    fn predictives(&self) -> Option<Vec<Predictive>> {
        self.inner.predictives().map(|_| self.given.predictives.clone())
    }

    /// Those of the learner of this epoch, as if it had played all rows that it knows in its scales.
    fn measures(&self) -> Vec<(&'static str, f64)> {
        self.inner.measures()
    }

    /// The rows are what only learning needs.
    fn keep_predictions(&mut self) -> bool {
        self.inner.keep_predictions();
        self.rows = Recent::new(self.rows.dim, self.rows.most);
        self.learns = false;
        true
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { build, draws: _, clipped: _, given, scale, shown, inner, rows, .. } = self;
        if let Some(shown) = shown {
            store.keep("shown", shown)?;
            if store.is_loading() {
                match build(shown.width()) {
                    Ok(built) => *inner = built,
                    Err(_) => store.check(false, "shows its learner rows that it does not take")?,
                }
            }
        }
        store.keep("rows", rows)?;
        scale.state(store)?;
        store.within("inner", |store| inner.state(store))?;
        let Given { missed, last, intervals: _, predictives: _ } = given;
        let Self { learnt, next, since, rounds, learns, .. } = self;
        store.keep("learnt", learnt)?;
        store.keep("next", next)?;
        store.keep("since", since)?;
        store.keep("rounds", rounds)?;
        store.keep("missed", missed)?;
        store.keep("last", &mut last[..])?;
        store.keep("learns", learns)?;
        let known = self.rows.targets.len() as u64;
        store.check(!self.learns || known == self.learnt.min(self.rows.most as u64), "does not have its rows")?;
        store.check(self.since <= self.learnt, "has learnt fewer rows than before its epoch")?;
        if store.is_loading() {
            // What counts as recent is among the rows.
            self.clipped.clear();
            if self.next == 0 && self.scale.inputs.columns() > 0 {
                self.clipped.recount(&self.rows, &self.scale.inputs, known.min(self.learnt - self.since));
            }
        }
        Ok(())
    }
}

impl Learner for OverEpochs {
    fn foresees(&self) -> bool {
        self.inner.foresees()
    }

    fn takes_absent(&self) -> bool {
        self.inner.takes_absent()
    }

    fn wants_labels(&self) -> bool {
        self.inner.wants_labels()
    }

    fn scalable(&self) -> Scales {
        Scales::default()
    }

    fn attend(&mut self, x: &[f64], _: &mut Draw) -> Result<(), Breakdown> {
        let scaled = self.scaled(x);
        self.inner.attend(&scaled, &mut self.draws.at(Role::Attend, self.rounds + 1))
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_weighted(x, y, 1.0, draw)
    }

    /// Scales and epochs count a row of any weight as one.
    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, _: &mut Draw) -> Result<(), Breakdown> {
        self.take((x, y, weight), |learner, x, y, round, draws| {
            learner.learn_weighted(x, y, weight, &mut draws.at(Role::Learn, round))
        })
    }

    /// What the learner of an epoch knew is on its scale: after another one has begun, that is kept which has a
    /// meaning in another scale.
    fn learn_late(&mut self, row: Block<'_>, context: &[f64], _: &Draws) -> Result<(), Breakdown> {
        let shows = self.past().is_some();
        let (past, own) =
            context.split_first_chunk().filter(|_| shows).map_or((None, context), |(past, own)| (Some(past), own));
        if let (Some(shown), Some(past)) = (&mut self.shown, past) {
            shown.show_instead(PastTargets(*past));
        }
        let inner = match own {
            [since, _, _, inner @ ..] if *since == -1.0 - self.since as f64 => inner.to_vec(),
            [since, before, unit, inner @ ..] if *since < 0.0 => {
                let (offset, factor) = self.scale.targets();
                self.inner.context_moved(inner, (before - offset) / factor, unit / factor)
            }
            [since, inner @ ..] if *since == self.since as f64 => inner.to_vec(),
            _ => Vec::new(),
        };
        self.take((row.inputs.row(0), row.targets[0], 1.0), |learner, x, y, round, draws| {
            learner.learn_late(Block { first_round: round, inputs: Rows::single(x), targets: &[y] }, &inner, draws)
        })
    }

    /// The block is cut where epochs begin; the learner plays the parts by itself.
    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.given.begin();
        if !self.learns {
            return Err(predicts_only());
        }
        let (rows, mut from) = (block.inputs.rows().min(block.targets.len()), 0);
        while from < rows {
            // Whether an epoch begins after a row is known from its inputs and from how many there were.
            let (mut to, mut begins, mut kept) = (from, false, Vec::new());
            while to < rows && !begins {
                let wide = self.wide(block.inputs.row(to));
                begins = self.note(&wide, block.targets[to], 1.0);
                kept.extend(wide);
                to += 1;
            }
            let part = block.part(from, to);
            let seen = self.seen(&kept);
            let targets: Vec<f64> = part.targets.iter().map(|target| self.scale.to(*target)).collect();
            let seen = Rows::new(self.width(), &seen);
            let scaled = Block { first_round: self.rounds + 1, inputs: seen, targets: &targets };
            let played = self.inner.play(scaled, &self.draws, &mut predictions[from..to]);
            predictions[from..to].iter_mut().for_each(|prediction| *prediction = self.scale.back(*prediction));
            let (offset, factor) = self.scale.targets();
            self.given.note(&*self.inner, offset, factor);
            played.map_err(|breakdown| Breakdown { after: from + breakdown.after, ..breakdown })?;
            self.rounds += (to - from) as u64;
            if begins {
                self.begin().map_err(in_round(to - 1))?;
            }
            from = to;
        }
        Ok(())
    }
}
