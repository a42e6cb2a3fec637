//! expert-mixture: one forecast from those of many experts; the experts are a learner at every point of a grid of its
//! parameters.
//!
//! With p_k the forecast of expert k clipped to [-B, B], L_k its cumulative squared loss and |y| <= B, the weights are
//! w_k ~ exp(-eta L_k), and the forecast is either the weighted mean (the exponentially weighted average, with the
//! largest eta for which (p - y)^2 is exp-concave in p, 1/(8 B^2)) or, with eta = 1/(2 B^2), that of the aggregating
//! algorithm,
//!
//! ```text
//! p = (G(-B) - G(B)) / (4 B),   G(y) = -(1/eta) log sum_k w_k exp(-eta (p_k - y)^2).
//! ```
//!
//! On every sequence the cumulative loss is at most min_k L_k + log(K) / eta, which exceeds the best expert's loss by
//! 8 B^2 log K and by 2 B^2 log K, respectively.
//!
//! Sources: N. Cesa-Bianchi, G. Lugosi, Prediction, learning, and games (2006), sections 3.3 and 3.6; V. Vovk, J. of
//! Computer and System Sciences 56 (1998). R. Jezequel, P. Gaillard, A. Rudi, NeurIPS 2019, section 3.1, from whom the
//! grid over lambda comes, state B^2 log K, which is the constant for targets in [0, B] up to a factor of 2.

use std::cell::RefCell;

use crate::draw::{Draw, Draws};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting, in_round,
};
use crate::linalg::matrix::Rows;
use crate::linalg::sum::Sum;
use crate::params::{Fallback, Kind, ParamError, Params, Part, PartKind, Range, Spec};
use crate::state::{State, StateError, Store};

/// Registry entry.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "expert-mixture",
    summary: "exponential weights over a learner at every point of a grid of its parameters (Cesa-Bianchi and Lugosi 2006, section 3.3)",
    module: module_path!(),
    params: &[
        Spec {
            name: "base",
            doc: "the learner whose copies are the experts",
            kind: Kind::Part(PartKind::Learner),
            default: Fallback::Part("kernel-awv"),
        },
        Spec {
            name: "grid",
            doc: "values of the base learner's parameters; there is one expert for every combination",
            kind: Kind::Grid { base: "base" },
            default: Fallback::Required,
        },
        BOUND,
        RULE,
    ],
    build: Recipe { learner: build, cost },
};

/// The parameter `bound`.
pub const BOUND: Spec = Spec {
    name: "bound",
    doc: "B, the largest absolute value of a target; experts are clipped to [-B, B]",
    kind: Kind::Real { range: Range::POSITIVE, words: &[] },
    default: Fallback::Required,
};

/// The parameter `rule`.
pub const RULE: Spec = Spec {
    name: "rule",
    doc: "mean of the experts with eta = 1/(8 B^2) (average), or substitution function of the aggregating algorithm with \
          eta = 1/(2 B^2) (aggregating)",
    kind: Kind::Choice(&["average", "aggregating"]),
    default: Fallback::Word("average"),
};

/// How the forecasts of the experts are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Exponentially weighted average.
    Average,
    /// Aggregating algorithm.
    Aggregating,
}

impl Rule {
    /// The value of [`RULE`].
    pub fn from(params: &Params) -> Self {
        if params.word(RULE.name) == "aggregating" { Self::Aggregating } else { Self::Average }
    }

    /// eta for targets in [-`bound`, `bound`].
    pub fn eta(self, bound: f64) -> f64 {
        match self {
            Rule::Average => 1.0 / (8.0 * bound * bound),
            Rule::Aggregating => 1.0 / (2.0 * bound * bound),
        }
    }
}

/// Weights of experts from their losses so far; see the module.
#[derive(Clone, Debug)]
pub struct Weights {
    rule: Rule,
    bound: f64,
    losses: Vec<Sum>,
    /// exp(-eta (L_k - min L)).
    weights: Vec<f64>,
}

impl Weights {
    /// Equal weights of `experts` >= 1 experts, for targets in [-`bound`, `bound`], `bound` > 0.
    pub fn new(rule: Rule, bound: f64, experts: usize) -> Self {
        Self { rule, bound, losses: vec![Sum::default(); experts], weights: vec![1.0; experts] }
    }

    /// The weights, of sum 1.
    pub fn normalised(&self) -> Vec<f64> {
        let total: f64 = self.weights.iter().sum();
        self.weights.iter().map(|weight| weight / total).collect()
    }

    /// The forecast of the mixture from the experts' forecasts.
    pub fn forecast(&self, experts: impl Iterator<Item = f64> + Clone) -> f64 {
        let bound = self.bound;
        let clipped = experts.map(|value| value.clamp(-bound, bound));
        let total: f64 = self.weights.iter().sum();
        match self.rule {
            Rule::Average => self.weights.iter().zip(clipped).map(|(weight, p)| weight * p).sum::<f64>() / total,
            Rule::Aggregating => {
                let eta = self.rule.eta(bound);
                let generalised = |y: f64| {
                    let terms = self.weights.iter().zip(clipped.clone());
                    -terms.map(|(weight, p)| weight * (-eta * (p - y) * (p - y)).exp()).sum::<f64>().ln() / eta
                };
                // The total of the weights cancels.
                (generalised(-bound) - generalised(bound)) / (4.0 * bound)
            }
        }
    }

    /// Updates the weights with the experts' forecasts and the target.
    pub fn learn(&mut self, experts: impl Iterator<Item = f64>, y: f64) {
        for (loss, value) in self.losses.iter_mut().zip(experts) {
            let residual = value.clamp(-self.bound, self.bound) - y;
            loss.add(residual * residual);
        }
        let least = self.losses.iter().map(Sum::value).fold(f64::INFINITY, f64::min);
        let eta = self.rule.eta(self.bound);
        for (weight, loss) in self.weights.iter_mut().zip(&self.losses) {
            *weight = (-eta * (loss.value() - least)).exp();
        }
    }
}

impl State for Weights {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { rule: _, bound: _, losses, weights } = self;
        for (i, loss) in losses.iter_mut().enumerate() {
            store.keep(&format!("loss_{}", i + 1), loss)?;
        }
        store.keep("weights", &mut weights[..])
    }
}

fn build(params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    let experts = params
        .grid("grid")
        .iter()
        .map(|part| {
            let key = Draws::member(&part.draw_key().to_string());
            let setting = Setting { draws: setting.draws.of(key), ..setting.clone() };
            match (entry(part).build.learner)(&part.params, &setting)? {
                AnyLearner::Full(learner) => Ok((key, learner)),
                AnyLearner::Noisy(_) => {
                    let why = format!("{} learns only from noisy copies, but experts see the examples", part.name);
                    Err(ParamError::refused("base", why))
                }
            }
        })
        .collect::<Result<Vec<_>, ParamError>>()?;
    Ok(AnyLearner::Full(Box::new(ExpertMixture::new(experts, Rule::from(params), params.real("bound")))))
}

/// The learner behind a part.
fn entry(part: &Part) -> &'static LearnerEntry {
    match part.object::<&'static LearnerEntry>() {
        Some(entry) => *entry,
        None => unreachable!("{} is no learner", part.name),
    }
}

fn cost(params: &Params, rounds: u64, dim: usize) -> Cost {
    let parts = params.grid("grid");
    let experts = parts.iter().map(|part| (entry(part).build.cost)(&part.params, rounds, dim));
    let own = Cost { flops: 30.0 * rounds as f64 * parts.len() as f64, bytes: 64.0 * parts.len() as f64 };
    experts.fold(own, |sum, one| Cost { flops: sum.flops + one.flops, bytes: sum.bytes + one.bytes })
}

/// An expert, with the key that separates its draws from those of the others.
struct Expert {
    key: u64,
    learner: Box<dyn Learner>,
}

/// The mixture. A round costs the sum of the K experts' rounds plus O(K).
pub struct ExpertMixture {
    experts: Vec<Expert>,
    weights: Weights,
    /// The forecasts of the experts at the input of the last prediction. Learning from that input must use these same
    /// forecasts, which may be random. Invisible from outside.
    said: RefCell<Said>,
}

#[derive(Default)]
struct Said {
    x: Vec<f64>,
    forecasts: Vec<f64>,
}

impl ExpertMixture {
    /// A mixture of experts that have seen nothing, each with the key of its draws; `bound` > 0 is B.
    pub fn new(experts: Vec<(u64, Box<dyn Learner>)>, rule: Rule, bound: f64) -> Self {
        let weights = Weights::new(rule, bound, experts.len());
        let experts = experts.into_iter().map(|(key, learner)| Expert { key, learner }).collect();
        Self { experts, weights, said: RefCell::default() }
    }

    /// Applies `act` to every expert, until one breaks down.
    fn each(&mut self, mut act: impl FnMut(&mut Expert) -> Result<(), Breakdown>) -> Result<(), Breakdown> {
        let of = self.experts.len();
        self.experts.iter_mut().enumerate().try_for_each(|(i, expert)| act(expert).map_err(|why| named(why, i, of)))
    }

    /// Asks the experts for their forecasts.
    fn ask(&self, x: &[f64], draw: &Draw, said: &mut Said) {
        said.x.clear();
        said.x.extend_from_slice(x);
        said.forecasts.clear();
        said.forecasts.extend(self.experts.iter().map(|one| one.learner.predict(x, &mut draw.of(one.key))));
    }
}

/// Names the expert that broke down.
fn named(breakdown: Breakdown, index: usize, of: usize) -> Breakdown {
    Breakdown { cause: format!("expert {} of {of}: {}", index + 1, breakdown.cause), ..breakdown }
}

impl Hypothesis for ExpertMixture {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        let said = &mut *self.said.borrow_mut();
        self.ask(x, draw, said);
        self.weights.forecast(said.forecasts.iter().copied())
    }

    /// Points and features are those of the expert with the most, because experts keep points of the same rounds;
    /// evaluations and bytes are sums.
    fn gauges(&self) -> Gauges {
        let all = || self.experts.iter().map(|one| one.learner.gauges());
        let most = |of: fn(&Gauges) -> Option<u64>| all().filter_map(|gauges| of(&gauges)).max();
        let sum = |of: fn(&Gauges) -> Option<u64>| all().map(|gauges| of(&gauges)).sum::<Option<u64>>();
        let own = 40 * self.experts.len() as u64;
        let weights = self.weights.normalised();
        Gauges {
            stored_points: most(|gauges| gauges.stored_points),
            features: most(|gauges| gauges.features),
            kernel_evaluations: sum(|gauges| gauges.kernel_evaluations),
            state_bytes: sum(|gauges| gauges.state_bytes).map(|bytes| bytes + own),
            weights: std::array::from_fn(|k| weights.get(k).copied()),
            ..Gauges::default()
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { experts, weights, said: _ } = self;
        store.keep("mixture", weights)?;
        for (i, expert) in experts.iter_mut().enumerate() {
            store.within(&format!("expert_{}", i + 1), |store| expert.learner.state(store))?;
        }
        Ok(())
    }
}

impl Learner for ExpertMixture {
    fn foresees(&self) -> bool {
        self.experts.iter().any(|one| one.learner.foresees())
    }

    fn foresee(&mut self, inputs: Rows<'_>, draws: &Draws) -> Result<(), Breakdown> {
        self.each(|Expert { key, learner }| match learner.foresees() {
            true => learner.foresee(inputs, &draws.of(*key)),
            false => Ok(()),
        })
    }

    fn attend(&mut self, x: &[f64], draw: &mut Draw) -> Result<(), Breakdown> {
        self.each(|Expert { key, learner }| learner.attend(x, &mut draw.of(*key)))
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        let mut said = self.said.take();
        if said.x != x || said.forecasts.is_empty() {
            self.ask(x, draw, &mut said);
        }
        self.weights.learn(said.forecasts.iter().copied(), y);
        self.each(|Expert { key, learner }| learner.learn(x, y, &mut draw.of(*key)))
    }

    /// Every expert plays the block by itself, in its own block form; the mixture then goes through the rounds.
    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let (rounds, of) = (block.targets.len(), self.experts.len());
        let mut forecasts = vec![f64::NAN; of * rounds];
        let mut end: Result<(), Breakdown> = Ok(());
        for (index, forecasts) in forecasts.chunks_mut(rounds.max(1)).enumerate() {
            let Expert { key, learner } = &mut self.experts[index];
            if let Err(breakdown) = learner.play(block, &draws.of(*key), forecasts)
                && end.as_ref().err().is_none_or(|first| breakdown.after < first.after)
            {
                end = Err(named(breakdown, index, of));
            }
        }
        let played = end.as_ref().err().map_or(rounds, |breakdown| breakdown.after.min(rounds));
        for (i, (prediction, &y)) in predictions.iter_mut().zip(block.targets).enumerate().take(played) {
            let said = forecasts.iter().skip(i).step_by(rounds).copied();
            *prediction = self.weights.forecast(said.clone());
            if !prediction.is_finite() {
                return Err(Breakdown::new(format!("the forecast of the mixture is {prediction}")))
                    .map_err(in_round(i));
            }
            self.weights.learn(said, y);
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Role;
    use crate::linalg::matrix::Matrix;
    use crate::params::check::check;
    use crate::parts::AllParts;

    fn params(toml: &str) -> Params {
        check(ENTRY.params, &toml.parse().unwrap(), "", &AllParts).unwrap()
    }

    fn learner(toml: &str) -> Box<dyn Learner> {
        let setting = Setting { dim: 2, horizon: Some(400), draws: Draws::named(&["mixture"]) };
        match build(&params(toml), &setting).unwrap() {
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

    #[test]
    fn a_grid_is_the_product_of_its_lists_over_the_base() {
        let params = params(
            "base = { name = 'pkrr-nystrom', mu = 0.5, kernel = { name = 'gaussian', bandwidth = 9.0 } }\n\
             grid = { lambda = [0.1, 1.0, 2.0], kernel = [{ bandwidth = 1.0 }, { name = 'laplace', bandwidth = 2.0 }] }\n\
             bound = 1",
        );
        let forms: Vec<String> = params.grid("grid").iter().map(|part| part.canonical().to_string()).collect();
        assert_eq!(forms.len(), 6);
        assert!(forms.iter().all(|form| form.contains("\"mu\":0.5")), "{forms:?}");
        assert!(forms[0].contains("\"lambda\":0.1") && forms[0].contains("\"bandwidth\":1.0"), "{}", forms[0]);
        assert!(forms[5].contains("\"lambda\":2.0") && forms[5].contains("laplace"), "{}", forms[5]);
        assert!(params.modules().contains(&"noregret_core::learner::pkrr_nystrom"));
    }

    #[test]
    fn mistakes_in_a_grid_are_named() {
        let refused = |toml: &str| {
            check(ENTRY.params, &toml.parse().unwrap(), "", &AllParts).unwrap_err().path().unwrap_or("-").to_owned()
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
        let whole = cost(&params, 1000, 5);
        let experts = params.grid("grid").iter().map(|part| (entry(part).build.cost)(&part.params, 1000, 5).flops);
        let own = whole.flops - experts.sum::<f64>();
        assert!(own > 0.0 && own <= 100.0 * 4.0 * 1000.0, "{own}");
    }

    /// Experts whose parameters differ draw different features; an expert's draws do not depend on the other experts.
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
