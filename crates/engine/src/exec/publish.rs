//! Publishing: puts files in place under their own names, and keeps a record of them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::exec::records::{Output, RecordFile, is_inside, record, record_names, save_record};
use crate::exec::scratch::Scratch;
use crate::exec::store::{ResultStore, StoreError};
use crate::plan::key::hex;
use crate::plan::sources::{ContentDigest, Sources};
use crate::plan::work::Digest;

/// Why files could not be published.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublishError {
    /// The path leads out of the project.
    #[error("`{0}` is not a path inside the project")]
    Outside(String),
    /// It could not be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Where published files come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProductOrigin<'a> {
    /// The key of their item.
    pub key: &'a Digest,
    /// Its fingerprint.
    pub fingerprint: &'a Digest,
    /// The digests of the bytes that it read.
    pub(crate) sources: &'a Sources,
}

/// Puts files in place (those with bytes; the others are already there) and records them under `name`. Removes files of
/// an earlier record that nothing publishes any longer. Returns the paths of the files, and their content.
pub(crate) fn publish(
    store: &ResultStore,
    scratch: &Scratch,
    name: &str,
    origin: ProductOrigin,
    files: &[(PathBuf, Option<Vec<u8>>)],
) -> Result<(Vec<PathBuf>, ContentDigest), PublishError> {
    let mut outputs = Vec::with_capacity(files.len());
    for (path, bytes) in files {
        let root = if path.starts_with(store.root().join("data")) { store.root().to_owned() } else { store.base() };
        let path = inside(&root, path)?;
        outputs.push(match bytes {
            // What was meant is recorded, not what is found: whatever puts other bytes there is then noticed.
            Some(bytes) => {
                let time = scratch.publish(bytes, &store.place(&path))?;
                Output::meant(path, bytes, time)
            }
            None => Output::of(store, &path)?,
        });
    }
    let before = record(store, name);
    let (key, fingerprint) = (hex(origin.key), hex(origin.fingerprint));
    let file = RecordFile { key, fingerprint, made_from: origin.sources.words(), outputs };
    save_record(store, scratch, name, &file)?;
    if let Some(before) = before {
        remove_orphans(store, &before, &file)?;
    }
    Ok((file.paths(store), file.content()))
}

fn remove_orphans(store: &ResultStore, before: &RecordFile, after: &RecordFile) -> Result<(), StoreError> {
    let gone = |path: &String| after.outputs.iter().all(|output| output.path != *path);
    let mut orphans: Vec<&String> = before.outputs.iter().map(|output| &output.path).filter(|p| gone(p)).collect();
    if orphans.is_empty() {
        return Ok(());
    }
    for name in record_names(store)? {
        if let Some(other) = record(store, &name) {
            orphans.retain(|path| other.outputs.iter().all(|output| output.path != **path));
        }
    }
    orphans.iter().try_for_each(|path| store.remove(&store.place(path)))
}

/// The path relative to the project's folder, as text, if it stays inside. Work that puts files in place itself may
/// give full paths.
fn inside(root: &Path, path: &Path) -> Result<String, PublishError> {
    let path = path.strip_prefix(root).unwrap_or(path);
    // Records and the lock have the same names on all systems.
    match path.iter().map(OsStr::to_str).collect::<Option<Vec<_>>>() {
        Some(names) if is_inside(path) => Ok(names.join("/")),
        _ => Err(PublishError::Outside(path.display().to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_nothing_publishes_any_more_are_removed() -> Result<(), PublishError> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = ResultStore::new(folder.path());
        let scratch = Scratch::open(&store)?;
        let publish = |name: &str, key: u8, files: &[&str]| {
            let files: Vec<_> = files.iter().map(|file| (PathBuf::from(file), Some(vec![key]))).collect();
            let origin = ProductOrigin { key: &[key; 32], fingerprint: &[0; 32], sources: &Sources::default() };
            publish(&store, &scratch, name, origin, &files)
        };
        publish("figure/a", 1, &["out/a", "out/shared", "out/kept"])?;
        publish("figure/b", 2, &["out/shared"])?;
        publish("figure/a", 3, &["out/kept"])?;
        let left = |path: &str| folder.path().join(path).exists();
        assert_eq!([left("out/a"), left("out/shared"), left("out/kept")], [false, true, true]);
        Ok(())
    }

    /// Where the folder of reports is on another file system, files cannot be renamed into it.
    #[test]
    fn threads_that_publish_to_another_file_system_keep_their_files_apart() {
        use std::os::unix::fs::MetadataExt as _;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = ResultStore::new(folder.path());
        let scratch = Scratch::open(&store).expect("a store");
        let device = |path: &Path| std::fs::metadata(path).map(|meta| meta.dev()).ok();
        // Where a machine has one file system only, this tests less.
        let elsewhere = ["/dev/shm", "/run/shm", "/var/tmp"].map(Path::new).into_iter();
        let mut elsewhere = elsewhere.filter(|path| device(path).is_some_and(|id| device(folder.path()) != Some(id)));
        let other = elsewhere.find_map(|path| tempfile::tempdir_in(path).ok());
        if let Some(other) = &other {
            std::os::unix::fs::symlink(other.path(), folder.path().join("out")).expect("a link");
            std::fs::write(other.path().join(".noregret-dead.1-0-7"), "half").expect("what a killed process left");
        }
        let bytes = |thread: u8, file: usize| vec![thread; 1000 + file];
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (store, scratch) = (&store, &scratch);
                scope.spawn(move || {
                    for file in 0..40 {
                        let files = [(PathBuf::from(format!("out/{thread}-{file}")), Some(bytes(thread, file)))];
                        let origin =
                            ProductOrigin { key: &[1; 32], fingerprint: &[0; 32], sources: &Sources::default() };
                        publish(store, scratch, &format!("figure/{thread}-{file}"), origin, &files).expect("published");
                    }
                });
            }
        });
        for (thread, file) in (0..8).flat_map(|thread| (0..40).map(move |file| (thread, file))) {
            let name = format!("{thread}-{file}");
            let found = std::fs::read(folder.path().join("out").join(&name)).expect("it is there");
            assert_eq!(found, bytes(thread, file), "{name}");
            let record = record(&store, &format!("figure/{name}")).expect("it has a record");
            assert_eq!(record.outputs[0].sha256, hex(crate::plan::key::content(&found)), "{name}");
        }
        let hidden = crate::exec::store::names(&folder.path().join("out")).expect("a folder");
        assert_eq!(hidden.iter().filter(|name| name.starts_with('.')).count(), 0, "{hidden:?}");
    }

    #[test]
    fn paths_stay_inside_the_project() {
        let inside = |path: &str| inside(Path::new("/home/project"), Path::new(path)).ok();
        for path in ["reports/figures/a.svg", "/home/project/reports/figures/a.svg"] {
            assert_eq!(inside(path).as_deref(), Some("reports/figures/a.svg"));
        }
        for path in ["", "/home/project", "/home/x", "../x", "reports/../../x", "/home/project/../x"] {
            assert_eq!(inside(path), None, "{path}");
        }
    }
}
