//! Drawing. A [`layout::Chart`] (what to show) becomes a [`scene::Scene`] (where each mark goes). [`svg`] writes the
//! scene as SVG, and [`png`] rasterises it with plotters. The SVG is not written by plotters, because its curves must
//! be groups that the page can hide and show, and its coordinates must be finer than a pixel.

pub mod axis;
pub mod layout;
pub mod palette;
pub mod png;
pub mod scene;
pub mod svg;
pub mod text;
