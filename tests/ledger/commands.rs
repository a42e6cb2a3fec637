//! Memory that commands of the program take.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use noregret_study::config::declared::Declared;
use noregret_study::config::project::Project;

use crate::{Numbers, ROOT, counting};

/// The variable that makes this binary the program: it names the file for the numbers.
pub const CHILD: &str = "NOREGRET_LEDGER_NUMBERS";
/// The variable that makes it build the learners of this profile's cells afterwards.
const DEAR: &str = "NOREGRET_LEDGER_DEAR";

/// Runs the program with the arguments of this process, and writes what it took.
pub fn child(file: &Path) -> ExitCode {
    let status = noregret::cli::main();
    if let Some(profile) = std::env::var_os(DEAR) {
        build_all(&profile.to_string_lossy());
    }
    let [bytes, peak] = counting::of_all();
    match fs::write(file, format!("{bytes} {peak} {}", resident())) {
        Ok(()) => ExitCode::from(status),
        Err(error) => {
            eprintln!("ledger: {}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}

/// The most memory that this process had, in KiB; 0 where the system does not say it.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}

/// Builds one learner of each curve, as a plan did once that checked parameters by building.
fn build_all(profile: &str) {
    let project = Project::find(Path::new(".")).expect("the child runs in a project");
    let declared = Declared::load(&project, profile, &[], &[]).expect("the plan has read it");
    for experiment in declared.experiments.values() {
        for cell in experiment.cells.iter().filter(|cell| cell.replicate == 0) {
            drop(cell.learner(&experiment.design));
        }
    }
}

/// What a command took, under its name.
fn taken(name: &str, folder: &Path, words: &[&str], dear: Option<&str>) -> Result<(Numbers, Output), String> {
    let failed = |error: std::io::Error| format!("{name}: {error}");
    let file = tempfile::NamedTempFile::new().map_err(failed)?;
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    command.args(words).current_dir(folder).env(CHILD, file.path()).env_remove("RAYON_NUM_THREADS");
    command.envs(dear.map(|profile| (DEAR, profile)));
    let output = command.output().map_err(failed)?;
    let text = fs::read_to_string(file.path()).map_err(failed)?;
    let numbers: Vec<f64> = text.split(' ').filter_map(|number| number.parse().ok()).collect();
    let [bytes, peak, resident] = numbers[..] else {
        return Err(format!("{name} ended without numbers: {}", String::from_utf8_lossy(&output.stderr)));
    };
    if !output.status.success() {
        return Err(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let mut numbers = Numbers::new();
    numbers.insert(format!("{name}: asked for, KiB"), (bytes / 1024.0).round());
    numbers.insert(format!("{name}: peak in use, KiB"), (peak / 1024.0).round());
    if resident > 0.0 {
        numbers.insert(format!("{name}: peak resident, KiB"), resident);
    }
    Ok((numbers, output))
}

/// The names of the plans, with their profiles.
const PLANS: [(&str, &str); 2] = [("run -n of quick", "quick"), ("run -n of paper", "paper")];

/// Whether a plan has next to nothing to make: what is unavailable is in it, too.
fn is_fresh(plan: &str) -> bool {
    let outlook = plan.lines().find(|line| line.contains(" fresh")).unwrap_or_default();
    let before = |word: &str| -> Option<f64> { outlook.split_once(word)?.0.rsplit(' ').next()?.parse().ok() };
    before(" fresh").is_some_and(|fresh| before(" to make").unwrap_or(0.0) < fresh / 20.0)
}

/// Every command. What is planned is a copy of the pipeline without results, so that the numbers are those of any
/// checkout; `run` has nothing to do only where the repository has the results of profile quick.
pub fn measure(folder: &Path) -> Result<Numbers, String> {
    // Declared learners name files in `peers`.
    for part in ["pipeline", "peers"] {
        copy(&Path::new(ROOT).join(part), &folder.join(part)).map_err(|error| format!("{part}: {error}"))?;
    }
    let rows = folder.join("rows.csv");
    fs::write(&rows, table(100_000, 10)).map_err(|error| error.to_string())?;
    fs::write(folder.join("few.csv"), table(500, 4)).map_err(|error| error.to_string())?;
    let mut numbers = taken("list", folder, &["list"], None)?.0;
    for (name, profile) in PLANS {
        numbers.extend(taken(name, folder, &["run", "-n", "--offline", "--profile", profile], None)?.0);
    }
    let stream = ["stream", "--learner", "pkawv-taylor", "--input", "rows.csv", "--target", "y", "--output", "out.csv"];
    numbers.extend(taken("stream of 100,000 rows", folder, &stream, None)?.0);
    // A budget that no machine needs: what is played depends on no clock.
    let compare =
        ["compare", "few.csv", "--target", "y", "--budget", "1h", "--learners", "pkawv-taylor,fogd", "-j", "1"];
    numbers.extend(taken("compare of 500 rows", folder, &compare, None)?.0);
    let words = ["run", "--offline", "--profile", "quick"];
    let plan = taken("plan", Path::new(ROOT), &[&words[..], &["-n"]].concat(), None)?.1;
    if is_fresh(&String::from_utf8_lossy(&plan.stderr)) {
        numbers.extend(taken("run with nothing to do", Path::new(ROOT), &words, None)?.0);
    }
    Ok(numbers)
}

/// What the plan of profile quick asks for if it builds the learners of its cells.
pub fn dear_plan(folder: &Path) -> Result<Numbers, String> {
    let (name, profile) = PLANS[0];
    let words = ["run", "-n", "--offline", "--profile", profile];
    let mut numbers = taken(name, folder, &words, Some(profile))?.0;
    numbers.retain(|name, _| name.ends_with("asked for, KiB"));
    Ok(numbers)
}

/// Rows of inputs in [0, 1) and a smooth target, as CSV.
fn table(rows: usize, columns: usize) -> String {
    let mut text: String = (1..=columns).map(|column| format!("x{column},")).collect();
    text += "y\n";
    for row in 0..rows {
        let mut sum = 0.0;
        for column in 1..=columns {
            let x = (row * (2 * column + 1) * 7919 % 10_007) as f64 / 10_007.0;
            sum += x;
            let _ = write!(text, "{x},");
        }
        let _ = writeln!(text, "{}", f64::sin(3.0 * sum / columns as f64));
    }
    text
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name()))?,
            false => drop(fs::copy(entry.path(), to.join(entry.file_name()))?),
        }
    }
    Ok(())
}
