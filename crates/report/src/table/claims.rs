//! All claims of papers that figures decide, and the questions of ours that they answer: what was compared, by which rule,
//! and what came out. Claims about measured times are a table of their own, because times do not repeat.

use std::collections::BTreeMap;

use crate::analysis::claim::Agreement;
use crate::analysis::rate::assessment::Assessment;
use crate::analysis::words;
use crate::chart::svg::plain;
use crate::exhibit::{ClaimOutcome, Exhibit, ExhibitNeed};
use crate::rates::settled;
use crate::table::api::{Filled, TableKind};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};
use noregret_papers::paper::Paper;

pub(crate) static KIND: TableKind =
    TableKind::new("claims", module_path!(), &[ExhibitNeed::Claims, ExhibitNeed::Rates], |given| {
        fill(given.figures, given.rates)
    });

pub(crate) static TIMES: TableKind =
    TableKind::new("claims-times", module_path!(), &[ExhibitNeed::Claims, ExhibitNeed::Rates], |given| {
        fill(given.figures, given.rates)
    })
    .measured();

pub(crate) fn fill(figures: &[Exhibit], rates: &[Assessment]) -> Filled {
    let columns = vec![
        Heading::new("outcome", "Outcome", CellKind::Text),
        // The first page tells questions from claims by it.
        Heading::new("whose", "Whose", CellKind::Text),
        Heading::new("claim", "Claim or question", CellKind::Prose),
        Heading::new("quote", "The paper's words", CellKind::Prose).detail(),
        Heading::new("source", "Source", CellKind::Prose).detail(),
        Heading::new("figure", "Figure", CellKind::Text),
        Heading::new("rate", "Row of rates", CellKind::Text).detail(),
        Heading::new("learners", "Compared", CellKind::Prose),
        Heading::new("effect", "Effect and interval", CellKind::Interval),
        Heading::new("replicates", "Replicates", CellKind::Count),
        Heading::new("rule", "Rule", CellKind::Prose).detail(),
        Heading::new("evidence", "Evidence", CellKind::Prose).detail(),
        // Pages choose rows by it.
        Heading::new("paper", "Paper", CellKind::Text).detail(),
    ];
    let verdicts = settled(rates);
    let rank = |figure: &Exhibit| Paper::ALL.iter().position(|paper| Some(*paper) == figure.paper);
    let mut figures: Vec<&Exhibit> = figures.iter().collect();
    figures.sort_by_key(|figure| {
        (rank(figure).unwrap_or(usize::MAX), figure.place.unwrap_or(u32::MAX), figure.name.clone())
    });
    // Of claims, and of questions.
    let mut counts: [BTreeMap<String, usize>; 2] = Default::default();
    let mut rows = Vec::new();
    for (figure, claim) in figures.iter().flat_map(|figure| figure.claims.iter().map(move |claim| (figure, claim))) {
        let mut claim = claim.clone();
        claim.settle(&verdicts);
        *counts[usize::from(claim.quote.is_none())].entry(claim.outcome.clone()).or_default() += 1;
        rows.push(row(figure, &claim));
    }
    Filled { grid: TableGrid { columns, rows }, caption: caption(&counts) }
}

/// How many claims and questions have which outcome, and what the outcomes mean: paragraphs of the caption.
fn caption([claims, questions]: &[BTreeMap<String, usize>; 2]) -> Vec<String> {
    let counted = |counts: &BTreeMap<String, usize>| {
        let words: Vec<String> = counts.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        let all = counts.values().sum::<usize>();
        if words.is_empty() { "none".to_owned() } else { format!("{all} ({})", words.join(", ")) }
    };
    let whose = format!(
        "Claims of papers: {}. Questions of ours: {}. A claim is a paper's where it quotes the sentence that it tests; an \
         exponent has the verdict of its row in the table of rates, and the first page counts it there. What no paper says is a question of ours: {} or {} \
         is an answer, neither for nor against a paper.",
        counted(claims),
        counted(questions),
        words::question(Agreement::Supported),
        words::question(Agreement::Contradicted),
    );
    let chance = "Outcomes, apart from exponents, are not corrected for the number of claims and questions (neither by Holm \
                  nor otherwise). Where two curves are equal in truth, or an end is exactly at its bound, a 95 % interval \
                  lies on one side all the same in about one of twenty cases: so many are decided, for or against, by chance \
                  alone. Of orders that are claimed rightly, at most one in forty is called contradicted.";
    let effect = "Effect: of an order, the value of the curve that is claimed to be higher minus that of the other; of a bound, \
                  the end that lies closest to it or beyond it; of an exponent, the exponent minus the bound's. Without an \
                  interval, from a single replicate, nothing is decided.";
    vec![whose, chance.to_owned(), effect.to_owned()]
}

fn row(figure: &Exhibit, claim: &ClaimOutcome) -> Vec<TableCell> {
    let learners: Vec<String> = claim.learners.iter().map(|label| plain(label)).collect();
    let text = |text: &str| if text.is_empty() { TableCell::Empty } else { TableCell::Text(text.to_owned()) };
    let half_width = claim.interval.map(|(low, high)| 0.5 * (high - low));
    vec![
        text(&claim.outcome),
        text(claim.whose()),
        text(&claim.claim),
        text(claim.quote.as_deref().unwrap_or_default()),
        text(&claim.source),
        text(&figure.name),
        text(claim.rate.as_deref().unwrap_or_default()),
        text(&learners.join("; ")),
        claim.effect.map_or(TableCell::Empty, |mean| TableCell::Interval { mean, half_width, best: false }),
        TableCell::Count(claim.replicates),
        text(&claim.rule),
        text(&claim.told()),
        text(figure.paper.map_or("", Paper::title)),
    ]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::exhibit::Body;

    pub(crate) fn claim(outcome: &str, effect: Option<f64>) -> ClaimOutcome {
        ClaimOutcome {
            claim: "A claim.".into(),
            quote: Some("it is so".into()),
            source: "s".into(),
            title: Default::default(),
            outcome: outcome.into(),
            rule: "r".into(),
            rate: None,
            learners: vec!["a_{1}".into(), "b".into()],
            effect,
            interval: effect.map(|middle| (middle - 1.0, middle + 1.0)),
            replicates: 5,
            evidence: "e".into(),
            explanation: None,
        }
    }

    pub(crate) fn figure(name: &str, paper: Option<Paper>, claims: Vec<ClaimOutcome>) -> Exhibit {
        Exhibit {
            name: name.into(),
            paper,
            section: None,
            finding: None,
            title: String::new(),
            caption: Vec::new(),
            measured: false,
            place: None,
            claims,
            setup: Vec::new(),
            panels: Vec::new(),
            body: Body::Figure,
        }
    }

    #[test]
    fn claims_of_all_figures_are_counted() {
        let question = ClaimOutcome { quote: None, ..claim("no", Some(3.0)) };
        let figures = [
            figure("own", None, vec![claim("not tested", None), question]),
            figure("paper", Some(Paper::ALL[0]), vec![claim("supported", Some(3.0)), claim("supported", Some(2.0))]),
        ];
        let Filled { grid, caption } = fill(&figures, &[]);
        let counted = "Claims of papers: 3 (1 not tested, 2 supported). Questions of ours: 1 (1 no). ";
        assert!(caption[0].starts_with(counted), "{caption:?}");
        let words = |row: usize| grid.rows[row].iter().map(TableCell::text).collect::<Vec<_>>();
        assert_eq!(words(0)[..6], ["supported", "the paper's", "A claim.", "it is so", "s", "paper"]);
        assert_eq!(words(0)[7..10], ["a1; b", "3.0 \u{b1} 1.0", "5"]);
        assert_eq!((words(0)[12].as_str(), words(2)[12].as_str()), (Paper::ALL[0].title(), "\u{2013}"));
        assert_eq!(words(2)[5..9], ["own", "\u{2013}", "a1; b", "\u{2013}"]);
        assert_eq!(words(3)[..4], ["no", "our question", "A claim.", "\u{2013}"]);
        assert!(fill(&[], &[]).caption[0].starts_with("Claims of papers: none. Questions of ours: none."));
    }

    /// What a figure says of a row by itself gives way to what is said of all rows together.
    #[test]
    fn verdicts_are_those_of_all_rows() {
        let own = ClaimOutcome {
            rate: Some("row".into()),
            ..claim("steeper than the bound on this range by its own test", Some(1.0))
        };
        let with = |verdict: &str, claim: &ClaimOutcome| {
            let mut settled = claim.clone();
            settled.settle(&BTreeMap::from([("row".into(), verdict.into())]));
            settled.outcome
        };
        let open = "inconclusive (steeper than the bound on this range by its own test, not after Holm's correction)";
        assert_eq!(with(open, &own), "inconclusive");
        let steeper = "steeper than the bound on this range";
        assert_eq!(with(&format!("{steeper}; curved"), &own), steeper);
        let question = ClaimOutcome { quote: None, ..own.clone() };
        let answers = [open, steeper, "faster than the bound", "missing: not run"].map(|one| with(one, &question));
        assert_eq!(answers, ["unclear", "no", "yes", "no data"]);
        let mut alone = own.clone();
        alone.settle(&BTreeMap::from([("other".into(), "matches".into())]));
        assert_eq!(alone, own);
    }
}
