//! Lists of columns, as a user writes them in one argument.

use csv::{ReaderBuilder, StringRecord, Trim, WriterBuilder};

/// The names in a list: separated by commas, and in quotation marks where a name has a comma, as in `"size, cm",weight`.
pub fn names_of(list: &str) -> Vec<String> {
    let mut reader = ReaderBuilder::new().has_headers(false).trim(Trim::All).from_reader(list.as_bytes());
    let mut record = StringRecord::new();
    match reader.read_record(&mut record) {
        Ok(true) => record.iter().map(str::to_owned).collect(),
        _ => vec![list.to_owned()],
    }
}

/// A list that [`names_of`] reads.
pub fn list_of(names: &[String]) -> String {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    let written = writer.write_record(names).ok().and_then(|()| writer.into_inner().ok());
    let text = written.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    text.trim_end_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_stand_in_quotation_marks() {
        for (list, names) in [
            ("a,b", vec!["a", "b"]),
            ("\"size, cm\",b", vec!["size, cm", "b"]),
            ("\"5\"\" pipe\"", vec!["5\" pipe"]),
            ("4", vec!["4"]),
        ] {
            assert_eq!(names_of(list), names);
            assert_eq!(list_of(&names.into_iter().map(str::to_owned).collect::<Vec<_>>()), list);
        }
        assert_eq!(names_of(" a , b"), ["a", "b"]);
        assert_eq!(names_of(""), [""]);
    }
}
