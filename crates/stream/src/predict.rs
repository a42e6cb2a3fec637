//! `noregret predict`: the predictions of a saved learner.

use std::path::PathBuf;

use clap::Args;

use crate::args::StreamArgs;
use crate::checkpoint::Loaded;
use crate::classes::{Words, tally};
use crate::columns::{of_class_predictions, of_predictions, with_further};
use crate::distribution::StdNoise;
use crate::error::StreamError;
use crate::feed::RowFeed;
use crate::file_args::{DecimalChoice, FileArgs, delimiter};
use crate::further::{self, FurtherLearner};
use crate::input::{InputFile, SavedInput};
use crate::learner::{ChosenLearner, Learnt};
use crate::line::OutputLine;
use crate::output::{Sink, Wanted, WriteStatus};
use crate::played::told;
use crate::rescaled::TargetSpread;
use crate::session::SAW_ALL;
use noregret_core::protocol::run::Stop;
use noregret_data::encode::choices::MissingValues;
use noregret_data::format::FileFormat;
use noregret_data::table::block;
use noregret_model::header::Header;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Rows;
use noregret_platform::signals::Hold;

/// Predict rows with a learner that `noregret stream --save` saved; it learns nothing from them
#[derive(Args, Clone, Debug)]
pub struct PredictArgs {
    /// The saved learner
    #[arg(long, value_name = "MODEL")]
    pub load: PathBuf,
    /// CSV with a header, JSON lines, Parquet, Arrow IPC, ARFF or LIBSVM text, as in `noregret stream`, with the inputs that the learner has
    /// seen; a target is not needed and not looked at
    #[arg(long, value_name = "FILE")]
    pub input: String,
    /// The decimal sign [default: that of the file that it learnt from]
    #[arg(long, value_enum, value_name = "SIGN")]
    pub decimal: Option<DecimalChoice>,
    /// The character between fields, or `tab`, `space` [default: that of the file that it learnt from, else the most
    /// frequent of comma, semicolon and tab in the first line]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// The CSV file has no header line; its columns are called c1, c2, ...
    #[arg(long)]
    pub no_header: bool,
    /// The format, if it cannot be told from the file: csv, jsonl, libsvm, parquet, arrow or arff
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FileFormat>,
    /// Write what is known of the target of each row, as columns `mean` and `std`; as in `noregret stream`
    #[arg(long, value_name = "S", num_args = 0..=1, require_equals = true, default_missing_value = "learnt")]
    pub std: Option<StdNoise>,
    /// Where to write the predictions, one line per row: Parquet if the name ends in .parquet, otherwise CSV [default:
    /// standard output]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Predicts every row; `interrupted` is asked between blocks of rows. One line says what was done.
///
/// # Errors
/// As [`StreamError`] says, with its exit status.
pub fn run(args: &PredictArgs, interrupted: &dyn Fn() -> bool, say: &mut dyn FnMut(&str)) -> Result<(), StreamError> {
    predict(args, interrupted, say).map_err(advised)
}

/// The options of the file that `predict` has.
const HERE: [&str; 4] = ["--decimal", "--delimiter", "--no-header", "--format"];

/// An error, where advice of the reader names options of `noregret stream`.
fn advised(error: StreamError) -> StreamError {
    match error {
        StreamError::Data { message, usage } => StreamError::Data { message: explained(message), usage },
        StreamError::Unreadable { error, kept } => StreamError::Unreadable { error: Box::new(advised(*error)), kept },
        error => error,
    }
}

fn explained(message: String) -> String {
    let mut words = message.split(|c: char| !c.is_ascii_lowercase() && c != '-').filter(|word| word.starts_with("--"));
    match words.find(|word| !HERE.contains(word)) {
        Some(word) => format!(
            "{message}; a model keeps what it was told of the columns, so {word} is an option of the `noregret stream` that \
             learns one anew"
        ),
        None => message,
    }
}

/// The options of the stream that learnt, with those of `predict`.
fn options(args: &PredictArgs, loaded: &Loaded) -> Result<StreamArgs, StreamError> {
    let file = FileArgs {
        decimal: args.decimal,
        delimiter: args.delimiter,
        no_header: args.no_header,
        format: args.format,
        ..FileArgs::default()
    };
    let given = StreamArgs { input: args.input.clone(), output: args.output.clone(), file, ..StreamArgs::default() };
    loaded.options(&given)
}

fn predict(args: &PredictArgs, interrupted: &dyn Fn() -> bool, say: &mut dyn FnMut(&str)) -> Result<(), StreamError> {
    let loaded = Loaded::read(&args.load)?;
    let stream = options(args, &loaded)?;
    if !stream.ahead.is_empty() {
        let why = "was saved with --ahead: its forecasts follow from the rows that it learnt, not from those given here; go on with \
                   `noregret stream --load`, which writes them behind the last row";
        return Err(StreamError::Usage(format!("{} {why}", args.load.display())));
    }
    let header = loaded.header().clone();
    let chosen = ChosenLearner::from_args(&stream)?;
    let channel = chosen.channel(&stream)?;
    let known = SavedInput { forecasts: chosen.takes_absent(&stream), ..loaded.without_target() };
    let input = InputFile::open(&stream, false, known, interrupted)?;
    loaded.of_commas(input.format()).filter(|_| args.decimal.is_none()).iter().for_each(|note| say(note));
    if input.columns.inputs.is_empty() {
        let why = "has no inputs but earlier targets; go on with `noregret stream --load`, which predicts a row whose target is NA";
        return Err(StreamError::Usage(format!("{} {why}", args.load.display())));
    }
    let chosen = chosen.with_derived(stream.derived(&input.columns.inputs)?);
    let quantities = input.quantities();
    let names = (&*quantities, &*header.columns.target);
    let mut further = further::all(&stream, &chosen, names, header.horizon, None)?;
    let classes = input.classes().map(<[String]>::to_vec);
    let known = classes.as_ref().map(Vec::len);
    let seat = chosen.seat(&stream, &input.quantities(), header.horizon, channel, known)?;
    let scale = stream.target_scale().rescale(&TargetSpread::default());
    let intervals = seat.hypothesis().interval(0.0).is_some();
    chosen.knows(args.std, seat.hypothesis())?;
    let words = classes.as_ref().map(|classes| {
        let mut words = Words::default();
        words.extend_to(classes);
        words
    });
    let mut learnt = Learnt::new(seat, tally(known), scale);
    let live = input.live;
    let mut feed = input.feed(&Draws::named(&[]))?;
    loaded.fill(&chosen, &mut learnt, (&mut further, None), &mut feed)?;
    learnt.seat.still_knows(args.std)?;
    let sink = Sink::create(&Wanted {
        output: args.output.as_deref(),
        input: &args.input,
        models: &[("load", Some(&args.load))],
        columns: match &classes {
            Some(classes) => of_class_predictions(classes, feed.seen.is_some()),
            None => {
                let own = of_predictions(intervals, args.std.is_some(), feed.seen.is_some());
                with_further(&own, &stream.further_targets)
            }
        },
        config: &chosen.config(&stream).to_string(),
        kept: false,
        every: None,
        resumed: None,
        again: false,
        live,
    })?;
    // Rows that are left out have their numbers, too.
    let drops = feed.plan().is_some_and(|plan| plan.missing == MissingValues::Drop);
    let most = if live || drops { 1 } else { block(feed.dim) };
    let draws = chosen.draws(&stream);
    let mut rows = Predictions { header, learnt, further, words, draws, std: args.std, row: 0 };
    if rows.write_all(&mut feed, sink, most, interrupted)? == WriteStatus::All {
        let whole = if stream.sees_whole_file() { SAW_ALL } else { "" };
        let Predictions { header, row, .. } = rows;
        let gaps = match feed.left_out() {
            0 => String::new(),
            rows => format!(", left out because a value is missing: {rows}"),
        };
        let rows = if row == 1 { "row" } else { "rows" };
        say(&format!("{row} {rows} predicted by {} after {} rounds{gaps}{whole}", header.learner, header.rounds));
    }
    Ok(())
}

/// Rows that are predicted.
struct Predictions {
    header: Header,
    learnt: Learnt,
    further: Vec<FurtherLearner>,
    /// The words of classes, where targets are classes.
    words: Option<Words>,
    draws: Draws,
    std: Option<StdNoise>,
    /// The number of the last row.
    row: u64,
}

impl Predictions {
    /// Predicts `most` rows at once, until there are no more; whether the reader of the output stayed.
    fn write_all(
        &mut self,
        feed: &mut RowFeed,
        mut sink: Sink,
        most: usize,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<WriteStatus, StreamError> {
        let (mut inputs, mut targets) = (Vec::new(), Vec::new());
        loop {
            if interrupted() {
                return Err(StreamError::Interrupted { rounds: self.row });
            }
            inputs.clear();
            targets.clear();
            match feed.next_block(most, &mut inputs, &mut targets) {
                Ok(0) => return sink.finish(self.row),
                Ok(_) => {}
                Err(_) if interrupted() => continue,
                Err(error) if self.row == 0 => return Err(error),
                Err(error) => {
                    sink.finish(self.row)?;
                    let kept = match self.row {
                        1 => "the row before is predicted".into(),
                        rows => format!("{rows} rows before are predicted"),
                    };
                    return Err(StreamError::Unreadable { error: Box::new(error), kept });
                }
            }
            let hold = Hold::take();
            let mut lines = self.lines(Rows::new(feed.dim, &inputs), feed.left_out())?;
            drop(hold);
            lines.iter_mut().zip(&feed.unseen).for_each(|(line, count)| line.unseen = Some(*count));
            if sink.write(&lines)? == WriteStatus::ReaderLeft {
                return Ok(WriteStatus::ReaderLeft);
            }
        }
    }

    /// The predictions of rows; `left_out` rows before them have none.
    fn lines(&mut self, rows: Rows<'_>, left_out: u64) -> Result<Vec<OutputLine>, StreamError> {
        // Row i is predicted as it would be in round i after the last one, if nothing were learnt in between.
        let first = self.header.rounds + self.row + 1;
        let predicted = |learnt: &Learnt| {
            let mut predictions = vec![f64::NAN; rows.rows()];
            let draw = |i: usize| self.draws.at(Role::Predict, first + i as u64);
            learnt.seat.hypothesis().predict_rows(rows, &draw, &mut predictions);
            predictions
        };
        let predictions = predicted(&self.learnt);
        let others: Vec<Vec<f64>> = self.further.iter().map(|one| predicted(&one.state)).collect();
        let mut lines = Vec::with_capacity(rows.rows());
        for (i, prediction) in predictions.into_iter().enumerate() {
            let mut draw = self.draws.at(Role::Predict, first + i as u64);
            let of_classes = |_| self.learnt.seat.hypothesis().probabilities_at(rows.row(i), &mut draw);
            let probabilities = self.words.as_ref().and_then(of_classes);
            self.row += 1;
            let (row, number) = (self.row, self.row + left_out);
            let line = |learnt: &Learnt, prediction: f64| {
                let foretold = told(&learnt.seat, prediction, (rows.row(i), None), &learnt.scale, self.std);
                foretold.line(number, 0.0).map_err(|Stop { cause }| {
                    let written = format!("{} rows before were predicted", row - 1);
                    StreamError::Diverged { learner: self.header.learner.clone(), round: row, cause, written }
                })
            };
            let mut whole = line(&self.learnt, prediction)?;
            let further = self.further.iter().zip(&others).map(|(one, others)| line(&one.state, others[i]));
            whole.further = further.collect::<Result<_, _>>()?;
            if let Some(words) = &self.words {
                words.tell(&mut whole, None, probabilities);
            }
            lines.push(whole);
        }
        Ok(lines)
    }
}
