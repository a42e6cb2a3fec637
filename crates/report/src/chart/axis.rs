//! Axes: ranges, ticks and their labels.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::number::{multiple_of_power, power_of_ten, tick};

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AxisScale {
    /// Linear.
    Linear,
    /// Logarithmic; values must be positive.
    Log,
}

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    /// Its value.
    pub value: f64,
    /// Its label in markup; None for a minor tick.
    pub label: Option<String>,
}

/// An axis that maps values to coordinates of the picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    /// Its scale.
    pub scale: AxisScale,
    /// The value at `from`.
    pub min: f64,
    /// The value at `to`; above `min`.
    pub max: f64,
    /// The coordinate of `min`.
    pub from: f64,
    /// The coordinate of `max`.
    pub to: f64,
    /// Marks, in order.
    pub(crate) ticks: Vec<Tick>,
}

impl Axis {
    /// The coordinate of a value. Values outside the range lie outside the frame. On a log axis, values that are not
    /// positive lie at the lower end.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let share = match self.scale {
            AxisScale::Linear => (value - self.min) / (self.max - self.min),
            AxisScale::Log if value <= 0.0 => 0.0,
            // Differences of logarithms, because quotients of extreme numbers overflow.
            AxisScale::Log => (value.ln() - self.min.ln()) / (self.max.ln() - self.min.ln()),
        };
        self.from + share * (self.to - self.from)
    }
}

/// The range of all `values`, with some room on either side; a default range if there are no values.
pub(crate) fn range(scale: AxisScale, values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let usable = |value: &f64| value.is_finite() && (scale == AxisScale::Linear || *value > 0.0);
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(usable) {
        min = min.min(value);
        max = max.max(value);
    }
    match scale {
        _ if min > max => {
            if scale == AxisScale::Log {
                (0.1, 10.0)
            } else {
                (0.0, 1.0)
            }
        }
        AxisScale::Linear => {
            let span = if max > min { max - min } else { max.abs().max(1.0) };
            (min - room * span, max + room * span)
        }
        AxisScale::Log => {
            let factor = if max > min { (room * (max.ln() - min.ln())).exp() } else { 2.0 };
            // Very wide ranges could leave the range of f64.
            ((min / factor).max(f64::MIN_POSITIVE), (max * factor).min(f64::MAX))
        }
    }
}

/// Ticks for a range, of which about `most` have labels.
pub(crate) fn ticks(scale: AxisScale, min: f64, max: f64, most: usize) -> Vec<Tick> {
    let most = most.max(2);
    match scale {
        AxisScale::Linear => linear_ticks(min, max, most),
        AxisScale::Log => log_ticks(min, max, most),
    }
}

/// Labelled ticks at given values, for axes with few known points, such as horizons.
pub(crate) fn ticks_at(values: &[f64]) -> Vec<Tick> {
    let label = |value: f64| if value.fract() == 0.0 { tick(value, 0) } else { value.to_string() };
    values.iter().map(|value| Tick { value: *value, label: Some(label(*value)) }).collect()
}

fn linear_ticks(min: f64, max: f64, most: usize) -> Vec<Tick> {
    // The step is 1, 2, 2.5 or 5 times a power of ten, whichever is nearest to a fifth of the range, or to a larger part.
    let raw = (max - min) / most.min(5) as f64;
    let power = raw.log10().floor() as i32;
    let unit = 10f64.powi(power);
    let multiple = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .min_by(|a, b| (a * unit - raw).abs().total_cmp(&(b * unit - raw).abs()))
        .unwrap_or(1.0);
    let step = multiple * unit;
    let decimals = (i32::from(multiple == 2.5) - power - i32::from(multiple == 10.0)).clamp(0, 15) as usize;
    let first = (min / step).ceil() as i64;
    let last = (max / step).floor() as i64;
    (first..=last)
        .map(|index| {
            let value = index as f64 * step;
            Tick { value, label: Some(tick(value, decimals)) }
        })
        .collect()
}

fn log_ticks(min: f64, max: f64, most: usize) -> Vec<Tick> {
    let decades = max.log10() - min.log10();
    let exponents = (min.log10().floor() as i32, max.log10().ceil() as i32);
    if decades >= 3.0 {
        return inside(powers((min, max), exponents, (decades / most.min(7) as f64).ceil() as i32), min, max);
    }
    if decades < 0.5 {
        return linear_ticks(min, max, most);
    }
    let choices: &[&[f64]] = if decades >= 1.0 {
        &[&[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]]
    } else {
        &[&[1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0], &[1.0, 2.0, 4.0, 7.0], &[1.0, 2.0, 5.0]]
    };
    let marks = |labelled: &&[f64]| inside(multiples(labelled, exponents), min, max);
    let labels = |ticks: &[Tick]| ticks.iter().filter(|tick| tick.label.is_some()).count();
    let fits = |ticks: &Vec<Tick>| (2..=most.max(3)).contains(&labels(ticks));
    // A single label would not tell the scale.
    let Some(mut ticks) = choices.iter().map(marks).find(fits) else {
        return linear_ticks(min, max, most);
    };
    if decades < 1.0 {
        even_decimals(&mut ticks);
    } else if ticks.iter().filter_map(|tick| tick.label.as_ref()).all(|label| label.starts_with('1')) && exponents.1 > 3
    {
        // Powers of ten are shorter than their zeros.
        for tick in ticks.iter_mut().filter(|tick| tick.label.is_some()) {
            tick.label = Some(power_of_ten(tick.value.log10().round() as i32));
        }
    }
    ticks
}

/// Powers of ten, of which every `wanted`-th or a later one has a label; where each has one, also their multiples.
fn powers((min, max): (f64, f64), (first, last): (i32, i32), wanted: i32) -> Vec<Tick> {
    // A single label would not tell the scale.
    let labels = |stride: i32| {
        let held = |exponent: &i32| (min..=max).contains(&10f64.powi(*exponent));
        (first..=last).filter(|exponent| exponent.rem_euclid(stride) == 0).filter(held).count()
    };
    let stride = (1..=wanted).rev().find(|stride| labels(*stride) > 1).unwrap_or(1);
    let mut ticks = Vec::new();
    for exponent in first..=last {
        let value = 10f64.powi(exponent);
        if exponent.rem_euclid(stride) == 0 {
            ticks.push(Tick { value, label: Some(power_of_ten(exponent)) });
        }
        if stride == 1 {
            ticks.extend((2..10).map(|multiple| Tick { value: f64::from(multiple) * value, label: None }));
        }
    }
    ticks
}

/// Multiples of powers of ten, of which some have labels.
fn multiples(labelled: &[f64], (first, last): (i32, i32)) -> Vec<Tick> {
    let mut ticks = Vec::new();
    for exponent in first..=last {
        let unit = 10f64.powi(exponent);
        for multiple in [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0] {
            if labelled.contains(&multiple) {
                ticks.push(Tick { value: multiple * unit, label: Some(multiple_of_power(multiple, exponent)) });
            } else if multiple != 1.5 {
                ticks.push(Tick { value: multiple * unit, label: None });
            }
        }
    }
    ticks
}

/// Gives all plain labels the same number of decimals: 0.08, 0.10, 0.15.
fn even_decimals(ticks: &mut [Tick]) {
    let decimals = |label: &str| label.split_once('.').map_or(0, |(_, after)| after.len());
    let labels = || ticks.iter().filter_map(|tick| tick.label.as_deref());
    let longest = labels().map(decimals).max().unwrap_or_default();
    if longest > 0 && labels().all(|label| label.chars().all(|c| c.is_ascii_digit() || c == '.')) {
        for one in ticks.iter_mut().filter(|one| one.label.is_some()) {
            one.label = Some(tick(one.value, longest));
        }
    }
}

fn inside(ticks: Vec<Tick>, min: f64, max: f64) -> Vec<Tick> {
    // A tick at the very end of the range belongs to it, regardless of rounding.
    let slack = 1e-9;
    let holds = |value: f64| value >= min - slack * min.abs() && value <= max + slack * max.abs();
    ticks.into_iter().filter(|tick| holds(tick.value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().filter_map(|tick| tick.label.as_deref()).collect()
    }

    #[test]
    fn wide_log_axes_have_powers_of_ten() {
        let found = ticks(AxisScale::Log, 10.0, 1e5, 8);
        assert_eq!(labels(&found), ["10^{1}", "10^{2}", "10^{3}", "10^{4}", "10^{5}"]);
        assert_eq!(found.iter().filter(|tick| tick.label.is_none()).count(), 32);
        assert!(labels(&ticks(AxisScale::Log, 1e-30, 1e30, 8)).len() <= 9);
    }

    #[test]
    fn narrow_log_axes_have_plain_numbers() {
        assert_eq!(labels(&ticks(AxisScale::Log, 0.009, 0.6, 8)), ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5"]);
        assert_eq!(labels(&ticks(AxisScale::Log, 0.055, 0.21, 8)), ["0.06", "0.08", "0.10", "0.15", "0.20"]);
        assert_eq!(labels(&ticks(AxisScale::Log, 0.055, 0.105, 8)), ["0.06", "0.07", "0.08", "0.09", "0.10"]);
    }

    #[test]
    fn short_axes_have_fewer_labels() {
        assert_eq!(labels(&ticks(AxisScale::Log, 0.009, 0.6, 4)), ["0.01", "0.03", "0.1", "0.3"]);
        assert_eq!(labels(&ticks(AxisScale::Log, 0.9, 1.2e6, 3)).len(), 3);
        assert_eq!(labels(&ticks(AxisScale::Linear, 0.0, 1.0, 2)), ["0.0", "0.5", "1.0"]);
    }

    #[test]
    fn linear_axes_have_round_steps() {
        assert_eq!(labels(&ticks(AxisScale::Linear, 0.0, 1.0, 8)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&ticks(AxisScale::Linear, -3.0, 8.0, 8)), ["\u{2212}2", "0", "2", "4", "6", "8"]);
    }

    #[test]
    fn values_find_their_place() {
        let log = Axis { scale: AxisScale::Log, min: 1.0, max: 100.0, from: 50.0, to: 250.0, ticks: Vec::new() };
        assert!((log.place(10.0) - 150.0).abs() < 1e-12);
        assert_eq!(log.place(0.0), 50.0);
        let wide = Axis { min: 1e-300, max: 1e300, ..log };
        assert!((wide.place(1.0) - 150.0).abs() < 1e-9);
        let linear = Axis { scale: AxisScale::Linear, min: -1.0, max: 1.0, from: 300.0, to: 100.0, ticks: Vec::new() };
        assert_eq!(linear.place(0.0), 200.0);
    }

    #[test]
    fn ranges_hold_their_values() {
        let (min, max) = range(AxisScale::Log, [1.0, 100.0, f64::NAN, -5.0].into_iter(), 0.5);
        assert!((min - 0.1).abs() < 1e-12 && (max - 1000.0).abs() < 1e-9);
        assert_eq!(range(AxisScale::Log, [3.0].into_iter(), 0.1), (1.5, 6.0));
        assert_eq!(range(AxisScale::Linear, std::iter::empty(), 0.1), (0.0, 1.0));
    }
}
