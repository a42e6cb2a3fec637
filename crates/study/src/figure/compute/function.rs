//! Functions of one real number that a figure shows without any run.

use std::sync::Arc;

use noregret_core::kernel::api::Kernel;
use noregret_core::loss::api::Loss;
use noregret_core::window::api::{self as window, Window};
use serde_json::Value;

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// A function of one real number.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in the legend.
    pub label: String,
    /// Its member with every default filled in, in canonical form, and all else that was declared: equal forms have
    /// equal values.
    pub(crate) form: Value,
    /// The modules that define it, for code identity.
    pub(crate) modules: Vec<&'static str>,
    /// What is evaluated.
    pub shape: Shape,
}

/// What is evaluated.
#[derive(Clone, Debug)]
pub enum Shape {
    /// l(a).
    Loss(Arc<dyn Loss>),
    /// l'(a).
    Derivative(Arc<dyn Loss>),
    /// (scale^2 / 2) W(a^2 / scale^2), the loss of a window at a residual.
    Window(Arc<dyn Window>, f64),
    /// W'(a^2 / scale^2) a, its derivative.
    WindowSlope(Arc<dyn Window>, f64),
    /// k(0, r e_1) in so many dimensions: a radial kernel by distance.
    Kernel(Arc<dyn Kernel>, usize),
}

impl Function {
    /// Its value.
    pub fn at(&self, x: f64) -> f64 {
        match &self.shape {
            Shape::Loss(loss) => loss.value(x),
            Shape::Derivative(loss) => loss.derivative(x),
            Shape::Window(window, scale) => window::loss(&**window, *scale, x),
            Shape::WindowSlope(window, scale) => window::slope(&**window, *scale, x),
            Shape::Kernel(kernel, dim) => {
                let origin = vec![0.0; *dim];
                let mut point = origin.clone();
                point[0] = x;
                kernel.evaluate(&origin, &point)
            }
        }
    }
}
