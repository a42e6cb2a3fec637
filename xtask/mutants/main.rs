//! Shows that code identity misses nothing: changes one token of the program at a time and requires of every result that
//! comes out with other bytes that its key is new.
//!
//! `make mutants SEED=1 N=60`, after which `make mutants AT=FILE:LINE:TOKEN` tries one place again. Everything happens in
//! `target/mutants`: a copy of the tree, its build, and the small project in `pipeline`, which is run from scratch for each
//! mutant.

mod places;
mod project;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use places::{Mutant, Places};
use project::{Ended, Project};

/// What came of a mutant.
enum Outcome {
    NotCompiled,
    NoDifference,
    /// Keys that are new, and how many of them needlessly.
    KeysChanged {
        new: usize,
        needless: usize,
    },
    /// Results with other bytes under their old keys.
    Survived(Vec<String>),
    /// Items that cannot be made any more, under their old keys: nobody is told that what is stored is out of date.
    Failed(Vec<String>),
}

/// How many results with other bytes under old keys are named.
const NAMED: usize = 8;

/// The folders of a run.
struct Bench {
    root: PathBuf,
    work: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seed, count, at @ ..] = &arguments[..] else {
        return Err("usage: mutants SEED N [FILE:LINE:TOKEN]...".into());
    };
    let (seed, count) = (seed.parse::<u64>()?, count.parse::<u64>()?);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let bench = Bench { work: root.join("target/mutants"), root };
    let files = bench.copy()?;
    let sources: BTreeMap<String, String> = files
        .iter()
        .filter(|file| is_mutated(file))
        .map(|file| Ok((file.clone(), fs::read_to_string(bench.root.join(file))?)))
        .collect::<Result<_, std::io::Error>>()?;
    let places = Places::new(&sources)?;
    let mutants: Vec<Result<Mutant, String>> = if at.is_empty() {
        println!("seed {seed}: {count} mutants of {} files", sources.len());
        (0..count).map(|number| places.draw(seed, number).ok_or("no place for a mutant".to_owned())).collect()
    } else {
        at.iter().map(|at| places.at(at).ok_or(format!("{at}: no token that can be changed"))).collect()
    };
    let mutants: Vec<Mutant> = mutants.into_iter().collect::<Result<_, String>>()?;

    let (built, message) = bench.build()?;
    if !built {
        return Err(format!("the unchanged program does not build:\n{message}").into());
    }
    let mut project = Project::new(&bench.root.join("xtask/mutants/pipeline"), &bench.work, &bench.program())?;
    println!("unchanged: {} results, {} of them not held to their bytes", project.results(), project.unstable());

    let (mut survivors, mut needless, mut tally) = (Vec::new(), 0, BTreeMap::new());
    for (number, mutant) in mutants.iter().enumerate() {
        let place = &mutant.place;
        let name = format!("{:3} {}:{} {} -> {}", number, mutant.file, mutant.line, place.old, place.new);
        let begun = Instant::now();
        let text = &sources[&mutant.file];
        let path = bench.work.join("tree").join(&mutant.file);
        fs::write(&path, mutant.apply(text))?;
        let tried = bench.attempt(&mut project);
        fs::write(&path, text)?;
        let (outcome, ended) = tried?;
        let word = match &outcome {
            Outcome::NotCompiled => "not compiled".to_owned(),
            Outcome::NoDifference => "no difference".to_owned(),
            Outcome::KeysChanged { new, needless: in_vain } => {
                needless += in_vain;
                format!("keys changed: {new}, needlessly: {in_vain}")
            }
            Outcome::Survived(items) => {
                survivors.push(name.clone());
                format!("SURVIVED: {}", under_old_keys(items))
            }
            Outcome::Failed(items) => format!("FAILED: {}", under_old_keys(items)),
        };
        *tally.entry(word.split(':').next().unwrap_or_default().to_owned()).or_insert(0) += 1;
        let ended = ended.map_or("", |ended| match ended {
            Ended::Well => "",
            Ended::Failed => "run failed, ",
            Ended::TimedOut => "run timed out, ",
        });
        println!("{name}\n    {ended}{word} ({} s)", begun.elapsed().as_secs());
    }
    let tally: Vec<String> = tally.iter().map(|(word, count)| format!("{word}: {count}")).collect();
    println!("{} mutants: {}; keys that changed needlessly: {needless}", mutants.len(), tally.join(", "));
    for name in &survivors {
        println!("survived: {name}");
    }
    if survivors.is_empty() { Ok(()) } else { Err(format!("{} survived", survivors.len()).into()) }
}

fn under_old_keys(items: &[String]) -> String {
    format!("{} under old keys: {}", items.len(), items[..items.len().min(NAMED)].join(", "))
}

/// Whether results may depend on a file, other than how they are shown or started.
fn is_mutated(file: &str) -> bool {
    let inside = ["numeric", "core", "papers", "engine", "data", "report/src/analysis", "report/src/trace", "study"];
    let inside = inside.iter().any(|folder| file.starts_with(&format!("crates/{folder}/")) && file.contains("/src/"));
    let outside = ["crates/core/src/laws/"];
    let is_test = file.ends_with("/tests.rs") || file.contains("/tests/");
    inside && file.ends_with(".rs") && !is_test && !outside.iter().any(|folder| file.starts_with(folder))
}

impl Bench {
    fn program(&self) -> PathBuf {
        self.work.join("target/release/noregret")
    }

    /// Copies what git tracks, as it is now; a file that is equal already keeps its time.
    fn copy(&self) -> Result<Vec<String>, Box<dyn Error>> {
        let output = Command::new("git").args(["ls-files", "-z"]).current_dir(&self.root).output()?;
        let listed = String::from_utf8(output.stdout)?;
        let files: Vec<String> =
            listed.split_terminator('\0').filter(|file| self.root.join(file).is_file()).map(str::to_owned).collect();
        let tree = self.work.join("tree");
        for folder in ["src", "crates"].map(|folder| tree.join(folder)) {
            // A file that is gone from the repository would still be a module.
            for file in project::files(&folder) {
                let name = file.strip_prefix(&tree)?.to_string_lossy().into_owned();
                if !files.contains(&name) {
                    fs::remove_file(&file)?;
                }
            }
        }
        for file in &files {
            let (from, to) = (fs::read(self.root.join(file))?, tree.join(file));
            if fs::read(&to).ok().as_ref() != Some(&from) {
                fs::create_dir_all(to.parent().ok_or("a file without a folder")?)?;
                fs::write(&to, from)?;
            }
        }
        let (ordinary, own) = (self.root.join("target/release"), self.work.join("target/release"));
        if ordinary.is_dir() && !own.exists() {
            // Packages are built as for a release, so that they are there already.
            fs::create_dir_all(self.work.join("target"))?;
            Command::new("cp").arg("-a").args([&ordinary, &own]).status()?;
        }
        Ok(files)
    }

    /// Builds the tree: packages as for a release, the crates of this workspace so that an edit is built soon. Cargo shares
    /// nothing between profiles of different names, so this is the release profile with other settings.
    fn build(&self) -> Result<(bool, String), Box<dyn Error>> {
        let mut command = Command::new(std::env::var("CARGO").unwrap_or("cargo".into()));
        command.args(["build", "--release", "--locked", "--quiet", "-p", "noregret", "--bin", "noregret"]);
        for name in ["noregret", "noregret-core", "noregret-engine"] {
            for setting in ["opt-level=1", "incremental=true", "codegen-units=64"] {
                command.arg("--config").arg(format!("profile.release.package.{name}.{setting}"));
            }
        }
        let output = command
            .current_dir(self.work.join("tree"))
            .env("CARGO_TARGET_DIR", self.work.join("target"))
            .stdin(Stdio::null())
            .output()?;
        Ok((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    /// Builds and runs what stands in the tree, and compares.
    fn attempt(&self, project: &mut Project) -> Result<(Outcome, Option<Ended>), Box<dyn Error>> {
        if !self.build()?.0 {
            return Ok((Outcome::NotCompiled, None));
        }
        let (ended, compared) = project.compare(&self.program())?;
        let outcome = if !compared.survivors.is_empty() {
            Outcome::Survived(compared.survivors)
        } else if !compared.failed.is_empty() {
            Outcome::Failed(compared.failed)
        } else if compared.new > 0 {
            Outcome::KeysChanged { new: compared.new, needless: compared.needless }
        } else {
            Outcome::NoDifference
        };
        Ok((outcome, Some(ended)))
    }
}
