use super::*;
use crate::learner::auto::bank::LINEAR;
use noregret_numeric::draw::Role;

/// Between two classes there are forecasts, and none beyond; where a third value was seen, there is room beyond the range.
#[test]
fn forecasts_stay_between_two_classes() {
    for (third, beyond) in [(None, false), (Some(0.2), true), (Some(5.0), true)] {
        let draws = Draws::named(&["classes"]);
        let mut auto = Auto::over(vec![ColumnKind::Number], &LINEAR, &draws);
        let draw = |t: u64| draws.at(Role::Predict, t);
        for t in 0..40 {
            let x = (t as f64 * 0.7).sin();
            let y = if t == 20 { third.unwrap_or(1.0) } else { x.signum() };
            auto.learn(&[x], y, &mut draw(t)).unwrap();
        }
        let [low, high] = auto.range;
        let forecasts = auto.weigh(&vec![1e3; LINEAR.len()]).all;
        let most = forecasts.iter().copied().filter(|forecast| !forecast.is_nan()).fold(low, f64::max);
        assert_eq!(most, if beyond { high + 0.1 * (high - low) } else { high }, "{third:?}");
    }
}
