//! No bytes make a reader panic.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array};
use parquet::basic::{Compression, ZstdLevel};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::compressed;
use super::formats::parquet;
use crate::fuzz::targets::TARGETS;

/// Seeded, so that every run tries the same cases.
pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(20_190_926), failure_persistence: None, ..Default::default() }
}

/// Reads `bytes` in every format, and as prepared data.
fn survives(bytes: &[u8]) {
    let formats = ["csv", "jsonl", "libsvm", "parquet", "compressed", "prepared"];
    TARGETS.iter().filter(|target| formats.contains(&target.name)).for_each(|target| (target.read)(bytes));
}

/// A valid file with some bytes replaced, and perhaps cut short.
fn damaged(valid: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let length = valid.len();
    let changes = prop::collection::vec((0..length, any::<u8>()), 0..6);
    (changes, prop_oneof![3 => Just(length), 1 => 0..length]).prop_map(move |(changes, end)| {
        let mut bytes = valid.clone();
        changes.into_iter().for_each(|(at, byte)| bytes[at] = byte);
        bytes.truncate(end);
        bytes
    })
}

fn valid_parquet() -> Vec<u8> {
    let column =
        |shift: f64| -> ArrayRef { Arc::new((0..50).map(|i| f64::from(i) * 0.1 + shift).collect::<Float64Array>()) };
    parquet(vec![("1", column(0.0)), ("2", column(3.0))], Compression::ZSTD(ZstdLevel::default()))
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        survives(&bytes);
    }

    #[test]
    fn random_text(text in "[0-9.,;:eE+\\- \t\r\n\"#xnaif]{0,200}") {
        survives(text.as_bytes());
    }

    #[test]
    fn random_json(lines in prop::collection::vec("\\{\"[a1]\":[0-9e.\"\\\\\\[\\]{}:,ntu -]{0,40}", 1..4)) {
        survives(lines.join("\n").as_bytes());
    }

    #[test]
    fn magic_bytes_and_then_anything(
        magic in prop::sample::select(vec![&b"PAR1"[..], b"\x1f\x8b\x08\x00", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"]),
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        survives(&[magic, &bytes].concat());
    }

    #[test]
    fn damaged_parquet(bytes in damaged(valid_parquet())) {
        survives(&bytes);
    }

    #[test]
    fn damaged_compressed_text(
        bytes in prop::sample::select(compressed("1,2\n3,4\n5,6\n".repeat(20).as_bytes())).prop_flat_map(|(_, packed)| damaged(packed)),
    ) {
        survives(&bytes);
    }
}
