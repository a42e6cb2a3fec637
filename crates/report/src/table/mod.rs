//! Tables. A specification, `[table.NAME]` of a study, names a kind. Each kind is one file here and one line of [`KINDS`].

pub mod api;
pub mod format;
pub mod latex;
mod parts;
pub mod registry;
pub mod render;

kinds! { TableKind:
    leaderboard { KIND, TIMES },
    errata { KIND, CLASSES, NUMBERS, PITFALLS },
    rates { KIND },
    bounds { KIND },
    guarantees { KIND },
    costs { KIND, TIMES },
    complexity { KIND, TIMES },
    tuning { KIND },
    claims { KIND, TIMES },
    regrets { KIND, BOUNDED },
    reported { KIND },
    losses { KIND },
    losses_times { KIND },
    wins { KIND },
}
