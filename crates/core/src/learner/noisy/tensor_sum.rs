//! Sums of rank-one tensors of all degrees: functions sum_n sqrt(beta_n) <W_n, x^(n)> damp(x), where x^(n) is the
//! n-fold tensor power of x and W_n is a sum of products c_1 (x) .. (x) c_n of noisy copies.
//!
//! Tensors of different degrees are orthogonal. Each degree n stores its products separately while they take fewer
//! numbers than the d^n entries of their sum, and from then on stores the sum. After t rounds a scalar product costs at
//! most O(t n d), and never more than O(d^n).

use noregret_numeric::linalg::vector::{add_scaled, dot};
use noregret_numeric::state::{State, StateError, Store};

/// An element of the feature space: a sum of terms coefficient * c_1 (x) .. (x) c_degree, all over the same copies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Element {
    /// (degree, coefficient) of each term; no two have the same degree. The zero element has no terms.
    pub terms: Vec<(u32, f64)>,
    /// The copies c_1, c_2, ..., concatenated; at least as many as the largest degree.
    pub copies: Vec<f64>,
}

impl Element {
    /// |e|^2 for copies of `dim` entries.
    pub fn squared_norm(&self, dim: usize) -> f64 {
        self.product(self, dim)
    }

    /// <e, e'> (Prod).
    pub fn product(&self, other: &Element, dim: usize) -> f64 {
        let matching = self.terms.iter().flat_map(|(degree, a)| {
            other.terms.iter().filter(move |(other, _)| other == degree).map(move |(_, b)| (*degree, a * b))
        });
        let copies =
            |degree: u32| self.copies.chunks_exact(dim).zip(other.copies.chunks_exact(dim)).take(degree as usize);
        matching.map(|(degree, factor)| copies(degree).fold(factor, |value, (c, other)| value * dot(c, other))).sum()
    }
}

/// A linear combination of elements.
#[derive(Clone, Debug)]
pub struct TensorSum {
    dim: usize,
    degrees: Vec<Degree>,
    /// The common factor of all weights and entries.
    scale: f64,
}

/// The part of one degree, up to the common factor.
#[derive(Clone, Debug)]
enum Degree {
    /// Products with their weights; the factors of all products are concatenated.
    Products { weights: Vec<f64>, factors: Vec<f64> },
    /// The sum of the products: dim^degree entries; the last index runs fastest.
    Entries(Vec<f64>),
}

/// A scale below this is multiplied into the weights.
const SMALLEST_SCALE: f64 = 1e-100;

impl TensorSum {
    /// 0, over copies of `dim` >= 1 entries.
    pub fn new(dim: usize) -> Self {
        Self { dim, degrees: Vec::new(), scale: 1.0 }
    }

    /// <w, e>.
    pub(crate) fn product(&self, element: &Element) -> f64 {
        let terms = element.terms.iter().filter_map(|(degree, coefficient)| {
            let part = self.degrees.get(*degree as usize)?;
            let factors = &element.copies[..*degree as usize * self.dim];
            Some(
                coefficient * part.contract(self.dim, |j| &factors[j * self.dim..(j + 1) * self.dim], *degree as usize),
            )
        });
        self.scale * terms.sum::<f64>()
    }

    /// sum_n factor(n) <W_n, x^(n)>.
    pub(crate) fn evaluate(&self, x: &[f64], factor: impl Fn(u32) -> f64) -> f64 {
        let parts = self.degrees.iter().enumerate().filter_map(|(degree, part)| {
            let factor = factor(degree as u32);
            (factor != 0.0 && !part.is_empty()).then(|| factor * part.contract(self.dim, |_| x, degree))
        });
        self.scale * parts.sum::<f64>()
    }

    /// w += weight e.
    pub fn add(&mut self, weight: f64, element: &Element) {
        for (degree, coefficient) in &element.terms {
            let degree = *degree as usize;
            while self.degrees.len() <= degree {
                self.degrees.push(Degree::Products { weights: Vec::new(), factors: Vec::new() });
            }
            let factors = &element.copies[..degree * self.dim];
            self.degrees[degree].add(weight * coefficient / self.scale, factors, self.dim, degree);
        }
    }

    /// w *= factor.
    pub(crate) fn shrink(&mut self, factor: f64) {
        self.scale *= factor;
        if self.scale < SMALLEST_SCALE {
            for part in &mut self.degrees {
                let (Degree::Products { weights: numbers, .. } | Degree::Entries(numbers)) = part;
                numbers.iter_mut().for_each(|number| *number *= self.scale);
            }
            self.scale = 1.0;
        }
    }

    /// How many numbers are stored: (in separate products, in sums).
    pub(crate) fn size(&self) -> (usize, usize) {
        self.degrees.iter().fold((0, 0), |(products, sums), part| match part {
            Degree::Products { weights, factors } => (products + weights.len() + factors.len(), sums),
            Degree::Entries(entries) => (products, sums + entries.len()),
        })
    }
}

/// The products of each degree, or their sum.
impl State for TensorSum {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { dim, degrees, scale } = self;
        store.keep("scale", scale)?;
        let mut count = degrees.len();
        store.keep("degrees", &mut count)?;
        for degree in 0..count {
            if store.is_loading() {
                degrees.push(Degree::Products { weights: Vec::new(), factors: Vec::new() });
            }
            let part = &mut degrees[degree];
            store.within(&format!("degree_{degree}"), |store| part.state(*dim, degree, store))?;
        }
        Ok(())
    }
}

impl Degree {
    fn is_empty(&self) -> bool {
        matches!(self, Degree::Products { weights, .. } if weights.is_empty())
    }

    /// The scalar product with vector(0) (x) .. (x) vector(degree - 1).
    fn contract<'a>(&self, dim: usize, vector: impl Fn(usize) -> &'a [f64], degree: usize) -> f64 {
        match self {
            Degree::Products { weights, factors } => {
                let mut sum = 0.0;
                for (i, weight) in weights.iter().enumerate() {
                    let own = &factors[i * degree * dim..(i + 1) * degree * dim];
                    sum += own.chunks_exact(dim).enumerate().fold(*weight, |value, (j, c)| value * dot(c, vector(j)));
                }
                sum
            }
            Degree::Entries(entries) if degree == 0 => entries[0],
            // Contracts one index after the other, starting with the last.
            Degree::Entries(entries) => {
                let last = vector(degree - 1);
                let mut left: Vec<f64> = entries.chunks_exact(dim).map(|row| dot(row, last)).collect();
                for j in (0..degree - 1).rev() {
                    let rows = left.len() / dim;
                    for i in 0..rows {
                        left[i] = dot(&left[i * dim..(i + 1) * dim], vector(j));
                    }
                    left.truncate(rows);
                }
                left[0]
            }
        }
    }

    fn add(&mut self, weight: f64, added: &[f64], dim: usize, degree: usize) {
        match self {
            Degree::Products { weights, factors } => {
                weights.push(weight);
                factors.extend_from_slice(added);
                let entries = u32::try_from(degree).ok().and_then(|degree| dim.checked_pow(degree));
                if entries.is_some_and(|entries| entries <= weights.len() + factors.len()) {
                    let (weights, factors) = (std::mem::take(weights), std::mem::take(factors));
                    let mut sum = vec![0.0; entries.unwrap_or(0)];
                    for (i, weight) in weights.iter().enumerate() {
                        accumulate(&mut sum, *weight, &factors[i * degree * dim..(i + 1) * degree * dim], dim);
                    }
                    *self = Degree::Entries(sum);
                }
            }
            Degree::Entries(entries) => accumulate(entries, weight, added, dim),
        }
    }

    /// The state of the part of this degree over `dim` entries.
    fn state(&mut self, dim: usize, degree: usize, store: &mut Store) -> Result<(), StateError> {
        let mut summed = matches!(self, Degree::Entries(_));
        store.keep("summed", &mut summed)?;
        if summed && store.is_loading() {
            *self = Degree::Entries(Vec::new());
        }
        let fits = match self {
            Degree::Products { weights, factors } => {
                store.keep("weights", weights)?;
                store.keep("factors", factors)?;
                Some(factors.len()) == weights.len().checked_mul(degree * dim)
            }
            Degree::Entries(entries) => {
                store.keep("entries", entries)?;
                u32::try_from(degree).ok().and_then(|degree| dim.checked_pow(degree)) == Some(entries.len())
            }
        };
        store.check(fits, "has another number of entries than its degree asks for")
    }
}

/// `entries += weight c_1 (x) .. (x) c_n`.
fn accumulate(entries: &mut [f64], weight: f64, factors: &[f64], dim: usize) {
    let Some(last) = factors.len().checked_sub(dim) else {
        entries[0] += weight;
        return;
    };
    // All products of entries of the first n - 1 factors; each scales a row along the last factor.
    let (head, last) = factors.split_at(last);
    let mut products = vec![weight];
    for factor in head.chunks_exact(dim) {
        products = products.iter().flat_map(|product| factor.iter().map(move |c| product * c)).collect();
    }
    for (row, product) in entries.chunks_exact_mut(dim).zip(products) {
        add_scaled(row, product, last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::draw::{Draws, Role};

    /// Scalar products equal the double sum, whether products are stored separately or summed, with shrinks in between.
    #[test]
    fn products_are_double_sums() {
        let mut draw = Draws::named(&["tensors"]).at(Role::Start, 0);
        for dim in [1, 2, 3] {
            let (mut sum, mut all) = (TensorSum::new(dim), Vec::<(f64, Element)>::new());
            for t in 0..120 {
                let degree = draw.below(6);
                let copies = (0..degree * dim).map(|_| draw.normal()).collect();
                let mut terms = vec![(degree as u32, draw.normal())];
                if degree > 1 && t % 3 == 0 {
                    terms.push((degree as u32 - 1, draw.normal()));
                }
                let element = Element { terms, copies };
                let products = all.iter().map(|(weight, other)| weight * other.product(&element, dim));
                let expected: f64 = products.sum();
                let found = sum.product(&element);
                let scale: f64 = all.iter().map(|(w, e)| w.abs() * e.squared_norm(dim).sqrt()).sum::<f64>();
                let bound = 1e-13 * (1.0 + scale * element.squared_norm(dim).sqrt());
                assert!((found - expected).abs() < bound, "{dim} {t}: {found} {expected}");
                let weight = draw.normal();
                sum.add(weight, &element);
                all.push((weight, element));
                if t % 10 == 0 {
                    sum.shrink(1e-30);
                    all.iter_mut().for_each(|(weight, _)| *weight *= 1e-30);
                }
                if t % 10 == 9 {
                    sum.shrink(1e30);
                    all.iter_mut().for_each(|(weight, _)| *weight *= 1e30);
                }
            }
        }
    }

    /// x (x) x has the scalar product <c_1, x><c_2, x> with c_1 (x) c_2.
    #[test]
    fn evaluation_by_hand() {
        let mut sum = TensorSum::new(2);
        sum.add(0.5, &Element { terms: vec![(2, 2.0)], copies: vec![1.0, 2.0, 3.0, -1.0] });
        sum.add(3.0, &Element { terms: vec![(0, 1.0)], copies: vec![] });
        let value = sum.evaluate(&[1.0, 1.0], |n| if n == 2 { 10.0 } else { 1.0 });
        assert_eq!(value, 10.0 * (3.0 * 2.0) + 3.0);
        assert_eq!(sum.evaluate(&[1.0, 1.0], |_| 0.0), 0.0);
        // The product takes five numbers, its sum four.
        assert_eq!(sum.size(), (0, 5));
    }
}
