//! A campaign against the program from outside: kills, flipped bytes, full disks, commands side by side, edits and losses
//! during runs, a server that misbehaves. After each try, whatever was done, a plain `noregret run` must give the results
//! of an undisturbed run, bit for bit; [`attempt`] lists everything that is required.
//!
//! `make soak SOAK=10m` draws a seed and prints it, `make soak SEED=N` draws the same tries again, and `make soak
//! TRY=KIND:N` makes one of them. A seed says what is done and after how many milliseconds; the rest is up to the machine,
//! so a try that depends on the moment may have to be made several times.

mod attempt;
mod damage;
mod host;
mod kinds;
mod project;
mod running;
#[expect(dead_code, reason = "the tests of downloads use all of it")]
#[path = "../../tests/suite/data/fetch/server.rs"]
mod server;
#[expect(dead_code, reason = "the tests of the core use all of it")]
#[path = "../../crates/core/tests/suite/splitmix.rs"]
mod splitmix;

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use attempt::Try;
use host::Host;
use kinds::{KINDS, Kind, Outcome};
use project::References;
use splitmix::SplitMix64;

/// What came of the tries of a kind.
#[derive(Default)]
struct Tally {
    tries: u32,
    failures: u32,
    seconds: f64,
    /// Why it could not be tried.
    skipped: Option<String>,
}

/// What the command line asks for.
struct Asked {
    /// No try begins later.
    time: Duration,
    seed: u64,
    /// One try, instead of as many as there is time for.
    only: Option<(&'static Kind, u64)>,
}

fn main() -> ExitCode {
    let asked = match asked(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(wrong) => {
            eprintln!("soak: {wrong}; usage: soak [time=10m] [seed=N] [try=KIND:N]");
            return ExitCode::from(2);
        }
    };
    let bench = tempfile::Builder::new().prefix("noregret-soak-").tempdir().unwrap();
    let host = Host::start();
    let references = References::new(bench.path(), &host);
    let mut tallies: Vec<Tally> = KINDS.iter().map(|_| Tally::default()).collect();
    match asked.only {
        Some((kind, seed)) => {
            running::TELL.store(true, std::sync::atomic::Ordering::Relaxed);
            one(kind, seed, bench.path(), &references, &mut tallies[index(kind)]);
        }
        None => {
            println!("seed {}: {} s of {} kinds of trouble", asked.seed, asked.time.as_secs(), KINDS.len());
            let (begun, mut seeds) = (Instant::now(), SplitMix64(asked.seed));
            // Every kind is tried once, however little time there is.
            'all: for round in 0.. {
                for at in seeds.permutation(KINDS.len()) {
                    if round > 0 && begun.elapsed() >= asked.time {
                        break 'all;
                    }
                    one(KINDS[at], seeds.next(), bench.path(), &references, &mut tallies[at]);
                }
            }
        }
    }
    println!("\n| kind | what is done | tries | failures | seconds |\n| --- | --- | --- | --- | --- |");
    let (mut tries, mut failures) = (0, 0);
    for (kind, tally) in KINDS.iter().zip(&tallies) {
        println!("| {} | {} | {} | {} | {:.0} |", kind.name, kind.about, tally.tries, tally.failures, tally.seconds);
        (tries, failures) = (tries + tally.tries, failures + tally.failures);
    }
    println!("| all | | {tries} | {failures} | |");
    for (kind, tally) in KINDS.iter().zip(&tallies) {
        if let Some(why) = &tally.skipped {
            println!("skipped: {}: {why}", kind.name);
        }
    }
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Makes one try and counts it. The folder of a try that fails is kept.
fn one(kind: &Kind, seed: u64, bench: &Path, references: &References, tally: &mut Tally) {
    let begun = Instant::now();
    let folder = bench.join(format!("{}-{seed}", kind.name));
    let tried = catch_unwind(AssertUnwindSafe(|| {
        let mut this = Try::new(&folder, seed, references);
        let outcome = (kind.attempt)(&mut this);
        if matches!(outcome, Outcome::Made) {
            this.settle();
        }
        outcome
    }));
    tally.seconds += begun.elapsed().as_secs_f64();
    match tried {
        Ok(Outcome::Made | Outcome::Settled) => tally.tries += 1,
        Ok(Outcome::Skipped(why)) => tally.skipped = Some(why),
        Err(_) => {
            tally.tries += 1;
            tally.failures += 1;
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("soak-{}-{seed}", kind.name));
            // What went wrong was printed by the panic; keeping what it left behind is a service.
            let _ = std::fs::create_dir_all(&kept);
            let _ = std::process::Command::new("cp").arg("-a").arg(folder.join(".")).arg(&kept).status();
            println!("FAILED: {}; again with make soak TRY={}:{seed}; see {}", kind.about, kind.name, kept.display());
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

fn index(kind: &Kind) -> usize {
    KINDS.iter().position(|other| other.name == kind.name).unwrap()
}

/// Reads the command line. Words without a value (`seed=`) count as left out.
fn asked(words: impl Iterator<Item = String>) -> Result<Asked, String> {
    let seed = RandomState::new().build_hasher().finish();
    let mut asked = Asked { time: Duration::from_secs(60), seed, only: None };
    for word in words {
        let (key, value) = word.split_once('=').ok_or(format!("`{word}` is not KEY=VALUE"))?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` in `{word}` is not a number"));
        match (key, value) {
            (_, "") => {}
            ("time", value) => {
                let unit = value.trim_start_matches(|c: char| c.is_ascii_digit());
                let seconds = match unit {
                    "s" | "" => 1,
                    "m" => 60,
                    "h" => 3600,
                    _ => return Err(format!("`{value}`: write 30s, 10m or 1h")),
                };
                asked.time = Duration::from_secs(number(value.trim_end_matches(unit))?.saturating_mul(seconds));
            }
            ("seed", value) => asked.seed = number(value)?,
            ("try", value) => {
                let (name, seed) = value.split_once(':').ok_or(format!("`{value}` is not KIND:SEED"))?;
                let kind = KINDS.iter().find(|kind| kind.name == name);
                let names = || KINDS.map(|kind| kind.name).join(", ");
                asked.only = Some((kind.ok_or_else(|| format!("`{name}` is none of {}", names()))?, number(seed)?));
            }
            _ => return Err(format!("`{key}` is unknown")),
        }
    }
    Ok(asked)
}
