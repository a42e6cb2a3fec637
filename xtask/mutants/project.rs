//! A small project that is run from scratch, and what came out of it.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use noregret_engine::exec::records::snapshot;
use noregret_engine::exec::store::ResultStore;
use serde_json::Value;

/// Memory that a run may take, in KiB: a mutant may ask for any amount.
const MEMORY: &str = "12000000";

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ended {
    Well,
    Failed,
    TimedOut,
}

/// What a run left.
#[derive(Default)]
struct Results {
    /// The bytes of stored objects, by key.
    objects: BTreeMap<String, Vec<u8>>,
    /// Keys and bytes of published files, by path.
    published: BTreeMap<String, (String, Vec<u8>)>,
    /// The keys of items that failed.
    failures: BTreeSet<String>,
}

/// A comparison with the unchanged program.
pub struct Compared {
    /// Results with other bytes under old keys.
    pub survivors: Vec<String>,
    /// Items that the changed program cannot make any more, under their old keys.
    pub failed: Vec<String>,
    /// How many keys are new.
    pub new: usize,
    /// How many of these are new although no value differs.
    pub needless: usize,
}

/// The project, and what the unchanged program makes of it.
pub struct Project {
    pipeline: PathBuf,
    work: PathBuf,
    unchanged: PathBuf,
    before: Results,
    /// What objects are, by key, for messages.
    names: BTreeMap<String, String>,
    /// Keys and paths of what two runs of the unchanged program make differently, and of what a lock leaves out.
    unstable: BTreeSet<String>,
    limit: Duration,
}

impl Project {
    /// Runs the unchanged program twice on the project's `pipeline` folder, in folders inside `work`.
    ///
    /// # Errors
    /// A run that fails; files that cannot be read or written.
    pub fn new(pipeline: &Path, work: &Path, program: &Path) -> Result<Self, Box<dyn Error>> {
        let unchanged = work.join("unchanged");
        fs::copy(program, &unchanged)?;
        let mut project = Self {
            pipeline: pipeline.to_owned(),
            work: work.to_owned(),
            unchanged,
            before: Results::default(),
            names: BTreeMap::new(),
            unstable: BTreeSet::new(),
            limit: Duration::from_secs(600),
        };
        let begun = Instant::now();
        let again = project.results_of(&project.unchanged, "again")?;
        let before = project.results_of(&project.unchanged, "before")?;
        project.limit = Duration::from_secs(60) + 10 * begun.elapsed();
        if (again.0, before.0) != (Ended::Well, Ended::Well) {
            return Err("the unchanged program fails on its project; see target/mutants/before.log".into());
        }
        let folder = project.work.join("before");
        let written = project.run(&project.unchanged, &folder, &["verify", "--write-lock"], "verify.log")?;
        if !written.is_some_and(|status| status.success()) {
            return Err("the unchanged program does not verify its results; see target/mutants/verify.log".into());
        }
        let lock = fs::read_to_string(folder.join("results/pipeline.lock"))?;
        let locked: BTreeSet<&str> = lock.lines().filter_map(|line| line.split(' ').next()).collect();
        let (again, before) = (again.1, before.1);
        let objects = before.objects.iter().filter(|(key, bytes)| again.objects.get(*key) != Some(bytes));
        let published = before.published.iter().filter(|(path, made)| again.published.get(*path) != Some(made));
        project.unstable.extend(objects.map(|(key, _)| key.clone()));
        if let Some(path) = published.map(|(path, _)| path).find(|path| locked.contains(path.as_str())) {
            return Err(format!("two runs of the unchanged program differ in {path}").into());
        }
        project.unstable.extend(before.published.keys().filter(|path| !locked.contains(path.as_str())).cloned());
        project.names = names(&folder);
        project.before = before;
        Ok(project)
    }

    /// How many results the unchanged program makes.
    pub fn results(&self) -> usize {
        self.before.objects.len() + self.before.published.len()
    }

    /// How many of them may differ from run to run.
    pub fn unstable(&self) -> usize {
        self.unstable.len()
    }

    /// Runs a changed program from scratch and compares what is there afterwards, whether it failed or not.
    ///
    /// # Errors
    /// Files that cannot be read or written.
    pub fn compare(&mut self, program: &Path) -> Result<(Ended, Compared), Box<dyn Error>> {
        let (ended, after) = self.results_of(program, "after")?;
        let mut survivors = Vec::new();
        for (key, bytes) in &self.before.objects {
            if after.objects.get(key).is_some_and(|other| other != bytes) && !self.unstable.contains(key) {
                survivors.push(self.names.get(key).unwrap_or(key).clone());
            }
        }
        for (path, (key, bytes)) in &self.before.published {
            let differs = |(new, other): &(String, Vec<u8>)| new == key && other != bytes;
            if after.published.get(path).is_some_and(differs) && !self.unstable.contains(path) {
                survivors.push(path.clone());
            }
        }
        let old: BTreeSet<&String> =
            self.before.objects.keys().chain(self.before.published.values().map(|(key, _)| key)).collect();
        let failed = after.failures.iter().filter(|key| old.contains(key));
        let failed = failed.map(|key| self.names.get(key).unwrap_or(key).clone()).collect();
        let is_new = |path: &String, key: &String| self.before.published.get(path).is_some_and(|(old, _)| old != key);
        let objects = after.objects.keys().filter(|key| !self.before.objects.contains_key(*key)).count();
        let new = objects + after.published.iter().filter(|(path, (key, _))| is_new(path, key)).count();
        let same = new > 0 && self.values_are_equal()?;
        Ok((ended, Compared { survivors, failed, new, needless: if same { new } else { 0 } }))
    }

    /// Whether the unchanged program finds no value that differs.
    fn values_are_equal(&self) -> Result<bool, Box<dyn Error>> {
        let arguments = ["diff", "before", "after", "--exact"];
        let ended = self.run(&self.unchanged, &self.work, &arguments, "diff.log")?;
        Ok(ended.is_some_and(|status| status.success()))
    }

    /// Runs a program on the project in a fresh folder.
    fn results_of(&self, program: &Path, folder: &str) -> Result<(Ended, Results), Box<dyn Error>> {
        let place = self.work.join(folder);
        if place.exists() {
            fs::remove_dir_all(&place)?;
        }
        for file in files(&self.pipeline) {
            let to = place.join("pipeline").join(file.strip_prefix(&self.pipeline)?);
            fs::create_dir_all(to.parent().ok_or("a file without a folder")?)?;
            fs::copy(&file, to)?;
        }
        let ended = self.run(program, &place, &["run", "--offline"], &format!("{folder}.log"))?;
        let ended = ended.map_or(Ended::TimedOut, |status| if status.success() { Ended::Well } else { Ended::Failed });
        Ok((ended, Results::read(&place)))
    }

    /// Runs a program in a folder; nothing if it takes too long.
    fn run(&self, program: &Path, folder: &Path, words: &[&str], log: &str) -> io::Result<Option<ExitStatus>> {
        let log = fs::File::create(self.work.join(log))?;
        let mut child = Command::new("sh")
            .args(["-c", "ulimit -v $0; exec \"$@\"", MEMORY])
            .arg(program)
            .args(words)
            .current_dir(folder)
            .env_remove("NOREGRET_MIRROR")
            .env_remove("NOREGRET_PROFILE")
            .env_remove("NOREGRET_FAIL_CELLS")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        let begun = Instant::now();
        while begun.elapsed() < self.limit {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        child.kill()?;
        child.wait()?;
        Ok(None)
    }
}

impl Results {
    /// The results in a project's folder. A record that cannot be read counts as missing, since mutants
    /// write anything.
    fn read(folder: &Path) -> Self {
        let mut results = Self::default();
        let store = ResultStore::new(folder);
        let found = snapshot(&store, false, None).unwrap_or_default();
        for object in found.objects.into_values().chain(found.damaged.into_values()) {
            let key = object.file.split('.').next().unwrap_or_default().to_owned();
            results.objects.insert(key, store.read(&object.file).unwrap_or_default());
        }
        for file in files(&folder.join("results/store/failures")) {
            results.failures.extend(file.file_stem().map(|key| key.to_string_lossy().into_owned()));
        }
        for file in files(&folder.join("results/store/records")) {
            let Some(record) = json(&file) else { continue };
            let key = record["key"].as_str().unwrap_or_default();
            for output in record["outputs"].as_array().into_iter().flatten() {
                let Some(path) = output["path"].as_str() else { continue };
                let bytes = fs::read(folder.join(path)).unwrap_or_default();
                results.published.insert(path.to_owned(), (key.to_owned(), bytes));
            }
        }
        results
    }
}

/// The stage and the label of each key in the manifests of a project.
fn names(folder: &Path) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let manifests = folder.join("results/store/manifests");
    for file in files(&manifests) {
        let stage = file.strip_prefix(&manifests).unwrap_or(&file).with_extension("");
        let Some(manifest) = json(&file) else { continue };
        for item in manifest["items"].as_array().into_iter().flatten() {
            if let Some(key) = item["key"].as_str() {
                let label = item["label"].as_str().unwrap_or_default();
                names.insert(key.to_owned(), format!("{} {label}", stage.display()).trim_end().to_owned());
            }
        }
    }
    names
}

fn json(file: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

/// All files below a folder, sorted; none if there is no such folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}
