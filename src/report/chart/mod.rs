//! Drawing: a [`layout::Chart`] (what to show) becomes a [`scene::Scene`] (where each mark goes), which is written as
//! SVG by [`svg`] and rasterised through plotters by [`png`]. The SVG is composed here rather than by plotters
//! because its curves must be groups that the page can switch, with sub-pixel coordinates.

pub mod axis;
pub mod layout;
pub mod palette;
pub mod png;
pub mod scene;
pub mod svg;
pub mod text;
