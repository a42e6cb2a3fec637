//! Pins a dataset: writes the content hash of the data that are here into its declaration.

use std::fs;
use std::path::Path;

use crate::declaration::{Dataset, DatasetOrigin};
use crate::error::DataError;
use crate::files::{io_error, write};

/// Writes `content_sha256`, the hash of the data as they were verified, into the declaration in `file`; the rest of the
/// file stays as it is. Returns false if the same hash stands there already.
///
/// A dataset of several files needs a hash for each of them, which only its author can write.
pub fn pin(dataset: &Dataset, content_sha256: &str, file: &Path) -> Result<bool, DataError> {
    let refused = |detail: &str| DataError::Declaration { file: file.display().to_string(), detail: detail.to_owned() };
    if let Some(pinned) = &dataset.content_sha256 {
        let (file, expected, actual) = (dataset.name.clone(), pinned.clone(), content_sha256.to_owned());
        return if *pinned == actual { Ok(false) } else { Err(DataError::Content { file, expected, actual }) };
    }
    if matches!(&dataset.origin, DatasetOrigin::Files(files) if files.len() > 1) {
        return Err(refused("each of its several files needs a `content_sha256` of its own; write them by hand"));
    }
    let text = fs::read_to_string(file).map_err(io_error(file, "read it"))?;
    // Fields of the dataset end where the first table begins.
    let fields: usize =
        text.split_inclusive('\n').take_while(|line| !line.trim_start().starts_with('[')).map(str::len).sum();
    let (fields, rest) = text.split_at(fields);
    let (fields, gap) = fields.split_at(fields.trim_end().len());
    let gap = gap.strip_prefix('\n').unwrap_or(gap);
    let text = format!("{fields}\ncontent_sha256 = \"{content_sha256}\"\n{gap}{rest}");
    let pinned = toml::from_str::<Dataset>(&text)
        .is_ok_and(|pinned| pinned.content_sha256.as_deref() == Some(content_sha256) && pinned.name == dataset.name);
    if !pinned {
        return Err(refused(&format!("cannot add a field to it; write `content_sha256 = \"{content_sha256}\"`")));
    }
    write(file, text.as_bytes()).map(|()| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &str = "# A note.\nname = 't'\ntitle = 't'\ncitation = ''\nlicence = ''\ntask = 'regression'\n\
                            rows = 1\ninputs = 1\ntarget = 'y'\n";

    #[test]
    fn the_hash_is_added_and_nothing_else_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (file, hash) = (folder.path().join("t.toml"), "ab".repeat(32));
        for rest in ["\n[[files]]\nname = 't.csv'\naddresses = []\n", "path = 't.csv'", "path = 't.csv'\n"] {
            let text = format!("{DECLARED}{rest}");
            fs::write(&file, &text).unwrap();
            let dataset: Dataset = toml::from_str(&text).unwrap();
            assert!(pin(&dataset, &hash, &file).unwrap());
            let line = format!("content_sha256 = \"{hash}\"\n");
            let written = fs::read_to_string(&file).unwrap();
            assert_eq!(written.replacen(&line, "", 1).trim_end(), text.trim_end());
            let pinned: Dataset = toml::from_str(&written).unwrap();
            assert_eq!(pinned, Dataset { content_sha256: Some(hash.clone()), ..dataset });
            assert!(!pin(&pinned, &hash, &file).unwrap(), "once is enough");
            assert!(matches!(pin(&pinned, &"cd".repeat(32), &file), Err(DataError::Content { .. })));
        }
        let several =
            "[[files]]\nname = 'a'\naddresses = []\nrows = 1\n[[files]]\nname = 'b'\naddresses = []\nrows = 0\n";
        let dataset: Dataset = toml::from_str(&format!("{DECLARED}{several}")).unwrap();
        assert!(pin(&dataset, &hash, &file).unwrap_err().to_string().contains("each of its several files"));
    }
}
