//! What Parquet files say of themselves, looked through before the parquet crate believes it.
//!
//! Footers and the headers of pages are records in Thrift's compact protocol. The parquet crate (60.1) passes over the
//! fields that it does not know by counting their items. For it a boolean in a list takes no byte, so six bytes can
//! make it count to 2³¹, and a file of a few pages could keep it busy for days. [`CheckedParquet`] refuses lists of booleans,
//! which no footer and no header has; any other item takes a byte, so the file is at its end before the count is high.
//! It refuses fields of another type than the format gives them, too: the crate does not look at their types, and would
//! find such a list where there is none.
//!
//! Source: parquet.thrift of the Parquet format 2.12.

use std::io::{self, Cursor, Read};

use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use FieldKind::{Any, Byte, Double, Flag, List, Number, Record, Text};

/// Bytes after the footer: its length, and `PAR1`.
const TAIL: u64 = 8;

/// How deep records may be in one another: as deep as the parquet crate follows them.
const DEPTH: u8 = 64;

/// What a field holds.
enum FieldKind {
    /// What this program does not know, or anything.
    Any,
    Flag,
    Byte,
    Number,
    Double,
    Text,
    List(&'static FieldKind),
    Record(Fields),
}

/// What the fields of a record hold, from that with number 1 on.
type Fields = &'static [FieldKind];

const EMPTY: FieldKind = Record(&[]);
const TIME: FieldKind = Record(&[Flag, Record(&[EMPTY, EMPTY, EMPTY])]);
const LOGICAL_TYPE: Fields = &[
    EMPTY,
    EMPTY,
    EMPTY,
    EMPTY,
    Record(&[Number, Number]),
    EMPTY,
    TIME,
    TIME,
    Any,
    Record(&[Byte, Flag]),
    EMPTY,
    EMPTY,
    EMPTY,
    EMPTY,
    EMPTY,
    Record(&[Byte]),
    Record(&[Text]),
    Record(&[Text, Number]),
];
const SCHEMA_ELEMENT: Fields =
    &[Number, Number, Number, Text, Number, Number, Number, Number, Number, Record(LOGICAL_TYPE)];
const STATISTICS: FieldKind = Record(&[Text, Text, Number, Number, Text, Text, Flag, Flag, Number]);
const BOX: FieldKind = Record(&[Double, Double, Double, Double, Double, Double, Double, Double]);
const PAIRS: FieldKind = List(&Record(&[Text, Text]));
const NUMBERS: FieldKind = List(&Number);
const COLUMN: Fields = &[
    Number,
    NUMBERS,
    List(&Text),
    Number,
    Number,
    Number,
    Number,
    PAIRS,
    Number,
    Number,
    Number,
    STATISTICS,
    List(&Record(&[Number, Number, Number])),
    Number,
    Number,
    Record(&[Number, NUMBERS, NUMBERS]),
    Record(&[BOX, NUMBERS]),
];
const CHUNK: Fields = &[Text, Number, Record(COLUMN), Number, Number, Number, Number, Any, Text];
const ROW_GROUP: Fields =
    &[List(&Record(CHUNK)), Number, Number, List(&Record(&[Number, Flag, Flag])), Number, Number, Number];
const FOOTER: Fields = &[
    Number,
    List(&Record(SCHEMA_ELEMENT)),
    Number,
    List(&Record(ROW_GROUP)),
    PAIRS,
    Text,
    List(&Record(&[EMPTY])),
    Any,
    Text,
];
const PAGE_HEADER: Fields = &[
    Number,
    Number,
    Number,
    Number,
    Record(&[Number, Number, Number, Number, STATISTICS]),
    EMPTY,
    Record(&[Number, Number, Flag]),
    Record(&[Number, Number, Number, Number, Number, Number, Flag, STATISTICS]),
];

impl FieldKind {
    /// Whether a field that holds this may have a value of the type with number `kind`.
    fn has(&self, kind: u8) -> bool {
        match self {
            Any => true,
            Flag => matches!(kind, TRUE | FALSE),
            Byte => kind == 3,
            Number => matches!(kind, 4..=6),
            Double => kind == 7,
            Text => kind == 8,
            List(_) => matches!(kind, 9 | 10),
            Record(_) => kind == 12,
        }
    }
}

/// Numbers of types in the protocol: a boolean has one for each of its values.
const TRUE: u8 = 1;
const FALSE: u8 = 2;

/// The bytes of a Parquet file; reading its footer or the header of a page fails where these are damaged.
pub struct CheckedParquet<R>(pub R);

impl<R: Length> Length for CheckedParquet<R> {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl<R: ChunkReader> ChunkReader for CheckedParquet<R> {
    type T = PageHeader<R::T>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        // Only the tail and the headers of pages are read without a length.
        let looked_through = start.saturating_add(TAIL) == self.len();
        Ok(PageHeader { source: self.0.get_read(start)?, looked_through, seen: Cursor::default() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes> {
        let bytes = self.0.get_bytes(start, length)?;
        if start.saturating_add(length as u64).saturating_add(TAIL) == self.len() {
            record(&mut &bytes[..], FOOTER, DEPTH).map_err(|cause| ParquetError::External(damage(cause).into()))?;
        }
        Ok(bytes)
    }
}

/// Bytes from the header of a page on. The header is looked through when the first byte is asked for, because the parquet
/// crate also makes such readers in other places, and then leaves them.
pub struct PageHeader<T> {
    source: T,
    looked_through: bool,
    /// The bytes of the header, which come first.
    seen: Cursor<Vec<u8>>,
}

impl<T: Read> Read for PageHeader<T> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if !std::mem::replace(&mut self.looked_through, true) {
            let mut header = Noted { source: &mut self.source, bytes: self.seen.get_mut() };
            record(&mut header, PAGE_HEADER, DEPTH).map_err(damage)?;
        }
        match self.seen.read(out)? {
            0 => self.source.read(out),
            read => Ok(read),
        }
    }
}

/// Notes what is read.
struct Noted<'a, T> {
    source: &'a mut T,
    bytes: &'a mut Vec<u8>,
}

impl<T: Read> Read for Noted<'_, T> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(out)?;
        self.bytes.extend_from_slice(&out[..read]);
        Ok(read)
    }
}

fn damage(cause: io::Error) -> io::Error {
    io::Error::new(cause.kind(), format!("its footer or the header of a page is damaged: {cause}"))
}

/// Passes over a record: its fields, each with its type, up to a zero.
fn record(input: &mut impl Read, fields: Fields, depth: u8) -> io::Result<()> {
    let mut id = 0;
    loop {
        let field = byte(input)?;
        if field == 0 {
            return Ok(());
        }
        id = match field >> 4 {
            0 => signed(number(input)?),
            more => id + i64::from(more),
        };
        let place = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
        value(input, field & 15, place.and_then(|place| fields.get(place)).unwrap_or(&Any), depth)?;
    }
}

/// Passes over a value of the type with number `kind` where there should be one of `expected`.
fn value(input: &mut impl Read, kind: u8, expected: &FieldKind, depth: u8) -> io::Result<()> {
    let Some(depth) = depth.checked_sub(1) else { return Err(wrong("its records are too deep in one another")) };
    if !expected.has(kind) {
        return Err(wrong("a field has another type than it should have"));
    }
    match kind {
        TRUE | FALSE => Ok(()),
        3 => skip(input, 1),
        4..=6 => number(input).map(drop),
        7 => skip(input, 8),
        8 => {
            let length = number(input)?;
            skip(input, length)
        }
        9 | 10 => {
            let header = byte(input)?;
            let count = if header >> 4 == 15 { number(input)? } else { u64::from(header >> 4) };
            let of = if let List(of) = expected { of } else { &Any };
            values(input, count, [header & 15], of, depth)
        }
        11 => {
            let count = number(input)?;
            let kinds = if count == 0 { 0 } else { byte(input)? };
            values(input, count, [kinds >> 4, kinds & 15], &Any, depth)
        }
        12 => record(input, if let Record(fields) = expected { fields } else { &[] }, depth),
        13 => skip(input, 16),
        _ => Err(wrong("a value has no type")),
    }
}

/// Passes over the values of a list, or the pairs of a map.
fn values<const N: usize>(
    input: &mut impl Read,
    count: u64,
    kinds: [u8; N],
    expected: &FieldKind,
    depth: u8,
) -> io::Result<()> {
    if count > 0 && kinds.iter().any(|kind| matches!(*kind, TRUE | FALSE)) {
        return Err(wrong("it has a list of booleans"));
    }
    (0..count).try_for_each(|_| kinds.iter().try_for_each(|&kind| value(input, kind, expected, depth)))
}

/// A number whose last bit is its sign.
fn signed(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

fn byte(input: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    input.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// A number without sign: seven bits a byte, the low ones first, the eighth bit where another byte follows.
fn number(input: &mut impl Read) -> io::Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = byte(input)?;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Ok(number);
        }
    }
    Err(wrong("a number is too long"))
}

fn skip(input: &mut impl Read, length: u64) -> io::Result<()> {
    let read = io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
    if read == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn wrong(what: &str) -> io::Error {
    io::Error::other(what)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{
        ArrayRef, BooleanArray, Float64Array, Int8Array, ListArray, RecordBatch, StringArray, TimestampMillisecondArray,
    };
    use arrow::compute::concat_batches;
    use arrow::datatypes::Int32Type;
    use bytes::Bytes;
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::file::metadata::{KeyValue, SortingColumn};
    use parquet::file::properties::{WriterProperties, WriterVersion};

    use super::*;

    /// Whether these bytes are a record of which nothing is known.
    fn passes(bytes: &[u8]) -> std::result::Result<(), String> {
        record(&mut &bytes[..], &[], DEPTH).map_err(|error| error.to_string())
    }

    /// A file of all kinds of columns, with many pages.
    #[test]
    fn a_written_file_passes() {
        let rows = 3000;
        let lists = (0..rows).map(|row| Some((0..row % 5).map(Some)));
        let batch = RecordBatch::try_from_iter([
            ("x", Arc::new(Float64Array::from_iter_values((0..rows).map(|row| f64::from(row).sin()))) as ArrayRef),
            ("name", Arc::new(StringArray::from_iter((0..rows).map(|row| (row % 3 > 0).then(|| row.to_string()))))),
            ("flag", Arc::new((0..rows).map(|row| Some(row % 2 == 0)).collect::<BooleanArray>())),
            (
                "time",
                Arc::new(TimestampMillisecondArray::from_iter_values((0..rows).map(i64::from)).with_timezone("UTC")),
            ),
            ("small", Arc::new(Int8Array::from_iter_values((0..rows).map(|row| (row % 100) as i8)))),
            ("list", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
        ])
        .unwrap();
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_data_page_row_count_limit(500)
                .set_write_batch_size(100)
                .set_max_row_group_row_count(Some(2000))
                .set_sorting_columns(Some(vec![SortingColumn { column_idx: 3, descending: false, nulls_first: true }]))
                .set_key_value_metadata(Some(vec![KeyValue::new("who".into(), "me".to_owned())]))
                .set_bloom_filter_enabled(true);
            let mut file = tempfile::tempfile().unwrap();
            let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties.build())).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
            let reader = ParquetRecordBatchReaderBuilder::try_new(CheckedParquet(file)).unwrap().build().unwrap();
            let read: Vec<_> = reader.collect::<std::result::Result<_, _>>().unwrap();
            assert_eq!(concat_batches(&batch.schema(), &read).unwrap(), batch);
        }
    }

    #[test]
    fn a_list_that_takes_no_bytes_is_refused_in_a_footer_and_in_a_header() {
        // Field 15: a list of 2³¹ − 1 booleans. In the second record it is hidden in field 1, which should be a number.
        let plain = [0xf9, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00];
        let hidden = [0x17, 0x02, 0xe9, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00, 0x00];
        for (record, told) in [(&plain[..], "a list of booleans"), (&hidden, "another type")] {
            let length = record.len();
            let mut file = b"PAR1".to_vec();
            file.extend(record);
            file.extend([length as u8, 0, 0, 0]);
            file.extend(b"PAR1");
            let file = CheckedParquet(Bytes::from(file));
            assert!(file.get_bytes(4, length).unwrap_err().to_string().contains(told));
            let mut header = file.get_read(4).unwrap();
            assert!(header.read(&mut [0]).unwrap_err().to_string().contains(told));
            let mut tail = Vec::new();
            file.get_read(4 + length as u64).unwrap().read_to_end(&mut tail).unwrap();
            assert_eq!(tail.len(), 8);
        }
    }

    #[test]
    fn all_types_are_passed_over_and_what_ends_too_early_is_refused() {
        let sound = [
            0x11, 0x12, 0x13, 9, 0x14, 1, 0x05, 3, 0x80, 1, 0x17, 0, 0, 0, 0, 0, 0, 0, 0, 0x18, 2, b'a', b'b', 0x19,
            0x25, 1, 2, 0x1a, 0, 0x1b, 0, 0x1b, 1, 0x85, 1, b'k', 7, 0x1c, 0x15, 1, 0, 0x1d, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0, 0,
        ];
        assert_eq!(passes(&sound), Ok(()));
        for length in 0..sound.len() {
            assert!(passes(&sound[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn depth_numbers_and_types_have_bounds() {
        assert!(passes(&[0x1c; 100]).unwrap_err().contains("too deep"));
        assert!(passes(&[0x15, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]).unwrap_err().contains("too long"));
        assert!(passes(&[0x1e]).unwrap_err().contains("no type"));
        assert!(passes(&[0x1b, 1, 0x15, 1]).unwrap_err().contains("booleans"));
    }
}
