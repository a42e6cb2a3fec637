//! How an author wants figures to look: the file of `--style`. It changes sizes, colours and the font, and no number.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::format::PictureFormat;
use super::palette::{Color, Hue, STEPS};
use super::scene::{Mark, Scene};
use super::text::FONT_STACK;
use crate::error::ProjectFileError;

/// What a style changes; nothing by default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theme {
    /// The font family of SVG files. Texts are laid out for DejaVu Sans, which PNG and PDF files keep.
    font: Option<String>,
    /// The size of all text in pictures for paper, in points.
    text: Option<f64>,
    /// The width of lines and the size of markers, relative to those without a style.
    line: Option<f64>,
    /// The width of the pictures for a column, in inches.
    column: Option<f64>,
    /// The width of the pictures for a page, in inches.
    page: Option<f64>,
    /// The colours of families of learners, each from dark to light.
    #[serde(default)]
    colors: BTreeMap<Hue, [Hex; STEPS]>,
}

/// A colour as it is written: `#0053a4`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
struct Hex(Color);

impl TryFrom<String> for Hex {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix('#').and_then(|digits| hex::decode(digits).ok());
        match digits.as_deref() {
            Some(&[red, green, blue]) => Ok(Self((red, green, blue))),
            _ => Err(format!("{text:?} is no colour such as \"#0053a4\"")),
        }
    }
}

impl Theme {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// What is wrong with which field.
    pub fn read(text: &str) -> Result<Self, ProjectFileError> {
        let theme: Self = toml::from_str(text)?;
        let ranges = [
            ("text", theme.text, 4.0..=24.0),
            ("line", theme.line, 0.1..=5.0),
            ("column", theme.column, 2.0..=10.0),
            ("page", theme.page, 2.0..=20.0),
        ];
        for (name, value, range) in ranges {
            if let Some(value) = value.filter(|value| !range.contains(value)) {
                return Err(format!("`{name}` = {value} is not between {} and {}", range.start(), range.end()).into());
            }
        }
        let named = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-');
        match &theme.font {
            Some(font) if font.is_empty() || !font.chars().all(named) => {
                Err(format!("`font` = {font:?} is not the name of one family, of letters, digits, spaces and hyphens")
                    .into())
            }
            _ => Ok(theme),
        }
    }

    /// A size, changed.
    pub(crate) fn format(&self, format: &PictureFormat) -> PictureFormat {
        let inches = match format.name {
            "column" => self.column,
            "text" => self.page,
            _ => None,
        };
        let points = self.text.filter(|_| format.tallest.is_finite());
        PictureFormat {
            width: inches.map_or(format.width, |inches| 96.0 * inches),
            text: points.map_or(format.text, |points| points * 96.0 / 72.0),
            weight: format.weight * self.line.unwrap_or(1.0),
            ..*format
        }
    }

    /// A picture with the style's colours and font.
    pub(crate) fn dress(&self, mut scene: Scene) -> Scene {
        for mark in scene.groups.iter_mut().flat_map(|group| &mut group.marks) {
            let color = match mark {
                Mark::Line { stroke, .. } => &mut stroke.color,
                Mark::Area { color, .. } | Mark::Text { color, .. } => color,
            };
            *color = self.color(*color);
        }
        if let Some(font) = &self.font {
            scene.font = format!("'{font}', {FONT_STACK}");
        }
        scene
    }

    /// What a colour of a family becomes. No colour belongs to two families, and none to axes and text.
    pub(crate) fn color(&self, color: Color) -> Color {
        let chosen =
            self.colors.iter().flat_map(|(hue, own)| own.iter().enumerate().map(move |one| (hue.step(one.0), one.1)));
        chosen.into_iter().find(|(step, _)| *step == color).map_or(color, |(_, own)| own.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::palette::{GREY, INK};

    #[test]
    fn a_style_changes_what_it_names() {
        let text = "font = 'Palatino'\ntext = 9\nline = 2\ncolumn = 3.5\n\
                    [colors]\nblue = ['#000001', '#000002', '#000003', '#000004']";
        let theme = Theme::read(text).unwrap();
        let column = theme.format(&PictureFormat::COLUMN);
        assert_eq!((column.width, column.text, column.weight), (336.0, 12.0, 2.0 * PictureFormat::COLUMN.weight));
        let web = theme.format(&PictureFormat::WEB);
        assert_eq!((web.width, web.text, web.weight), (PictureFormat::WEB.width, PictureFormat::WEB.text, 2.0));
        assert_eq!(theme.color(Hue::Blue.step(2)), (0, 0, 3));
        for other in [Hue::Teal.step(2), INK, GREY] {
            assert_eq!(theme.color(other), other);
        }
        assert_eq!(Theme::read("").unwrap(), Theme::default());
        assert_eq!(Theme::default().format(&PictureFormat::TEXT), PictureFormat::TEXT);
    }

    #[test]
    fn mistakes_are_refused() {
        let refused = |text: &str| Theme::read(text).unwrap_err().to_string();
        assert!(refused("txt = 9").contains("unknown field `txt`"));
        assert!(refused("text = 90").contains("`text` = 90 is not between 4 and 24"));
        assert!(refused("line = nan").contains("`line`"));
        assert!(refused("font = \"a'b\"").contains("one family"));
        assert!(refused("[colors]\nblue = ['#000001']").contains("blue"));
        assert!(refused("[colors]\nblue = ['#1', '#000002', '#000003', '#000004']").contains("is no colour"));
        assert!(refused("[colors]\npink = ['#000001', '#000002', '#000003', '#000004']").contains("pink"));
    }
}
