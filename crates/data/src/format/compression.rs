//! Recognises the compression of data by its content, and decompresses while reading.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (RFC 1952), any number of members.
    Gzip,
    /// bzip2, any number of streams.
    Bzip2,
    /// xz, any number of streams.
    Xz,
    /// Zstandard (RFC 8878), any number of frames.
    Zstd,
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::None => "uncompressed",
            Compression::Gzip => "gzip",
            Compression::Bzip2 => "bzip2",
            Compression::Xz => "xz",
            Compression::Zstd => "zstd",
        })
    }
}

/// Reading buffers, on either side of the decoder.
const BUFFER: usize = 1 << 16;

/// An xz file may ask for a dictionary of up to 4 GiB; `xz -9` uses 64 MiB. In KiB.
const XZ_MEMORY: u32 = 1 << 20;

/// The number of bytes by which a compression is recognised.
const MAGIC: usize = 6;

/// The compression of data that begins with `head`, by its magic bytes.
pub(crate) fn recognise(head: &[u8]) -> Compression {
    match head {
        [0x1f, 0x8b, ..] => Compression::Gzip,
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => Compression::Bzip2,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
        _ => Compression::None,
    }
}

/// The plain bytes of `raw`, and how it was compressed.
pub(crate) fn decompress(raw: Box<dyn Read + Send>) -> io::Result<(Compression, Box<dyn BufRead + Send>)> {
    let (head, raw) = peek(raw, MAGIC, |_| false)?;
    let compression = recognise(&head);
    let raw = BufReader::with_capacity(BUFFER, raw);
    let plain: Box<dyn Read + Send> = match compression {
        Compression::None => return Ok((compression, Box::new(raw))),
        Compression::Gzip => Box::new(MultiGzDecoder::new(raw)),
        Compression::Bzip2 => Box::new(MultiBzDecoder::new(raw)),
        Compression::Xz => Box::new(XzReader::new_mem_limit(raw, true, XZ_MEMORY)),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(raw)?),
    };
    Ok((compression, Box::new(BufReader::with_capacity(BUFFER, plain))))
}

/// The end of bytes that cannot be read to their end.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.0.take().unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into()))
    }
}

/// The first bytes of `reader`, up to `length` of them or until they are `enough`, and a reader that yields them again. It also
/// yields what is wrong behind the first bytes, since these may hold rows.
pub(crate) fn peek<R: Read + Send + 'static>(
    mut reader: R,
    length: usize,
    enough: impl Fn(&[u8]) -> bool,
) -> io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut head = vec![0; length];
    let mut filled = 0;
    while filled < length && !enough(&head[..filled]) {
        match reader.read(&mut head[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if filled == 0 => return Err(error),
            Err(error) => {
                head.truncate(filled);
                return Ok((head.clone(), Box::new(io::Cursor::new(head).chain(Broken(Some(error))))));
            }
        }
    }
    head.truncate(filled);
    Ok((head.clone(), Box::new(io::Cursor::new(head).chain(reader))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_unknown_beginnings_are_plain() {
        for head in [&b""[..], b"B", b"BZh", b"BZh0", b"1,2,3", b"\x1f"] {
            assert_eq!(recognise(head), Compression::None);
        }
    }

    #[test]
    fn peeking_stops_when_it_has_enough() {
        // The second read would fail, and is not needed.
        struct Once(bool);
        impl Read for Once {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if std::mem::replace(&mut self.0, true) {
                    return Err(io::Error::other("read twice"));
                }
                buffer[..5].copy_from_slice(b"a,b\n1");
                Ok(5)
            }
        }
        let (head, mut rest) = peek(Once(false), 100, |head| head.contains(&b'\n')).unwrap();
        assert_eq!(head, b"a,b\n1");
        let mut again = [0; 5];
        rest.read_exact(&mut again).unwrap();
        assert_eq!(again, *b"a,b\n1");
        let (head, mut rest) = peek(Once(false), 100, |_| false).unwrap();
        assert_eq!(head, b"a,b\n1");
        let mut read = Vec::new();
        assert_eq!(rest.read_to_end(&mut read).unwrap_err().to_string(), "read twice");
        assert_eq!(read, b"a,b\n1");
    }
}
