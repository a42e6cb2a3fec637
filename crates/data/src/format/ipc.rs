//! Arrow IPC is looked through before its reader sees it. The reader believes lengths: a damaged one makes it slice beyond a
//! buffer, which panics, or ask for more memory than there is, which ends the process.

use std::io::{Read, Seek, SeekFrom};

use arrow::datatypes::{DataType, Schema};
use arrow::ipc::convert::try_fb_to_schema;
use arrow::ipc::{CompressionType, Message, MetadataVersion, RecordBatch, root_as_footer, root_as_message};

use crate::format::ipc_layout::{Layout, is_sound};

/// The first bytes of a file of Arrow IPC.
pub(super) const ARROW: &[u8] = b"ARROW1";

/// What begins a message, before the length of its metadata. Old writers leave it out.
const CONTINUES: [u8; 4] = [0xff; 4];

/// The most bytes that a byte of compressed data becomes, by the blocks of zstd: 128 KiB from four bytes. LZ4 makes 255.
const GROWTH: u64 = (128 << 10) / 4;

/// The most bytes that a buffer may have: that of 32-bit offsets.
const MOST_BYTES: u64 = 1 << 31;

/// The most bytes that the compressed buffers of a batch may become: buffers may lie on one another, so that the file's length
/// says nothing of their sum.
const MOST_UNPACKED: u64 = 4 << 30;

/// What places and lengths of buffers are multiples of; the reader asserts it.
const ALIGNED: u64 = 8;

/// Rows of columns without buffers, such as those of no type, which nothing but the file's word vouches for.
const FREE_ROWS: u64 = 1 << 20;

/// Looks through a file or a stream of Arrow IPC: all lengths are within what they are parts of.
///
/// # Errors
/// What is wrong.
pub(super) fn look_through(source: &mut (impl Read + Seek)) -> Result<(), String> {
    let end = source.seek(SeekFrom::End(0)).map_err(|error| error.to_string())?;
    let mut walk = Walk { source, end, schema: Schema::empty(), version: None };
    match walk.bytes(0, 6.min(end))? == ARROW {
        true => walk.file(),
        false => walk.stream(),
    }
}

struct Walk<'a, R> {
    source: &'a mut R,
    end: u64,
    schema: Schema,
    /// The version that the footer of a file states for its messages.
    version: Option<MetadataVersion>,
}

impl<R: Read + Seek> Walk<'_, R> {
    /// So many bytes from a place.
    fn bytes(&mut self, at: u64, count: u64) -> Result<Vec<u8>, String> {
        if at.checked_add(count).is_none_or(|to| to > self.end) {
            return Err(format!("{count} bytes at {at} are beyond its end"));
        }
        let mut bytes = vec![0; count as usize];
        let read = self.source.seek(SeekFrom::Start(at)).and_then(|_| self.source.read_exact(&mut bytes));
        read.map(|()| bytes).map_err(|error| error.to_string())
    }

    fn length(&mut self, at: u64) -> Result<u64, String> {
        let bytes = self.bytes(at, 4)?;
        let length = i32::from_le_bytes(bytes.try_into().unwrap_or_default());
        u64::try_from(length).map_err(|_| format!("the length at {at} is {length}"))
    }

    fn file(&mut self) -> Result<(), String> {
        let tail = self.end.checked_sub(10).ok_or("it is cut off")?;
        let length = self.length(tail)?;
        let start =
            tail.checked_sub(length).ok_or_else(|| format!("its footer of {length} bytes is longer than it is"))?;
        let footer = self.bytes(start, length)?;
        let footer = root_as_footer(&footer).map_err(|error| format!("its footer is damaged: {error}"))?;
        self.schema = known(footer.schema().ok_or("its footer has no schema")?)?;
        self.version = Some(footer.version());
        let blocks = [footer.dictionaries(), footer.recordBatches()];
        for block in blocks.iter().flatten().flatten() {
            let [at, metadata, body] =
                [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()].map(u64::try_from);
            let (Ok(at), Ok(metadata), Ok(body)) = (at, metadata, body) else {
                return Err("its footer has a block of a negative length".into());
            };
            if metadata % ALIGNED != 0 {
                return Err(format!("the message at {at} has {metadata} bytes of metadata, no multiple of {ALIGNED}"));
            }
            let parts = self.bytes(at, metadata)?;
            // The marker and the length, or the length alone.
            let skipped = if parts.starts_with(&CONTINUES) { 8 } else { 4 };
            let parts = parts.get(skipped..).ok_or_else(|| format!("the message at {at} is cut off"))?;
            self.message(parts, at + metadata, Some(body))?;
        }
        Ok(())
    }

    fn stream(&mut self) -> Result<(), String> {
        let mut at = 0;
        while at < self.end {
            if self.bytes(at, 4)? == CONTINUES {
                at += 4;
            }
            let length = self.length(at)?;
            if length == 0 {
                break;
            }
            let metadata = self.bytes(at + 4, length)?;
            at = self.message(&metadata, at + 4 + length, None)?;
        }
        Ok(())
    }

    /// Looks at a message whose body begins at a place; returns where it ends. A file says how long it is, too.
    fn message(&mut self, metadata: &[u8], at: u64, said: Option<u64>) -> Result<u64, String> {
        let damaged = |error| format!("the message before byte {at} is damaged: {error}");
        let message = root_as_message(metadata).map_err(damaged)?;
        let own = u64::try_from(message.bodyLength()).map_err(|_| format!("the body at {at} has a negative length"))?;
        let length = said.unwrap_or(own);
        let to = at.checked_add(length).filter(|to| *to <= self.end);
        let to = to.ok_or_else(|| format!("the body of {length} bytes at {at} is beyond its end"))?;
        match (batch(&message), message.header_as_schema()) {
            (Some(batch), _) => {
                let kinds = match message.header_as_dictionary_batch() {
                    Some(dictionary) => self.values_of(dictionary.id()),
                    None => self.schema.fields().iter().map(|field| field.data_type().clone()).collect(),
                };
                let version = self.version.unwrap_or(message.version());
                self.batch(&batch, at, length, &kinds, version).map_err(|why| format!("the batch at {at}: {why}"))?;
            }
            (None, Some(schema)) => {
                self.schema = known(schema)?;
            }
            (None, None) => return Err(format!("the message before byte {at} is neither a schema nor a batch")),
        }
        Ok(to)
    }

    /// The type of the values of a dictionary; none if no column has it, which the reader says.
    fn values_of(&self, id: i64) -> Vec<DataType> {
        #[expect(deprecated, reason = "the reader finds it so")]
        let fields = self.schema.fields_with_dict_id(id);
        let values = fields.first().and_then(|field| match field.data_type() {
            DataType::Dictionary(_, values) => Some(values.as_ref().clone()),
            _ => None,
        });
        values.into_iter().collect()
    }

    /// How many bytes buffer `i` has unpacked; packed, it has `count` bytes from `at` on.
    fn unpacked(&mut self, i: usize, at: u64, count: u64, codec: CompressionType) -> Result<u64, String> {
        let growth = if codec == CompressionType::ZSTD { GROWTH } else { 256 };
        let prefix = self.bytes(at, 8)?.try_into().unwrap_or_default();
        let packed = count.checked_sub(8).ok_or_else(|| format!("buffer {i} is cut off"))?;
        match i64::from_le_bytes(prefix) {
            // As it is.
            -1 => Ok(packed),
            said if u64::try_from(said).is_ok_and(|it| it <= (growth * packed).min(MOST_BYTES)) => Ok(said as u64),
            said => Err(format!("buffer {i} says that its {packed} bytes become {said}")),
        }
    }

    /// Looks at a batch with columns of these types.
    fn batch(
        &mut self,
        batch: &RecordBatch<'_>,
        at: u64,
        length: u64,
        kinds: &[DataType],
        version: MetadataVersion,
    ) -> Result<(), String> {
        let buffers = batch.buffers();
        let (mut total, mut packed_total, mut lengths) = (0u64, 0u64, Vec::new());
        for (i, buffer) in buffers.iter().flatten().enumerate() {
            let (Ok(from), Ok(count)) = (u64::try_from(buffer.offset()), u64::try_from(buffer.length())) else {
                return Err(format!("buffer {i} has a negative place or length"));
            };
            if from % ALIGNED != 0 {
                return Err(format!("buffer {i} begins at {from}, which is no multiple of {ALIGNED}"));
            }
            if from.checked_add(count).is_none_or(|to| to > length) {
                return Err(format!("buffer {i}, {count} bytes at {from}, is beyond its {length} bytes"));
            }
            let unpacked = match batch.compression() {
                Some(_) if count == 0 => 0,
                Some(compression) => self.unpacked(i, at + from, count, compression.codec())?,
                None => count,
            };
            if batch.compression().is_some() {
                packed_total += unpacked;
            }
            total += unpacked;
            lengths.push(unpacked);
        }
        if packed_total > MOST_UNPACKED {
            return Err(format!(
                "its buffers unpack to {packed_total} bytes, more than {MOST_UNPACKED}; write smaller batches"
            ));
        }
        let most = total.saturating_mul(8).saturating_add(FREE_ROWS);
        let wrong = |rows: i64| u64::try_from(rows).map_or(true, |rows| rows > most);
        if wrong(batch.length()) {
            return Err(format!("{} rows in {total} bytes", batch.length()));
        }
        for (i, node) in batch.nodes().iter().flatten().enumerate() {
            if wrong(node.length()) || !(0..=node.length()).contains(&node.null_count()) {
                return Err(format!(
                    "array {i} says that {} of its {} values are missing",
                    node.null_count(),
                    node.length()
                ));
            }
        }
        let nodes = batch.nodes().iter().flatten().map(|node| node.length() as u64).collect();
        let views = batch.variadicBufferCounts().iter().flatten().collect();
        Layout::new(lengths, nodes, views, version < MetadataVersion::V5).columns(kinds)
    }
}

/// The schema, if the reader knows what it says.
fn known(schema: arrow::ipc::Schema<'_>) -> Result<Schema, String> {
    let schema = try_fb_to_schema(schema).map_err(|error| error.to_string())?;
    schema.fields().iter().try_for_each(|field| is_sound(field.data_type()))?;
    Ok(schema)
}

/// The batch of a message: of rows, or of the values of a dictionary.
fn batch<'a>(message: &Message<'a>) -> Option<RecordBatch<'a>> {
    let values = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    message.header_as_record_batch().or(values)
}
