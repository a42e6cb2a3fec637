//! What learners are said to cost where no theorem covers it, in full.

use crate::claim::{Claim, FormulaOrigin};

pub(crate) const EXACT: Claim = Claim {
    formula: "N = O(n^2)",
    form: FormulaOrigin::Ours("counted: one kernel value for each pair of rounds"),
    assumptions: &["an exact forecaster (kernel ridge regression, Kernel-AWV) that keeps all inputs"],
    symbols: &[("N", "kernel values after n rounds"), ("n", "number of rounds")],
    conference: None,
};

pub(crate) const EXPANSION: Claim = Claim {
    formula: "N = O(T^2)",
    form: FormulaOrigin::Ours("counted: T (T - 1) / 2 kernel values for an iterate that is used once per round"),
    assumptions: &["a gradient method whose iterate is a sum of kernel functions at all past inputs"],
    symbols: &[("N", "kernel values after T rounds"), ("T", "number of rounds")],
    conference: None,
};

pub(crate) const FIXED_FEATURES: Claim = Claim {
    formula: "r = O(1)",
    form: FormulaOrigin::Ours("counted: the number of features is a parameter"),
    assumptions: &["a feature map that is chosen before the first round"],
    symbols: &[("r", "number of features after n rounds, whatever n")],
    conference: None,
};
