//! Which step comes next: among the steps whose inputs are made and that fit into memory, the one that begins the
//! longest remaining path.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::plan::estimate::CostRates;
use crate::plan::planner::Plan;
use crate::plan::work::Graph;

/// What a worker is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// This step of the plan.
    Step(usize),
    /// A step that another run was making when it was last looked at.
    Again(usize),
    /// Nothing now; running steps will make more steps ready.
    Wait,
    /// Nothing is left.
    Done,
}

/// The steps of a plan that are still to be done.
#[derive(Debug)]
pub(crate) struct Queue {
    /// How many nodes each node waits for. Nodes are the steps, followed by one node per stage that is read as a whole:
    /// a thousand readers of a stage of a thousand items then need two thousand edges and not a million.
    waits: Vec<usize>,
    next: Vec<Vec<usize>>,
    steps: usize,
    ready: BinaryHeap<Ready>,
    held: Vec<usize>,
    /// Whether no step of this run was running when a step was last held: another run holds it then. Of two steps of this
    /// run that make the same, one holds the other.
    is_held_by_others: bool,
    path: Vec<f64>,
    seconds: Vec<f64>,
    bytes: Vec<f64>,
    limit: f64,
    in_use: f64,
    running: usize,
    left: usize,
    seconds_left: f64,
}

/// A step that can begin. The longest path comes first; of equal ones, the first of the plan.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ready {
    /// The bits of its length, which have the order of the numbers, since none is negative.
    path: u64,
    step: Reverse<usize>,
}

/// How many steps that do not fit into memory are skipped in search of one that does.
const PASSED_OVER: usize = 32;

impl Queue {
    /// The queue of a plan. Steps that run at the same time hold at most `limit` bytes; a larger step runs alone.
    pub(crate) fn new(graph: &Graph, plan: &Plan, rates: &CostRates, limit: f64) -> Self {
        let steps = plan.steps.len();
        let (waits, next) = Self::edges(graph, plan);
        let mut queue = Self {
            path: vec![0.0; waits.len()],
            waits,
            next,
            steps,
            ready: BinaryHeap::new(),
            held: Vec::new(),
            is_held_by_others: false,
            seconds: Vec::with_capacity(steps),
            bytes: Vec::with_capacity(steps),
            limit,
            in_use: 0.0,
            running: 0,
            left: steps,
            seconds_left: 0.0,
        };
        for step in &plan.steps {
            let estimate = graph.stages[step.stage].work.estimate(step.item);
            queue.seconds.push(rates.guess(&estimate));
            queue.bytes.push(if estimate.bytes.is_finite() { estimate.bytes.max(0.0) } else { 0.0 });
        }
        queue.seconds_left = queue.seconds.iter().sum();
        queue.find_paths();
        for node in 0..queue.waits.len() {
            if queue.waits[node] == 0 && node < steps {
                queue.make_ready(node);
            }
        }
        // A whole stage in which nothing has to be made holds nothing up.
        for node in steps..queue.waits.len() {
            if queue.waits[node] == 0 {
                queue.release(node);
            }
        }
        queue
    }

    /// How many nodes each node waits for, and which nodes wait for it. After the steps come the nodes of whole stages, which
    /// stand between all steps of a stage and those that read all of it.
    fn edges(graph: &Graph, plan: &Plan) -> (Vec<usize>, Vec<Vec<usize>>) {
        let steps = plan.steps.len();
        let mut of_item: Vec<Vec<Option<usize>>> =
            graph.stages.iter().map(|stage| vec![None; stage.items.len()]).collect();
        for (index, step) in plan.steps.iter().enumerate() {
            of_item[step.stage][step.item] = Some(index);
        }
        let mut waits = vec![0; steps];
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); steps];
        let mut wholes: Vec<Option<usize>> = vec![None; graph.stages.len()];
        for (index, step) in plan.steps.iter().enumerate() {
            for input in graph.stages[step.stage].items[step.item].inputs.iter() {
                let from = match input.item {
                    Some(item) => match of_item[input.stage][item] {
                        Some(from) => from,
                        None => continue,
                    },
                    None => *wholes[input.stage].get_or_insert_with(|| {
                        let whole = waits.len();
                        let members: Vec<usize> = of_item[input.stage].iter().flatten().copied().collect();
                        waits.push(members.len());
                        next.push(Vec::new());
                        members.iter().for_each(|&member| next[member].push(whole));
                        whole
                    }),
                };
                next[from].push(index);
                waits[index] += 1;
            }
        }
        (waits, next)
    }

    /// The length of the longest path from each node to the end. Edges lead from earlier to later steps, some of them
    /// by way of the node of a whole stage.
    fn find_paths(&mut self) {
        for step in (0..self.steps).rev() {
            let mut longest = 0.0_f64;
            for &next in &self.next[step] {
                let after = if next < self.steps {
                    self.path[next]
                } else {
                    // All readers come later in the plan, so their paths are already known.
                    if self.path[next] == 0.0 {
                        self.path[next] = self.next[next].iter().map(|&reader| self.path[reader]).fold(0.0, f64::max);
                    }
                    self.path[next]
                };
                longest = longest.max(after);
            }
            self.path[step] = self.seconds[step] + longest;
        }
    }

    fn make_ready(&mut self, step: usize) {
        self.ready.push(Ready { path: self.path[step].to_bits(), step: Reverse(step) });
    }

    /// Takes the next step and counts it as running. With `again`, it also looks again at steps that another run has.
    pub(crate) fn take(&mut self, again: bool) -> Next {
        let mut passed = Vec::new();
        let mut taken = None;
        while let Some(ready) = self.ready.pop() {
            let Reverse(step) = ready.step;
            if self.running == 0 || self.in_use + self.bytes[step] <= self.limit {
                taken = Some(step);
                break;
            }
            passed.push(ready);
            if passed.len() > PASSED_OVER {
                break;
            }
        }
        self.ready.extend(passed);
        if let Some(step) = taken {
            self.start(step);
            return Next::Step(step);
        }
        if again && !self.held.is_empty() {
            let step = self.held.remove(0);
            self.start(step);
            return Next::Again(step);
        }
        if self.left == 0 { Next::Done } else { Next::Wait }
    }

    fn start(&mut self, step: usize) {
        self.running += 1;
        self.in_use += self.bytes[step];
    }

    /// The step no longer runs. If it was interrupted, nothing that waits for it will become ready.
    pub(crate) fn stop(&mut self, step: usize) {
        self.running -= 1;
        self.in_use = if self.running == 0 { 0.0 } else { self.in_use - self.bytes[step] };
    }

    /// Another run has the step, which is looked at again later.
    pub(crate) fn hold(&mut self, step: usize) {
        self.stop(step);
        self.held.push(step);
        self.is_held_by_others = self.running == 0;
    }

    /// The step has succeeded or failed; what waited for it may now be ready.
    pub(crate) fn finish(&mut self, step: usize) {
        self.stop(step);
        self.left -= 1;
        self.seconds_left -= self.seconds[step];
        self.release(step);
    }

    fn release(&mut self, node: usize) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            for next in std::mem::take(&mut self.next[node]) {
                self.waits[next] -= 1;
                if self.waits[next] == 0 {
                    if next < self.steps {
                        self.make_ready(next);
                    } else {
                        open.push(next);
                    }
                }
            }
        }
    }

    /// Whether the only steps left are those that another run has.
    pub(crate) fn only_held(&self) -> bool {
        self.is_held_by_others && self.running == 0 && self.ready.is_empty() && !self.held.is_empty()
    }

    /// How many steps are left, running ones included.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Forecast of the core seconds left.
    pub(crate) fn seconds_left(&self) -> f64 {
        self.seconds_left.max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::plan::planner::plan;
    use crate::plan::select::select;
    use crate::plan::snapshot::Snapshot;
    use crate::plan::work::{Estimate, Facts, Failure, Item, ItemInput, Job, Need, Product, Stage, Storage, Work};

    /// Items with given cost and memory.
    struct Weights(Vec<Weight>);

    type Weight = (f64, f64);

    impl Work for Weights {
        fn label(&self, item: usize) -> String {
            item.to_string()
        }
        fn facts(&self, _: usize) -> Facts {
            Facts { parameters: serde_json::Value::Null, code: Arc::default() }
        }
        fn estimate(&self, item: usize) -> Estimate {
            Estimate { cost: self.0[item].0, bytes: self.0[item].1, group: String::new() }
        }
        fn execute(&self, _: usize, _: &dyn Job) -> Result<Product, Failure> {
            Ok(Product::Files(Vec::new()))
        }
    }

    fn graph(stages: Vec<(Vec<Weight>, Vec<ItemInput>)>) -> Graph {
        let stages = stages.into_iter().enumerate().map(|(index, (weights, inputs))| Stage {
            name: format!("kind{index}/s"),
            items: (0..weights.len())
                .map(|item| Item { fingerprint: [item as u8; 32], inputs: inputs.clone().into() })
                .collect(),
            work: Arc::new(Weights(weights)),
            storage: Storage::Files,
        });
        Graph { stages: stages.collect() }
    }

    fn queue(graph: &Graph, limit: f64) -> Queue {
        let plan = plan(graph, &select(graph, &[]).expect("no targets"), false, &Snapshot::default());
        Queue::new(graph, &plan, &CostRates::default(), limit)
    }

    #[test]
    fn the_head_of_the_longest_path_comes_first() {
        // Items 0 and 1 are short, but a long stage waits for item 1; item 2 is in between.
        let input = ItemInput { stage: 0, item: Some(1), need: Need::Required };
        let graph = graph(vec![(vec![(1.0, 0.0), (2.0, 0.0), (5.0, 0.0)], vec![]), (vec![(10.0, 0.0)], vec![input])]);
        let mut queue = queue(&graph, 1e9);
        assert_eq!(queue.take(false), Next::Step(1));
        assert_eq!(queue.take(false), Next::Step(2));
        queue.finish(1);
        assert_eq!(queue.take(false), Next::Step(3));
        assert_eq!(queue.take(false), Next::Step(0));
        assert_eq!(queue.take(false), Next::Wait);
        [0, 2, 3].into_iter().for_each(|step| queue.finish(step));
        assert_eq!((queue.take(false), queue.left()), (Next::Done, 0));
        assert!(queue.seconds_left() < 1e-15, "rounding only");
    }

    #[test]
    fn memory_is_bounded_but_the_largest_item_runs_alone() {
        let graph = graph(vec![(vec![(9.0, 100.0), (8.0, 6.0), (7.0, 6.0), (6.0, 4.0)], vec![])]);
        let mut queue = queue(&graph, 10.0);
        assert_eq!(queue.take(false), Next::Step(0), "nothing else runs");
        assert_eq!(queue.take(false), Next::Wait);
        queue.finish(0);
        assert_eq!(queue.take(false), Next::Step(1));
        assert_eq!(queue.take(false), Next::Step(3), "the third does not fit beside the second");
        queue.finish(3);
        assert_eq!(queue.take(false), Next::Wait);
        queue.finish(1);
        assert_eq!(queue.take(false), Next::Step(2));
    }

    #[test]
    fn a_reader_of_a_whole_stage_waits_for_all_of_it() {
        let whole = ItemInput { stage: 0, item: None, need: Need::Required };
        let graph = graph(vec![(vec![(1.0, 0.0); 3], vec![]), (vec![(1.0, 0.0); 2], vec![whole, whole])]);
        let mut queue = queue(&graph, 1e9);
        for _ in 0..3 {
            assert!(matches!(queue.take(false), Next::Step(0..3)));
        }
        queue.finish(0);
        queue.finish(1);
        assert_eq!(queue.take(false), Next::Wait);
        queue.finish(2);
        assert_eq!(queue.take(false), Next::Step(3));
    }

    #[test]
    fn held_steps_come_again_when_asked_for() {
        let graph = graph(vec![(vec![(1.0, 0.0); 2], vec![])]);
        let mut queue = queue(&graph, 1e9);
        assert_eq!((queue.take(false), queue.take(false)), (Next::Step(0), Next::Step(1)));
        queue.hold(0);
        assert!(!queue.only_held());
        queue.finish(1);
        // The other step of this run may have held it.
        assert!(!queue.only_held());
        assert_eq!(queue.take(false), Next::Wait);
        assert_eq!(queue.take(true), Next::Again(0));
        queue.hold(0);
        assert!(queue.only_held());
        assert_eq!(queue.take(true), Next::Again(0));
    }
}
