//! Products of vectors.
//!
//! The order of summation is fixed here (sixteen running sums, added pairwise at the end) and no multiplication is
//! fused with an addition unless a function says so, so that results are bit-identical whatever vector instructions the processor has and
//! wherever the data lie in memory.

use crate::linalg::simd::vectorised;

/// Running sums of one product; enough to hide the latency of an addition.
const LANES: usize = 16;

vectorised! {
    /// sum_i a_i b_i, over the length of the shorter slice.
    pub fn dot<'a>(a: &'a [f64], b: &'a [f64]) -> f64 {
        dot_lanes(a, b)
    }
}

#[inline(always)]
fn dot_lanes(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a_whole, a_rest) = a[..n].as_chunks::<LANES>();
    let (b_whole, b_rest) = b[..n].as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a_whole.iter().zip(b_whole) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    for (sum, (a, b)) in sums.iter_mut().zip(a_rest.iter().zip(b_rest)) {
        *sum += a * b;
    }
    total(sums)
}

/// The sum of the running sums.
#[inline(always)]
fn total(mut sums: [f64; LANES]) -> f64 {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

/// sum_i a_i^2.
pub fn squared_norm(a: &[f64]) -> f64 {
    dot(a, a)
}

vectorised! {
    /// `out += factor * a`.
    pub fn add_scaled<'a>(out: &'a mut [f64], factor: f64, a: &'a [f64]) -> () {
        for (out, a) in out.iter_mut().zip(a) {
            *out += factor * a;
        }
    }
}

vectorised! {
    /// Adds the rows of `panel` (`stride` apart), times the numbers of `row`, to `sums`, one after the other; products
    /// are fused with sums.
    pub fn add_rows<'a>(sums: &'a mut [f64], row: &'a [f64], panel: &'a [f64], stride: usize) -> () {
        let (fours, rest) = row.as_chunks::<4>();
        let n = sums.len();
        let mut panels = panel.chunks_exact(stride);
        let mut next = || panels.next().map_or(&[][..], |line| &line[..n]);
        for x in fours {
            let (a, b, c, d) = (next(), next(), next(), next());
            for ((((sum, a), b), c), d) in sums.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *sum = x[3].mul_add(*d, x[2].mul_add(*c, x[1].mul_add(*b, x[0].mul_add(*a, *sum))));
            }
        }
        for x in rest {
            for (sum, a) in sums.iter_mut().zip(next()) {
                *sum = x.mul_add(*a, *sum);
            }
        }
    }
}

vectorised! {
    /// `out[i]` += the product of row i of `panel` (`stride` apart) with `x`.
    pub fn add_products<'a>(out: &'a mut [f64], panel: &'a [f64], stride: usize, x: &'a [f64]) -> () {
        for (out, row) in out.iter_mut().zip(panel.chunks_exact(stride)) {
            *out += dot_lanes(&row[..x.len()], x);
        }
    }
}

vectorised! {
    /// Solves `L out = rhs` in place for a lower triangle stored row after row: row i starts at `i * stride`, and only
    /// its first i + 1 entries are read. `before` holds the solution for earlier rows: row i starts with `before.len()`
    /// coefficients of those.
    pub fn solve_lower<'a>(lower: &'a [f64], stride: usize, before: &'a [f64], rhs: &'a mut [f64]) -> () {
        for i in 0..rhs.len() {
            let (earlier, row) = lower[i * stride..].split_at(before.len());
            let known = dot_lanes(earlier, before) + dot_lanes(&row[..i], &rhs[..i]);
            rhs[i] = (rhs[i] - known) / row[i];
        }
    }
}

vectorised! {
    /// [`solve_lower`] for two right sides, with the same bits.
    pub(crate) fn solve_lower_twice<'a>(
        lower: &'a [f64],
        stride: usize,
        before: [&'a [f64]; 2],
        rhs: [&'a mut [f64]; 2],
    ) -> () {
        let [one, other] = rhs;
        for i in 0..one.len() {
            let (earlier, row) = lower[i * stride..].split_at(before[0].len());
            let known = dots_lanes(earlier, before);
            let inside = dots_lanes(&row[..i], [&one[..i], &other[..i]]);
            one[i] = (one[i] - (known[0] + inside[0])) / row[i];
            other[i] = (other[i] - (known[1] + inside[1])) / row[i];
        }
    }
}

/// The products of `a` with two vectors as long as it, as [`dot`] computes them.
#[inline(always)]
fn dots_lanes(a: &[f64], b: [&[f64]; 2]) -> [f64; 2] {
    let n = a.len();
    let (a_whole, a_rest) = a.as_chunks::<LANES>();
    let (b_whole, b_rest) = b[0][..n].as_chunks::<LANES>();
    let (c_whole, c_rest) = b[1][..n].as_chunks::<LANES>();
    let (mut b_sums, mut c_sums) = ([0.0; LANES], [0.0; LANES]);
    for ((a, b), c) in a_whole.iter().zip(b_whole).zip(c_whole) {
        for lane in 0..LANES {
            b_sums[lane] += a[lane] * b[lane];
            c_sums[lane] += a[lane] * c[lane];
        }
    }
    for (i, a) in a_rest.iter().enumerate() {
        b_sums[i] += a * b_rest[i];
        c_sums[i] += a * c_rest[i];
    }
    [total(b_sums), total(c_sums)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_is_the_sum_whatever_the_length_and_the_alignment() {
        let a: Vec<f64> = (0..103).map(|i| 0.5 + i as f64).collect();
        for offset in 0..9 {
            for n in [0, 1, 5, 15, 16, 17, 32, 94] {
                let exact: f64 = (offset..offset + n).map(|i| (0.5 + i as f64) * 0.25).sum();
                assert_eq!(dot(&a[offset..offset + n], &vec![0.25; n]), exact, "{offset} {n}");
            }
        }
    }

    #[test]
    fn triangular_solve_inverts_the_product() {
        // L = [[2, _], [1, 4]], x = (3, -1).
        let lower = [2.0, f64::NAN, 1.0, 4.0];
        let mut rhs = [6.0, -1.0];
        solve_lower(&lower, 2, &[], &mut rhs);
        assert_eq!(rhs, [3.0, -1.0]);
        // The second row alone, when the solution for the first is known.
        let mut rhs = [-1.0];
        solve_lower(&lower[2..], 2, &[3.0], &mut rhs);
        assert_eq!(rhs, [-1.0]);
    }
}
