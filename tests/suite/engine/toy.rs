//! Toy graphs, whose stages do a few bytes of arithmetic and can be told to fail.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use noregret_engine::code::CodeIdentity;
use noregret_engine::exec::engine::{self, RunRequest, RunSummary};
use noregret_engine::exec::interrupt::Interrupt;
use noregret_engine::exec::progress::{Progress, Reporter};
use noregret_engine::exec::records::snapshot;
use noregret_engine::exec::store::ResultStore;
use noregret_engine::plan::key::{content, hex};
use noregret_engine::plan::planner::Plan;
use noregret_engine::plan::work::*;

/// What an item does instead of succeeding.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    Fail(&'static str),
    Panic,
    /// Becomes unavailable when it is tried.
    Unreachable,
    /// Is known to be unavailable before it is tried.
    Unavailable,
    /// Stops, like work whose run is interrupted.
    Raise(i32),
    /// Succeeds, but the warning that time runs out comes meanwhile.
    Warn,
    /// Works until the run is interrupted.
    Await,
    /// Overwrites this file of the project while it runs.
    Overwrite(&'static str),
    /// Moves these files of the project, where they are there, over others while it runs, as another run that publishes.
    Overtake(&'static [[&'static str; 2]]),
    /// Succeeds with different bytes for each number, although its key does not change.
    Otherwise(u64),
    /// Succeeds with the same bytes, whatever it reads.
    Constant,
}

/// One stage of a toy graph.
#[derive(Clone, Debug)]
pub struct ToyStage {
    pub name: String,
    pub files: bool,
    pub items: Vec<ToyItem>,
    /// Represents the code of the stage.
    pub code: u64,
}

#[derive(Clone, Debug)]
pub struct ToyItem {
    pub value: u64,
    pub inputs: Vec<ItemInput>,
}

/// A toy project: a folder, a graph that can be edited, and a list of what was executed.
pub struct Toy {
    pub folder: tempfile::TempDir,
    pub stages: Vec<ToyStage>,
    pub trouble: BTreeMap<(String, u64), Trouble>,
    /// Every item sleeps this long.
    pub sleep: Duration,
    pub executed: Arc<Mutex<Vec<(String, usize)>>>,
    pub interrupt: Interrupt,
    pub heard: Arc<Heard>,
    pub circumstances: String,
}

/// Collects the messages.
#[derive(Default)]
pub struct Heard(pub Mutex<Vec<String>>);

impl Reporter for Heard {
    fn begin(&self, _: &Progress) {}
    fn step(&self, _: &Progress) {}
    fn stage(&self, _: &str, _: &str) {}
    fn say(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
    fn tick(&self, _: &Progress) {}
    fn end(&self) {}
}

pub fn input(stage: usize, item: impl Into<Option<usize>>, need: Need) -> ItemInput {
    ItemInput { stage, item: item.into(), need }
}

/// fetch/data (files) -> run/grid (20 objects) -> summarise/grid (files, does without) -> figure/a, figure/b (files).
pub fn demo() -> Vec<ToyStage> {
    let stage = |name: &str, files, items| ToyStage { name: name.into(), files, items, code: 1 };
    let one = |inputs| vec![ToyItem { value: 1, inputs }];
    vec![
        stage("fetch/data", true, one(vec![])),
        stage(
            "run/grid",
            false,
            (0..20).map(|value| ToyItem { value, inputs: vec![input(0, 0, Need::Required)] }).collect(),
        ),
        stage("summarise/grid", true, one(vec![input(1, None, Need::Optional)])),
        stage("figure/a", true, one(vec![input(2, 0, Need::Required)])),
        stage("figure/b", true, one(vec![input(2, 0, Need::Required), input(1, 3, Need::Required)])),
    ]
}

/// The same with so many cells.
pub fn grid(cells: u64) -> Vec<ToyStage> {
    let mut stages = demo();
    stages[1].items = (0..cells).map(|value| ToyItem { value, inputs: vec![input(0, 0, Need::Required)] }).collect();
    stages
}

impl Toy {
    pub fn new(stages: Vec<ToyStage>) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            stages,
            trouble: BTreeMap::new(),
            sleep: Duration::ZERO,
            executed: Arc::default(),
            interrupt: Interrupt::default(),
            heard: Arc::default(),
            circumstances: String::new(),
        }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn store(&self) -> ResultStore {
        ResultStore::new(self.path())
    }

    pub fn graph(&self) -> Graph {
        let mut graph = graph(&self.stages, self.path(), &self.trouble, self.sleep, &self.executed, &self.interrupt);
        for stage in &mut graph.stages {
            stage.work = Arc::new(Circumstances(Arc::clone(&stage.work), self.circumstances.clone()));
        }
        graph
    }

    pub fn plan(&self, request: &RunRequest) -> Plan {
        engine::dry_run(&self.graph(), request, &self.store()).unwrap().0
    }

    /// The steps in the plan of this request.
    pub fn planned(&self, request: &RunRequest) -> BTreeSet<(String, usize)> {
        let steps = self.plan(request).steps;
        steps.iter().map(|step| (self.stages[step.stage].name.clone(), step.item)).collect()
    }

    pub fn run(&self, request: &RunRequest) -> RunSummary {
        self.executed.lock().unwrap().clear();
        engine::run(&self.graph(), request, &self.store(), &*self.heard, &self.interrupt).unwrap()
    }

    /// Runs everything.
    pub fn run_all(&self) -> RunSummary {
        self.run(&RunRequest::default())
    }

    pub fn executed(&self) -> BTreeSet<(String, usize)> {
        self.executed.lock().unwrap().iter().cloned().collect()
    }

    pub fn executed_count(&self) -> usize {
        self.executed.lock().unwrap().len()
    }

    /// The files that count as results.
    pub fn results(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        results(self.path())
    }

    /// The stored object of an item.
    pub fn object(&self, stage: usize, item: usize) -> PathBuf {
        let plan = self.plan(&RunRequest::default());
        let name = self.store().find(&plan.keys[stage][item]).unwrap().expect("the object is there");
        self.store().object_path(&name)
    }
}

/// Objects, packed ones too, and published files below a project, with their bytes.
pub fn results(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let store = ResultStore::new(root);
    let packed = snapshot(&store, false, None).unwrap().objects.into_values().map(|object| object.file);
    let packed = packed.map(|name| (store.object_path(&name).strip_prefix(root).unwrap().to_owned(), name));
    let mut found: BTreeMap<_, _> = packed.map(|(path, name)| (path, store.read(&name).unwrap())).collect();
    let mut open = vec![root.join("results/store/objects"), root.join("out")];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

pub fn graph(
    stages: &[ToyStage],
    folder: &Path,
    trouble: &BTreeMap<(String, u64), Trouble>,
    sleep: Duration,
    executed: &Arc<Mutex<Vec<(String, usize)>>>,
    interrupt: &Interrupt,
) -> Graph {
    let stages = stages.iter().map(|stage| {
        let items = stage.items.iter().map(|item| Item {
            fingerprint: content(format!("{} {}", item.value, stage.code).as_bytes()),
            inputs: item.inputs.clone().into(),
        });
        Stage {
            name: stage.name.clone(),
            items: items.collect(),
            work: Arc::new(ToyWork {
                stage: stage.clone(),
                folder: folder.to_owned(),
                trouble: trouble.clone(),
                sleep,
                executed: Arc::clone(executed),
                interrupt: interrupt.clone(),
            }),
            storage: if stage.files { Storage::Files } else { Storage::Object { extension: "txt" } },
        }
    });
    Graph { stages: stages.collect() }
}

struct ToyWork {
    stage: ToyStage,
    folder: PathBuf,
    trouble: BTreeMap<(String, u64), Trouble>,
    sleep: Duration,
    executed: Arc<Mutex<Vec<(String, usize)>>>,
    interrupt: Interrupt,
}

impl ToyWork {
    fn trouble(&self, item: usize) -> Option<&Trouble> {
        self.trouble.get(&(self.stage.name.clone(), self.stage.items[item].value))
    }
}

/// Work that reports these circumstances.
struct Circumstances(Arc<dyn Work>, String);

impl Work for Circumstances {
    fn label(&self, item: usize) -> String {
        self.0.label(item)
    }
    fn facts(&self, item: usize) -> Facts {
        self.0.facts(item)
    }
    fn estimate(&self, item: usize) -> Estimate {
        self.0.estimate(item)
    }
    fn is_cell(&self) -> bool {
        self.0.is_cell()
    }
    fn unavailable(&self, item: usize) -> Option<Unavailable> {
        self.0.unavailable(item)
    }
    fn circumstances(&self, _: usize) -> String {
        self.1.clone()
    }
    fn execute(&self, item: usize, job: &dyn Job) -> Result<Product, Failure> {
        self.0.execute(item, job)
    }
}

fn unavailable() -> Unavailable {
    Unavailable { reason: "no network".into(), remedy: "plug it in".into() }
}

impl Work for ToyWork {
    fn label(&self, item: usize) -> String {
        if self.stage.items.len() == 1 { String::new() } else { format!("value={}", self.stage.items[item].value) }
    }

    fn facts(&self, item: usize) -> Facts {
        let code = CodeIdentity::new([(format!("src/{}.rs", self.stage.name), self.stage.code.to_string())].into());
        Facts {
            parameters: serde_json::json!({ "value": self.stage.items[item].value, "deep": { "one": 1 } }),
            code: code.into(),
        }
    }

    fn estimate(&self, item: usize) -> Estimate {
        Estimate { cost: 1.0 + item as f64, bytes: 1e3, group: self.stage.name.clone() }
    }

    fn is_cell(&self) -> bool {
        self.stage.name.starts_with("run/")
    }

    fn unavailable(&self, item: usize) -> Option<Unavailable> {
        (self.trouble(item) == Some(&Trouble::Unavailable)).then(unavailable)
    }

    fn execute(&self, item: usize, job: &dyn Job) -> Result<Product, Failure> {
        self.executed.lock().unwrap().push((self.stage.name.clone(), item));
        let log = self.folder.join("executed.log");
        let mut log = fs::File::options().create(true).append(true).open(log).unwrap();
        log.write_all(format!("{} {item}\n", self.stage.name).as_bytes()).unwrap();
        let mut text = format!("{} {} {}\n", self.stage.name, self.stage.items[item].value, self.stage.code);
        for (index, input) in job.inputs().iter().enumerate() {
            let bytes = match &input.outcome {
                ItemOutcome::Done { files, .. } if files[0].starts_with(self.folder.join("results/store/objects")) => {
                    job.object(index)?
                }
                ItemOutcome::Done { files, .. } => job.published(index, &files[0])?,
                ItemOutcome::Failed(error) => error.clone().into_bytes(),
                ItemOutcome::Unavailable(unavailable) => unavailable.reason.clone().into_bytes(),
            };
            text.push_str(&format!("{} {} {}\n", input.stage, input.item, hex(content(&bytes))));
        }
        std::thread::sleep(self.sleep);
        match self.trouble(item) {
            Some(Trouble::Fail(error)) => return Err(Failure::failed(*error)),
            Some(Trouble::Panic) => panic!("a toy panics on purpose"),
            Some(Trouble::Unreachable | Trouble::Unavailable) => return Err(Failure::Unavailable(unavailable())),
            Some(Trouble::Raise(signal)) => {
                self.interrupt.raise(*signal);
                assert!(job.interrupted());
                return Err(Failure::Interrupted);
            }
            Some(Trouble::Await) => {
                while !job.interrupted() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Err(Failure::Interrupted);
            }
            Some(Trouble::Warn) => self.interrupt.warn(),
            Some(Trouble::Overwrite(path)) => fs::write(self.folder.join(path), "overwritten").unwrap(),
            Some(Trouble::Overtake(files)) => {
                for [from, to] in files.iter().filter(|[from, _]| self.folder.join(from).is_file()) {
                    fs::rename(self.folder.join(from), self.folder.join(to)).unwrap();
                }
            }
            Some(Trouble::Otherwise(number)) => text.push_str(&format!("otherwise {number}\n")),
            Some(Trouble::Constant) => text.truncate(text.find('\n').unwrap_or(0) + 1),
            None => {}
        }
        if !self.stage.files {
            return Ok(Product::Object { bytes: text.into_bytes(), measurements: None });
        }
        let name = if self.stage.items.len() == 1 {
            format!("out/{}.txt", self.stage.name)
        } else {
            format!("out/{}-{}.txt", self.stage.name, self.stage.items[item].value)
        };
        Ok(Product::Files(vec![(PathBuf::from(name), text.into_bytes())]))
    }
}
