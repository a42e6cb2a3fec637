//! Claims of this project's own pipeline. The papers are not here, so that nobody can look up a quote; what can be checked is
//! that each says where it stands.

use std::path::Path;

use noregret_papers::paper::Paper;
use noregret_study::config::declared::Declared;
use noregret_study::config::project::Project;

/// The paper that a source names, as `PKAWV: section 4` does.
fn named(source: &str) -> Option<Paper> {
    let (title, place) = source.split_once(": ")?;
    let papers = Paper::ALL.into_iter().filter(|paper| *paper != Paper::Beyond && !place.is_empty());
    papers.into_iter().find(|paper| paper.title() == title)
}

#[test]
fn claims_with_quotes_are_those_of_a_paper() {
    let project = Project::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let figures = Declared::load(&project, "paper", &[], &[]).unwrap().figures;
    let mut counts = [0, 0];
    for (name, figure) in &figures {
        for claim in figure.spec.tested() {
            let text = &claim.text;
            let Some(quote) = &claim.quote else {
                counts[1] += 1;
                assert!(text.ends_with('?'), "{name}: without a quote it is a question: {text}");
                assert_eq!(named(&claim.source), None, "{name}: a question does not cite like a claim: {text}");
                continue;
            };
            counts[0] += 1;
            let words = quote.split_whitespace().filter(|word| *word != "...").count();
            assert!((3..=40).contains(&words), "{name}: {words} words: {quote}");
            assert!(!text.ends_with('?'), "{name}: a claim is no question: {text}");
            assert!(named(&claim.source).is_some(), "{name}: `{}` names no paper", claim.source);
            assert_eq!(named(&claim.source), figure.spec.paper, "{name}: {text}");
        }
    }
    assert!(counts.iter().all(|count| *count > 20), "claims and questions: {counts:?}");
}
