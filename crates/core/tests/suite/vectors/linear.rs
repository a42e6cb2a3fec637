//! linear-ridge and linear-awv against numpy.linalg.lstsq, padasip and polars-online; each case says how its values were made.

use noregret_core::learner::LEARNERS;

use super::*;

/// Every prediction after the first `skip` rounds, within 1e-10 of the largest.
#[test]
fn least_squares_of_other_programs() {
    let mut compared = 0;
    for case in Case::of(include_str!("../../vectors/linear.json"), "linear") {
        let (x, y, skip) = (case.input("X"), case.vector("y"), case.0["skip"].as_u64().unwrap() as usize);
        for name in case.0["expected"].as_object().unwrap().keys() {
            let table = case.0["params"].as_object().unwrap().clone();
            let learner = cases::LearnerCase { entry: LEARNERS.find(name).unwrap(), table, dim: x.cols() };
            let found = play(&mut *learner.full().unwrap(), &x, &y, 7);
            let what = format!("{}: {name}", case.name());
            assert_close(&found[skip..], &case.expected(name)[skip..], 1e-10, &what);
            compared += 1;
        }
    }
    assert_eq!(compared, 23);
}
