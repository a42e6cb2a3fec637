//! Taylor features of the Gaussian kernel.

use crate::feature::api::FeatureMap;
use noregret_numeric::linalg::panels::PanelColumn;
use noregret_numeric::linalg::simd::vectorised;
use noregret_numeric::linalg::vector::squared_norm;

/// For every k in N^d with |k| = k_1 + ... + k_d <= M,
///
/// ```text
/// g_k(x) = exp(-|x|^2 / (2 b^2)) prod_i x_i^k_i / (b^k_i sqrt(k_i!)),
/// ```
///
/// These are r = C(M + d, d) orthonormal functions of the Gaussian kernel's space. Their inner product is the kernel
/// with exp(<x, z> / b^2) cut after the term of degree M. Degrees ascend; within a degree, sorted index tuples are in
/// lexicographic order: 1, x_1, x_2, x_1^2, x_1 x_2, x_2^2 for d = M = 2.
///
/// The authors' code keeps all ordered tuples, sum_q d^q of them, which gives the same inner products.
///
/// Source: R. Jezequel, P. Gaillard, A. Rudi, Efficient online learning with kernels for adversarial large scale
/// problems, NeurIPS 2019, section 4; A. Cotter, J. Keshet, N. Srebro, Explicit approximations of the Gaussian kernel,
/// 2011.
#[derive(Clone, Debug)]
pub struct Taylor {
    dim: usize,
    bandwidth: f64,
    /// 1 / b, finite.
    inverse: f64,
    plan: Vec<TaylorFactor>,
    families: Vec<TaylorBranch>,
}

/// How a feature follows from an earlier one: it is multiplied by weight x_coordinate / b, where the weight is m^(-1/2)
/// for the m-th factor x_coordinate.
#[derive(Clone, Copy, Debug)]
struct TaylorFactor {
    parent: u32,
    coordinate: u32,
    weight: f64,
}

/// The features that follow from one feature: it is multiplied by x_i / b for i = coordinate, ..., d - 1, and the first
/// of them has a weight.
#[derive(Clone, Copy, Debug)]
struct TaylorBranch {
    parent: u32,
    coordinate: u32,
    weight: f64,
}

/// If |x|^2 / (2 b^2) is larger, the factor exp(-|x|^2 / (2 b^2)) loses digits or vanishes although its product with
/// the monomials may not. Logarithms are added instead.
const LARGEST_EXPONENT: f64 = 700.0;

impl Taylor {
    /// The number of features, C(order + dim, dim); None if it exceeds 2^64.
    pub fn count(dim: usize, order: usize) -> Option<u64> {
        let mut count: u128 = 1;
        for i in 1..=dim.min(order) as u128 {
            // C(n, i) = C(n, i - 1) (n - i + 1) / i, exactly divisible at every step.
            count = count.checked_mul((dim + order) as u128 - i + 1)? / i;
            u64::try_from(count).ok()?;
        }
        u64::try_from(count).ok()
    }

    /// The map on R^`dim` up to degree `order`; `bandwidth` > 0 is b. None if there are 2^32 features or more; callers
    /// refuse counts that do not fit into memory much earlier.
    pub fn new(dim: usize, order: usize, bandwidth: f64) -> Option<Self> {
        let count = u32::try_from(Self::count(dim, order)?).ok()? as usize;
        let mut plan = Vec::with_capacity(count - 1);
        let mut families = Vec::new();
        // (feature, last index of its tuple, multiplicity of that index); the constant has the empty tuple.
        let mut degree: Vec<(u32, u32, u32)> = vec![(0, 0, 0)];
        for _ in 0..order {
            let mut next = Vec::new();
            for (parent, last, multiplicity) in degree {
                families.push(TaylorBranch {
                    parent,
                    coordinate: last,
                    weight: f64::from(multiplicity + 1).sqrt().recip(),
                });
                for coordinate in last..dim as u32 {
                    let multiplicity = if coordinate == last { multiplicity + 1 } else { 1 };
                    let weight = f64::from(multiplicity).sqrt().recip();
                    plan.push(TaylorFactor { parent, coordinate, weight });
                    next.push((plan.len() as u32, coordinate, multiplicity));
                }
            }
            degree = next;
        }
        Some(Self { dim, bandwidth, inverse: bandwidth.recip().min(f64::MAX), plan, families })
    }

    /// The multi-indices k, in the order of the features.
    pub fn multi_indices(&self) -> Vec<Vec<u32>> {
        let mut indices = vec![vec![0; self.dim]];
        for step in &self.plan {
            let mut index = indices[step.parent as usize].clone();
            index[step.coordinate as usize] += 1;
            indices.push(index);
        }
        indices
    }

    /// Computes all features through their logarithms.
    fn write_far(&self, x: &[f64], exponent: f64, out: &mut [f64]) {
        // exp(-|x|^2) outweighs every monomial long before |x|^2 overflows.
        if exponent.is_infinite() {
            return out.fill(0.0);
        }
        let logarithms: Vec<f64> = x.iter().map(|x| (x / self.bandwidth).abs().ln()).collect();
        out[0] = -exponent;
        for (i, step) in self.plan.iter().enumerate() {
            out[i + 1] = out[step.parent as usize] + logarithms[step.coordinate as usize] + step.weight.ln();
        }
        for value in out.iter_mut() {
            *value = value.exp();
        }
        // Signs come last: a feature's sign is its parent's sign times that of the coordinate.
        for (i, step) in self.plan.iter().enumerate() {
            let sign = out[step.parent as usize].signum() * x[step.coordinate as usize].signum();
            out[i + 1] = out[i + 1].abs() * sign;
        }
    }
}

impl FeatureMap for Taylor {
    fn features(&self) -> usize {
        self.plan.len() + 1
    }

    fn write(&self, x: &[f64], out: &mut [f64]) {
        let exponent = 0.5 * squared_norm(x) / self.bandwidth / self.bandwidth;
        if exponent > LARGEST_EXPONENT {
            return self.write_far(x, exponent, out);
        }
        out[0] = (-exponent).exp();
        write_children(x, self.inverse, &self.families, out);
    }

    fn write_eight(&self, inputs: [&[f64]; 8], out: &mut [PanelColumn]) -> bool {
        let mut scaled = [PanelColumn::default(); WIDEST];
        let Some(scaled) = scaled.get_mut(..self.dim) else { return false };
        for (s, x) in inputs.iter().enumerate() {
            let exponent = 0.5 * squared_norm(x) / self.bandwidth / self.bandwidth;
            if exponent.is_nan() || exponent > LARGEST_EXPONENT {
                return false;
            }
            out[0].0[s] = (-exponent).exp();
            for (column, x) in scaled.iter_mut().zip(*x) {
                column.0[s] = x * self.inverse;
            }
        }
        write_eight_children(scaled, &self.families, out);
        true
    }
}

/// The most inputs for which eight rows are written side by side.
const WIDEST: usize = 64;

vectorised! {
    /// All features but the first, which is there.
    fn write_children<'a>(x: &'a [f64], inverse: f64, families: &'a [TaylorBranch], out: &'a mut [f64]) -> () {
        let mut next = 1;
        for family in families {
            let (known, children) = out.split_at_mut(next);
            let (value, x) = (known[family.parent as usize], &x[family.coordinate as usize..]);
            for (child, x) in children.iter_mut().zip(x) {
                *child = value * (x * inverse);
            }
            if let Some(first) = children.first_mut() {
                *first *= family.weight;
            }
            next += x.len();
        }
    }
}

vectorised! {
    /// All features but the first, which is there, for eight inputs; `x` is divided by the bandwidth.
    fn write_eight_children<'a>(x: &'a [PanelColumn], families: &'a [TaylorBranch], out: &'a mut [PanelColumn]) -> () {
        let mut next = 1;
        for family in families {
            let (known, children) = out.split_at_mut(next);
            let (value, x) = (known[family.parent as usize], &x[family.coordinate as usize..]);
            for (child, x) in children.iter_mut().zip(x) {
                for s in 0..8 {
                    child.0[s] = value.0[s] * x.0[s];
                }
            }
            if let Some(first) = children.first_mut() {
                for s in 0..8 {
                    first.0[s] *= family.weight;
                }
            }
            next += x.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::linalg::vector::dot;

    #[test]
    fn order_and_number_of_features() {
        let indices = Taylor::new(2, 2, 1.0).unwrap().multi_indices();
        assert_eq!(indices, [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]);
        for (dim, order, count) in [(8, 2, 45), (8, 3, 165), (22, 3, 2300), (18, 2, 190), (1, 60, 61), (5, 0, 1)] {
            assert_eq!(Taylor::count(dim, order), Some(count));
            assert_eq!(Taylor::new(dim, order, 1.0).unwrap().features() as u64, count);
        }
        assert_eq!(Taylor::count(1000, 64), None);
    }

    #[test]
    fn inner_products_are_the_truncated_kernel() {
        let (x, z, b, order) = ([0.3, -1.2, 0.7], [1.1, 0.4, -0.2], 0.8, 5);
        let map = Taylor::new(3, order, b).unwrap();
        let (mut gx, mut gz) = (vec![0.0; map.features()], vec![0.0; map.features()]);
        map.write(&x, &mut gx);
        map.write(&z, &mut gz);
        let t = dot(&x, &z) / (b * b);
        let mut term = (-(squared_norm(&x) + squared_norm(&z)) / (2.0 * b * b)).exp();
        let mut sum = 0.0;
        for j in 0..=order {
            sum += term;
            term *= t / (j + 1) as f64;
        }
        assert!((dot(&gx, &gz) - sum).abs() < 1e-15, "{} {sum}", dot(&gx, &gz));
    }

    /// The same bits as one by one; inputs that are far away are refused.
    #[test]
    fn eight_inputs_side_by_side() {
        for (dim, order) in [(1, 5), (3, 0), (9, 2), (18, 2), (4, 6)] {
            let map = Taylor::new(dim, order, 0.7).unwrap();
            let mut data: Vec<f64> = (0..8 * dim).map(|i| (i as f64 * 0.37).sin()).collect();
            let mut out = vec![PanelColumn::default(); map.features()];
            let rows = |data: &[f64]| -> Vec<Vec<f64>> { data.chunks(dim).map(<[f64]>::to_vec).collect() };
            let inputs = rows(&data);
            assert!(map.write_eight(std::array::from_fn(|s| &inputs[s][..]), &mut out));
            for (s, x) in inputs.iter().enumerate() {
                let mut one = vec![0.0; map.features()];
                map.write(x, &mut one);
                assert!(one.iter().zip(&out).all(|(a, b)| a.to_bits() == b.0[s].to_bits()), "{dim} {order}");
            }
            data[2 * dim] = 1e5;
            let inputs = rows(&data);
            assert!(!map.write_eight(std::array::from_fn(|s| &inputs[s][..]), &mut out));
        }
    }

    #[test]
    fn both_branches_agree_where_both_work_and_extremes_vanish() {
        let map = Taylor::new(2, 6, 0.3).unwrap();
        let x = [-7.0, 5.5];
        let exponent = 0.5 * squared_norm(&x) / 0.09;
        let (mut near, mut far) = (vec![0.0; map.features()], vec![0.0; map.features()]);
        map.write(&x, &mut near);
        map.write_far(&x, exponent, &mut far);
        assert!(exponent > 400.0 && exponent < LARGEST_EXPONENT);
        assert!(near.iter().zip(&far).all(|(a, b)| (a - b).abs() < 1e-12 * a.abs()), "{near:?} {far:?}");
        for x in [[1e200, 1.0], [0.0, -1e9], [1e-300, 0.0]] {
            for bandwidth in [1e-300, 1.0, 1e300] {
                Taylor::new(2, 3, bandwidth).unwrap().write(&x, &mut near[..10]);
                assert!(near[..10].iter().all(|value| value.is_finite()), "{x:?} {bandwidth}");
            }
        }
    }
}
