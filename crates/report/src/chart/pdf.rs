//! Writes a scene as PDF, with the glyphs that it uses of the embedded font. A picture consists of lines, areas and text
//! only, so it is written directly (pdf-writer, subsetter); a converter from SVG would bring a renderer of its own.

use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, LineJoinStyle, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use subsetter::GlyphRemapper;
use ttf_parser::Face;

use super::palette::Color;
use super::scene::{GroupKind, Mark, Scene, ScenePosition};
use super::svg::axes;
use super::text::pieces;

/// Points per unit of a scene.
const POINTS: f32 = 0.75;
const FONT_NAME: &[u8] = b"NOREGR+DejaVuSans";
const SYSTEM: SystemInfo<'static> = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The objects of the file.
struct Ids {
    catalog: Ref,
    pages: Ref,
    page: Ref,
    content: Ref,
    info: Ref,
    font: Ref,
    cid: Ref,
    descriptor: Ref,
    file: Ref,
    cmap: Ref,
    first_state: i32,
}

impl Ids {
    fn new() -> Self {
        let id = Ref::new;
        Self {
            catalog: id(1),
            pages: id(2),
            page: id(3),
            content: id(4),
            info: id(5),
            font: id(6),
            cid: id(7),
            descriptor: id(8),
            file: id(9),
            cmap: id(10),
            first_state: 11,
        }
    }
}

/// The glyphs that a picture uses, in order of their first use.
struct Glyphs<'a> {
    face: Face<'a>,
    remapper: GlyphRemapper,
    /// Characters by number of the glyph in the subset.
    characters: BTreeMap<u16, char>,
}

impl Glyphs<'_> {
    /// The numbers of a text's glyphs in the subset. Characters that the font lacks are shown as its box.
    fn encode(&mut self, text: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(2 * text.len());
        for character in text.chars() {
            let glyph = self.face.glyph_index(character).unwrap_or_default().0;
            let own = self.remapper.remap(glyph);
            self.characters.entry(own).or_insert(character);
            bytes.extend(own.to_be_bytes());
        }
        bytes
    }
}

/// Writes the scene as a document of one page. The error says what about the font cannot be read.
pub(crate) fn pdf(scene: &Scene) -> Result<Vec<u8>, String> {
    let data = noregret_raster::dejavu_sans();
    let face = Face::parse(data, 0).map_err(|error| format!("the embedded font: {error}"))?;
    let mut glyphs = Glyphs { face, remapper: GlyphRemapper::new(), characters: BTreeMap::new() };
    let mut opacities: Vec<f64> = vec![1.0];
    let content = content(scene, &mut glyphs, &mut opacities);
    let ids = Ids::new();
    let mut file = Pdf::new();
    file.catalog(ids.catalog).pages(ids.pages);
    file.pages(ids.pages).kids([ids.page]).count(1);
    // Axes and marked content let programs read the values of a picture, as in an SVG.
    let keywords = axes(scene).join("|");
    file.document_info(ids.info).title(TextStr(&scene.title)).creator(TextStr("noregret")).keywords(TextStr(&keywords));
    let state = |index: usize| (format!("S{index}"), Ref::new(ids.first_state + index as i32));
    {
        let mut page = file.page(ids.page);
        page.media_box(Rect::new(0.0, 0.0, POINTS * scene.width as f32, POINTS * scene.height as f32));
        page.parent(ids.pages).contents(ids.content);
        let mut resources = page.resources();
        resources.fonts().pair(Name(b"F"), ids.font);
        let mut states = resources.ext_g_states();
        for index in 0..opacities.len() {
            let (name, id) = state(index);
            states.pair(Name(name.as_bytes()), id);
        }
        states.finish();
        resources.finish();
        page.finish();
    }
    for (index, opacity) in opacities.iter().enumerate() {
        file.ext_graphics(state(index).1).non_stroking_alpha(*opacity as f32);
    }
    let compressed = deflate(&content).map_err(|error| error.to_string())?;
    file.stream(ids.content, &compressed).filter(Filter::FlateDecode);
    font(&mut file, &ids, &glyphs, data)?;
    Ok(file.finish())
}

fn deflate(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    zlib.write_all(bytes)?;
    zlib.finish()
}

fn channels((red, green, blue): Color) -> [f32; 3] {
    [red, green, blue].map(|channel| f32::from(channel) / 255.0)
}

/// A coordinate to a hundredth of a unit.
fn short(value: f64) -> f32 {
    ((value * 100.0).round() / 100.0) as f32
}

fn content(scene: &Scene, glyphs: &mut Glyphs<'_>, opacities: &mut Vec<f64>) -> Vec<u8> {
    let mut out = Content::new();
    // The origin of a scene is its upper left corner.
    out.transform([POINTS, 0.0, 0.0, -POINTS, 0.0, POINTS * scene.height as f32]);
    out.set_line_join(LineJoinStyle::RoundJoin);
    for group in scene.groups.iter().filter(|group| !group.marks.is_empty()) {
        let tag = match group.kind {
            GroupKind::Frame => "frame".into(),
            GroupKind::Series { curve, plot } => format!("curve-{plot}-{curve}"),
            GroupKind::Legend(curve) => format!("legend-{curve}"),
        };
        out.begin_marked_content(Name(tag.as_bytes()));
        for mark in &group.marks {
            draw(&mut out, mark, glyphs, opacities);
        }
        out.end_marked_content();
    }
    out.finish().to_vec()
}

fn draw(out: &mut Content, mark: &Mark, glyphs: &mut Glyphs<'_>, opacities: &mut Vec<f64>) {
    match mark {
        Mark::Line { points, stroke, .. } => {
            let [red, green, blue] = channels(stroke.color);
            out.set_stroke_rgb(red, green, blue).set_line_width(short(stroke.width));
            out.set_dash_pattern(stroke.dash.iter().map(|length| short(*length)), 0.0);
            path(out, points);
            out.stroke();
        }
        Mark::Area { corners, color, opacity } => {
            let [red, green, blue] = channels(*color);
            let known = opacities.iter().position(|one| one == opacity);
            let index = known.unwrap_or_else(|| {
                opacities.push(*opacity);
                opacities.len() - 1
            });
            out.set_parameters(Name(format!("S{index}").as_bytes())).set_fill_rgb(red, green, blue);
            path(out, corners);
            out.close_path().fill_nonzero();
        }
        Mark::Text { at, anchor, size, upwards, color, markup } => {
            let [red, green, blue] = channels(*color);
            out.set_parameters(Name(b"S0")).set_fill_rgb(red, green, blue);
            for piece in pieces(markup, *size, *anchor) {
                // The axes of a text point to the right and up.
                let matrix = match upwards {
                    true => [0.0, -1.0, -1.0, 0.0, short(at.0 + piece.below), short(at.1 - piece.along)],
                    false => [1.0, 0.0, 0.0, -1.0, short(at.0 + piece.along), short(at.1 + piece.below)],
                };
                let text = glyphs.encode(&piece.text);
                out.begin_text().set_font(Name(b"F"), short(piece.size)).set_text_matrix(matrix);
                out.show(Str(&text)).end_text();
            }
        }
    }
}

fn path(out: &mut Content, points: &[ScenePosition]) {
    for (index, (x, y)) in points.iter().enumerate() {
        let (x, y) = (short(*x), short(*y));
        if index == 0 {
            out.move_to(x, y)
        } else {
            out.line_to(x, y)
        };
    }
}

/// The subset of the font, with its widths and its way back to characters, so that text can be searched and copied.
fn font(file: &mut Pdf, ids: &Ids, glyphs: &Glyphs<'_>, data: &[u8]) -> Result<(), String> {
    let subset = subsetter::subset(data, 0, &glyphs.remapper).map_err(|error| format!("the embedded font: {error}"))?;
    let face = &glyphs.face;
    let scale = 1000.0 / f32::from(face.units_per_em());
    let name = Name(FONT_NAME);
    file.type0_font(ids.font)
        .base_font(name)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(ids.cid)
        .to_unicode(ids.cmap);
    {
        let mut cid = file.cid_font(ids.cid);
        cid.subtype(CidFontType::Type2).base_font(name).system_info(SYSTEM).font_descriptor(ids.descriptor);
        cid.cid_to_gid_map_predefined(Name(b"Identity"));
        let advance = |glyph: u16| face.glyph_hor_advance(ttf_parser::GlyphId(glyph)).unwrap_or_default();
        let widths = glyphs.remapper.remapped_gids().map(|glyph| f32::from(advance(glyph)) * scale);
        cid.widths().consecutive(0, widths);
        cid.finish();
    }
    let bounds = face.global_bounding_box();
    let [left, low, right, high] =
        [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(|value| f32::from(value) * scale);
    file.font_descriptor(ids.descriptor)
        .name(name)
        .flags(FontFlags::SYMBOLIC)
        .bbox(Rect::new(left, low, right, high))
        .italic_angle(0.0)
        .ascent(f32::from(face.ascender()) * scale)
        .descent(f32::from(face.descender()) * scale)
        .cap_height(f32::from(face.capital_height().unwrap_or_default()) * scale)
        .stem_v(90.0)
        .font_file2(ids.file);
    let compressed = deflate(&subset).map_err(|error| error.to_string())?;
    let mut stream = file.stream(ids.file, &compressed);
    stream.filter(Filter::FlateDecode);
    stream.pair(Name(b"Length1"), subset.len() as i32);
    stream.finish();
    let mut cmap = UnicodeCmap::new(Name(b"Characters"), SYSTEM);
    for (glyph, character) in &glyphs.characters {
        cmap.pair(*glyph, *character);
    }
    let bytes = cmap.finish();
    file.cmap(ids.cmap, &bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::palette::INK;
    use crate::chart::scene::{Anchor, GroupKind, MarkGroup};

    #[test]
    fn a_document_has_the_size_of_its_scene_and_its_font() {
        let text = Mark::Text {
            at: (10.0, 20.0),
            anchor: Anchor::Start,
            size: 10.0,
            upwards: false,
            color: INK,
            markup: "T^{\u{2212}1/2} \u{b1}".into(),
        };
        let area = Mark::Area { corners: vec![(0.0, 0.0), (9.0, 0.0), (9.0, 9.0)], color: INK, opacity: 0.18 };
        let scene = Scene {
            width: 304.0,
            height: 200.0,
            font: String::new(),
            title: "t".into(),
            description: String::new(),
            plots: Vec::new(),
            groups: vec![MarkGroup { kind: GroupKind::Frame, name: String::new(), marks: vec![area, text] }],
        };
        let bytes = pdf(&scene).unwrap();
        assert_eq!(bytes, pdf(&scene).unwrap());
        let shown = String::from_utf8_lossy(&bytes);
        assert!(shown.starts_with("%PDF-") && shown.contains("/MediaBox [0 0 228 150]"), "3.17 in are 228 points");
        assert!(shown.contains("/FontFile2") && shown.contains("/ca 0.18"));
        // The whole font has 740 kB.
        assert!(bytes.len() < 20_000, "{} bytes", bytes.len());
    }
}
