//! Laws of feature families.

use std::sync::Arc;

use noregret_core::feature::FAMILIES;
use noregret_core::feature::family::{AT_ONCE, Family, Neurons};
use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::infinite_layer::InfiniteLayer;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

use super::cases::{data, variants};

/// Every family with every variant of its parameters, in each of three numbers of dimensions that it accepts.
fn all() -> Vec<(String, Arc<dyn Family>, usize)> {
    let mut all = Vec::new();
    for entry in FAMILIES.iter() {
        let before = all.len();
        for dim in [1, 3, 20] {
            for table in variants(entry.params, dim) {
                let params =
                    check(entry.params, &table, "", &AllParts).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
                let family = (entry.build)(&params).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
                if family.accepts(dim).is_ok() {
                    all.push((format!("{} {table:?} in {dim} dimensions", entry.name), family, dim));
                }
            }
        }
        assert!(all.len() > before, "{}", entry.name);
    }
    all
}

#[test]
fn neurons_lie_between_minus_one_and_one() {
    for (what, family, dim) in all() {
        let mut draw = Draws::named(&["neurons"]).at(Role::Start, 0);
        let mut w = vec![0.0; family.weights(dim)];
        let points = data(dim, 20).inputs;
        for scale in [1.0, 0.0, 1e-300, 1e6, 1e200] {
            for x in points.view().iter() {
                let x: Vec<f64> = x.iter().map(|x| x * scale).collect();
                family.sample(dim, &mut draw, &mut w);
                let value = family.value(&w, &x);
                assert!(value.abs() <= 1.0, "{what}: {value} at {x:?}");
            }
        }
    }
}

/// Evaluating many neurons at once equals evaluating them one by one, up to the order of sums.
#[test]
fn values_are_those_of_single_neurons() {
    for (what, family, dim) in all() {
        let points = data(dim, 3).inputs;
        for count in [1, 16, 37] {
            let mut draw = Draws::named(&["values"]).at(Role::Start, count as u64);
            let mut weights = Matrix::zeros(count, family.weights(dim));
            (0..count).for_each(|j| family.sample(dim, &mut draw, weights.row_mut(j)));
            let (neurons, mut found) = (Neurons::new(&weights), vec![f64::NAN; count]);
            for x in points.view().iter() {
                family.values(&neurons, x, &mut found);
                for (w, found) in weights.view().iter().zip(&found) {
                    let expected = family.value(w, x);
                    assert!((found - expected).abs() < 1e-13, "{what}: {found} {expected}");
                }
            }
        }
    }
}

/// Products of many neurons equal those of two values with one w at a time, from the same draws; but for coins, which
/// stand in place of products.
#[test]
fn products_are_those_of_values() {
    for (what, family, dim) in all().into_iter().filter(|(what, ..)| !what.starts_with("coins ")) {
        let points = data(dim, 40).inputs;
        let (x, chosen): (_, Vec<usize>) = (points.row(7), (0..AT_ONCE).map(|k| (k * 11) % 40).collect());
        for count in [1, 5, AT_ONCE] {
            let draw = Draws::named(&["products"]).at(Role::Start, count as u64);
            let mut found = vec![f64::NAN; count];
            family.products(points.view(), &chosen[..count], x, &mut draw.clone(), &mut found);
            let (mut draw, mut w) = (draw, vec![0.0; family.weights(dim)]);
            for (found, i) in found.iter().zip(&chosen) {
                family.sample(dim, &mut draw, &mut w);
                let expected = family.value(&w, points.row(*i)) * family.value(&w, x);
                assert!((found - expected).abs() < 2e-15, "{what}: {found} {expected}");
            }
        }
    }
}

/// The mean of 20,000 products is within 5 standard errors of the kernel, if there is one: a false-alarm rate of 6e-7
/// for each of about a hundred pairs.
#[test]
fn products_estimate_the_kernel() {
    let mut tried = 0;
    for (what, family, dim) in all() {
        let kernel = InfiniteLayer::new(family.clone());
        if kernel.accepts(dim).is_err() {
            continue;
        }
        let inputs = data(dim, 6).inputs;
        for (i, j) in [(0, 1), (2, 2)] {
            let points = Matrix::from_data(1, dim, inputs.row(i).to_vec()).unwrap();
            let mut draw = Draws::named(&["estimate"]).at(Role::Start, i as u64);
            let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0f64);
            let mut values = [0.0; AT_ONCE];
            for _ in 0..20_000 / AT_ONCE {
                family.products(points.view(), &[0; AT_ONCE], inputs.row(j), &mut draw, &mut values);
                sum += values.iter().sum::<f64>();
                squares += values.iter().map(|value| value * value).sum::<f64>();
                count += AT_ONCE as f64;
            }
            let mean = sum / count;
            let error = ((squares / count - mean * mean).max(0.0) / count).sqrt();
            let expected = kernel.evaluate(inputs.row(i), inputs.row(j));
            // Rounding, where a variance is 0.
            assert!((mean - expected).abs() <= 5.0 * error + 1e-12, "{what}: {mean} +- {error} for {expected}");
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
}

/// Coins are +1 or -1, and their mean is the kernel's entry: for each of ten pairs in three dimensions within five deviations of a
/// mean over 4,096 coins, which would raise a false alarm in 1 of 58,000 choices of the seed. At one place the entry is 1/2, and a mean of 0
/// would be refused.
#[test]
fn coins_have_the_means_of_kernel_entries() {
    let coins: Vec<_> = all().into_iter().filter(|(what, ..)| what.starts_with("coins {}")).collect();
    assert!(!coins.is_empty());
    for (what, family, dim) in coins {
        let points = data(dim, 10).inputs;
        let (kernel, x) = (family.kernel().unwrap(), points.row(0));
        let mut draw = Draws::named(&["coins", &what]).at(Role::Start, 0);
        for i in 0..10 {
            let mut sum = 0.0;
            for _ in 0..4096 / AT_ONCE {
                let mut found = [0.0; AT_ONCE];
                family.products(points.view(), &[i; AT_ONCE], x, &mut draw, &mut found);
                assert!(found.iter().all(|coin| coin.abs() == 1.0), "{what}: {found:?}");
                sum += found.iter().sum::<f64>();
            }
            let (mean, entry) = (sum / 4096.0, kernel.evaluate(points.row(i), x));
            assert!((mean - entry).abs() < 5.0 / 64.0, "{what}: {mean} {entry}");
            assert!(i > 0 || entry == 0.5, "{what}: {entry}");
        }
    }
}
