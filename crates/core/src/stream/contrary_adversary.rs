//! The contrary adversary: the input of the learner's boldest prediction, and the label that contradicts it.
//!
//! Of `candidates` inputs drawn from the uniform law on the unit sphere of R^d it shows the one at which |p_t(x)| is
//! largest, p_t being the learner's hypothesis before round t, and answers y_t = -size sign p_t(x_t). With one candidate
//! it chooses the targets alone. It knows nothing of the draws of its round: neither the learner's coins nor the noise.
//!
//! The comparator is the best linear function of norm at most `radius` on the rounds shown. It depends on the noise
//! that the learner saw, through the targets. The theorems on noisy data compare with a fixed function, so that their
//! bound W sqrt(G T) grows here by at most W E|sum_t (g_t - g~_t)| <= W sqrt(G T), for unbiased estimates g~_t of the
//! gradients g_t.

use crate::comparator::norm_ball::NormBall;
use crate::learner::api::Hypothesis;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, Params, Range};
use crate::stream::api::{self, Adversary, AdversaryEntry};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::linalg::vector::squared_norm;

/// The registry's line.
pub(crate) static ENTRY: AdversaryEntry = AdversaryEntry {
    name: "contrary-adversary",
    summary: "of inputs drawn on the unit sphere that of the boldest prediction, and the label of size that contradicts it",
    module: module_path!(),
    params: ContraryAdversaryParams::SPECS,
    build,
};

parameters! {
    /// Parameters of `contrary-adversary`.
    pub(crate) struct ContraryAdversaryParams {
        dim: u64 = api::DIM;
        /// number of inputs drawn in each round, of which it shows one
        candidates: u64 = Kind::integer(1, 1000) => Fallback::Integer(1);
        /// absolute value of the targets
        size: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
        /// largest norm of the linear functions of which the comparator is the best
        radius: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    }
}

fn build(params: &Params) -> Result<Box<dyn Adversary>, ParamError> {
    let params = ContraryAdversaryParams::read(params);
    Ok(Box::new(Contrary { inputs: Matrix::with_width(params.dim as usize), targets: Vec::new(), params }))
}

/// The adversary, with the rounds that it has shown; see the module.
struct Contrary {
    params: ContraryAdversaryParams,
    inputs: Matrix,
    targets: Vec<f64>,
}

impl Adversary for Contrary {
    fn dim(&self) -> usize {
        self.inputs.cols()
    }

    fn choose(&mut self, _: u64, hypothesis: &dyn Hypothesis, _: &Draw, draw: &mut Draw, x: &mut [f64]) -> f64 {
        let (mut candidate, mut boldest) = (vec![0.0; self.dim()], f64::NAN);
        for _ in 0..self.params.candidates {
            candidate.fill_with(|| draw.normal());
            let norm = squared_norm(&candidate).sqrt().max(f64::MIN_POSITIVE);
            candidate.iter_mut().for_each(|entry| *entry /= norm);
            let said = hypothesis.predict(&candidate, &mut draw.clone());
            if boldest.is_nan() || said.abs() > boldest.abs() {
                x.copy_from_slice(&candidate);
                boldest = said;
            }
        }
        let y = if boldest > 0.0 { -self.params.size } else { self.params.size };
        self.inputs.push_row(x);
        self.targets.push(y);
        y
    }

    fn comparator(&self) -> Option<f64> {
        Some(NormBall::over_features(self.inputs.view(), &self.targets).ok()?.loss(self.params.radius))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::api::Gauges;
    use crate::params::check::check;
    use crate::parts::AllParts;
    use noregret_numeric::draw::{Draws, Role};
    use noregret_numeric::linalg::vector::dot;

    const W: [f64; 3] = [0.6, 0.0, -0.8];

    /// <W, x>, whatever it sees.
    struct Fixed;

    impl Hypothesis for Fixed {
        fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
            dot(&W, x)
        }

        fn gauges(&self) -> Gauges {
            Gauges::default()
        }
    }

    /// 200 rounds against a fixed function: the inputs, the targets, and the comparator's loss.
    fn shown(candidates: u64) -> (Vec<[f64; 3]>, Vec<f64>, f64) {
        let table = format!("dim = 3\nsize = 2\nradius = 0.5\ncandidates = {candidates}");
        let params = check(ENTRY.params, &table.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap();
        let (mut adversary, draws) = (build(&params).unwrap(), Draws::named(&["contrary"]));
        let (mut inputs, mut targets) = (Vec::new(), Vec::new());
        for round in 1..=200 {
            let (mut x, coin) = ([0.0; 3], draws.at(Role::Attend, round));
            targets.push(adversary.choose(round, &Fixed, &coin, &mut draws.at(Role::Example, round), &mut x));
            inputs.push(x);
        }
        (inputs, targets, adversary.comparator().unwrap())
    }

    /// Every target has the other sign than the prediction. On the sphere <W, x> is uniform on [-1, 1], so that the
    /// mean of |<W, x>| over 200 rounds is 1/2 within five standard errors of 0.0204 (false-alarm rate 6e-7); the largest
    /// of 20 has the mean 20/21, and none of 200 is below 0.5 but with probability 2e-4.
    #[test]
    fn targets_contradict_the_boldest_prediction() {
        for candidates in [1, 20] {
            let (inputs, targets, _) = shown(candidates);
            let said: Vec<f64> = inputs.iter().map(|x| dot(&W, x)).collect();
            assert!(inputs.iter().all(|x| (squared_norm(x) - 1.0).abs() < 1e-12));
            assert!(said.iter().zip(&targets).all(|(p, y)| *y == -2.0 * p.signum()));
            let bold = said.iter().map(|p| p.abs());
            match candidates {
                1 => assert!((bold.sum::<f64>() / 200.0 - 0.5).abs() < 5.0 * 0.0205),
                _ => assert!(bold.fold(1.0, f64::min) > 0.5),
            }
        }
    }

    /// -W / 2, the function of the ball that contradicts most, has the comparator's loss up to a twentieth, and no smaller one.
    #[test]
    fn the_comparator_is_the_best_of_the_ball() {
        let (inputs, targets, loss) = shown(1);
        let of =
            |scale: f64| -> f64 { inputs.iter().zip(&targets).map(|(x, y)| (scale * dot(&W, x) - y).powi(2)).sum() };
        assert!(loss <= of(-0.5) && loss > 0.95 * of(-0.5), "{loss} {}", of(-0.5));
        assert!(of(0.5) > 1.5 * loss);
    }
}
