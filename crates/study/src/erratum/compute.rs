//! The computation that decides between a printed formula and the corrected one.

use std::error::Error;

use noregret_papers::errata::api::{Erratum, ErratumFinding};

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// Decides an erratum: the finding, and the same as JSON.
///
/// # Errors
/// A quantity that is not finite.
pub(crate) fn decide(erratum: &Erratum) -> Result<(ErratumFinding, Vec<u8>), Box<dyn Error + Send + Sync>> {
    let finding = erratum.finding();
    if let Some(bad) = finding.quantities.iter().find(|quantity| !quantity.found.is_finite()) {
        return Err(format!("{} came out as {}", bad.what, bad.found).into());
    }
    let bytes = serde_json::to_vec_pretty(&finding)?;
    Ok((finding, bytes))
}
