//! Stages made of one function: the shortest way to a graph.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::code::CodeIdentity;
use crate::plan::key::content;
use crate::plan::work::{Facts, Failure, Item, ItemInput, Job, Need, Product, Stage, Storage, Work};

/// A stage with one item. `work` makes its bytes from those of the stages whose indices are in `inputs`; these come
/// earlier in the graph and are made of one function too. `parameters` and `code` stand for everything else that `work`
/// depends on: as long as neither changes, it is not called again. If it returns an error text, the item fails.
pub fn function(
    name: &str,
    parameters: Value,
    code: CodeIdentity,
    inputs: &[usize],
    work: impl Fn(&[Vec<u8>]) -> Result<Vec<u8>, String> + Send + Sync + 'static,
) -> Stage {
    let fingerprint = content(json!([parameters, code.digest]).to_string().as_bytes());
    let required = |stage: &usize| ItemInput { stage: *stage, item: Some(0), need: Need::Required };
    Stage {
        name: name.to_owned(),
        items: vec![Item { fingerprint, inputs: inputs.iter().map(required).collect() }],
        work: Arc::new(FunctionWork { facts: Facts { parameters, code: Arc::new(code) }, work }),
        storage: Storage::Object { extension: "bin" },
    }
}

/// The work of such a stage.
struct FunctionWork<F> {
    facts: Facts,
    work: F,
}

impl<F: Fn(&[Vec<u8>]) -> Result<Vec<u8>, String> + Send + Sync> Work for FunctionWork<F> {
    fn facts(&self, _: usize) -> Facts {
        self.facts.clone()
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let inputs: Vec<Vec<u8>> = (0..job.inputs().len()).map(|index| job.object(index)).collect::<Result<_, _>>()?;
        let bytes = (self.work)(&inputs).map_err(Failure::failed)?;
        Ok(Product::Object { bytes, measurements: None })
    }
}
