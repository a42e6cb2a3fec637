//! expert-mixture: one forecast from those of many experts; the experts are a learner at every point of a grid of its
//! parameters. See [`crate::learner::combine::mixture`] for the weights and the bounds.

use crate::learner::about::{About, Kin, Tried};
use crate::learner::api::{AnyLearner, Cost, LearnerEntry, LearnerPart, Recipe, Setting};
use crate::learner::combine::experts::{of_parts, with_parts};
use crate::learner::combine::mixture::{self, Mixture, MixtureRule};
use crate::learner::entry::learner;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, PartKind};

learner! {
    /// ## Formula
    ///
    /// ```text
    /// w_k ~ exp(-eta L_k),  L_k the loss of expert k so far, its forecasts clipped to [-B, B]
    /// average:      p = sum_k w_k p_k,                     eta = 1 / (8 B^2)
    /// aggregating:  p = (G(-B) - G(B)) / (4 B),            eta = 1 / (2 B^2)
    /// ```
    ///
    /// ## Cost
    ///
    /// The sum of its experts.
    ///
    /// ## When to use it
    ///
    /// When you do not know a parameter: its loss exceeds that of the best of K settings by at most 8 B^2 log K (average) or
    /// 2 B^2 log K (aggregating), on every sequence.
    ///
    /// In the report: `figure/casp-parameters`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "expert-mixture",
        summary: "exponential weights over a learner at every point of a grid of its parameters (Cesa-Bianchi and Lugosi 2006, section 3.3)",
        module: module_path!(),
        params: ExpertMixtureParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(ExpertMixture::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let parts = ExpertMixtureParams::read(params).grid;
                let own = Cost { flops: 30.0 * rounds as f64 * parts.len() as f64, bytes: 64.0 * parts.len() as f64 };
                with_parts(own, &parts, rounds, dim)
            },
            drawn_by: &[],
            about: About::grid(&[
                ("base.name", Tried::Words(&["pkawv-taylor"])),
                ("base.order", Tried::Orders(3)),
                ("grid.lambda", Tried::List(&[1e-3, 0.01, 0.1, 1.0, 10.0])),
                ("grid.bandwidth", Tried::DistanceList(&[0.5, 1.0, 2.0])),
                ("bound", Tried::TargetBound),
                ("rule", Tried::Words(&["aggregating"])),
            ])
            .of(Kin::Mixture),
        },
    };
}

parameters! {
    /// Parameters of [`ExpertMixture`].
    pub struct ExpertMixtureParams with required {
        /// the learner whose copies are the experts
        base: LearnerPart = Kind::Part(PartKind::Learner) => Fallback::Part("kernel-awv");
        /// values of the base learner's parameters; there is one expert for every combination
        grid: Vec<LearnerPart> = Kind::Grid { base: "base" } => Fallback::Required;
        bound: f64 = mixture::BOUND;
        rule: &'static str = mixture::RULE;
    }
}

/// Exponential weights over a learner at every point of a grid of its parameters.
#[derive(Clone, Copy, Debug)]
pub struct ExpertMixture;

impl ExpertMixture {
    /// Starts with equal weights.
    ///
    /// # Errors
    /// Values out of range, or what an expert refuses.
    #[allow(clippy::new_ret_no_self, reason = "a mixture is one of any learners")]
    pub fn new(params: ExpertMixtureParams, setting: &Setting) -> Result<Mixture, ParamError> {
        params.check()?;
        let experts = of_parts(&params.grid, "base", setting)?;
        Ok(Mixture::new(experts, MixtureRule::named(params.rule), params.bound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::api::{Block, Learner};
    use crate::params::Params;
    use crate::params::check::check;
    use crate::parts::AllParts;
    use noregret_numeric::draw::{Draws, Role};
    use noregret_numeric::linalg::matrix::Matrix;

    fn params(toml: &str) -> Params {
        check(ENTRY.params, &toml.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap()
    }

    fn learner(toml: &str) -> Box<dyn Learner> {
        let setting = Setting { dim: 2, horizon: Some(400), draws: Draws::named(&["mixture"]) };
        match (ENTRY.build.learner)(&params(toml), &setting).unwrap() {
            AnyLearner::Full(learner) => learner,
            AnyLearner::Noisy(_) => unreachable!(),
        }
    }

    /// A tenth of the targets lie at the ends of [-B, B], where the bound is tight.
    fn data(seed: u64, bound: f64) -> (Matrix, Vec<f64>) {
        let draw = &mut Draws::named(&["mixture data"]).at(Role::Example, seed);
        let mut inputs = Matrix::zeros(400, 2);
        inputs.data_mut().iter_mut().for_each(|x| *x = draw.between(-1.0, 1.0));
        let mut target = |x: &[f64]| match draw.below(10) {
            0 => bound * draw.sign(),
            _ => (bound * ((3.0 * x[0]).sin() * x[1] + 0.3 * draw.normal())).clamp(-bound, bound),
        };
        let targets = inputs.view().iter().map(&mut target).collect();
        (inputs, targets)
    }

    fn loss(learner: &mut dyn Learner, inputs: &Matrix, targets: &[f64], clip: f64) -> f64 {
        let mut predictions = vec![0.0; targets.len()];
        let block = Block { first_round: 1, inputs: inputs.view(), targets };
        learner.play(block, &Draws::named(&["mixture"]), &mut predictions).unwrap();
        predictions.iter().zip(targets).map(|(p, y)| (p.clamp(-clip, clip) - y).powi(2)).sum()
    }

    /// The bound holds on every sequence, not only on average, so no run may violate it.
    #[test]
    fn the_loss_is_below_the_best_experts_plus_the_bound_on_every_run() {
        let lambdas = [1e-3, 1e-2, 0.1, 1.0, 10.0, 1e3];
        let base = "kernel = { bandwidth = 0.5 }";
        for seed in 0..10 {
            for bound in [0.5, 1.0, 3.0] {
                let (inputs, targets) = data(seed, bound);
                let alone = lambdas.map(|lambda| {
                    let toml = format!("base = {{ {base} }}\ngrid = {{ lambda = [{lambda:?}] }}\nbound = {bound:?}");
                    loss(&mut *learner(&toml), &inputs, &targets, bound)
                });
                let best = alone.into_iter().fold(f64::INFINITY, f64::min);
                for (rule, factor) in [("average", 8.0), ("aggregating", 2.0)] {
                    let toml = format!(
                        "base = {{ {base} }}\ngrid = {{ lambda = {lambdas:?} }}\nbound = {bound:?}\nrule = {rule:?}"
                    );
                    let mixed = loss(&mut *learner(&toml), &inputs, &targets, bound);
                    let allowed = factor * bound * bound * (lambdas.len() as f64).ln();
                    assert!(mixed <= best + allowed, "{rule}, seed {seed}, B = {bound}: {mixed} {best} {allowed}");
                    // The mixture is better than the worst expert, so the test above can fail.
                    assert!(mixed < alone[5], "{rule}, seed {seed}, B = {bound}");
                }
            }
        }
    }

    /// The weights that are shown are those of the forecast of the last round: equal ones in the first.
    #[test]
    fn the_weights_shown_made_the_last_forecast() {
        let (inputs, targets) = data(3, 1.0);
        let mut learner = learner("base = { name = 'pkrr-taylor' }\ngrid = { lambda = [0.1, 10.0] }\nbound = 1");
        let mut play = |from: usize, to: usize| {
            let block = Block { first_round: 1, inputs: inputs.view(), targets: &targets }.part(from, to);
            learner.play(block, &Draws::named(&["mixture"]), &mut vec![0.0; to - from]).unwrap();
            learner.gauges().weights
        };
        assert_eq!(play(0, 1)[..3], [Some(0.5), Some(0.5), None]);
        let later = play(1, 3);
        assert!(later[0] != Some(0.5) && (later[0].unwrap() + later[1].unwrap() - 1.0).abs() < 1e-12, "{later:?}");
    }

    #[test]
    fn a_grid_is_the_product_of_its_lists_over_the_base() {
        let params = params(
            "base = { name = 'pkrr-nystrom', mu = 0.5, kernel = { name = 'gaussian', bandwidth = 9.0 } }\n\
             grid = { lambda = [0.1, 1.0, 2.0], kernel = [{ bandwidth = 1.0 }, { name = 'laplace', bandwidth = 2.0 }] }\n\
             bound = 1",
        );
        let forms: Vec<String> =
            ExpertMixtureParams::read(&params).grid.iter().map(|one| one.part.canonical().to_string()).collect();
        assert_eq!(forms.len(), 6);
        assert!(forms.iter().all(|form| form.contains("\"mu\":0.5")), "{forms:?}");
        assert!(forms[0].contains("\"lambda\":0.1") && forms[0].contains("\"bandwidth\":1.0"), "{}", forms[0]);
        assert!(forms[5].contains("\"lambda\":2.0") && forms[5].contains("laplace"), "{}", forms[5]);
        assert!(params.modules().contains(&"noregret_core::learner::ridge::nystrom"));
    }

    #[test]
    fn mistakes_in_a_grid_are_named() {
        let refused = |toml: &str| {
            check(ENTRY.params, &toml.parse::<toml::Table>().unwrap(), "", &AllParts)
                .unwrap_err()
                .path()
                .unwrap_or("-")
                .to_owned()
        };
        assert_eq!(refused("bound = 1\ngrid = { lambda = [1.0, -1.0] }"), "grid.lambda");
        assert_eq!(refused("bound = 1\ngrid = { lamda = [1.0] }"), "grid.lamda");
        for grid in ["{ lambda = 1.0 }", "{ lambda = [] }", "{}", "{ name = ['fogd'] }"] {
            assert_eq!(refused(&format!("bound = 1\ngrid = {grid}")), "grid", "{grid}");
        }
        assert_eq!(refused("bound = 1"), "grid");
    }

    /// The estimated cost is the sum of the experts' costs plus a few operations per expert and round.
    #[test]
    fn the_cost_is_that_of_the_experts_and_a_little() {
        let params =
            params("base = { name = 'pkrr-taylor' }\ngrid = { order = [2, 3], lambda = [0.1, 1.0] }\nbound = 1");
        let whole = (ENTRY.build.cost)(&params, 1000, 5);
        let grid = ExpertMixtureParams::read(&params).grid;
        let experts = grid.iter().map(|one| (one.object.build.cost)(&one.part.params, 1000, 5).flops);
        let own = whole.flops - experts.sum::<f64>();
        assert!(own > 0.0 && own <= 100.0 * 4.0 * 1000.0, "{own}");
    }

    /// Experts whose numbers of features differ draw different features; an expert's draws do not depend on the other experts.
    #[test]
    fn experts_draw_by_their_own_parameters() {
        let (inputs, targets) = data(1, 1.0);
        let of = |features: &str| {
            let toml = format!("base = {{ name = 'fogd', eta = 1e-9 }}\ngrid = {{ features = {features} }}\nbound = 1");
            let mut learner = learner(&toml);
            let (mut row, x) = (Vec::new(), &inputs.row(0).to_vec());
            for round in 1..=5 {
                let at = |role| Draws::named(&["mixture"]).at(role, round);
                row.push(learner.predict(x, &mut at(Role::Predict)));
                learner.learn(inputs.row(round as usize), targets[round as usize], &mut at(Role::Learn)).unwrap();
            }
            row[4]
        };
        let (a, b, both) = (of("[50]"), of("[51]"), of("[50, 51]"));
        assert_ne!(a, b);
        // With a step of 1e-9 the weights stay equal, so the mixture is the mean of the two.
        assert!((both - (a + b) / 2.0).abs() < 1e-6 * both.abs(), "{a} {b} {both}");
    }
}
