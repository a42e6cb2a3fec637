//! `prepare/...`: a dataset scaled and its target transformed, once for each combination that experiments use.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::items::{item, whole};
use crate::code;
use crate::compute::preparation;
use crate::config::project::Project;
use crate::dataset::declaration::{self, Dataset};
use crate::dataset::prepare::Preparation;
use noregret_engine::plan::work::{Estimate, Facts, Failure, Input, Item, Job, Need, Product, Work};

/// The canonical form of a preparation.
pub fn canonical(preparation: &Preparation) -> String {
    json!(preparation).to_string()
}

/// The items (one for each variant) and the work of `prepare/NAME`; `fetch` is the stage of the raw files.
pub fn stage(
    project: &Project,
    dataset: &Dataset,
    variants: Vec<Preparation>,
    fetch: Option<usize>,
) -> (Vec<Item>, Arc<dyn Work>) {
    let raw = project.data().join("raw").join(&dataset.name);
    let work = Prepare { dataset: dataset.clone(), raw, variants };
    let inputs: Arc<[Input]> = whole(fetch.as_slice(), Need::Required).collect();
    let items = (0..work.variants.len()).map(|index| item(&work, index, inputs.clone())).collect();
    (items, Arc::new(work))
}

struct Prepare {
    dataset: Dataset,
    raw: PathBuf,
    variants: Vec<Preparation>,
}

impl Work for Prepare {
    fn label(&self, item: usize) -> String {
        canonical(&self.variants[item])
    }

    fn facts(&self, item: usize) -> Facts {
        let dataset = &self.dataset;
        // A pinned hash says what is read, whatever code reads it.
        let reading: &[_] = if dataset.content_sha256.is_some() { &[] } else { &[declaration::MODULE] };
        Facts {
            parameters: json!({
                "dataset": dataset.name,
                "content_sha256": dataset.content_sha256,
                "target": dataset.target,
                "inputs": dataset.input_columns,
                "first_rows": dataset.first_rows,
                "preparation": self.variants[item],
            }),
            code: code::behind(module_path!(), preparation::MODULE, reading),
        }
    }

    fn estimate(&self, _: usize) -> Estimate {
        let bytes = 8.0 * self.dataset.rows as f64 * (self.dataset.inputs as f64 + 1.0);
        // The table, its columns on the way into the file, and the file.
        Estimate { cost: bytes, bytes: 3.0 * bytes, group: "prepare".into() }
    }

    fn execute(&self, item: usize, job: &dyn Job) -> Result<Product, Failure> {
        let table = self.dataset.load(&self.raw, self.dataset.first_rows).map_err(Failure::failed)?;
        let facts = self.facts(item);
        let metadata = [
            ("noregret.code".to_owned(), json!(*facts.code).to_string()),
            ("noregret.config".to_owned(), facts.parameters.to_string()),
            ("noregret.key".to_owned(), job.key().to_owned()),
        ];
        let bytes = preparation::prepared(table, &self.variants[item], &metadata).map_err(Failure::failed)?;
        Ok(Product::Object { bytes, measurements: None })
    }
}
