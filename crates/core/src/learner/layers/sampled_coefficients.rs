//! Coefficients that gain one entry per round and shrink together, and draws of indices in proportion to the absolute
//! values of the coefficients.

use std::cell::RefCell;

use noregret_numeric::draw::Draw;
use noregret_numeric::state::{State, StateError, Store, keep};

/// Coefficients a_1, ..., a_t that change only by appending one and by a common factor. Both take O(1), and a draw
/// takes O(log t): the entries are stored divided by the common factor, with the partial sums of their absolute values,
/// and are hardly ever rewritten. The factor is a power of 1/4, so results equal those of direct storage to the bit.
#[derive(Clone, Debug)]
pub struct SampledCoefficients {
    /// a_i / scale.
    entries: Vec<f64>,
    /// S_i = sum over j <= i of |entries_j|.
    sums: Vec<f64>,
    scale: f64,
    /// The last i with S_i > S_{i-1}.
    last_positive: usize,
    /// a_i when it was appended.
    born: Vec<f64>,
    /// Whether entry i was appended by a shrink.
    shrunk: Vec<bool>,
    /// Buffer for the table of the next sampler.
    table: RefCell<Vec<u32>>,
}

/// Below this scale all entries are rewritten, long before precision is lost.
const SMALLEST: f64 = 3.872_591_914_849_318e-121; // 2^-400

impl Default for SampledCoefficients {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            sums: Vec::new(),
            scale: 1.0,
            last_positive: 0,
            born: Vec::new(),
            shrunk: Vec::new(),
            table: RefCell::default(),
        }
    }
}

impl FromIterator<f64> for SampledCoefficients {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut coefficients = Self::default();
        values.into_iter().for_each(|value| coefficients.push(value));
        coefficients
    }
}

impl SampledCoefficients {
    /// How many coefficients there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// a_i, counted from i = 0.
    #[inline]
    pub(crate) fn at(&self, i: usize) -> f64 {
        self.scale * self.entries[i]
    }

    /// All coefficients.
    pub fn to_vec(&self) -> Vec<f64> {
        self.entries.iter().map(|entry| self.scale * entry).collect()
    }

    /// sum |a_i|.
    pub fn l1_norm(&self) -> f64 {
        self.scale * self.total()
    }

    fn total(&self) -> f64 {
        self.sums.last().copied().unwrap_or(0.0)
    }

    /// Appends `value`.
    pub fn push(&mut self, value: f64) {
        let entry = value / self.scale;
        let sum = self.total() + entry.abs();
        if sum > self.total() {
            self.last_positive = self.entries.len();
        }
        self.entries.push(entry);
        self.sums.push(sum);
        self.born.push(value);
        self.shrunk.push(false);
    }

    /// Divides all coefficients by 4 and appends 0.
    pub fn shrink(&mut self) {
        self.scale *= 0.25;
        if self.scale < SMALLEST {
            let scale = std::mem::replace(&mut self.scale, 1.0);
            self.entries.iter_mut().chain(&mut self.sums).for_each(|value| *value *= scale);
            let positive = |i: &usize| self.sums[*i] > i.checked_sub(1).map_or(0.0, |before| self.sums[before]);
            self.last_positive = (0..self.sums.len()).rev().find(positive).unwrap_or(0);
        }
        self.push(0.0);
        if let Some(last) = self.shrunk.last_mut() {
            *last = true;
        }
    }

    /// The smallest i (from 0) with S_i > u S_t. For u uniform on [0, 1), this is i with probability |a_i| / sum |a_j|,
    /// and never an i with a_i = 0 unless all coefficients are 0.
    pub fn index(&self, u: f64) -> usize {
        let target = u * self.total();
        // u S_t may be rounded up to S_t.
        self.sums.partition_point(|sum| *sum <= target).min(self.last_positive)
    }

    /// A sampler of indices for about `count` draws.
    pub(crate) fn sampler(&self, count: u64) -> Sampler<'_> {
        let n = self.sums.len();
        let mut starts = self.table.take();
        starts.clear();
        // If there are enough draws, the unit interval is cut into pieces, each with the index at which its search
        // starts.
        if count >= n as u64 / 4 && n > 8 && u32::try_from(n).is_ok() {
            let pieces = n.next_power_of_two();
            let width = 1.0 / pieces as f64;
            starts.reserve_exact(pieces);
            let mut i = 0;
            for piece in 0..pieces {
                let target = (piece as f64 * width) * self.total();
                while i < self.last_positive && self.sums[i] <= target {
                    i += 1;
                }
                starts.push(i as u32);
            }
        }
        Sampler { coefficients: self, starts }
    }

    /// sum_k sgn(a_{i_k}) p_k over the indices i_k and the `products` p_k. If a [`Sampler`] draws the m indices, |a|_1
    /// / m times this sum is an unbiased estimate of sum_i a_i E p(i).
    pub fn signed_sum(&self, chosen: &[usize], products: &[f64]) -> f64 {
        let terms = chosen.iter().zip(products);
        terms.map(|(i, product)| if self.entries[*i] < 0.0 { -product } else { *product }).sum()
    }

    /// The mean of the coefficients over their history: (1/t) sum_{s=1..t} of a_i before round s, where round s
    /// appended entry s. Entry i first counts in round i + 1, so the last entry does not count.
    pub fn averaged(&self) -> Vec<f64> {
        let rounds = self.born.len() as f64;
        let mut means = vec![0.0; self.born.len()];
        // sum_{s > i} 4^-(number of shrinks after i was appended and before round s), from the last entry backwards.
        let mut weight = 0.0;
        for i in (0..self.born.len()).rev() {
            means[i] = self.born[i] * weight / rounds;
            weight = 1.0 + if self.shrunk[i] { 0.25 * weight } else { weight };
        }
        means
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        25 * self.entries.len() as u64
    }
}

impl State for SampledCoefficients {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: entries, sums, scale, last_positive, born, shrunk; table);
        let count = entries.len();
        let agree = [sums.len(), born.len(), shrunk.len()] == [count; 3] && *last_positive < count.max(1);
        store.check(agree, "has entries, sums and histories of different numbers")
    }
}

/// Draws indices in proportion to |a_i|: by binary search, or from a table of starting points in O(1) expected time.
/// Both find the same index for the same number.
#[derive(Clone, Debug)]
pub(crate) struct Sampler<'a> {
    coefficients: &'a SampledCoefficients,
    /// For piece b of 2^k: the smallest i with S_i > (b / 2^k) S_t. Empty if there is no table.
    starts: Vec<u32>,
}

/// Leaves the table's memory to the next sampler.
impl Drop for Sampler<'_> {
    fn drop(&mut self) {
        self.coefficients.table.replace(std::mem::take(&mut self.starts));
    }
}

impl Sampler<'_> {
    /// As [`SampledCoefficients::index`].
    #[inline]
    pub(crate) fn index(&self, u: f64) -> usize {
        let Some(start) = self.starts.get((u * self.starts.len() as f64) as usize) else {
            return self.coefficients.index(u);
        };
        let (sums, target) = (&self.coefficients.sums, u * self.coefficients.total());
        let mut i = *start as usize;
        while i < self.coefficients.last_positive && sums[i] <= target {
            i += 1;
        }
        i
    }

    /// Draws `found.len()` indices, one uniform number for each.
    pub(crate) fn sample(&self, draw: &mut Draw, found: &mut [usize]) {
        found.fill_with(|| self.index(draw.uniform()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::draw::{Draws, Role};

    /// 3,000 random operations, half of them shrinks, against direct storage.
    #[test]
    fn equals_direct_storage() {
        let mut draw = Draws::named(&["prefix"]).at(Role::Start, 0);
        let (mut coefficients, mut direct, mut history) =
            (SampledCoefficients::default(), Vec::<f64>::new(), vec![Vec::new()]);
        for step in 0..3_000 {
            if step < 200 && draw.below(8) == 0 || step >= 200 && draw.below(2) == 0 {
                coefficients.shrink();
                direct.iter_mut().for_each(|value| *value *= 0.25);
                direct.push(0.0);
            } else {
                let value = draw.normal();
                coefficients.push(value);
                direct.push(value);
            }
            if step < 200 {
                history.push(direct.clone());
            }
            if step == 199 {
                let averaged = coefficients.averaged();
                for (i, found) in averaged.iter().enumerate() {
                    let sum: f64 = history[..200].iter().filter_map(|values| values.get(i)).sum();
                    assert!((found - sum / 200.0).abs() <= 1e-15 * (1.0 + found.abs()), "{i}: {found} {}", sum / 200.0);
                }
            }
        }
        for (found, expected) in coefficients.to_vec().iter().zip(&direct) {
            assert!((found - expected).abs() <= 1e-15 * expected.abs() + 1e-120, "{found} {expected}");
        }
        let l1: f64 = direct.iter().map(|value| value.abs()).sum();
        assert!((coefficients.l1_norm() - l1).abs() <= 1e-12 * l1);
    }

    /// 2,000,000 draws from 40 coefficients with zeros and both signs: chi-squared with 29 degrees of freedom stays
    /// below its quantile of level 1 - 1e-6 (81.2). No zero is drawn.
    #[test]
    fn draws_follow_the_absolute_values() {
        let mut draw = Draws::named(&["prefix draws"]).at(Role::Start, 0);
        let mut coefficients = SampledCoefficients::default();
        for i in 0..40 {
            match i % 8 {
                3 => coefficients.push(0.0),
                6 => coefficients.shrink(),
                _ => coefficients.push(draw.normal() * 0.5f64.powi(i / 4)),
            }
        }
        let (mut counts, total) = ([0u64; 40], 2_000_000);
        let sampler = coefficients.sampler(total);
        assert!(!sampler.starts.is_empty());
        let mut found = vec![0; total as usize];
        sampler.sample(&mut draw, &mut found);
        found.iter().for_each(|i| counts[*i] += 1);
        let (l1, total) = (coefficients.l1_norm(), total as f64);
        let mut statistic = 0.0;
        for (i, count) in counts.iter().enumerate() {
            let expected = total * coefficients.at(i).abs() / l1;
            if expected == 0.0 {
                assert_eq!(*count, 0, "{i}");
            } else {
                statistic += (*count as f64 - expected).powi(2) / expected;
            }
        }
        assert!(statistic < 81.2, "{statistic}");
    }
    /// The table of starting points changes no index, not even at its own edges and next to 1.
    #[test]
    fn a_table_finds_what_the_search_finds() {
        let mut draw = Draws::named(&["prefix table"]).at(Role::Start, 0);
        let mut coefficients = SampledCoefficients::default();
        for i in 0..300 {
            let value = if i % 7 == 0 { 0.0 } else { draw.normal() * 10f64.powi(i % 5 - 2) };
            if i % 50 == 49 {
                coefficients.shrink()
            } else {
                coefficients.push(value)
            }
            let (table, none) = (coefficients.sampler(1_000_000), coefficients.sampler(0));
            assert_eq!((table.starts.is_empty(), none.starts.is_empty()), (i < 8, true));
            let edges = (0..16).flat_map(|k| [f64::from(k) / 16.0, (f64::from(k + 1) / 16.0).next_down()]);
            for u in edges.chain((0..20).map(|_| draw.uniform())) {
                assert_eq!(table.index(u), coefficients.index(u), "{u} of {} entries", i + 1);
            }
        }
    }
}
