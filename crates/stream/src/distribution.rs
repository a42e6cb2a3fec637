//! What is known of a target before it is seen, on the scale of the file.

use std::str::FromStr;

use noregret_core::learner::predictive::{Noise, Predictive};
use serde::{Deserialize, Serialize};

/// What `--std` says of the noise of targets: its standard deviation, or that it is learnt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StdNoise(Noise);

impl TryFrom<String> for StdNoise {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<StdNoise> for String {
    fn from(StdNoise(noise): StdNoise) -> Self {
        match noise {
            Noise::Known(variance) => variance.sqrt().to_string(),
            Noise::Learnt { .. } => "learnt".into(),
        }
    }
}

impl FromStr for StdNoise {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            _ if text == "learnt" => Ok(Self(Noise::default())),
            // Its square is a number, too.
            Ok(std) if (1e-100..=1e100).contains(&std) => Ok(Self(Noise::Known(std * std))),
            _ => {
                Err("the standard deviation of the noise of targets is a number between 1e-100 and 1e100, or `learnt`"
                    .into())
            }
        }
    }
}

impl StdNoise {
    /// Whether the noise is known.
    pub(crate) fn is_known(self) -> bool {
        matches!(self.0, Noise::Known(_))
    }
}

/// What was known of a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Distribution {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation.
    pub std: f64,
    /// -ln of the density of the target, once it is known.
    pub log_loss: Option<f64>,
}

/// What a learner knew of `target`, whose targets are those of the file less a shift, over a factor.
pub(crate) fn distribution(
    known: Predictive,
    map: Option<(f64, f64)>,
    StdNoise(noise): StdNoise,
    target: Option<f64>,
) -> Distribution {
    let known = match map {
        Some((shift, factor)) => known.mapped(shift, factor),
        None => known,
    };
    let (std, loss) = (known.deviation(noise), target.map(|target| -known.ln_density(target, noise)));
    // Where nothing was known of the target, no density was.
    let log_loss = loss.filter(|loss| std.is_finite() || *loss != 0.0);
    Distribution { mean: known.mean() + 0.0, std, log_loss }
}
