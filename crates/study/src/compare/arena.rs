//! Plays settings on a file that was read, as `noregret stream` plays them: the same draws, the same blocks, the same
//! scales. What `compare` prints is therefore what the command that it prints finds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use noregret_core::epoch::{Moments, Scales, Standard};
use noregret_core::learner::api::{AnyLearner, Block, Cost, Learner, Setting};
use noregret_core::learner::classes::Classes;
use noregret_core::learner::over_epochs::OverEpochs;
use noregret_core::params::ParamError;
use noregret_core::protocol::clock::Stopwatch;
use noregret_core::protocol::full::FullPlayer;
use noregret_core::protocol::run::{BLOCK, Player as _, Scored, play_and_score};
use noregret_core::protocol::tally::Tally;
use noregret_model::draws::DrawNames;
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::compact::Compact;
use noregret_numeric::linalg::matrix::Rows;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::code::CODEBASE;
use crate::compare::candidates::{Candidate, MEASURED, Measure};
use crate::compare::crew::{Crew, Leash, RunPlayer};
use crate::compare::error::CompareError;
use crate::compare::halving::{Contest, ContestResult, Lineup, contest};
use crate::compare::played::{CompareMetric, JudgedSetting, LossSums, PlayMemory, RunOutcome, SHOWN, SettingRun};
use crate::external::learner::programs;
use crate::external::watch::watched;
use noregret_data::table::block;

/// Where code identity starts.
pub(crate) const MODULE: &str = module_path!();

/// Memory that learners and data may take together, in bytes.
const MEMORY: f64 = 1.5 * (1 << 30) as f64;

/// Rows in the order in which they are played.
#[derive(Debug)]
pub struct Plate {
    /// Inputs, as in the file.
    pub inputs: Compact,
    /// Targets, as in the file.
    pub targets: Vec<f64>,
    /// The order of the rows, where it is not theirs.
    pub order: Option<Vec<usize>>,
    /// What lies between the two classes, where targets are classes.
    pub middle: Option<f64>,
    /// How many classes there are, where targets are their numbers, 0, 1, 2, ..., in the order in which they appear.
    pub several: Option<usize>,
    /// Which inputs are quantities, whose scale is arbitrary.
    pub quantities: Vec<bool>,
    /// What identifies all of this.
    pub content: String,
}

impl Plate {
    /// Copies rows from `first` on; `inputs` says how many.
    fn fill(&self, first: usize, inputs: &mut [f64], targets: &mut [f64]) {
        let width = self.inputs.cols();
        for (i, target) in targets.iter_mut().enumerate() {
            let row = self.order.as_ref().map_or(first + i, |order| order[first + i]);
            self.inputs.write_row(row, &mut inputs[i * width..(i + 1) * width]);
            *target = self.targets[row];
        }
    }

    /// What the grids need to know, from rows that play before those that judge: their scaled inputs and targets.
    pub fn measure(&self, labels: bool) -> Measure {
        let count = (self.targets.len() / 2).clamp(1, MEASURED).min(self.targets.len());
        let dim = self.inputs.cols();
        let (mut inputs, mut targets) = (vec![0.0; count * dim], vec![0.0; count]);
        self.fill(0, &mut inputs, &mut targets);
        let parts: Vec<bool> = self.quantities.iter().map(|quantity| !quantity).collect();
        if self.several.is_some() {
            targets.iter_mut().for_each(|class| *class = if *class == 1.0 { 1.0 } else { -1.0 });
        }
        let scale = Standard::of(Rows::new(dim, &inputs)).centred(&parts);
        inputs.chunks_exact_mut(dim.max(1)).for_each(|row| scale.apply(row));
        let moments = Moments::of(|| targets.iter().copied());
        let deviation = if moments.deviation > 0.0 { moments.deviation } else { 1.0 };
        let scaled: Vec<f64> = targets.iter().map(|y| (y - moments.mean) / deviation).collect();
        Measure::of(Rows::new(dim, &inputs), &scaled, labels)
    }
}

/// Settings on a file.
pub struct Arena {
    /// The rows.
    pub plate: Plate,
    /// The rows as a learner of this name reads them, where it reads them in another way than the others.
    pub other: Option<(&'static str, Plate)>,
    /// The settings.
    pub settings: Vec<Candidate>,
    /// What is scaled for each of them, by epochs.
    pub scales: Vec<Scales>,
    /// The first seed; the others follow it.
    pub seed: u64,
    /// What was played before.
    pub memory: PlayMemory,
    /// The keys of runs that were asked for: following the code behind one takes a while.
    keys: Mutex<HashMap<(usize, u32), String>>,
}

impl Arena {
    /// An arena; `scales` has those of each setting.
    pub fn new(plate: Plate, settings: Vec<Candidate>, scales: Vec<Scales>, seed: u64, memory: PlayMemory) -> Self {
        Self { plate, other: None, settings, scales, seed, memory, keys: Mutex::default() }
    }

    /// The rows that a setting plays.
    fn plate_of(&self, setting: usize) -> &Plate {
        let name = self.settings[setting].learner.name;
        self.other.as_ref().filter(|(learner, _)| *learner == name).map_or(&self.plate, |(_, plate)| plate)
    }

    /// The draws of a run, which are those of `noregret stream --seed`.
    fn draws(&self, candidate: &Candidate, seed: u32) -> Draws {
        DrawNames::default().draws(self.seed.saturating_add(seed.into()), candidate.learner, &candidate.params)
    }

    /// Plays the contest, in which learners that draw random numbers are judged under so many seeds, and remembers what was
    /// played. None where the user stopped it.
    ///
    /// # Errors
    /// The first learner that does not fit the file, before anything is played; why it cannot be kept.
    pub fn compete(
        self: &Arc<Self>,
        metric: CompareMetric,
        replicates: u32,
        crew: &Crew<'_>,
    ) -> Result<Option<ContestResult>, CompareError> {
        let rows = self.plate.targets.len() as u64;
        let columns = |plate: &Plate| plate.inputs.cols() + 1;
        let columns = columns(&self.plate) + self.other.as_ref().map_or(0, |(_, plate)| columns(plate));
        let data = 8.0 * rows as f64 * columns as f64;
        let memory = ((MEMORY - data) / crew.threads as f64).max(64.0 * f64::from(1 << 20));
        let lineup = self.lineup(replicates)?;
        let mut found = contest(&Contest { lineup: &lineup, field: self.clone(), rows, memory, metric, crew });
        if (crew.interrupted)() {
            self.memory.save()?;
            return Ok(None);
        }
        self.close(&mut found)?;
        Ok(Some(found))
    }

    /// Who competes.
    fn lineup(&self, replicates: u32) -> Result<Lineup, CompareError> {
        let mut lineup = Lineup::default();
        for (index, Candidate { learner, .. }) in self.settings.iter().enumerate() {
            if index == 0 || learner.name != self.settings[index - 1].learner.name {
                self.learner(index, 0).map_err(|error| CompareError::Learner(learner.name, error))?;
                let about = learner.build.about;
                lineup.names.push(learner.name);
                lineup.always.push(about.compared.always());
                lineup.seeds.push(if about.random { replicates } else { 1 });
            }
            lineup.learners.push(lineup.always.len() - 1);
        }
        Ok(lineup)
    }

    /// A fresh learner on its scales.
    ///
    /// # Errors
    /// Parameters that do not fit the file, or a learner that plays behind noise only.
    fn learner(&self, setting: usize, seed: u32) -> Result<Box<dyn Learner>, ParamError> {
        let candidate = &self.settings[setting];
        let (entry, params, draws) = (candidate.learner, candidate.params.clone(), self.draws(candidate, seed));
        let plate = self.plate_of(setting);
        let dim = plate.inputs.cols();
        let of = |horizon| Setting { dim, horizon, draws: draws.clone() };
        // As `noregret stream`: only parameters that are formulas in the number of rows know it.
        let horizon = match (entry.build.learner)(&params, &of(None)) {
            Err(ParamError::Refused { .. }) => Some(plate.targets.len() as u64),
            _ => None,
        };
        let setting_of = of(horizon);
        let build = move || match (entry.build.learner)(&params, &setting_of)? {
            AnyLearner::Full(learner) => Ok(learner),
            AnyLearner::Noisy(_) => Err(ParamError::refused("learner", "it learns from noisy copies only")),
        };
        let scales = self.scales.get(setting).copied().unwrap_or_default();
        let (quantities, own) = (plate.quantities.clone(), draws.clone());
        let scaled = move || -> Result<Box<dyn Learner>, ParamError> {
            match scales {
                Scales { inputs: false, targets: false } => build(),
                scales => Ok(Box::new(OverEpochs::new(Box::new(build.clone()), own.clone(), &quantities, scales)?)),
            }
        };
        if plate.several.is_some() { Ok(Box::new(Classes::new(Box::new(scaled), draws, dim, 0)?)) } else { scaled() }
    }

    /// What a run's result depends on: setting, seed, rows, code.
    fn key(&self, setting: usize, seed: u32) -> String {
        let known = || self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = known().get(&(setting, seed)) {
            return key.clone();
        }
        let key = self.made_key(setting, seed);
        known().insert((setting, seed), key.clone());
        key
    }

    fn made_key(&self, of: usize, seed: u32) -> String {
        let candidate = &self.settings[of];
        let mut members = vec![candidate.learner.module, MODULE];
        members.extend(candidate.params.modules());
        let seed = self.seed.saturating_add(seed.into());
        let (name, parameters) = (candidate.learner.name, candidate.params.canonical());
        let setting = json!({ "learner": name, "parameters": parameters, "seed": seed });
        let scales = self.scales.get(of).copied().unwrap_or_default();
        let setting = format!("{setting} {scales:?}");
        let mut hash = Sha256::new();
        for part in [&setting, &self.plate_of(of).content, &CODEBASE.closure(&members).digest] {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        hex::encode(hash.finalize())
    }

    /// Takes out settings that earlier calls chose on rows that judge now, and remembers the others for later calls.
    fn close(&self, found: &mut ContestResult) -> Result<(), CompareError> {
        let mut left_out = Vec::new();
        let half = found.rows / 2;
        found.judged.retain_mut(|one| {
            let Candidate { learner, settled, .. } = &self.settings[one.setting];
            one.chosen_on = one.chosen_on.max(settled.as_ref().map_or(0, |settled| settled.chosen_on));
            let fair = one.chosen_on <= half;
            if !fair {
                let why =
                    format!("an earlier call chose its setting on {} rows, of which some judge now", one.chosen_on);
                left_out.push((learner.name, why));
            }
            fair
        });
        found.left_out.splice(0..0, left_out);
        // Baselines take part in every call anyway.
        let new = |setting: usize| !self.settings[setting].learner.build.about.compared.always();
        for one in found.judged.iter().filter(|one| !one.runs.is_empty() && new(one.setting)) {
            let candidate = &self.settings[one.setting];
            let settled = JudgedSetting {
                learner: candidate.learner.name.to_owned(),
                table: candidate.table.clone(),
                content: self.plate.content.clone(),
                chosen_on: one.chosen_on,
                rows: found.rows,
                seeds: one.runs.len() as u32,
            };
            self.memory.settle(self.key(one.setting, 0), settled);
        }
        self.memory.save()
    }

    /// Plays a run to its end, or until the leash is taken.
    fn played(&self, run: &SettingRun, leash: &Leash) -> RunOutcome {
        let candidate = &self.settings[run.setting];
        let mut played = RunOutcome::default();
        let mut learner = match self.learner(run.setting, run.seed) {
            Ok(learner) => learner,
            Err(error) => return RunOutcome { over: Some(error.to_string()), ..played },
        };
        let draws = self.draws(candidate, run.seed);
        let process = !programs(&candidate.params).is_empty();
        let plate = self.plate_of(run.setting);
        let (width, rows) = (plate.inputs.cols(), (run.rows as usize).min(plate.targets.len()));
        let shown = !run.marks.is_empty() && plate.several.is_none() && plate.middle.is_none();
        // The blocks of `noregret stream`, which end at fixed rounds.
        let most = BLOCK.min(block(width));
        let (mut inputs, mut targets) = (vec![0.0; most * width], vec![0.0; most]);
        let mut predictions = vec![0.0; most];
        let (mut watch, mut tally) = (Stopwatch::default(), Tally::default());
        let (mut first, mut part, mut marks) = (0, LossSums::default(), run.marks.iter().copied().peekable());
        while first < rows {
            if !leash.goes_on() {
                return played;
            }
            let count = (most - first % most).min(rows - first);
            let (inputs, targets) = (&mut inputs[..count * width], &mut targets[..count]);
            plate.fill(first, inputs, targets);
            let rounds = Block { first_round: first as u64 + 1, inputs: Rows::new(width, inputs), targets };
            let mut player = FullPlayer::new(&mut *learner, &draws);
            let score = |scored: Scored| {
                let mut losses = LossSums::default();
                match plate.several.is_some() {
                    true => losses.add_class(scored.prediction == scored.target),
                    false => losses.add(scored.prediction, scored.target, plate.middle),
                }
                part += losses;
                *(if scored.round == 1 { &mut played.first } else { &mut played.later }) += losses;
                if shown && scored.round + SHOWN > rows as u64 {
                    played.last.push((scored.prediction, scored.target));
                }
                played.rounds = scored.round;
                if marks.next_if_eq(&scored.round).is_some() {
                    played.parts.push((scored.round, std::mem::take(&mut part)));
                }
            };
            let outcome = play_and_score(&mut player, rounds, &mut predictions[..count], &mut tally, &mut watch, score);
            let bytes = player.gauges().state_bytes.map(|bytes| bytes as f64);
            let spent = watch.spent();
            // A process works on its own time.
            played.seconds = 1e-9 * if process { spent.wall_ns } else { spent.cpu_ns } as f64;
            if let Err(stop) = outcome {
                played.over = Some(stop.cause);
                return played;
            }
            played.bytes = bytes;
            first += count;
            leash.tell(played.clone());
        }
        if !(finite(&played.first) && finite(&played.later)) {
            played.over = Some("its losses are too large".into());
        }
        played
    }
}

fn finite(sums: &LossSums) -> bool {
    sums.squared.is_finite() && sums.absolute.is_finite()
}

impl RunPlayer for Arena {
    fn play(&self, run: &SettingRun, leash: &Leash) {
        let key = self.key(run.setting, run.seed);
        if let Some(known) = self.memory.get(&key, run.rows, &run.marks) {
            self.memory.used();
            leash.tell(known);
            return;
        }
        let (played, left) = watched(leash.stop(), || self.played(run, leash));
        let failure = left.into_iter().find_map(|report| report.failure);
        let failed = failure.is_some();
        let played = RunOutcome { over: failure.or(played.over), ..played };
        leash.tell(played.clone());
        // What a process did wrong may go well another time; what was cut has no result.
        if leash.goes_on() && !failed {
            self.memory.put(key, run.rows, finite_of(played));
        }
    }

    fn known(&self, run: &SettingRun) -> bool {
        self.memory.get(&self.key(run.setting, run.seed), run.rows, &run.marks).is_some()
    }

    fn cost(&self, setting: usize, rows: u64) -> Cost {
        let Candidate { learner, params, .. } = &self.settings[setting];
        let Plate { inputs, several, .. } = self.plate_of(setting);
        let Cost { flops, bytes } = (learner.build.cost)(params, rows, inputs.cols());
        // Of more than two classes, each has a learner.
        let each = several.filter(|classes| *classes > 2).unwrap_or(1) as f64;
        Cost { flops: each * flops, bytes: each * bytes }
    }
}

/// A run that can be written as JSON, which has no infinite numbers.
fn finite_of(played: RunOutcome) -> RunOutcome {
    let sums = |sums: LossSums| if finite(&sums) { sums } else { LossSums::default() };
    match &played.over {
        None => played,
        Some(_) => {
            let (first, later) = (sums(played.first), sums(played.later));
            RunOutcome { first, later, parts: Vec::new(), last: Vec::new(), ..played }
        }
    }
}

#[cfg(test)]
mod tests;
