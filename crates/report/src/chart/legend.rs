//! Legends: every curve once, with its look.

use super::format::PictureFormat;
use super::palette::{BAR, Dash, GREY, GUIDE_DASH, INK, Marker, STACKED, Style};
use super::panel::symbol;
use super::plot::{Chart, SeriesShape};
use super::scene::{Anchor, GroupKind, Mark, MarkGroup, Stroke};
use super::text::{width, wrap};

/// The line height of a legend, in sizes of its text.
const LINE: f64 = 1.25;
/// The distance of entries, in sizes of the text.
const GAP: f64 = 0.35;

/// A legend entry before it is placed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LegendEntry {
    /// The number of the curve's name among the names of the figure.
    pub(crate) curve: usize,
    name: String,
    style: Style,
    shape: SeriesShape,
    /// Whether some panel has a point of it.
    shown: bool,
    /// Whether it is a line of the theory that has its name at its end, too.
    guide: bool,
}

/// The entries of some panels: every name once, in order. `names` are those of the whole figure with their looks.
pub(super) fn entries<'a>(panels: impl IntoIterator<Item = &'a Chart>, names: &[(&str, Style)]) -> Vec<LegendEntry> {
    let mut found: Vec<LegendEntry> = Vec::new();
    for series in panels.into_iter().flat_map(|panel| &panel.series) {
        let shown = !series.points.is_empty();
        let Some(curve) = names.iter().position(|(name, _)| *name == series.name) else { continue };
        match found.iter_mut().find(|entry| entry.curve == curve) {
            Some(entry) => entry.shown |= shown,
            None => found.push(LegendEntry {
                curve,
                name: series.name.clone(),
                style: names[curve].1,
                shape: series.shape,
                shown,
                guide: false,
            }),
        }
    }
    found
}

/// The entries of lines of the theory whose names say more than what stands at their ends, and of upright lines.
pub(super) fn guides<'a>(panels: impl IntoIterator<Item = &'a Chart>) -> Vec<LegendEntry> {
    let mut found: Vec<LegendEntry> = Vec::new();
    let style = Style { color: GREY, dash: Dash::Solid, marker: Marker::Circle, hollow: false };
    for guide in panels.into_iter().flat_map(|panel| &panel.guides) {
        let told = guide.short() != guide.label || (guide.upright && !guide.label.is_empty());
        if told && found.iter().all(|known| known.name != guide.label) {
            let name = guide.label.clone();
            found.push(LegendEntry { curve: 0, name, style, shape: SeriesShape::Plain, shown: true, guide: true });
        }
    }
    found
}

/// The length of the line sample of an entry.
fn sample(format: &PictureFormat) -> f64 {
    2.2 * format.text
}

/// The lines of an entry's name, none wider than `limit` unless a word is.
fn lines(entry: &LegendEntry, limit: f64, format: &PictureFormat) -> Vec<String> {
    wrap(&entry.name, format.text, limit)
}

/// The widest name of some entries that are wrapped at `limit`.
fn widest(entries: &[LegendEntry], limit: f64, format: &PictureFormat) -> f64 {
    let lines = entries.iter().flat_map(|entry| lines(entry, limit, format));
    lines.map(|line| width(&line, format.text)).fold(0.0, f64::max)
}

/// A legend as marks, with its size.
pub(super) struct Placed {
    /// One group for each entry.
    pub groups: Vec<MarkGroup>,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// One column of entries with its upper left corner at a point, names wrapped at `limit`.
pub(super) fn beside(entries: &[LegendEntry], (left, top): (f64, f64), limit: f64, format: &PictureFormat) -> Placed {
    let mut at = top;
    let mut groups = Vec::new();
    for entry in entries {
        let lines = lines(entry, limit, format);
        groups.push(group(entry, &lines, (left, at), format));
        at += format.text * (LINE * lines.len() as f64 + GAP);
    }
    let wide =
        if entries.is_empty() { 0.0 } else { sample(format) + 0.6 * format.text + widest(entries, limit, format) };
    Placed { groups, width: wide, height: at - top }
}

/// Entries in as many columns as fit into `room`, column by column, with the upper left corner at a point.
pub(super) fn below(entries: &[LegendEntry], (left, top): (f64, f64), room: f64, format: &PictureFormat) -> Placed {
    let head = sample(format) + 0.6 * format.text;
    let gap = 1.2 * format.text;
    // Long names are rather broken than that the legend gets long.
    let half = 0.5 * (room - gap) - head;
    let limit = if entries.len() > 3 && half > 7.0 * format.text { half } else { room - head };
    let one = head + widest(entries, limit, format) + gap;
    let columns = (((room + gap) / one) as usize).clamp(1, entries.len().max(1));
    let rows = entries.len().div_ceil(columns);
    let mut groups = Vec::new();
    let mut deepest = top;
    for (column, part) in entries.chunks(rows.max(1)).enumerate() {
        let placed = beside(part, (left + one * column as f64, top), limit, format);
        deepest = deepest.max(top + placed.height);
        groups.extend(placed.groups);
    }
    Placed { groups, width: room, height: deepest - top }
}

fn group(entry: &LegendEntry, lines: &[String], (left, top): (f64, f64), format: &PictureFormat) -> MarkGroup {
    let size = format.text;
    let middle = top + 0.5 * LINE * size;
    let length = sample(format);
    let line = |color, width: f64, dash| Mark::Line {
        points: vec![(left, middle), (left + length, middle)],
        stroke: Stroke { color, width: width * format.weight, dash },
        data: false,
    };
    let mut marks = Vec::new();
    match entry.shape {
        _ if !entry.shown => {}
        _ if entry.guide => marks.push(line(GREY, 1.6, GUIDE_DASH)),
        SeriesShape::Theory | SeriesShape::Steps | SeriesShape::Upright => {
            marks.push(line(GREY, 1.6, entry.style.dash.pattern()))
        }
        SeriesShape::Plain => marks.push(line(entry.style.color, 1.9, entry.style.dash.pattern())),
        SeriesShape::Bars => {
            let half = 0.4 * size;
            marks.push(Mark::rectangle((left, middle - half), (left + length, middle + half), BAR, 1.0));
        }
        SeriesShape::Dots => marks.extend(symbol((left + 0.5 * length, middle), entry.style.of_dots(), format.weight)),
        SeriesShape::Stacked => {
            let half = 0.4 * size;
            let (from, to) = ((left, middle - half), (left + length, middle + half));
            marks.push(Mark::rectangle(from, to, entry.style.color, STACKED));
        }
        SeriesShape::Line | SeriesShape::Marked => {
            marks.push(line(entry.style.color, 1.9, entry.style.dash.pattern()));
            marks.extend(symbol((left + 0.5 * length, middle), entry.style, format.weight));
        }
    }
    for (index, text) in lines.iter().enumerate() {
        let at = (left + length + 0.6 * size, middle + size * (0.36 + LINE * index as f64));
        marks.push(Mark::text(at, Anchor::Start, size, if entry.shown { INK } else { GREY }, text));
    }
    let kind = if entry.guide { GroupKind::Frame } else { GroupKind::Legend(entry.curve) };
    MarkGroup { kind, name: entry.name.clone(), marks }
}
