//! pros-n-kons: online Newton steps in the span of a dictionary, restarted whenever the dictionary grows.
//!
//! In coordinates psi of the span, with h(z) = z - clip(z, [-C, C]) and v the point before projection,
//!
//! ```text
//! w = v - h(psi' v) / (psi' A^-1 psi) A^-1 psi,   p = psi' w = clip(psi' v, [-C, C]),   g = 2 (p - y) psi,
//! A += g g' / (16 C^2),   v = w - A^-1 g.
//! ```
//!
//! Then x_t is offered to the dictionary; if it enters, A = alpha I and v = 0 over the new span.
//!
//! Source: D. Calandriello, A. Lazaric, M. Valko, NIPS 2017. The variant `authors` is the code that Jezequel, Gaillard,
//! Rudi 2019 compare with. It predicts clip(psi' w) with the w of the previous round, to which that round's gradient
//! has not been applied; offers x_t right after the prediction; drops the gradient of a round that restarts; and adds
//! g g' / 16 for any C.

use std::cell::RefCell;
use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::about::{About, FEW_WIDTHS, Kin, Tried};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting, in_round,
};
use crate::learner::entry::learner;
use crate::learner::newton::constants;
use crate::learner::newton::window::{NewtonStep, NewtonWindow};
use crate::learner::parameters;
use crate::learner::ridge::dictionary::{Dictionary, Offer, Projection, Projections, play_in_parts};
use crate::learner::ridge::kors::{self, SampleWeights, SamplerParams};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::upper::Upper;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};
use noregret_numeric::state::{StateError, Store, keep};

/// Which form of the algorithm is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// The form in the paper.
    Paper,
    /// The form in the code described above.
    Authors,
}

/// The learner. It holds O(m^2 + m d) numbers for a dictionary of m points.
#[derive(Debug)]
pub struct ProsNKons {
    variant: Variant,
    alpha: f64,
    clip: f64,
    dictionary: Dictionary,
    /// R with A = R' R.
    factor: Upper,
    /// v, the point before projection.
    ahead: Vec<f64>,
    /// w, the point after the projection of the last round; only for the variant `authors`.
    weights: Vec<f64>,
    /// The last input. A cache, invisible from outside.
    last: RefCell<Projection>,
    /// A^-1 psi, and psi times a factor.
    direction: Vec<f64>,
    scratch: Vec<f64>,
    projections: Projections,
    window: NewtonWindow,
}

/// Consecutive rounds without a restart between them.
struct Segment<'a> {
    /// Number of coordinates.
    coordinates: usize,
    /// Whether they begin after a restart, and whether the last of them ends with one.
    fresh: bool,
    ends: bool,
    targets: &'a [f64],
}

/// The largest number of rounds that are played together.
const TOGETHER: usize = 256;

impl ProsNKons {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// Values out of range; a kernel that does not accept inputs of this dimension.
    pub fn new(params: ProsNKonsParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let ProsNKonsParams { alpha, clip, mu, beta, epsilon, weights, variant, kernel } = params;
        parameters::accepts(&*kernel, setting)?;
        let rule = SamplerParams { mu, beta, epsilon, weights: SampleWeights::of(weights), least: 0.0 };
        Ok(Self {
            variant: if variant == "authors" { Variant::Authors } else { Variant::Paper },
            alpha,
            clip,
            dictionary: Dictionary::new(kernel, rule, setting.dim),
            factor: Upper::default(),
            ahead: Vec::new(),
            weights: Vec::new(),
            last: RefCell::default(),
            direction: Vec::new(),
            scratch: Vec::new(),
            projections: Projections::default(),
            window: NewtonWindow::default(),
        })
    }

    /// [`Learner::learn`] with the number that it draws from [0, 1).
    ///
    /// # Errors
    /// If kernel values or the step are not finite.
    pub fn learn_with(&mut self, x: &[f64], y: f64, uniform: f64) -> Result<(), Breakdown> {
        self.dictionary.project(x, self.last.get_mut());
        match self.variant {
            Variant::Paper => {
                self.step(y)?;
                self.offer(uniform)?;
            }
            Variant::Authors => {
                if !self.offer(uniform)? {
                    self.step(y)?;
                }
            }
        }
        Ok(())
    }

    /// The factor of g g' in A.
    fn curvature(&self) -> f64 {
        match self.variant {
            Variant::Paper => 0.5 * constants::curvature(self.clip),
            Variant::Authors => 1.0 / 16.0,
        }
    }

    /// The Newton step of a round, over the present span.
    fn step(&mut self, y: f64) -> Result<(), Breakdown> {
        let psi = std::mem::take(&mut self.last.get_mut().psi);
        let outcome = self.step_from(&psi, y);
        self.last.get_mut().psi = psi;
        outcome
    }

    /// The Newton step of a round with coordinates `psi`.
    fn step_from(&mut self, psi: &[f64], y: f64) -> Result<(), Breakdown> {
        let before = dot(psi, &self.ahead);
        self.direction.clear();
        self.direction.extend_from_slice(psi);
        self.factor.solve_transposed(&mut self.direction);
        let spread = squared_norm(&self.direction);
        self.factor.solve(&mut self.direction);
        let NewtonStep { projection, gradient, strength, .. } =
            NewtonStep::new(before, spread, y, self.clip, self.curvature())?;
        add_scaled(&mut self.ahead, -projection, &self.direction);
        if self.variant == Variant::Authors {
            self.weights.clone_from(&self.ahead);
        }
        add_scaled(&mut self.ahead, -gradient, &self.direction);
        let scale = strength.sqrt();
        self.scratch.clear();
        self.scratch.extend(psi.iter().map(|value| scale * value));
        self.factor.add(&mut self.scratch);
        Ok(())
    }

    /// Offers the last input, and restarts if it enters; returns whether it did.
    fn offer(&mut self, uniform: f64) -> Result<bool, Breakdown> {
        if matches!(self.dictionary.offer(self.last.get_mut(), uniform)?, Offer::Refused) {
            return Ok(false);
        }
        self.restart(self.dictionary.coordinates());
        Ok(true)
    }

    /// A = alpha I and v = 0 over `coordinates` coordinates.
    fn restart(&mut self, coordinates: usize) {
        self.factor = Upper::identity(coordinates, self.alpha.sqrt());
        for point in [&mut self.ahead, &mut self.weights] {
            point.clear();
            point.resize(coordinates, 0.0);
        }
    }

    /// Plays the first rounds of a block together, in the form of the paper; returns how many.
    fn play_together(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<usize, Breakdown> {
        let mut points = std::mem::take(&mut self.projections);
        let uniform = |i| draws.at(Role::Learn, block.first_round + i as u64).uniform();
        let count = self.dictionary.offer_rows(block.inputs, &mut points, uniform);
        let mut restarts = points.entered.iter().map(|i| i + 1);
        let (mut from, mut fresh) = (0, false);
        while from < count {
            let end = restarts.next();
            let to = end.unwrap_or(count);
            let coordinates = points.coordinates[from];
            let psi = |i: usize| &points.psi(from + i)[..coordinates];
            let segment = Segment { coordinates, fresh, ends: end.is_some(), targets: &block.targets[from..to] };
            self.play_segment(segment, psi, &mut predictions[from..to])
                .map_err(|breakdown| Breakdown { after: from + breakdown.after, ..breakdown })?;
            (from, fresh) = (to, end.is_some());
        }
        if fresh {
            self.restart(self.dictionary.coordinates());
        }
        self.projections = points;
        Ok(count)
    }

    /// Plays rounds between two restarts; those of index i have coordinates `psi(i)`.
    fn play_segment<'a>(
        &mut self,
        segment: Segment<'_>,
        psi: impl Fn(usize) -> &'a [f64],
        predictions: &mut [f64],
    ) -> Result<(), Breakdown> {
        let Segment { coordinates, fresh, ends, targets } = segment;
        let (clip, curvature) = (self.clip, self.curvature());
        let NewtonWindow { whitened: u, triangle, .. } = &mut self.window;
        u.clear();
        (0..targets.len()).for_each(|i| u.extend_from_slice(psi(i)));
        if fresh {
            let scale = self.alpha.sqrt().recip();
            u.iter_mut().for_each(|value| *value *= scale);
        } else {
            self.factor.solve_rows(u, targets.len(), triangle);
        }
        let prior = |i: usize| if fresh { 0.0 } else { dot(psi(i), &self.ahead) };
        let together = self.window.play(coordinates, prior, targets, clip, curvature, predictions);
        // After a round that restarts, nobody needs what was learnt.
        if fresh && !(together && ends) {
            self.restart(coordinates);
        }
        if !together {
            for (i, y) in targets.iter().enumerate() {
                predictions[i] = dot(psi(i), &self.ahead).clamp(-clip, clip);
                self.step_from(psi(i), *y).map_err(in_round(i))?;
            }
        } else if !ends {
            self.window.settle(&mut self.ahead, &mut self.factor, psi);
        }
        Ok(())
    }
}

impl Hypothesis for ProsNKons {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        let projection = &mut *self.last.borrow_mut();
        self.dictionary.project(x, projection);
        let point = match self.variant {
            Variant::Paper => &self.ahead,
            Variant::Authors => &self.weights,
        };
        dot(&projection.psi, point).clamp(-self.clip, self.clip)
    }

    fn gauges(&self) -> Gauges {
        let m = self.dictionary.coordinates() as u64;
        Gauges {
            stored_points: Some(self.dictionary.len() as u64),
            features: Some(m),
            kernel_evaluations: Some(self.dictionary.evaluations()),
            state_bytes: Some(self.dictionary.bytes() + 8 * (m * (m + 1) / 2 + 2 * m)),
            ..Gauges::default()
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: dictionary, factor, ahead, weights; variant, alpha, clip, last, direction, scratch,
            projections, window);
        let size = dictionary.coordinates();
        store.check([factor.len(), ahead.len(), weights.len()] == [size; 3], "has parts of different sizes")
    }
}

impl Learner for ProsNKons {
    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_with(x, y, draw.uniform())
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        play_in_parts(self, block, draws, predictions, TOGETHER, |this, part, predictions| {
            match this.variant == Variant::Paper {
                true => this.play_together(part, draws, predictions),
                false => Ok(0),
            }
        })
    }
}

parameters! {
    /// Parameters of [`ProsNKons`].
    pub struct ProsNKonsParams {
        alpha: f64 = constants::ALPHA;
        clip: f64 = constants::CLIP;
        mu: f64 = kors::MU;
        beta: f64 = kors::BETA;
        epsilon: f64 = kors::EPSILON;
        weights: &'static str = kors::WEIGHTS;
        /// the algorithm of the paper, or the code that Jezequel, Gaillard, Rudi 2019 compare with
        variant: &'static str = Kind::Choice(&["paper", "authors"]) => Fallback::Word("paper");
        kernel: Arc<dyn Kernel> = parameters::KERNEL;
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// online Newton steps in the coordinates psi of a KORS dictionary:
    /// p = clip(psi' v, [-C, C]),  A += g g' / (16 C^2),  v = w - A^-1 g,  g = 2 (p - y) psi;  restart when the dictionary grows
    /// ```
    ///
    /// ## Cost
    ///
    /// r^2 operations per round and r^2 numbers, for a dictionary of r points.
    ///
    /// ## When to use it
    ///
    /// Second-order steps with a dictionary, for comparison. Every restart forgets what was learned, which costs most while the
    /// dictionary still grows.
    ///
    /// In the report: `figure/casp-loss`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "pros-n-kons",
        summary: "online Newton steps over a KORS dictionary with restarts (Calandriello, Lazaric, Valko, NIPS 2017)",
        module: module_path!(),
        params: ProsNKonsParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(ProsNKons::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let ProsNKonsParams { mu, beta, .. } = Parameters::read(params);
                let n = rounds as f64;
                let m = kors::expected_points(mu, beta, n).clamp(1.0, n.max(1.0));
                let d = dim as f64;
                Cost { flops: n * (6.0 * m * m + m * (3.0 * d + 20.0)), bytes: 8.0 * m * (3.0 * m + d + 4.0) }
            },
            drawn_by: &[],
            about: About::grid(&[
                ("alpha", Tried::Numbers(&[0.1, 1.0, 10.0])),
                ("mu", Tried::Numbers(&[1.0, 10.0])),
                ("clip", Tried::TargetBound),
                ("kernel.bandwidth", FEW_WIDTHS),
            ])
            .of(Kin::Newton)
            .random(),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Defaults;
    use noregret_numeric::draw::Role;

    /// With one point, over and over, psi = 1, and the recursion is over numbers.
    #[test]
    fn one_point_is_newtons_method_in_one_dimension() {
        let setting = Setting::new(1);
        let params = ProsNKonsParams { alpha: 0.5, ..ProsNKonsParams::default() };
        let mut learner = ProsNKons::new(params, &setting).unwrap();
        // The first draw lets the point in, the others do not.
        learner.learn_with(&[0.3], 1.0, 0.0).unwrap();
        let draw = &mut setting.draws.at(Role::Predict, 0);
        let (mut v, mut a) = (0.0f64, 0.5);
        for y in [3.0, 3.0, -2.0, 0.7, 0.1] {
            let w = v.clamp(-1.0, 1.0);
            assert!((learner.predict(&[0.3], draw) - w).abs() < 1e-15);
            let g = 2.0 * (w - y);
            a += g * g / 16.0;
            v = w - g / a;
            learner.learn_with(&[0.3], y, 0.999_999).unwrap();
        }
        assert_eq!(learner.gauges().stored_points, Some(1));
    }
}
