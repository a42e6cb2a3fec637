//! What is drawn, at several times the size. The result is averaged down, because plotters leaves edges jagged.

use plotters::backend::{BitMapBackend, DrawingBackend, RGBPixel};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, RGBColor};

use crate::font::{LINE_BOX, font};
use crate::png::encode;

/// Drawn pixels per pixel of the picture, in each direction.
const OVERSAMPLE: usize = 2;

/// A place in pixels of the picture: to the right, and down.
type Place = (f64, f64);

/// How far outside a picture a place may be, in lengths of its larger side: plotters visits the pixels up to there.
const FAR: f64 = 10.0;

/// What plotters refused, a font that it cannot read, or a place or length that is no number or far outside the picture.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RasterError(String);

/// A picture, white where nothing is drawn. Lengths and places are in its pixels, from its upper left corner to the right
/// and down; what lies outside is cut off. Colours are red, green and blue. It takes 12 bytes for each pixel.
#[derive(Clone, Debug)]
pub struct Picture {
    width: usize,
    height: usize,
    /// Red, green and blue of each drawn pixel.
    drawn: Vec<u8>,
}

impl Picture {
    /// A white picture of at least one pixel.
    pub fn new(width: usize, height: usize) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        Self { width, height, drawn: vec![255; 3 * width * height * OVERSAMPLE * OVERSAMPLE] }
    }

    /// Draws each piece of a line as a quadrilateral, with a disc at each joint.
    ///
    /// # Errors
    /// What plotters refuses, and places or widths that are no numbers or far outside.
    pub fn line(&mut self, points: &[Place], width: f64, color: [u8; 3]) -> Result<(), RasterError> {
        self.check(points, width)?;
        let color = rgb(color);
        let half = 0.5 * width;
        let mut backend = self.backend();
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            let length = (x1 - x0).hypot(y1 - y0);
            if length > 0.0 {
                let (dx, dy) = (half * (y1 - y0) / length, half * (x0 - x1) / length);
                let corners = [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)];
                backend.fill_polygon(corners.map(drawn), &color).map_err(refused)?;
            }
        }
        let radius = (half * OVERSAMPLE as f64).round() as u32;
        if points.len() > 2 && radius > 1 {
            for joint in &points[1..points.len() - 1] {
                backend.draw_circle(drawn(*joint), radius, &color, true).map_err(refused)?;
            }
        }
        Ok(())
    }

    /// Fills a polygon; `opacity` is between 0 and 1.
    ///
    /// # Errors
    /// What plotters refuses, and places that are no numbers or far outside.
    pub fn area(&mut self, corners: &[Place], color: [u8; 3], opacity: f64) -> Result<(), RasterError> {
        self.check(corners, 0.0)?;
        let corners: Vec<(i32, i32)> = corners.iter().map(|corner| drawn(*corner)).collect();
        self.backend().fill_polygon(corners, &rgb(color).mix(opacity)).map_err(refused)
    }

    /// Writes text in DejaVu Sans, whose base line begins `at`, to the right or upwards; `size` is that of the font.
    ///
    /// # Errors
    /// A font that plotters cannot read, what it refuses, and a place or size that is no number or far outside.
    pub fn text(&mut self, text: &str, size: f64, at: Place, upwards: bool, color: [u8; 3]) -> Result<(), RasterError> {
        self.check(&[at], size)?;
        let font = font(size * OVERSAMPLE as f64).ok_or_else(|| refused("the embedded font cannot be read"))?;
        // plotters draws the base line half a line box below the given point.
        let box_half = 0.5 * size * LINE_BOX;
        let place = if upwards { (at.0 - box_half, at.1) } else { (at.0, at.1 - box_half) };
        let turned = if upwards { FontTransform::Rotate270 } else { FontTransform::None };
        let style = font.transform(turned).color(&rgb(color)).pos(Pos::new(HPos::Left, VPos::Top));
        self.backend().draw_text(text, &style, drawn(place)).map_err(refused)
    }

    /// The bytes of a PNG file, of which `per_inch` pixels are an inch.
    ///
    /// # Errors
    /// None that is known: the file is written in memory.
    pub fn png(&self, per_inch: f64) -> Result<Vec<u8>, RasterError> {
        encode(&average(&self.drawn, self.width, self.height), self.width, self.height, per_inch).map_err(refused)
    }

    /// Refuses a place, or a length, that is no number or far outside.
    fn check(&self, places: &[Place], length: f64) -> Result<(), RasterError> {
        let far = FAR * self.width.max(self.height) as f64;
        let mut numbers = places.iter().flat_map(|(x, y)| [*x, *y]).chain([length]);
        match numbers.find(|number| number.is_nan() || number.abs() > far) {
            Some(number) => Err(refused(format!(
                "{number} is no place or length in a picture of {} by {}",
                self.width, self.height
            ))),
            None => Ok(()),
        }
    }

    fn backend(&mut self) -> BitMapBackend<'_, RGBPixel> {
        let size = ((self.width * OVERSAMPLE) as u32, (self.height * OVERSAMPLE) as u32);
        BitMapBackend::with_buffer(&mut self.drawn, size)
    }
}

fn refused(error: impl ToString) -> RasterError {
    RasterError(error.to_string())
}

fn rgb([red, green, blue]: [u8; 3]) -> RGBColor {
    RGBColor(red, green, blue)
}

/// The drawn pixel at a place.
fn drawn(place: Place) -> (i32, i32) {
    let scale = OVERSAMPLE as f64;
    ((place.0 * scale).round() as i32, (place.1 * scale).round() as i32)
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

#[cfg(test)]
mod tests {
    use super::{Picture, average};

    #[test]
    fn averages_round_to_nearest() {
        let large = [[0, 0, 0], [255, 0, 0], [255, 0, 1], [255, 0, 1]].concat();
        assert_eq!(average(&large, 1, 1), [191, 0, 1]);
    }

    #[test]
    fn no_size_and_no_place_panics() {
        assert!(Picture::new(0, 0).png(96.0).unwrap().starts_with(b"\x89PNG"));
        let mut picture = Picture::new(40, 40);
        for wrong in [f64::NAN, f64::INFINITY, -401.0, 1e300] {
            let place = (1.0, wrong);
            let told = "is no place or length in a picture of 40 by 40";
            assert!(picture.line(&[(0.0, 0.0), place], 1.0, [0; 3]).unwrap_err().to_string().ends_with(told));
            assert!(
                picture.area(&[(0.0, 0.0), place, (9.0, 0.0)], [0; 3], 1.0).unwrap_err().to_string().ends_with(told)
            );
            assert!(picture.line(&[(0.0, 0.0), (9.0, 9.0)], wrong, [0; 3]).unwrap_err().to_string().ends_with(told));
            assert!(picture.text("x", wrong, (1.0, 1.0), false, [0; 3]).unwrap_err().to_string().ends_with(told));
            assert!(picture.text("x", 9.0, place, false, [0; 3]).unwrap_err().to_string().ends_with(told));
        }
        assert!(picture.drawn.iter().all(|byte| *byte == 255));
        picture.area(&[(-400.0, -400.0), (400.0, -400.0), (400.0, 400.0), (-400.0, 400.0)], [0; 3], 1.0).unwrap();
        assert!(picture.drawn.iter().all(|byte| *byte == 0));
    }

    #[test]
    fn what_has_no_extent_draws_without_a_panic() {
        let mut picture = Picture::new(40, 40);
        let [point, other] = [(9.0, 9.0), (19.0, 9.0)];
        for points in [&[][..], &[point], &[point, point], &[point, other], &[point, other, point]] {
            picture.area(points, [0; 3], 1.0).unwrap();
            for width in [0.0, -3.0, 3.0] {
                picture.line(points, width, [0; 3]).unwrap();
            }
        }
        for size in [0.0, -9.0, 0.01] {
            picture.text("text", size, point, false, [0; 3]).unwrap();
            picture.text("", 9.0, point, true, [0; 3]).unwrap();
        }
    }

    /// The rows and the columns in which a picture of 40 by 40 pixels is not white: the first and the last.
    fn inked(picture: &Picture) -> [(usize, usize); 2] {
        let small = average(&picture.drawn, 40, 40);
        let places: Vec<usize> = (0..40 * 40).filter(|i| small[3 * i..3 * i + 3] != [255; 3]).collect();
        let range = |of: fn(usize) -> usize| {
            let each = || places.iter().map(|i| of(*i));
            (each().min().unwrap(), each().max().unwrap())
        };
        [range(|i| i / 40), range(|i| i % 40)]
    }

    #[test]
    fn lines_areas_and_text_stand_where_they_are_put() {
        let mut line = Picture::new(40, 40);
        line.line(&[(5.0, 20.0), (35.0, 20.0)], 4.0, [0, 0, 0]).unwrap();
        let [rows, columns] = inked(&line);
        assert!(rows.0.abs_diff(18) <= 1 && rows.1.abs_diff(21) <= 1, "{rows:?}");
        assert!(columns.0.abs_diff(5) <= 1 && columns.1.abs_diff(34) <= 1, "{columns:?}");
        let mut area = Picture::new(40, 40);
        area.area(&[(10.0, 10.0), (20.0, 10.0), (20.0, 30.0), (10.0, 30.0)], [255, 0, 0], 0.5).unwrap();
        let middle = 3 * (20 * 40 + 15);
        assert_eq!(average(&area.drawn, 40, 40)[middle..middle + 3], [255, 127, 127]);
        // A capital letter stands on its base line: DejaVu's are 1493 of 2048 units high.
        for upwards in [false, true] {
            let mut text = Picture::new(40, 40);
            text.text("H", 20.0, (30.0, 30.0), upwards, [0, 0, 0]).unwrap_or_else(|error| panic!("{error}"));
            let [rows, columns] = inked(&text);
            let (along, across) = if upwards { (rows, columns) } else { (columns, rows) };
            assert!(across.1.abs_diff(29) <= 1 && (across.1 - across.0).abs_diff(14) <= 1, "{across:?}");
            assert!(if upwards { along.1 <= 30 } else { along.0 >= 30 }, "{along:?}");
        }
    }
}
