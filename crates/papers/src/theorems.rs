//! All theorems with a claim about a rate, by name.

use std::sync::LazyLock;

use crate::beyond::{cost, forecasts, further, tracking};
use crate::theorem::Theorem;
use crate::{layers, noisy, pkawv, robust};

/// Every theorem.
pub static THEOREMS: LazyLock<Vec<&Theorem>> = LazyLock::new(|| {
    [
        pkawv::theorems::THEOREMS,
        noisy::theorems::THEOREMS,
        layers::theorems::THEOREMS,
        robust::theorems::THEOREMS,
        forecasts::theorems::THEOREMS,
        tracking::theorems::THEOREMS,
        further::theorems::THEOREMS,
        cost::theorems::THEOREMS,
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// The theorem of that name.
pub fn find(name: &str) -> Option<&'static Theorem> {
    THEOREMS.iter().copied().find(|theorem| theorem.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{THEOREMS, find};
    use crate::theorem::{Arguments, BoundedQuantity, RateParameter, Theorem};

    #[test]
    fn names_are_found_and_differ() {
        let names: BTreeSet<&str> = THEOREMS.iter().map(|theorem| theorem.name).collect();
        assert_eq!(names.len(), THEOREMS.len());
        assert!(names.iter().all(|name| find(name).is_some_and(|theorem| theorem.name == *name)));
        assert!(find("nothing").is_none());
    }

    /// A shape or bound that asks for an undeclared parameter would be NaN.
    #[test]
    fn shapes_and_bounds_use_declared_parameters_only() {
        for theorem in THEOREMS.iter() {
            let all: Vec<&RateParameter> =
                theorem.parameters.iter().chain(theorem.bound.iter().flat_map(|bound| bound.parameters)).collect();
            let middle =
                |one: &RateParameter| if one.most == f64::MAX { one.least + 1.0 } else { 0.5 * (one.least + one.most) };
            let values: BTreeMap<String, f64> = all.iter().map(|one| (one.name.to_owned(), middle(one))).collect();
            assert_eq!(values.len(), all.len(), "{}: a parameter is declared twice", theorem.name);
            let arguments = Arguments::check(&values, &all).unwrap();
            let shape = (theorem.shape)(&arguments);
            assert!(shape.ln(1e3).is_finite(), "{}", theorem.name);
            if let Some(bound) = &theorem.bound {
                let value = (bound.value)(&arguments, 1e3);
                assert!(value > 0.0, "{}: bound {value}", theorem.name);
            }
        }
    }

    /// The V_k of BOA and ML-Poly are those of the forecast with the largest R_k: their bounds are about no other.
    #[test]
    fn bounds_with_squares_are_about_the_largest_regret() {
        let squares = |theorem: &&&Theorem| {
            theorem.bound.iter().any(|bound| bound.parameters.iter().any(|one| one.name == "squares"))
        };
        let found: Vec<_> = THEOREMS.iter().filter(squares).map(|theorem| (theorem.name, theorem.quantity)).collect();
        let largest = BoundedQuantity::Error("m:largest_regret");
        assert_eq!(found, [("aggregate-boa", largest), ("aggregate-ml-poly", largest)]);
    }
}
