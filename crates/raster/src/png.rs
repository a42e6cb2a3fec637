//! PNG files: 8 bits per channel, no filter. Source: W3C Portable Network Graphics, second edition.

use std::io::{self, Write};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

/// The file of RGB `pixels`, of which `per_inch` are an inch.
///
/// # Errors
/// None that is known: it is written in memory.
pub(crate) fn encode(pixels: &[u8], width: usize, height: usize, per_inch: f64) -> io::Result<Vec<u8>> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend((width as u32).to_be_bytes());
    header.extend((height as u32).to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    chunk(&mut file, b"IHDR", &header);
    let per_metre = (per_inch / 0.0254).round() as u32;
    let mut density = Vec::new();
    density.extend(per_metre.to_be_bytes());
    density.extend(per_metre.to_be_bytes());
    density.push(1);
    chunk(&mut file, b"pHYs", &density);
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in pixels.chunks(3 * width) {
        zlib.write_all(&[0])?;
        zlib.write_all(row)?;
    }
    chunk(&mut file, b"IDAT", &zlib.finish()?);
    chunk(&mut file, b"IEND", &[]);
    Ok(file)
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    file.extend(kind);
    file.extend(data);
    let mut check = Crc::new();
    check.update(kind);
    check.update(data);
    file.extend(check.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::chunk;

    /// The empty IEND chunk has the same 12 bytes in every PNG file.
    #[test]
    fn chunks_carry_their_checksum() {
        let mut file = Vec::new();
        chunk(&mut file, b"IEND", &[]);
        assert_eq!(file, [0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82]);
    }
}
