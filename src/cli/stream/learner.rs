//! From arguments to a learner, its draws and its noise.

use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use toml::{Table, Value as Toml};

use crate::cli::stream::args::StreamArgs;
use crate::cli::stream::error::StreamError;
use crate::cli::stream::input::Input;
use noregret_core::draw::Draws;
use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{AnyLearner, Learner, LearnerEntry, OracleLearner, Setting};
use noregret_core::noise::NOISES;
use noregret_core::noise::api::{NOISE_STD, NoiseEntry, NoiseLaw};
use noregret_core::noise::gaussian;
use noregret_core::params::registry::unknown_member;
use noregret_core::params::{ParamError, Params, check::check};
use noregret_core::parts::AllParts;
use noregret_core::protocol::adapter::FromCopies;
use noregret_core::protocol::noisy::Channel;

/// A learner with checked parameters, not yet built.
pub struct Chosen {
    entry: &'static LearnerEntry,
    params: Params,
}

/// A built learner at the protocol that it plays.
pub enum Seat {
    /// Full information.
    Full(Box<dyn Learner>),
    /// Behind noise.
    Noisy(Box<dyn OracleLearner>, Channel),
}

impl Chosen {
    /// The learner that `--learner` and `--set` describe.
    pub fn from_args(args: &StreamArgs) -> Result<Self, StreamError> {
        let entry = LEARNERS
            .get(&args.learner)
            .ok_or_else(|| unknown_member("learner", &args.learner, LEARNERS.iter().map(|entry| entry.name)))?;
        let mut table = Table::new();
        for setting in &args.set {
            set(&mut table, "--set", setting).map_err(StreamError::Usage)?;
        }
        Ok(Self { entry, params: check(entry.params, &table, "", &AllParts)? })
    }

    /// The noise, where any is asked for.
    pub fn channel(&self, args: &StreamArgs) -> Result<Option<Channel>, StreamError> {
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
        let mut given = Table::new();
        for setting in &args.noise_set {
            set(&mut given, "--noise-set", setting).map_err(StreamError::Usage)?;
        }
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
    pub fn needs_rounds(&self, args: &StreamArgs) -> bool {
        let setting = Setting { dim: 1, horizon: None, draws: self.draws(args) };
        // Refused for another reason, it will be refused again; then the rows were counted in vain.
        matches!((self.entry.build.learner)(&self.params, &setting), Err(ParamError::Refused { .. }))
    }

    /// Builds the learner for the columns of `input`, which the noise must fit.
    pub fn seat(&self, args: &StreamArgs, input: &mut Input, channel: Option<Channel>) -> Result<Seat, StreamError> {
        let horizon = if self.needs_rounds(args) { Some(input.rows()?) } else { None };
        let setting = Setting { dim: input.dim(), horizon, draws: self.draws(args) };
        if let Some(channel) = &channel {
            let refused = |why| StreamError::Usage(format!("--noise: {why}"));
            channel.inputs.accepts(input.dim()).map_err(refused)?;
        }
        let built = (self.entry.build.learner)(&self.params, &setting);
        match (built?, channel) {
            (AnyLearner::Full(learner), _) if learner.foresees() => Err(StreamError::Usage(format!(
                "{} with these parameters wants all inputs before the first round, and the rows of a file come one by \
                 one; add the file with `noregret data add` and run it as an experiment",
                self.entry.name
            ))),
            (AnyLearner::Full(learner), None) => Ok(Seat::Full(learner)),
            (AnyLearner::Full(learner), Some(channel)) => {
                let copies = args.copies.unwrap_or(NonZeroU32::MIN);
                Ok(Seat::Noisy(Box::new(FromCopies::new(learner, copies)), channel))
            }
            (AnyLearner::Noisy(_), Some(_)) if args.copies.is_some() => Err(StreamError::Usage(format!(
                "--copies is for learners made for exact data; {} asks for as many copies as it needs",
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

    /// The learner's own draws.
    pub fn draws(&self, args: &StreamArgs) -> Draws {
        let params = self.params.canonical().to_string();
        Draws::named(&["stream", &args.seed.to_string(), "learner", self.entry.name, &params])
    }

    /// What was run, in canonical JSON, for the metadata of a Parquet output.
    pub fn config(&self, args: &StreamArgs) -> String {
        let learner: Json = json!({ "name": self.entry.name, "parameters": self.params.canonical() });
        json!({
            "copies": args.copies,
            "inputs": args.inputs,
            "learner": learner,
            "limit": args.limit,
            "noise": args.noise,
            "noise_set": args.noise_set,
            "noise_std": args.noise_std,
            "scale": format!("{:?}", args.scale).to_lowercase(),
            "seed": args.seed,
            "shuffle": args.shuffle,
            "target": args.target,
            "target_noise_std": args.target_noise_std,
        })
        .to_string()
    }
}

fn laws() -> String {
    NOISES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

/// Adds `key=value`, as given with `flag`, to a table: the key dotted, the value TOML, or else a word. A later setting of the same key wins.
fn set(table: &mut Table, flag: &str, setting: &str) -> Result<(), String> {
    let (key, text) = setting
        .split_once('=')
        .ok_or_else(|| format!("{flag} {setting}: write key=value, for example {flag} lambda=0.1"))?;
    let (text, names) = (text.trim(), key.split('.').map(str::trim).collect::<Vec<_>>());
    if names.iter().any(|name| name.is_empty()) {
        return Err(format!("{flag} {setting}: `{}` is not a parameter name", key.trim()));
    }
    let value = match text.parse::<Toml>() {
        Ok(value) => value,
        Err(_) if !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() && !"\"'[]{}".contains(c)) => {
            Toml::String(text.to_owned())
        }
        Err(error) => return Err(format!("{flag} {setting}: the value is not TOML: {}", error.message())),
    };
    insert(table, &names, value).map_err(|name| format!("{flag} {setting}: `{name}` already has a value of its own"))
}

/// Puts `value` at the path `names`; the error is the name that stands in the way.
fn insert(table: &mut Table, names: &[&str], value: Toml) -> Result<(), String> {
    match names {
        [] => Ok(()),
        [name] => {
            table.insert((*name).to_owned(), value);
            Ok(())
        }
        [name, rest @ ..] => {
            let entry = table.entry(*name).or_insert_with(|| Toml::Table(Table::new()));
            // `kernel=gaussian` is short for `kernel.name=gaussian`, and may be followed by `kernel.bandwidth=2`.
            if let Toml::String(member) = entry {
                *entry = Toml::Table(Table::from_iter([("name".to_owned(), Toml::String(member.clone()))]));
            }
            match entry {
                Toml::Table(inner) => insert(inner, rest, value),
                _ => Err((*name).to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(settings: &[&str]) -> Result<Table, String> {
        let mut table = Table::new();
        settings.iter().try_for_each(|setting| set(&mut table, "--set", setting))?;
        Ok(table)
    }

    #[test]
    fn settings_become_a_table() {
        let parsed = table(&[
            "lambda=1e-3",
            "order = 3",
            "kernel.name=gaussian",
            "kernel.bandwidth=0.5",
            "eta=1/sqrt(n)",
            "weights=\"theory\"",
            "as_published=true",
            "grid=[1, 2]",
        ]);
        let expected: Table = toml::from_str(
            "lambda = 0.001\norder = 3\nkernel = { name = 'gaussian', bandwidth = 0.5 }\neta = '1/sqrt(n)'\n\
             weights = 'theory'\nas_published = true\ngrid = [1, 2]",
        )
        .unwrap();
        assert_eq!(parsed, Ok(expected));
    }

    #[test]
    fn a_short_part_can_be_refined_and_the_last_setting_wins() {
        let parsed = table(&["kernel=gaussian", "kernel.bandwidth=2", "kernel.bandwidth=3"]).unwrap();
        assert_eq!(parsed, toml::from_str("kernel = { name = 'gaussian', bandwidth = 3 }").unwrap());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for wrong in ["lambda", "=1", "kernel.=1", "lambda=", "lambda=[1", "lambda=\"x"] {
            let error = table(&[wrong]).unwrap_err();
            assert!(error.contains(&format!("--set {wrong}")), "{error}");
        }
        assert!(table(&["lambda=1", "lambda.x=2"]).unwrap_err().contains("`lambda`"));
        // One value, not a way to smuggle in another key.
        assert!(table(&["lambda=1\neta=2"]).is_err());
    }
}
