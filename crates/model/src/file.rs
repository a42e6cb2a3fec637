//! Model files: safetensors with f64 arrays, written under a temporary name, synced and renamed.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use safetensors::{SafeTensors, serialize};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::arrays::{self, ArraySource, ArrayView};
use crate::error::ModelError;
use crate::header::{Header, VERSION};
use noregret_numeric::state::Array;
use noregret_platform::files::{replace, sync_folder};

/// The key of the header in the metadata.
pub(crate) const KEY: &str = "noregret.model";

/// A loaded model.
#[derive(Clone, Debug)]
pub struct Model {
    /// What it says about itself.
    pub header: Header,
    /// What was learnt.
    pub arrays: BTreeMap<String, Array>,
}

/// SHA-256 of header and arrays, as [`Header::sha256`] says, in hexadecimal digits.
fn digest(header: &Header, arrays: &dyn ArraySource) -> io::Result<String> {
    let mut hash = Sha256::new();
    hash.update(serde_json::to_string(&Header { sha256: String::new(), ..header.clone() })?);
    for (name, shape) in arrays.shapes() {
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(&name);
        hash.update((shape.len() as u64).to_le_bytes());
        shape.iter().for_each(|side| hash.update((*side as u64).to_le_bytes()));
        arrays.values(&name)?.chunks(4096).for_each(|part| {
            hash.update(part.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
        });
    }
    Ok(hex::encode(hash.finalize()))
}

/// The metadata of a file with these arrays, under the header, whose digest is computed here.
fn metadata(header: Header, arrays: &dyn ArraySource) -> io::Result<HashMap<String, String>> {
    let sha256 = digest(&header, arrays)?;
    Ok(HashMap::from([(KEY.to_owned(), serde_json::to_string(&Header { sha256, ..header })?)]))
}

/// The bytes of the file that [`write()`] writes.
///
/// # Errors
/// Arrays whose shapes do not agree with their lengths.
pub fn bytes(header: Header, arrays: &BTreeMap<String, Array>) -> Result<Vec<u8>, ModelError> {
    let failed = |source| ModelError::Io { file: "in memory".into(), doing: "write", source };
    let metadata = metadata(header, arrays).map_err(failed)?;
    let tensors = arrays.iter().map(|(name, array)| (name, ArrayView(array)));
    serialize(tensors, Some(metadata)).map_err(|error| failed(io::Error::other(error.to_string())))
}

/// Writes the arrays under `header`, whose digest is computed here. The file appears under its name when it is complete
/// and on the disk; until then an earlier one stays.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, header: Header, arrays: &dyn ArraySource) -> Result<(), ModelError> {
    let failed = |source| ModelError::Io { file: path.display().to_string(), doing: "write", source };
    let metadata = metadata(header, arrays).map_err(failed)?;
    // What a link points to is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    // A device or a pipe would be replaced, too.
    if fs::metadata(&target).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        let why = "it is a device, a pipe or a socket, and would be replaced";
        return Err(failed(std::io::Error::other(why)));
    }
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let temporary = target.with_file_name(format!(".{name}.tmp"));
    // Not by the writer of safetensors, which first writes a file of its own, under a name that is another one each time: a
    // kill would leave it for ever. This name is that of the next save.
    let written = File::create(&temporary)
        .and_then(|mut file| arrays::write_to(&mut file, arrays, metadata).and_then(|()| file.sync_all()))
        .and_then(|()| replace(&temporary, &target))
        .and_then(|()| sync_folder(folder));
    written.map_err(|error| {
        // Nothing can be done about a file that cannot be removed.
        let _ = fs::remove_file(&temporary);
        failed(error)
    })
}

/// Reads a model of one learner.
///
/// # Errors
/// If there is none, or if it is damaged, of another version or of several learners.
pub fn read(path: &Path) -> Result<Model, ModelError> {
    let file = path.display().to_string();
    one(&file, read_any(path)?)
}

/// Reads a model of one learner from the bytes of the file called `file`.
///
/// # Errors
/// As [`read`].
pub fn parse(file: &str, bytes: &[u8]) -> Result<Model, ModelError> {
    one(file, parse_any(file, bytes)?)
}

/// The model, unless it holds a learner for each group.
fn one(file: &str, model: Model) -> Result<Model, ModelError> {
    match model.header.groups {
        Some(groups) => Err(ModelError::Grouped { file: file.to_owned(), column: groups.column }),
        None => Ok(model),
    }
}

/// Reads a model of one learner or of several ([`Header::groups`]).
///
/// # Errors
/// If there is none, or if it is damaged or of another version.
pub fn read_any(path: &Path) -> Result<Model, ModelError> {
    let file = path.display().to_string();
    let bytes = whole(path).map_err(|source| ModelError::Io { file: file.clone(), doing: "read", source })?;
    parse_any(&file, &bytes)
}

/// The bytes of a file; of one that is no safetensors file, which may be long, only the first nine: the length of a header, and
/// the brace with which it begins.
fn whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(9).read_to_end(&mut bytes)?;
    if bytes.last() == Some(&b'{') {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn parse_any(file: &str, bytes: &[u8]) -> Result<Model, ModelError> {
    let damaged = |why: String| ModelError::Damaged { file: file.to_owned(), why };
    let whole = |error: safetensors::SafeTensorError| damaged(format!("it is not a whole safetensors file ({error})"));
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(whole)?;
    let json = metadata.metadata().as_ref().and_then(|entries| entries.get(KEY));
    let json = json.ok_or_else(|| damaged(format!("its metadata have no entry {KEY}")))?;
    let header: Json =
        serde_json::from_str(json).map_err(|error| damaged(format!("its header is broken ({error})")))?;
    match header["version"].as_u64() {
        Some(version) if version == u64::from(VERSION) => {}
        Some(found) => {
            let program = header["program"].as_str().unwrap_or("an unknown program").to_owned();
            return Err(ModelError::Version { file: file.to_owned(), found, program });
        }
        None => return Err(damaged("its header has no version".into())),
    }
    let header: Header =
        serde_json::from_value(header).map_err(|error| damaged(format!("its header is broken ({error})")))?;
    let tensors = SafeTensors::deserialize(bytes).map_err(whole)?;
    let arrays = arrays::of(&tensors).map_err(|error| damaged(error.to_string()))?;
    if !digest(&header, &arrays).is_ok_and(|found| found == header.sha256) {
        return Err(damaged("it is not what was written (its SHA-256 differs)".into()));
    }
    Ok(Model { header, arrays })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::{Groups, Names, Position};

    fn header() -> Header {
        Header {
            version: VERSION,
            program: "noregret 0".into(),
            learner: "constant".into(),
            parameters: serde_json::json!({ "value": 0.5 }),
            options: serde_json::json!({}),
            columns: Names { inputs: vec!["a".into()], target: "y".into() },
            plan: None,
            horizon: None,
            rounds: 7,
            position: Position::default(),
            last: None,
            groups: None,
            sha256: String::new(),
        }
    }

    /// What is no file stays what it is.
    #[test]
    fn a_socket_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _open = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let refused = write(&path, header(), &BTreeMap::new()).unwrap_err().to_string();
        assert!(refused.contains("a device, a pipe or a socket"), "{refused}");
        assert!(!fs::metadata(&path).unwrap().is_file());
    }

    /// Every number keeps its bits, and every change of a byte is found: in the header of the file, in ours, in the data.
    #[test]
    fn what_is_written_is_read_and_any_damage_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        let values = vec![0.1, -0.0, f64::INFINITY, f64::NAN, 5e-324, 1e300];
        let arrays = BTreeMap::from([
            ("learner.points".to_owned(), Array { shape: vec![2, 3], values }),
            ("learner.none".to_owned(), Array { shape: vec![0, 4], values: Vec::new() }),
            ("rounds".to_owned(), Array { shape: Vec::new(), values: vec![7.0] }),
        ]);
        write(&path, header(), &arrays).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let found = read(&path).unwrap();
        assert_eq!(Header { sha256: String::new(), ..found.header.clone() }, header());
        for (name, array) in &arrays {
            let bits = |array: &Array| array.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert_eq!((&found.arrays[name].shape, bits(&found.arrays[name])), (&array.shape, bits(array)), "{name}");
        }
        let bytes = fs::read(&path).unwrap();
        assert_eq!(super::bytes(header(), &arrays).unwrap(), bytes);
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            assert!(parse("it", &broken).is_err(), "byte {at}");
            assert!(parse("it", &bytes[..at]).is_err(), "the first {at} bytes");
        }
    }

    /// A model of several learners is read where these are wanted, and refused with what to do where one is.
    #[test]
    fn a_model_of_groups_is_no_model_of_one_learner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        let (names, all) = (vec!["Rome".to_owned(), "7".to_owned()], vec!["rounds".to_owned()]);
        let groups = Some(Groups { column: "place".into(), names, arrays: all });
        let arrays: BTreeMap<String, Array> =
            (0..2).map(|k| (Groups::array(k), vec![1.0, 0.0, 0.0, 3.5].into())).collect();
        write(&path, Header { groups: groups.clone(), ..header() }, &arrays).unwrap();
        let refused = read(&path).unwrap_err().to_string();
        assert!(refused.contains("for each value of place") && refused.contains("stream --load"), "{refused}");
        assert!(parse("it", &fs::read(&path).unwrap()).is_err());
        let found = read_any(&path).unwrap();
        assert_eq!((found.header.groups, found.arrays), (groups, arrays));
        let numbers =
            ["group_0000000001", "group_0000000002", "group_0", "group_x", "tally.rounds"].map(Groups::number);
        assert_eq!(numbers, [Some(0), Some(1), None, None, None]);
    }

    /// A save that is killed leaves the one file that the next save replaces, however often that happens: under another name,
    /// as the writer of safetensors has it, each kill would leave one more.
    #[test]
    fn all_that_a_save_makes_is_called_after_the_model() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        let arrays = |count: usize| {
            let values = vec![0.5; count];
            BTreeMap::from([("learner.points".to_owned(), Array { shape: vec![count], values })])
        };
        // What a kill leaves, longer than the model that comes next.
        fs::write(folder.path().join(".a.model.tmp"), vec![1; 100_000]).unwrap();
        write(&path, header(), &arrays(10)).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(fs::read(&path).unwrap(), bytes(header(), &arrays(10)).unwrap());
        // The names that are there while a save goes on.
        let saving = std::thread::spawn({
            let (path, arrays) = (path.clone(), arrays(3_000_000));
            move || write(&path, header(), &arrays).unwrap()
        });
        let mut names = std::collections::BTreeSet::new();
        while !saving.is_finished() {
            names.extend(fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()));
        }
        saving.join().unwrap();
        assert!(names.iter().all(|name| name == ".a.model.tmp" || name == "a.model"), "{names:?}");
        let readable = fs::metadata(&path).unwrap().permissions();
        fs::write(folder.path().join("b"), "").unwrap();
        assert_eq!(readable, fs::metadata(folder.path().join("b")).unwrap().permissions());
    }

    #[test]
    fn other_files_and_versions_are_refused_with_a_reason() {
        let said = |bytes: &[u8]| parse("it", bytes).unwrap_err().to_string();
        assert!(said(b"").contains("not a whole safetensors file"));
        assert!(said(b"a,b,y\n1,2,3\n4,5,6\n").contains("not a whole safetensors file"));
        let with = |json: &str| {
            let metadata = HashMap::from([(KEY.to_owned(), json.to_owned())]);
            let array = Array { shape: vec![1], values: vec![1.0] };
            said(&serialize([("a", ArrayView(&array))], Some(metadata)).unwrap())
        };
        assert!(with("{").contains("header is broken"));
        assert!(with("{}").contains("no version"));
        let other = with(r#"{"version": 99, "program": "noregret 9.0"}"#);
        assert!(other.contains("version 99, written by noregret 9.0") && other.contains("reads version 1"), "{other}");
        assert!(with(r#"{"version": 1}"#).contains("missing field"));
        let json = serde_json::to_string(&header()).unwrap();
        assert!(with(&json).contains("SHA-256"));
        let array = Array { shape: vec![1], values: vec![1.0] };
        assert!(said(&serialize([("a", ArrayView(&array))], None).unwrap()).contains(KEY));
    }
}
