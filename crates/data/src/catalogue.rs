//! All datasets of a project, by name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::declaration::{Dataset, DatasetOrigin};
use crate::error::{DataError, nearest};
use crate::listing::{declarations, read as read_declaration};

/// The folder of declarations under the pipeline folder.
const DECLARED: &str = "datasets";

/// The folder of the user's own declarations under the data folder.
pub(crate) const ADDED: &str = "added";

/// What each file declares, or what is wrong with it, by the name of the file: those in `pipeline_dir`/datasets, and those that
/// users registered in `data_dir`/added. Relative paths of registered files start at the folder that contains `data_dir`.
///
/// # Errors
/// A folder that cannot be listed.
pub fn load_each(
    pipeline_dir: &Path,
    data_dir: &Path,
) -> Result<BTreeMap<String, Result<Dataset, DataError>>, DataError> {
    let mut all = BTreeMap::new();
    for folder in [pipeline_dir.join(DECLARED), data_dir.join(ADDED)] {
        for (name, path) in declarations(&folder)? {
            let mut dataset = load_one(&path);
            if let Ok(Dataset { origin: DatasetOrigin::Path(file), .. }) = &mut dataset {
                *file = project_root(data_dir).join(&*file);
            }
            if all.contains_key(&name) {
                let detail = format!("another file declares the dataset `{name}` too; rename or remove this one");
                dataset = Err(DataError::Declaration { file: path.display().to_string(), detail });
            }
            all.insert(name, dataset);
        }
    }
    Ok(all)
}

/// The file that declares the dataset called `name`, which is one of [`load_each`].
pub fn declared_in(pipeline_dir: &Path, data_dir: &Path, name: &str) -> PathBuf {
    let place = |folder: PathBuf| folder.join(format!("{name}.toml"));
    let shared = place(pipeline_dir.join(DECLARED));
    if shared.is_file() { shared } else { place(data_dir.join(ADDED)) }
}

/// The folder that contains the data folder.
pub(super) fn project_root(data_dir: &Path) -> &Path {
    data_dir.parent().unwrap_or(Path::new(""))
}

/// The dataset called `name`, or an error with the nearest name.
pub fn find<'a>(all: &'a BTreeMap<String, Dataset>, name: &str) -> Result<&'a Dataset, DataError> {
    all.get(name).ok_or_else(|| DataError::Unknown {
        name: name.to_owned(),
        nearest: nearest(name, all.keys().map(String::as_str)),
        known: all.keys().cloned().collect(),
    })
}

/// Reads one declaration.
pub fn load_one(path: &Path) -> Result<Dataset, DataError> {
    let error = |detail: String| DataError::Declaration { file: path.display().to_string(), detail };
    let text = read_declaration(path)?;
    let dataset: Dataset = toml::from_str(&text).map_err(|problem| error(problem.to_string().trim_end().to_owned()))?;
    if path.file_stem().is_none_or(|stem| stem != dataset.name.as_str()) {
        return Err(error(format!("it declares `{0}`, so it must be called {0}.toml", dataset.name)));
    }
    Ok(dataset)
}
