//! Streams over files of a bucket: the rounds of the same files in a folder, also when broken off and resumed.

use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use ::arrow::array::{ArrayRef, StringArray};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};

use super::remote::numbers;
use super::*;
use crate::data::fetch::server::nobody;
use crate::data::formats::parquet_as;
use crate::pipeline::bucket::server::{BucketServer, Harm, SECRET, with_credentials};

const MEAN: [&str; 4] = ["--learner", "linear-ridge", "--target", "y"];

fn at(server: &BucketServer, arguments: &[&str]) -> Output {
    with_credentials(&mut command(&[&MEAN[..], arguments].concat()), &server.endpoint()).output().unwrap()
}

/// Three parts of a table, in the order of their numbers, under their names.
fn parts() -> Vec<(String, String)> {
    let whole = table(330);
    let (head, rows) = whole.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let part =
        |(index, rows): (usize, &[&str])| (format!("part-{}.csv", 9 + index), format!("{head}\n{}\n", rows.join("\n")));
    rows.chunks(110).enumerate().map(part).collect()
}

fn served() -> (Folder, BucketServer) {
    let (folder, server) = (Folder::new(), BucketServer::start());
    fs::create_dir(folder.path("rows")).unwrap();
    for (name, text) in parts() {
        fs::write(folder.path("rows").join(&name), &text).unwrap();
        server.put(&format!("rows/{name}"), text);
    }
    // Marks of other programs and other files are no rows.
    for name in ["rows/_SUCCESS", "rows/.done", "rows/", "rows/_log/part-1.csv", "other.csv", "deep/rows/part-1.csv"] {
        server.put(name, "nothing");
    }
    (folder, server)
}

#[test]
fn files_of_a_bucket_are_a_stream() {
    let (folder, server) = served();
    let local = folder.path("rows");
    let expected = rounds(&stream(&[&MEAN[..], &["--input", local.to_str().unwrap()]].concat()));
    assert_eq!(expected.len(), 330);
    for input in ["s3://lab/rows/", "s3://lab/rows/part-*.csv"] {
        let found = at(&server, &["--input", input]);
        assert_eq!(rounds(&found), expected, "{input}");
    }
    let one = local.join("part-9.csv");
    let expected = rounds(&stream(&[&MEAN[..], &["--input", one.to_str().unwrap()]].concat()));
    server
        .change(|held| held.harms = vec![("GET /lab/rows/part-9", Harm::Break), ("GET /lab/rows/part-9", Harm::Drop)]);
    let found = at(&server, &["--input", "s3://lab/rows/part-9.csv"]);
    assert_eq!(rounds(&found), expected);
    assert!(server.change(|held| held.harms.is_empty()));
}

/// Where each column of a Parquet file begins, of which there is one row group.
fn starts(file: &Path) -> Vec<u64> {
    let reader = SerializedFileReader::new(fs::File::open(file).unwrap()).unwrap();
    reader.metadata().row_group(0).columns().iter().map(|column| column.byte_range().0).collect()
}

/// The next file is opened before the last block of this one is there. The second table has words that are new in each file, so
/// that what was opened is of no use.
#[test]
fn the_next_file_is_opened_while_one_is_read() {
    let rows = 200_000;
    for with_words in [false, true] {
        let (folder, server) = (Folder::new(), BucketServer::start());
        for part in 1..4 {
            let words: ArrayRef =
                Arc::new((0..rows).map(|row| Some(format!("{part}-{}", row % 4))).collect::<StringArray>());
            let noise: ArrayRef = if with_words { words } else { numbers(rows, 0.9) };
            let columns = vec![("a", numbers(rows, part as f64)), ("b", noise), ("y", numbers(rows, 0.1))];
            let properties = WriterProperties::builder().set_dictionary_enabled(with_words);
            let bytes = parquet_as(columns, properties);
            folder.file(&format!("part-{part}.parquet"), &bytes);
            server.put(&format!("rows/part-{part}.parquet"), bytes);
        }
        let last = starts(&folder.path("part-1.parquet"))[2] + (1 << 20);
        let waits = [format!("GET /lab/rows/part-1.parquet bytes={last}-"), "GET /lab/rows/part-2.parquet".into()];
        server.change(|held| held.waits = Some(waits));
        let expected = stream(&[&MEAN[..], &["--input", folder.path("").to_str().unwrap()]].concat());
        let found = at(&server, &["--input", "s3://lab/rows/"]);
        assert_eq!(rounds(&found), rounds(&expected));
        let asked = server.asked();
        assert!(!asked.contains(&"in vain".into()), "{asked:?}");
        assert!(asked.iter().filter(|asked| asked.contains("part-1")).count() > 5, "{asked:?}");
    }
}

#[test]
fn a_stream_of_a_bucket_goes_on_where_it_was_stopped() {
    let (folder, server) = served();
    let (model, output) = (folder.path("model"), folder.path("out.csv"));
    let kept = ["--save", model.to_str().unwrap(), "--save-every", "25", "--output", output.to_str().unwrap()];
    let whole = at(&server, &["--input", "s3://lab/rows/"]).stdout;
    let first = at(&server, &[&kept[..], &["--input", "s3://lab/rows/", "--limit", "160"]].concat());
    assert!(first.status.success(), "{}", stderr(&first));
    let resumed = at(&server, &[&kept[..], &["--input", "s3://lab/rows/", "--resume"]].concat());
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    assert_eq!(String::from_utf8(fs::read(&output).unwrap()), String::from_utf8(whole));
    for file in [&model, &output] {
        let text = String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
        assert!(!text.contains(SECRET) && !text.contains("X-Amz-"), "{}", file.display());
    }
}

#[test]
fn what_a_bucket_refuses_is_told() {
    let (_folder, server) = served();
    for (input, told) in [
        ("s3://lab/rows/none-*.csv", "no file matches the pattern"),
        ("s3://lab/none/", "the folder holds no file"),
        ("s3://lab/none.csv", "NoSuchKey"),
        ("s3://lab/deep/", "s3://lab/deep/rows is a folder, which may hold rows, too"),
        ("s3://lab", "name a file of the bucket"),
        ("s3://elsewhere/a.csv", "create the bucket first"),
    ] {
        let ended = at(&server, &["--input", input]);
        assert!(!ended.status.success() && stderr(&ended).contains(told), "{input}: {}", stderr(&ended));
        assert!(!stderr(&ended).contains("X-Amz-"), "{}", stderr(&ended));
    }
    let mut command = command(&[&MEAN[..], &["--input", "s3://lab/rows/part-9.csv"]].concat());
    let ended = with_credentials(&mut command, &format!("http://{}", nobody())).output().unwrap();
    assert!(!ended.status.success() && stderr(&ended).contains("(4 attempts)"), "{}", stderr(&ended));
}
