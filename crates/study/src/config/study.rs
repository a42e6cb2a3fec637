//! The files of `pipeline/`, taken apart: a study is an experiment with its figures, tables and rows of rates in one file,
//! and leaves out what these share with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use noregret_papers::paper::Paper;
use toml::{Table, Value};

use super::grid::{ZIP, complete, rows};
use super::{ConfigError, did_you_mean};
use noregret_data::listing;

/// What a file of `pipeline/` may declare, beside datasets, learners and profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    /// An experiment: the top of a study.
    Experiment,
    /// `[figure.NAME]`
    Figure,
    /// `[table.NAME]`
    Table,
    /// `[rate.NAME]`
    Rate,
}

impl ItemKind {
    /// The exhibits of a study.
    const EXHIBITS: [ItemKind; 3] = [ItemKind::Figure, ItemKind::Table, ItemKind::Rate];

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
            let whole = ItemKind::EXHIBITS.into_iter().find(|kind| kind.folder() == Some(&folder));
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
                (None, Ok(table)) => studies.study(&folder, &name, &file, table, &known)?,
            }
        }
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

    fn add(&mut self, kind: ItemKind, name: String, item: StudyItem) -> Result<(), ConfigError> {
        let known = self.0.entry(kind).or_default();
        if let Some(other) = known.get(&name) {
            let file = other.file.display();
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
                let table = table.and_then(|table| known.exhibit(kind, &place, table, None, &Table::new()));
                self.add(kind, name, StudyItem { place, file, table })
            }
        }
    }

    /// A study.
    fn study(
        &mut self,
        folder: &str,
        name: &str,
        file: &Path,
        table: Table,
        known: &Templates,
    ) -> Result<(), ConfigError> {
        let shown = file.display();
        let mut table = match like(table, &known.experiments) {
            Ok(table) => table,
            Err(why) => {
                let wrong = format!("{shown}: `{LIKE}`: {why}");
                return self.whole(ItemKind::Experiment, name.to_owned(), file.to_owned(), Err(wrong), known);
            }
        };
        let exhibits = ItemKind::EXHIBITS.map(|kind| (kind, table.remove(kind.key())));
        let paper = Paper::ALL.iter().find(|paper| paper.id() == folder).map(|paper| paper.id());
        let experiment = Some(name).filter(|_| !table.is_empty());
        if let Some(paper) = paper {
            table.entry("paper").or_insert(paper.into());
        }
        for (kind, declared) in exhibits {
            let wrong = |field: String| {
                let why = format!("must be a table: [{}.NAME]", kind.key());
                ConfigError::Field { path: shown.to_string(), field, why }
            };
            let declared = match declared {
                None => continue,
                Some(Value::Table(declared)) => declared,
                Some(_) => return Err(wrong(kind.key().to_owned())),
            };
            for (name, value) in declared {
                let field = format!("{}.{name}", kind.key());
                let Value::Table(own) = value else { return Err(wrong(field)) };
                if !listing::is_name(&name) {
                    let why = format!("a name consists of {}", listing::RULE);
                    return Err(ConfigError::Field { path: shown.to_string(), field, why });
                }
                let place = format!("{shown}: {field}");
                if kind == ItemKind::Rate {
                    self.rates(name, (&place, file), own, experiment.map(|name| (name, &table)))?;
                    continue;
                }
                let own = known.exhibit(kind, &place, own, experiment, &table);
                self.add(kind, name, StudyItem { place, file: file.to_owned(), table: own })?;
            }
        }
        match experiment {
            None => Ok(()),
            Some(name) => {
                let item = StudyItem { place: shown.to_string(), file: file.to_owned(), table: Ok(table) };
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
                inherit(ItemKind::Rate, &mut row, Some(experiment), table);
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
        if path.is_dir() && !name.starts_with('.') && !OTHERS.contains(&name.as_str()) {
            found.push((name, path));
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

/// What others may be like, by name, as the files say it.
#[derive(Default)]
struct Templates {
    experiments: BTreeMap<String, Table>,
    figures: BTreeMap<String, Table>,
}

impl Templates {
    /// Adds what a file declares.
    fn add(&mut self, whole: Option<ItemKind>, name: &str, table: &Result<Table, String>) {
        let Ok(table) = table else { return };
        match whole {
            None => {
                let mut experiment = table.clone();
                let exhibits = ItemKind::EXHIBITS.map(|kind| experiment.remove(kind.key()));
                let figures = exhibits.into_iter().next().flatten();
                if let Some(Value::Table(figures)) = figures {
                    let tables = figures.into_iter().filter_map(|(name, one)| Some((name, one.as_table()?.clone())));
                    self.figures.extend(tables);
                }
                self.experiments.insert(name.to_owned(), experiment);
            }
            Some(ItemKind::Figure) => drop(self.figures.insert(name.to_owned(), table.clone())),
            Some(_) => {}
        }
    }

    /// The keys of a figure or table, with those that it has from others and from its study.
    fn exhibit(
        &self,
        kind: ItemKind,
        place: &str,
        mut own: Table,
        experiment: Option<&str>,
        study: &Table,
    ) -> Result<Table, String> {
        if kind == ItemKind::Figure {
            own = like(own, &self.figures).map_err(|why| format!("{place}: `{LIKE}`: {why}"))?;
            own = claims(own).map_err(|(field, why)| format!("{place}: `{field}`: {why}"))?;
            own = parts(own).map_err(|(field, why)| format!("{place}: `{PARTS}.{field}`: {why}"))?;
        }
        inherit(kind, &mut own, experiment, study);
        Ok(own)
    }
}

/// A table, completed with the one that it is `like`.
fn like(mut table: Table, known: &BTreeMap<String, Table>) -> Result<Table, String> {
    let Some(other) = table.remove(LIKE) else { return Ok(table) };
    match other.as_str().and_then(|name| known.get(name)) {
        Some(base) if !base.contains_key(LIKE) => complete(&mut table, base),
        Some(_) => return Err(format!("{other} is like another one itself; name that one")),
        None => {
            let hint = other.as_str().map(|name| did_you_mean(name, known.keys().map(String::as_str)));
            let hint = hint.unwrap_or_default();
            return Err(format!("there is no {other} to be like{hint}"));
        }
    }
    Ok(table)
}

/// What the axis of a figure is called that shows one of these, or shows something against it, where the figure does not
/// say.
const AXES: [(&str, &str); 5] = [
    ("round", "round t"),
    ("horizon", "horizon T"),
    ("processor_time", "processor time (s)"),
    ("error_rate", "error rate"),
    ("regret", "regret"),
];

/// Gives an exhibit what it leaves out: what most exhibits say, and what it has from the experiment of its study.
fn inherit(kind: ItemKind, own: &mut Table, experiment: Option<&str>, study: &Table) {
    fn default(own: &mut Table, key: &str, value: Value) {
        own.entry(key).or_insert(value);
    }
    if kind != ItemKind::Rate
        && !own.contains_key("section")
        && let Some(paper) = study.get("paper")
    {
        default(own, "paper", paper.clone());
    }
    match kind {
        ItemKind::Experiment => {}
        ItemKind::Rate => {
            if let Some(name) = experiment {
                default(own, "experiment", name.into());
            }
            if let Some(horizons) = study.get("horizons") {
                default(own, "horizons", horizons.clone());
            }
        }
        ItemKind::Table => default(own, "experiments", experiment.into_iter().collect::<Vec<_>>().into()),
        ItemKind::Figure => {
            let others = ["functions", "rates", "errata"].iter().any(|key| own.contains_key(*key));
            if let Some(name) = experiment.filter(|_| !others) {
                default(own, "experiments", vec![name].into());
            }
            if own.contains_key(PARTS) {
                for key in ["x", "y"] {
                    default(own, key, "".into());
                }
            } else {
                drawn(own);
            }
        }
    }
}

/// Gives a figure, or a part of one, the kind and the axes that it leaves out.
fn drawn(own: &mut Table) {
    own.entry("kind").or_insert("curves".into());
    for (axis, option) in [("x", "against"), ("y", "show")] {
        let quantity = own.get("options").and_then(|options| options.get(option)?.as_str());
        let words = AXES.iter().find(|(name, _)| Some(*name) == quantity).map(|(_, words)| *words);
        if let Some(words) = words {
            own.entry(axis).or_insert(words.into());
        }
    }
}

/// A figure with a claim for each row of its zipped claims.
fn claims(mut figure: Table) -> Result<Table, (String, String)> {
    let Some(Value::Array(given)) = figure.get("claims") else { return Ok(figure) };
    let mut all = Vec::new();
    for (i, claim) in given.iter().enumerate() {
        match claim {
            Value::Table(claim) => {
                let rows = worded(claim).map_err(|(field, why)| (format!("claims[{i}].{field}"), why))?;
                all.extend(rows.into_iter().map(Value::Table));
            }
            other => all.push(other.clone()),
        }
    }
    figure.insert("claims".into(), all.into());
    Ok(figure)
}

/// The key of the parts of a figure.
const PARTS: &str = "subfigures";

/// A figure whose parts, where it has some, say what they have from it: kind, axes, options.
fn parts(mut figure: Table) -> Result<Table, (String, String)> {
    let Some(Value::Table(mut parts)) = figure.remove(PARTS) else { return Ok(figure) };
    let shared =
        ["kind", "x", "y", "options"].into_iter().filter_map(|key| Some((key.to_owned(), figure.remove(key)?)));
    let shared = Table::from_iter(shared);
    for (name, part) in parts.iter_mut() {
        let Value::Table(part) = part else { continue };
        *part = claims(std::mem::take(part)).map_err(|(field, why)| (format!("{name}.{field}"), why))?;
        complete(part, &shared);
        drawn(part);
    }
    figure.insert(PARTS.into(), parts.into());
    Ok(figure)
}

/// The key of zipped words that stand in texts, `{r}` for `zip.words.r`.
const WORDS: &str = "words";

/// The rows of a table's zipped lists, with their words put into its texts.
fn worded(table: &Table) -> Result<Vec<Table>, (String, String)> {
    if !table.contains_key(ZIP) {
        return Ok(vec![table.clone()]);
    }
    let mut rows = rows(table)?;
    for row in &mut rows {
        if let Some(Value::Table(words)) = row.remove(WORDS) {
            row.iter_mut().for_each(|(_, value)| put(&words, value));
        }
    }
    Ok(rows)
}

/// Puts words into the texts of a value.
fn put(words: &Table, value: &mut Value) {
    match value {
        Value::String(text) => {
            for (name, word) in words {
                let word = word.as_str().map_or_else(|| word.to_string(), str::to_owned);
                *text = text.replace(&format!("{{{name}}}"), &word);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| put(words, value)),
        Value::Table(table) => table.iter_mut().for_each(|(_, value)| put(words, value)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts have options and axes from their figure, unless they say otherwise; their claims may be zipped.
    #[test]
    fn parts_have_what_they_do_not_say_from_their_figure() {
        let text = "
            y = 'loss'
            options = { show = 'regret', against = 'horizon', order = ['a'] }
            [subfigures.a]
            options.order = ['b']
            [subfigures.b]
            kind = 'pareto'
            y = 'time'
            [[subfigures.b.claims]]
            text = 'of {which}'
            zip.words.which = ['one', 'two']
        ";
        let figure = parts(toml::from_str(text).unwrap()).unwrap();
        let expected = "
            [subfigures.a]
            kind = 'curves'
            x = 'horizon T'
            y = 'loss'
            options = { show = 'regret', against = 'horizon', order = ['b'] }
            [subfigures.b]
            kind = 'pareto'
            x = 'horizon T'
            y = 'time'
            options = { show = 'regret', against = 'horizon', order = ['a'] }
            claims = [{ text = 'of one' }, { text = 'of two' }]
        ";
        assert_eq!(figure, toml::from_str(expected).unwrap());
        let wrong = text.replace("['one', 'two']", "'one'");
        assert!(parts(toml::from_str(&wrong).unwrap()).unwrap_err().0.starts_with("b.claims[0]"));
    }
}
