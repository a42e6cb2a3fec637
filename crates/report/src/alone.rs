//! Pages that stand alone: one file with what was found, pictures and tables, without a script.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;

use crate::chart::format::PictureFormat;
use crate::chart::layout::scene;
use crate::chart::plot::Chart;
use crate::chart::svg::svg;
use crate::error::ReportError;
use crate::number::significant;
use crate::page::inline::inlined;

/// A picture for wide and for narrow screens.
#[derive(Serialize)]
pub(crate) struct PictureView {
    title: String,
    wide: String,
    narrow: String,
    caption: String,
}

/// Draws charts as the picture `id` of a page.
pub(crate) fn drawn(id: &str, title: impl Into<String>, charts: &[Chart], caption: String) -> PictureView {
    let title = title.into();
    let picture = |format: &PictureFormat, columns: usize, place: &str| {
        inlined(&svg(&scene(charts, columns, format, &title, "")), &format!("{id}-{place}"))
    };
    let (wide, narrow) = (picture(&PictureFormat::WEB, 0, "wide"), picture(&PictureFormat::COLUMN, 1, "narrow"));
    PictureView { title, wide, narrow, caption }
}

/// A page from the template of what is its own.
pub(crate) fn rendered(template: &str, page: impl Serialize) -> Result<String, ReportError> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("alone.html", include_str!("templates/alone.html"))?;
    environment.add_template("page.html", template)?;
    Ok(environment.get_template("page.html")?.render(Serde(page))?)
}

/// A share in percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{}\u{202f}%", significant(100.0 * share, 3))
}
