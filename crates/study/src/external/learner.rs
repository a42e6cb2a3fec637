//! A learner whose process answers: it is sent x_t, predicts, and is sent y_t with the next input.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use noregret_core::epoch::Scales;
use noregret_core::learner::about::About;
use noregret_core::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, OracleLearner, Recipe, Setting,
};
use noregret_core::noise::api::Oracle;
use noregret_core::params::{ParamError, Params, Value};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Rows;
use serde_json::json;

use super::process::Process;
use super::program::{MissingProgram, Program};
use super::watch::{ProcessReport, report, stop};
use super::wire::{
    Greeting, MessageEncoding, ProcessTrouble, Question, VERSION, asked, gauges, list, number, numbers, shown,
};

/// Where code identity starts.
pub(crate) const MODULE: &str = module_path!();

/// The parameter that holds the program. It is declared for every such learner, and no one sets it.
pub(crate) const PROGRAM: &str = "program";

/// How such learners are built.
pub(crate) const RECIPE: Recipe = Recipe { learner: build, cost, drawn_by: &[], about: About::grid(&[]).random() };

fn build(params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    let program = program(params).ok_or_else(|| ParamError::refused(PROGRAM, "is no parameter that can be set"))?;
    let mut own = params.canonical();
    if let Some(own) = own.as_object_mut() {
        own.remove(PROGRAM);
    }
    // A number of 53 bits from the learner's own draws.
    let seed = (setting.draws.at(Role::Start, 0).uniform() * (1_u64 << 53) as f64) as u64;
    let hello = json!({
        "noregret": VERSION, "dim": setting.dim, "seed": seed.to_string(), "params": own, "horizon": setting.horizon,
    });
    let state = RefCell::new(ProcessState::Fresh);
    let noisy = program.noisy;
    let learner = Box::new(External { program, dim: setting.dim, hello, classes: None, state });
    Ok(if noisy { AnyLearner::Noisy(learner) } else { AnyLearner::Full(learner) })
}

/// The program that these parameters belong to, if they are those of such a learner.
pub(crate) fn program(params: &Params) -> Option<Arc<Program>> {
    match params.get(PROGRAM)? {
        Value::Part(part) => part.object(),
        _ => None,
    }
}

/// The programs behind these parameters: their own, and those of the learners among their parts.
pub fn programs(params: &Params) -> Vec<Arc<Program>> {
    let nested = params.iter().flat_map(|(_, value)| match value {
        Value::Part(part) => programs(&part.params),
        Value::Grid(parts) => parts.iter().flat_map(|part| programs(&part.params)).collect(),
        _ => Vec::new(),
    });
    program(params).into_iter().chain(nested).collect()
}

/// What a round takes is known to nobody; a round trip takes some microseconds.
fn cost(_: &Params, rounds: u64, _: usize) -> Cost {
    Cost { flops: 4e4 * rounds as f64, bytes: 64e6 }
}

struct External {
    program: Arc<Program>,
    dim: usize,
    /// The first message.
    hello: serde_json::Value,
    /// How many classes its targets are the numbers of, where they are such.
    classes: Option<usize>,
    state: RefCell<ProcessState>,
}

enum ProcessState {
    /// Its process is started by the first question: learners are built to be checked, too.
    Fresh,
    Playing(Box<Session>),
    /// Why it plays no more.
    Over(String),
}

/// A process that plays.
struct Session {
    process: Process,
    encoding: MessageEncoding,
    gauges: bool,
    blocks: bool,
    echoes: bool,
    dim: usize,
    /// The input that it was sent last.
    at: Vec<f64>,
    /// The target of that input, once it is known and until it is sent.
    owed: Option<f64>,
    asked: u64,
    message: Vec<u8>,
    /// How many rounds it has learnt from.
    rounds: u64,
    /// Its processor time in nanoseconds before its first answer: an interpreter and its packages take as long for any
    /// number of rounds.
    started: u64,
    /// Its processor time since then, after the rounds at which gauges were asked for.
    spent: BTreeMap<u64, u64>,
    /// Whether the run was stopped: a slow learner is not played to the end of its block.
    stop: Arc<AtomicBool>,
}

impl Session {
    fn start(program: &Program, dim: usize, hello: &str) -> Result<Self, ProcessTrouble> {
        if let Some(MissingProgram { what, remedy }) = program.missing() {
            return Err(ProcessTrouble::Failure(format!("it needs {what}; remedy: {remedy}")));
        }
        program.unchanged().map_err(ProcessTrouble::Failure)?;
        let mut process = Process::start(&program.words(), program.readable().as_ref())?;
        process.allow(program.limits.start);
        let asked = process.ask(hello.as_bytes());
        let line = asked.and_then(|()| process.line()).map_err(|trouble| trouble.remedied(&program.remedy))?;
        let greeting = Greeting::read(&line)?;
        let started = process.spent().unwrap_or_default();
        if greeting.version != program.version {
            let (said, declared) = (shown(greeting.version.as_bytes()), shown(program.version.as_bytes()));
            let why = format!("its process says that its version is `{said}`, and it was declared as `{declared}`");
            return Err(ProcessTrouble::Failure(why));
        }
        process.allow(program.limits.message);
        let mut encoding = MessageEncoding::Json;
        // Questions about copies are in JSON.
        if !program.noisy && greeting.encodings.iter().any(|known| known == "f64") {
            process.tell(b"{\"encoding\":\"f64\"}\n")?;
            encoding = MessageEncoding::F64;
        }
        Ok(Self {
            process,
            encoding,
            gauges: greeting.gauges,
            blocks: greeting.block,
            echoes: greeting.echo,
            dim,
            at: Vec::new(),
            owed: None,
            asked: 0,
            message: Vec::new(),
            rounds: 0,
            started,
            spent: BTreeMap::new(),
            stop: stop(),
        })
    }

    fn send(&mut self, question: Question<'_>) -> Result<(), ProcessTrouble> {
        question.write(self.encoding, self.dim, &mut self.message);
        self.process.ask(&self.message)
    }

    fn number(&mut self) -> Result<f64, ProcessTrouble> {
        match self.encoding {
            MessageEncoding::Json => number(&self.process.line()?),
            MessageEncoding::F64 => {
                let mut one = [0.0];
                self.process.numbers(&mut one).map(|()| one[0])
            }
        }
    }

    /// Plays a block in one message.
    fn block(&mut self, inputs: Rows<'_>, targets: &[f64], predictions: &mut [f64]) -> Result<(), ProcessTrouble> {
        let y = self.owed.take();
        self.send(Question { y, block: Some((inputs, targets)), ..Question::default() })?;
        match self.encoding {
            MessageEncoding::Json => predictions.copy_from_slice(&list(&self.process.line()?, targets.len())?),
            MessageEncoding::F64 => self.process.numbers(predictions)?,
        }
        self.at.clear();
        self.rounds += targets.len() as u64;
        Ok(())
    }

    fn ask(&mut self, x: &[f64]) -> Result<f64, ProcessTrouble> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(ProcessTrouble::Failure("the run was stopped".into()));
        }
        let y = self.owed.take();
        self.send(Question { y, x: Some(x), ..Question::default() })?;
        let prediction = self.number()?;
        if !prediction.is_finite() {
            return Err(ProcessTrouble::Breakdown(format!("the prediction is {prediction}, no finite number")));
        }
        self.at.clear();
        self.at.extend_from_slice(x);
        self.asked += 1;
        // An answer that came before its question would be taken for the answer to the next one, and so on. What comes
        // back for a number that is sent alone tells; without it the last answer does, which is no prediction.
        if self.echoes && (self.asked.is_power_of_two() || self.asked.is_multiple_of(64)) {
            let echo = -(self.asked as f64) - 0.5;
            self.send(Question { echo: Some(echo), ..Question::default() })?;
            let back = self.number()?;
            if back != echo {
                let why =
                    format!("to {{\"echo\":{echo}}} it answered {back}: its answers do not belong to the questions");
                return Err(ProcessTrouble::Failure(why));
            }
        }
        Ok(prediction)
    }

    /// Lets it ask for copies until it has learnt.
    fn learn(&mut self, oracle: &mut dyn Oracle) -> Result<(), ProcessTrouble> {
        self.send(Question { learn: true, ..Question::default() })?;
        let (mut copies, mut target) = (Vec::new(), None);
        loop {
            let count = asked(&self.process.line()?)?;
            if count == 0 {
                self.rounds += 1;
                return Ok(());
            }
            copies.resize(count * self.dim, 0.0);
            copies.chunks_mut(self.dim.max(1)).for_each(|copy| oracle.x(copy));
            // All messages of a round have the same copy of the target.
            let y = *target.get_or_insert_with(|| oracle.y());
            self.send(Question { copies: Some((Rows::new(self.dim, &copies), y)), ..Question::default() })?;
        }
    }

    fn gauges(&mut self) -> Result<Gauges, ProcessTrouble> {
        let spent = self.process.spent().map(|spent| (self.rounds, spent.saturating_sub(self.started)));
        self.spent.extend(spent);
        if !self.gauges {
            return Ok(Gauges::default());
        }
        let y = self.owed.take();
        self.send(Question { y, gauges: true, ..Question::default() })?;
        Ok(gauges(&numbers(&self.process.line()?)?))
    }

    /// What it leaves behind.
    fn left(&mut self) -> ProcessReport {
        ProcessReport {
            complaints: self.process.complaints(),
            spent: std::mem::take(&mut self.spent),
            start_seconds: Some(1e-9 * self.started as f64),
            ..ProcessReport::default()
        }
    }

    /// Says that the run is over.
    fn end(&mut self, program: &Program) -> Result<Vec<(String, f64)>, ProcessTrouble> {
        self.process.allow(program.limits.end);
        let y = self.owed.take();
        self.send(Question { y, end: true, ..Question::default() })?;
        numbers(&self.process.line()?)
    }
}

/// How many rounds a process plays both ways before its blocks are relied on.
const SAMPLE: usize = 40;

/// Whether blocks are played as the same rounds are, one after another: two processes play a sample.
fn blocks_agree(program: &Program, dim: usize, hello: &str, classes: Option<usize>) -> Result<(), ProcessTrouble> {
    let mut draw = Draws::named(&["sample of an external learner"]).at(Role::Example, 0);
    let inputs: Vec<f64> = (0..SAMPLE * dim).map(|_| draw.between(-1.0, 1.0)).collect();
    let mut target = || match classes {
        None => draw.sign(),
        Some(classes) => draw.below(classes) as f64,
    };
    let targets: Vec<f64> = (0..SAMPLE).map(|_| target()).collect();
    let rows = Rows::new(dim, &inputs);
    let (mut single, mut blocks) = (Session::start(program, dim, hello)?, Session::start(program, dim, hello)?);
    let mut predictions = vec![0.0; SAMPLE];
    // The target of a round that was played alone comes with what is asked next: a block, or gauges.
    for (from, to) in [(0, 1), (1, 8), (8, 9), (9, SAMPLE)] {
        if to - from > 1 {
            blocks.block(rows.slice(from, to), &targets[from..to], &mut predictions[from..to])?;
            continue;
        }
        predictions[from] = blocks.ask(rows.row(from))?;
        blocks.owed = Some(targets[from]);
        if from > 0 {
            blocks.gauges()?;
        }
    }
    for (round, (x, y)) in rows.iter().zip(&targets).enumerate() {
        let alone = single.ask(x)?;
        single.owed = Some(*y);
        let far = (alone - predictions[round]).abs();
        if far.is_nan() || far > 1e-9 * alone.abs().max(1.0) {
            return Err(ProcessTrouble::Failure(format!(
                "in round {} of a sample it predicts {alone} alone and {} in a block, so it cannot offer blocks",
                round + 1,
                predictions[round]
            )));
        }
    }
    Ok(())
}

impl External {
    /// Does something with its process, which is started first if it has not been.
    fn with<T>(&self, act: impl FnOnce(&mut Session) -> Result<T, ProcessTrouble>) -> Result<T, Breakdown> {
        let mut state = self.state.borrow_mut();
        if let ProcessState::Fresh = *state {
            let hello = format!("{}\n", self.hello);
            let session = Session::start(&self.program, self.dim, &hello).and_then(|session| {
                if session.blocks {
                    blocks_agree(&self.program, self.dim, &hello, self.classes)?;
                }
                Ok(session)
            });
            match session {
                Ok(session) => *state = ProcessState::Playing(Box::new(session)),
                Err(trouble) => return Err(self.over(&mut state, trouble)),
            }
        }
        let outcome = match &mut *state {
            ProcessState::Playing(session) => act(session),
            ProcessState::Over(cause) => return Err(Breakdown::new(cause.clone())),
            ProcessState::Fresh => return Err(Breakdown::new("its process was not started")),
        };
        outcome.map_err(|trouble| self.over(&mut state, trouble))
    }

    /// Ends the process after a trouble.
    fn over(&self, state: &mut ProcessState, trouble: ProcessTrouble) -> Breakdown {
        let cause = format!("{}: {}", self.program.name, trouble.cause());
        let left = if let ProcessState::Playing(session) = state { session.left() } else { ProcessReport::default() };
        let failure = matches!(trouble, ProcessTrouble::Failure(_)).then(|| cause.clone());
        let (learner, isolation) = (self.program.name.clone(), self.program.isolation());
        report(ProcessReport { learner, isolation, failure, ..left });
        *state = ProcessState::Over(cause.clone());
        Breakdown::new(cause)
    }
}

impl Drop for External {
    fn drop(&mut self) {
        let ProcessState::Playing(session) = &mut *self.state.borrow_mut() else { return };
        let usage = session.process.usage();
        let ended = session.end(&self.program);
        session.process.close();
        let (name, isolation) = (&self.program.name, self.program.isolation());
        let mut left = ProcessReport { learner: name.clone(), isolation, ..session.left() }.using(usage);
        match ended {
            Ok(numbers) => left.end.extend(numbers),
            Err(trouble) => left.failure = Some(format!("{name}: at the end of the run, {}", trouble.cause())),
        }
        report(left);
    }
}

impl Hypothesis for External {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        // What went wrong is said when the run goes on.
        self.with(|session| session.ask(x)).unwrap_or(f64::NAN)
    }

    fn gauges(&self) -> Gauges {
        match *self.state.borrow() {
            ProcessState::Playing(_) => {}
            ProcessState::Fresh | ProcessState::Over(_) => return Gauges::default(),
        }
        self.with(Session::gauges).unwrap_or_default()
    }
}

impl OracleLearner for External {
    fn learn(&mut self, oracle: &mut dyn Oracle, _: &mut Draw) -> Result<(), Breakdown> {
        self.with(|session| session.learn(oracle))
    }
}

impl Learner for External {
    fn plays_classes(&mut self, count: usize) -> bool {
        self.hello["classes"] = json!(count);
        self.classes = Some(count);
        true
    }

    /// A process of its own scales as it likes.
    fn scalable(&self) -> Scales {
        Scales::default()
    }

    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        self.with(|session| {
            if session.owed.is_some() || session.at != x {
                session.ask(x)?;
            }
            session.owed = Some(y);
            session.rounds += 1;
            Ok(())
        })
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        // The first round starts the process, which then says whether it plays blocks.
        let whole = block.targets.len() > 1 && self.with(|session| Ok(session.blocks))?;
        if whole {
            self.with(|session| session.block(block.inputs, block.targets, predictions))?;
            return match predictions.iter().position(|prediction| !prediction.is_finite()) {
                None => Ok(()),
                Some(after) => {
                    let cause = format!("the prediction is {}, no finite number", predictions[after]);
                    let mut state = self.state.borrow_mut();
                    Err(Breakdown { after, ..self.over(&mut state, ProcessTrouble::Breakdown(cause)) })
                }
            };
        }
        for (i, (x, &y)) in block.inputs.iter().zip(block.targets).enumerate() {
            let prediction = self.with(|session| {
                let prediction = session.ask(x)?;
                session.owed = Some(y);
                session.rounds += 1;
                Ok(prediction)
            });
            predictions[i] = prediction.map_err(|breakdown| Breakdown { after: i, ..breakdown })?;
        }
        Ok(())
    }
}
