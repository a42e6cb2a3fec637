//! The files of `pipeline/`, taken apart: a study is an experiment with its figures, tables and rows of rates in one file,
//! and leaves out what these share with it. Experiments that vary it stand there too, and say what differs.

mod exhibits;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use noregret_papers::paper::Paper;
use toml::{Table, Value};

use super::draft::REPLICATES;
use super::grid::{ZIP, complete};
use super::{ConfigError, did_you_mean};
use exhibits::{PARTS, claims, parts, worded};
use noregret_data::listing;
use noregret_report::analysis::rate::row::control_name;

/// What a file of `pipeline/` may declare, beside datasets, learners and profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    /// An experiment: the top of a study, or `[experiment.NAME]`, which varies it.
    Experiment,
    /// `[figure.NAME]`
    Figure,
    /// `[table.NAME]`
    Table,
    /// `[rate.NAME]`
    Rate,
}

impl ItemKind {
    /// What a study holds by name.
    const NAMED: [ItemKind; 4] = [ItemKind::Experiment, ItemKind::Figure, ItemKind::Table, ItemKind::Rate];

    /// Its key in a study.
    pub(crate) fn key(self) -> &'static str {
        match self {
            ItemKind::Experiment => "experiment",
            ItemKind::Figure => "figure",
            ItemKind::Table => "table",
            ItemKind::Rate => "rate",
        }
    }

    /// The folder whose files are each one thing of this kind; a file in any other folder is a study.
    fn folder(self) -> Option<&'static str> {
        match self {
            ItemKind::Experiment => None,
            ItemKind::Figure => Some("figures"),
            ItemKind::Table => Some("tables"),
            ItemKind::Rate => Some("rates"),
        }
    }
}

/// The file of `pipeline/` that is in no folder.
const PROFILES: &str = "profiles.toml";

/// Folders of `pipeline/` with files of another kind.
const OTHERS: [&str; 3] = ["datasets", "learners", "schemas"];

/// Something that a file declares.
#[derive(Clone, Debug)]
pub struct StudyItem {
    /// What messages call it: its file, and where it stands in a study (`pipeline/robust/scale.toml: figure.scale`).
    pub place: String,
    /// Its file.
    pub file: PathBuf,
    /// Its keys, with those that it has from its study; or what is wrong with the file.
    table: Result<Table, String>,
}

impl StudyItem {
    /// Its keys.
    ///
    /// # Errors
    /// What is wrong with its file.
    pub fn table(&self) -> Result<Table, ConfigError> {
        self.table.clone().map_err(ConfigError::Data)
    }
}

/// Everything that the studies declare, by kind and name.
#[derive(Clone, Debug, Default)]
pub struct Studies(BTreeMap<ItemKind, BTreeMap<String, StudyItem>>);

impl Studies {
    /// Reads all files of a folder `pipeline`. A mistake in one of them is told by [`StudyItem::table`].
    ///
    /// # Errors
    /// A folder that cannot be listed, a file whose name is no name, and a name that is declared twice.
    pub fn read(pipeline: &Path) -> Result<Self, ConfigError> {
        let (mut studies, mut found, mut known) = (Self::default(), Vec::new(), Templates::default());
        for (folder, path) in folders(pipeline)? {
            let whole = ItemKind::NAMED.into_iter().find(|kind| kind.folder() == Some(&folder));
            let files = listing::declarations(&path).map_err(|error| ConfigError::Data(error.to_string()))?;
            for (name, file) in files {
                let table = parsed(&file);
                known.add(whole, &name, &table);
                found.push((folder.clone(), whole, name, file, table));
            }
        }
        for (folder, whole, name, file, table) in found {
            match (whole, table) {
                (Some(kind), table) => studies.whole(kind, name, file, table, &known)?,
                // Whoever needs a file that is no TOML most likely needs its experiment.
                (None, Err(wrong)) => studies.whole(ItemKind::Experiment, name, file, Err(wrong), &known)?,
                (None, Ok(table)) => studies.study(&folder, &name, (&file, ""), table, &known)?,
            }
        }
        studies.check_names()?;
        Ok(studies)
    }

    /// What is declared of a kind, by name.
    pub fn of(&self, kind: ItemKind) -> impl Iterator<Item = (&String, &StudyItem)> {
        self.0.get(&kind).into_iter().flatten()
    }

    /// One of these.
    pub fn get(&self, kind: ItemKind, name: &str) -> Option<&StudyItem> {
        self.0.get(&kind)?.get(name)
    }

    /// The names of what is declared of a kind.
    pub(crate) fn names(&self, kind: ItemKind) -> Vec<&str> {
        self.of(kind).map(|(name, _)| name.as_str()).collect()
    }

    /// Refuses experiments whose stages would be called as others of the program.
    fn check_names(&self) -> Result<(), ConfigError> {
        let refuse = |name: &str, other: String| match self.get(ItemKind::Experiment, name) {
            None => Ok(()),
            Some(item) => {
                let message = format!("`{name}` is the name of {other}; give the experiment another one");
                Err(ConfigError::Malformed { path: item.place.clone(), message })
            }
        };
        refuse("all", "the stage that joins all experiments".into())?;
        let mut rows = self.of(ItemKind::Rate);
        rows.try_for_each(|(row, _)| refuse(&control_name(row), format!("the negative control of the row {row}")))
    }

    fn add(&mut self, kind: ItemKind, name: String, item: StudyItem) -> Result<(), ConfigError> {
        let known = self.0.entry(kind).or_default();
        if let Some(other) = known.get(&name) {
            let file = &other.place;
            let why = format!("{file} declares the {} `{name}` already; rename one of them", kind.key());
            return Err(ConfigError::Malformed { path: item.place, message: why });
        }
        known.insert(name, item);
        Ok(())
    }

    /// A file that is one thing of a kind.
    fn whole(
        &mut self,
        kind: ItemKind,
        name: String,
        file: PathBuf,
        table: Result<Table, String>,
        known: &Templates,
    ) -> Result<(), ConfigError> {
        let place = file.display().to_string();
        match table {
            Ok(table) if kind == ItemKind::Rate => self.rates(name, (&place, &file), table, None),
            table => {
                let table = table.and_then(|table| known.exhibit(kind, (&name, &place), table, None, &Table::new()));
                self.add(kind, name, StudyItem { place, file, table })
            }
        }
    }

    /// A study: a file, or what stands at some place of it, which is empty or ends in a dot.
    fn study(
        &mut self,
        folder: &str,
        name: &str,
        (file, within): (&Path, &str),
        table: Table,
        known: &Templates,
    ) -> Result<(), ConfigError> {
        let shown = file.display();
        let place = match within.strip_suffix('.') {
            None => shown.to_string(),
            Some(within) => format!("{shown}: {within}"),
        };
        let mut table = match known.experiment(name, table) {
            Ok(table) => table,
            Err(why) => {
                let wrong = Err(format!("{place}: `{LIKE}`: {why}"));
                let item = StudyItem { place, file: file.to_owned(), table: wrong };
                return self.add(ItemKind::Experiment, name.to_owned(), item);
            }
        };
        let (named, experiment) = taken(name, &mut table);
        let paper = Paper::ALL.iter().find(|paper| paper.id() == folder).map(|paper| paper.id());
        if let Some(paper) = paper {
            table.entry("paper").or_insert(paper.into());
        }
        for (kind, declared) in named {
            let wrong = |field: String| {
                let why = format!("must be a table: [{}.NAME]", kind.key());
                ConfigError::Field { path: shown.to_string(), field, why }
            };
            let declared = match declared {
                None => continue,
                Some(_) if kind == ItemKind::Experiment && !within.is_empty() => {
                    let (field, why) = (format!("{within}{}", kind.key()), "stands at the top of the file".to_owned());
                    return Err(ConfigError::Field { path: shown.to_string(), field, why });
                }
                Some(Value::Table(declared)) => declared,
                Some(_) => return Err(wrong(format!("{within}{}", kind.key()))),
            };
            for (name, value) in declared {
                let field = format!("{within}{}.{name}", kind.key());
                let Value::Table(own) = value else { return Err(wrong(field)) };
                if !listing::is_name(&name) {
                    let why = format!("a name consists of {}", listing::RULE);
                    return Err(ConfigError::Field { path: shown.to_string(), field, why });
                }
                let place = format!("{shown}: {field}");
                match kind {
                    ItemKind::Experiment => {
                        self.study(folder, &name, (file, &(field + ".")), varied(own, experiment), known)?;
                    }
                    ItemKind::Rate => {
                        self.rates(name, (&place, file), own, experiment.map(|name| (name, &table)))?;
                    }
                    ItemKind::Figure | ItemKind::Table => {
                        let own = known.exhibit(kind, (&name, &place), own, experiment, &table);
                        self.add(kind, name, StudyItem { place, file: file.to_owned(), table: own })?;
                    }
                }
            }
        }
        match experiment {
            None => Ok(()),
            Some(name) => {
                let item = StudyItem { place, file: file.to_owned(), table: Ok(table) };
                self.add(ItemKind::Experiment, name.to_owned(), item)
            }
        }
    }

    /// A row of rates, or the family of rows that its zipped lists stand for, each with a name of its own.
    fn rates(
        &mut self,
        name: String,
        (place, file): (&str, &Path),
        table: Table,
        study: Option<(&str, &Table)>,
    ) -> Result<(), ConfigError> {
        let family = table.contains_key(ZIP);
        let item = |table| StudyItem { place: place.to_owned(), file: file.to_owned(), table };
        let rows = match worded(&table) {
            Ok(rows) => rows,
            Err((field, why)) => {
                return self.add(ItemKind::Rate, name, item(Err(format!("{place}: `{field}`: {why}"))));
            }
        };
        for mut row in rows {
            let name = match row.remove("name") {
                Some(Value::String(name)) if family && listing::is_name(&name) => name,
                None if !family => name.clone(),
                _ => {
                    let why = format!("names each row of the family, and nothing else does: {}", listing::RULE);
                    return Err(ConfigError::Field { path: place.to_owned(), field: "zip.name".into(), why });
                }
            };
            if let Some((experiment, table)) = study {
                exhibits::rate(&mut row, experiment, table);
            }
            self.add(ItemKind::Rate, name, item(Ok(row)))?;
        }
        Ok(())
    }
}

/// The folders of `pipeline` that hold studies or exhibits, with their names, sorted.
fn folders(pipeline: &Path) -> Result<Vec<(String, PathBuf)>, ConfigError> {
    let refused = |source| ConfigError::Unreadable { path: pipeline.display().to_string(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(pipeline).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || OTHERS.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            found.push((name, path));
        } else if name.ends_with(".toml") && name != PROFILES {
            let why = "is in no folder, and so it is not read: move it to a folder of any name beside it".to_owned();
            return Err(ConfigError::Malformed { path: path.display().to_string(), message: why });
        }
    }
    found.sort();
    Ok(found)
}

/// The keys of a file, or what is wrong with it.
fn parsed(file: &Path) -> Result<Table, String> {
    let text = listing::read(file).map_err(|error| error.to_string())?;
    toml::from_str(&text).map_err(|error| ConfigError::malformed(&file.display().to_string(), &error).to_string())
}

/// The key by which an experiment or a figure takes what it does not say itself from another one.
const LIKE: &str = "like";

/// Takes what a study holds by name out of it; and its name, where an experiment is left.
fn taken<'a>(name: &'a str, study: &mut Table) -> ([(ItemKind, Option<Value>); 4], Option<&'a str>) {
    let named = ItemKind::NAMED.map(|kind| (kind, study.remove(kind.key())));
    let experiment = Some(name).filter(|_| !study.is_empty());
    if experiment.is_some() {
        // Said here, since the rule of a profile makes smaller what a table says.
        study.entry("replicates").or_insert(REPLICATES.into());
    }
    (named, experiment)
}

/// An experiment that stands in the study of another one: it is like that one where it does not say which.
fn varied(mut own: Table, experiment: Option<&str>) -> Table {
    if let Some(name) = experiment {
        own.entry(LIKE).or_insert(name.into());
    }
    own
}

/// What others may be like, by name, as the files say it.
#[derive(Default)]
struct Templates {
    experiments: BTreeMap<String, Table>,
    figures: BTreeMap<String, Table>,
    /// Experiments whose files are no TOML.
    unreadable: BTreeSet<String>,
}

impl Templates {
    /// Adds what a file declares.
    fn add(&mut self, whole: Option<ItemKind>, name: &str, table: &Result<Table, String>) {
        match (whole, table) {
            (None, Ok(table)) => self.study(name, table.clone()),
            (None, Err(_)) => drop(self.unreadable.insert(name.to_owned())),
            (Some(ItemKind::Figure), Ok(table)) => drop(self.figures.insert(name.to_owned(), table.clone())),
            _ => {}
        }
    }

    /// Adds a study.
    fn study(&mut self, name: &str, mut table: Table) {
        let (named, experiment) = taken(name, &mut table);
        for (kind, declared) in named {
            let Some(Value::Table(declared)) = declared else { continue };
            for (name, value) in declared {
                match (kind, value) {
                    (ItemKind::Experiment, Value::Table(own)) => self.study(&name, varied(own, experiment)),
                    (ItemKind::Figure, Value::Table(own)) => drop(self.figures.insert(name, own)),
                    _ => {}
                }
            }
        }
        self.experiments.insert(name.to_owned(), table);
    }

    /// The keys of an experiment, with those that it has from others.
    fn experiment(&self, name: &str, own: Table) -> Result<Table, String> {
        like(name, own, &self.experiments).map_err(|(other, why)| match self.unreadable.contains(&other) {
            true => format!("the file of {other} is no TOML: `noregret run -n run/{other}` tells where"),
            false => why,
        })
    }

    /// The keys of a figure or table, with those that it has from others and from its study.
    fn exhibit(
        &self,
        kind: ItemKind,
        (name, place): (&str, &str),
        mut own: Table,
        experiment: Option<&str>,
        study: &Table,
    ) -> Result<Table, String> {
        if kind != ItemKind::Figure {
            exhibits::table(&mut own, experiment, study);
            return Ok(own);
        }
        own = like(name, own, &self.figures).map_err(|(_, why)| format!("{place}: `{LIKE}`: {why}"))?;
        own = claims(own).map_err(|(field, why)| format!("{place}: `{field}`: {why}"))?;
        own = parts(own, study).map_err(|(field, why)| format!("{place}: `{PARTS}.{field}`: {why}"))?;
        exhibits::figure(&mut own, experiment, study);
        Ok(own)
    }
}

/// The table of this name, completed with the one that it is `like`, which may be like another one. The error is the one that is named, and
/// what is wrong with that.
fn like(own: &str, mut table: Table, known: &BTreeMap<String, Table>) -> Result<Table, (String, String)> {
    let mut seen: Vec<String> = Vec::new();
    while let Some(other) = table.remove(LIKE) {
        let Some(name) = other.as_str().map(str::to_owned) else {
            return Err((String::new(), format!("{other} is no name")));
        };
        let Some(base) = known.get(&name) else {
            let hint = did_you_mean(&name, known.keys().map(String::as_str).filter(|one| *one != own));
            let why = format!("there is no {other} to be like{hint}");
            return Err((name, why));
        };
        let circle = seen.contains(&name);
        seen.push(name);
        if circle {
            let last = seen.last().cloned().unwrap_or_default();
            return Err((last, format!("goes round in a circle: {}", seen.join(", "))));
        }
        complete(&mut table, base);
    }
    Ok(table)
}

#[cfg(test)]
mod tests;
