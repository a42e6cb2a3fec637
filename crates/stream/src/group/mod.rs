//! A learner for each value of a column (`--group`): each sees the rows of its group and no others, one after the other, as a
//! run of its own would. Those of a batch of rows play at the same time, and most of those that have no row sleep in a file.

mod asleep;
mod budget;
mod members;
mod pack;

use std::collections::BTreeMap;

use crate::args::StreamArgs;
use crate::error::StreamError;
use crate::learner::ChosenLearner;
use crate::line::OutputLine;
use crate::played::{Wish, play_rows};
use members::{AllAsleep, LearnerMaker, Member, Members};
use noregret_core::learner::api::Block;
use noregret_core::protocol::run::{BLOCK, Stop};
use noregret_core::protocol::tally::Tally;
use noregret_model::error::ModelError;
use noregret_model::header;
use noregret_model::inputs::Scaling;
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{Array, Store};

/// The most rows that are read before their groups play.
pub(crate) const BATCH: u64 = 4096;

/// The most bytes of a name. The end of an output, by which a run is resumed, has room for it.
const LONGEST: usize = 256;

/// Checks that the options go with groups.
///
/// # Errors
/// What does not, and what to do instead.
pub(crate) fn check(args: &StreamArgs) -> Result<(), StreamError> {
    if args.group.is_none() {
        return Ok(());
    }
    let refused = [
        (args.noise.is_some(), "--noise: noise is drawn for rounds of the whole file; leave it out"),
        (args.shuffle, "--shuffle: learners sleep and wake in the order of the file; shuffle the file before"),
        (args.sees_whole_file(), "scales of the whole file would be shared by all groups; use epochs or running"),
        (args.weights, "--weights: forecasts have other weights in each group; run the group alone"),
        (args.id.is_some() || args.delay.is_some(), "--id and --delay: rows are learnt at once; leave them out"),
        (!args.ahead.is_empty(), "--ahead: give `--learner ahead`, which forecasts one horizon"),
        (!args.further_targets.is_empty(), "--further-targets: run a stream for each target"),
        (args.unseen, "--unseen: what is new is counted in the whole file; leave it out"),
        (args.report.is_some(), "--report: its page tells of one learner; run the group alone"),
        (args.predict_only, "--predict-only: such a model holds one learner; leave it out"),
    ];
    match refused.iter().find(|(given, _)| *given) {
        Some((_, why)) => Err(StreamError::Usage(format!("--group: {why}"))),
        None => Ok(()),
    }
}

/// The learners of a run with groups.
pub(crate) struct GroupLearners {
    members: Members,
    column: String,
    draws: Draws,
}

impl GroupLearners {
    /// No groups yet; each will have a learner like this one, for inputs of which these are quantities.
    ///
    /// # Errors
    /// A learner that cannot sleep, or cannot be alone with the rows of one group.
    pub(crate) fn new(
        column: &str,
        (args, chosen): (&StreamArgs, &ChosenLearner),
        quantities: &[bool],
        classes: Option<usize>,
        scaling: Scaling,
    ) -> Result<Self, StreamError> {
        let refuse = |why: String| Err(StreamError::Usage(format!("--group: {why}")));
        if chosen.needs_rounds(args) {
            return refuse(
                "formulas in the number of rows are not known of a group; give them a value with --set".into(),
            );
        }
        if classes.is_some() && args.classes.as_ref().is_none_or(Vec::is_empty) {
            return refuse("classes must be the same in all groups: name them (--classes=a,b,c)".into());
        }
        let (args, chosen, quantities) = (args.clone(), chosen.clone(), quantities.to_vec());
        let (draws, name) = (chosen.draws(&args), chosen.named().0);
        let members = match Members::new(LearnerMaker { args, chosen, quantities, classes, scaling }) {
            Err(StreamError::Model(ModelError::Save(why))) => return refuse(format!("{name} cannot sleep: {why}")),
            members => members?,
        };
        Ok(Self { members, column: column.to_owned(), draws })
    }

    /// How many groups there are.
    pub(crate) fn count(&self) -> usize {
        self.members.count()
    }

    /// How many rows are best read before their groups play, since each group that has one may have to be woken: about as many as there
    /// are groups. Where these are few, a signal is looked for as often as in a run without groups. What is played does not depend on it.
    pub(crate) fn batch(&self) -> u64 {
        (self.count() as u64).clamp(BLOCK as u64, BATCH)
    }

    /// Plays a block whose rows are of the groups of these names, and adds its lines, with the losses of the whole run. Where a
    /// learner cannot go on, there are the lines before that row.
    ///
    /// # Errors
    /// A learner that cannot be woken or put to sleep, or a name that is too long.
    pub(crate) fn play<'a>(
        &mut self,
        block: Block<'_>,
        names: impl Iterator<Item = &'a String>,
        (wish, tally): (Wish<'_>, &mut Tally),
        lines: &mut Vec<OutputLine>,
    ) -> Result<Result<(), Stop>, StreamError> {
        let turns = self.turns(block.first_round, names)?;
        let Self { members, draws, .. } = self;
        let play = |member: &mut Member, rows: &[usize]| play_own(member, rows, (draws, wish), block);
        let numbers: Vec<usize> = turns.iter().map(|(number, _)| *number).collect();
        let played = members.play(turns, play)?;
        let mut all: Vec<Option<OutputLine>> = vec![None; block.targets.len()];
        let mut stopped: Option<(usize, Stop)> = None;
        for (number, (own, stop)) in numbers.into_iter().zip(played) {
            let name = members.name(number);
            for (row, line) in own {
                all[row] = Some(OutputLine { group: Some(name.clone()), ..line });
            }
            if let Some((row, Stop { cause })) = stop
                && stopped.as_ref().is_none_or(|(first, _)| row < *first)
            {
                stopped = Some((row, Stop { cause: format!("of {} {name}: {cause}", self.column) }));
            }
        }
        let end = stopped.as_ref().map_or(all.len(), |(row, _)| *row);
        for (round, line) in (block.first_round..).zip(all.into_iter().take(end).flatten()) {
            if let Some(target) = line.target
                && let Err(error) = tally.add(line.prediction, target)
            {
                return Ok(Err(Stop { cause: error.to_string() }));
            }
            lines.push(OutputLine { round, cumulative_loss: tally.loss(), ..line });
        }
        Ok(stopped.map_or(Ok(()), |(_, stop)| Err(stop)))
    }

    /// The rows of each group, in the order in which groups appear.
    fn turns<'a>(
        &mut self,
        first_round: u64,
        names: impl Iterator<Item = &'a String>,
    ) -> Result<Vec<(usize, Vec<usize>)>, StreamError> {
        let (mut turns, mut places) = (Vec::<(usize, Vec<usize>)>::new(), BTreeMap::new());
        for (row, name) in names.enumerate() {
            if name.len() > LONGEST {
                let (round, column, bytes) = (first_round + row as u64, &self.column, name.len());
                let why = format!("in round {round}, {column} has a value of {bytes} bytes; shorten it to {LONGEST}");
                return Err(StreamError::Usage(format!("--group: {why}")));
            }
            let number = self.members.number(name);
            let place = *places.entry(number).or_insert(turns.len());
            match turns.get_mut(place) {
                Some((_, rows)) => rows.push(row),
                None => turns.push((number, vec![row])),
            }
        }
        Ok(turns)
    }

    /// All that was learnt, with the losses of the whole run, to be saved.
    ///
    /// # Errors
    /// A learner that cannot be put to sleep.
    pub(crate) fn asleep(&mut self, tally: &mut Tally) -> Result<(header::Groups, AllAsleep<'_>), StreamError> {
        let mut store = Store::saving();
        store.keep("tally", tally).map_err(ModelError::Save)?;
        let (groups, mut all) = self.members.asleep(&self.column)?;
        all.further = store.into_arrays();
        Ok((groups, all))
    }

    /// Takes what the model in this file holds.
    ///
    /// # Errors
    /// What is wrong with the model, or a learner that cannot be put to sleep.
    pub(crate) fn load(
        &mut self,
        file: &str,
        (groups, arrays): (&header::Groups, BTreeMap<String, Array>),
        tally: &mut Tally,
    ) -> Result<(), StreamError> {
        let damaged = |why: String| ModelError::Damaged { file: file.to_owned(), why };
        let mut store = Store::loading(self.members.load(groups, arrays, &damaged)?);
        let kept = store.keep("tally", tally).and_then(|()| store.finish());
        Ok(kept.map_err(|error| damaged(error.to_string()))?)
    }
}

/// The lines of a group, with the numbers of their rows, and the row where it ended early.
type Played = (Vec<(usize, OutputLine)>, Option<(usize, Stop)>);

/// Plays the rows of a group, one after the other.
fn play_own(member: &mut Member, rows: &[usize], (draws, wish): (&Draws, Wish<'_>), block: Block<'_>) -> Played {
    let mut own = Vec::with_capacity(rows.len());
    let mut lines = Vec::with_capacity(1);
    for &row in rows {
        let mut inputs = block.inputs.row(row).to_vec();
        member.scaling.apply(&mut inputs);
        let one = Block {
            first_round: member.rounds + 1,
            inputs: Rows::new(inputs.len(), &inputs),
            targets: &block.targets[row..=row],
        };
        let sample_weights = wish.sample_weights.get(row..=row).unwrap_or_default();
        if let Err(stop) = play_rows(&mut member.learnt, draws, Wish { sample_weights, ..wish }, one, &mut lines) {
            return (own, Some((row, stop)));
        }
        member.rounds += 1;
        own.extend(lines.drain(..).map(|line| (row, line)));
    }
    (own, None)
}
