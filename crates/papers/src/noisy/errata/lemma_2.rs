//! Lemma 2: the second moment of the two-copy gradient.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-lemma-2",
    place: "Lemma 2, Theorem 1 (G)",
    quote: "For the second claim, we have by the independence assumption",
    class: Class::Wrong,
    reason: "the lemma states the bound, and single points exceed it",
    printed: "E |g|^2 <= 4 (B_w^2 B_x^2 + B_y^2) B_x^2: the cross term -2 <w, x> y is dropped",
    corrected: "E |g|^2 <= 4 (B_w B_x + B_y)^2 B_x^2",
    method: "E |g|^2 for g = 2 (<w, x1> - y1) x2 in closed form, at one point and over a random search",
    decide,
};

const SEARCHED: u64 = 20_000;
const DIMENSION: usize = 3;

/// For independent copies with noise of variance v per coordinate and u on the target,
/// E |g|^2 = 4 ((<w, x> - y)^2 + v |w|^2 + u) (|x|^2 + d v), B_x^2 = |x|^2 + d v, B_y^2 = y^2 + u, B_w = |w|.
struct MomentCase {
    inner: f64,
    w: f64,
    x: f64,
    y: f64,
    v: f64,
    u: f64,
}

impl MomentCase {
    fn moment(&self) -> f64 {
        4.0 * ((self.inner - self.y).powi(2) + self.v * self.w * self.w + self.u) * self.copy()
    }

    fn copy(&self) -> f64 {
        self.x * self.x + DIMENSION as f64 * self.v
    }

    fn printed(&self) -> f64 {
        4.0 * (self.w * self.w * self.copy() + self.y * self.y + self.u) * self.copy()
    }

    fn corrected(&self) -> f64 {
        4.0 * (self.w * self.copy().sqrt() + (self.y * self.y + self.u).sqrt()).powi(2) * self.copy()
    }
}

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    // w = -x, |x| = 1, y = 1, no noise.
    let point = MomentCase { inner: -1.0, w: 1.0, x: 1.0, y: 1.0, v: 0.0, u: 0.0 };
    let (mut worst_printed, mut worst_corrected) = (0.0f64, 0.0f64);
    let mut draw = draws.at(Role::Example, 1);
    for _ in 0..SEARCHED {
        let (w, x) = (draw.between(0.1, 2.0), draw.between(0.1, 2.0));
        let inner = draw.between(-1.0, 1.0) * w * x;
        let (y, v, u) = (draw.between(-2.0, 2.0), draw.between(0.0, 0.2), draw.between(0.0, 0.2));
        let case = MomentCase { inner, w, x, y, v, u };
        worst_printed = worst_printed.max(case.moment() / case.printed());
        worst_corrected = worst_corrected.max(case.moment() / case.corrected());
    }
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact(
            "E |g|^2 at w = -x, |x| = y = 1 without noise",
            at_most,
            point.printed(),
            point.corrected(),
            point.moment(),
            1e-12,
        ),
        ErratumNumber::exact(
            "largest E |g|^2 / printed bound in 20000 cases",
            at_most,
            1.0,
            None,
            worst_printed,
            1e-12,
        ),
        ErratumNumber::exact(
            "largest E |g|^2 / corrected bound in 20000 cases",
            at_most,
            None,
            1.0,
            worst_corrected,
            1e-12,
        ),
    ]
}
