//! The rank of the score that is the radius of a conformal interval, in floating point.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_core::learner::combine::interval_rule::ROUNDING;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "beyond-conformal-rank",
    place: "adaptive conformal intervals",
    quote: "",
    class: Class::Pitfall,
    reason: "the formula is right, and a ceiling of floating-point numbers looks like the formula",
    printed: "the rank ceil((1 - a)(m + 1)) is the ceiling of the product of floating-point numbers",
    corrected: "1e-9 is taken off before the ceiling, far below the step of any level that is meant",
    method: "The rank for a = 0.18 and m = 149 in whole numbers, where 82 times 150 hundredths are 123; and for all a = 0.01, \
             ..., 0.99 and m up to 1,000, how often the two ceilings differ from whole numbers",
    decide,
};

/// The rank of a level in hundredths, computed as formulas are.
fn floating(hundredths: u32, scores: u32, less: f64) -> f64 {
    let level = f64::from(hundredths) / 100.0;
    ((1.0 - level) * f64::from(scores + 1) - less).ceil()
}

/// The same in whole numbers.
fn whole(hundredths: u32, scores: u32) -> f64 {
    f64::from(((100 - hundredths) * (scores + 1)).div_ceil(100))
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let wrong = |less: f64| {
        let all = (1..100).flat_map(|level| (1..=1000).map(move |scores| (level, scores)));
        all.filter(|&(level, scores)| floating(level, scores, less) != whole(level, scores)).count() as f64
    };
    let (ceiling, safe) = (floating(18, 149, 0.0), floating(18, 149, ROUNDING));
    let (equal, at_most) = (Relation::Equal, Relation::AtMost);
    vec![
        ErratumNumber::exact("rank for a = 0.18, m = 149", equal, ceiling, safe, whole(18, 149), 1e-9),
        ErratumNumber::exact("wrong ranks, plain ceiling", at_most, 0.0, None, wrong(0.0), 1e-9),
        ErratumNumber::exact("wrong ranks, 1e-9 taken off", at_most, None, 0.0, wrong(ROUNDING), 1e-9),
    ]
}
