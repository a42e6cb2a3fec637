//! Claims that are tested on several data sets: a sentence per row, a data set per column.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::exhibit::{Body, ShownExhibit};
use crate::page::verdict::{Tone, class, tone};

/// Sentences by data sets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ClaimMatrix {
    /// The data sets.
    datasets: Vec<String>,
    /// Each sentence with a cell per data set; none where it is not tested there.
    rows: Vec<(String, Vec<Option<MatrixCell>>)>,
}

/// The outcome of a sentence on a data set.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct MatrixCell {
    word: String,
    tone: Tone,
    /// The figure that shows it, as an anchor.
    anchor: String,
}

/// The claims of these exhibits that stand for at least two data sets, in the order of the exhibits.
pub(crate) fn matrix(exhibits: &[&ShownExhibit]) -> Option<ClaimMatrix> {
    let mut sentences: Vec<&str> = Vec::new();
    let mut cells: BTreeMap<(&str, &str), MatrixCell> = BTreeMap::new();
    for shown in exhibits {
        let exhibit = &shown.exhibit;
        let (Body::Figure, Some(dataset)) = (&exhibit.body, dataset(shown)) else { continue };
        for claim in &exhibit.claims {
            if !sentences.contains(&claim.claim.as_str()) {
                sentences.push(&claim.claim);
            }
            let (word, tone) = (class(&claim.outcome).to_owned(), tone(&claim.outcome));
            let anchor = format!("figure-{}", exhibit.name);
            cells.insert((&claim.claim, dataset), MatrixCell { word, tone, anchor });
        }
    }
    let tested = |sentence: &str| cells.keys().filter(|(own, _)| *own == sentence).count();
    sentences.retain(|sentence| tested(sentence) > 1);
    let known: BTreeSet<&str> =
        cells.keys().filter(|(own, _)| sentences.contains(own)).map(|(_, dataset)| *dataset).collect();
    let row = |sentence: &str| {
        let cell = |dataset: &&str| cells.get(&(sentence, *dataset)).cloned();
        (sentence.to_owned(), known.iter().map(cell).collect())
    };
    let rows: Vec<_> = sentences.iter().map(|sentence| row(sentence)).collect();
    (!rows.is_empty()).then(|| ClaimMatrix { datasets: known.iter().map(|name| (*name).to_owned()).collect(), rows })
}

/// The data set of a figure, where it has exactly one.
fn dataset(shown: &ShownExhibit) -> Option<&str> {
    let mut data = shown.exhibit.setup.iter().filter(|(name, _)| name == "Data");
    match (data.next(), data.next()) {
        (Some((_, text)), None) => text.split_once(": ").map(|(name, _)| name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::claims::tests as fixture;

    #[test]
    fn a_sentence_on_two_data_sets_is_a_row() {
        let figure = |dataset: &str, claims: &[(&str, &str)]| {
            let outcome = |(sentence, outcome): &(&str, &str)| crate::exhibit::ClaimOutcome {
                claim: (*sentence).into(),
                ..fixture::claim(outcome, None)
            };
            let mut exhibit = fixture::figure(&format!("{dataset}-loss"), None, claims.iter().map(outcome).collect());
            exhibit.setup = vec![("Data".into(), format!("{dataset}: 10 rows"))];
            ShownExhibit { exhibit, svg: None, files: Vec::new() }
        };
        let one = figure("casp", &[("A < B?", "yes"), ("Only here?", "no")]);
        let other = figure("wine", &[("A < B?", "unclear")]);
        let ClaimMatrix { datasets, rows } = matrix(&[&one, &other]).unwrap();
        assert_eq!(datasets, ["casp", "wine"]);
        let [(sentence, cells)] = rows.as_slice() else { panic!("one sentence stands for two data sets") };
        let words: Vec<&str> = cells.iter().flatten().map(|cell| cell.word.as_str()).collect();
        assert_eq!((sentence.as_str(), words), ("A < B?", vec!["yes", "not decided"]));
        assert_eq!(matrix(&[&one]), None);
    }
}
