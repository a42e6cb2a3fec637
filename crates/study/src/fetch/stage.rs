//! `fetch/...`: the raw files of a dataset, in place and verified.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::config::project::Project;
use crate::stage::items::{Access, fingerprint, single};
use noregret_data::declaration::{Dataset, DatasetOrigin, RemoteFile};
use noregret_data::fetch::{self, FetchError, Network, fetch_with, recorded};
use noregret_data::files::{fingerprint as fingerprint_of, remove, write};
use noregret_engine::plan::work::{Estimate, Facts, Failure, Item, Job, Product, Unavailable, Work};
use noregret_platform::files::{changed, state};

/// The item and the work of `fetch/NAME`; none for embedded datasets, which need no fetching. `own`
/// is the SHA-256 of a file of the user's own.
pub(crate) fn stage(
    project: &Project,
    dataset: &Dataset,
    access: &Access,
    own: Option<String>,
) -> Option<(Item, Arc<dyn Work>)> {
    if matches!(dataset.origin, DatasetOrigin::Embedded(_)) {
        return None;
    }
    let raw = project.data().join("raw").join(&dataset.name);
    let stamp = stamp_of(project, &dataset.name);
    Some(single(FetchDataset { dataset: dataset.clone(), raw, access: access.clone(), own, stamp }, []))
}

struct FetchDataset {
    dataset: Dataset,
    raw: PathBuf,
    access: Access,
    /// SHA-256 of a user's own file as it is now: part of the key, since the file may change at any time.
    own: Option<String>,
    stamp: PathBuf,
}

/// SHA-256 of a file of the user's own, or why it has none; `None` for data that are fetched or embedded.
pub(crate) fn own(project: &Project, dataset: &Dataset) -> Option<String> {
    match &dataset.origin {
        DatasetOrigin::Path(path) => Some(bytes_of(&stamp_of(project, &dataset.name), path)),
        _ => None,
    }
}

/// Stands for the SHA-256 of a file that is not there.
const ABSENT: &str = "absent";

/// Stands for the SHA-256 of a file that cannot be read.
const UNREADABLE: &str = "unreadable";

/// What is remembered of a user's own file, so that it is hashed again only when it, or its place, changes.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stamp {
    path: PathBuf,
    state: String,
    sha256: String,
    /// SHA-256 of the other fields: a damaged stamp must not change a key.
    check: String,
}

impl Stamp {
    fn new(path: &Path, state: String, sha256: String) -> Self {
        let check = hex::encode(Sha256::digest(format!("{}\n{state}\n{sha256}", path.display())));
        Self { path: path.to_owned(), state, sha256, check }
    }

    fn is_sound(&self) -> bool {
        Self::new(&self.path, self.state.clone(), self.sha256.clone()).check == self.check
    }
}

/// The place of the stamp of a dataset's file.
fn stamp_of(project: &Project, name: &str) -> PathBuf {
    project.results().join(format!("store/stamps/{name}.json"))
}

/// The clocks of file systems tick every few milliseconds.
const TICK: Duration = Duration::from_millis(20);

/// SHA-256 of the user's file, or why it has none.
fn bytes_of(place: &Path, path: &Path) -> String {
    let Ok(meta) = fs::metadata(path) else { return ABSENT.into() };
    let now = state(&meta);
    let known = fs::read(place).ok().and_then(|text| serde_json::from_slice::<Stamp>(&text).ok());
    if let Some(known) = known.filter(|known| known.path == path && known.state == now && known.is_sound()) {
        return known.sha256;
    }
    // Within the tick of the clock in which it changed, a file can change again and keep its times.
    if changed(&meta).elapsed().is_ok_and(|age| age < TICK + Duration::from_secs(1)) {
        std::thread::sleep(TICK);
    }
    let Ok((_, sha256)) = fingerprint_of(path) else { return UNREADABLE.into() };
    // A stamp that cannot be kept only costs time.
    if fs::metadata(path).is_ok_and(|meta| state(&meta) == now)
        && let Ok(text) = serde_json::to_vec(&Stamp::new(path, now, sha256.clone()))
    {
        let _ = write(place, &text);
    }
    sha256
}

impl FetchDataset {
    fn remedy(&self) -> String {
        let name = &self.dataset.name;
        if let DatasetOrigin::Path(path) = &self.dataset.origin {
            return format!("put {} back, or remove data/added/{name}.toml to forget it", path.display());
        }
        let online = match self.dataset.is_downloadable() {
            true => format!("connect to the network and run `noregret data fetch {name}`, or "),
            false => String::new(),
        };
        let names = self.dataset.names_in_mirrors();
        format!("{online}put {names} into a folder and name it with NOREGRET_MIRROR or --mirror")
    }

    /// The parameters of data with this content hash.
    fn parameters(&self, content: Option<&str>) -> Value {
        let dataset = &self.dataset;
        // Neither the origin of the files nor the code that fetches them changes what they hold.
        json!({
            "dataset": dataset.name,
            "content_sha256": content,
            "rows": dataset.rows,
            "inputs": dataset.inputs,
            "format": dataset.format,
            "header": dataset.header,
            "bytes": self.own,
        })
    }
}

impl Work for FetchDataset {
    fn facts(&self, _: usize) -> Facts {
        let pinned = self.dataset.content_sha256.clone();
        // What nobody has pinned is known from the first fetch on.
        let content = pinned.or_else(|| if self.own.is_none() { recorded(&self.raw) } else { None });
        Facts { parameters: self.parameters(content.as_deref()), code: Arc::default() }
    }

    fn estimate(&self, _: usize) -> Estimate {
        Estimate { cost: self.dataset.rows as f64, bytes: 0.0, group: "fetch".into() }
    }

    fn unavailable(&self, _: usize) -> Option<Unavailable> {
        let DatasetOrigin::Files(files) = &self.dataset.origin else { return None };
        let here = |file: &RemoteFile| {
            let mirrored = self.access.mirrors.iter().any(|mirror| file.in_mirror(mirror).is_some());
            mirrored || self.raw.join(&file.name).is_file()
        };
        let missing: Vec<&RemoteFile> = files.iter().filter(|file| !here(file)).collect();
        let nowhere = missing.iter().any(|file| file.addresses.is_empty());
        if missing.is_empty() || (self.access.online && !nowhere) {
            return None;
        }
        let why =
            if nowhere { "nothing is known that it can be downloaded from" } else { "the network may not be used" };
        let lost = self.access.mirrors.iter().filter(|mirror| !mirror.is_dir());
        let lost: String = lost.map(|mirror| format!("; the mirror {} is no folder", mirror.display())).collect();
        let reason = format!("{} is neither here nor in a mirror, and {why}{lost}", self.dataset.name);
        Some(Unavailable { reason, remedy: self.remedy() })
    }

    fn circumstances(&self, _: usize) -> String {
        // A file that has appeared, or is another one, is worth a look.
        let Access { mirrors, online } = &self.access;
        let files = match &self.dataset.origin {
            DatasetOrigin::Files(files) => files.as_slice(),
            _ => &[],
        };
        let raw = self.dataset.paths(&self.raw).into_iter().map(Some);
        let mirrored = mirrors.iter().flat_map(|mirror| files.iter().map(|file| file.in_mirror(mirror)));
        let found = raw.chain(mirrored).map(|path| fs::metadata(path?).ok());
        let found: Vec<Option<String>> = found.map(|meta| meta.as_ref().map(state)).collect();
        format!("{mirrors:?} {online} {found:?}")
    }

    fn verify(&self, _: usize) -> Option<Result<(), String>> {
        let DatasetOrigin::Path(path) = &self.dataset.origin else { return None };
        // A file that was not there makes what needs it unavailable.
        let own = self.own.as_deref().filter(|own| ![ABSENT, UNREADABLE].contains(own))?;
        Some(match fingerprint_of(path) {
            Ok((_, sha256)) if sha256 == own => Ok(()),
            Ok(_) => {
                // The next run hashes the file again. A stamp that stays says so at the next verification.
                let _ = remove(&self.stamp);
                Err(format!(
                    "{}: other bytes than it had when it was hashed, at the same size and times",
                    path.display()
                ))
            }
            Err(error) => Err(error.to_string()),
        })
    }

    fn reproducible(&self) -> bool {
        false
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let access = fetch::FetchAccess {
            mirrors: &self.access.mirrors,
            network: self.access.online.then(Network::default),
            report: &|message| job.say(message),
            interrupted: &|| job.interrupted(),
        };
        match fetch_with(&self.dataset, &self.raw, &access) {
            Ok(fetched) => {
                let Facts { parameters, code } = self.facts(0);
                let (files, parameters) = match self.own {
                    // A user's own file is not ours to record, rebuild or remove.
                    Some(_) => (Vec::new(), parameters),
                    None => (fetched.files, self.parameters(Some(&fetched.content_sha256))),
                };
                Ok(Product::Placed { files, fingerprint: fingerprint(&parameters.to_string(), &code) })
            }
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

    /// Writes a file that has the given time afterwards.
    fn put(path: &Path, text: &str, time: std::time::SystemTime) {
        fs::write(path, text).unwrap();
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }

    /// A dataset of one row with this origin.
    fn declared(origin: &str) -> Dataset {
        let rest = "name = 't'\ntitle = 't'\ncitation = ''\nlicence = ''\ntask = 'regression'\nrows = 1\ninputs = 1";
        toml::from_str(&format!("{rest}\ntarget = 'y'\n{origin}\n")).unwrap()
    }

    /// Two files of the same size and time, of which a dataset names first one and then the other, and other bytes that
    /// leave size and time alone.
    #[test]
    fn a_stamp_is_that_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let (place, now) = (folder.path().join("stamps/t.json"), std::time::SystemTime::now());
        let paths = ["a", "b"].map(|name| folder.path().join(name));
        paths.iter().zip(["1", "2"]).for_each(|(path, text)| put(path, text, now));
        let [one, other] = paths.each_ref().map(|path| bytes_of(&place, path));
        let hash = |text: &str| hex::encode(Sha256::digest(text));
        assert_eq!([one, other], ["1", "2"].map(hash));
        put(&paths[1], "3", now);
        assert_eq!(bytes_of(&place, &paths[1]), hash("3"));
    }

    /// A sound stamp is believed, so that nothing is hashed twice; a damaged one is not.
    #[test]
    fn a_damaged_stamp_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let (place, path) = (folder.path().join("stamps/t.json"), folder.path().join("a"));
        put(&path, "1", std::time::SystemTime::now());
        let right = bytes_of(&place, &path);
        let text = fs::read_to_string(&place).unwrap();
        let wrong = format!("{}{}", if right.starts_with('0') { '1' } else { '0' }, &right[1..]);
        fs::write(&place, text.replace(&right, &wrong)).unwrap();
        assert_eq!(bytes_of(&place, &path), right);
        let stamp = Stamp::new(&path, state(&fs::metadata(&path).unwrap()), wrong.clone());
        fs::write(&place, serde_json::to_vec(&stamp).unwrap()).unwrap();
        assert_eq!(bytes_of(&place, &path), wrong);
    }

    /// `verify` hashes what a stamp vouches for.
    #[test]
    fn other_bytes_than_were_hashed_are_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("pipeline/experiments")).unwrap();
        let (project, path) = (Project::find(folder.path()).unwrap(), folder.path().join("t.csv"));
        fs::write(&path, "x,y\n1,2\n").unwrap();
        let dataset = declared(&format!("path = {path:?}"));
        let access = Access { mirrors: Vec::new(), online: false };
        let verified = |own| stage(&project, &dataset, &access, own).unwrap().1.verify(0);
        let hashed = own(&project, &dataset);
        assert_eq!(verified(hashed), Some(Ok(())));
        let told = verified(Some("0".repeat(64))).unwrap().unwrap_err();
        assert!(told.contains("t.csv: other bytes"), "{told}");
        assert!(!stamp_of(&project, "t").exists());
        fs::remove_file(&path).unwrap();
        assert_eq!(verified(own(&project, &dataset)), None);
    }

    /// A file that appears in a mirror or in the folder of raw data.
    #[test]
    fn files_that_appear_are_circumstances() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["pipeline/experiments", "mirror", "data/raw/t"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let access = Access { mirrors: vec![folder.path().join("mirror")], online: true };
        let project = Project::find(folder.path()).unwrap();
        let dataset = declared("files = [{ name = 't.csv', addresses = [] }]");
        let seen = || stage(&project, &dataset, &access, None).unwrap().1.circumstances(0);
        let mut before = seen();
        assert_eq!(seen(), before);
        for name in ["mirror/t.csv", "data/raw/t/t.csv"] {
            fs::write(folder.path().join(name), "x,y\n1,2\n").unwrap();
            let after = seen();
            assert_ne!(after, before, "{name}");
            before = after;
        }
    }
}
