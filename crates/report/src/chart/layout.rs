//! Lays out a figure: panels in rows, each with its axes, and legends. A legend stands beside or below the panels that it
//! belongs to, where it covers no data. Panels of one figure share a legend if they show the same curves; otherwise each
//! row has its own.

use std::collections::BTreeSet;

use super::format::PictureFormat;
use super::legend::{self, LegendEntry, Placed};
use super::looks::{NamedCurve, styles};
use super::names;
use super::palette::{INK, Style, WHITE};
use super::panel::{self, Frame, Ranges};
use super::plot::{Chart, SeriesShape};
use super::scene::{Anchor, GroupKind, Mark, MarkGroup, Plot, Scene};
use super::text::{FONT_STACK, width, wrap};

/// Lays out the panels of a figure in a format, in pictures that are no higher than it allows. A row of panels is never
/// split. The other arguments are those of [`scene`].
pub fn scenes(panels: &[Chart], columns: usize, format: &PictureFormat, title: &str, description: &str) -> Vec<Scene> {
    let (row, names) = (beside(panels, columns, format), looks(panels));
    let mut found = Vec::new();
    let mut rest = panels;
    loop {
        let mut count = rest.len();
        let mut picture = laid_out(rest, &names, row, format, title, description);
        while picture.height > format.tallest && count > row {
            // As many rows as fit if all are equally high, and at least one row less.
            let share = (count as f64 * format.tallest / picture.height) as usize;
            count = (share.min(count - 1) / row).max(1) * row;
            picture = laid_out(&rest[..count], &names, row, format, title, description);
        }
        found.push(picture);
        rest = &rest[count..];
        if rest.is_empty() {
            return found;
        }
    }
}

/// The number of panels beside each other. Names need room.
fn beside(panels: &[Chart], columns: usize, format: &PictureFormat) -> usize {
    let listed = panels.iter().any(|chart| chart.y.names);
    if listed && format.beside == 0.0 { 1 } else { across(panels.len(), columns, format) }
}

/// Lays out the panels of a figure in a format, at most `columns` beside each other. Title and description, which says in
/// words what the figure shows, are not drawn.
pub(crate) fn scene(panels: &[Chart], columns: usize, format: &PictureFormat, title: &str, description: &str) -> Scene {
    laid_out(panels, &looks(panels), columns, format, title, description)
}

/// The same with the looks of the whole figure, of which these may be a part.
fn laid_out(
    panels: &[Chart],
    names: &[(&str, Style)],
    columns: usize,
    format: &PictureFormat,
    title: &str,
    description: &str,
) -> Scene {
    let size = format.text;
    let margin = 0.6 * size;
    let listed = panels.iter().any(|chart| chart.y.names);
    let columns = beside(panels, columns, format);
    let blocks = blocks(panels, columns);
    let entries = |block: &[Chart]| -> Vec<LegendEntry> {
        legend::entries(block, names).into_iter().chain(legend::guides(block)).collect()
    };
    let legend_beside = |block: &[Chart]| {
        let entries = entries(block);
        let placed = legend::beside(&entries, (0.0, 0.0), format.beside, format);
        // Beside the panels there must be room for them.
        (format.beside > 0.0 && columns < 3 && !(listed && columns > 1) && placed.width < 0.42 * format.width)
            .then_some(placed.width)
    };
    // All rows are equally wide.
    let aside: Option<Vec<f64>> = blocks.iter().map(|block| legend_beside(&panels[block.0..block.1])).collect();
    let aside = aside.map(|widths| widths.into_iter().fold(0.0, f64::max));
    let room = match aside {
        Some(wide) if wide > 0.0 => format.width - wide - margin - 1.2 * size,
        _ => format.width - 2.0 * margin,
    };

    let measured = PanelLayout::new(panels, columns, room, format);
    let mut scene = blank(format.width, title, description);
    let mut top = margin;
    for (from, to) in blocks {
        let start = top;
        for row in (from..to).step_by(columns) {
            top = draw_row(&panels[..to], &measured, (row, (row + columns).min(to)), (margin, top), names, &mut scene);
        }
        let entries = entries(&panels[from..to]);
        let Placed { groups, height, .. } = match aside {
            Some(_) => {
                legend::beside(&entries, (margin + room + 1.2 * size, start + 0.2 * size), format.beside, format)
            }
            None => legend::below(&entries, (margin, top), room, format),
        };
        scene.groups.extend(groups);
        top = if aside.is_some() { top.max(start + height + 0.4 * size) } else { top + height + 0.4 * size };
    }
    scene.height = (top + 0.2 * margin).ceil();
    let (wide, high) = (scene.width, scene.height);
    scene.groups.insert(0, frame(vec![Mark::rectangle((0.0, 0.0), (wide, high), WHITE, 1.0)]));
    scene
}

/// A picture without marks, whose height is not known yet.
fn blank(width: f64, title: &str, description: &str) -> Scene {
    let (font, title, description) = (FONT_STACK.to_owned(), title.to_owned(), description.to_owned());
    Scene { width, height: 0.0, font, title, description, plots: Vec::new(), groups: Vec::new() }
}

/// Marks that belong to no curve.
fn frame(marks: Vec<Mark>) -> MarkGroup {
    MarkGroup { kind: GroupKind::Frame, name: String::new(), marks }
}

/// The names of a figure's curves with their looks.
pub fn looks(panels: &[Chart]) -> Vec<(&str, Style)> {
    let mut named: Vec<NamedCurve<'_>> = Vec::new();
    for chart in panels {
        for series in &chart.series {
            let here =
                || chart.series.iter().filter(|one| one.label == series.label && one.shape != SeriesShape::Theory);
            let number = here().position(|one| one.name == series.name).unwrap_or_default();
            if named.iter().all(|one| one.name != series.name) {
                named.push(NamedCurve { name: &series.name, label: &series.label, learner: &series.learner, number });
            }
        }
    }
    named.iter().map(|one| one.name).zip(styles(&named)).collect()
}

/// The number of panels beside each other.
fn across(panels: usize, wanted: usize, format: &PictureFormat) -> usize {
    let natural = match panels {
        0 | 1 => 1,
        2 | 4 => 2,
        _ => 3,
    };
    let wanted = if wanted == 0 { natural } else { wanted };
    wanted.min(format.columns).clamp(1, panels.max(1))
}

/// The panels that share a legend, as ranges of their numbers: all of them if they show the same curves or few, else each
/// row.
fn blocks(panels: &[Chart], columns: usize) -> Vec<(usize, usize)> {
    let names = |row: &[Chart]| -> BTreeSet<String> {
        row.iter().flat_map(|chart| &chart.series).map(|series| series.name.clone()).collect()
    };
    let rows: Vec<BTreeSet<String>> = panels.chunks(columns).map(names).collect();
    let all: BTreeSet<String> = rows.iter().flatten().cloned().collect();
    if rows.contains(&all) || all.len() <= 8 || rows.len() < 2 {
        return vec![(0, panels.len())];
    }
    (0..panels.len()).step_by(columns).map(|from| (from, (from + columns).min(panels.len()))).collect()
}

/// What the layout of a panel follows from.
struct PanelLayout<'a> {
    format: &'a PictureFormat,
    columns: usize,
    ranges: Vec<Ranges>,
    /// The height of the frames of each panel.
    heights: Vec<f64>,
    /// The room left of the frame in each column of panels.
    lefts: Vec<f64>,
    /// The width of a frame.
    wide: f64,
}

/// The distance of panels beside each other.
fn gap(format: &PictureFormat) -> f64 {
    1.1 * format.text
}

impl<'a> PanelLayout<'a> {
    fn new(panels: &[Chart], columns: usize, room: f64, format: &'a PictureFormat) -> Self {
        let size = format.text;
        let ranges: Vec<Ranges> = panels.iter().map(panel::ranges).collect();
        let cell = (room - gap(format) * (columns - 1) as f64) / columns as f64;
        let heights: Vec<f64> = panels
            .iter()
            .map(|chart| match (chart.y.names, &chart.y.ticks) {
                (true, Some(names)) => 1.35 * size * names.len().max(2) as f64,
                _ => (0.66 * cell).clamp(8.5 * size, 28.0 * size),
            })
            .collect();
        let left = |index: usize| {
            let chart = &panels[index];
            let ticks = panel::y_ticks(chart, &ranges[index], heights[index], format);
            let labels = ticks.iter().filter_map(|tick| tick.label.as_ref()).map(|label| width(label, size));
            let lines = y_label(panels, index, columns, heights[index], size).len();
            let label = if lines > 0 { size * (0.25 + 1.25 * lines as f64) } else { 0.0 };
            label + labels.fold(0.0, f64::max) + 0.8 * size
        };
        let lefts: Vec<f64> =
            (0..columns).map(|column| (column..panels.len()).step_by(columns).map(left).fold(0.0, f64::max)).collect();
        // The last label of a horizontal axis may stand out to the right.
        let rest = room - gap(format) * (columns - 1) as f64 - lefts.iter().sum::<f64>() - 1.2 * size;
        let wide = (rest / columns as f64).max(4.0 * size);
        Self { format, columns, ranges, heights, lefts, wide }
    }
}

/// The lines of the label of a panel's vertical axis; none if its left neighbour has the same label.
fn y_label(panels: &[Chart], index: usize, columns: usize, height: f64, size: f64) -> Vec<String> {
    let label = &panels[index].y.label;
    let shown = !label.is_empty() && (index.is_multiple_of(columns) || panels[index - 1].y.label != *label);
    if shown { wrap(label, size, height) } else { Vec::new() }
}

/// Where a panel stands, and what stands above it.
struct Placement<'a> {
    /// Its number.
    index: usize,
    /// The room left of its frame.
    left: f64,
    /// The lines of its title.
    titles: &'a [String],
}

/// Draws the panels of one row below `top`; returns where they end. `panels` end where their legend begins.
fn draw_row(
    panels: &[Chart],
    measured: &PanelLayout<'_>,
    (from, to): (usize, usize),
    (margin, top): (f64, f64),
    names: &[(&str, Style)],
    scene: &mut Scene,
) -> f64 {
    let format = measured.format;
    let size = format.text;
    // A title may be wider than its frame, but does not reach the next one.
    let titles = panels[from..to].iter().map(|chart| match chart.title.as_str() {
        "" => Vec::new(),
        title => wrap(title, size, measured.wide + gap(format)),
    });
    let titles: Vec<Vec<String>> = titles.collect();
    let most = titles.iter().map(Vec::len).max().unwrap_or_default();
    let upper = top + size * (0.4 + 1.1 * most as f64);
    let mut end: f64 = upper;
    let mut cell = margin;
    for index in from..to {
        let chart = &panels[index];
        let left = cell + measured.lefts[index - from];
        let panel = Placement { index, left: measured.lefts[index - from], titles: &titles[index - from] };
        cell = left + measured.wide + gap(format);
        let bottom = upper + measured.heights[index];
        let place = Frame { left, right: left + measured.wide, top: upper, bottom };
        let (x, y) = panel::axes(chart, &measured.ranges[index], place, format);
        let mut marks = panel::grid(&x, &y, chart.y.names, format);
        let low = write(panels, measured, &panel, place, &mut marks);
        end = end.max(low + 0.5 * size);
        let plot = scene.plots.len();
        scene.groups.push(frame(marks));
        let (lines, labels) = panel::guides(chart, &x, &y, format);
        scene.groups.push(frame(lines));
        for (number, series) in chart.series.iter().enumerate() {
            let Some(curve) = names.iter().position(|(name, _)| *name == series.name) else { continue };
            let marks = panel::curve(series, names[curve].1, number, (&x, &y), format);
            scene.groups.push(MarkGroup { kind: GroupKind::Series { curve, plot }, name: series.name.clone(), marks });
        }
        scene.groups.push(frame(labels));
        scene.groups.push(frame(names::of_points(chart, &x, &y, format)));
        if measured.ranges[index].is_empty() {
            scene.groups.push(frame(vec![panel::nothing_to_show(&x, &y, format)]));
        }
        scene.plots.push(Plot { x, y });
    }
    end
}

/// Writes the title and the labels of a panel; returns where they end.
fn write(
    panels: &[Chart],
    measured: &PanelLayout<'_>,
    &Placement { index, left, titles }: &Placement<'_>,
    frame: Frame,
    marks: &mut Vec<Mark>,
) -> f64 {
    let size = measured.format.text;
    let mut write = |at, anchor, upwards, markup: &str| {
        let markup = markup.to_owned();
        marks.push(Mark::Text { at, anchor, size, upwards, color: INK, markup });
    };
    for (number, line) in titles.iter().rev().enumerate() {
        write((frame.left, frame.top - size * (0.5 + 1.1 * number as f64)), Anchor::Start, false, line);
    }
    let label = y_label(panels, index, measured.columns, measured.heights[index], size);
    for (number, line) in label.iter().enumerate() {
        let across = frame.left - left + size * (1.0 + 1.25 * number as f64);
        write((across, 0.5 * (frame.top + frame.bottom)), Anchor::Middle, true, line);
    }
    let mut low = frame.bottom + 2.1 * size;
    let (below, label) = (panels.get(index + measured.columns), &panels[index].x.label);
    if below.is_none_or(|below| below.x.label != *label) {
        // A label may be wider than its frame, but not than its panel.
        let (first, last) = (frame.left - left, frame.right + 0.8 * size);
        for line in wrap(label, size, last - first) {
            low += 1.35 * size;
            let half = 0.5 * width(&line, size);
            let center = (0.5 * (frame.left + frame.right)).min(last - half).max(first + half);
            write((center, low - 0.25 * size), Anchor::Middle, false, &line);
        }
    }
    low
}

#[cfg(test)]
mod tests;
