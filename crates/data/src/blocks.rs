//! The bytes of a file at a server in any order, as the reader of Parquet asks for them.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
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

/// Where each block begins that is kept, and its bytes.
type KeptBlocks = VecDeque<(u64, Bytes)>;

/// Where bytes from a position on, up to `end`, are known.
fn until(kept: &KeptBlocks, from: u64, end: u64) -> u64 {
    kept.iter().map(|(start, _)| *start).filter(|start| *start > from).fold(end, u64::min)
}

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
    /// Where there are parts without gaps, in the order of the file.
    runs: Vec<Range<u64>>,
    /// Whether it is known that all columns will be read to their ends.
    whole: bool,
    /// What was asked for, and has not been read.
    asked: Vec<(Range<u64>, HttpReader)>,
}

impl BlocksAhead {
    /// Knows where the parts of each column are in a file of so many bytes.
    fn new(mut columns: Vec<Vec<Range<u64>>>, length: u64, whole: bool) -> Self {
        for parts in &mut columns {
            parts.iter_mut().for_each(|part| part.end = part.end.min(length));
            parts.retain(|part| !part.is_empty());
        }
        let mut parts: Vec<Range<u64>> = columns.iter().flatten().cloned().collect();
        parts.sort_unstable_by_key(|part| part.start);
        let mut runs: Vec<Range<u64>> = Vec::new();
        for part in parts {
            match runs.last_mut().filter(|run| run.end == part.start) {
                Some(run) => run.end = part.end,
                None => runs.push(part),
            }
        }
        Self { columns, runs, whole, asked: Vec::new() }
    }

    /// The part of a column that a position is in, and its number.
    fn part(&self, at: u64) -> Option<(&[Range<u64>], usize)> {
        self.columns.iter().find_map(|parts| {
            let index = parts.partition_point(|part| part.end <= at);
            parts.get(index).filter(|part| part.contains(&at)).map(|_| (&**parts, index))
        })
    }

    /// Where the block ends that begins at a position: where its part does, or, if parts are small, what comes after it is no part.
    fn end(&self, at: u64) -> Option<u64> {
        let (parts, index) = self.part(at)?;
        let part = &parts[index];
        let run = self.runs.get(self.runs.partition_point(|run| run.end <= at)).filter(|run| run.contains(&at));
        let end = if part.end - part.start < BLOCK { run.map_or(part.end, |run| run.end) } else { part.end };
        Some(end.min(at + BLOCK))
    }

    /// Whether a reader at this position reads on: whoever reads two blocks of a column may want to know no more than its kind.
    fn goes_on(&self, at: u64) -> bool {
        self.part(at).is_some_and(|(parts, index)| self.whole || index > 0 || at > parts[0].start + BLOCK)
    }

    /// What was asked for and has a position in it.
    fn take(&mut self, at: u64) -> Option<(u64, HttpReader)> {
        let index = self.asked.iter().position(|(range, _)| range.contains(&at))?;
        let (range, reader) = self.asked.swap_remove(index);
        Some((range.start, reader))
    }

    /// Asks for the next bytes of each column that has bytes in a block and, where parts are small, for what follows the block.
    fn ask_after(&mut self, file: &Arc<HttpFile>, block: Range<u64>, kept: &KeptBlocks) {
        let next = |parts: &Vec<Range<u64>>| {
            let is_in_block = parts.get(parts.partition_point(|part| part.end <= block.start))?.start < block.end;
            let after = parts.get(parts.partition_point(|part| part.end <= block.end)).filter(|_| is_in_block)?;
            Some(after.start.max(block.end))
        };
        let is_small = |(parts, index): (&[Range<u64>], usize)| parts[index].end - parts[index].start < BLOCK;
        let after = Some(block.end).filter(|&at| self.part(at).is_some_and(is_small));
        let mut wanted: Vec<u64> = self.columns.iter().filter_map(next).chain(after).collect();
        wanted.sort_unstable();
        wanted.into_iter().for_each(|from| self.ask(file, from, kept));
    }

    /// Asks for the block that begins at a position, unless that was done.
    fn ask(&mut self, file: &Arc<HttpFile>, from: u64, kept: &KeptBlocks) {
        let is_kept = kept.iter().any(|(start, block)| (*start..start + block.len() as u64).contains(&from));
        let is_known = is_kept || self.asked.iter().any(|(asked, _)| asked.contains(&from));
        let Some(end) = self.end(from).filter(|_| !is_known && self.asked.len() < AHEAD) else { return };
        let block = from..until(kept, from, end);
        let reader = file.part(block.start, Some(block.end)).begun();
        self.asked.push((block, reader));
    }
}

impl HttpBlocks {
    /// Those of a file, if its server sends parts of it. It has to have been asked for.
    pub(crate) fn of(file: &Arc<HttpFile>) -> Option<Self> {
        let length = file.length_in_parts()?;
        Some(Self { file: Arc::clone(file), length, ahead: Arc::default() })
    }

    /// Says where the parts of each column are that will be read, in order. If the file will be read to its end, this asks for
    /// the first block of each column.
    pub(crate) fn announce(&self, columns: Vec<Vec<Range<u64>>>) {
        self.file.in_columns.store(true, Relaxed);
        let whole = self.file.goes_on;
        let kept = self.file.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        *ahead = BlocksAhead::new(columns, self.length, whole);
        let firsts: Vec<u64> = ahead.columns.iter().filter_map(|parts| Some(parts.first()?.start)).collect();
        firsts.into_iter().filter(|_| whole).for_each(|from| ahead.ask(&self.file, from, &kept));
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
        self.fetch(start, end, &mut bytes, &kept)?;
        let block = Bytes::from(bytes);
        kept.push_back((start, block.clone()));
        while kept.len() > 1 && kept.iter().map(|(_, block)| block.len()).sum::<usize>() > KEPT {
            kept.pop_front();
        }
        Ok(block)
    }

    /// Appends bytes of the file to those that are known from `start` on, until they reach `end`.
    fn fetch(&self, start: u64, end: u64, bytes: &mut Vec<u8>, kept: &KeptBlocks) -> io::Result<()> {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let from = start + bytes.len() as u64;
            if from >= end {
                return Ok(());
            }
            let taken = ahead.take(from);
            let goes_on = taken.is_some() || ahead.goes_on(from);
            let (at, mut reader) = taken.unwrap_or_else(|| {
                let most = ahead.end(from).unwrap_or(self.length.min(from + BLOCK));
                (from, self.file.part(from, Some(end.max(until(kept, from, most)))))
            });
            if goes_on {
                ahead.ask_after(&self.file, at..at + reader.length(), kept);
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
