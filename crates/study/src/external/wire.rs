//! The messages between this program and the process of a learner: JSON, one object or number in a line, or, where the
//! process offers it, numbers of 64 bits in little-endian order.

use noregret_core::learner::api::Gauges;
use noregret_numeric::linalg::matrix::Rows;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the protocol.
pub(crate) const VERSION: u32 = 1;

/// The most noisy copies that a message asks for.
pub(crate) const MOST_COPIES: f64 = 10_000.0;

/// The longest line that is read, in bytes.
pub(crate) const LONGEST_LINE: usize = 1 << 20;

/// Why a process cannot go on as a learner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessTrouble {
    /// The learner itself says so, or predicts what is no number. It would do so again: the run ends with that.
    Breakdown(String),
    /// The process was killed, is silent, or breaks the protocol. The run has no result; the next one tries again.
    Failure(String),
}

impl ProcessTrouble {
    /// What happened.
    pub fn cause(&self) -> &str {
        match self {
            ProcessTrouble::Breakdown(cause) | ProcessTrouble::Failure(cause) => cause,
        }
    }

    /// The same of a process that did not answer at all, with what its declaration says to do.
    pub(crate) fn remedied(self, remedy: &str) -> Self {
        match self {
            ProcessTrouble::Failure(why) if !remedy.is_empty() => {
                ProcessTrouble::Failure(format!("{why}; remedy: {remedy}"))
            }
            other => other,
        }
    }
}

/// How messages between the first and the last one are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageEncoding {
    /// A line of JSON.
    #[default]
    Json,
    /// Numbers of 64 bits, little-endian: what is asked ([`Question`]), y, and all of x; the answer is one number.
    F64,
}

/// What a process says first.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Greeting {
    /// Its name.
    pub name: String,
    /// Its version, which must be that of the declaration.
    pub version: String,
    /// The encodings that it knows besides JSON.
    #[serde(default)]
    pub(crate) encodings: Vec<String>,
    /// Whether it answers questions for gauges.
    #[serde(default)]
    pub gauges: bool,
    /// Whether it plays several rounds in one message.
    #[serde(default)]
    pub(crate) block: bool,
    /// Whether it sends a number back.
    #[serde(default)]
    pub(crate) echo: bool,
}

impl Greeting {
    /// Reads the answer to the first message.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(line: &[u8]) -> Result<Self, ProcessTrouble> {
        serde_json::from_slice(line).map_err(|error| {
            let wanted = r#"{"name":"NAME","version":"VERSION"}"#;
            ProcessTrouble::Failure(format!(
                "its first line is `{}`, and should be like {wanted}: {error}",
                shown(line)
            ))
        })
    }
}

/// A message to the process. What is absent is not sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// The target of the last input that was sent.
    pub y: Option<f64>,
    /// The input at which a prediction is wanted.
    pub x: Option<&'a [f64]>,
    /// Whether gauges are wanted.
    pub gauges: bool,
    /// Whether it is the last message.
    pub end: bool,
    /// A number that is wanted back, which shows that answers belong to their questions.
    pub echo: Option<f64>,
    /// Whether it may ask for noisy copies of the round's example.
    pub learn: bool,
    /// The noisy copies that it asked for, of inputs and of the target.
    pub copies: Option<(Rows<'a>, f64)>,
    /// Rounds to be played, inputs and targets, by processes that play several in one message.
    pub block: Option<(Rows<'a>, &'a [f64])>,
}

impl Question<'_> {
    /// The message, for inputs of `dim` numbers, in place of what is in `out`.
    pub fn write(&self, encoding: MessageEncoding, dim: usize, out: &mut Vec<u8>) {
        out.clear();
        match encoding {
            MessageEncoding::Json => self.json(out),
            MessageEncoding::F64 => {
                let parts = [
                    (1, self.y.is_some()),
                    (2, self.x.is_some()),
                    (4, self.gauges),
                    (8, self.end),
                    (16, self.echo.is_some()),
                    (32, self.block.is_some()),
                ];
                let asked: i32 = parts.iter().filter(|(_, is)| *is).map(|(bit, _)| bit).sum();
                let number = |number: f64| number.to_le_bytes();
                out.extend(number(f64::from(asked)));
                out.extend(number(self.y.or(self.echo).unwrap_or(0.0)));
                match (self.x, self.block) {
                    (Some(x), _) => out.extend(x.iter().flat_map(|x| number(*x))),
                    // The first number of the absent x is that of the rounds, which follow.
                    (None, Some((inputs, targets))) => {
                        out.extend(number(targets.len() as f64));
                        out.resize(16 + 8 * dim, 0);
                        for (x, y) in inputs.iter().zip(targets) {
                            out.extend(x.iter().chain([y]).flat_map(|value| number(*value)));
                        }
                    }
                    (None, None) => out.resize(16 + 8 * dim, 0),
                }
            }
        }
    }

    fn json(&self, out: &mut Vec<u8>) {
        /// Adds a field. A vector takes all bytes, and finite numbers have a form.
        fn field(out: &mut Vec<u8>, name: &str, value: &(impl Serialize + ?Sized)) {
            out.push(if out.is_empty() { b'{' } else { b',' });
            out.extend([b"\"", name.as_bytes(), b"\":"].concat());
            let _ = serde_json::to_writer(out, value);
        }
        if let Some(y) = self.y {
            field(out, "y", &y);
        }
        if let Some(x) = self.x {
            field(out, "x", x);
        }
        if let Some(echo) = self.echo {
            field(out, "echo", &echo);
        }
        if let Some((inputs, targets)) = self.block {
            field(out, "block", &inputs.iter().collect::<Vec<_>>());
            field(out, "targets", targets);
        }
        if let Some((inputs, target)) = self.copies {
            field(out, "copies", &inputs.iter().collect::<Vec<_>>());
            field(out, "target", &target);
        }
        for (name, is) in [("learn", self.learn), ("gauges", self.gauges), ("end", self.end)] {
            if is {
                field(out, name, &true);
            }
        }
        out.extend(b"}\n");
    }
}

/// The number in an answer.
///
/// # Errors
/// A breakdown, where the learner says `{"error":"..."}` or the number is not finite; a failure for anything else.
pub fn number(line: &[u8]) -> Result<f64, ProcessTrouble> {
    if let Ok(number) = serde_json::from_slice::<f64>(line) {
        return Ok(number);
    }
    let word = line.trim_ascii();
    if [&b"NaN"[..], b"nan", b"Infinity", b"-Infinity", b"inf", b"-inf", b"null"].contains(&word) {
        return Err(ProcessTrouble::Breakdown(format!("the prediction is {}, no finite number", shown(word))));
    }
    let said = serde_json::from_slice::<Map<String, Value>>(line).ok();
    if let Some(Value::String(error)) = said.as_ref().and_then(|said| said.get("error")) {
        return Err(ProcessTrouble::Breakdown(format!("the learner gives up: {}", shown(error.as_bytes()))));
    }
    Err(ProcessTrouble::Failure(format!(
        "it answered `{}` instead of a number; what it prints for people belongs on standard error",
        shown(line)
    )))
}

/// The numbers in an answer that is a list of so many.
///
/// # Errors
/// As [`number`].
pub fn list(line: &[u8], count: usize) -> Result<Vec<f64>, ProcessTrouble> {
    match serde_json::from_slice::<Vec<f64>>(line) {
        Ok(numbers) if numbers.len() == count => Ok(numbers),
        Ok(numbers) => {
            Err(ProcessTrouble::Failure(format!("it answered {} numbers instead of {count}", numbers.len())))
        }
        Err(_) => Err(match number(line) {
            Err(ProcessTrouble::Breakdown(cause)) => ProcessTrouble::Breakdown(cause),
            _ => ProcessTrouble::Failure(format!("it answered `{}` instead of a list of {count} numbers", shown(line))),
        }),
    }
}

/// The finite numbers of an answer that is an object.
///
/// # Errors
/// The answer is no object.
pub fn numbers(line: &[u8]) -> Result<Vec<(String, f64)>, ProcessTrouble> {
    let said = serde_json::from_slice::<Map<String, Value>>(line).map_err(|_| {
        ProcessTrouble::Failure(format!(
            "it answered `{}` instead of an object like {{\"stored_points\":12}}",
            shown(line)
        ))
    })?;
    Ok(said.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect())
}

/// How many noisy copies an answer asks for: `{"ask":3}`. One that asks for none has learnt.
///
/// # Errors
/// Another answer, or more copies than [`MOST_COPIES`].
pub fn asked(line: &[u8]) -> Result<usize, ProcessTrouble> {
    let said = numbers(line)?;
    match said.iter().find(|(name, _)| name == "ask").map(|(_, count)| *count) {
        None => Ok(0),
        Some(count) if count.fract() == 0.0 && (0.0..=MOST_COPIES).contains(&count) => Ok(count as usize),
        Some(count) => {
            Err(ProcessTrouble::Failure(format!("it asked for {count} copies, and may ask for 0 to {MOST_COPIES}")))
        }
    }
}

/// The gauges among these numbers.
pub fn gauges(numbers: &[(String, f64)]) -> Gauges {
    let get = |name: &str| numbers.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    let count = |name: &str| get(name).filter(|count| *count >= 0.0).map(|count| count as u64);
    Gauges {
        stored_points: count("stored_points"),
        features: count("features"),
        kernel_evaluations: count("kernel_evaluations"),
        norm: get("norm"),
        state_bytes: count("state_bytes"),
        ..Gauges::default()
    }
}

/// The beginning of what a process wrote, as it can be shown.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 80;
    let cut = bytes.len() > MOST;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)]);
    format!("{}{}", text.trim_end().escape_debug(), if cut { "..." } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(question: Question<'_>) -> String {
        let mut out = vec![1];
        question.write(MessageEncoding::Json, 2, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn questions_are_written_in_both_encodings() {
        let question = Question { y: Some(0.2), x: Some(&[0.5, -1e-300]), ..Question::default() };
        assert_eq!(json(question), "{\"y\":0.2,\"x\":[0.5,-1e-300]}\n");
        assert_eq!(json(Question { y: None, ..question }), "{\"x\":[0.5,-1e-300]}\n");
        assert_eq!(json(Question { y: Some(0.4), end: true, ..Question::default() }), "{\"y\":0.4,\"end\":true}\n");
        assert_eq!(json(Question { echo: Some(-7.0), ..Question::default() }), "{\"echo\":-7.0}\n");
        let mut out = Vec::new();
        question.write(MessageEncoding::F64, 2, &mut out);
        let numbers: Vec<f64> = out.chunks(8).map(|eight| f64::from_le_bytes(eight.try_into().unwrap())).collect();
        assert_eq!(numbers, [3.0, 0.2, 0.5, -1e-300]);
        let inputs = [0.5, 1.0, 0.25, 0.0];
        let block = Question { block: Some((Rows::new(2, &inputs), &[3.0, 4.0])), ..Question::default() };
        assert_eq!(json(block), "{\"block\":[[0.5,1.0],[0.25,0.0]],\"targets\":[3.0,4.0]}\n");
        block.write(MessageEncoding::F64, 2, &mut out);
        let numbers: Vec<f64> = out.chunks(8).map(|eight| f64::from_le_bytes(eight.try_into().unwrap())).collect();
        assert_eq!(numbers, [32.0, 0.0, 2.0, 0.0, 0.5, 1.0, 3.0, 0.25, 0.0, 4.0]);
        Question { end: true, ..Question::default() }.write(MessageEncoding::F64, 2, &mut out);
        assert_eq!((out.len(), &out[..8]), (32, &8.0_f64.to_le_bytes()[..]));
    }

    #[test]
    fn answers_are_numbers_breakdowns_or_failures() {
        assert_eq!(number(b"0.31\n"), Ok(0.31));
        assert_eq!(number(b" -2 "), Ok(-2.0));
        for line in ["NaN", "-Infinity\n", "null", r#"{"error":"the matrix is singular"}"#] {
            assert!(matches!(number(line.as_bytes()), Err(ProcessTrouble::Breakdown(_))), "{line}");
        }
        for line in ["", "0.3 0.4", "[0.3]", "hello", "{}", "1e999", "\u{7f}"] {
            assert!(matches!(number(line.as_bytes()), Err(ProcessTrouble::Failure(_))), "{line}");
        }
        let found = numbers(br#"{"stored_points":12,"note":"x","features":-1}"#).unwrap();
        assert_eq!(gauges(&found).stored_points, Some(12));
        assert_eq!(gauges(&found).features, None);
        assert!(numbers(b"12").is_err());
        assert_eq!((asked(br#"{"ask":3}"#), asked(b"{}")), (Ok(3), Ok(0)));
        assert!(asked(br#"{"ask":-1}"#).is_err() && asked(br#"{"ask":1e9}"#).is_err() && asked(b"3").is_err());
        assert_eq!(list(b"[1, 0.5]", 2), Ok(vec![1.0, 0.5]));
        assert!(matches!(list(b"[1, NaN]", 2), Err(ProcessTrouble::Failure(_))));
        assert!(matches!(list(b"[1]", 2), Err(ProcessTrouble::Failure(_))));
        assert!(matches!(list(br#"{"error":"no"}"#, 2), Err(ProcessTrouble::Breakdown(_))));
        assert!(Greeting::read(br#"{"name":"a"}"#).unwrap_err().cause().contains("version"));
        let greeting = Greeting::read(br#"{"name":"a","version":"1","encodings":["json","f64","other"]}"#).unwrap();
        assert!(!greeting.gauges && greeting.encodings.contains(&"f64".to_owned()));
    }
}
