//! Which scales a run has: those that were asked for, or else causal ones wherever a learner can have them.

use crate::args::{AUTO, ScaleChoice, StreamArgs};
use crate::error::StreamError;
use crate::file_args::{CategoryChoice, DateChoice};
use crate::learner::ChosenLearner;
use crate::rescaled::TargetScale;
use noregret_core::epoch::Scales;
use noregret_core::learner::api::AnyLearner;
use noregret_study::external::learner::programs;

/// Why a learner is not scaled by epochs unless somebody asks for it, and which scales are refused even then.
struct Unscaled {
    why: &'static str,
    refuses: Refuses,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Refuses {
    Nothing,
    Epochs,
    All,
}

/// The options with the scales that the run has, where none are given.
///
/// # Errors
/// A scale that the learner cannot have, and what is wrong with the learner.
pub fn settled(args: StreamArgs) -> Result<StreamArgs, StreamError> {
    let chosen = ChosenLearner::from_args(&args)?;
    let [inputs, targets] = unscaled(&chosen, &args);
    let scale = match args.scale {
        None if inputs.is_none() => ScaleChoice::Epochs,
        None => ScaleChoice::None,
        Some(given) => {
            let flag = format!("--scale {}", format!("{given:?}").to_lowercase());
            refused(&flag, given == ScaleChoice::None, given == ScaleChoice::Epochs, inputs)?;
            given
        }
    };
    let target_scale = match args.target_scale {
        None if targets.is_none() => TargetScale::Epochs,
        None => TargetScale::None,
        Some(given) => {
            let flag = format!("--target-scale {}", format!("{given:?}").to_lowercase());
            refused(&flag, given == TargetScale::None, given == TargetScale::Epochs, targets)?;
            given
        }
    };
    let mut settled = StreamArgs { scale: Some(scale), target_scale: Some(target_scale), ..args };
    let (auto, view) = (chosen.named().0 == AUTO, settled.view());
    let why = match view {
        Some(_) if auto => Some("auto has these views itself; leave the option out"),
        Some(_) if scale != ScaleChoice::Epochs => {
            Some("views are decided anew at each epoch, so that they need --scale epochs, which this run does not have")
        }
        _ => None,
    };
    if let Some(why) = why {
        return Err(StreamError::Usage(format!("--views: {why}")));
    }
    if auto || view.is_some_and(|view| view.categories) {
        // Categories are made of codes, with a column for each word as soon as that was seen.
        settled.file.category_as.get_or_insert(CategoryChoice::Codes);
        // And of weekdays and hours.
        settled.file.date_as.get_or_insert(DateChoice::Calendar);
    }
    Ok(settled)
}

/// An error where a scale that was given is refused.
fn refused(flag: &str, none: bool, epochs: bool, unscaled: Option<Unscaled>) -> Result<(), StreamError> {
    match unscaled {
        Some(Unscaled { why, refuses: Refuses::All }) if !none => Err(StreamError::Usage(format!("{flag}: {why}"))),
        Some(Unscaled { why, refuses: Refuses::Epochs }) if epochs => Err(StreamError::Usage(format!("{flag}: {why}"))),
        _ => Ok(()),
    }
}

/// Why inputs and targets are not scaled by epochs by default, where they are not.
fn unscaled(chosen: &ChosenLearner, args: &StreamArgs) -> [Option<Unscaled>; 2] {
    let both = |why, refuses| [Some(Unscaled { why, refuses }), Some(Unscaled { why, refuses })];
    let name = chosen.named().0;
    if name == AUTO {
        let why = "auto takes the file as it is, and scales inputs and targets itself, by epochs; leave the option out";
        return both(why, Refuses::All);
    }
    if args.noise.is_some() {
        let why = "behind --noise a learner sees copies of the rows, never the rows that scales by epochs are made of; scale \
                   the file before, or leave the noise out";
        return both(why, Refuses::Epochs);
    }
    if !programs(&chosen.params).is_empty() {
        return both("a learner in a process of its own scales as it likes", Refuses::Nothing);
    }
    let built = chosen.trial(args, Some(1));
    let targets = match &built {
        Ok(AnyLearner::Full(learner)) if learner.takes_absent() => {
            let why = "the inputs are forecasts, which are on the scale of the target: --scale and --target-scale would \
                       part them";
            return both(why, Refuses::All);
        }
        Ok(AnyLearner::Full(learner)) if learner.wants_labels() => {
            let why = "this learner takes the labels -1 and 1, which on another scale are none";
            Some(Unscaled { why, refuses: Refuses::Epochs })
        }
        Ok(AnyLearner::Full(learner)) if !learner.scalable().targets => {
            Some(Unscaled { why: "it predicts a value of the file", refuses: Refuses::Nothing })
        }
        // It is refused later, with a reason of its own.
        Ok(AnyLearner::Noisy(_)) => return both("it learns from noisy copies", Refuses::Epochs),
        Ok(AnyLearner::Full(_)) | Err(_) => None,
    };
    let timed =
        matches!(&built, Ok(AnyLearner::Full(one)) if one.scalable() == Scales { inputs: false, targets: true });
    let why = "an input holds times, whose unit is that of half_life; leave the option out";
    [timed.then_some(Unscaled { why, refuses: Refuses::All }), targets]
}
