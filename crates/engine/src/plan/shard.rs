//! Shards: the cells of a grid, dealt out to tasks that share a store and nothing else.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use crate::plan::estimate::CostRates;
use crate::plan::select::Selection;
use crate::plan::work::Graph;

/// One of `count` shards, written `I/N` with I from 1 to N.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 1.
    pub(crate) index: usize,
    /// Of how many.
    pub(crate) count: NonZeroUsize,
}

impl Shard {
    /// Its cells, when all cells that the selection contains or needs are dealt out, made or not. They depend on the
    /// configuration alone: shards may begin at different times, on machines that share no folder, and together still
    /// cover the whole grid. For the same reason weights are forecast costs and not measured times.
    pub(crate) fn of_all(self, graph: &Graph, selection: &Selection) -> Vec<(usize, usize)> {
        let cells = cells(graph, selection);
        let rates = CostRates::default();
        let weights: Vec<f64> =
            cells.iter().map(|&(stage, item)| rates.guess(&graph.stages[stage].work.estimate(item))).collect();
        let shards = deal(&weights, self.count);
        cells.into_iter().zip(shards).filter(|(_, shard)| *shard == self.index).map(|(cell, _)| cell).collect()
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shard = text.split_once('/').and_then(|(index, count)| {
            let shard = Self { index: index.parse().ok()?, count: count.parse().ok()? };
            (1..=shard.count.get()).contains(&shard.index).then_some(shard)
        });
        shard.ok_or_else(|| format!("a shard is I/N with I from 1 to N, such as 3/8; found `{text}`"))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// The cells that were asked for, or that something asked for needs: (stage, item), in the order of the graph.
pub(crate) fn cells(graph: &Graph, selection: &Selection) -> Vec<(usize, usize)> {
    let mut needed: Vec<Vec<bool>> = graph.stages.iter().map(|stage| vec![false; stage.items.len()]).collect();
    let mut wholes = vec![false; graph.stages.len()];
    for (index, stage) in graph.stages.iter().enumerate().rev() {
        for (position, item) in stage.items.iter().enumerate() {
            if !selection.asks(index, position) && !wholes[index] && !needed[index][position] {
                continue;
            }
            needed[index][position] = true;
            for input in item.inputs.iter() {
                match input.item {
                    Some(item) => needed[input.stage][item] = true,
                    None => wholes[input.stage] = true,
                }
            }
        }
    }
    let stages = graph.stages.iter().zip(needed).enumerate().filter(|(_, (stage, _))| stage.work.is_cell());
    stages
        .flat_map(|(stage, (_, items))| {
            items.into_iter().enumerate().filter(|(_, needed)| *needed).map(move |(item, _)| (stage, item))
        })
        .collect()
}

/// What a cell costs in seconds besides its work: reading, writing, syncing. It keeps many tiny cells from going to one
/// shard.
const OVERHEAD: f64 = 0.01;

/// Deals cells out to shards 1 to `count` so that their sums of `weights` (seconds, finite, not negative) are about
/// equal: the heaviest cells first, each to the shard that has the least so far. The largest sum is at most 4/3 of the
/// smallest possible one (Graham, "Bounds on multiprocessing timing anomalies", 1969).
pub(crate) fn deal(weights: &[f64], count: NonZeroUsize) -> Vec<usize> {
    /// Sums are finite and not negative, so that their bits have the same order.
    fn order(sum: f64) -> u64 {
        sum.to_bits()
    }
    let mut heaviest: Vec<usize> = (0..weights.len()).collect();
    heaviest.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    // Of more shards than cells, the last ones have nothing.
    let shards = 1..=count.get().min(weights.len());
    let mut least: BinaryHeap<Reverse<(u64, usize)>> = shards.map(|shard| Reverse((0, shard))).collect();
    let mut shards = vec![0; weights.len()];
    for cell in heaviest {
        let Some(Reverse((sum, shard))) = least.pop() else { break };
        shards[cell] = shard;
        least.push(Reverse((order(f64::from_bits(sum) + weights[cell].max(0.0) + OVERHEAD), shard)));
    }
    shards
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::key::content;

    fn count(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).expect("not zero")
    }

    #[test]
    fn a_shard_is_one_of_some() {
        let shard: Shard = "3/8".parse().expect("a shard");
        assert_eq!((shard.index, shard.count.get(), shard.to_string()), (3, 8, "3/8".to_owned()));
        for wrong in ["", "3", "0/8", "9/8", "1/0", "-1/2", "1/2/3", "a/b"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    /// Random weights over four decades: two shards differ by one cell at most, and many cells fill them evenly.
    #[test]
    fn sums_are_about_equal() {
        for n in [1_u16, 7, 40, 300] {
            let random = |cell: u16| {
                let digest = content(&[n, cell].map(u16::to_le_bytes).concat());
                u16::from_le_bytes([digest[0], digest[1]])
            };
            let weights: Vec<f64> = (0..n).map(|cell| 10f64.powf(f64::from(random(cell)) / 16_384.0)).collect();
            for shards in [1, 3, 8] {
                let dealt = deal(&weights, count(shards));
                let mut sums = vec![0.0; shards];
                dealt.iter().zip(&weights).for_each(|(&shard, weight)| sums[shard - 1] += weight + OVERHEAD);
                let heaviest = weights.iter().copied().fold(0.0, f64::max) + OVERHEAD;
                let largest = sums.iter().copied().fold(0.0, f64::max);
                let smallest = sums.iter().copied().fold(f64::INFINITY, f64::min);
                assert!(largest - smallest <= heaviest, "{n} cells in {shards} shards: {smallest} to {largest}");
                let bound = (sums.iter().sum::<f64>() / shards as f64).max(heaviest);
                assert!(n < 300 || largest <= 1.05 * bound, "{n} cells in {shards} shards: {largest} of {bound}");
            }
        }
    }

    #[test]
    fn shards_without_cells_cost_nothing() {
        assert_eq!(deal(&[1.0, 3.0, 2.0], count(usize::MAX)), [3, 1, 2]);
        assert!(deal(&[], count(usize::MAX)).is_empty());
    }

    #[test]
    fn cells_without_weight_are_spread_as_well() {
        let dealt = deal(&[0.0; 40], count(8));
        assert!((1..=8).all(|shard| dealt.iter().filter(|&&one| one == shard).count() == 5), "{dealt:?}");
    }
}
