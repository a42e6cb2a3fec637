//! What Parquet files say of themselves, looked through before the parquet crate believes it.
//!
//! Footers and the headers of pages are records in Thrift's compact protocol. The parquet crate (60.1) passes over the
//! fields that it does not know by counting their items. For it a boolean in a list takes no byte, so six bytes can
//! make it count to 2³¹, and a file of a few pages could keep it busy for days. [`Checked`] refuses lists of booleans,
//! which no footer and no header has; any other item takes a byte, so the file is at its end before the count is high.

use std::io::{self, Read};

use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// Bytes after the footer: its length, and `PAR1`.
const TAIL: u64 = 8;

/// How deep records may be in one another: as deep as the parquet crate follows them.
const DEPTH: u8 = 64;

/// Numbers of types in the protocol: a boolean has one for each of its values.
const FALSE: u8 = 2;

/// The bytes of a Parquet file; reading its footer or the header of a page fails where these are damaged.
pub struct Checked<R>(pub R);

impl<R: Length> Length for Checked<R> {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl<R: ChunkReader> ChunkReader for Checked<R> {
    type T = R::T;

    fn get_read(&self, start: u64) -> Result<R::T> {
        // Only the tail and the headers of pages are read without a length.
        if start.saturating_add(TAIL) != self.len() {
            record(&mut self.0.get_read(start)?, DEPTH).map_err(damage)?;
        }
        self.0.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes> {
        let bytes = self.0.get_bytes(start, length)?;
        if start.saturating_add(length as u64).saturating_add(TAIL) == self.len() {
            record(&mut &bytes[..], DEPTH).map_err(damage)?;
        }
        Ok(bytes)
    }
}

fn damage(cause: io::Error) -> ParquetError {
    ParquetError::General(format!("its footer or the header of a page is damaged: {cause}"))
}

/// Passes over a record: fields, each with its type, up to a zero.
fn record(input: &mut impl Read, depth: u8) -> io::Result<()> {
    loop {
        let field = byte(input)?;
        if field == 0 {
            return Ok(());
        }
        if field >> 4 == 0 {
            number(input)?;
        }
        item(input, field & 15, depth)?;
    }
}

/// Passes over a value of the type with number `kind`.
fn item(input: &mut impl Read, kind: u8, depth: u8) -> io::Result<()> {
    let Some(depth) = depth.checked_sub(1) else { return Err(wrong("its records are too deep in one another")) };
    match kind {
        1..=FALSE => Ok(()),
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
            items(input, count, &[header & 15], depth)
        }
        11 => {
            let count = number(input)?;
            let kinds = if count == 0 { 0 } else { byte(input)? };
            items(input, count, &[kinds >> 4, kinds & 15], depth)
        }
        12 => record(input, depth),
        13 => skip(input, 16),
        _ => Err(wrong("a value has no type")),
    }
}

/// Passes over the values of a list, or the pairs of a map.
fn items(input: &mut impl Read, count: u64, kinds: &[u8], depth: u8) -> io::Result<()> {
    if count > 0 && kinds.iter().any(|kind| (1..=FALSE).contains(kind)) {
        return Err(wrong("it has a list of booleans"));
    }
    (0..count).try_for_each(|_| kinds.iter().try_for_each(|&kind| item(input, kind, depth)))
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

    use arrow::array::{BooleanArray, Float64Array, ListArray, RecordBatch, StringArray};
    use arrow::datatypes::Int32Type;
    use bytes::Bytes;
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;

    fn passes(bytes: &[u8]) -> std::result::Result<(), String> {
        record(&mut &bytes[..], DEPTH).map_err(|error| error.to_string())
    }

    #[test]
    fn a_written_file_passes() {
        let lists = [vec![Some(1), None], vec![Some(3)]].map(Some);
        let batch = RecordBatch::try_from_iter([
            ("x", Arc::new(Float64Array::from(vec![0.5, -1.0])) as _),
            ("name", Arc::new(StringArray::from(vec![Some("a"), None])) as _),
            ("flag", Arc::new(BooleanArray::from(vec![true, false])) as _),
            ("list", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)) as _),
        ])
        .unwrap();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(Checked(Bytes::from(bytes))).unwrap().build().unwrap();
        let read: Vec<_> = reader.collect::<std::result::Result<_, _>>().unwrap();
        assert_eq!(read[0], batch);
    }

    #[test]
    fn a_list_that_takes_no_bytes_is_refused_in_a_footer_and_in_a_header() {
        // Field 9: a list of 2³¹ − 1 booleans.
        let long = [0x99, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00];
        assert_eq!(passes(&long).unwrap_err(), "it has a list of booleans");
        let mut file = b"PAR1".to_vec();
        file.extend(long);
        file.extend([8, 0, 0, 0]);
        file.extend(b"PAR1");
        let file = Checked(Bytes::from(file));
        assert!(file.get_bytes(4, 8).unwrap_err().to_string().contains("a list of booleans"));
        assert!(file.get_read(4).err().unwrap().to_string().contains("a list of booleans"));
        assert!(file.get_read(12).is_ok());
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
