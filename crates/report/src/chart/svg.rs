//! Writes a scene as SVG. Curves and legend entries are groups `<g class="series" data-series="0">` that the page can
//! hide and show. The root carries the axes of its plots (`data-x`, `data-y`: scale, range and pixels; `data-plot` of a
//! curve is the number of its plot), from which the page reads values.

use std::fmt::Write;

use crate::chart::axis::{Axis, AxisScale};
use crate::chart::palette::hex;
use crate::chart::scene::{Anchor, GroupKind, Mark, Plot, Scene, ScenePosition, number};
use crate::chart::text::{Level, spans};

/// Writes the scene as a standalone SVG document.
pub fn svg(scene: &Scene) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_scene(&mut out, scene);
    out
}

fn write_scene(out: &mut String, scene: &Scene) -> std::fmt::Result {
    let (width, height) = (number(scene.width), number(scene.height));
    write!(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" ")?;
    write!(out, "viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{}\" ", escape(&scene.font))?;
    let [x, y] = axes(scene);
    writeln!(out, "data-x=\"{x}\" data-y=\"{y}\">")?;
    writeln!(out, "<title>{}</title>", escape(&scene.title))?;
    writeln!(out, "<desc>{}</desc>", escape(&scene.description))?;
    for group in scene.groups.iter().filter(|group| !group.marks.is_empty()) {
        match group.kind {
            GroupKind::Frame => writeln!(out, "<g class=\"frame\">")?,
            GroupKind::Series { curve, plot } => {
                let name = escape(&plain(&group.name));
                write!(out, "<g class=\"series\" data-series=\"{curve}\" data-plot=\"{plot}\" ")?;
                writeln!(out, "data-name=\"{name}\">")?;
            }
            GroupKind::Legend(index) => writeln!(out, "<g class=\"legend\" data-series=\"{index}\">")?,
        }
        for mark in &group.marks {
            write_mark(out, mark)?;
        }
        writeln!(out, "</g>")?;
    }
    writeln!(out, "</svg>")
}

fn write_mark(out: &mut String, mark: &Mark) -> std::fmt::Result {
    match mark {
        Mark::Line { points, stroke, data } => {
            write!(out, "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" ", places(points), hex(stroke.color))?;
            write!(out, "stroke-width=\"{}\" stroke-linejoin=\"round\"", number(stroke.width))?;
            if !stroke.dash.is_empty() {
                let dash: Vec<String> = stroke.dash.iter().map(|length| number(*length)).collect();
                write!(out, " stroke-dasharray=\"{}\"", dash.join(" "))?;
            }
            writeln!(out, "{}/>", if *data { " class=\"curve\"" } else { "" })
        }
        Mark::Area { corners, color, opacity } => {
            write!(out, "<polygon points=\"{}\" fill=\"{}\"", places(corners), hex(*color))?;
            if *opacity < 1.0 {
                write!(out, " fill-opacity=\"{}\"", number(*opacity))?;
            }
            writeln!(out, "/>")
        }
        Mark::Text { at, anchor, size, upwards, color, markup } => {
            let (x, y) = (number(at.0), number(at.1));
            write!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\"", number(*size), hex(*color))?;
            match anchor {
                Anchor::Start => {}
                Anchor::Middle => write!(out, " text-anchor=\"middle\"")?,
                Anchor::End => write!(out, " text-anchor=\"end\"")?,
            }
            if *upwards {
                write!(out, " transform=\"rotate(-90 {x} {y})\"")?;
            }
            write!(out, ">")?;
            write_spans(out, markup, *size)?;
            writeln!(out, "</text>")
        }
    }
}

fn write_spans(out: &mut String, markup: &str, size: f64) -> std::fmt::Result {
    // A shift lasts until the next one, so each span is shifted relative to the one before.
    let mut shifted = 0.0;
    for span in spans(markup) {
        let shift = span.level.shift() * size;
        let text = escape(&span.text);
        if span.level == Level::Line && shifted == 0.0 {
            write!(out, "{text}")?;
        } else {
            let own = number(size * span.level.scale());
            write!(out, "<tspan ")?;
            if span.space() > 0.0 {
                write!(out, "dx=\"{}\" ", number(span.space() * size))?;
            }
            write!(out, "dy=\"{}\" font-size=\"{own}\">{text}</tspan>", number(shift - shifted))?;
        }
        shifted = shift;
    }
    Ok(())
}

/// The text of markup on one line, for names: `n^{1/3}` is n^(1/3), `f^{2}` is f^2, and `x_{t}` is xt.
pub(crate) fn plain(markup: &str) -> String {
    let mut text = String::with_capacity(markup.len());
    for span in spans(markup) {
        match span.level {
            Level::Raised if span.text.chars().all(char::is_alphanumeric) => text.extend(["^", &span.text]),
            Level::Raised => text.extend(["^(", &span.text, ")"]),
            Level::Line | Level::Lowered => text.push_str(&span.text),
        }
    }
    text
}

/// The horizontal and the vertical axes of the plots: scale, range and coordinates of the ends, from which values are read.
pub(super) fn axes(scene: &Scene) -> [String; 2] {
    let of =
        |axis_of: fn(&Plot) -> &Axis| scene.plots.iter().map(|plot| axis(axis_of(plot))).collect::<Vec<_>>().join(";");
    [of(|plot| &plot.x), of(|plot| &plot.y)]
}

fn axis(axis: &Axis) -> String {
    let scale = match axis.scale {
        AxisScale::Linear => "linear",
        AxisScale::Log => "log",
    };
    format!("{scale} {:e} {:e} {} {}", axis.min, axis.max, number(axis.from), number(axis.to))
}

fn places(points: &[ScenePosition]) -> String {
    let mut text = String::with_capacity(12 * points.len());
    for (index, (x, y)) in points.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        text.push_str(&number(*x));
        text.push(',');
        text.push_str(&number(*y));
    }
    text
}

/// Escapes text for an element or a quoted attribute.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{escape, plain, write_spans};

    #[test]
    fn superscripts_return_to_the_line() {
        let mut out = String::new();
        write_spans(&mut out, "n^{2} a", 10.0).unwrap();
        let expected =
            "n<tspan dx=\"0.4\" dy=\"-4.2\" font-size=\"7.2\">2</tspan><tspan dy=\"4.2\" font-size=\"10\"> a</tspan>";
        assert_eq!(out, expected);
        assert_eq!(plain("n^{1/3} f^{2} x_{t}"), "n^(1/3) f^2 xt");
    }

    #[test]
    fn markup_characters_are_escaped() {
        assert_eq!(escape("a<b & \"c\">"), "a&lt;b &amp; &quot;c&quot;&gt;");
    }
}
