//! What tables and figures of entries over many streams have in common: ranks, the order of entries, and the sentences that
//! say how settings were chosen and what is missing.

use crate::analysis::board::{Board, LossPart, Outcome, SettingChoice};
use crate::analysis::friedman::{Friedman, friedman};
use crate::analysis::quantity::RunQuantity;
use crate::analysis::ranks::ranks;
use crate::analysis::summary::sum;
use crate::figure::api::{Name, NameKind};
use crate::number::counted;

/// The ranks of entries over the streams on which all of them have a result.
pub(crate) struct Standing {
    /// The entries that are ranked.
    pub(crate) entries: Vec<usize>,
    /// The complete streams.
    pub streams: Vec<usize>,
    /// For each of these, the losses of the ranked entries.
    pub(crate) scores: Vec<Vec<f64>>,
    /// The mean rank of each ranked entry; empty without complete streams.
    pub(crate) mean_ranks: Vec<f64>,
    /// Friedman's test of them.
    pub test: Option<Friedman>,
}

impl Standing {
    /// That of a board.
    pub(crate) fn new(board: &Board<'_>, part: LossPart) -> Self {
        let entries = board.ranked(part);
        let (streams, scores): (Vec<usize>, Vec<Vec<f64>>) = board.complete(&entries, part).into_iter().unzip();
        let ranked: Vec<Vec<f64>> = scores.iter().map(|scores| ranks(scores)).collect();
        let mean = |at: usize| sum(ranked.iter().map(|ranks| ranks[at])) / ranked.len() as f64;
        let mean_ranks = if ranked.is_empty() { Vec::new() } else { (0..entries.len()).map(mean).collect() };
        Self { test: friedman(&scores), entries, streams, scores, mean_ranks }
    }

    /// The mean rank of an entry of the board.
    pub(crate) fn mean_rank(&self, entry: usize) -> Option<f64> {
        let at = self.entries.iter().position(|ranked| *ranked == entry)?;
        self.mean_ranks.get(at).copied()
    }

    /// All entries of the board: the one that stands first, those that are ranked by their mean ranks, the others.
    pub(crate) fn order(&self, board: &Board<'_>, of: Option<usize>) -> Vec<usize> {
        let mut order: Vec<usize> = (0..board.entries.len()).collect();
        let rank = |entry: &usize| self.mean_rank(*entry).unwrap_or(f64::INFINITY);
        order.sort_by(|a, b| (of != Some(*a)).cmp(&(of != Some(*b))).then(rank(a).total_cmp(&rank(b))));
        order
    }

    /// On how many streams ranks are counted, and which entries have none.
    pub(crate) fn words(&self, board: &Board<'_>) -> String {
        let unranked: Vec<String> = (0..board.entries.len())
            .filter(|entry| !self.entries.contains(entry))
            .map(|entry| board.entries[entry].name())
            .collect();
        let left = match unranked.as_slice() {
            [] => String::new(),
            names => format!("; not ranked, with results on less than half of the streams: {}", names.join("; ")),
        };
        format!(
            "Ranks count the {} of {} on which every ranked entry has a result; a divergence is the worst result, a \
             failure is none{left}.",
            self.streams.len(),
            counted(board.streams.len(), "stream")
        )
    }
}

/// How settings were chosen, for captions.
pub(crate) fn choices(board: &Board<'_>) -> Option<String> {
    let has = |choice| board.entries.iter().any(|entry| entry.choice == Some(choice));
    let tenth = has(SettingChoice::FirstTenth).then_some(
        "Of an entry with several settings, the one with the least loss over the first tenth of the rounds is shown, with its \
         loss over all.",
    );
    let hindsight = has(SettingChoice::Hindsight)
        .then_some("\"Hindsight\" is the setting with the least loss over all rounds, which nobody can know before.");
    let told: Vec<&str> = tenth.into_iter().chain(hindsight).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// What is lost on which streams.
pub(crate) fn measures(board: &Board<'_>) -> String {
    let of = |loss: &RunQuantity| -> Vec<&str> {
        board.streams.iter().filter(|stream| stream.loss == *loss).map(|stream| stream.name.as_str()).collect()
    };
    let mut losses: Vec<&RunQuantity> = Vec::new();
    for stream in &board.streams {
        if !losses.contains(&&stream.loss) {
            losses.push(&stream.loss);
        }
    }
    match losses.as_slice() {
        [] => "There are no runs.".into(),
        [one] => format!("{} of every stream.", one.title()),
        several => {
            let told = several.iter().map(|loss| format!("{}: {}", loss.title(), of(loss).join(", ")));
            format!("{}.", told.collect::<Vec<_>>().join("; "))
        }
    }
}

/// Which entries have no result on which streams, and why.
pub(crate) fn missing(board: &Board<'_>) -> Option<String> {
    let mut told = Vec::new();
    for (at, entry) in board.entries.iter().enumerate() {
        for outcome in [Outcome::Diverged, Outcome::Failed, Outcome::Shorter, Outcome::Absent] {
            let on = board.streams.iter().filter(|stream| stream.outcomes.get(at) == Some(&outcome));
            let on: Vec<&str> = on.map(|stream| stream.name.as_str()).collect();
            let Some(word) = outcome.word().filter(|_| !on.is_empty()) else { continue };
            let on = if on.len() == board.streams.len() { "every stream".to_owned() } else { on.join(", ") };
            told.push(format!("{} {word} on {on}", entry.name()));
        }
    }
    let [streams, entries] = &board.silent;
    let silent = [("streams", streams), ("entries", entries)].into_iter().filter(|(_, names)| !names.is_empty());
    let silent =
        silent.map(|(what, names)| format!("Without any result, and left out: the {what} {}.", names.join("; ")));
    let told = (!told.is_empty()).then(|| format!("Without a loss: {}.", told.join("; ")));
    let all: Vec<String> = told.into_iter().chain(silent).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// What is said where an entry has no runs.
pub(crate) fn absent(board: &Board<'_>, of: Option<&str>) -> Option<String> {
    let of = of.filter(|name| board.find(name).is_none())?;
    Some(format!("There are no runs of {of}."))
}

/// The names of entries in these options.
pub(crate) fn names<'n>(field: &str, names: impl IntoIterator<Item = &'n String>) -> Vec<Name> {
    let name = |name: &String| Name { field: format!("options.{field}"), name: name.clone(), of: NameKind::Entry };
    names.into_iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::board::BoardRequest;
    use crate::analysis::board::tests::{board, changing};

    /// `c` played one stream of three and is not ranked; `b` lacks the third stream, which then counts for nobody.
    #[test]
    fn only_complete_streams_are_ranked() {
        let experiment = board(vec![
            changing("s", "a", 1.0, 2.0),
            changing("s", "b", 1.0, 1.0),
            changing("s", "c", 1.0, 0.0),
            changing("t", "a", 1.0, 3.0),
            changing("t", "b", 1.0, 1.0),
            changing("u", "a", 1.0, 1.0),
        ]);
        let made = Board::new(&[&experiment], &BoardRequest::default());
        let found = Standing::new(&made, LossPart::All);
        assert_eq!((found.entries.as_slice(), found.streams.as_slice()), ([0, 1].as_slice(), [0, 1].as_slice()));
        assert_eq!((found.mean_ranks.as_slice(), found.mean_rank(2)), ([2.0, 1.0].as_slice(), None));
        assert_eq!((found.order(&made, None), found.order(&made, Some(0))), (vec![1, 0, 2], vec![0, 1, 2]));
        let told = found.words(&made);
        assert!(told.contains("the 2 of 3 streams") && told.contains("half of the streams: c."), "{told}");
        let missing = missing(&made).unwrap();
        assert_eq!(missing, "Without a loss: b not run on u; c not run on t, u.");
        assert_eq!(absent(&made, Some("d")).as_deref(), Some("There are no runs of d."));
        assert_eq!(measures(&made), "Average loss of every stream.");
    }
}
