//! Reference predictions (crates/core/tests/vectors/pkawv.json), from every format.

use std::collections::BTreeMap;
use std::io::Write;

use noregret_report::trace::schema::Type;
use noregret_report::trace::table::{ColumnData, TableWriter, WrittenColumn};
use serde_json::Value;

use super::*;

const CASES: &str = include_str!("../../../crates/core/tests/vectors/pkawv.json");

struct Case {
    name: String,
    learner: &'static str,
    settings: Vec<String>,
    inputs: Vec<Vec<f64>>,
    targets: Vec<f64>,
    predictions: Vec<f64>,
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn cases() -> Vec<Case> {
    let all: Vec<Value> = serde_json::from_str(CASES).unwrap();
    all.iter()
        .filter_map(|case| {
            let (learner, settings): (_, &[(&str, &str)]) = match case["algorithm"].as_str().unwrap() {
                "krr" => ("kernel-ridge", &[("lambda", "lambda"), ("kernel.bandwidth", "bandwidth")]),
                "kernel_awv" => ("kernel-awv", &[("lambda", "lambda"), ("kernel.bandwidth", "bandwidth")]),
                "pkrr_taylor" => {
                    ("pkrr-taylor", &[("lambda", "lambda"), ("bandwidth", "bandwidth"), ("order", "order")])
                }
                "pkawv_taylor" => {
                    ("pkawv-taylor", &[("lambda", "lambda"), ("bandwidth", "bandwidth"), ("order", "order")])
                }
                _ => return None,
            };
            Some(Case {
                name: case["name"].as_str().unwrap().into(),
                learner,
                settings: settings.iter().map(|(to, from)| format!("{to}={}", case["params"][from])).collect(),
                inputs: case["inputs"]["X"].as_array().unwrap().iter().map(numbers).collect(),
                targets: numbers(&case["inputs"]["y"]),
                predictions: numbers(&case["expected"]["predictions"]),
            })
        })
        .collect()
}

impl Case {
    fn dim(&self) -> usize {
        self.inputs[0].len()
    }

    /// The target is between the inputs: columns are found by name, and inputs keep their order in the file.
    fn csv(&self) -> Vec<u8> {
        let mut names: Vec<String> = (1..=self.dim()).map(|i| format!("x{i}")).collect();
        names.insert(1, "y".into());
        let mut text = names.join(",") + "\n";
        for (x, y) in self.inputs.iter().zip(&self.targets) {
            let mut fields: Vec<String> = x.iter().map(f64::to_string).collect();
            fields.insert(1, y.to_string());
            text += &(fields.join(",") + "\n");
        }
        text.into_bytes()
    }

    fn libsvm(&self) -> Vec<u8> {
        let mut text = String::new();
        for (x, y) in self.inputs.iter().zip(&self.targets) {
            text += &y.to_string();
            for (i, value) in x.iter().enumerate() {
                text += &format!(" {}:{value}", i + 1);
            }
            text.push('\n');
        }
        text.into_bytes()
    }

    fn parquet(&self) -> Vec<u8> {
        let field = |name: String| WrittenColumn {
            name,
            kind: Type::Number,
            nullable: false,
            unit: String::new(),
            doc: String::new(),
        };
        let mut fields: Vec<WrittenColumn> = (1..=self.dim()).map(|i| field(format!("x{i}"))).collect();
        fields.push(field("y".into()));
        let mut columns: Vec<ColumnData> =
            (0..self.dim()).map(|i| ColumnData::Number(self.inputs.iter().map(|x| Some(x[i])).collect())).collect();
        columns.push(ColumnData::Number(self.targets.iter().copied().map(Some).collect()));
        let mut table = TableWriter::new(Vec::new(), "test", &fields, BTreeMap::new(), 0).unwrap();
        table.push(columns).unwrap();
        table.finish().unwrap()
    }

    fn check(&self, file: &str, target: bool) {
        let unscaled = ["--scale", "none", "--target-scale", "none"];
        let mut args = [&["--learner", self.learner, "--input", file][..], &unscaled].concat();
        self.settings.iter().for_each(|setting| args.extend(["--set", setting]));
        if target {
            args.extend(["--target", "y"]);
        }
        let rounds = rounds(&stream(&args));
        assert_eq!(column(&rounds, 1), self.targets, "{file}");
        for (found, expected) in column(&rounds, 2).iter().zip(&self.predictions) {
            assert!((found - expected).abs() < 1e-8, "{} from {file}: {found} {expected}", self.name);
        }
    }
}

#[test]
fn predictions_agree_from_every_format() {
    let cases = cases();
    assert_eq!(cases.len(), 14);
    let folder = Folder::new();
    for case in cases {
        case.check(&folder.file("case.csv", case.csv()), true);
        case.check(&folder.file("case.libsvm", case.libsvm()), false);
        case.check(&folder.file("case.parquet", case.parquet()), true);
    }
}

#[test]
fn predictions_agree_from_compressed_files() {
    let case = cases().remove(0);
    let folder = Folder::new();
    for (name, bytes, target) in
        [("csv", case.csv(), true), ("libsvm", case.libsvm(), false), ("parquet", case.parquet(), true)]
    {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(&bytes).unwrap();
        case.check(&folder.file(&format!("{name}.gz"), gzip.finish().unwrap()), target);
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
        bzip2.write_all(&bytes).unwrap();
        case.check(&folder.file(&format!("{name}.bz2"), bzip2.finish().unwrap()), target);
        let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::default()).unwrap();
        xz.write_all(&bytes).unwrap();
        case.check(&folder.file(&format!("{name}.xz"), xz.finish().unwrap()), target);
        case.check(&folder.file(&format!("{name}.zst"), zstd::encode_all(&bytes[..], 3).unwrap()), target);
    }
}
