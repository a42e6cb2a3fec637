use std::sync::Arc;

use super::*;
use crate::params::check::check;
use crate::parts::AllParts;
use crate::window::api::{Window, loss, slope};

fn all() -> impl Iterator<Item = (&'static str, Arc<dyn Window>)> {
    WINDOWS.iter().map(|entry| {
        let params = check(entry.params, &toml::Table::new(), "", &AllParts).unwrap();
        (entry.name, (entry.build)(&params).unwrap())
    })
}

/// 400 values from 1e-8 to 1e6.
fn grid() -> impl Iterator<Item = f64> {
    (0..400).map(|i| 10f64.powf(-8.0 + 14.0 * f64::from(i) / 399.0))
}

#[test]
fn derivatives_are_derivatives() {
    for (name, window) in all() {
        assert_eq!(window.value(0.0), 0.0, "{name}");
        for s in grid().filter(|s| *s > 1e-3 && (s - 1.0).abs() > 1e-3) {
            let h = 1e-5 * s;
            let difference = (window.value(s + h) - window.value(s - h)) / (2.0 * h);
            assert!((difference - window.derivative(s)).abs() < 1e-7, "{name} at {s}: {difference}");
        }
        // The derivative of the loss, at residuals of both signs.
        for u in [-3.0, -0.4, 0.2, 1.7] {
            let difference = (loss(&*window, 0.9, u + 1e-6) - loss(&*window, 0.9, u - 1e-6)) / 2e-6;
            assert!((difference - slope(&*window, 0.9, u)).abs() < 1e-7, "{name} at {u}");
        }
    }
}

/// Conditions (2) and (3) hold with these constants and with no smaller ones.
#[test]
fn growth_is_sharp() {
    for (name, window) in all() {
        let growth = window.growth();
        assert_eq!(window.derivative(0.0), growth.slope, "{name}");
        let largest = grid().chain([0.0]).map(|s| window.derivative(s)).fold(f64::NEG_INFINITY, f64::max);
        assert!((largest - growth.largest_slope).abs() < 1e-12, "{name}: {largest}");
        assert!(grid().all(|s| window.derivative(s) >= 0.0), "{name}");
        // For tiny s the difference consists of rounding errors.
        let ratio = |s: f64| (window.derivative(s) - growth.slope).abs() / s.powf(growth.order);
        let largest = grid().filter(|s| *s > 1e-5).map(ratio).fold(0.0, f64::max);
        assert!(largest <= growth.remainder * (1.0 + 1e-9), "{name}: {largest}");
        assert!(largest >= growth.remainder * (1.0 - 4e-3), "{name}: {largest}");
    }
}

/// An order larger by a tenth would need an unbounded constant, for all windows that have a largest order.
#[test]
fn the_order_is_the_largest() {
    for (name, window) in all().filter(|(name, _)| !["huber", "least-squares"].contains(name)) {
        let growth = window.growth();
        let ratio = |s: f64| (window.derivative(s) - growth.slope).abs() / s.powf(1.1 * growth.order);
        let growing = 100f64.powf(0.1 * growth.order);
        assert!(ratio(1e-6) > 0.99 * growing * ratio(1e-4), "{name}: {} {}", ratio(1e-6), ratio(1e-4));
    }
}

#[test]
fn gross_outliers_give_finite_numbers() {
    for (name, window) in all() {
        for s in [1e100, 1e300, f64::INFINITY] {
            assert!(window.derivative(s).is_finite() && !window.value(s).is_nan(), "{name} at {s}");
        }
    }
}
