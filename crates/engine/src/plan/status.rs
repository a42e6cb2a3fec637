//! The state of the stages, for `noregret status`.

use serde::Serialize;

use crate::plan::planner::{ItemStanding, Plan};
use crate::plan::reason::Reason;
use crate::plan::work::Graph;

/// The state of the items of one stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StageStatus {
    /// The stage's name.
    pub stage: String,
    /// Items whose product is there and holds.
    pub fresh: usize,
    /// Items whose product is there but no longer holds, or may not.
    pub stale: usize,
    /// Items without a product.
    pub missing: usize,
    /// Items that failed last time.
    pub failed: usize,
    /// Items that cannot be made here.
    pub unavailable: usize,
    /// The items that are not fresh, each with the reason.
    pub why: Vec<ItemWhy>,
}

/// Why one item is not fresh.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemWhy {
    /// What distinguishes the item within its stage; empty if it has only one.
    pub item: String,
    /// One of `stale`, `missing`, `failed`, `unavailable`.
    pub state: &'static str,
    /// The reason.
    pub reason: String,
    /// What can be done about it, if it is unavailable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// The state of each stage of the plan's selection; `why` adds reasons.
pub fn status(graph: &Graph, plan: &Plan, why: bool) -> Vec<StageStatus> {
    let asked = graph.stages.iter().enumerate().filter(|(index, _)| plan.selection.stages[*index]);
    asked
        .map(|(index, stage)| {
            let mut row = StageStatus { stage: stage.name.clone(), ..StageStatus::default() };
            for (item, standing) in plan.standings[index].iter().enumerate() {
                let (state, reason, remedy) = match standing {
                    ItemStanding::Fresh => {
                        row.fresh += 1;
                        continue;
                    }
                    ItemStanding::Unavailable(unavailable) => {
                        row.unavailable += 1;
                        ("unavailable", unavailable.reason.clone(), Some(unavailable.remedy.clone()))
                    }
                    ItemStanding::ToMake(reason @ Reason::FailedBefore(_)) => {
                        row.failed += 1;
                        ("failed", reason.to_string(), None)
                    }
                    ItemStanding::ToMake(reason) if reason.is_stale() => {
                        row.stale += 1;
                        ("stale", reason.to_string(), None)
                    }
                    ItemStanding::ToMake(reason) => {
                        row.missing += 1;
                        ("missing", plan.reason(graph, (index, item), reason), None)
                    }
                };
                if why {
                    row.why.push(ItemWhy { item: stage.work.label(item), state, reason, remedy });
                }
            }
            row
        })
        .collect()
}
