//! `prepare/...`: a dataset scaled and its target transformed, once for each combination that experiments use.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use crate::code;
use crate::config::project::Project;
use crate::prepare::compute as preparation;
use crate::stage::items::{item, whole};
use noregret_data::declaration::{self, Dataset, DatasetOrigin, KnownHash};
use noregret_data::encode::choices::ColumnEncoding;
use noregret_data::fetch::recorded;
use noregret_data::prepare::Preparation;
use noregret_engine::plan::work::{Estimate, Facts, Failure, Item, ItemInput, Job, Need, Product, Work};

/// The canonical form of a preparation.
pub(crate) fn canonical(preparation: &Preparation) -> String {
    json!(preparation).to_string()
}

/// The items (one for each variant) and the work of `prepare/NAME`; `fetch` is the stage of the raw files, `own` the
/// SHA-256 of a file of the user's own, which is in the key of that stage.
pub(crate) fn stage(
    project: &Project,
    dataset: &Dataset,
    variants: Vec<Preparation>,
    fetch: Option<usize>,
    own: Option<String>,
) -> (Vec<Item>, Arc<dyn Work>) {
    let raw = project.data().join("raw").join(&dataset.name);
    let work = Prepare { dataset: dataset.clone(), raw, variants, own };
    let inputs: Arc<[ItemInput]> = whole(fetch.as_slice(), Need::Required).collect();
    let items = (0..work.variants.len()).map(|index| item(&work, index, inputs.clone())).collect();
    (items, Arc::new(work))
}

struct Prepare {
    dataset: Dataset,
    raw: PathBuf,
    variants: Vec<Preparation>,
    own: Option<String>,
}

impl Prepare {
    /// What the key says of data that nobody has pinned.
    fn known(&self) -> Result<KnownHash, Failure> {
        match (&self.dataset.origin, &self.own) {
            _ if self.dataset.content_sha256.is_some() => Ok(KnownHash::Nothing),
            (DatasetOrigin::Path(_), Some(own)) => Ok(KnownHash::Bytes(own.clone())),
            (DatasetOrigin::Files(_), _) => recorded(&self.raw).map(KnownHash::Content).ok_or_else(|| {
                let raw = self.raw.display();
                Failure::failed(format!("the record of the fetch into {raw} is gone; run the same command again"))
            }),
            _ => Ok(KnownHash::Nothing),
        }
    }
}

impl Work for Prepare {
    fn label(&self, item: usize) -> String {
        canonical(&self.variants[item])
    }

    fn facts(&self, item: usize) -> Facts {
        let dataset = &self.dataset;
        // A pinned hash says what is read, whatever code reads it.
        let reading: &[_] = if dataset.content_sha256.is_some() { &[] } else { &[declaration::MODULE] };
        let mut parameters = json!({
            "dataset": dataset.name,
            "content_sha256": dataset.content_sha256,
            "target": dataset.target,
            "inputs": dataset.input_columns,
            "first_rows": dataset.first_rows,
            "preparation": self.variants[item],
        });
        // Datasets of plain numbers keep the keys that they had before there were encoders.
        if dataset.encoding != ColumnEncoding::default() {
            parameters["encoding"] = json!(dataset.encoding);
        }
        Facts { parameters, code: code::behind(module_path!(), preparation::MODULE, reading) }
    }

    fn estimate(&self, item: usize) -> Estimate {
        let bytes = self.dataset.bytes(self.dataset.rows, &self.variants[item]);
        // The table, its columns on the way into the file, and the file.
        Estimate { cost: bytes, bytes: 3.0 * bytes, group: "prepare".into() }
    }

    fn execute(&self, item: usize, job: &dyn Job) -> Result<Product, Failure> {
        let table = self.dataset.load_known(&self.raw, self.dataset.first_rows, &self.known()?);
        let table = table.map_err(Failure::failed)?;
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
