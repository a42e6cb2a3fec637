//! What a round with a learner in another process costs, for nine inputs, as a ratio to the floor: a line of the same
//! length that `cat` sends back. `cargo bench --bench external`. The aim is at most 33 us in JSON and 14 us in numbers of
//! 64 bits with a Python process, which measured 16 to 22 us and 4 to 9 us by themselves, and 100,000 rounds in 3 s.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use noregret_study::external::process::Process;
use noregret_study::external::readable::Readable;
use noregret_study::external::wire::{MessageEncoding, ProcessTrouble, Question, number};

const ROUNDS: u32 = 20_000;

/// Learners that answer 0.5, as little as one can do.
const JSON: &str = r#"
import json, sys
sys.stdin.readline()
print('{"name":"half","version":"1"}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "x" in message:
        sys.stdout.write("0.5\n")
        sys.stdout.flush()
"#;
const NUMBERS: &str = r#"
import struct, sys
sys.stdin.buffer.readline()
print('{"name":"half","version":"1"}', flush=True)
message, answer = struct.Struct("<11d"), struct.pack("<d", 0.5)
while len(line := sys.stdin.buffer.read(88)) == 88:
    if int(message.unpack(line)[0]) & 2:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
"#;

/// Microseconds for a round of a command: in JSON or numbers, or, for `cat`, of a line that comes back.
fn round(command: &[&str], encoding: Option<MessageEncoding>) -> Result<f64, ProcessTrouble> {
    let words: Vec<OsString> = command.iter().map(Into::into).collect();
    let mut process = Process::start(&words, Some(&Readable::system(&[])))?;
    process.allow(Duration::from_secs(10));
    process.ask(b"{\"noregret\":1}\n")?;
    process.line()?;
    let x: Vec<f64> = (1..=9).map(|i| f64::from(i) / 7.0).collect();
    let question = Question { y: Some(0.3), x: Some(&x), ..Question::default() };
    let mut message = Vec::new();
    let began = Instant::now();
    for _ in 0..ROUNDS {
        question.write(encoding.unwrap_or_default(), x.len(), &mut message);
        process.ask(&message)?;
        match encoding {
            None => drop(process.line()?),
            Some(MessageEncoding::Json) => drop(number(&process.line()?)?),
            Some(MessageEncoding::F64) => process.numbers(&mut [0.0])?,
        }
    }
    Ok(1e6 * began.elapsed().as_secs_f64() / f64::from(ROUNDS))
}

fn main() {
    // In turns, so that what slows the machine down for a while slows all of them.
    let cases: [(&str, &[&str], Option<MessageEncoding>); 3] = [
        ("cat", &["cat"], None),
        ("Python, JSON", &["python3", "-c", JSON], Some(MessageEncoding::Json)),
        ("Python, 64 bits", &["python3", "-c", NUMBERS], Some(MessageEncoding::F64)),
    ];
    let mut least = [f64::INFINITY; 3];
    for _ in 0..5 {
        for ((name, command, encoding), least) in cases.iter().zip(&mut least) {
            match round(command, *encoding) {
                Ok(spent) => *least = least.min(spent),
                Err(trouble) => println!("{name}: {}", trouble.cause()),
            }
        }
    }
    println!("learner: microseconds for a round of nine inputs, ratio to the echo of a pipe");
    for ((name, ..), spent) in cases.iter().zip(least) {
        println!("{name}: {spent:.1} us, {:.2}", spent / least[0]);
    }
}
