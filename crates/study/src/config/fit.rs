//! Whether learners and experiments fit their streams: the protocol, the rows, the scales.

use std::num::NonZeroU32;

use noregret_core::epoch::Scales;
use noregret_core::learner::api::AnyLearner;
use noregret_core::loss::squared;
use noregret_core::protocol::cell::Feed;
use noregret_core::protocol::copies;
use noregret_core::protocol::design::Design;
use noregret_core::stream::spec::{Origin, PlayOrder, StreamSpec, TargetKind};
use toml::{Table, Value};

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
            copies::check(given, stream.dim()).err().map(|error| error.to_string())
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

/// Takes `copies` and `clean` out of a learner's table: what it is shown on a stream with noise.
pub(super) fn feed(table: &mut Table) -> Result<Option<Feed>, (String, String)> {
    let wrong = |field: &str, why: &str| (field.to_owned(), why.to_owned());
    let copies = match table.remove("copies") {
        None => None,
        Some(value) => {
            let number = value.as_integer().and_then(|number| NonZeroU32::new(u32::try_from(number).ok()?));
            Some(number.ok_or_else(|| wrong("copies", "must be an integer of at least 1"))?)
        }
    };
    match (table.remove("clean"), copies) {
        (None | Some(Value::Boolean(false)), copies) => Ok(copies.map(Feed::Copies)),
        (Some(Value::Boolean(true)), None) => Ok(Some(Feed::Clean)),
        (Some(Value::Boolean(true)), Some(_)) => Err(wrong("clean", "a learner that sees clean data has no `copies`")),
        (Some(_), _) => Err(wrong("clean", "must be true or false")),
    }
}

/// The field of an experiment that does not go with its streams, and why: a comparator where scales change, or what has no
/// meaning against an adversary. `compared` says whether there is a comparator.
pub(super) fn clash(design: &Design, compared: bool) -> Option<(&'static str, String)> {
    let epochs = |stream: &StreamSpec| stream.epochs() != Scales::default();
    if compared && design.streams.iter().any(epochs) {
        let why = "is fixed, but learners over epochs have another scale in each of them: scale in another way";
        return Some(("comparator", why.into()));
    }
    if let Some(stream) = design.streams.iter().find(|stream| matches!(stream.targets(), TargetKind::Classes(_))) {
        let fields = [
            ("comparator", compared),
            ("test_rows", design.test_rows > 0),
            ("loss", design.loss.part.name != squared::ENTRY.name),
        ];
        if let Some((field, _)) = fields.into_iter().find(|(_, given)| *given) {
            let why = format!("is for numbers, and the targets of {} are classes: a round costs 0 or 1", stream.name());
            return Some((field, why));
        }
    }
    let stream = design.streams.iter().find(|stream| stream.reacts())?;
    if compared {
        let carried = "no two learners meet the same rounds, so the runs carry their comparators themselves";
        return Some(("comparator", format!("{} is an adversary: {carried}", stream.name())));
    }
    (design.test_rows > 0).then(|| ("test_rows", format!("has no meaning against an adversary ({})", stream.name())))
}

/// Refuses to tune on the rows of a file in its own order: trials would see the rounds that are then compared.
pub(super) fn other_rows(stream: &StreamSpec) -> Result<(), String> {
    match stream.origin {
        Origin::Dataset { order: PlayOrder::File, .. } => Err(format!(
            "trials need other orders of the rows than those that are compared, and `order = \"file\"` has one: shuffle the rows \
             of {}, or give the parameters",
            stream.name()
        )),
        _ => Ok(()),
    }
}

/// Refuses a horizon after which a stream has too few rows for scoring.
pub(super) fn leaves_rows(stream: &StreamSpec, horizon: u64, test_rows: u64) -> Result<(), String> {
    match stream.rounds() {
        Some(rows) if horizon.saturating_add(test_rows) > rows => {
            Err(format!("{horizon} rounds leave fewer than {test_rows} of the {rows} rows of {}", stream.name()))
        }
        _ => Ok(()),
    }
}
