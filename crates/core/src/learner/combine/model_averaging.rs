//! model-averaging: the distribution of a target from those of many ridge regressions, each with the probability that the targets so
//! far give it.
//!
//! With p_k(y) the density that expert k gave the target of a round before it was seen ([`crate::learner::predictive`]),
//!
//! ```text
//! w_k ~ prod_{s < t} p_k(y_s),   density p(y) = sum_k w_k p_k(y),   forecast sum_k w_k m_k, its mean.
//! ```
//!
//! The logarithmic losses telescope: sum_t -ln p(y_t) = -ln((1 / K) sum_k prod_t p_k(y_t)), which exceeds the loss of the best
//! expert by at most ln K, on every sequence of targets.
//!
//! Sources: A. Raftery, M. Karny, P. Ettler, Technometrics 52 (2010), without forgetting; the bound is that of N. Cesa-Bianchi,
//! G. Lugosi, Prediction, learning, and games (2006), section 9.2.

use crate::learner::about::{About, Kin, Tried};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, LearnerPart, Recipe, Setting,
};
use crate::learner::combine::experts::{Experts, of_parts, with_parts};
use crate::learner::entry::learner;
use crate::learner::predictive::{Noise, Predictive, Student, ln_sum_exp};
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, PartKind, Range};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::sum::Sum;
use noregret_numeric::state::{StateError, Store};

learner! {
    /// ## Formula
    ///
    /// ```text
    /// p_k(y): the density that expert k gives the target before it is seen: of mean m_k and variance s^2 (1 + h_k)
    /// w_k ~ prod_{s < t} p_k(y_s);   p(y) = sum_k w_k p_k(y);   p_t = sum_k w_k m_k
    /// ```
    ///
    /// ## Cost
    ///
    /// The sum of its experts.
    ///
    /// ## When to use it
    ///
    /// When you want to know how far a prediction can be off, and not only the prediction, and do not know lambda or the
    /// bandwidth. Its logarithmic loss exceeds that of the best of K settings by at most ln K, on every sequence. The measures
    /// `log_loss` and `log_loss_regret` say by how much. A deviation is right where the model is; for intervals that keep their share
    /// of targets in any case, put `intervals` around it. A row that is learnt late (`--delay`, `--id`, `ahead`) counts with the
    /// density that it has when it is learnt, for which the ln K is not promised.
    pub(crate) static ENTRY = LearnerEntry {
        name: "model-averaging",
        summary: "Bayesian model averaging: a distribution of the target from those of ridge regressions at every point of a grid (Raftery, Karny, Ettler 2010)",
        module: module_path!(),
        params: ModelAveragingParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(ModelAveraging::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let parts = ModelAveragingParams::read(params).grid;
                let own = Cost { flops: 80.0 * rounds as f64 * parts.len() as f64, bytes: 64.0 * parts.len() as f64 };
                with_parts(own, &parts, rounds, dim)
            },
            drawn_by: &[],
            about: About::grid(&[
                ("base.name", Tried::Words(&["pkrr-taylor"])),
                ("base.order", Tried::Orders(3)),
                ("grid.lambda", Tried::List(&[1e-3, 0.01, 0.1, 1.0, 10.0])),
                ("grid.bandwidth", Tried::DistanceList(&[0.5, 1.0, 2.0])),
            ])
            .of(Kin::Mixture),
        },
    };
}

parameters! {
    /// Parameters of [`ModelAveraging`].
    pub struct ModelAveragingParams with required {
        /// the ridge regression whose copies are the experts
        base: LearnerPart = Kind::Part(PartKind::Learner) => Fallback::Part("pkrr-taylor");
        /// values of the base learner's parameters; there is one expert for every combination
        grid: Vec<LearnerPart> = Kind::Grid { base: "base" } => Fallback::Required;
        /// variance of the noise of targets, or learnt, as an inverse gamma distribution that begins as that of one residual of 1
        noise: OrWord<f64> =
            Kind::Real { range: Range::POSITIVE, words: &["learnt"] } => Fallback::Word("learnt");
    }
}

/// The average. A round costs the sum of the K experts' rounds plus O(K).
pub struct ModelAveraging {
    experts: Experts,
    noise: Noise,
    /// sum ln p_k(y) of each expert.
    evidence: Vec<Sum>,
    /// sum ln p(y).
    own: Sum,
    /// The weights that the last forecast was made with, and the deviation that was told with it.
    weights: Vec<f64>,
    deviation: f64,
    /// The distributions of the rounds of the last block.
    told: Vec<Predictive>,
}

impl ModelAveraging {
    /// Starts with equal weights.
    ///
    /// # Errors
    /// Values out of range, what an expert refuses, or an expert that gives no distribution of its targets.
    pub fn new(params: ModelAveragingParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let experts = of_parts(&params.grid, "base", setting)?;
        if experts.iter().any(|(_, learner)| learner.predictives().is_none() || learner.foresees()) {
            let why = "gives no distribution of its targets from the start, as ridge regressions do";
            return Err(ParamError::refused("base", format!("{} {why}", params.base.part.name)));
        }
        let count = experts.len();
        Ok(Self {
            experts: Experts::new(experts),
            noise: params.noise.number().map_or_else(|_| Noise::default(), Noise::Known),
            evidence: vec![Sum::default(); count],
            own: Sum::default(),
            weights: vec![1.0 / count as f64; count],
            deviation: f64::INFINITY,
            told: Vec::new(),
        })
    }

    /// The weights of the next round, of sum 1.
    fn next_weights(&self) -> Vec<f64> {
        let logarithms = self.evidence.iter().map(Sum::value);
        let all = ln_sum_exp(logarithms.clone());
        logarithms.map(|one| (one - all).exp()).collect()
    }

    /// The distributions that the experts give at `x`.
    fn ask(&self, x: &[f64]) -> Option<Vec<Student>> {
        self.experts.learners().map(|one| one.predictive(x).and_then(|known| self.student(&known))).collect()
    }

    fn student(&self, known: &Predictive) -> Option<Student> {
        match known {
            Predictive::Ridge(outlook) => Some(outlook.student(self.noise)),
            Predictive::Average(_) => None,
        }
    }

    /// Weighs the experts by what they gave a target.
    fn weigh(&mut self, said: Vec<Student>, y: f64) -> Result<f64, Breakdown> {
        self.weights = self.next_weights();
        let known = Predictive::Average(self.weights.iter().copied().zip(said.iter().copied()).collect());
        let (mean, density) = (known.mean(), known.ln_density(y, self.noise));
        if !(mean.is_finite() && density.is_finite()) {
            return Err(Breakdown::new(format!("the mean {mean} or the density exp({density}) at {y} is not finite")));
        }
        for (sum, one) in self.evidence.iter_mut().zip(&said) {
            // An expert that rules the target out is out.
            sum.add(one.ln_density(y).max(-1e300));
        }
        self.own.add(density);
        self.deviation = known.deviation(self.noise);
        self.told.push(known);
        Ok(mean)
    }
}

/// That an expert was saved before it could tell distributions.
fn untold() -> Breakdown {
    Breakdown::new("an expert knows no residuals of its past, and so gives no distribution")
}

impl Hypothesis for ModelAveraging {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.predictive(x).map_or(f64::NAN, |known| known.mean())
    }

    fn predictive(&self, x: &[f64]) -> Option<Predictive> {
        Some(Predictive::Average(self.next_weights().into_iter().zip(self.ask(x)?).collect()))
    }

    fn predictives(&self) -> Option<Vec<Predictive>> {
        Some(self.told.clone())
    }

    fn gauges(&self) -> Gauges {
        let own = 40 * self.experts.count() as u64;
        Gauges {
            weights: std::array::from_fn(|k| self.weights.get(k).copied()),
            deviation: Some(self.deviation).filter(|one| one.is_finite()),
            log_loss: Some(-self.own.value()),
            ..self.experts.gauges(own)
        }
    }

    /// `log_loss`: sum -ln p(y); `log_loss_regret`: what of it exceeds that of the best expert, at most ln K.
    fn measures(&self) -> Vec<(&'static str, f64)> {
        let best = self.evidence.iter().map(Sum::value).fold(f64::NEG_INFINITY, f64::max);
        vec![("log_loss", -self.own.value()), ("log_loss_regret", best - self.own.value())]
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { experts, noise: _, evidence, own, weights, deviation, told: _ } = self;
        for (i, sum) in evidence.iter_mut().enumerate() {
            store.keep(&format!("evidence_{}", i + 1), sum)?;
        }
        store.keep("own", own)?;
        store.keep("deviation", deviation)?;
        store.keep("weights", &mut weights[..])?;
        experts.state(store)
    }
}

impl Learner for ModelAveraging {
    fn attend(&mut self, x: &[f64], draw: &mut Draw) -> Result<(), Breakdown> {
        self.experts.attend(x, draw)
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.told.clear();
        let said = self.ask(x).ok_or_else(untold)?;
        self.weigh(said, y)?;
        self.experts.learn((x, 1.0), y, draw, |_| Ok(()))
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.told.clear();
        let mut played = 0;
        let outcome = self.experts.play(block, draws, |_, _| {
            played += 1;
            Ok(())
        });
        let known: Option<Vec<Vec<Predictive>>> = self.experts.learners().map(|one| one.predictives()).collect();
        let known = known.ok_or_else(untold)?;
        for (i, (prediction, y)) in predictions.iter_mut().zip(block.targets).enumerate().take(played) {
            let said = known.iter().map(|rounds| rounds.get(i).and_then(|one| self.student(one))).collect();
            let said: Option<Vec<Student>> = said;
            *prediction = said
                .ok_or_else(untold)
                .and_then(|said| self.weigh(said, *y))
                .map_err(|breakdown| Breakdown { after: i, ..breakdown })?;
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::check::check;
    use crate::parts::AllParts;
    use noregret_numeric::linalg::matrix::Matrix;

    const ROUNDS: usize = 300;

    fn learner(toml: &str) -> Result<Box<dyn Learner>, ParamError> {
        let params = check(ENTRY.params, &toml.parse::<toml::Table>().unwrap(), "", &AllParts)?;
        match (ENTRY.build.learner)(&params, &Setting::new(2))? {
            AnyLearner::Full(learner) => Ok(learner),
            AnyLearner::Noisy(_) => unreachable!(),
        }
    }

    /// Smooth targets, of which some have a thousand times the noise of the others.
    fn data(seed: u64) -> (Matrix, Vec<f64>) {
        let draw = &mut Draws::named(&["model averaging"]).at(noregret_numeric::draw::Role::Example, seed);
        let mut inputs = Matrix::zeros(ROUNDS, 2);
        inputs.data_mut().iter_mut().for_each(|x| *x = draw.between(-1.0, 1.0));
        let mut target = |x: &[f64]| {
            let wild = if draw.below(20) == 0 { 100.0 } else { 0.1 };
            (3.0 * x[0]).sin() * x[1] + wild * draw.normal()
        };
        let targets = inputs.view().iter().map(&mut target).collect();
        (inputs, targets)
    }

    /// sum -ln p(y) of what a learner tells, in blocks of 50.
    fn log_loss(learner: &mut dyn Learner, inputs: &Matrix, targets: &[f64], noise: Noise) -> f64 {
        let mut told = Vec::new();
        for from in (0..ROUNDS).step_by(50) {
            let (inputs, targets) = (inputs.view().slice(from, from + 50), &targets[from..from + 50]);
            let block = Block { first_round: 1 + from as u64, inputs, targets };
            learner.play(block, &Draws::named(&[]), &mut [0.0; 50]).unwrap();
            told.extend(learner.predictives().unwrap());
        }
        told.iter().zip(targets).map(|(known, y)| -known.ln_density(*y, noise)).sum()
    }

    /// The loss is that of the mixture of whole sequences, exactly, and so at most ln K above the best expert's; the measures
    /// say the same. A rule that gave equal weights in every round would break the bound.
    #[test]
    fn the_log_loss_is_at_most_ln_k_above_the_best_experts_on_every_run() {
        let lambdas = [1e-3, 0.1, 10.0, 1e3];
        for (seed, noise) in (0..10).flat_map(|seed| [(seed, "'learnt'"), (seed, "0.01")]) {
            let (inputs, targets) = data(seed);
            let belief = if noise == "0.01" { Noise::Known(0.01) } else { Noise::default() };
            let of = |lambdas: &[f64]| {
                let toml = format!(
                    "base = {{ name = 'kernel-ridge', kernel = {{ bandwidth = 0.7 }} }}\ngrid = {{ lambda = {lambdas:?} }}\nnoise = {noise}"
                );
                learner(&toml).unwrap()
            };
            let alone = lambdas.map(|lambda| log_loss(&mut *of(&[lambda]), &inputs, &targets, belief));
            let mut average = of(&lambdas);
            let found = log_loss(&mut *average, &inputs, &targets, belief);
            let whole = 4.0_f64.ln() - ln_sum_exp(alone.iter().map(|loss| -loss));
            let best = alone.iter().copied().fold(f64::INFINITY, f64::min);
            assert!((found - whole).abs() < 1e-9 * whole.abs(), "{seed} {noise}: {found} {whole}");
            assert!(found <= best + 4.0_f64.ln() + 1e-9 * best.abs(), "{seed} {noise}: {found} {best}");
            let [("log_loss", loss), ("log_loss_regret", regret)] = average.measures()[..] else { panic!() };
            assert!((loss - found).abs() < 1e-9 * found.abs() && (regret - (found - best)).abs() < 1e-9 * best.abs());
            // Without learning weights, it would lose more than that.
            let mean = alone.iter().sum::<f64>() / 4.0;
            assert!(mean > best + 4.0_f64.ln(), "{seed} {noise}: {mean} {best}");
        }
    }

    #[test]
    fn experts_without_a_distribution_are_refused() {
        for base in ["fogd", "constant", "kernel-ridge-low-rank"] {
            let grid = if base == "constant" { "value = [0.0]" } else { "kernel = [{ bandwidth = 1.0 }]" };
            let grid = if base == "fogd" { "eta = [0.1]" } else { grid };
            let error = learner(&format!("base = {{ name = '{base}' }}\ngrid = {{ {grid} }}")).err().unwrap();
            assert!(error.to_string().contains("no distribution"), "{base}: {error}");
        }
    }
}
