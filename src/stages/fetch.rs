//! `fetch/...`: the raw files of a dataset, in place and verified.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::items::{Access, single};
use crate::config::project::Project;
use crate::dataset::declaration::{Dataset, Origin};
use crate::dataset::fetch::{self, FetchError, Network, fetch_with};
use crate::dataset::files::{fingerprint as fingerprint_of, write};
use noregret_engine::plan::work::{Estimate, Facts, Failure, Item, Job, Product, Unavailable, Work};

/// The item and the work of `fetch/NAME`; none for embedded datasets, which need no fetching.
pub fn stage(project: &Project, dataset: &Dataset, access: &Access) -> Option<(Item, Arc<dyn Work>)> {
    if matches!(dataset.origin, Origin::Embedded(_)) {
        return None;
    }
    let raw = project.data().join("raw").join(&dataset.name);
    let bytes = match &dataset.origin {
        Origin::Path(path) => Some(bytes_of(project, &dataset.name, path)),
        _ => None,
    };
    let work = Fetch { dataset: dataset.clone(), raw, access: access.clone(), bytes };
    Some(single(work, []))
}

struct Fetch {
    dataset: Dataset,
    raw: PathBuf,
    access: Access,
    /// SHA-256 of a user's own file as it is now: part of the key, since the file may change at any time.
    bytes: Option<String>,
}

/// What is remembered of a user's own file, so that it is hashed again only when it, or its place, changes.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stamp {
    path: PathBuf,
    size: u64,
    modified: String,
    sha256: String,
}

/// SHA-256 of the user's file, or why it has none.
fn bytes_of(project: &Project, name: &str, path: &Path) -> String {
    let Ok(meta) = std::fs::metadata(path) else { return "absent".into() };
    let (size, modified) = (meta.len(), format!("{:?}", meta.modified().ok()));
    let place = project.results().join(format!("store/stamps/{name}.json"));
    let known = std::fs::read(&place).ok().and_then(|text| serde_json::from_slice::<Stamp>(&text).ok());
    let same = |known: &Stamp| known.path == path && known.size == size && known.modified == modified;
    if let Some(known) = known.filter(same) {
        return known.sha256;
    }
    let Ok((_, sha256)) = fingerprint_of(path) else { return "unreadable".into() };
    // A stamp that cannot be kept only costs time.
    if let Ok(text) = serde_json::to_vec(&Stamp { path: path.to_owned(), size, modified, sha256: sha256.clone() }) {
        let _ = write(&place, &text);
    }
    sha256
}

impl Fetch {
    fn remedy(&self) -> String {
        let names: Vec<&str> = match &self.dataset.origin {
            Origin::Files(files) => files.iter().map(|file| file.name.as_str()).collect(),
            Origin::Path(path) => {
                let name = &self.dataset.name;
                return format!("put {} back, or remove data/added/{name}.toml to forget it", path.display());
            }
            Origin::Embedded(_) => Vec::new(),
        };
        format!(
            "connect to the network and run `noregret data fetch {}`, or put {} into a folder and name it with NOREGRET_MIRROR or --mirror",
            self.dataset.name,
            names.join(" and ")
        )
    }
}

impl Work for Fetch {
    fn facts(&self, _: usize) -> Facts {
        let dataset = &self.dataset;
        // Neither the origin of the files nor the code that fetches them changes what they hold.
        let parameters = json!({
            "dataset": dataset.name,
            "content_sha256": dataset.content_sha256,
            "rows": dataset.rows,
            "inputs": dataset.inputs,
            "format": dataset.format,
            "header": dataset.header,
            "bytes": self.bytes,
        });
        Facts { parameters, code: Arc::default() }
    }

    fn estimate(&self, _: usize) -> Estimate {
        Estimate { cost: self.dataset.rows as f64, bytes: 0.0, group: "fetch".into() }
    }

    fn unavailable(&self, _: usize) -> Option<Unavailable> {
        let Origin::Files(files) = &self.dataset.origin else { return None };
        let here = |name: &str| {
            self.raw.join(name).is_file() || self.access.mirrors.iter().any(|mirror| mirror.join(name).is_file())
        };
        if self.access.online || files.iter().all(|file| here(&file.name)) {
            return None;
        }
        Some(Unavailable {
            reason: format!("{} is neither here nor in a mirror, and the network may not be used", self.dataset.name),
            remedy: self.remedy(),
        })
    }

    fn circumstances(&self, _: usize) -> String {
        format!("{:?} {}", self.access.mirrors, self.access.online)
    }

    fn reproducible(&self) -> bool {
        false
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let access = fetch::Access {
            mirrors: &self.access.mirrors,
            network: self.access.online.then(Network::default),
            report: &|message| job.say(message),
            interrupted: &|| job.interrupted(),
        };
        match fetch_with(&self.dataset, &self.raw, &access) {
            // A user's own file is not ours to record, rebuild or remove.
            Ok(_) if self.bytes.is_some() => Ok(Product::Placed(Vec::new())),
            Ok(fetched) => Ok(Product::Placed(fetched.files)),
            Err(FetchError::Unavailable { dataset, tried, .. }) => {
                let tried: Vec<String> = tried.iter().map(|(what, why)| format!("{what} ({why})")).collect();
                Err(Failure::Unavailable(Unavailable {
                    reason: format!("{dataset} cannot be reached; tried {}", tried.join(", ")),
                    remedy: self.remedy(),
                }))
            }
            Err(FetchError::Interrupted) => Err(Failure::Interrupted),
            Err(error) => Err(Failure::failed(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two files of the same size and time, of which a dataset names first one and then the other.
    #[test]
    fn a_stamp_is_that_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("pipeline/experiments")).unwrap();
        let project = Project::find(folder.path()).unwrap();
        let paths = ["a", "b"].map(|name| folder.path().join(name));
        let now = std::time::SystemTime::now();
        for (path, text) in paths.iter().zip(["1", "2"]) {
            std::fs::write(path, text).unwrap();
            std::fs::File::options().write(true).open(path).unwrap().set_modified(now).unwrap();
        }
        let [one, other] = paths.each_ref().map(|path| bytes_of(&project, "t", path));
        assert_ne!(one, other);
        // Its own stamp is believed, which shows that there is one.
        std::fs::write(&paths[1], "3").unwrap();
        std::fs::File::options().write(true).open(&paths[1]).unwrap().set_modified(now).unwrap();
        assert_eq!(bytes_of(&project, "t", &paths[1]), other);
    }
}
