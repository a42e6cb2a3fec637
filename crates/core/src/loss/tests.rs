use std::sync::Arc;

use super::*;
use crate::loss::api::{Form, Loss, LossEntry};
use crate::params::check::check;
use crate::parts::AllParts;

fn defaults(entry: &LossEntry) -> Arc<dyn Loss> {
    (entry.build)(&check(entry.params, &toml::Table::new(), "", &AllParts).unwrap()).unwrap()
}

/// Slopes equal central differences of the loss, and curvatures those of the slope, away from kinks.
#[test]
fn derivatives() {
    for entry in LOSSES.iter() {
        let loss = defaults(entry);
        for (prediction, target) in [(0.3, 1.0), (-1.7, 1.0), (0.4, -1.0), (2.2, 1.0), (0.0, -1.0)] {
            let h = 1e-5;
            let difference = (loss.of(prediction + h, target) - loss.of(prediction - h, target)) / (2.0 * h);
            let slope = loss.slope(prediction, target);
            assert!((slope - difference).abs() < 1e-8, "{}: {slope} {difference}", entry.name);
            let a = loss.argument(prediction, target);
            let Some(curvature) = loss.curvature(a) else { continue };
            let difference = (loss.derivative(a + h) - loss.derivative(a - h)) / (2.0 * h);
            assert!((curvature - difference).abs() < 1e-8, "{}: {difference}", entry.name);
        }
    }
}

/// The derivative is the sum of its series, and the majorant is the sum of the absolute terms.
#[test]
fn series() {
    for entry in LOSSES.iter() {
        let loss = defaults(entry);
        let Some(analytic) = loss.analytic() else { continue };
        for a in [-0.9, 0.0, 0.5, 1.3] {
            let z: f64 = a - analytic.centre();
            let sum =
                |z: f64, f: fn(f64) -> f64| (0..80).map(|n| f(analytic.coefficient(n)) * z.powi(n as i32)).sum::<f64>();
            let (plain, absolute) = (sum(z, |gamma| gamma), sum(z.abs(), f64::abs));
            assert!((plain - loss.derivative(a)).abs() < 1e-12, "{} {a}: {plain}", entry.name);
            let majorant = analytic.majorant(z.abs());
            assert!((absolute - majorant).abs() < 1e-12 * majorant.max(1.0), "{} {a}: {majorant}", entry.name);
        }
    }
}

/// The series around other points than the centre have the same sum.
#[test]
fn series_around_any_point() {
    for entry in LOSSES.iter() {
        let loss = defaults(entry);
        let Some(analytic) = loss.analytic() else { continue };
        for (around, a) in [(0.0, 0.4), (-1.5, -0.9), (2.5, 1.6), (0.7, 0.7)] {
            let terms = analytic.around(around, 80);
            let sum: f64 = (0..).zip(&terms).map(|(n, gamma)| gamma * f64::powi(a - around, n)).sum();
            assert!((sum - loss.derivative(a)).abs() < 1e-12, "{} {a}: {sum}", entry.name);
            assert_eq!((terms.len(), analytic.around(around, 0)), (81, vec![terms[0]]), "{}", entry.name);
        }
    }
}

#[test]
fn kinks_take_the_middle_of_the_subdifferential() {
    for (name, kink, form) in
        [("absolute", 0.0, Form::Residual), ("hinge", 1.0, Form::Margin), ("pinball", 0.0, Form::Residual)]
    {
        let loss = defaults(LOSSES.iter().find(|entry| entry.name == name).unwrap());
        assert_eq!(loss.form(), form);
        let middle = 0.5 * (loss.derivative(kink - 1e-9) + loss.derivative(kink + 1e-9));
        assert_eq!(loss.derivative(kink), middle);
        assert!(loss.analytic().is_none());
    }
}
