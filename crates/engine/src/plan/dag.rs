//! The DAG of stages, for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::plan::work::{Graph, Need};

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

/// One line per stage: its name, its number of items, and the stages that it reads (`?` marks those that it can do
/// without).
pub fn text(graph: &Graph) -> String {
    let mut out = String::new();
    let width = graph.stages.iter().map(|stage| stage.name.len()).max().unwrap_or(0);
    for (stage, inputs) in graph.stages.iter().zip(edges(graph)) {
        let count = stage.items.len();
        let items = if count == 1 { "1 item ".to_owned() } else { format!("{count} items") };
        let _ = write!(out, "{:width$}  {items:>12}", stage.name);
        let names: Vec<String> = inputs
            .iter()
            .map(|&(input, optional)| format!("{}{}", graph.stages[input].name, if optional { "?" } else { "" }))
            .collect();
        if !names.is_empty() {
            let _ = write!(out, "  <- {}", names.join(", "));
        }
        out.push('\n');
    }
    out
}

/// A Mermaid flowchart.
pub fn mermaid(graph: &Graph) -> String {
    let mut out = String::from("flowchart LR\n");
    for (index, stage) in graph.stages.iter().enumerate() {
        let _ = writeln!(out, "  s{index}[\"{} ({})\"]", stage.name, stage.items.len());
    }
    for (index, inputs) in edges(graph).iter().enumerate() {
        for (input, optional) in inputs {
            let _ = writeln!(out, "  s{input} {} s{index}", if *optional { "-.->" } else { "-->" });
        }
    }
    out
}

/// A Graphviz digraph.
pub fn dot(graph: &Graph) -> String {
    let mut out = String::from("digraph noregret {\n  rankdir=LR;\n  node [shape=box];\n");
    for (index, stage) in graph.stages.iter().enumerate() {
        let _ = writeln!(out, "  s{index} [label=\"{} ({})\"];", stage.name, stage.items.len());
    }
    for (index, inputs) in edges(graph).iter().enumerate() {
        for (input, optional) in inputs {
            let _ = writeln!(out, "  s{input} -> s{index}{};", if *optional { " [style=dashed]" } else { "" });
        }
    }
    out.push_str("}\n");
    out
}
