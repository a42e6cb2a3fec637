//! What the exhibits of a study leave out: what most exhibits say, what they have from its experiment, and what zipped lists
//! stand for.

use noregret_report::table::KINDS;
use toml::{Table, Value};

use crate::config::grid::{ZIP, complete, rows};
use noregret_core::loss::squared;

/// What the axis of a figure is called that shows one of these, or shows something against it, where the figure does not
/// say; `{loss}` is the loss of its study.
const AXES: [(&str, &str); 6] = [
    ("round", "round t"),
    ("horizon", "horizon T"),
    ("processor_time", "processor time (s)"),
    ("error_rate", "error rate"),
    ("regret", "regret"),
    ("average_loss", "average {loss} loss"),
];

/// Gives a row of rates what it leaves out and its study says.
pub(super) fn rate(own: &mut Table, experiment: &str, study: &Table) {
    own.entry("experiment").or_insert(experiment.into());
    if let Some(horizons) = study.get("horizons") {
        own.entry("horizons").or_insert(horizons.clone());
    }
}

/// Gives a table what it leaves out and its study says.
pub(super) fn table(own: &mut Table, experiment: Option<&str>, study: &Table) {
    paper(own, study);
    let kind = KINDS.iter().find(|kind| own.get("kind").and_then(Value::as_str) == Some(kind.name));
    let experiment = experiment.filter(|_| kind.is_none_or(|kind| kind.takes_experiments()));
    own.entry("experiments").or_insert(experiment.into_iter().collect::<Vec<_>>().into());
}

/// Gives a figure what it leaves out: what most figures say, and what its study says.
pub(super) fn figure(own: &mut Table, experiment: Option<&str>, study: &Table) {
    paper(own, study);
    let others = ["functions", "rates", "errata"].iter().any(|key| own.contains_key(*key));
    if let Some(name) = experiment.filter(|_| !others) {
        own.entry("experiments").or_insert(vec![name].into());
    }
    if own.contains_key(PARTS) {
        for key in ["x", "y"] {
            own.entry(key).or_insert("".into());
        }
    } else {
        drawn(own, study);
    }
}

/// Gives a figure or a table the paper of its study, unless it has a section of its own in the report.
fn paper(own: &mut Table, study: &Table) {
    if let Some(paper) = study.get("paper").filter(|_| !own.contains_key("section")) {
        own.entry("paper").or_insert(paper.clone());
    }
}

/// Gives a figure, or a part of one, the kind, what it shows against what, and the axes that it leaves out. Of runs that are
/// repeated for several horizons, curves show the ends; regret, where it is known.
fn drawn(own: &mut Table, study: &Table) {
    let curves = *own.entry("kind").or_insert("curves".into()) == "curves".into();
    if let Some(Value::Array(horizons)) = study.get("horizons").filter(|_| curves)
        && let Value::Table(options) = own.entry("options").or_insert(Table::new().into())
    {
        let [one, several] = ["round", "horizon"];
        options.entry("against").or_insert(if horizons.len() > 1 { several } else { one }.into());
        let known = horizons.len() > 1 && study.contains_key("comparator");
        options.entry("show").or_insert(if known { "regret" } else { "average_loss" }.into());
    }
    let loss = study.get("loss").and_then(|loss| loss.as_str().or_else(|| loss.get("name")?.as_str()));
    for (axis, option) in [("x", "against"), ("y", "show")] {
        let quantity = own.get("options").and_then(|options| options.get(option)?.as_str());
        if let Some((_, words)) = AXES.iter().find(|(name, _)| Some(*name) == quantity) {
            own.entry(axis).or_insert(words.replace("{loss}", loss.unwrap_or(squared::ENTRY.name)).into());
        }
    }
}

/// A figure with a claim for each row of its zipped claims.
pub(super) fn claims(mut figure: Table) -> Result<Table, (String, String)> {
    let Some(Value::Array(given)) = figure.get("claims") else { return Ok(figure) };
    let mut all = Vec::new();
    for (i, claim) in given.iter().enumerate() {
        match claim {
            Value::Table(claim) => {
                let rows = worded(claim).map_err(|(field, why)| (format!("claims[{i}].{field}"), why))?;
                if let Some(word) = rows.iter().filter(|_| claim.contains_key(ZIP)).find_map(unsaid) {
                    let why = format!("`{{{word}}}` has no value: give `zip.{WORDS}.{word}`");
                    return Err((format!("claims[{i}]"), why));
                }
                all.extend(rows.into_iter().map(Value::Table));
            }
            other => all.push(other.clone()),
        }
    }
    figure.insert("claims".into(), all.into());
    Ok(figure)
}

/// The key of the parts of a figure.
pub(super) const PARTS: &str = "subfigures";

/// A figure whose parts, where it has some, say what they have from it: kind, axes, options.
pub(super) fn parts(mut figure: Table, study: &Table) -> Result<Table, (String, String)> {
    let Some(Value::Table(mut parts)) = figure.remove(PARTS) else { return Ok(figure) };
    let shared =
        ["kind", "x", "y", "options"].into_iter().filter_map(|key| Some((key.to_owned(), figure.remove(key)?)));
    let shared = Table::from_iter(shared);
    for (name, part) in parts.iter_mut() {
        let Value::Table(part) = part else { continue };
        *part = claims(std::mem::take(part)).map_err(|(field, why)| (format!("{name}.{field}"), why))?;
        complete(part, &shared);
        drawn(part, study);
    }
    figure.insert(PARTS.into(), parts.into());
    Ok(figure)
}

/// The key of zipped words that stand in texts, `{r}` for `zip.words.r`.
const WORDS: &str = "words";

/// The rows of a table's zipped lists, with their words put into its texts.
pub(super) fn worded(table: &Table) -> Result<Vec<Table>, (String, String)> {
    if !table.contains_key(ZIP) {
        return Ok(vec![table.clone()]);
    }
    let mut rows = rows(table)?;
    for row in &mut rows {
        if let Some(Value::Table(words)) = row.remove(WORDS) {
            row.iter_mut().for_each(|(_, value)| put(&words, value));
        }
    }
    Ok(rows)
}

/// A place for a word, in a text of a claim, that no word has filled.
fn unsaid(claim: &Table) -> Option<String> {
    let texts = ["text", "quote", "source"].into_iter().filter_map(|key| claim.get(key)?.as_str());
    texts.flat_map(|text| text.split('{').skip(1)).find_map(|rest| {
        let (word, _) = rest.split_once('}')?;
        let is_word = !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        is_word.then(|| word.to_owned())
    })
}

/// Puts words into the texts of a value.
fn put(words: &Table, value: &mut Value) {
    match value {
        Value::String(text) => {
            for (name, word) in words {
                let word = word.as_str().map_or_else(|| word.to_string(), str::to_owned);
                *text = text.replace(&format!("{{{name}}}"), &word);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| put(words, value)),
        Value::Table(table) => table.iter_mut().for_each(|(_, value)| put(words, value)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts have options and axes from their figure, unless they say otherwise; their claims may be zipped.
    #[test]
    fn parts_have_what_they_do_not_say_from_their_figure() {
        let text = "
            y = 'loss'
            options = { show = 'regret', against = 'horizon', order = ['a'] }
            [subfigures.a]
            options.order = ['b']
            [subfigures.b]
            kind = 'pareto'
            y = 'time'
            [[subfigures.b.claims]]
            text = 'of {which}'
            zip.words.which = ['one', 'two']
        ";
        let parts = |text: &str| parts(toml::from_str(text).unwrap(), &Table::new());
        let figure = parts(text).unwrap();
        let expected = "
            [subfigures.a]
            kind = 'curves'
            x = 'horizon T'
            y = 'loss'
            options = { show = 'regret', against = 'horizon', order = ['b'] }
            [subfigures.b]
            kind = 'pareto'
            x = 'horizon T'
            y = 'time'
            options = { show = 'regret', against = 'horizon', order = ['a'] }
            claims = [{ text = 'of one' }, { text = 'of two' }]
        ";
        assert_eq!(figure, toml::from_str(expected).unwrap());
        let wrong = text.replace("['one', 'two']", "'one'");
        assert!(parts(&wrong).unwrap_err().0.starts_with("b.claims[0]"));
        let unsaid = parts(&text.replace("of {which}", "of {which} and {other}"));
        assert_eq!(unsaid.unwrap_err().1, "`{other}` has no value: give `zip.words.other`");
    }

    #[test]
    fn what_a_figure_leaves_out_follows_from_its_study() {
        let drawn = |study: &str, own: &str| {
            let mut own: Table = own.parse().unwrap();
            drawn(&mut own, &study.parse().unwrap());
            own
        };
        let expected = |text: &str| text.parse::<Table>().unwrap();
        let several = "horizons = [10, 20]\ncomparator = { name = 'law' }\nloss = { name = 'huber' }";
        assert_eq!(
            drawn(several, ""),
            expected(
                "kind = 'curves'\nx = 'horizon T'\ny = 'regret'\noptions = { show = 'regret', against = 'horizon' }"
            )
        );
        let along = "kind = 'curves'\nx = 'round t'\ny = 'average LOSS loss'\n\
                     options = { show = 'average_loss', against = 'round' }";
        assert_eq!(drawn("horizons = ['all']", ""), expected(&along.replace("LOSS", "squared")));
        assert_eq!(drawn(&several.replace("10, ", ""), ""), expected(&along.replace("LOSS", "huber")));
        let said = "kind = 'curves'\nx = 'a'\ny = 'b'\noptions = { show = 'm:a', against = 'p:b' }";
        assert_eq!(drawn(several, said), expected(said));
        // Exhibits of several experiments say it themselves, and so do other kinds.
        assert_eq!(drawn("", ""), expected("kind = 'curves'"));
        assert_eq!(drawn(several, "kind = 'pareto'"), expected("kind = 'pareto'"));
    }
}
