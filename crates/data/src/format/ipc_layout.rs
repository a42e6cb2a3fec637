//! The buffers of a batch of Arrow IPC, in the order in which its reader takes them: their lengths must be what the reader
//! asserts, or takes for granted, of the types of the columns.

use std::collections::VecDeque;

use arrow::datatypes::{DataType, UnionMode};

/// The buffers and arrays of a batch that no column has taken yet.
pub(super) struct Layout {
    /// Numbers of bytes, unpacked.
    buffers: VecDeque<u64>,
    /// Numbers of rows.
    arrays: VecDeque<u64>,
    /// Numbers of buffers with the bytes of views.
    views: VecDeque<i64>,
    /// Whether unions have a buffer that says which rows are missing, as they had before version 5.
    old_unions: bool,
}

impl Layout {
    /// The layout of a batch.
    pub(super) fn new(buffers: Vec<u64>, arrays: Vec<u64>, views: Vec<i64>, old_unions: bool) -> Self {
        Self { buffers: buffers.into(), arrays: arrays.into(), views: views.into(), old_unions }
    }

    /// Takes the columns of these types.
    ///
    /// # Errors
    /// What does not fit.
    pub(super) fn columns(&mut self, kinds: &[DataType]) -> Result<(), String> {
        kinds.iter().try_for_each(|kind| self.column(kind))
    }

    /// The next buffer, whose bytes are whole numbers of `unit` bytes.
    fn buffer(&mut self, kind: &DataType, unit: u64) -> Result<u64, String> {
        let bytes = self.buffers.pop_front().ok_or_else(|| format!("it has too few buffers for {kind}"))?;
        match bytes.is_multiple_of(unit) {
            true => Ok(bytes),
            false => Err(format!("a buffer of {kind} has {bytes} bytes, no multiple of {unit}")),
        }
    }

    /// The rows of the next array.
    fn rows(&mut self, kind: &DataType) -> Result<u64, String> {
        self.arrays.pop_front().ok_or_else(|| format!("it has too few arrays for {kind}"))
    }

    /// The buffers of a union that say of which type each of its rows is, and where it lies.
    fn tags(&mut self, kind: &DataType, mode: UnionMode, rows: u64) -> Result<(), String> {
        let offsets = if mode == UnionMode::Dense { Some(4) } else { None };
        for unit in [Some(1), offsets].into_iter().flatten() {
            let bytes = self.buffer(kind, unit)?;
            if bytes / unit < rows {
                return Err(format!("a buffer of {kind} has {bytes} bytes for {rows} rows"));
            }
        }
        Ok(())
    }

    fn column(&mut self, kind: &DataType) -> Result<(), String> {
        let rows = self.rows(kind)?;
        // Which rows are missing, of all types but these.
        let masked = match kind {
            DataType::Null | DataType::RunEndEncoded(..) => false,
            DataType::Union(..) => self.old_unions,
            _ => true,
        };
        if masked {
            self.buffer(kind, 1)?;
        }
        match kind {
            DataType::Null => {}
            DataType::Utf8 | DataType::Binary => {
                self.buffer(kind, 4)?;
                self.buffer(kind, 1)?;
            }
            DataType::LargeUtf8 | DataType::LargeBinary => {
                self.buffer(kind, 8)?;
                self.buffer(kind, 1)?;
            }
            DataType::Utf8View | DataType::BinaryView => {
                self.buffer(kind, 16)?;
                let count = self.views.pop_front().ok_or_else(|| format!("it has no number of buffers for {kind}"))?;
                for _ in 0..u64::try_from(count).map_err(|_| format!("{count} buffers of {kind}"))? {
                    self.buffer(kind, 1)?;
                }
            }
            DataType::List(of) | DataType::Map(of, _) => {
                self.buffer(kind, 4)?;
                self.column(of.data_type())?;
            }
            DataType::LargeList(of) => {
                self.buffer(kind, 8)?;
                self.column(of.data_type())?;
            }
            DataType::ListView(of) | DataType::LargeListView(of) => {
                let unit = if matches!(kind, DataType::ListView(_)) { 4 } else { 8 };
                self.buffer(kind, unit)?;
                self.buffer(kind, unit)?;
                self.column(of.data_type())?;
            }
            DataType::FixedSizeList(of, _) => self.column(of.data_type())?,
            DataType::Struct(fields) => fields.iter().try_for_each(|field| self.column(field.data_type()))?,
            DataType::RunEndEncoded(ends, values) => {
                self.column(ends.data_type())?;
                self.column(values.data_type())?;
            }
            DataType::Union(fields, mode) => {
                self.tags(kind, *mode, rows)?;
                fields.iter().try_for_each(|(_, field)| self.column(field.data_type()))?;
            }
            DataType::Dictionary(keys, _) => _ = self.buffer(kind, width(keys))?,
            kind => _ = self.buffer(kind, width(kind))?,
        }
        Ok(())
    }
}

/// The bytes of a value; 1 where values are not whole bytes, or of a length that the type states.
fn width(kind: &DataType) -> u64 {
    kind.primitive_width().map_or(1, |width| width as u64)
}

/// Whether lengths that types state are lengths, and the numbers of runs such that there can be any.
///
/// # Errors
/// A type of which this is not so.
pub(super) fn is_sound(kind: &DataType) -> Result<(), String> {
    match kind {
        DataType::FixedSizeBinary(length) | DataType::FixedSizeList(_, length) if *length < 0 => {
            return Err(format!("a column is of the type {kind}"));
        }
        DataType::RunEndEncoded(ends, _) if !ends.data_type().is_run_ends_type() => {
            return Err(format!("the ends of runs are of the type {}", ends.data_type()));
        }
        DataType::Dictionary(keys, _) if !keys.is_dictionary_key_type() => {
            return Err(format!("the keys of a dictionary are of the type {keys}"));
        }
        _ => {}
    }
    match kind {
        DataType::List(of)
        | DataType::LargeList(of)
        | DataType::ListView(of)
        | DataType::LargeListView(of)
        | DataType::FixedSizeList(of, _)
        | DataType::Map(of, _) => is_sound(of.data_type()),
        DataType::Struct(fields) => fields.iter().try_for_each(|field| is_sound(field.data_type())),
        DataType::Union(fields, _) => fields.iter().try_for_each(|(_, field)| is_sound(field.data_type())),
        DataType::RunEndEncoded(ends, values) => {
            is_sound(ends.data_type())?;
            is_sound(values.data_type())
        }
        DataType::Dictionary(_, values) => is_sound(values),
        _ => Ok(()),
    }
}
