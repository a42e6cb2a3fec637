//! What a figure shows of its experiments in hindsight: the solutions of comparators, beside the curves of learners.

use noregret_core::comparator::COMPARATORS;
use noregret_core::comparator::api::Comparator;
use noregret_core::loss::squared;
use noregret_core::params::ParamError;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::stream::spec::Origin;
use toml::{Table, Value};

use super::{each, path};
use crate::config::ConfigError;
use crate::config::experiment::Experiment;
use crate::config::grid::fill_label;
use crate::figure::compute::hindsight::Hindsight;
use noregret_report::figure::api::FigureSpec;

/// The comparators that a figure declares: `[[hindsight]]` with a `label`, the `name` of a comparator and its parameters.
/// Lists and `zip` stand for alternatives, as in experiments.
///
/// # Errors
/// What is wrong with which of them.
pub(crate) fn hindsight(spec: &FigureSpec) -> Result<Vec<Hindsight>, ConfigError> {
    each(spec, "hindsight", &spec.hindsight, read, |one| &one.label)
}

fn read(table: &Table) -> Result<Hindsight, ParamError> {
    let mut rest = table.clone();
    let mut text = |field: &str| match rest.remove(field) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(ParamError::refused(field, "must be text")),
    };
    let (template, name) = (text("label")?, text("name")?);
    let label = fill_label(&template, table)
        .map_err(|name| ParamError::refused("label", format!("`{{{name}}}` is not given here")))?;
    let entry = COMPARATORS.find(&name)?;
    let params = check(entry.params, &rest, "", &AllParts)?;
    (entry.build)(&params)?;
    Ok(Hindsight { label, entry, params })
}

/// Whether these can be solved on the rounds of `experiment`, beside whose labels they stand.
///
/// # Errors
/// Why not.
pub(crate) fn fits(spec: &FigureSpec, all: &[Hindsight], experiment: &Experiment) -> Result<(), ConfigError> {
    let design = &experiment.design;
    let law = |origin: &Origin| matches!(origin, Origin::Law(_));
    let squared = design.loss.part.name == squared::ENTRY.name;
    for one in all {
        let accepts = |comparator: Box<dyn Comparator>| comparator.accepts(&*design.loss.object);
        let why = match design.streams.iter().find(|stream| !law(&stream.origin)) {
            Some(stream) => Some(format!("the rounds of {} are made by no law", stream.name())),
            None if experiment.cells.iter().any(|cell| *cell.label == *one.label) => {
                Some(format!("{} has a curve `{}` already", design.name, one.label))
            }
            None if squared => None,
            None => (one.entry.build)(&one.params).ok().and_then(|built| accepts(built).err()),
        };
        if let Some(why) = why {
            return Err(ConfigError::Field { path: path(spec), field: "hindsight".into(), why });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::config::draft::Draft;

    fn spec(hindsight: &str) -> FigureSpec {
        let text = format!(
            "kind = 'curves'\nexperiments = ['e']\ntitle = ''\nx = ''\ny = ''\nshows = ''\n\
             options = {{ show = 'regret', against = 'horizon' }}\n{hindsight}"
        );
        noregret_report::figure::registry::read("test", &text).unwrap().spec
    }

    const SEGMENTS: &str = "[[hindsight]]\nname = 'best-segments'\nlabel = 'k = {switches}'\nswitches = [0, 2]\n";

    #[test]
    fn lists_are_alternatives_and_mistakes_are_named() {
        let found = hindsight(&spec(SEGMENTS)).unwrap();
        assert_eq!(found.iter().map(|one| one.label.as_str()).collect::<Vec<_>>(), ["k = 0", "k = 2"]);
        assert_eq!(noregret_core::params::typed::field(&found[1].params, "switches"), Some(2_u64));
        for (text, expected) in [
            ("label = 'a'", "`name`"),
            ("name = 'best-segments'", "`label`"),
            ("name = 'best-segment'\nlabel = 'a'", "unknown comparator `best-segment`"),
            ("name = 'best-segments'\nlabel = 'a'\nswitches = -1", "switches"),
            ("name = 'best-segments'\nlabel = 'a'\nswitches = [1, 2]", "two are called `a`"),
            ("name = 'best-segments'\nlabel = '{order}'", "`{order}` is not given here"),
        ] {
            let error = hindsight(&spec(&format!("[[hindsight]]\n{text}"))).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    fn experiment(more: &str, label: &str) -> Experiment {
        let text = format!(
            "title = 't'\nreplicates = 1\nhorizons = [8]\n{more}\n[[learners]]\nname = 'kernel-awv'\nlambda = 1\nlabel = '{label}'\n"
        );
        let draft =
            Draft::new(("e", "e.toml"), text.parse().unwrap(), ("paper", &["paper"]), &[], &mut [], &Arc::default());
        Experiment::check(draft.unwrap(), &BTreeMap::new()).unwrap()
    }

    #[test]
    fn only_laws_and_losses_that_fit_are_solved() {
        let (law, loss) = ("[stream]\nlaw = 'uniform-inputs'\ndim = 1", "loss = 'absolute'\n");
        let spec = spec(SEGMENTS);
        let refused = |experiment: &Experiment| {
            let outcome = fits(&spec, &hindsight(&spec).unwrap(), experiment);
            outcome.err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert_eq!(refused(&experiment(law, "a")), "");
        assert!(refused(&experiment(law, "k = 2")).contains("has a curve `k = 2` already"));
        assert!(refused(&experiment(&format!("{loss}{law}"), "a")).contains("squared loss"));
        let adversary = "[stream]\nlaw = 'greedy-adversary'\ndim = 1";
        assert!(refused(&experiment(adversary, "a")).contains("made by no law"));
    }
}
