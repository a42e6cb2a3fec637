//! (9): the sign of the gradient.

use crate::draw::{Draws, Role};
use crate::errata::api::{Class, Erratum, Paper, Quantity, Relation};
use crate::errata::infinite_layer::sign_features::{Point, kernel, normal};

pub static ERRATUM: Erratum = Erratum {
    id: "iln-equation-9",
    paper: Paper::InfiniteLayer,
    place: "(9)",
    quote: "Its simplest version would be to update",
    class: Class::Notation,
    reason: "(12) and Lemma 2 have the sign right",
    printed: "gradient of the loss = (y - <f, Phi(x)>) Phi(x)",
    corrected: "(<f, Phi(x)> - y) Phi(x), as (12) and Lemma 2 have it",
    method: "The derivative of (<f + h Phi(z), Phi(x)> - y)^2 / 2 in h at 0, by a central difference, which is exact \
             for a quadratic; sign features",
    module: module_path!(),
    decide,
};

fn decide(draws: &Draws) -> Vec<Quantity> {
    let mut draw = draws.at(Role::Example, 1);
    let [x, z, centre]: [Point; 3] = std::array::from_fn(|_| normal(&mut draw));
    let (value, along, y) = (0.7 * kernel(&centre, &x), kernel(&z, &x), 0.5);
    let loss = |h: f64| 0.5 * (value + h * along - y).powi(2);
    let derivative = (loss(0.25) - loss(-0.25)) / 0.5;
    let what = "derivative in the direction Phi(z)";
    vec![Quantity::exact(what, Relation::Equal, (y - value) * along, (value - y) * along, derivative, 1e-12)]
}
