//! Exponents along the axis of a figure, where it is not the horizon: those over horizons belong to rows of rates.

use crate::analysis::claim::{Agreement, ClaimDecision, Evidence, meant, nobody};
use crate::analysis::curve::MeanCurve;
use crate::analysis::rate::exponent::{half_width, slope};
use crate::analysis::rate::sample::RateSample;
use crate::analysis::summary::{LEVEL, MeanEstimate};

/// Whether the exponent of a curve, the slope of the logarithm of its means on that of the abscissa, lies between two
/// limits; where `over` is named, the exponent of the ratio of the curve to that one. The interval is that of the jackknife
/// over replicates that both curves have at all abscissae. Supported if it lies between the limits, contradicted if it lies
/// outside.
pub(crate) fn exponent(
    curves: &[MeanCurve],
    curve: &str,
    over: Option<&str>,
    (low, high): (f64, f64),
) -> ClaimDecision {
    decided(curves, curve, over, (low, high)).unwrap_or_else(ClaimDecision::untested)
}

fn decided(
    curves: &[MeanCurve],
    curve: &str,
    over: Option<&str>,
    (low, high): (f64, f64),
) -> Result<ClaimDecision, String> {
    let the = |name: &str| match meant(curves, name)?[..] {
        [one] => Ok(one),
        [] => Err(nobody(name)),
        _ => Err(format!("several curves are called {name}")),
    };
    let measured = the(curve)?;
    let beside = over.map(the).transpose()?;
    let (abscissae, sample) = sample(measured, beside)?;
    let count = abscissae.len();
    let found = sample.jackknife(|means| {
        let (of, against) = means.split_at(count);
        let subtracted = if beside.is_some() { slope(&abscissae, against)? } else { 0.0 };
        Some(slope(&abscissae, of)? - subtracted)
    });
    let found = found.ok_or_else(|| {
        format!("{curve} has too few replicates or points, or a mean that is not positive, for an exponent")
    })?;
    let half_width = half_width(&found, LEVEL);
    let (least, most) = (found.value - half_width, found.value + half_width);
    let agreement = match (low <= least && most <= high, most < low || high < least) {
        (true, _) => Agreement::Supported,
        (_, true) => Agreement::Contradicted,
        _ => Agreement::Undecided,
    };
    let estimate = MeanEstimate { mean: found.value, half_width: Some(half_width), count: sample.seeds() };
    let over = beside.map(|curve| curve.label.clone());
    let evidence = Evidence::Exponent { label: measured.label.clone(), over, abscissae, estimate };
    Ok(ClaimDecision { agreement, evidence })
}

/// The abscissae that all curves have, and for each replicate that has them all its values: first those of `curve`, then
/// those of `over`.
fn sample(curve: &MeanCurve, over: Option<&MeanCurve>) -> Result<(Vec<f64>, RateSample), String> {
    let at =
        |curve: &MeanCurve, x: f64| curve.points.iter().find(|point| point.x == x).map(|point| point.values.clone());
    let shared = curve.points.iter().map(|point| point.x);
    let abscissae: Vec<f64> = shared.filter(|x| over.is_none_or(|over| at(over, *x).is_some())).collect();
    let columns =
        [Some(curve), over].into_iter().flatten().flat_map(|curve| abscissae.iter().map(move |x| at(curve, *x)));
    let columns: Vec<Vec<(u64, f64)>> = columns.collect::<Option<_>>().unwrap_or_default();
    let first = columns.first().ok_or_else(|| format!("{} has no point", curve.label))?;
    let value = |column: &Vec<(u64, f64)>, replicate: u64| {
        column.iter().find(|(other, _)| *other == replicate).map(|(_, value)| *value)
    };
    let row = |replicate: u64| columns.iter().map(|column| value(column, replicate)).collect::<Option<Vec<f64>>>();
    let rows = first.iter().filter_map(|(replicate, _)| Some((*replicate, row(*replicate)?)));
    let (replicates, values) = rows.unzip();
    // The sample's own abscissae are not used: its columns are those of two curves.
    Ok((abscissae, RateSample { horizons: (0..columns.len() as u64).collect(), replicates, values }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::claim::tests::curve;
    use crate::analysis::curve::CurvePoint;
    use crate::analysis::summary::estimate;

    /// Three replicates of factor * x^power, with a factor of its own for each.
    fn power(label: &str, power: f64, factors: [f64; 3]) -> MeanCurve {
        let point = |x: f64| {
            let values: Vec<f64> = factors.iter().map(|factor| factor * x.powf(power)).collect();
            let estimate = estimate(&values).unwrap();
            CurvePoint { x, values: (0..).zip(values).collect(), estimate }
        };
        MeanCurve { points: [1.0, 2.0, 4.0, 8.0].map(point).to_vec(), ..curve(label, &[]) }
    }

    #[test]
    fn the_exponent_decides_and_a_wrong_one_is_refused() {
        let curves = [power("steep", 1.5, [1.0, 2.0, 3.0]), power("flat", 0.25, [3.0, 2.0, 5.0])];
        let of = |curve: &str, over: Option<&str>, limits| exponent(&curves, curve, over, limits);
        let infinite = f64::INFINITY;
        assert_eq!(of("steep", None, (1.4, 1.6)).agreement, Agreement::Supported);
        assert_eq!(of("steep", None, (-infinite, 1.4)).agreement, Agreement::Contradicted);
        assert_eq!(of("steep", Some("flat"), (1.2, 1.3)).agreement, Agreement::Supported);
        assert_eq!(of("steep", Some("flat"), (1.4, 1.6)).agreement, Agreement::Contradicted);
        let Evidence::Exponent { estimate, .. } = of("steep", Some("flat"), (1.2, 1.3)).evidence else { panic!() };
        assert!((estimate.mean - 1.25).abs() < 1e-12 && estimate.count == 3);
    }

    #[test]
    fn noise_leaves_it_open_and_what_has_no_exponent_is_untested() {
        let mut noisy = power("noisy", 1.0, [1.0, 1.0, 1.0]);
        noisy.points[3].values[0].1 = 40.0;
        assert_eq!(exponent(&[noisy], "noisy", None, (0.9, 1.1)).agreement, Agreement::Undecided);
        let negative = power("negative", 1.0, [-1.0, -2.0, -1.0]);
        assert_eq!(exponent(&[negative], "negative", None, (0.9, 1.1)).agreement, Agreement::Untested);
        assert_eq!(exponent(&[], "nobody", None, (0.9, 1.1)).agreement, Agreement::Untested);
    }
}
