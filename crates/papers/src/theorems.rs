//! All theorems with a claim about a rate, by name.

use crate::beyond::cost::statements as cost;
use crate::beyond::forecasts::statements as forecasts;
use crate::beyond::further::statements as further;
use crate::beyond::tracking::statements as tracking;
use crate::layers::statements as layers;
use crate::noisy::statements as noisy;
use crate::pkawv::statements as pkawv;
use crate::robust::statements as robust;
use crate::theorem::Theorem;

/// Every theorem.
pub static THEOREMS: &[&Theorem] = &[
    &pkawv::WORST_CASE,
    &pkawv::CAPACITY,
    &pkawv::GAUSSIAN,
    &pkawv::THEOREM_4,
    &pkawv::THEOREM_4_FEATURES,
    &pkawv::THEOREM_6,
    &pkawv::THEOREM_6_DICTIONARY,
    &pkawv::COROLLARY_7,
    &pkawv::COROLLARY_7_DICTIONARY,
    &pkawv::COROLLARY_8,
    &pkawv::COROLLARY_8_DICTIONARY,
    &noisy::THEOREM_1,
    &noisy::THEOREM_2,
    &noisy::THEOREM_2_REMARK,
    &noisy::THEOREM_3,
    &noisy::THEOREM_5,
    &noisy::THEOREM_6,
    &noisy::THEOREM_7,
    &noisy::QUERIES_DOT_PRODUCT,
    &noisy::QUERIES_GAUSSIAN,
    &layers::THEOREM_1,
    &layers::THEOREM_1_DRAWS,
    &layers::THEOREM_1_TEST,
    &layers::COROLLARY_1,
    &robust::THEOREM_1,
    &robust::THEOREM_2,
    &robust::UNSATURATED,
    &robust::SATURATION_DECREASING,
    &robust::SATURATION_DECREASING_RKHS,
    &robust::SATURATION_AVERAGED,
    &forecasts::EWA,
    &forecasts::BOA,
    &forecasts::ML_POLY,
    &forecasts::FIXED_SHARE,
    &forecasts::ACI,
    &forecasts::TRACKING,
    &forecasts::BETTING,
    &tracking::DISCOUNTED,
    &tracking::TRACKING,
    &tracking::MIXTURE,
    &further::FOURIER,
    &further::AIOLI,
    &further::COIN,
    &cost::EXACT,
    &cost::EXPANSION,
    &cost::FIXED_FEATURES,
];

/// The theorem of that name.
pub fn find(name: &str) -> Option<&'static Theorem> {
    THEOREMS.iter().copied().find(|theorem| theorem.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{THEOREMS, find};
    use crate::theorem::{Arguments, RateParameter};

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
        for theorem in THEOREMS {
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
}
