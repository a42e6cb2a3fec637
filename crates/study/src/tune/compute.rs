//! The choice of a learner's parameters among candidates, each tried on a few orders of the rows.

use std::sync::Arc;

use noregret_core::protocol::cell::{Cell, CellError, Protocol};
use noregret_core::protocol::design::Design;
use noregret_core::protocol::record::RunStatus;
use noregret_core::protocol::score::TEST_LOSS;
use noregret_core::stream::table::Examples;
use noregret_report::analysis::tuned::Score;
use serde::{Deserialize, Serialize};

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// A setting that may be chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JudgedCandidate<'a> {
    /// Its values in words.
    pub setting: &'a str,
    /// What is at an end of its list, in words.
    pub ends: &'a [String],
    /// Its trials.
    pub(crate) trials: &'a [Cell],
}

/// A choice, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedChoice {
    /// Which candidate, from 0.
    pub candidate: usize,
    /// What was chosen and by what, in words.
    pub words: String,
    /// The scores of all candidates, null for one that broke down in a trial.
    pub(crate) scores: Vec<Option<Score>>,
}

/// Why there is no choice.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TuneError {
    /// A trial was not played to its end.
    #[error(transparent)]
    Cell(#[from] CellError),
    /// No candidate got through its trials.
    #[error("every candidate broke down in a trial; the first: {0}")]
    Nothing(String),
    /// The result could not be written.
    #[error(transparent)]
    Write(#[from] serde_json::Error),
}

/// Plays the trials of all candidates and chooses the one with the lowest mean: of the error on held-out rows where the
/// design holds out any, else of the error rate where targets are classes, else of the loss. Of equal ones it is the
/// first. Returns [`TunedChoice`] as JSON.
///
/// # Errors
/// See [`TuneError`].
pub(crate) fn choose(
    design: &Design,
    candidates: &[JudgedCandidate<'_>],
    protocol: &Protocol,
    table: Option<&Arc<Examples>>,
    interrupted: &dyn Fn() -> bool,
) -> Result<Vec<u8>, TuneError> {
    let mut cause = None;
    let mut scores = Vec::new();
    for candidate in candidates {
        let mut played = Vec::new();
        for trial in candidate.trials {
            let record = trial.play(design, protocol, table.cloned(), &interrupted)?;
            match (&record.status, record.checkpoints.last()) {
                (RunStatus::Done, Some(end)) => {
                    let held_out = record.measures.get(TEST_LOSS).copied();
                    played.push((held_out, end.cumulative_error, end.cumulative_loss));
                }
                (RunStatus::Diverged { cause: why, .. }, _) => _ = cause.get_or_insert_with(|| why.clone()),
                (RunStatus::Done, None) => {}
            }
        }
        // All trials of a candidate have the same number of rounds.
        let rounds: f64 = candidate.trials.iter().map(|trial| trial.horizon as f64).sum();
        let score = Score {
            test_loss: played.iter().map(|trial| trial.0).sum::<Option<f64>>().map(|sum| sum / played.len() as f64),
            error_rate: played.iter().map(|trial| trial.1).sum::<Option<f64>>().map(|sum| sum / rounds),
            average_loss: played.iter().map(|trial| trial.2).sum::<f64>() / rounds,
        };
        // An error on held-out rows that is no finite number is not among the measures.
        let whole = played.len() == candidate.trials.len() && score.test_loss.is_some() == (design.test_rows > 0);
        scores.push((whole && rounds > 0.0).then_some(score));
    }
    let known = scores.iter().enumerate().filter_map(|(index, score)| Some((index, score.as_ref()?)));
    // `min_by` returns the first of equal ones.
    let Some((best, _)) = known.min_by(|(_, a), (_, b)| a.order(b)) else {
        return Err(TuneError::Nothing(cause.unwrap_or_default()));
    };
    let words = words(&candidates[best], candidates.len());
    Ok(serde_json::to_vec(&TunedChoice { candidate: best, words, scores })?)
}

/// `eta = 0.2 (best of 9 settings on 2 other orders, 20000 rounds each; eta is the largest tried)`
fn words(JudgedCandidate { setting, ends, trials }: &JudgedCandidate<'_>, settings: usize) -> String {
    let orders = match trials.len() {
        1 => "one other order".to_owned(),
        orders => format!("{orders} other orders"),
    };
    let rounds = trials.first().map_or(0, |trial| trial.horizon);
    let ends: String = ends.iter().map(|end| format!("; {end}")).collect();
    format!("{setting} (best of {settings} settings on {orders}, {rounds} rounds each{ends})")
}

/// Why stored bytes are no choice.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceReadError {
    /// They are not JSON of a choice.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// They are a choice among another number of settings.
    #[error("it chooses number {candidate} of {scored} settings, but there are {settings}; make it again with --force")]
    Settings {
        /// The number of the chosen setting, from 0.
        candidate: usize,
        /// The settings with a score.
        scored: usize,
        /// The settings that there are.
        settings: usize,
    },
}

/// A stored choice among `settings` settings.
///
/// # Errors
/// Bytes that are not one.
pub fn read(bytes: &[u8], settings: usize) -> Result<TunedChoice, ChoiceReadError> {
    let chosen: TunedChoice = serde_json::from_slice(bytes)?;
    let (candidate, scored) = (chosen.candidate, chosen.scores.len());
    if candidate >= settings || scored != settings {
        return Err(ChoiceReadError::Settings { candidate, scored, settings });
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_of_a_setting_that_there_is_not_is_refused() {
        let score = Score { test_loss: None, error_rate: None, average_loss: 0.5 };
        for (candidate, scored, told) in [(1, 2, None), (2, 2, Some("number 2 of 2")), (0, 3, Some("number 0 of 3"))] {
            let chosen = TunedChoice { candidate, words: "eta = 1".into(), scores: vec![Some(score); scored] };
            let outcome = read(&serde_json::to_vec(&chosen).unwrap(), 2);
            assert_eq!(outcome.is_err(), told.is_some());
            assert!(told.is_none_or(|told| outcome.unwrap_err().to_string().contains(told)));
        }
    }
}
