//! Figures. A specification, `[figure.NAME]` of a study, names a kind. Each kind is one file here and one line of
//! [`KINDS`]. Nearly all figures are of the kind [`curves`], whose options say what is drawn, or [`points`], whose
//! options say which rows.

pub mod api;
pub mod compound;
pub mod registry;
pub mod render;

mod values;

#[cfg(test)]
pub(crate) mod samples;

kinds! { FigureKind:
    curves { KIND },
    pareto { KIND },
    functions { KIND },
    points { KIND },
    stacked { KIND },
    ranks { KIND },
    losses_times { KIND },
}
