//! Writes a scene as PNG: each mark is drawn in pixels.

use noregret_raster::{Picture, RasterError};

use crate::chart::scene::{Mark, Scene, ScenePosition};
use crate::chart::text::{Piece, pieces};

/// Pixels per unit of the scene: 192 per inch.
const DENSITY: f64 = 2.0;

/// Rasterises the scene.
///
/// # Errors
/// What cannot be drawn.
pub(crate) fn png(scene: &Scene) -> Result<Vec<u8>, RasterError> {
    let pixels = |length: f64| (length * DENSITY).round() as usize;
    let mut picture = Picture::new(pixels(scene.width), pixels(scene.height));
    for mark in scene.marks() {
        draw(&mut picture, mark)?;
    }
    picture.png(96.0 * DENSITY)
}

fn pixel(place: ScenePosition) -> (f64, f64) {
    (place.0 * DENSITY, place.1 * DENSITY)
}

fn draw(picture: &mut Picture, mark: &Mark) -> Result<(), RasterError> {
    match mark {
        Mark::Line { points, stroke, .. } => dashes(points, stroke.dash).iter().try_for_each(|piece| {
            let piece: Vec<_> = piece.iter().map(|point| pixel(*point)).collect();
            picture.line(&piece, stroke.width * DENSITY, stroke.color.into())
        }),
        Mark::Area { corners, color, opacity } => {
            let corners: Vec<_> = corners.iter().map(|corner| pixel(*corner)).collect();
            picture.area(&corners, (*color).into(), *opacity)
        }
        Mark::Text { at, anchor, size, upwards, color, markup } => {
            pieces(markup, *size, *anchor).iter().try_for_each(|Piece { text, size, along, below }| {
                let place = if *upwards { (at.0 + below, at.1 - along) } else { (at.0 + along, at.1 + below) };
                picture.text(text, size * DENSITY, pixel(place), *upwards, (*color).into())
            })
        }
    }
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

#[cfg(test)]
mod tests {
    use super::dashes;

    #[test]
    fn dashes_run_around_corners() {
        let line = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0)];
        let pieces = dashes(&line, &[3.0, 2.0]);
        assert_eq!(pieces, [vec![(0.0, 0.0), (3.0, 0.0)], vec![(4.0, 1.0), (4.0, 4.0)]]);
        assert_eq!(dashes(&line, &[]), [line.to_vec()]);
    }
}
