//! Laws of registered learners: what an entry says about its parameters, its learner and its cost.

use crate::laws::broken::{Broken, require};
use crate::laws::cases::{LearnerCase, variants};
use crate::laws::data::draws;
use crate::laws::{learner, noisy, parameters};
use crate::learner::api::{LearnerEntry, Setting};
use crate::params::Value;

/// What [`costs`] tests.
pub(crate) const COSTS: &str = "forecasts of cost are positive and do not fall with the number of rounds";
/// What [`horizon_is_asked_for`] tests.
pub(crate) const HORIZON: &str = "a formula in the number of rounds is refused where that number is not known";

/// Checks every law of a registry entry: those of its declared parameters, and, with default parameters and with each
/// variant, in one and in three dimensions, those of its protocol.
///
/// # Errors
/// The first law that is broken.
///
/// ```
/// use noregret_core::laws;
/// use noregret_core::learner::LEARNERS;
///
/// laws::entry::all(LEARNERS.find("linear-ogd")?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all(entry: &'static LearnerEntry) -> Result<(), Broken> {
    parameters::all(entry.params).map_err(|broken| broken.by(entry.name))?;
    horizon_is_asked_for(entry)?;
    LearnerCase::of(entry)?.iter().try_for_each(|case| one(case).map_err(|broken| broken.by(case)))
}

/// Checks every law of the protocol that a case plays, and the forecast of its cost.
fn one(case: &LearnerCase) -> Result<(), Broken> {
    if case.is_noisy() {
        noisy::all(&|| case.noisy(), case.dim)?;
    } else {
        learner::all(&|| case.full(), case.dim)?;
    }
    costs(case)
}

/// Forecasts of cost are positive and do not fall with the number of rounds.
pub(crate) fn costs(case: &LearnerCase) -> Result<(), Broken> {
    let params = case.params()?;
    let [short, long] = [100, 10_000].map(|rounds| (case.entry.build.cost)(&params, rounds, case.dim));
    let flops = short.flops > 0.0 && long.flops > short.flops && long.flops.is_finite();
    let bytes = short.bytes > 0.0 && long.bytes >= short.bytes && long.bytes.is_finite();
    require(flops && bytes, COSTS, || format!("100 rounds {short:?}, 10,000 rounds {long:?}"))
}

/// Without a horizon, a learner that can be built with one refuses at most a formula in the number of rounds. It names
/// the parameter and says that it needs the number of rounds.
pub(crate) fn horizon_is_asked_for(entry: &'static LearnerEntry) -> Result<(), Broken> {
    for table in variants(entry.params, 1) {
        let case = LearnerCase { entry, table, dim: 1 };
        // Some legal values make no sense together, whatever the horizon.
        if case.any().is_err() {
            continue;
        }
        let params = case.params()?;
        let setting = Setting { dim: 1, horizon: None, draws: draws() };
        if let Err(error) = (entry.build.learner)(&params, &setting) {
            let formula = |name: &str| matches!(params.get(name), Some(Value::Word(_)));
            let clear = error.path().is_some_and(formula) && error.to_string().contains("rounds");
            require(clear, HORIZON, || format!("{case}: {error}"))?;
        }
    }
    Ok(())
}
