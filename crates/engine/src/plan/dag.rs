//! The DAG of stages, for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::plan::select::Selection;
use crate::plan::work::{Graph, Need};

/// One flag per stage: whether it was selected, or is read, directly or through others, by one that was.
pub fn needed(graph: &Graph, selection: &Selection) -> Vec<bool> {
    let mut needed = selection.stages.clone();
    for (index, stage) in graph.stages.iter().enumerate().rev() {
        if needed[index] {
            stage.items.iter().flat_map(|item| item.inputs.iter()).for_each(|input| needed[input.stage] = true);
        }
    }
    needed
}

/// A stage as the DAG shows it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Node {
    /// Its name.
    pub stage: String,
    /// How many items it has.
    pub items: usize,
    /// The stages that it reads.
    pub(crate) reads: Vec<String>,
    /// The stages that it reads if they are there.
    pub(crate) reads_if_there: Vec<String>,
}

/// The stages that are shown, as data.
pub fn nodes(graph: &Graph, shown: &[bool]) -> Vec<Node> {
    let edges = edges(graph);
    let stages = graph.stages.iter().enumerate().filter(|(index, _)| shown[*index]);
    stages
        .map(|(index, stage)| {
            let reads = |wanted: bool| {
                let inputs = edges[index].iter().filter(|(_, optional)| *optional == wanted);
                inputs.map(|(input, _)| graph.stages[*input].name.clone()).collect()
            };
            Node {
                stage: stage.name.clone(),
                items: stage.items.len(),
                reads: reads(false),
                reads_if_there: reads(true),
            }
        })
        .collect()
}

/// The stages that each stage reads, and whether it can do without them.
fn edges(graph: &Graph) -> Vec<BTreeSet<(usize, bool)>> {
    graph
        .stages
        .iter()
        .map(|stage| {
            let inputs = stage.items.iter().flat_map(|item| item.inputs.iter());
            let all: BTreeSet<(usize, bool)> = inputs.map(|i| (i.stage, i.need == Need::Optional)).collect();
            // Required wins where both occur.
            all.iter().copied().filter(|&(s, optional)| !optional || !all.contains(&(s, false))).collect()
        })
        .collect()
}

/// One line per stage that is shown: its name, its number of items, and the stages that it reads (`?` marks those that
/// it can do without).
pub fn text(graph: &Graph, shown: &[bool]) -> String {
    let mut out = String::new();
    let nodes = nodes(graph, shown);
    let width = nodes.iter().map(|node| node.stage.len()).max().unwrap_or(0);
    for node in nodes {
        let items = if node.items == 1 { "1 item ".to_owned() } else { format!("{} items", node.items) };
        let _ = write!(out, "{:width$}  {items:>12}", node.stage);
        let optional = node.reads_if_there.into_iter().map(|name| name + "?");
        let names: Vec<String> = node.reads.into_iter().chain(optional).collect();
        if !names.is_empty() {
            let _ = write!(out, "  <- {}", names.join(", "));
        }
        out.push('\n');
    }
    out
}

/// The lines of a picture: one for each stage that is shown, given its index, name and number of items, and one for each
/// edge between them, given input, reader, and whether the reader can do without it.
fn lines(
    graph: &Graph,
    shown: &[bool],
    stage: impl Fn(usize, &str, usize) -> String,
    edge: impl Fn(usize, usize, bool) -> String,
) -> String {
    let edges = edges(graph);
    let stages = || graph.stages.iter().enumerate().filter(|(index, _)| shown[*index]);
    let mut out: String = stages().map(|(index, one)| stage(index, &one.name, one.items.len())).collect();
    for (reader, _) in stages() {
        out.extend(edges[reader].iter().map(|(input, optional)| edge(*input, reader, *optional)));
    }
    out
}

/// A Mermaid flowchart of the stages that are shown, which include all that they read.
pub fn mermaid(graph: &Graph, shown: &[bool]) -> String {
    let stage = |index, name: &str, items| format!("  s{index}[\"{name} ({items})\"]\n");
    let edge = |input, reader, optional| format!("  s{input} {} s{reader}\n", if optional { "-.->" } else { "-->" });
    format!("flowchart LR\n{}", lines(graph, shown, stage, edge))
}

/// A Graphviz digraph of the stages that are shown, which include all that they read.
pub fn dot(graph: &Graph, shown: &[bool]) -> String {
    let stage = |index, name: &str, items| format!("  s{index} [label=\"{name} ({items})\"];\n");
    let edge = |input, reader, optional| {
        format!("  s{input} -> s{reader}{};\n", if optional { " [style=dashed]" } else { "" })
    };
    format!("digraph noregret {{\n  rankdir=LR;\n  node [shape=box];\n{}}}\n", lines(graph, shown, stage, edge))
}
