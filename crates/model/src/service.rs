//! What a stream in service keeps beside its learner: what was seen of the inputs, and rows that wait for what they can be
//! learnt with.

use std::collections::{BTreeMap, HashMap};

use noregret_numeric::state::{State, StateError, Store};

/// The most numbers that waiting rows hold: 32 MiB.
const MOST_NUMBERS: usize = 1 << 22;

/// The smallest and the largest value of each input so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Seen {
    /// Of `dim` inputs, none of which was seen.
    pub fn new(dim: usize) -> Self {
        Self { low: vec![f64::INFINITY; dim], high: vec![f64::NEG_INFINITY; dim] }
    }

    /// How many columns there are.
    pub(crate) fn columns(&self) -> usize {
        self.low.len()
    }

    /// How many values of a row lie outside of what was seen in their columns.
    pub fn outside(&self, row: &[f64]) -> u64 {
        let ranges = self.low.iter().zip(&self.high);
        row.iter().zip(ranges).filter(|(value, (low, high))| *value < low || *value > high).count() as u64
    }

    /// Takes note of a row.
    pub fn observe(&mut self, row: &[f64]) {
        for (value, (low, high)) in row.iter().zip(self.low.iter_mut().zip(&mut self.high)) {
            (*low, *high) = (low.min(*value), high.max(*value));
        }
    }
}

/// A row that was predicted, and is to be learnt later.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// What it is called: a number below 2^53.
    pub id: u64,
    /// Its round.
    pub round: u64,
    /// Its inputs.
    pub inputs: Vec<f64>,
    /// Its target; NaN if it is not known yet.
    pub target: f64,
    /// What was predicted for it.
    pub prediction: f64,
    /// The ends of the interval that was given for its target; NaN where none was.
    pub ends: [f64; 2],
    /// What the learner knew then; empty if that makes no difference to it.
    pub context: Vec<f64>,
}

/// What a stream in service keeps beside its learner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Service {
    /// What was seen of the inputs, where that is wanted.
    pub seen: Option<Seen>,
    /// Rows that wait, oldest first, under numbers that grow.
    waiting: BTreeMap<u64, Waiting>,
    /// The number under which the row of a name waits.
    places: HashMap<u64, u64>,
    /// How many numbers they hold.
    held: usize,
    /// Rows that were given up, since too many waited.
    forgotten: u64,
}

/// How many numbers a row holds.
fn numbers(row: &Waiting) -> usize {
    row.inputs.len() + row.context.len() + 6
}

impl Service {
    /// How many rows wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How many rows were given up, since too many waited.
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// Lets a row wait. One of the same name does not wait any more; where all together are too large, nor do the oldest.
    pub fn wait(&mut self, row: Waiting) {
        self.take(row.id);
        while self.held + numbers(&row) > MOST_NUMBERS && self.pop(|_| true).is_some() {
            self.forgotten += 1;
        }
        self.push(row);
    }

    fn push(&mut self, row: Waiting) {
        let place = self.waiting.last_key_value().map_or(0, |(place, _)| place + 1);
        self.held += numbers(&row);
        self.places.insert(row.id, place);
        self.waiting.insert(place, row);
    }

    /// The oldest row, which then waits no more, if it is a `wanted` one.
    fn pop(&mut self, wanted: impl FnOnce(&Waiting) -> bool) -> Option<Waiting> {
        let id = self.waiting.first_key_value().filter(|(_, oldest)| wanted(oldest))?.1.id;
        self.take(id)
    }

    /// Whether what is kept fits rows of `dim` inputs.
    pub fn fits(&self, dim: usize) -> bool {
        self.seen.as_ref().is_none_or(|seen| seen.columns() == dim)
            && self.waiting.values().all(|row| row.inputs.len() == dim)
    }

    /// The row of this name, which then waits no more.
    pub fn take(&mut self, id: u64) -> Option<Waiting> {
        let row = self.waiting.remove(&self.places.remove(&id)?)?;
        self.held -= numbers(&row);
        Some(row)
    }

    /// The oldest row, which then waits no more, if it is of round `last` or of one before.
    pub fn due(&mut self, last: u64) -> Option<Waiting> {
        self.pop(|oldest| oldest.round <= last)
    }
}

/// Nothing is stored of what is not there.
impl State for Service {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let mut there = self.seen.is_some();
        let mut seen = self.seen.take().unwrap_or_else(|| Seen::new(0));
        store.keep_some("low", &mut there, &mut seen.low)?;
        store.keep_some("high", &mut there, &mut seen.high)?;
        store.check(seen.low.len() == seen.high.len(), "has ranges of different numbers of columns")?;
        self.seen = there.then_some(seen);

        let mut some = !self.waiting.is_empty() || self.forgotten > 0;
        let all = |of: fn(&Waiting) -> f64| self.waiting.values().map(of).collect::<Vec<f64>>();
        let (mut ids, mut rounds) = (all(|row| row.id as f64), all(|row| row.round as f64));
        let (mut targets, mut predictions) = (all(|row| row.target), all(|row| row.prediction));
        let mut inputs: Vec<f64> = self.waiting.values().flat_map(|row| row.inputs.iter().copied()).collect();
        for (name, values) in [
            ("ids", &mut ids),
            ("rounds", &mut rounds),
            ("targets", &mut targets),
            ("predictions", &mut predictions),
            ("inputs", &mut inputs),
        ] {
            store.keep_some(name, &mut some, values)?;
        }
        // One after the other, since they may differ in length.
        let mut lengths: Vec<usize> = self.waiting.values().map(|row| row.context.len()).collect();
        let mut contexts: Vec<f64> = self.waiting.values().flat_map(|row| row.context.iter().copied()).collect();
        let mut known = !contexts.is_empty();
        store.keep_some("context_lengths", &mut known, &mut lengths)?;
        store.keep_some("contexts", &mut known, &mut contexts)?;
        let mut ends: Vec<f64> = self.waiting.values().flat_map(|row| row.ends).collect();
        let mut given = ends.iter().any(|end| !end.is_nan());
        store.keep_some("ends", &mut given, &mut ends)?;
        let mut forgotten = vec![self.forgotten as f64];
        store.keep_some("forgotten", &mut some, &mut forgotten)?;
        if store.is_loading() && some {
            let count = ids.len();
            let fits = [&rounds, &targets, &predictions].iter().all(|values| values.len() == count)
                && inputs.len().checked_rem(count).unwrap_or(inputs.len()) == 0;
            // Models that were saved before have no ends.
            ends.resize(if given { ends.len() } else { 2 * count }, f64::NAN);
            store.check(fits && ends.len() == 2 * count, "has waiting rows that are not whole")?;
            let dim = inputs.len().checked_div(count).unwrap_or(0);
            if !known {
                lengths = vec![0; count];
            }
            let sum = lengths.iter().try_fold(0_usize, |sum, length| sum.checked_add(*length));
            let whole = lengths.len() == count && sum == Some(contexts.len());
            store.check(whole, "has waiting rows whose contexts are not whole")?;
            let mut contexts = contexts.into_iter();
            self.forgotten = forgotten.first().map_or(0, |count| *count as u64);
            let row = |i: usize| Waiting {
                id: ids[i] as u64,
                round: rounds[i] as u64,
                inputs: inputs[i * dim..(i + 1) * dim].to_vec(),
                target: targets[i],
                prediction: predictions[i],
                ends: [ends[2 * i], ends[2 * i + 1]],
                context: contexts.by_ref().take(lengths[i]).collect(),
            };
            (self.waiting, self.places, self.held) = Default::default();
            (0..count).map(row).for_each(|row| self.push(row));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: u64) -> Waiting {
        Waiting {
            id,
            round: id + 1,
            inputs: vec![0.5, id as f64],
            target: f64::NAN,
            prediction: -1.5,
            ends: [f64::NEG_INFINITY, id as f64],
            context: vec![id as f64; id as usize],
        }
    }

    /// Bits, since a target that is not known is NaN.
    fn arrays(service: &mut Service) -> String {
        let mut store = Store::saving();
        service.state(&mut store).unwrap();
        format!("{:?}", store.into_arrays())
    }

    #[test]
    fn what_was_seen_and_what_waits_is_kept() {
        let mut service = Service { seen: Some(Seen::new(2)), ..Service::default() };
        let seen = service.seen.as_mut().unwrap();
        assert_eq!(seen.outside(&[1.0, 2.0]), 2);
        seen.observe(&[1.0, 2.0]);
        seen.observe(&[3.0, 2.0]);
        assert_eq!([[2.0, 2.0], [4.0, 2.0], [0.0, 1.0]].map(|row| seen.outside(&row)), [0, 1, 2]);
        (0..3).for_each(|id| service.wait(row(id)));
        service.wait(Waiting { prediction: 7.0, ..row(1) });
        assert_eq!(service.waiting(), 3);
        let mut store = Store::saving();
        service.state(&mut store).unwrap();
        let (mut loaded, mut store) = (Service::default(), Store::loading(store.into_arrays()));
        loaded.state(&mut store).and_then(|()| store.finish()).unwrap();
        assert_eq!(arrays(&mut loaded), arrays(&mut service));
        assert_eq!(loaded.take(1).map(|row| row.prediction), Some(7.0));
        assert_eq!((loaded.take(1), loaded.due(0)), (None, None));
        assert_eq!((loaded.due(2).map(|row| row.id), loaded.due(2)), (Some(0), None));
        assert_eq!(arrays(&mut Service::default()), "{}");
    }

    #[test]
    fn the_oldest_rows_are_given_up() {
        let mut service = Service::default();
        let wide = |id: u64| Waiting { inputs: vec![0.0; MOST_NUMBERS / 3], ..row(id) };
        (0..5).for_each(|id| service.wait(wide(id)));
        assert_eq!((service.waiting(), service.forgotten()), (2, 3));
        assert!(service.take(2).is_none() && service.take(4).is_some());
    }

    #[test]
    fn waiting_rows_that_are_not_whole_are_refused() {
        let mut service = Service::default();
        (0..3).for_each(|id| service.wait(row(id)));
        let saved = || {
            let mut store = Store::saving();
            service.clone().state(&mut store).unwrap();
            store.into_arrays()
        };
        let most = (1_u64 << 53) as f64;
        for (name, values) in [
            ("targets", vec![1.0]),
            ("ends", vec![0.0, 1.0]),
            ("context_lengths", vec![0.0, 1.0]),
            ("context_lengths", vec![0.0, 1.0, 1.0]),
            // Their sums are those of the contexts, as numbers or where they overflow.
            ("context_lengths", vec![-1.0, 2.0, 2.0]),
            ("context_lengths", vec![0.5, 0.5, 2.0]),
            ("context_lengths", vec![most, most, f64::NAN]),
            ("contexts", vec![1.0, 2.0]),
        ] {
            let mut arrays = saved();
            arrays.insert(name.into(), values.clone().into());
            Service::default().state(&mut Store::loading(arrays)).expect_err(&format!("{name} {values:?}"));
        }
        let mut loaded = Service::default();
        loaded.state(&mut Store::loading(saved())).unwrap();
        assert!(loaded.fits(2) && !loaded.fits(3) && Service::default().fits(7));
    }

    /// Rows that know more than those before them leave less room.
    #[test]
    fn contexts_count() {
        let mut service = Service::default();
        let knowing = |id: u64, numbers: usize| Waiting { context: vec![0.0; numbers], ..row(id) };
        (0..10).for_each(|id| service.wait(knowing(id, MOST_NUMBERS / 20)));
        service.wait(knowing(10, MOST_NUMBERS / 10 * 7));
        assert_eq!((service.waiting(), service.forgotten()), (6, 5));
    }
}
