//! From arguments to a learner, its draws and its noise.

use std::fmt::Display;
use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use toml::{Table, Value as Toml};

use crate::args::{AHEAD, AUTO, ScaleChoice, StreamArgs};
use crate::distribution::StdNoise;
use crate::error::StreamError;
use crate::horizon::Horizon;
use crate::rescaled::TargetScale;
use noregret_core::epoch::Scales;
use noregret_core::learner::api::{AnyLearner, Block, Hypothesis, Learner, LearnerEntry, OracleLearner, Setting};
use noregret_core::learner::classes::Classes;
use noregret_core::learner::derived::{DerivedColumns, WithDerived};
use noregret_core::learner::over_epochs::OverEpochs;
use noregret_core::noise::NOISES;
use noregret_core::noise::api::{NOISE_STD, NoiseEntry, NoiseLaw};
use noregret_core::noise::gaussian;
use noregret_core::params::registry::unknown_member;
use noregret_core::params::{ParamError, Params, check::check};
use noregret_core::parts::AllParts;
use noregret_core::protocol::adapter::FromCopies;
use noregret_core::protocol::clock::Stopwatch;
use noregret_core::protocol::copies;
use noregret_core::protocol::full::FullPlayer;
use noregret_core::protocol::noisy::{Channel, NoisyPlayer};
use noregret_core::protocol::run::{Player, Scored, Stop, play_and_score};
use noregret_core::protocol::tally::Tally;
use noregret_core::view::ColumnKind;
use noregret_model::assignment::Assignment;
use noregret_model::contents::RunContents;
use noregret_model::inputs::Scaling;
use noregret_model::misses::Misses;
use noregret_model::service::Service;
use noregret_model::targets::Rescale;
use noregret_numeric::draw::Draws;
use noregret_numeric::state::{State as _, StateError, Store};

/// A learner with checked parameters, not yet built.
#[derive(Clone)]
pub(crate) struct ChosenLearner {
    entry: &'static LearnerEntry,
    /// The parameters.
    pub params: Params,
    /// The inputs, counted from 1, that hold codes of words.
    codes: Vec<usize>,
    /// What it is shown besides its inputs.
    derived: DerivedColumns,
}

impl ChosenLearner {
    /// Checks that it knows something of its targets, where that is wanted.
    ///
    /// # Errors
    /// It does not, or has a noise of its own.
    pub(crate) fn knows(&self, std: Option<StdNoise>, learner: &dyn Hypothesis) -> Result<(), StreamError> {
        let (Some(std), name) = (std, self.named().0) else { return Ok(()) };
        if learner.predictives().is_none() {
            return Err(StreamError::Usage(format!(
                "--std: {name} gives no distribution of its targets; ridge regressions (kernel-ridge, pkrr-taylor, ...) and \
                 model-averaging do, and `intervals` gives intervals around any learner"
            )));
        }
        if std.is_known() && self.params.get("noise").is_some() {
            return Err(StreamError::Usage(format!(
                "--std: {name} has a noise of its own: give `--std`, and the variance as `--set noise=`"
            )));
        }
        Ok(())
    }
}

/// A built learner, with the protocol that it plays under.
pub(crate) enum Seat {
    /// Full information.
    Full(Box<dyn Learner>),
    /// Behind noise.
    Noisy(Box<dyn OracleLearner>, Channel),
}

/// What a run has learnt, apart from what was seen of the inputs.
pub(crate) struct Learnt {
    /// Who plays.
    pub(crate) seat: Seat,
    /// The losses so far.
    pub tally: Tally,
    /// The scale of the targets.
    pub scale: Rescale,
    /// Which of the last targets lay outside of their intervals.
    pub misses: Misses,
    /// Rows that wait, and, while a model is saved or loaded, what was seen of the inputs.
    pub service: Service,
    /// How far ahead it forecasts, where the run has horizons.
    pub ahead: Option<Horizon>,
}

impl Learnt {
    /// Before the first round.
    pub(crate) fn new(seat: Seat, tally: Tally, scale: Rescale) -> Self {
        Self { seat, tally, scale, misses: Misses::default(), service: Service::default(), ahead: None }
    }

    /// Saves or loads it, with what was seen of the inputs.
    pub(crate) fn state(&mut self, inputs: &mut Scaling, store: &mut Store) -> Result<(), StateError> {
        let Self { seat, tally, scale, misses, service, ahead } = self;
        let learner = seat.hypothesis_mut();
        RunContents { learner, tally, misses, targets: scale, inputs, service }.state(store)?;
        ahead.as_mut().map_or(Ok(()), |horizon| store.keep("ahead", horizon))
    }
}

impl Seat {
    /// What predicts.
    pub(crate) fn hypothesis(&self) -> &dyn Hypothesis {
        match self {
            Seat::Full(learner) => &**learner,
            Seat::Noisy(learner, _) => &**learner,
        }
    }

    /// What predicts, to be saved or loaded.
    pub(crate) fn hypothesis_mut(&mut self) -> &mut dyn Hypothesis {
        match self {
            Seat::Full(learner) => &mut **learner,
            Seat::Noisy(learner, _) => &mut **learner,
        }
    }

    /// Checks that what was loaded into a learner that [knows](ChosenLearner::knows) of its targets suffices.
    ///
    /// # Errors
    /// It was saved by an earlier version, or to predict only.
    pub(crate) fn still_knows(&self, std: Option<StdNoise>) -> Result<(), StreamError> {
        if std.is_none() || self.hypothesis().predictives().is_some() {
            return Ok(());
        }
        let why = "the model has not what distributions need: it was saved with --predict-only, or by a version that gave none";
        Err(StreamError::Usage(format!("--std: {why}; learn it anew")))
    }

    /// Plays and scores a block whose rows all have targets.
    pub(crate) fn play(
        &mut self,
        draws: &Draws,
        (block, weight): (Block<'_>, f64),
        scale: &mut Rescale,
        tally: &mut Tally,
        each: impl FnMut(Scored),
    ) -> Result<(), Stop> {
        match self {
            Seat::Full(learner) => {
                scored(&mut FullPlayer::weighted(&mut **learner, draws, weight), block, scale, tally, each)
            }
            Seat::Noisy(learner, channel) => {
                scored(&mut NoisyPlayer::new(&mut **learner, draws, channel), block, scale, tally, each)
            }
        }
    }

    /// Learns a row, a block of its own, that was predicted earlier in a context; its loss was counted with its prediction.
    pub(crate) fn play_late(
        &mut self,
        draws: &Draws,
        block: Block<'_>,
        context: &[f64],
        scale: &mut Rescale,
    ) -> Result<(), Stop> {
        let tally = &mut Tally::default();
        match self {
            Seat::Full(learner) => {
                scored(&mut FullPlayer::late(&mut **learner, draws, context), block, scale, tally, |_| {})
            }
            Seat::Noisy(..) => self.play(draws, (block, 1.0), scale, tally, |_| {}),
        }
    }
}

/// Plays and scores a block on the scale of the file.
fn scored(
    player: &mut dyn Player,
    block: Block<'_>,
    scale: &mut Rescale,
    tally: &mut Tally,
    each: impl FnMut(Scored),
) -> Result<(), Stop> {
    let (mut predictions, mut watch) = (vec![f64::NAN; block.targets.len()], Stopwatch::default());
    scale.over(player, |player| play_and_score(player, block, &mut predictions, tally, &mut watch, each))
}

impl ChosenLearner {
    /// The learner that `--learner` and `--set` describe.
    pub(crate) fn from_args(args: &StreamArgs) -> Result<Self, StreamError> {
        let entry = args.learners.find(&args.learner)?;
        let table = table("--set", &args.set)?;
        let params = args.learners.check(entry, &table)?;
        Ok(Self { entry, params, codes: Vec::new(), derived: DerivedColumns::default() })
    }

    /// The same for a file whose inputs of these numbers, from 1, hold codes of words.
    pub(crate) fn with_codes(self, codes: Vec<usize>) -> Self {
        Self { codes, ..self }
    }

    /// The same, shown these columns behind its inputs.
    pub(crate) fn with_derived(self, derived: DerivedColumns) -> Self {
        Self { derived, ..self }
    }

    /// The parameters for a file with codes of words: `auto` is told of them, unless `--set words` says something else.
    fn params_of_file(&self, args: &StreamArgs) -> Result<Params, StreamError> {
        if self.codes.is_empty() || self.entry.name != AUTO {
            return Ok(self.params.clone());
        }
        Ok(args.learners.check(self.entry, &self.table_of_file(args)?)?)
    }

    fn table_of_file(&self, args: &StreamArgs) -> Result<Table, StreamError> {
        let mut table = table("--set", &args.set)?;
        if !self.codes.is_empty() && self.entry.name == AUTO {
            let numbers = self.codes.iter().map(|number| Toml::Integer(*number as i64)).collect();
            table.entry("words").or_insert(Toml::Array(vec![Toml::Array(numbers)]));
        }
        Ok(table)
    }

    /// The same learner so many steps ahead: for more than one, the learner `ahead` over it.
    pub(crate) fn ahead(&self, args: &StreamArgs, steps: u64) -> Result<Self, StreamError> {
        if steps <= 1 {
            return Ok(self.clone());
        }
        let (entry, mut base) = (args.learners.find(AHEAD)?, self.table_of_file(args)?);
        base.insert("name".into(), Toml::String(self.entry.name.into()));
        let table = [("base", Toml::Table(base)), ("steps", Toml::Integer(steps as i64))];
        let table = table.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(Self { entry, params: args.learners.check(entry, &table)?, ..self.clone() })
    }

    /// The noise, where `--noise` asks for any.
    pub(crate) fn channel(&self, args: &StreamArgs) -> Result<Option<Channel>, StreamError> {
        let Some(name) = args.noise.as_deref() else {
            let stray = [
                ("--noise-std", args.noise_std.is_some()),
                ("--noise-set", !args.noise_set.is_empty()),
                ("--target-noise-std", args.target_noise_std.is_some()),
                ("--copies", args.copies.is_some()),
            ];
            return match stray.iter().find(|(_, given)| *given) {
                Some((flag, _)) => Err(StreamError::Usage(format!("{flag} needs --noise LAW ({})", laws()))),
                None => Ok(None),
            };
        };
        if args.noise_std.is_none() && args.target_noise_std.is_none() && args.noise_set.is_empty() {
            let why = "--noise needs --noise-std or --target-noise-std (or both), or --noise-set";
            return Err(StreamError::Usage(why.into()));
        }
        let given = table("--noise-set", &args.noise_set)?;
        let entry =
            NOISES.get(name).ok_or_else(|| unknown_member("noise", name, NOISES.iter().map(|entry| entry.name)))?;
        let law = |entry: &NoiseEntry, table: Table, prefix: &str| -> Result<Arc<dyn NoiseLaw>, ParamError> {
            (entry.build)(&check(entry.params, &table, prefix, &AllParts)?)
        };
        let by_deviation = entry.params.iter().any(|spec| spec.name == NOISE_STD.name);
        let with = |table: &Table, deviation: f64| {
            let mut table = table.clone();
            table.insert(NOISE_STD.name.into(), Toml::Float(deviation));
            table
        };
        let inputs = match args.noise_std {
            Some(deviation) => law(entry, with(&given, deviation), "")?,
            None if by_deviation && !given.contains_key(NOISE_STD.name) => law(entry, with(&given, 0.0), "")?,
            None => law(entry, given.clone(), "")?,
        };
        let deviation = args.target_noise_std.unwrap_or(0.0);
        let targets = if by_deviation {
            law(entry, with(&given, deviation), "target_")?
        } else {
            law(&gaussian::ENTRY, with(&Table::new(), deviation), "target_")?
        };
        // The noise does not depend on the learner: learners can be compared under one seed.
        let draws = Draws::named(&["stream", &args.seed.to_string(), "noise"]);
        Ok(Some(Channel { inputs, targets, draws }))
    }

    /// Whether a parameter is a formula in the number of rounds.
    pub(crate) fn needs_rounds(&self, args: &StreamArgs) -> bool {
        // A learner that is refused for another reason is refused again later; then the rows are counted in vain.
        matches!(self.trial(args, None), Err(ParamError::Refused { .. }))
    }

    /// Whether its inputs are forecasts, some of which may be absent.
    pub(crate) fn takes_absent(&self, args: &StreamArgs) -> bool {
        matches!(self.trial(args, Some(1)), Ok(AnyLearner::Full(one)) if one.takes_absent())
    }

    /// The learner for one input or, where a column of times is one of more, for as many as that takes.
    pub(crate) fn trial(&self, args: &StreamArgs, horizon: Option<u64>) -> Result<AnyLearner, ParamError> {
        let of = |dim| self.build(&Setting { dim, horizon, draws: self.draws(args) });
        let time = |error: &ParamError| error.path().is_some_and(|path| path.rsplit('.').next() == Some("time"));
        match of(1) {
            Err(error) if time(&error) => [64, 4_096, 32_000].into_iter().find_map(|dim| of(dim).ok()).ok_or(error),
            built => built,
        }
    }

    /// Builds the learner in a setting, as it is.
    pub(crate) fn build(&self, setting: &Setting) -> Result<AnyLearner, ParamError> {
        (self.entry.build.learner)(&self.params, setting)
    }

    /// What builds the learner, on the scales of epochs that the options ask for.
    fn builder(
        &self,
        args: &StreamArgs,
        params: Params,
        setting: &Setting,
        quantities: &[bool],
    ) -> impl Fn() -> Result<Box<dyn Learner>, ParamError> + Send + 'static {
        let inputs = args.scale() == ScaleChoice::Epochs;
        let scales = Scales { inputs, targets: args.target_scale() == TargetScale::Epochs };
        let (entry, setting, quantities) = (self.entry, setting.clone(), quantities.to_vec());
        let (draws, dim, view, derived) = (setting.draws.clone(), setting.dim, args.view(), self.derived.clone());
        let words = |column: usize| view.is_some_and(|kind| kind.categories) && self.codes.contains(&(column + 1));
        let column = |(j, quantity): (usize, &bool)| match quantity {
            _ if words(j) => ColumnKind::Words,
            true => ColumnKind::Number,
            false => ColumnKind::Part,
        };
        let columns: Vec<ColumnKind> = quantities.iter().enumerate().map(column).collect();
        let build = move |dim| match (entry.build.learner)(&params, &Setting { dim, ..setting.clone() })? {
            AnyLearner::Full(learner) => Ok(learner),
            AnyLearner::Noisy(_) => Err(ParamError::refused("learner", "it learns from noisy copies only")),
        };
        move || {
            let (build, draws) = (build.clone(), draws.clone());
            let learner: Box<dyn Learner> = match view {
                None if scales == Scales::default() => build(dim)?,
                None => Box::new(OverEpochs::new(Box::new(move || build(dim)), draws, &quantities, scales)?),
                Some(kind) => {
                    let (most, columns) = (OverEpochs::most(dim), columns.clone());
                    Box::new(OverEpochs::viewing(most, Box::new(build), draws, columns, kind, scales.targets)?)
                }
            };
            Ok(if derived.is_empty() { learner } else { Box::new(WithDerived::new(learner, derived.clone())) })
        }
    }

    /// Builds the learner for inputs of which these are quantities (and for what is derived from them), which the noise must
    /// fit, and for a horizon, if it needs one; `classes` says how many are known beforehand, where targets are classes.
    pub(crate) fn seat(
        &self,
        args: &StreamArgs,
        quantities: &[bool],
        horizon: Option<u64>,
        channel: Option<Channel>,
        classes: Option<usize>,
    ) -> Result<Seat, StreamError> {
        let of_file = quantities.len();
        let quantities = &[quantities, &self.derived.quantities()].concat();
        let dim = quantities.len();
        let setting = Setting { dim, horizon, draws: self.draws(args) };
        if let Some(channel) = &channel {
            let refused = |why| StreamError::Usage(format!("--noise: {why}"));
            channel.inputs.accepts(dim).map_err(refused)?;
        }
        let params = self.params_of_file(args)?;
        let built = (self.entry.build.learner)(&params, &setting)?;
        let builder = || self.builder(args, params, &setting, quantities);
        match (built, channel) {
            (AnyLearner::Full(learner), _) if learner.foresees() => Err(StreamError::Usage(format!(
                "{} with these parameters needs all inputs before the first round, but the rows of a file come one by \
                 one; add the file with `noregret data add` and run it as an experiment",
                self.entry.name
            ))),
            (AnyLearner::Full(learner), _) if learner.takes_absent() && !self.derived.is_empty() => {
                let why = "--lags, --means and --periods: the inputs are forecasts, and these are none";
                Err(StreamError::Usage(why.into()))
            }
            (AnyLearner::Full(learner), None) => Ok(Seat::Full(match classes {
                None if self.derived.is_empty() && !args.is_over_epochs() => learner,
                None => builder()()?,
                // It keeps rows as the file has them; what is derived is added below it.
                Some(known) => Box::new(Classes::new(Box::new(builder()), setting.draws.clone(), of_file, known)?),
            })),
            (AnyLearner::Full(learner), Some(channel)) => {
                let copies = args.copies.unwrap_or(NonZeroU32::MIN);
                copies::check(copies, dim).map_err(|why| StreamError::Usage(format!("--copies: {why}")))?;
                Ok(Seat::Noisy(Box::new(FromCopies::new(learner, copies)), channel))
            }
            (AnyLearner::Noisy(_), Some(_)) if args.copies.is_some() => Err(StreamError::Usage(format!(
                "--copies is for learners made for exact data; {} asks for the copies that it needs",
                self.entry.name
            ))),
            (AnyLearner::Noisy(learner), Some(channel)) => Ok(Seat::Noisy(learner, channel)),
            (AnyLearner::Noisy(_), None) => Err(StreamError::Usage(format!(
                "{} learns from noisy copies only: give --noise LAW ({}) with --noise-std S",
                self.entry.name,
                laws()
            ))),
        }
    }

    /// The learner's name, and its parameters in canonical form.
    pub(crate) fn named(&self) -> (&'static str, Json) {
        (self.entry.name, self.params.canonical())
    }

    /// The learner's own draws.
    pub(crate) fn draws(&self, args: &StreamArgs) -> Draws {
        args.draws.draws(args.seed, self.entry, &self.params)
    }

    /// What was run, in canonical JSON, for the metadata of a Parquet output.
    pub(crate) fn config(&self, args: &StreamArgs) -> Json {
        let learner: Json = json!({ "name": self.entry.name, "parameters": self.params.canonical() });
        let mut config = json!({
            "copies": args.copies,
            "inputs": args.file.inputs,
            "learner": learner,
            "limit": args.limit,
            "noise": args.noise,
            "noise_set": args.noise_set,
            "noise_std": args.noise_std,
            "scale": format!("{:?}", args.scale()).to_lowercase(),
            "seed": args.seed,
            "shuffle": args.shuffle,
            "target": args.file.target,
            "target_noise_std": args.target_noise_std,
        });
        if args.target_scale() != TargetScale::None {
            config["target_scale"] = json!(format!("{:?}", args.target_scale()).to_lowercase());
        }
        if !args.views.is_empty() {
            config["views"] = json!(args.views);
        }
        if !args.lags.is_empty() {
            config["lags"] = json!(args.lags);
        }
        if !args.means.is_empty() {
            config["means"] = json!(args.means);
        }
        if !args.ahead.is_empty() {
            config["ahead"] = json!(args.ahead);
        }
        if let Some(column) = &args.group {
            config["group"] = json!(column);
        }
        if !args.periods.is_empty() {
            config["periods"] = json!({ "of": args.periods_of, "periods": args.periods });
        }
        if args.sees_whole_file() {
            config["saw_the_whole_file"] = json!(true);
        }
        config
    }
}

fn laws() -> String {
    NOISES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

/// The table of what was given with `flag`; a later value of the same key wins.
///
/// # Errors
/// What was given wrongly, and why.
pub fn table(flag: &str, given: &[String]) -> Result<Table, StreamError> {
    let mut table = Table::new();
    for text in given {
        let wrong = |why: &dyn Display| StreamError::Usage(format!("{flag} {text}: {why}"));
        let assignment = Assignment::parse(text).map_err(|error| wrong(&error))?;
        let taken = |name| wrong(&format!("`{name}` already has a value of its own"));
        assignment.apply(&mut table).map_err(taken)?;
    }
    Ok(table)
}
