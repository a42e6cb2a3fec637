//! Writes a scene as PNG. plotters rasterises it with the embedded font at several times the size. The result is
//! averaged down, because plotters leaves edges jagged, and encoded in memory.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use plotters::backend::{BitMapBackend, DrawingBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, FontDesc, FontFamily, FontStyle, FontTransform, RGBColor};

use crate::chart::scene::{Mark, Scene, ScenePosition, Stroke};
use crate::chart::text::{FONT, LINE_BOX, Piece, pieces, register};

/// Pixels per unit of the scene: 192 per inch.
const DENSITY: usize = 2;
/// Rasterised pixels per pixel of the picture, in each direction.
const OVERSAMPLE: usize = 2;

/// Rasterises the scene. The error says what plotters refused.
pub fn png(scene: &Scene) -> Result<Vec<u8>, String> {
    if !register() {
        return Err("the embedded font cannot be read".into());
    }
    let width = (scene.width * DENSITY as f64).round() as usize;
    let height = (scene.height * DENSITY as f64).round() as usize;
    let (wide, high) = (width * OVERSAMPLE, height * OVERSAMPLE);
    let mut large = vec![255; 3 * wide * high];
    {
        let size = (wide as u32, high as u32);
        let mut backend = BitMapBackend::<plotters::backend::RGBPixel>::with_buffer(&mut large, size);
        for mark in scene.marks() {
            draw(&mut backend, mark)?;
        }
    }
    encode(&average(&large, width, height), width, height).map_err(|error| error.to_string())
}

const SCALE: f64 = (DENSITY * OVERSAMPLE) as f64;

fn pixel(place: ScenePosition) -> (i32, i32) {
    ((place.0 * SCALE).round() as i32, (place.1 * SCALE).round() as i32)
}

fn draw<B: DrawingBackend>(backend: &mut B, mark: &Mark) -> Result<(), String> {
    match mark {
        Mark::Line { points, stroke, .. } => {
            for piece in dashes(points, stroke.dash) {
                draw_line(backend, &piece, stroke)?;
            }
            Ok(())
        }
        Mark::Area { corners, color, opacity } => {
            let color = RGBColor(color.0, color.1, color.2).mix(*opacity);
            let corners: Vec<(i32, i32)> = corners.iter().map(|corner| pixel(*corner)).collect();
            backend.fill_polygon(corners, &color).map_err(|error| error.to_string())
        }
        Mark::Text { at, anchor, size, upwards, color, markup } => {
            for Piece { text, size, along, below } in pieces(markup, *size, *anchor) {
                let pixels = size * LINE_BOX * SCALE;
                // plotters draws the base line half a line box below the given point.
                let below = below - 0.5 * size * LINE_BOX;
                let place = if *upwards { (at.0 + below, at.1 - along) } else { (at.0 + along, at.1 + below) };
                let transform = if *upwards { FontTransform::Rotate270 } else { FontTransform::None };
                let color = RGBColor(color.0, color.1, color.2);
                let font = FontDesc::new(FontFamily::Name(FONT), pixels, FontStyle::Normal).transform(transform);
                let style = font.color(&color).pos(Pos::new(HPos::Left, VPos::Top));
                backend.draw_text(&text, &style, pixel(place)).map_err(|error| error.to_string())?;
            }
            Ok(())
        }
    }
}

/// Draws each piece of a line as a quadrilateral, with a disc at each joint.
fn draw_line<B: DrawingBackend>(backend: &mut B, points: &[ScenePosition], stroke: &Stroke) -> Result<(), String> {
    let color = RGBColor(stroke.color.0, stroke.color.1, stroke.color.2);
    let half = 0.5 * stroke.width;
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        if length > 0.0 {
            let (dx, dy) = (half * (y1 - y0) / length, half * (x0 - x1) / length);
            let corners = [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)];
            backend.fill_polygon(corners.map(pixel), &color).map_err(|error| error.to_string())?;
        }
    }
    let radius = (half * SCALE).round() as u32;
    if points.len() > 2 && radius > 1 {
        for joint in &points[1..points.len() - 1] {
            backend.draw_circle(pixel(*joint), radius, &color, true).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

/// The pieces of a dashed line that are drawn.
fn dashes(points: &[ScenePosition], pattern: &[f64]) -> Vec<Vec<ScenePosition>> {
    if pattern.iter().sum::<f64>() <= 0.0 {
        return vec![points.to_vec()];
    }
    let mut pieces: Vec<Vec<ScenePosition>> = Vec::new();
    let (mut phase, mut left) = (0, pattern[0]);
    let mut piece: Vec<ScenePosition> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length <= left {
                left -= length;
                if phase % 2 == 0 {
                    piece.push(to);
                }
                break;
            }
            let share = left / length;
            from = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            if phase % 2 == 0 {
                piece.push(from);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![from];
            }
            phase = (phase + 1) % pattern.len();
            left = pattern[phase];
        }
    }
    pieces.push(piece);
    pieces.retain(|piece| piece.len() > 1);
    pieces
}

/// The mean over squares of [`OVERSAMPLE`] pixels.
fn average(large: &[u8], width: usize, height: usize) -> Vec<u8> {
    let mut small = Vec::with_capacity(3 * width * height);
    for row in 0..height {
        for column in 0..width {
            for channel in 0..3 {
                let mut sum = 0usize;
                for dy in 0..OVERSAMPLE {
                    for dx in 0..OVERSAMPLE {
                        let (x, y) = (column * OVERSAMPLE + dx, row * OVERSAMPLE + dy);
                        sum += usize::from(large[3 * (y * width * OVERSAMPLE + x) + channel]);
                    }
                }
                let count = OVERSAMPLE * OVERSAMPLE;
                small.push(((sum + count / 2) / count) as u8);
            }
        }
    }
    small
}

/// A PNG file: 8 bits per channel, no filter. Source: W3C Portable Network Graphics, second edition.
fn encode(pixels: &[u8], width: usize, height: usize) -> std::io::Result<Vec<u8>> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend((width as u32).to_be_bytes());
    header.extend((height as u32).to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    chunk(&mut file, b"IHDR", &header);
    let per_metre = (96.0 * DENSITY as f64 / 0.0254).round() as u32;
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
    use super::{average, chunk, dashes};

    #[test]
    fn dashes_run_around_corners() {
        let line = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0)];
        let pieces = dashes(&line, &[3.0, 2.0]);
        assert_eq!(pieces, [vec![(0.0, 0.0), (3.0, 0.0)], vec![(4.0, 1.0), (4.0, 4.0)]]);
        assert_eq!(dashes(&line, &[]), [line.to_vec()]);
    }

    #[test]
    fn averages_round_to_nearest() {
        let large = [[0, 0, 0], [255, 0, 0], [255, 0, 1], [255, 0, 1]].concat();
        assert_eq!(average(&large, 1, 1), [191, 0, 1]);
    }

    /// The empty IEND chunk has the same 12 bytes in every PNG file.
    #[test]
    fn chunks_carry_their_checksum() {
        let mut file = Vec::new();
        chunk(&mut file, b"IEND", &[]);
        assert_eq!(file, [0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82]);
    }
}
