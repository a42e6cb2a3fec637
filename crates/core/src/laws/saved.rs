//! The law of saved learners, of both protocols.

use crate::laws::broken::{Broken, require};
use crate::laws::data::{bits, draws, scale};
use crate::learner::api::{Breakdown, Gauges, Hypothesis, Learner, OracleLearner};
use crate::learner::predictive::Noise;
use crate::params::ParamError;
use noregret_numeric::draw::Role;
use noregret_numeric::state::{StateError, Store};

/// What [`super::learner::saved`] and [`super::noisy::saved`] test.
pub(crate) const SAVED: &str = "a learner that was saved and loaded goes on as if nothing had happened";

/// Whatever holds a hypothesis.
pub(super) trait Held {
    fn hypothesis(&self) -> &dyn Hypothesis;
    fn state(&mut self, store: &mut Store) -> Result<(), StateError>;
}

impl Held for Box<dyn Learner> {
    fn hypothesis(&self) -> &dyn Hypothesis {
        &**self
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        (**self).state(store)
    }
}

impl Held for Box<dyn OracleLearner> {
    fn hypothesis(&self) -> &dyn Hypothesis {
        &**self
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        (**self).state(store)
    }
}

/// What a learner shows between rounds, as bits: predictions at two points, the averaged one, distributions, gauges and measures.
fn shown(hypothesis: &dyn Hypothesis, dim: usize) -> (Vec<u64>, Gauges, Vec<u64>) {
    let mut values = Vec::new();
    for (round, coordinate) in [(1, 0.3), (2, -0.8)] {
        let x = vec![coordinate; dim];
        let draw = || draws().at(Role::Predict, round);
        values.push(hypothesis.predict(&x, &mut draw()));
        values.extend(hypothesis.predict_averaged(&x, &mut draw()));
        values.extend(hypothesis.predict_copy(&x));
        if let Some(known) = hypothesis.predictive(&x) {
            values.extend([known.mean(), known.deviation(Noise::default())]);
        }
    }
    let measures: Vec<f64> = hypothesis.measures().into_iter().map(|(_, value)| value).collect();
    (bits(&values), hypothesis.gauges(), bits(&measures))
}

/// Plays the rounds of a law from the first number, not included, to the second.
type PlayRounds<'a, L> = dyn Fn(&mut L, usize, usize) -> Result<Vec<f64>, Breakdown> + 'a;

/// Saves after no round, after a random round of each half, and after all rounds, and loads into a fresh learner. Right
/// after that, the loaded learner shows the same bits as the saved one, and saves the same arrays; both go on with the
/// same bits; and a run without a save has the same predictions to 1e-9. Runs that break down before are left out. A
/// learner of one's own that has no state passes.
pub(super) fn goes_on<L: Held>(
    make: &dyn Fn() -> Result<L, ParamError>,
    play: &PlayRounds<'_, L>,
    rounds: usize,
    dim: usize,
) -> Result<(), Broken> {
    let undisturbed = play(&mut make()?, 0, rounds);
    let mut draw = draws().at(Role::Start, rounds as u64);
    let half = rounds / 2;
    for at in [0, 1 + draw.below(half), half + draw.below(half), rounds] {
        let broken = |what: &str| Broken::new(SAVED, format!("round {at}: {what}"));
        let (mut saved, mut loaded) = (make()?, make()?);
        let Ok(before) = play(&mut saved, 0, at) else { continue };
        let mut store = Store::saving();
        match saved.state(&mut store) {
            Err(StateError::Unsupported) => return Ok(()),
            outcome => outcome.map_err(|error| broken(&error.to_string()))?,
        }
        let arrays = store.into_arrays();
        let mut store = Store::loading(arrays.clone());
        let outcome = loaded.state(&mut store).and_then(|()| store.finish());
        outcome.map_err(|error| broken(&error.to_string()))?;
        let same = shown(saved.hypothesis(), dim) == shown(loaded.hypothesis(), dim);
        require(same, SAVED, || format!("round {at}: what was loaded predicts or measures something else"))?;
        let mut store = Store::saving();
        loaded.state(&mut store).map_err(|error| broken(&error.to_string()))?;
        let again = store.into_arrays();
        let differs = arrays.iter().find(|(name, array)| {
            again
                .get(*name)
                .is_none_or(|found| found.shape != array.shape || bits(&found.values) != bits(&array.values))
        });
        require(differs.is_none() && again.len() == arrays.len(), SAVED, || {
            format!("round {at}: what was loaded saves something else: {:?}", differs.map(|(name, _)| name))
        })?;
        let (first, second) = (play(&mut saved, at, rounds), play(&mut loaded, at, rounds));
        let same = match (&first, &second) {
            (Ok(first), Ok(second)) => bits(first) == bits(second),
            (Err(first), Err(second)) => first == second,
            _ => false,
        };
        require(same, SAVED, || format!("round {at}: what was loaded goes on in another way"))?;
        require(shown(saved.hypothesis(), dim) == shown(loaded.hypothesis(), dim), SAVED, || {
            format!("round {at}: what was loaded ends in another way")
        })?;
        if let (Ok(undisturbed), Ok(after)) = (&undisturbed, &first) {
            let bound = 1e-9 * scale(undisturbed);
            let found = before.iter().chain(after);
            let far = undisturbed.iter().zip(found).position(|(a, b)| (a - b).abs() > bound);
            require(far.is_none(), SAVED, || {
                format!("round {at}: without a save, round {far:?} is predicted otherwise")
            })?;
        }
    }
    Ok(())
}
