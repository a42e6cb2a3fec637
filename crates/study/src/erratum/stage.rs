//! `errata/ID`: the computation that holds a printed formula against the corrected one.

use std::sync::Arc;

use serde_json::json;

use crate::code;
use crate::erratum::compute as erratum;
use crate::stage::items::single;
use noregret_engine::plan::work::{Estimate, Facts, Failure, Item, ItemOutcome, Job, Product, Work};
use noregret_papers::errata::api::{Accuracy, Erratum, Finding, Quantity};
use noregret_report::number::significant;

/// The item and the work of `errata/ID`; its object is a [`Finding`].
pub(crate) fn stage(erratum: &'static Erratum) -> (Item, Arc<dyn Work>) {
    single(Decide { erratum }, [])
}

/// The findings among the inputs, and the names of the stages that left none.
pub(crate) fn findings(job: &dyn Job) -> Result<(Vec<Finding>, Vec<String>), Failure> {
    let (mut findings, mut absent) = (Vec::new(), Vec::new());
    for (index, input) in job.inputs().iter().enumerate().filter(|(_, input)| input.stage.starts_with("errata/")) {
        if let ItemOutcome::Done { .. } = input.outcome {
            let finding = serde_json::from_slice(&job.object(index)?);
            findings.push(finding.map_err(|error| Failure::about(&input.stage, error))?);
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
    fn facts(&self, _: usize) -> Facts {
        Facts {
            parameters: json!({ "erratum": self.erratum.id }),
            code: code::behind(module_path!(), erratum::MODULE, &[self.erratum.module]),
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
        let (finding, bytes) = erratum::decide(self.erratum)
            .map_err(|cause| Failure::about(format!("erratum {}", self.erratum.id), cause))?;
        for quantity in &finding.quantities {
            job.say(&line(quantity, finding.class.forms()));
        }
        job.say(&format!("{}: {}", finding.class.words(), finding.verdict().words()));
        Ok(Product::Object { bytes, measurements: None })
    }
}

/// A quantity for the terminal.
fn line(quantity: &Quantity, [first, second]: [&str; 2]) -> String {
    let number = |value| significant(value, 6);
    let error = match quantity.accuracy {
        Accuracy::Sampled { standard_error, .. } => format!(" +- {}", significant(standard_error, 2)),
        Accuracy::Exact { .. } => String::new(),
    };
    let Quantity { what, printed, corrected, found, .. } = quantity;
    let [printed, corrected] = [printed, corrected].map(|form| form.map_or("claims nothing".to_owned(), number));
    format!("{what}: {}{error} ({first} {printed}, {second} {corrected})", number(*found))
}
