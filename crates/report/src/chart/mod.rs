//! Drawing. [`plot::Chart`]s (what to show) become a [`scene::Scene`] (where each mark goes) in one of the sizes of
//! [`mod@format`]. [`svg`], [`pdf`] and [`tikz`] write the scene, and [`png`] has `noregret-raster` draw it with plotters.
//! The SVG is not written by plotters, because its curves must be groups that the page can hide and show, and its
//! coordinates must be finer than a pixel.

pub(crate) mod axis;
pub mod format;
pub mod layout;
mod legend;
pub(crate) mod looks;
mod names;
pub mod palette;
mod panel;
pub(crate) mod pdf;
pub mod plot;
pub(crate) mod png;
pub mod scene;
pub mod svg;
pub(crate) mod text;
pub mod theme;
pub(crate) mod tikz;
