//! Learners that nobody needs at the moment, compressed in a file without a name.

use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::error::StreamError;
use noregret_platform::files::{TemporaryFile, read_exact_at};

/// The file is written anew when it has this many bytes that nobody needs, and they are more than half of it.
const DEAD: u64 = 64 << 20;

/// Where a sleeping learner lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    start: u64,
    bytes: u32,
    /// How many numbers lie there.
    pub numbers: usize,
}

/// Numbers, compressed.
pub(super) struct Compressed {
    bytes: Vec<u8>,
    numbers: usize,
}

impl Compressed {
    /// First bytes of all numbers stand together, then second ones, and so on: those that say how large numbers are repeat
    /// themselves.
    ///
    /// # Errors
    /// They take more than 4 GiB.
    pub(super) fn of(numbers: &[f64]) -> io::Result<Self> {
        let mut planes = vec![0; 8 * numbers.len()];
        for (i, number) in numbers.iter().enumerate() {
            for (k, byte) in number.to_le_bytes().into_iter().enumerate() {
                planes[k * numbers.len() + i] = byte;
            }
        }
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&planes)?;
        let bytes = encoder.finish()?;
        match u32::try_from(bytes.len()) {
            Ok(_) => Ok(Self { bytes, numbers: numbers.len() }),
            Err(_) => Err(io::Error::other("a learner takes more than 4 GiB")),
        }
    }

    /// The numbers, bit for bit.
    ///
    /// # Errors
    /// The bytes are not those of so many numbers.
    pub(super) fn numbers(&self) -> io::Result<Vec<f64>> {
        let Self { bytes, numbers } = self;
        let mut planes = Vec::with_capacity(8 * numbers);
        ZlibDecoder::new(&bytes[..]).read_to_end(&mut planes)?;
        if planes.len() != 8 * numbers {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let number = |i: usize| f64::from_le_bytes(std::array::from_fn(|k| planes[k * numbers + i]));
        Ok((0..*numbers).map(number).collect())
    }
}

/// A file of sleeping learners, in the folder for temporary files. It lives as long as this value.
#[derive(Debug)]
pub(super) struct SleepFile {
    file: TemporaryFile,
    end: u64,
    dead: u64,
}

impl SleepFile {
    /// An empty one.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn create() -> io::Result<Self> {
        Ok(Self { file: TemporaryFile::create(&std::env::temp_dir())?, end: 0, dead: 0 })
    }

    /// Puts numbers to sleep.
    ///
    /// # Errors
    /// There is no room for them.
    pub(super) fn put(&mut self, Compressed { bytes, numbers }: &Compressed) -> io::Result<Slot> {
        let (start, mut file) = (self.end, self.file.file());
        file.seek(SeekFrom::Start(start))?;
        file.write_all(bytes)?;
        self.end += bytes.len() as u64;
        Ok(Slot { start, bytes: bytes.len() as u32, numbers: *numbers })
    }

    /// What sleeps there.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn get(&self, Slot { start, bytes, numbers }: Slot) -> io::Result<Compressed> {
        let mut found = vec![0; bytes as usize];
        read_exact_at(self.file.file(), &mut found, start)?;
        Ok(Compressed { bytes: found, numbers })
    }

    /// Says that nobody sleeps there any more.
    pub(super) fn free(&mut self, slot: Slot) {
        self.dead += u64::from(slot.bytes);
    }

    /// Whether most of the file is of no use.
    pub(super) fn is_mostly_dead(&self) -> bool {
        self.dead > DEAD && self.dead > self.end / 2
    }

    /// Writes the file anew with these and no others, which then lie elsewhere.
    ///
    /// # Errors
    /// There is no room for the new file beside the old one.
    pub(super) fn rewrite<'a>(&mut self, slots: impl Iterator<Item = &'a mut Slot>) -> io::Result<()> {
        let mut new = Self::create()?;
        for slot in slots {
            *slot = new.put(&self.get(*slot)?)?;
        }
        *self = new;
        Ok(())
    }
}

/// The error of a file of sleeping learners.
pub(super) fn failed(source: io::Error) -> StreamError {
    StreamError::Asleep { place: std::env::temp_dir().display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(k: usize) -> Vec<f64> {
        (0..k).map(|i| (i as f64 - 7.0) / 3.0).chain([-0.0, f64::INFINITY, 5e-324]).collect()
    }

    /// Every number keeps its bits, wherever it is moved to.
    #[test]
    fn what_sleeps_wakes_as_it_was() {
        let mut file = SleepFile::create().unwrap();
        let compressed = |k: usize| Compressed::of(&numbers(k)).unwrap();
        let mut slots: Vec<Slot> = (0..20).map(|k| file.put(&compressed(k)).unwrap()).collect();
        let bits = |numbers: Vec<f64>| numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        for _ in 0..2 {
            for (k, slot) in slots.iter().enumerate().rev() {
                assert_eq!(bits(file.get(*slot).unwrap().numbers().unwrap()), bits(numbers(k)));
            }
            file.free(slots[0]);
            assert!(!file.is_mostly_dead());
            let end = file.end;
            file.rewrite(slots[1..].iter_mut()).unwrap();
            assert!(file.end < end && file.dead == 0);
            slots[0] = file.put(&compressed(0)).unwrap();
        }
    }

    #[test]
    fn zeros_take_no_room_and_broken_bytes_are_refused() {
        let mut compressed = Compressed::of(&[0.0; 10_000]).unwrap();
        assert!(compressed.bytes.len() < 1000, "{}", compressed.bytes.len());
        compressed.numbers -= 1;
        assert!(compressed.numbers().is_err());
        compressed.bytes.truncate(20);
        assert!(compressed.numbers().is_err());
    }
}
