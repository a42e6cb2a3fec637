//! In place of the program's encoders of columns, which need its readers of files: a model that has any is refused.

pub mod encode {
    pub mod plan {
        /// Encoders that no model has here.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct Plan;
    }
}
