//! `make ledger`: what the program costs, in numbers that do not depend on the machine's load, held against those of
//! [`book::FILE`]. A number that is worse by more than its tolerance fails with both values; it is mended, or written with
//! `make ledger REASON="why"`.
//!
//! The program runs inside of this binary, whose allocator counts: this binary calls itself with the arguments of the
//! program and the name of a file for the numbers.

mod book;
mod commands;
#[path = "../allocations/counting.rs"]
mod counting;
#[path = "../allocations/players.rs"]
mod players;
mod tree;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use book::Book;
use noregret_core::learner::LEARNERS;
use noregret_numeric::linalg::dense::spare;

/// Numbers by name.
type Numbers = BTreeMap<String, f64>;

/// The repository.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn main() -> ExitCode {
    // Else the buffers of products are as large as the caches of the machine.
    spare();
    if let Some(file) = std::env::var_os(commands::CHILD) {
        return commands::child(Path::new(&file));
    }
    let reason = std::env::args().skip(1).find_map(|word| word.strip_prefix("reason=").map(str::to_owned));
    match ledger(reason.filter(|reason| !reason.is_empty()).as_deref()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("ledger: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures everything; returns whether nothing is worse than the book says.
fn ledger(reason: Option<&str>) -> Result<bool, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut numbers = commands::measure(folder.path())?;
    numbers.extend(learners());
    numbers.extend(tree::measure(folder.path())?);
    let mut book = Book::read()?;
    control(&book, &numbers, folder.path())?;
    let worse = book.compare(&numbers);
    for line in tree::reported(folder.path()) {
        println!("not judged: {line}");
    }
    let news = numbers.keys().any(|name| !book.knows(name));
    match (reason, worse || news) {
        (Some(reason), _) => {
            book.write(&numbers, reason)?;
            println!("ledger: {} written", book::FILE);
            Ok(true)
        }
        (None, false) => {
            println!("ledger: {} numbers, none worse", numbers.len());
            Ok(true)
        }
        (None, true) => {
            eprintln!("ledger: mend what is worse or new above, or write it with a reason: make ledger REASON=\"why\"");
            Ok(false)
        }
    }
}

/// The negative control: a plan that builds the learners of its cells, as plans once did, must be found to be worse.
fn control(book: &Book, numbers: &Numbers, folder: &Path) -> Result<(), String> {
    let dear = commands::dear_plan(folder)?;
    let caught = dear.keys().filter(|name| book.is_worse(name, dear[*name], numbers[*name])).count();
    match caught == dear.len() {
        true => Ok(()),
        false => Err(format!("the control failed: a plan that builds learners was not found to be worse ({dear:?})")),
    }
}

/// Requests for memory, and their bytes, per thousand rounds of each learner; see [`players`].
fn learners() -> Numbers {
    let mut numbers = Numbers::new();
    for entry in LEARNERS.iter() {
        let ([requests, bytes], _) = players::requests_of(entry, 64);
        let per = |number: u64| (number as f64 * 1000.0 / players::ROUNDS as f64).round();
        numbers.insert(format!("learner {}: requests per 1,000 rounds", entry.name), per(requests));
        numbers.insert(format!("learner {}: bytes per 1,000 rounds", entry.name), per(bytes));
    }
    numbers
}
