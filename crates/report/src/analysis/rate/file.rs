//! A row of the table of rates as its study declares it: theorem, experiment, curve, quantity, horizons.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::quantity::RunQuantity;
use crate::analysis::rate::explain;
use crate::analysis::rate::row::{Negative, RateRow};
use crate::analysis::rate::verdict::{ExponentVerdict, MARGIN};
use crate::error::ProjectFileError;
use crate::schema;
use noregret_core::params::check::nearest;
use noregret_core::params::number::{self, Number};
use noregret_papers::theorem::{Arguments, RateParameter};
use noregret_papers::theorems::{THEOREMS, find};

/// A row of the table of rates: a theorem, and the curve whose growth is compared with it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateSpec {
    /// The theorem (`noregret list theorems`).
    theorem: String,
    /// Its parameters by name; constants of bounds are computed and cannot be given.
    #[serde(default)]
    #[schemars(schema_with = "schema::numbers")]
    parameters: BTreeMap<String, Number>,
    /// The experiment whose runs are measured.
    experiment: String,
    /// The label of the curve.
    label: String,
    /// The stream, where the experiment has several.
    stream: Option<String>,
    /// The setting, in a few words.
    setting: String,
    /// The horizons, ascending: fixed before anything is run.
    horizons: Vec<u64>,
    /// Margin of the equivalence test.
    #[serde(default = "margin", deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    margin: f64,
    /// What each verdict does not say, with places for computed numbers such as `{last_slope}`.
    #[serde(default)]
    explanation: BTreeMap<ExponentVerdict, String>,
    /// The label of the curve that is the control variate: least squares, whose expectation is known.
    control: Option<String>,
    /// The negative control: runs that the row must refuse.
    negative: Option<Negative>,
}

fn margin() -> f64 {
    MARGIN
}

/// Checks the keys of the row called `name`, with the sizes of a profile.
///
/// # Errors
/// A sentence that names the field and what is allowed.
pub fn parse(
    name: &str,
    mut table: toml::Table,
    (profile, profiles): (&str, &[&str]),
) -> Result<RateRow, ProjectFileError> {
    match table.remove("profile") {
        None => {}
        Some(toml::Value::Table(sizes)) => {
            if let Some(unknown) = sizes.keys().find(|name| !profiles.contains(&name.as_str())) {
                return Err(format!("`profile.{unknown}`: there is no such profile: {}", profiles.join(", ")).into());
            }
            match sizes.get(profile) {
                None => {}
                Some(toml::Value::Table(over)) => table.extend(over.clone()),
                Some(_) => return Err(format!("`profile.{profile}` must be a table").into()),
            }
        }
        Some(_) => {
            return Err("`profile` must hold tables, one for each profile that changes something".to_owned().into());
        }
    }
    Ok(check(name, table.try_into()?)?)
}

fn check(name: &str, file: RateSpec) -> Result<RateRow, String> {
    let theorem = find(&file.theorem).ok_or_else(|| {
        let hint = nearest(&file.theorem, THEOREMS.iter().map(|theorem| theorem.name));
        let hint = hint.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        format!("`theorem`: there is no theorem `{}`{hint} (see `noregret list theorems`)", file.theorem)
    })?;
    let quantity_name = theorem.quantity.name().ok_or_else(|| {
        let name = theorem.name;
        format!(
            "`theorem`: `{name}` bounds regret from below, over several streams; test it with `at_least` in a claim"
        )
    })?;
    let own: Vec<&RateParameter> = theorem.parameters.iter().collect();
    let parameters: BTreeMap<String, f64> = file.parameters.into_iter().map(|(name, given)| (name, given.0)).collect();
    let arguments = Arguments::check(&parameters, &own).map_err(|why| format!("`parameters`: {why}"))?;
    if file.horizons.first().is_none_or(|first| *first < 2) || !file.horizons.is_sorted_by(|a, b| a < b) {
        return Err("`horizons` must be numbers of rounds from 2, ascending".into());
    }
    if !(file.margin > 0.0 && file.margin < 1.0) {
        return Err(format!("`margin` is {}; it must lie between 0 and 1", file.margin));
    }
    for (verdict, text) in &file.explanation {
        explain::check(text).map_err(|why| format!("`explanation.{}`: {why}", verdict.key()))?;
    }
    if let Some(negative) = &file.negative {
        negative.quantity.as_deref().map(quantity).transpose()?;
        if negative.label.is_none() && negative.quantity.is_none() && negative.set.is_empty() {
            return Err("`negative` must name another `label` or `quantity`, or `set` parameters".into());
        }
    }
    Ok(RateRow {
        name: name.to_owned(),
        theorem,
        shape: (theorem.shape)(&arguments),
        parameters,
        experiment: file.experiment,
        label: file.label,
        stream: file.stream,
        quantity: quantity(quantity_name)?,
        quantity_name: quantity_name.to_owned(),
        setting: file.setting,
        horizons: file.horizons,
        margin: file.margin,
        explanations: file.explanation,
        control: file.control,
        negative: file.negative,
        designs: Vec::new(),
    })
}

fn quantity(name: &str) -> Result<RunQuantity, String> {
    match RunQuantity::read(name).map_err(|why| format!("`quantity`: {why}"))? {
        RunQuantity::ProcessorTime => Err("`quantity` is a measured time, which no theorem bounds".into()),
        quantity => Ok(quantity),
    }
}

/// Reads the text of a row.
#[cfg(test)]
pub(crate) fn read(name: &str, text: &str, profile: &str, profiles: &[&str]) -> Result<RateRow, ProjectFileError> {
    parse(name, toml::from_str(text)?, (profile, profiles))
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_papers::theorem::GrowthRate;

    const TEXT: &str = r#"
        theorem = "noisy-queries-gaussian"
        experiment = "e"
        label = "L"
        setting = "s"
        horizons = [128, 256, 512, 1024]
        [explanation]
        steeper = "the last slope is {last_slope}"
        [profile.quick]
        horizons = [128, 256]
    "#;

    fn wrong(from: &str, to: &str) -> String {
        read("row", &TEXT.replace(from, to), "paper", &["quick", "paper"]).unwrap_err().to_string()
    }

    #[test]
    fn rows_are_read_with_their_profile() {
        let row = read("row", TEXT, "paper", &["quick", "paper"]).unwrap();
        assert_eq!((row.horizons.len(), row.margin, row.shape), (4, MARGIN, GrowthRate::power(1.0)));
        assert!(row.explanations.contains_key(&ExponentVerdict::Steeper) && row.explanations.len() == 1);
        assert_eq!(read("row", TEXT, "quick", &["quick", "paper"]).unwrap().horizons, [128, 256]);
        assert_eq!((row.quantity_name.as_str(), row.quantity), ("queries", RunQuantity::read("queries").unwrap()));
    }

    #[test]
    fn all_that_theorems_bound_can_be_measured() {
        for theorem in THEOREMS.iter() {
            theorem.quantity.name().map(quantity).transpose().unwrap_or_else(|why| panic!("{}: {why}", theorem.name));
        }
    }

    #[test]
    fn mistakes_are_named() {
        assert!(wrong("noisy-queries-gaussian", "noisy-query").contains("there is no theorem `noisy-query`"));
        assert!(wrong("noisy-queries-gaussian", "noisy-theorem-9").contains("bounds regret from below"));
        assert!(
            wrong("setting =", "quantity = 'regret'\nsetting =").contains("quantity"),
            "theorems say what they bound"
        );
        assert!(wrong("{last_slope}", "{slope}").contains("`explanation.steeper`: there is no number `{slope}`"));
        assert!(wrong("steeper =", "slower =").contains("slower"));
        assert!(wrong("[explanation]", "[bound]").contains("bound"), "constants are computed, never given");
        assert!(
            wrong("[explanation]", "[negative]\nbreaks = 'the step'\nwhat = 'nothing'\n[explanation]")
                .contains("another `label`")
        );
        assert!(wrong("[128, 256, 512, 1024]", "[256, 128]").contains("ascending"));
        assert!(wrong("profile.quick", "profile.quack").contains("no such profile"));
        assert!(wrong("setting", "settings").contains("settings"));
    }
}
