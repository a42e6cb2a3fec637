//! Writes a scene as TikZ, for `\input` into a LaTeX document that loads `tikz` and nothing else. Its text is set in the
//! fonts of the document.

use std::fmt::Write;

use super::palette::Color;
use super::scene::{Anchor, GroupKind, Mark, MarkGroup, Scene, ScenePosition, number};
use super::svg::{axes, plain};
use super::text::{Level, spans};

/// Writes the scene as a `tikzpicture`.
pub(crate) fn tikz(scene: &Scene) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, scene);
    out
}

fn write(out: &mut String, scene: &Scene) -> std::fmt::Result {
    let mut colors: Vec<Color> = Vec::new();
    for mark in scene.marks() {
        let color = match mark {
            Mark::Line { stroke, .. } => stroke.color,
            Mark::Area { color, .. } | Mark::Text { color, .. } => *color,
        };
        if !colors.contains(&color) {
            colors.push(color);
        }
    }
    writeln!(out, "% {}", scene.title.replace('\n', " "))?;
    writeln!(out, "% Made by noregret. Needs \\usepackage{{tikz}}.")?;
    let [x, y] = axes(scene);
    writeln!(out, "% x: {x}\n% y: {y}")?;
    writeln!(out, "\\begingroup")?;
    for (index, (red, green, blue)) in colors.iter().enumerate() {
        writeln!(out, "\\definecolor{{nr{index}}}{{RGB}}{{{red},{green},{blue}}}")?;
    }
    writeln!(out, "\\begin{{tikzpicture}}[x=0.75bp,y=-0.75bp,line join=round,every node/.style={{inner sep=0pt}}]")?;
    writeln!(out, "\\useasboundingbox (0,0) rectangle ({},{});", number(scene.width), number(scene.height))?;
    let color = |wanted: &Color| colors.iter().position(|one| one == wanted).unwrap_or_default();
    for group in scene.groups.iter().filter(|group| !group.marks.is_empty()) {
        writeln!(out, "% {}", heading(group))?;
        for mark in &group.marks {
            write_mark(out, mark, &color)?;
        }
    }
    writeln!(out, "\\end{{tikzpicture}}%\n\\endgroup")
}

fn write_mark(out: &mut String, mark: &Mark, color: &dyn Fn(&Color) -> usize) -> std::fmt::Result {
    match mark {
        Mark::Line { points, stroke, .. } => {
            write!(out, "\\draw[nr{},line width={}bp", color(&stroke.color), number(0.75 * stroke.width))?;
            if !stroke.dash.is_empty() {
                let lengths = stroke.dash.iter().enumerate().map(|(index, length)| {
                    let word = if index % 2 == 0 { "on" } else { "off" };
                    format!("{word} {}bp", number(0.75 * length))
                });
                write!(out, ",dash pattern={}", lengths.collect::<Vec<_>>().join(" "))?;
            }
            writeln!(out, "] {};", path(points))
        }
        Mark::Area { corners, color: fill, opacity } => {
            write!(out, "\\fill[nr{}", color(fill))?;
            if *opacity < 1.0 {
                write!(out, ",opacity={}", number(*opacity))?;
            }
            writeln!(out, "] {} -- cycle;", path(corners))
        }
        Mark::Text { at, anchor, size, upwards, color: ink, markup } => {
            let anchor = match anchor {
                Anchor::Start => "base west",
                Anchor::Middle => "base",
                Anchor::End => "base east",
            };
            let turned = if *upwards { ",rotate=90" } else { "" };
            let points = 0.75 * size;
            write!(out, "\\node[anchor={anchor}{turned},text=nr{},", color(ink))?;
            write!(out, "font=\\fontsize{{{}}}{{{}}}\\selectfont] ", number(points), number(1.2 * points))?;
            writeln!(out, "at ({},{}) {{{}}};", number(at.0), number(at.1), latex(markup))
        }
    }
}

/// What a group of marks shows.
fn heading(group: &MarkGroup) -> String {
    let name = plain(&group.name).replace('\n', " ");
    match group.kind {
        GroupKind::Frame => "frame".into(),
        GroupKind::Series { plot, .. } => format!("curve {plot} {name}"),
        GroupKind::Legend(_) => format!("legend {name}"),
    }
}

/// The points of a path, a few in each line, because TeX's lines are limited.
fn path(points: &[ScenePosition]) -> String {
    let mut text = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        if index > 0 {
            text.push_str(if index % 8 == 0 { "\n  -- " } else { " -- " });
        }
        text += &format!("({},{})", number(*x), number(*y));
    }
    text
}

/// Markup as LaTeX.
fn latex(markup: &str) -> String {
    let mut out = String::new();
    for span in spans(markup) {
        let text = escape(&span.text);
        match span.level {
            Level::Line => out += &text,
            Level::Raised => out += &format!("\\textsuperscript{{{text}}}"),
            Level::Lowered => out += &format!("\\textsubscript{{{text}}}"),
        }
    }
    out
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\textbackslash{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(character);
            }
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("$<$"),
            '>' => out.push_str("$>$"),
            '|' => out.push_str("$|$"),
            '-' => out.push_str("{-}"),
            '\u{2212}' => out.push_str("$-$"),
            '\u{d7}' => out.push_str("$\\times$"),
            '\u{b1}' => out.push_str("$\\pm$"),
            '\u{2264}' => out.push_str("$\\le$"),
            '\u{2265}' => out.push_str("$\\ge$"),
            '\u{202f}' => out.push_str("\\,"),
            '\u{2013}' => out.push_str("--"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::latex;

    #[test]
    fn markup_becomes_latex() {
        assert_eq!(latex("T^{\u{2212}1/2}"), "T\\textsuperscript{$-$1/2}");
        assert_eq!(latex("n_{t} & 10\u{202f}%"), "n\\textsubscript{t} \\& 10\\,\\%");
        assert_eq!(latex("a_b"), "a\\_b");
        assert_eq!(latex("Sketched-KONS"), "Sketched{-}KONS");
    }
}
