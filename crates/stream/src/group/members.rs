//! The learners of groups, awake or asleep.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::asleep::{Compressed, SleepFile, Slot, failed};
use super::budget::{MemoryBudget, size};
use super::pack::{ArrayNames, pack, unpack};
use crate::args::StreamArgs;
use crate::classes;
use crate::error::StreamError;
use crate::learner::{ChosenLearner, Learnt};
use crate::rescaled::TargetSpread;
use noregret_model::arrays::ArraySource;
use noregret_model::error::ModelError;
use noregret_model::header;
use noregret_model::inputs::Scaling;
use noregret_numeric::state::{Array, StateError, Store};

/// The bytes that learners awake may take: 256 MiB.
const AWAKE: usize = 256 << 20;

/// What makes the learner of a group.
pub(super) struct LearnerMaker {
    /// The options.
    pub(crate) args: StreamArgs,
    /// The learner.
    pub chosen: ChosenLearner,
    /// Which inputs are quantities.
    pub quantities: Vec<bool>,
    /// How many classes there are, where targets are classes.
    pub classes: Option<usize>,
    /// A scaling that has seen no row.
    pub(crate) scaling: Scaling,
}

/// The learner of a group, awake.
pub(super) struct Member {
    /// What it has learnt.
    pub(crate) learnt: Learnt,
    /// The scaling of its inputs.
    pub(crate) scaling: Scaling,
    /// The rows of the group so far.
    pub rounds: u64,
    /// What it takes in memory, by the estimate that was made after so many rounds (see [`budget`](super::budget)).
    bytes: usize,
    measured: u64,
    /// The last batch of rows in which it had one.
    batch: u64,
}

impl Member {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        self.learnt.state(&mut self.scaling, store)?;
        store.keep("rounds", &mut self.rounds)
    }
}

impl LearnerMaker {
    /// One that has learnt nothing.
    fn make(&self) -> Result<Member, StreamError> {
        let seat = self.chosen.seat(&self.args, &self.quantities, None, None, self.classes)?;
        let scale = self.args.target_scale().rescale(&TargetSpread::default());
        let learnt = Learnt::new(seat, classes::tally(self.classes), scale);
        Ok(Member { learnt, scaling: self.scaling.clone(), rounds: 0, bytes: 0, measured: 0, batch: 0 })
    }
}

/// Where the learner of a group is.
enum MemberPlace {
    /// It has not been made.
    Nowhere,
    Awake(Box<Member>),
    Asleep(Slot),
}

/// What wakes learners and puts them to sleep.
struct SleepKeeper {
    maker: LearnerMaker,
    names: Mutex<ArrayNames>,
    file: Mutex<SleepFile>,
    budget: MemoryBudget,
}

/// What a lock protects is whole between any two statements.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SleepKeeper {
    /// The learner from this place.
    fn wake(&self, place: MemberPlace) -> Result<Box<Member>, StreamError> {
        let slot = match place {
            MemberPlace::Nowhere => return self.maker.make().map(Box::new),
            MemberPlace::Awake(member) => {
                self.budget.give_back(member.bytes);
                return Ok(member);
            }
            MemberPlace::Asleep(slot) => slot,
        };
        let compressed = {
            let mut file = lock(&self.file);
            file.free(slot);
            file.get(slot)
        };
        let packed = compressed.and_then(|compressed| compressed.numbers()).map_err(failed)?;
        let damaged = |why: String| ModelError::Damaged { file: "a sleeping learner".into(), why };
        let arrays = unpack(&packed, &lock(&self.names)).ok_or_else(|| damaged("it is no list of arrays".into()))?;
        let mut member = self.maker.make()?;
        member.bytes = size(packed.len());
        let mut store = Store::loading(arrays);
        let loaded = member.state(&mut store).and_then(|()| store.finish());
        loaded.map_err(|error| damaged(error.to_string()))?;
        member.measured = member.rounds;
        Ok(Box::new(member))
    }

    /// All that a learner has learnt; its size is then known.
    fn packed(&self, member: &mut Member) -> Result<Vec<f64>, StreamError> {
        let mut store = Store::saving();
        member.state(&mut store).map_err(ModelError::Save)?;
        let packed = pack(store.into_arrays(), &mut lock(&self.names));
        (member.bytes, member.measured) = (size(packed.len()), member.rounds);
        Ok(packed)
    }

    fn put_to_sleep(&self, mut member: Box<Member>) -> Result<MemberPlace, StreamError> {
        self.store(&self.packed(&mut member)?)
    }

    fn store(&self, packed: &[f64]) -> Result<MemberPlace, StreamError> {
        let slot = Compressed::of(packed).and_then(|compressed| lock(&self.file).put(&compressed));
        slot.map(MemberPlace::Asleep).map_err(failed)
    }

    /// Where a learner goes after its turn: it stays awake where the budget allows it.
    fn settle(&self, mut member: Box<Member>) -> Result<MemberPlace, StreamError> {
        // What it has learnt may grow with the square of its rows.
        if 4 * member.rounds >= 5 * member.measured {
            self.packed(&mut member)?;
        }
        match self.budget.take(member.bytes) {
            true => Ok(MemberPlace::Awake(member)),
            false => self.put_to_sleep(member),
        }
    }
}

/// The learners of all groups. What the awake ones take is bounded; the others sleep in a file.
pub(super) struct Members {
    keeper: SleepKeeper,
    numbers: HashMap<Arc<str>, usize>,
    names: Vec<Arc<str>>,
    places: Vec<MemberPlace>,
    batch: u64,
}

impl Members {
    /// No groups yet.
    ///
    /// # Errors
    /// There is no room for those that will sleep, or the learner has no state that can be saved.
    pub(super) fn new(maker: LearnerMaker) -> Result<Self, StreamError> {
        Self::with_budget(maker, MemoryBudget::new(AWAKE))
    }

    fn with_budget(maker: LearnerMaker, budget: MemoryBudget) -> Result<Self, StreamError> {
        let (names, file) = (Mutex::default(), Mutex::new(SleepFile::create().map_err(failed)?));
        let keeper = SleepKeeper { maker, names, file, budget };
        keeper.packed(&mut keeper.maker.make()?)?;
        let (numbers, names, places) = (HashMap::new(), Vec::new(), Vec::new());
        Ok(Self { keeper, numbers, names, places, batch: 0 })
    }

    /// How many groups there are.
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    /// The number of a group, which is made if it is new.
    pub(super) fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let (name, number): (Arc<str>, usize) = (name.into(), self.names.len());
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        self.places.push(MemberPlace::Nowhere);
        number
    }

    /// The name of a group.
    pub(super) fn name(&self, number: usize) -> &Arc<str> {
        &self.names[number]
    }

    /// Each of these groups, once, has a turn with the rows that stand beside it; groups play at the same time. What `play`
    /// returns, in the order of the groups.
    ///
    /// # Errors
    /// A learner that cannot be woken or put to sleep.
    pub(super) fn play<T: Send>(
        &mut self,
        turns: Vec<(usize, Vec<usize>)>,
        play: impl Fn(&mut Member, &[usize]) -> T + Sync,
    ) -> Result<Vec<T>, StreamError> {
        self.batch += 1;
        let Self { keeper, places, batch, .. } = self;
        let taken: Vec<(usize, MemberPlace, Vec<usize>)> = turns
            .into_iter()
            .map(|(k, rows)| (k, std::mem::replace(&mut places[k], MemberPlace::Nowhere), rows))
            .collect();
        let turn = |(k, place, rows): (usize, MemberPlace, Vec<usize>)| {
            let mut member = keeper.wake(place)?;
            member.batch = *batch;
            let told = play(&mut member, &rows);
            Ok((k, keeper.settle(member)?, told))
        };
        let played: Vec<(usize, MemberPlace, T)> = match taken.len() {
            1 => taken.into_iter().map(turn).collect::<Result<_, StreamError>>()?,
            _ => taken.into_par_iter().map(turn).collect::<Result<_, StreamError>>()?,
        };
        let mut told = Vec::with_capacity(played.len());
        for (k, place, one) in played {
            self.places[k] = place;
            told.push(one);
        }
        self.rest()?;
        Ok(told)
    }

    /// Makes room for the next groups: those that had no turn in the last batch sleep if more than half of the budget is taken.
    fn rest(&mut self) -> Result<(), StreamError> {
        let Self { keeper, places, batch, .. } = self;
        if keeper.budget.is_half_taken() {
            let idle = |place: &&mut MemberPlace| matches!(place, MemberPlace::Awake(member) if member.batch < *batch);
            for place in places.iter_mut().filter(idle) {
                let member = keeper.wake(std::mem::replace(place, MemberPlace::Nowhere))?;
                *place = keeper.put_to_sleep(member)?;
            }
        }
        let mut file = lock(&keeper.file);
        if !file.is_mostly_dead() {
            return Ok(());
        }
        let slots = places.iter_mut().filter_map(|place| match place {
            MemberPlace::Asleep(slot) => Some(slot),
            _ => None,
        });
        file.rewrite(slots).map_err(failed)
    }

    /// All that was learnt, to be saved. All learners sleep then.
    ///
    /// # Errors
    /// One cannot be put to sleep.
    pub(super) fn asleep(&mut self, column: &str) -> Result<(header::Groups, AllAsleep<'_>), StreamError> {
        let Self { keeper, names, places, .. } = self;
        for place in places.iter_mut().filter(|place| !matches!(place, MemberPlace::Asleep(_))) {
            let member = keeper.wake(std::mem::replace(place, MemberPlace::Nowhere))?;
            *place = keeper.put_to_sleep(member)?;
        }
        let groups = header::Groups {
            column: column.to_owned(),
            names: names.iter().map(|name| name.to_string()).collect(),
            arrays: lock(&keeper.names).all().to_vec(),
        };
        let slots = places.iter().filter_map(|place| match place {
            MemberPlace::Asleep(slot) => Some(*slot),
            _ => None,
        });
        Ok((groups, AllAsleep { file: lock(&keeper.file), slots: slots.collect(), further: BTreeMap::new() }))
    }

    /// Takes the groups of a model, each of which has an array. What is left is of the whole run.
    ///
    /// # Errors
    /// What is wrong with the model, or a learner that cannot be put to sleep.
    pub(super) fn load(
        &mut self,
        groups: &header::Groups,
        mut arrays: BTreeMap<String, Array>,
        damaged: &dyn Fn(String) -> ModelError,
    ) -> Result<BTreeMap<String, Array>, StreamError> {
        *lock(&self.keeper.names) = ArrayNames::of(&groups.arrays);
        for (k, name) in groups.names.iter().enumerate() {
            let array = header::Groups::array(k);
            let packed = arrays.remove(&array).ok_or_else(|| damaged(format!("the array {array} is missing")))?;
            if self.number(name) != k {
                return Err(damaged(format!("the group {name} is there twice")).into());
            }
            self.places[k] = self.keeper.store(&packed.values)?;
        }
        Ok(arrays)
    }
}

/// Groups that all sleep, as arrays, with some of the whole run behind them.
pub(crate) struct AllAsleep<'a> {
    file: MutexGuard<'a, SleepFile>,
    slots: Vec<Slot>,
    /// Arrays of the whole run, whose names come after those of groups.
    pub further: BTreeMap<String, Array>,
}

impl ArraySource for AllAsleep<'_> {
    fn shapes(&self) -> Vec<(String, Vec<usize>)> {
        let groups = self.slots.iter().enumerate().map(|(k, slot)| (header::Groups::array(k), vec![slot.numbers]));
        groups.chain(self.further.shapes()).collect()
    }

    fn values(&self, name: &str) -> io::Result<Cow<'_, [f64]>> {
        match header::Groups::number(name).and_then(|k| self.slots.get(k)) {
            Some(slot) => self.file.get(*slot)?.numbers().map(Cow::Owned),
            None => ArraySource::values(&self.further, name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::play_own;
    use crate::played::Wish;
    use crate::scales::settled;
    use noregret_core::learner::api::Block;
    use noregret_numeric::draw::{Draws, Role};
    use noregret_numeric::linalg::matrix::Rows;

    fn members(learner: &str, bytes: usize) -> Members {
        let args = StreamArgs { learner: learner.into(), ..StreamArgs::default() };
        let args = settled(args).unwrap();
        let chosen = ChosenLearner::from_args(&args).unwrap();
        let (quantities, classes, scaling) = (vec![true; 2], None, Scaling::None);
        Members::with_budget(LearnerMaker { args, chosen, quantities, classes, scaling }, MemoryBudget::new(bytes))
            .unwrap()
    }

    /// Plays 12 batches of 60 rows of 50 groups; predictions, and the most learners that were awake at the same time.
    fn played(learner: &str, bytes: usize) -> (Vec<u64>, usize) {
        let mut members = members(learner, bytes);
        let draws = Draws::named(&["learner"]);
        let (mut predictions, mut awake) = (Vec::new(), 0);
        for batch in 0..12 {
            let mut draw = Draws::named(&["groups"]).at(Role::Start, batch);
            let inputs: Vec<f64> = (0..120).map(|_| draw.normal()).collect();
            let targets: Vec<f64> = (0..60).map(|_| draw.normal()).collect();
            let mut turns: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for row in 0..60 {
                turns.entry(members.number(&format!("g{}", draw.below(50)))).or_default().push(row);
            }
            let block = Block { first_round: 1, inputs: Rows::new(2, &inputs), targets: &targets };
            let play = |member: &mut Member, rows: &[usize]| play_own(member, rows, (&draws, Wish::default()), block).0;
            for (_, line) in members.play(turns.into_iter().collect(), play).unwrap().into_iter().flatten() {
                predictions.push(line.prediction.to_bits());
            }
            awake = awake.max(members.places.iter().filter(|place| matches!(place, MemberPlace::Awake(_))).count());
        }
        (predictions, awake)
    }

    /// A learner that slept between any two turns predicts what one does that was always awake, bit for bit.
    #[test]
    fn sleep_changes_nothing() {
        for learner in ["kernel-ridge", "kernel-awv", "auto"] {
            let (awake, most) = played(learner, usize::MAX >> 1);
            let (few, some) = played(learner, 1 << 20);
            let (asleep, none) = played(learner, 0);
            assert!(awake == asleep && awake == few && awake.len() == 12 * 60, "{learner}");
            assert!(most == 50 && none == 0 && (1..40).contains(&some), "{learner} {some}");
        }
    }
}
