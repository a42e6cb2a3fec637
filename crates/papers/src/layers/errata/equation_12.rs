//! (12): the direction of the gradient.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::layers::errata::sign_features::{InputVector, kernel, normal};
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-equation-12",
    place: "(12); C.2, end",
    quote: "The corresponding unbiased gradient estimate is",
    class: Class::Notation,
    reason: "Lemma 2 has Phi(x_t), and a gradient is a function of the features",
    printed: "gradient = (E_t - y_t) x_t",
    corrected: "(E_t - y_t) Phi(x_t)",
    method: "The derivative of the loss in the direction Phi(z), by a central difference, with the exact value for \
             E_t; sign features; inner products of inputs for the printed form, kernel values for the corrected one",
    decide,
};

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Example, 1);
    let [x, z, centre]: [InputVector; 3] = std::array::from_fn(|_| normal(&mut draw));
    let (value, y) = (0.7 * kernel(&centre, &x), -0.4);
    let loss = |h: f64| 0.5 * (value + h * kernel(&z, &x) - y).powi(2);
    let derivative = (loss(0.25) - loss(-0.25)) / 0.5;
    let inner: f64 = x.iter().zip(&z).map(|(x, z)| x * z).sum();
    let (printed, corrected) = ((value - y) * inner, (value - y) * kernel(&x, &z));
    let what = "derivative in the direction Phi(z)";
    vec![ErratumNumber::exact(what, Relation::Equal, printed, corrected, derivative, 1e-12)]
}
