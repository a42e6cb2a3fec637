//! The bytes of a file at a server in any order, as the reader of Parquet asks for them.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use crate::http::{HttpFile, HttpReader};

/// How many bytes are asked for at least, and how many are kept at most: a reader of columns goes to and fro between them.
const BLOCK: u64 = 1 << 20;
const KEPT: usize = 128 << 20;

/// How many blocks are asked for before they are needed. A reader of more columns waits for some of them.
const AHEAD: usize = 32;

/// Blocks of a file.
#[derive(Clone)]
pub(crate) struct HttpBlocks {
    file: Arc<HttpFile>,
    length: u64,
    ahead: Arc<Mutex<BlocksAhead>>,
}

/// What will be read, as far as it is known.
#[derive(Default)]
struct BlocksAhead {
    /// Where the parts of each column are, in the order in which they are read.
    columns: Vec<Vec<Range<u64>>>,
    /// What was asked for, and has not been read.
    asked: Vec<(Range<u64>, HttpReader)>,
}

impl BlocksAhead {
    /// The part of a column that a position is in, and the next one of that column.
    fn part(&self, at: u64) -> Option<(&Range<u64>, Option<&Range<u64>>)> {
        self.columns.iter().find_map(|parts| {
            let index = parts.iter().position(|part| part.contains(&at))?;
            Some((&parts[index], parts.get(index + 1)))
        })
    }

    /// What was asked for and has a position in it.
    fn take(&mut self, at: u64) -> Option<(u64, HttpReader)> {
        let index = self.asked.iter().position(|(range, _)| range.contains(&at))?;
        let (range, reader) = self.asked.swap_remove(index);
        Some((range.start, reader))
    }

    /// Asks for the next block of the column that was read up to a position.
    fn ask(&mut self, file: &Arc<HttpFile>, at: u64) {
        let Some((part, after)) = self.part(at.saturating_sub(1)) else { return };
        let block = |from: u64, part: &Range<u64>| from..part.end.min(from + BLOCK);
        let next = if at < part.end { Some(block(at, part)) } else { after.map(|part| block(part.start, part)) };
        let Some(next) = next.filter(|next| !next.is_empty()) else { return };
        if self.asked.len() < AHEAD && !self.asked.iter().any(|(asked, _)| asked.contains(&next.start)) {
            let reader = file.part(next.start, Some(next.end)).begun();
            self.asked.push((next, reader));
        }
    }
}

impl HttpBlocks {
    /// Those of a file, if its server sends parts of it. It has to have been asked for.
    pub(crate) fn of(file: &Arc<HttpFile>) -> Option<Self> {
        let length = file.length_in_parts()?;
        Some(Self { file: Arc::clone(file), length, ahead: Arc::default() })
    }

    /// Says where the parts of each column are that will be read, in order.
    pub(crate) fn announce(&self, columns: Vec<Vec<Range<u64>>>) {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        *ahead = BlocksAhead { columns, asked: Vec::new() };
    }

    /// At least `length` bytes from `start` on, if the file has so many, of which some may have been fetched before.
    fn bytes_from(&self, start: u64, length: usize) -> io::Result<Bytes> {
        if start >= self.length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let end = start.saturating_add(length as u64).min(self.length);
        let mut kept = self.file.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = |(at, block): &(u64, Bytes)| *at <= start && start < at + block.len() as u64;
        let ends = |(at, block): &(u64, Bytes)| at + block.len() as u64;
        let found = (0..kept.len()).filter(|&index| holds(&kept[index])).max_by_key(|&index| ends(&kept[index]));
        let head = match found.and_then(|index| kept.remove(index)) {
            Some((at, block)) => {
                let rest = block.slice((start - at) as usize..);
                kept.push_back((at, block));
                if rest.len() as u64 >= end - start {
                    return Ok(rest);
                }
                rest
            }
            None => Bytes::new(),
        };
        let mut bytes = head.to_vec();
        self.fetch(start, end, &mut bytes)?;
        let block = Bytes::from(bytes);
        kept.push_back((start, block.clone()));
        while kept.len() > 1 && kept.iter().map(|(_, block)| block.len()).sum::<usize>() > KEPT {
            kept.pop_front();
        }
        Ok(block)
    }

    /// Appends bytes of the file to those that are known from `start` on, until they reach `end`.
    fn fetch(&self, start: u64, end: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let from = start + bytes.len() as u64;
            if from >= end {
                return Ok(());
            }
            let taken = ahead.take(from);
            // Whoever reads two blocks of a column may want to know no more than its kind.
            let goes_on = taken.is_some() || ahead.part(from).is_some_and(|(part, _)| from > part.start + BLOCK);
            let (at, mut reader) = taken.unwrap_or_else(|| {
                // No more of a part than there is.
                let most = ahead.part(from).map_or(self.length, |(part, _)| part.end.min(self.length));
                (from, self.file.part(from, Some(end.max(most.min(from + BLOCK)))))
            });
            if goes_on {
                ahead.ask(&self.file, at + reader.length());
            }
            io::copy(&mut reader.by_ref().take(from - at), &mut io::sink())?;
            if reader.read_to_end(bytes)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

impl Length for HttpBlocks {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for HttpBlocks {
    type T = BlockReader;

    fn get_read(&self, start: u64) -> ParquetResult<BlockReader> {
        Ok(BlockReader { blocks: self.clone(), at: start, part: Bytes::new() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let bytes = self.bytes_from(start, length).map_err(|error| ParquetError::External(error.into()))?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(format!(
                "the file ends before byte {}",
                start.saturating_add(length as u64)
            )));
        }
        Ok(bytes.slice(..length))
    }
}

/// What readers of columns read.
pub(crate) trait ColumnSource: ChunkReader + 'static {
    /// Its blocks, if it is at a server.
    fn blocks(&self) -> Option<HttpBlocks> {
        None
    }
}

impl ColumnSource for File {}

impl ColumnSource for Bytes {}

impl ColumnSource for HttpBlocks {
    fn blocks(&self) -> Option<HttpBlocks> {
        Some(self.clone())
    }
}

/// The bytes of a file from a position on.
pub(crate) struct BlockReader {
    blocks: HttpBlocks,
    at: u64,
    part: Bytes,
}

impl Read for BlockReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.part.is_empty() {
            if self.at >= self.blocks.length {
                return Ok(0);
            }
            self.part = self.blocks.bytes_from(self.at, 1)?;
            self.at += self.part.len() as u64;
        }
        let taken = self.part.split_to(buffer.len().min(self.part.len()));
        buffer[..taken.len()].copy_from_slice(&taken);
        Ok(taken.len())
    }
}
