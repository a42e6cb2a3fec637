//! The small project of all tries, the states that edits bring it to, and what an undisturbed run makes of each.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use crate::host::Host;
use crate::running::Running;
use crate::splitmix::SplitMix64;

/// The seed of the rows of the dataset that is downloaded.
pub const NET: u64 = 1;

/// A table of sixty rows in CSV. Tables of all seeds have the same size in bytes.
pub fn table(seed: u64) -> String {
    let mut draw = SplitMix64(seed);
    let mut text = "y,a,b\n".to_owned();
    for _ in 0..60 {
        let sign = if draw.next() & 1 == 0 { '+' } else { '-' };
        writeln!(text, "{sign}1,{:.4},{:.4}", draw.uniform() * 0.9, draw.uniform() * 0.9).unwrap();
    }
    text
}

/// What edits change: each part is as it was at first, or otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    /// A parameter of an experiment.
    pub experiment: bool,
    /// The title of a figure.
    pub figure: bool,
    /// The rows of the user's own file.
    pub data: bool,
}

impl State {
    /// The files that say so, relative to the folder of a try.
    pub fn files(self) -> [(&'static str, String); 3] {
        let experiment = include_str!("pipeline/experiments/own.toml");
        let figure = include_str!("pipeline/figures/loss.toml");
        let (lambda, title) = ("lambda = [1, 1e-3]", "title = \"Own\"");
        assert!(experiment.contains(lambda) && figure.contains(title));
        [
            (
                "project/pipeline/experiments/own.toml",
                if self.experiment { experiment.replace(lambda, "lambda = [1, 1e-2]") } else { experiment.to_owned() },
            ),
            (
                "project/pipeline/figures/loss.toml",
                if self.figure { figure.replace(title, "title = \"Mine\"") } else { figure.to_owned() },
            ),
            ("outside/own.csv", table(if self.data { 3 } else { 2 })),
        ]
    }
}

/// A file that no command has any business with.
pub const VICTIM: &str = "outside/victim.txt";

/// Writes the project as its author leaves it into the folder of a try: `project`, `outside` with the user's own file,
/// and `tmp` and `home` for what commands put there.
pub fn write(folder: &Path, state: State, host: &Host) {
    let pipeline = Path::new(env!("CARGO_MANIFEST_DIR")).join("xtask/soak/pipeline");
    for name in ["project", "outside", "tmp", "home"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    copy(&pipeline, &folder.join("project/pipeline"));
    let net = include_str!("pipeline/datasets/net.toml");
    assert!(net.contains("{address}"));
    fs::write(folder.join("project/pipeline/datasets/net.toml"), net.replace("{address}", host.address())).unwrap();
    fs::write(folder.join(VICTIM), "precious").unwrap();
    state.files().into_iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
}

/// Copies a folder with times and permissions.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let copied = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status().unwrap();
    assert!(copied.success(), "cannot copy {} to {}", from.display(), to.display());
}

/// A command of the program in the folder of a try; `shell` goes before it, such as `ulimit -f 8;`.
pub fn command(folder: &Path, shell: &str, words: &[&str]) -> Command {
    let program = env!("CARGO_BIN_EXE_noregret");
    let mut command = if shell.is_empty() {
        Command::new(program)
    } else {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{shell} exec \"$0\" \"$@\""), program]);
        command
    };
    command.args(words).current_dir(folder.join("project"));
    for name in ["MIRROR", "PROFILE", "FAIL_CELLS"] {
        command.env_remove(format!("NOREGRET_{name}"));
    }
    for name in ["http_proxy", "all_proxy", "https_proxy"] {
        command.env_remove(name).env_remove(name.to_uppercase());
    }
    command.env("TMPDIR", folder.join("tmp")).env("HOME", folder.join("home")).env("RUST_BACKTRACE", "0");
    command
}

/// All files below a folder, relative to it, sorted. What vanishes meanwhile is left out.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(below) = open.pop() {
        for entry in fs::read_dir(below).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path())
            } else {
                found.push(entry.path())
            }
        }
    }
    let mut found: Vec<PathBuf> = found.iter().map(|path| path.strip_prefix(folder).unwrap().to_owned()).collect();
    found.sort();
    found
}

/// What is held against the reference.
#[derive(Debug, PartialEq)]
enum Held {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// That it is there.
    Presence,
}

/// Beginnings of the names of files that need only be there: they tell times, or where data came from.
const PRESENT: [&str; 9] = [
    "data/raw/net/.lock",
    "data/raw/net/fetched.toml",
    "reports/index.html",
    "reports/pkawv.html",
    "reports/across.html",
    "reports/report.md",
    "reports/timings",
    "results/log",
    "results/store/",
];

/// The same for files of which there may be any number: measured times of each run, and notes for `explain`, which are
/// written when something is made, not when it is found.
const ANY: [&str; 2] = ["results/log/measurements", "results/store/manifests"];

/// All files of a project, with what counts of each; not those that were not the declared data and are kept aside.
fn contents(project: &Path) -> BTreeMap<PathBuf, Held> {
    let held = |path: PathBuf| {
        let name = path.display().to_string();
        let among = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
        let presence = among(&PRESENT) && !name.starts_with("results/store/objects");
        let held = || if presence { Held::Presence } else { Held::Bytes(fs::read(project.join(&path)).unwrap()) };
        (!among(&ANY) && !name.ends_with(".rejected")).then(|| (path.clone(), held()))
    };
    files(project).into_iter().filter_map(held).collect()
}

/// What an undisturbed run of a state makes.
pub struct Reference {
    /// The folder in which it ran, laid out as that of a try.
    pub folder: PathBuf,
    contents: BTreeMap<PathBuf, Held>,
}

impl Reference {
    /// How a project differs from this one: which files are missing, too many, or have other bytes.
    pub fn differences(&self, project: &Path) -> Vec<String> {
        let found = contents(project);
        let of = |names: &BTreeMap<PathBuf, Held>, others: &BTreeMap<PathBuf, Held>, what: &str| {
            let differ = names.iter().filter(|(path, _)| !others.contains_key(*path));
            differ.map(|(path, _)| format!("{what}: {}", path.display())).collect::<Vec<_>>()
        };
        let mut differ = of(&self.contents, &found, "missing");
        differ.extend(of(&found, &self.contents, "too many"));
        let other = |(path, held): &(&PathBuf, &Held)| found.get(*path).is_some_and(|now| now != *held);
        differ.extend(self.contents.iter().filter(other).map(|(path, _)| format!("other bytes: {}", path.display())));
        differ
    }
}

/// The references of all states, each made when it is first asked for.
pub struct References<'a> {
    bench: PathBuf,
    /// The server of the campaign.
    pub host: &'a Host,
    made: RefCell<BTreeMap<State, Rc<Reference>>>,
}

impl<'a> References<'a> {
    /// References that are made in a folder.
    pub fn new(bench: &Path, host: &'a Host) -> Self {
        Self { bench: bench.to_owned(), host, made: RefCell::default() }
    }

    /// The reference of a state.
    pub fn of(&self, state: State) -> Rc<Reference> {
        if let Some(made) = self.made.borrow().get(&state) {
            return Rc::clone(made);
        }
        let folder = self.bench.join(format!("reference-{}", self.made.borrow().len()));
        write(&folder, state, self.host);
        for words in [&["run"][..], &["verify", "--write-lock"], &["gc"]] {
            let ended = Running::start(command(&folder, "", words), None).end().with(&[0]);
            assert!(!ended.said.contains("unavailable"), "the reference cannot be made: {ended:#?}");
        }
        let made = Rc::new(Reference { contents: contents(&folder.join("project")), folder });
        self.made.borrow_mut().insert(state, Rc::clone(&made));
        made
    }
}
