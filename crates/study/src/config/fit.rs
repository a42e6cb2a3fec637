//! Whether a learner can play under the protocol of a stream.

use noregret_core::epoch::Scales;
use noregret_core::learner::api::AnyLearner;
use noregret_core::protocol::cell::Feed;
use noregret_core::protocol::copies;
use noregret_core::stream::spec::StreamSpec;

/// Why a learner that is shown `feed` cannot play on a stream; `None` if it can.
pub(super) fn misfit(learner: &AnyLearner, feed: Option<Feed>, stream: &StreamSpec) -> Option<String> {
    let name = stream.name();
    match (learner, feed, &stream.noise) {
        (AnyLearner::Noisy(_), _, None) => {
            Some(format!("learns from noisy copies only: give [stream.noise] for {name}"))
        }
        (AnyLearner::Noisy(_), Some(_), Some(_)) => Some(
            "`copies` and `clean` are for learners made for exact data; this one asks for the copies that it needs"
                .to_owned(),
        ),
        (AnyLearner::Full(_), Some(_), None) => {
            Some(format!("`copies` and `clean` say what is shown in place of noisy data; {name} has no noise"))
        }
        (AnyLearner::Full(_), Some(Feed::Copies(given)), Some(_)) if copies::check(given, stream.dim()).is_err() => {
            copies::check(given, stream.dim()).err()
        }
        (AnyLearner::Full(learner), _, _) if learner.foresees() && stream.reacts() => {
            Some(format!("needs all inputs before the first round, but {name} has none before it knows the learner"))
        }
        (AnyLearner::Full(learner), _, _) if learner.foresees() && stream.epochs() != Scales::default() => Some(
            "needs all inputs before the first round, on one scale for all rounds: choose another `scale` and `target` than epochs"
                .to_owned(),
        ),
        (AnyLearner::Full(learner), feed, Some(_)) if learner.foresees() && feed != Some(Feed::Clean) => Some(
            "needs all inputs before the first round, which nobody sees behind noise: give `clean = true`".to_owned(),
        ),
        _ => None,
    }
}
