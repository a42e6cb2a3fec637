//! Errors of reports.

/// Why a figure, table or page could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// What a study says of an exhibit is wrong.
    #[error("{exhibit}: {cause}")]
    Specification {
        /// Which one: `figure/NAME`.
        exhibit: String,
        /// What is wrong, with what is allowed.
        cause: String,
    },
    /// A result table could not be read.
    #[error(transparent)]
    Table(#[from] crate::trace::read::TableReadError),
    /// The results of an experiment that the figure or table shows are missing.
    #[error("{name}: the results of experiment `{experiment}` are needed")]
    NoExperiment {
        /// The figure or table.
        name: String,
        /// The experiment.
        experiment: String,
    },
    /// The drawing library refused.
    #[error("{name}: drawing failed: {cause}")]
    Drawing {
        /// The figure.
        name: String,
        /// Its message.
        cause: String,
    },
    /// A page template failed.
    #[error("page: {0}")]
    Page(#[from] minijinja::Error),
    /// The description of an exhibit is missing or cannot be read.
    #[error("{name}: {cause}; run its stage again")]
    Exhibit {
        /// The figure or table.
        name: String,
        /// What is wrong.
        cause: String,
    },
}

/// What is wrong with a file of a project that says something of its report: a row of rates, the looks of figures, losses of
/// other programs.
#[derive(Debug, thiserror::Error)]
pub enum ProjectFileError {
    /// It is not valid TOML, or has a field of the wrong name or type.
    #[error("{}", .0.to_string().trim_end())]
    Toml(#[from] toml::de::Error),
    /// It is not valid CSV, or has a column of the wrong name or type.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// A value that makes no sense: its field, and what is allowed.
    #[error("{0}")]
    Value(String),
}

impl From<String> for ProjectFileError {
    fn from(why: String) -> Self {
        Self::Value(why)
    }
}

impl ReportError {
    /// The error for something that is wrong with the specification of an exhibit, whose `kind` is `figure` or `table`.
    pub(crate) fn specification(kind: &str, name: &str, cause: String) -> Self {
        // Messages of the TOML parser end with a newline.
        ReportError::Specification { exhibit: format!("{kind}/{name}"), cause: cause.trim_end().to_owned() }
    }
}
