//! The computation that decides between a printed formula and the corrected one.

use noregret_core::errata::api::{Erratum, Finding};

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// Decides an erratum: the finding, and the same as JSON.
///
/// # Errors
/// A quantity that came out as no number, in words.
pub fn decide(erratum: &Erratum) -> Result<(Finding, Vec<u8>), String> {
    let finding = erratum.finding();
    if let Some(bad) = finding.quantities.iter().find(|quantity| !quantity.found.is_finite()) {
        return Err(format!("{} came out as {}", bad.what, bad.found));
    }
    let bytes = serde_json::to_vec_pretty(&finding).map_err(|error| error.to_string())?;
    Ok((finding, bytes))
}
