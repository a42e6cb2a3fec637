//! What a comparison is called by.

use std::path::Path;

/// A name for what is compared. Of a pattern, it is that of the folder in which its files are.
pub(super) fn name_of(file: &Path) -> String {
    slug(file.ancestors().find(|place| place.exists()).unwrap_or(file))
}

/// A name for a dataset from that of its file: small letters, digits and `-`.
pub(super) fn slug(file: &Path) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let stem = name.trim_start_matches('.').split('.').next().unwrap_or_default();
    let dashed: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let parts: Vec<&str> = dashed.split('-').filter(|part| !part.is_empty()).collect();
    let slug: String = parts.join("-").chars().take(48).collect();
    if slug.is_empty() { "data".into() } else { slug.trim_end_matches('-').to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_what_files_are_called() {
        let of = |file: &str| slug(Path::new(file));
        assert_eq!(of("/a/My Data (2).csv.gz"), "my-data-2");
        assert_eq!(of("diabetes.csv"), "diabetes");
        assert_eq!(of("é.csv"), "data");
        assert_eq!(of(".hidden.csv"), "hidden");
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("Parts")).unwrap();
        for pattern in ["Parts", "Parts/*.csv", "Parts/**/a-*.parquet"] {
            assert_eq!(name_of(&folder.path().join(pattern)), "parts", "{pattern}");
        }
        assert_eq!(name_of(Path::new("*.no-such-file")), "data");
    }
}
