//! `table/...`: a table as Markdown, CSV and LaTeX.

use std::sync::Arc;

use serde_json::json;

use super::figure::experiments;
use super::fingerprint;
use crate::code;
use crate::config::project::Project;
use crate::plan::work::{Facts, Failure, Input, Item, Job, Need, Product, Work};
use crate::report::figure::Context;
use crate::report::table::{TableSpec, render};

/// The item and the work of `table/NAME`; `inputs` are the summaries of its experiments.
pub fn stage(project: &Project, profile: &str, spec: &TableSpec, inputs: &[usize]) -> (Item, Arc<dyn Work>) {
    let work = Table { project: project.clone(), profile: profile.to_owned(), spec: spec.clone() };
    let inputs = inputs.iter().map(|&stage| Input { stage, item: None, need: Need::Optional }).collect();
    let facts = work.facts(0);
    (Item { fingerprint: fingerprint(&facts.parameters.to_string(), &facts.code), inputs }, Arc::new(work))
}

struct Table {
    project: Project,
    profile: String,
    spec: TableSpec,
}

impl Work for Table {
    fn label(&self, _: usize) -> String {
        String::new()
    }

    fn facts(&self, _: usize) -> Facts {
        let mut files = vec!["src/report/table/format.rs"];
        files.extend(self.spec.source_file());
        let glue = code::shallow(&[file!(), "src/stages/figure.rs", "src/stages/times.rs", "src/report/table/mod.rs"]);
        Facts {
            parameters: json!({ "profile": self.profile, "table": format!("{:?}", self.spec) }),
            code: code::closure(&files).union(&glue),
        }
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let experiments = experiments(&self.project, &self.spec.experiments, self.spec.measured(), job)?;
        let context = Context { profile: self.profile.clone() };
        render(&self.spec, &experiments, &context)
            .map(Product::Files)
            .map_err(|error| Failure::Failed(error.to_string()))
    }
}
