//! Code identity: which source code a result depends on, as hashes made at build time. See `build.rs`.

/// The identity of the code behind a result.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Identity {
    /// SHA-256 over `files`, in hexadecimal.
    pub digest: String,
    /// Source files (and external packages) with the hash of their tokens, sorted by name.
    pub files: std::collections::BTreeMap<String, String>,
}
