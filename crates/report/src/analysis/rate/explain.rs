//! Explanations of verdicts, with places `{name}` for numbers that are computed from the row's values.

use crate::analysis::rate::assessment::MeasuredRate;

/// The numbers that an explanation may contain, with what they are.
pub(crate) const NUMBERS: &[(&str, &str)] = &[
    ("exponent", "the measured exponent"),
    ("predicted", "the exponent of the bound's shape on the same horizons"),
    ("difference", "measured minus predicted"),
    ("first_slope", "the slope between the first two horizons"),
    ("last_slope", "the slope between the last two horizons"),
    ("first_predicted", "the slope of the bound's shape between the first two horizons"),
    ("last_predicted", "the slope of the bound's shape between the last two horizons"),
    ("reference", "the exponent of the reference on the same horizons"),
    ("reference_difference", "the exponent of the reference minus the predicted one"),
];

/// The places in a text, as names.
fn places(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
}

/// Whether all places have a number; the error names the first that has none.
///
/// # Errors
/// The unknown place.
pub(crate) fn check(text: &str) -> Result<(), String> {
    match places(text).find(|name| NUMBERS.iter().all(|(known, _)| known != name)) {
        None => Ok(()),
        Some(unknown) => {
            let known: Vec<&str> = NUMBERS.iter().map(|(name, _)| *name).collect();
            Err(format!("there is no number `{{{unknown}}}`; numbers: {}", known.join(", ")))
        }
    }
}

/// The text with its numbers, rounded to three decimals; none where one of them could not be computed.
pub(crate) fn fill(text: &str, found: &MeasuredRate) -> Option<String> {
    let mut filled = text.to_owned();
    for name in places(text) {
        let value = number(name, found)?;
        filled = filled.replace(&format!("{{{name}}}"), &format!("{value:.3}"));
    }
    Some(filled)
}

fn number(name: &str, found: &MeasuredRate) -> Option<f64> {
    let comparison = found.comparison.as_ref();
    let reference = found.reference.as_ref().map(|reference| reference.exponent);
    match name {
        "exponent" => Some(found.exponent.as_ref()?.value),
        "predicted" => Some(comparison?.predicted),
        "difference" => Some(comparison?.delta),
        "first_slope" => Some(found.local.first()?.slope),
        "last_slope" => Some(found.local.last()?.slope),
        "first_predicted" => Some(found.local.first()?.predicted),
        "last_predicted" => Some(found.local.last()?.predicted),
        "reference" => reference,
        "reference_difference" => Some(reference? - comparison?.predicted),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{check, places};

    #[test]
    fn places_are_checked() {
        assert_eq!(places("from {first_slope} to {last_slope}").collect::<Vec<_>>(), ["first_slope", "last_slope"]);
        assert!(check("no numbers").is_ok() && check("{exponent}").is_ok());
        assert!(check("it is {slope}").unwrap_err().contains("`{slope}`; numbers: exponent"));
    }
}
