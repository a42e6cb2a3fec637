//! PNG of a scene: tiny-skia, the rasteriser of resvg, draws lines, dashes and glyphs with smooth edges.

use std::io::Write as _;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use tiny_skia::{
    Color as Shade, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke as Pen, StrokeDash, Transform,
};

use crate::report::chart::palette::Color;
use crate::report::chart::scene::{Anchor, Mark, Place, Scene, Stroke};
use crate::report::chart::text::{UNITS, outline, plain_width, spans, width};

/// Pixels per unit of the scene: 192 per inch.
const DENSITY: f32 = 2.0;

/// Rasterises the scene. The error says what was refused.
pub fn png(scene: &Scene) -> Result<Vec<u8>, String> {
    let pixels = |length: f64| (length as f32 * DENSITY).round() as u32;
    let mut picture =
        Pixmap::new(pixels(scene.width), pixels(scene.height)).ok_or("the picture has no size, or too large a one")?;
    picture.fill(Shade::WHITE);
    for mark in scene.groups.iter().flat_map(|group| &group.marks) {
        draw(&mut picture, mark);
    }
    encode(&picture).map_err(|error| error.to_string())
}

fn draw(picture: &mut Pixmap, mark: &Mark) {
    let whole = Transform::from_scale(DENSITY, DENSITY);
    match mark {
        Mark::Line { points, stroke, .. } => {
            let Stroke { color, width, dash } = stroke;
            let dash = StrokeDash::new(dash.iter().map(|length| *length as f32).collect(), 0.0);
            let pen = Pen { width: *width as f32, line_join: LineJoin::Round, dash, ..Pen::default() };
            if let Some(path) = path(points, false) {
                picture.stroke_path(&path, &paint(*color, 1.0), &pen, whole, None);
            }
        }
        Mark::Area { corners, color, opacity } => {
            if let Some(path) = path(corners, true) {
                picture.fill_path(&path, &paint(*color, *opacity), FillRule::Winding, whole, None);
            }
        }
        Mark::Text { at, anchor, size, upwards, color, markup } => {
            let length = width(markup, *size);
            let mut along = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => -0.5 * length,
                Anchor::End => -length,
            };
            let line = whole.pre_translate(at.0 as f32, at.1 as f32);
            let line = if *upwards { line.pre_rotate(-90.0) } else { line };
            for span in spans(markup) {
                let own = size * span.level.scale();
                let scale = (own / UNITS) as f32;
                // Fonts count upwards.
                let place = line.pre_translate(along as f32, (span.level.shift() * size) as f32);
                if let Some(glyphs) = outline(&span.text) {
                    let place = place.pre_scale(scale, -scale);
                    picture.fill_path(&glyphs, &paint(*color, 1.0), FillRule::Winding, place, None);
                }
                along += plain_width(&span.text, own);
            }
        }
    }
}

fn paint((red, green, blue): Color, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (255.0 * opacity).round() as u8);
    paint
}

/// The line through some points; none through fewer than two.
fn path(points: &[Place], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (index, &(x, y)) in points.iter().enumerate() {
        let (x, y) = (x as f32, y as f32);
        if index == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    if closed {
        path.close();
    }
    path.finish()
}

/// The file: red, green and blue on white, which leaves nothing transparent; 8 bits per channel, no filter. Source: W3C
/// Portable Network Graphics, second edition.
fn encode(picture: &Pixmap) -> std::io::Result<Vec<u8>> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let pair = |a: u32, b: u32| [a.to_be_bytes(), b.to_be_bytes()].concat();
    let header = [pair(picture.width(), picture.height()), vec![8, 2, 0, 0, 0]].concat();
    chunk(&mut file, b"IHDR", &header);
    let per_metre = (96.0 * DENSITY / 0.0254).round() as u32;
    chunk(&mut file, b"pHYs", &[pair(per_metre, per_metre), vec![1]].concat());
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in picture.data().chunks(4 * picture.width() as usize) {
        let colors: Vec<u8> = row.chunks(4).flat_map(|pixel| &pixel[..3]).copied().collect();
        zlib.write_all(&[0])?;
        zlib.write_all(&colors)?;
    }
    chunk(&mut file, b"IDAT", &zlib.finish()?);
    chunk(&mut file, b"IEND", &[]);
    Ok(file)
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let mut check = Crc::new();
    check.update(kind);
    check.update(data);
    file.extend([&(data.len() as u32).to_be_bytes()[..], kind, data, &check.sum().to_be_bytes()].concat());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pixels of marks on white.
    fn drawn(marks: &[Mark]) -> Pixmap {
        let mut picture = Pixmap::new(40, 40).unwrap();
        picture.fill(Shade::WHITE);
        marks.iter().for_each(|mark| draw(&mut picture, mark));
        picture
    }

    fn dark(picture: &Pixmap, x: u32, y: u32) -> bool {
        picture.pixel(x, y).unwrap().red() < 128
    }

    #[test]
    fn dashes_leave_gaps_and_solid_lines_none() {
        let line = |dash| Mark::Line {
            points: vec![(0.0, 10.0), (20.0, 10.0)],
            stroke: Stroke { color: (0, 0, 0), width: 2.0, dash },
            data: false,
        };
        let row = |picture: &Pixmap| (0..40).map(|x| dark(picture, x, 20)).collect::<Vec<_>>();
        assert!(row(&drawn(&[line(&[])])).iter().all(|dark| *dark));
        let dashed = row(&drawn(&[line(&[5.0, 5.0])]));
        assert!(dashed[5] && !dashed[15] && dashed[25] && !dashed[35], "{dashed:?}");
    }

    #[test]
    fn text_stands_at_its_anchor_and_runs_upwards_where_asked() {
        let text = |upwards, anchor| {
            let (size, color, markup) = (10.0, (0, 0, 0), "HH".into());
            drawn(&[Mark::Text { at: (10.0, 10.0), anchor, size, upwards, color, markup }])
        };
        let count = |picture: &Pixmap, xs: std::ops::Range<u32>, ys: std::ops::Range<u32>| {
            xs.flat_map(|x| ys.clone().map(move |y| (x, y))).filter(|&(x, y)| dark(picture, x, y)).count()
        };
        let start = text(false, Anchor::Start);
        assert!(count(&start, 20..40, 0..20) > 50 && count(&start, 0..20, 0..40) == 0);
        assert!(count(&text(false, Anchor::End), 20..40, 0..40) == 0);
        let upwards = text(true, Anchor::Start);
        assert!(count(&upwards, 0..20, 0..20) > 50 && count(&upwards, 0..40, 20..40) == 0);
    }

    /// The empty IEND chunk has the same 12 bytes in every PNG file.
    #[test]
    fn chunks_carry_their_checksum() {
        let mut file = Vec::new();
        chunk(&mut file, b"IEND", &[]);
        assert_eq!(file, [0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82]);
    }
}
