//! Predictions of classes, in the words of the file.

use std::sync::Arc;

use crate::args::StreamArgs;
use crate::error::StreamError;
use crate::input::InputFile;
use crate::line::{ClassPrediction, OutputLine};
use noregret_core::learner::classes::Misclassified;
use noregret_core::protocol::tally::Tally;

/// The classes so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words(Vec<Arc<str>>);

impl Words {
    /// Takes note of further ones.
    pub(crate) fn extend_to(&mut self, all: &[String]) {
        let known = self.0.len().min(all.len());
        self.0.extend(all[known..].iter().map(|word| word.as_str().into()));
    }

    fn get(&self, number: Option<usize>) -> Option<Arc<str>> {
        self.0.get(number?).cloned()
    }

    /// Puts a prediction into words. The numbers are those of the line; before any class was seen there is no prediction.
    pub(crate) fn tell(&self, line: &mut OutputLine, target: Option<f64>, probabilities: Option<Vec<f64>>) {
        let number = |value: f64| (value >= 0.0).then_some(value as usize);
        let (class, predicted) = (target.and_then(number), number(line.prediction));
        let (target, prediction) = (self.get(class), self.get(predicted));
        line.told = Some(Box::new(ClassPrediction { target, prediction, class, predicted, probabilities }));
    }
}

/// How many classes are known beforehand, where targets are classes; what cannot be done with these is refused.
///
/// # Errors
/// Options that are for numbers.
pub(crate) fn known(args: &StreamArgs, input: &InputFile<'_>) -> Result<Option<usize>, StreamError> {
    let Some(words) = input.classes() else { return Ok(None) };
    let refuse = |what: &str| {
        Err(StreamError::Usage(format!(
            "{what}: the target {} holds classes; --positive WORD makes it -1 and +1, which are numbers",
            input.columns.target
        )))
    };
    if args.target_scale().sees_all() {
        return refuse("--target-scale");
    }
    if args.weights {
        return refuse("--weights");
    }
    if !args.ahead.is_empty() {
        return refuse("--ahead");
    }
    Ok(Some(words.len()))
}

/// What rounds cost.
pub(crate) fn tally(classes: Option<usize>) -> Tally {
    classes.map_or_else(Tally::default, |_| Tally::new(Arc::new(Misclassified)))
}
