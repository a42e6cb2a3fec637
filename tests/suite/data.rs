//! The data layer: reading files, declarations, fetching, preparation.

mod arff;
mod arrow;
mod catalogue;
mod encoded;
mod faults;
pub mod fetch;
pub mod formats;
mod fuzz;
mod jsonl;
mod prepared;
mod remote;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use noregret_data::catalogue::load_each;
use noregret_data::declaration::Dataset;
use noregret_data::error::DataError;
use noregret_data::format::open::open;
use noregret_data::format::{DataSource, ReadOptions};
use noregret_data::table::{ContentHash, DataTable, read};

/// Bytes as a source called `data`.
fn source(bytes: &[u8]) -> DataSource {
    DataSource::Bytes { name: "data".into(), bytes: bytes.into() }
}

/// Reads all rows.
fn table(bytes: &[u8], options: &ReadOptions) -> Result<DataTable, DataError> {
    read(open(&source(bytes), options)?.as_mut(), None, |_, _| {})
}

/// The datasets of a project, all of which can be used.
fn load_all(pipeline: &Path, data: &Path) -> Result<BTreeMap<String, Dataset>, DataError> {
    load_each(pipeline, data)?.into_iter().map(|(name, dataset)| Ok((name, dataset?))).collect()
}

/// Options with a target.
fn target(name: &str) -> ReadOptions {
    ReadOptions { target: Some(name.into()), ..ReadOptions::default() }
}

/// The content hash of the table in `bytes`.
fn content_hash(bytes: &[u8], options: &ReadOptions) -> String {
    let rows = table(bytes, options).unwrap().rows() as u64;
    let mut reader = open(&source(bytes), options).unwrap();
    let mut hash = ContentHash::new(rows, reader.columns());
    read(reader.as_mut(), None, |inputs, targets| hash.update(inputs, targets)).unwrap();
    hash.finish()
}

/// `bytes` in every supported compression, each as two members one after the other.
fn compressed(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let (front, back) = bytes.split_at(bytes.len() / 2);
    let both = |compress: fn(&[u8]) -> Vec<u8>| [compress(front), compress(back)].concat();
    vec![("gzip", both(gzip)), ("bzip2", both(bzip2)), ("xz", both(xz)), ("zstd", both(zstd))]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::default()).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ::zstd::encode_all(bytes, 3).unwrap()
}
