//! `errata/ID`: the computation that decides between a printed formula and the corrected one.

use std::sync::Arc;

use serde_json::json;

use super::fingerprint;
use crate::code;
use crate::errata::api::{Accuracy, Erratum, Finding, Quantity};
use crate::plan::work::{Estimate, Facts, Failure, Item, Job, Outcome, Product, Work};
use crate::report::number::significant;

/// The item and the work of `errata/ID`; its object is a [`Finding`].
pub fn stage(erratum: &'static Erratum) -> (Item, Arc<dyn Work>) {
    let work = Decide { erratum };
    let facts = work.facts(0);
    let fingerprint = fingerprint(&facts.parameters.to_string(), &facts.code);
    (Item { fingerprint, inputs: Arc::new([]) }, Arc::new(work))
}

/// The findings among the inputs, and the names of the stages that left none.
pub(super) fn findings(job: &dyn Job) -> Result<(Vec<Finding>, Vec<String>), Failure> {
    let (mut findings, mut absent) = (Vec::new(), Vec::new());
    for (index, input) in job.inputs().iter().enumerate().filter(|(_, input)| input.stage.starts_with("errata/")) {
        if let Outcome::Done { .. } = input.outcome {
            let finding = serde_json::from_slice(&job.object(index)?);
            findings.push(finding.map_err(|error| Failure::Failed(format!("{}: {error}", input.stage)))?);
        } else {
            absent.push(input.stage.clone());
        }
    }
    Ok((findings, absent))
}

struct Decide {
    erratum: &'static Erratum,
}

impl Work for Decide {
    fn label(&self, _: usize) -> String {
        String::new()
    }

    fn facts(&self, _: usize) -> Facts {
        Facts {
            parameters: json!({ "erratum": self.erratum.id }),
            code: code::closure(&[self.erratum.file]).union(&code::shallow(&[file!()])),
        }
    }

    fn estimate(&self, _: usize) -> Estimate {
        Estimate { cost: 1.0, bytes: 1e7, group: "errata".into() }
    }

    fn value(&self, object: &[u8]) -> Option<f64> {
        let finding = serde_json::from_slice::<Finding>(object).ok()?;
        finding.quantities.first().map(|quantity| quantity.found)
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let finding = self.erratum.finding();
        let failed = |cause: String| Failure::Failed(format!("erratum {}: {cause}", self.erratum.id));
        if let Some(bad) = finding.quantities.iter().find(|quantity| !quantity.found.is_finite()) {
            return Err(failed(format!("{} came out as {}", bad.what, bad.found)));
        }
        for quantity in &finding.quantities {
            job.say(&line(quantity));
        }
        job.say(finding.verdict().words());
        let bytes = serde_json::to_vec_pretty(&finding).map_err(|error| failed(error.to_string()))?;
        Ok(Product::Object { bytes, measurements: None })
    }
}

/// A quantity for the terminal.
fn line(quantity: &Quantity) -> String {
    let number = |value| significant(value, 6);
    let error = match quantity.accuracy {
        Accuracy::Sampled { standard_error, .. } => format!(" +- {}", significant(standard_error, 2)),
        Accuracy::Exact { .. } => String::new(),
    };
    let Quantity { what, printed, corrected, found, .. } = quantity;
    let corrected = corrected.map_or("claims nothing".to_owned(), number);
    format!("{what}: {}{error} (printed {}, corrected {corrected})", number(*found), number(*printed))
}
