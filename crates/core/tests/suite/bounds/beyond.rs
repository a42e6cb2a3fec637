//! Random settings of the theorems beyond the papers.

use super::*;

/// A function that moves, with a parameter between two values, uniform in its logarithm.
fn moving(draw: &mut Draw, learner: &'static str, more: &str, (name, low, high): (&str, f64, f64)) -> Setting {
    let (norm, lambda, value) = (between(draw, 0.2, 1.0), scale(draw, 1e-2, 1.0), scale(draw, low, high));
    let motion =
        one_of(draw, &["name = 'switching-function'\nswitches = 4", "name = 'rotating-function'\nturns = 1.5"]);
    let bandwidth = between(draw, 0.3, 1.0);
    Setting {
        learner,
        params: format!("lambda = {lambda:?}\nbandwidth = {bandwidth:?}\n{name} = {value:?}\n{more}"),
        law: format!("{motion}\nnorm = {norm:?}\nbandwidth = {bandwidth:?}"),
        loss: squared(),
        comparator: Some(("law", String::new())),
        ..Setting::default()
    }
}

/// A setting of the theorem.
pub fn setting(theorem: &Theorem, draw: &mut Draw) -> Option<Setting> {
    Some(match theorem.name {
        "discounted-awv" => {
            let refresh = one_of(draw, &["'memory'", "'never'", "20"]);
            moving(draw, "discounted-awv-taylor", &format!("refresh = {refresh}"), ("memory", 2.0, 300.0))
        }
        "tracking-awv" => {
            Setting { given: vec![("decay", 0.0)], ..moving(draw, "tracking-awv-taylor", "", ("q", 1e-4, 0.5)) }
        }
        "discount-mixture" => {
            let rule = one_of(draw, &["average", "aggregating"]);
            moving(draw, "discount-mixture", &format!("rule = '{rule}'"), ("bound", 1.0, 2.0))
        }
        "aggregate-ewa" | "aggregate-boa" | "aggregate-ml-poly" | "aggregate-fixed-share" => {
            let rule = theorem.name.strip_prefix("aggregate-")?;
            let (loss, gradient) = (one_of(draw, &["square", "absolute"]), one_of(draw, &["true", "false"]));
            let (kind, absent) = (one_of(draw, &["biased", "coin", "changing"]), between(draw, 0.0, 0.3));
            Setting {
                learner: "aggregate",
                params: format!("rule = '{rule}'\nloss = '{loss}'\ngradient = {gradient}\nbound = 1.0"),
                law: format!("name = 'forecasts'\nkind = '{kind}'\nexperts = 5\npiece = 60\nabsent = {absent:?}"),
                loss: squared(),
                comparator: Some(("best-expert", String::new())),
                measure: Some("largest_regret"),
                ..Setting::default()
            }
        }
        "intervals-aci" | "intervals-tracking" | "intervals-betting" => {
            let rule = theorem.name.strip_prefix("intervals-")?;
            let (alpha, rate) = (between(draw, 0.02, 0.5), scale(draw, 0.01, 0.3));
            Setting {
                learner: "intervals",
                params: format!(
                    "base = 'running-mean'\nrule = '{rule}'\nalpha = {alpha:?}\nrate = {rate:?}\nbound = 1.0"
                ),
                law: "name = 'forecasts'\nkind = 'alternating'\nexperts = 2\npiece = 50".into(),
                loss: squared(),
                comparator: ball(1.0, "'linear'"),
                measure: Some("miss_deviation"),
                ..Setting::default()
            }
        }
        "fourier-awv" => {
            let (lambda, frequencies) = (scale(draw, 0.5, 10.0), 10 + (190.0 * draw.uniform()) as u32);
            let penalty = lambda + ROUNDS as f64 / f64::from(frequencies);
            let dim = 1 + (2.0 * draw.uniform()) as u32;
            Setting {
                learner: "pkawv-fourier",
                params: format!("lambda = {lambda:?}\nfeatures = {frequencies}"),
                law: format!("name = 'uniform-inputs'\ndim = {dim}"),
                loss: squared(),
                comparator: Some((
                    "penalised",
                    format!("lambda = {penalty:?}\nkernel = {{ name = 'gaussian', bandwidth = 1 }}"),
                )),
                given: vec![("dimension", f64::from(dim))],
                ..Setting::default()
            }
        }
        "aioli" => {
            let (lambda, bound) = (scale(draw, 1e-3, 1.0), scale(draw, 0.5, 16.0));
            let (order, bandwidth) = ((4.0 * draw.uniform()) as u32, between(draw, 0.3, 1.0));
            let signs = "name = 'kernel-function'\ntargets = 'sign'\nflip = 0.1";
            let features = format!("bandwidth = {bandwidth:?}\norder = {order}");
            Setting {
                learner: "aioli-taylor",
                params: format!("lambda = {lambda:?}\nbound = {bound:?}\n{features}"),
                law: one_of(draw, &["name = 'uniform-inputs'\ndim = 2", signs]).into(),
                loss: "name = 'logistic'".into(),
                comparator: Some(("taylor-ball", format!("radius = {bound:?}\n{features}"))),
                ..Setting::default()
            }
        }
        "coin-betting" => {
            let (amplitude, epsilon) = (scale(draw, 0.1, 10.0), scale(draw, 0.1, 3.0));
            let kernel = format!("kernel = {{ name = 'gaussian', bandwidth = {:?} }}", between(draw, 0.3, 1.0));
            let (loss, tau) = (one_of(draw, &["absolute", "pinball"]), between(draw, 0.1, 0.9));
            Setting {
                learner: "coin-kernel",
                params: format!("loss = '{loss}'\ntau = {tau:?}\nepsilon = {epsilon:?}\n{kernel}"),
                law: format!("name = 'kernel-function'\namplitude = {amplitude:?}\n{kernel}"),
                loss: if loss == "pinball" {
                    format!("name = 'pinball'\ntau = {tau:?}")
                } else {
                    "name = 'absolute'".into()
                },
                comparator: Some(("law", String::new())),
                ..Setting::default()
            }
        }
        _ => return None,
    })
}
