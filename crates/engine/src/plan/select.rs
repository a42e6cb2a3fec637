//! Targets of the command line: stage names and globs.

use globset::{GlobBuilder, GlobMatcher};

use crate::plan::work::Graph;

/// Which stages were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// One flag per stage of the graph.
    pub stages: Vec<bool>,
    /// One flag per item of each stage, if not all items were asked for.
    pub items: Option<Vec<Vec<bool>>>,
    /// Whether stages were asked for by name or glob, and not just by asking for everything. What could not be reached
    /// is then tried again.
    pub named: bool,
}

impl Selection {
    /// Everything, not by name.
    pub(crate) fn everything(graph: &Graph) -> Self {
        Self { stages: vec![true; graph.stages.len()], items: None, named: false }
    }

    /// Whether an item was asked for.
    pub(crate) fn asks(&self, stage: usize, item: usize) -> bool {
        self.stages[stage] && self.items.as_ref().is_none_or(|items| items[stage][item])
    }

    /// A selection of these items and no others, asked for in the same way.
    pub(crate) fn only(&self, graph: &Graph, chosen: &[(usize, usize)]) -> Self {
        let mut stages = vec![false; graph.stages.len()];
        let mut items: Vec<Vec<bool>> = graph.stages.iter().map(|stage| vec![false; stage.items.len()]).collect();
        for &(stage, item) in chosen {
            stages[stage] = true;
            items[stage][item] = true;
        }
        Self { stages, items: Some(items), named: self.named }
    }
}

/// Why a target cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// No stage has this name.
    #[error("no stage is named `{target}`{}", hint(.nearest))]
    Unknown {
        /// What was asked for.
        target: String,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// The glob cannot be read.
    #[error("`{target}` is not a valid pattern: {problem}")]
    Pattern {
        /// What was asked for.
        target: String,
        /// What is wrong with it.
        problem: String,
    },
}

fn hint(nearest: &Option<String>) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`? (`noregret list stages` lists all)"),
        None => " (`noregret list stages` lists all)".to_owned(),
    }
}

/// Names and globs of stages; an empty list means all stages. `*` also matches `/`.
#[derive(Debug)]
pub struct Targets(Vec<(String, GlobMatcher)>);

impl Targets {
    /// The targets with these names or globs.
    ///
    /// # Errors
    /// A glob that cannot be read.
    pub fn new(targets: &[String]) -> Result<Self, TargetError> {
        let pattern = |target: &String| {
            let glob = GlobBuilder::new(target).build();
            let glob = glob
                .map_err(|error| TargetError::Pattern { target: target.clone(), problem: error.kind().to_string() })?;
            Ok((target.clone(), glob.compile_matcher()))
        };
        Ok(Self(targets.iter().map(pattern).collect::<Result<_, _>>()?))
    }

    /// Whether all stages are meant.
    pub(crate) fn everything(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the stage of this name is meant.
    pub fn name(&self, stage: &str) -> bool {
        self.everything() || self.0.iter().any(|target| names(target, stage))
    }
}

fn names((target, glob): &(String, GlobMatcher), stage: &str) -> bool {
    target == stage || glob.is_match(stage)
}

/// The stages that `targets` name; no target means all.
///
/// # Errors
/// A glob that cannot be read, and a target that names no stage.
pub fn select(graph: &Graph, targets: &[String]) -> Result<Selection, TargetError> {
    let targets = Targets::new(targets)?;
    if targets.everything() {
        return Ok(Selection::everything(graph));
    }
    if let Some((target, _)) =
        targets.0.iter().find(|target| !graph.stages.iter().any(|stage| names(target, &stage.name)))
    {
        return Err(TargetError::Unknown { target: target.clone(), nearest: nearest(graph, target) });
    }
    let stages = graph.stages.iter().map(|stage| targets.name(&stage.name)).collect();
    Ok(Selection { stages, items: None, named: true })
}

/// The stage that is probably meant: one that differs by a few letters, or one of this name without its kind.
fn nearest(graph: &Graph, target: &str) -> Option<String> {
    let names = || graph.stages.iter().map(|stage| stage.name.as_str());
    let close = |name: &str| {
        let distance = strsim::damerau_levenshtein(target, name);
        (distance <= 1 + target.chars().count().min(name.chars().count()) / 4).then_some(distance)
    };
    let whole = names().filter_map(|name| Some((close(name)?, name)));
    // `casp` means `run/casp` rather than another stage of that name.
    let after = names().filter(|_| !target.contains('/')).filter_map(|name| {
        let (kind, rest) = name.split_once('/')?;
        Some(((close(rest)?, kind != "run"), name))
    });
    whole.min().map(|(_, name)| name).or_else(|| after.min().map(|(_, name)| name)).map(str::to_owned)
}
