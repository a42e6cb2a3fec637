//! All claims that figures decide: what was compared, by which rule, and what came out. Claims about measured times are
//! a table of their own, because times do not repeat.

use std::collections::BTreeMap;

use crate::analysis::rate::assessment::Assessment;
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

fn fill(figures: &[Exhibit], rates: &[Assessment]) -> Filled {
    let columns = vec![
        Heading::new("outcome", "Outcome", CellKind::Text),
        Heading::new("claim", "Claim", CellKind::Prose),
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
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut rows = Vec::new();
    for (figure, claim) in figures.iter().flat_map(|figure| figure.claims.iter().map(move |claim| (figure, claim))) {
        let mut claim = claim.clone();
        claim.settle(&verdicts);
        *counts.entry(claim.outcome.clone()).or_default() += 1;
        rows.push(row(figure, &claim));
    }
    let counted: Vec<String> = counts.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
    let counted = if counted.is_empty() { "none".to_owned() } else { counted.join(", ") };
    let caption = format!(
        "Outcomes: {counted}. A claim about an exponent has the verdict of its row in the table of rates, corrected with \
         all rows. Effect: of an order, the value of the curve that is claimed to be higher minus that of the other; of a \
         bound, the end that lies closest to it or beyond it; of an exponent, the exponent minus the bound's. Without an \
         interval, from a single replicate, a claim is undecided."
    );
    Filled { grid: TableGrid { columns, rows }, caption: vec![caption] }
}

fn row(figure: &Exhibit, claim: &ClaimOutcome) -> Vec<TableCell> {
    let learners: Vec<String> = claim.learners.iter().map(|label| plain(label)).collect();
    let text = |text: &str| if text.is_empty() { TableCell::Empty } else { TableCell::Text(text.to_owned()) };
    let half_width = claim.interval.map(|(low, high)| 0.5 * (high - low));
    vec![
        text(&claim.outcome),
        text(&claim.claim),
        text(&claim.source),
        text(&figure.name),
        text(claim.rate.as_deref().unwrap_or_default()),
        text(&learners.join("; ")),
        claim.effect.map_or(TableCell::Empty, |mean| TableCell::Interval { mean, half_width, best: false }),
        TableCell::Count(claim.replicates),
        text(&claim.rule),
        text(&claim.evidence),
        text(figure.paper.map_or("", Paper::title)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exhibit::Body;

    fn claim(outcome: &str, effect: Option<f64>) -> ClaimOutcome {
        ClaimOutcome {
            claim: "A claim.".into(),
            source: "s".into(),
            outcome: outcome.into(),
            rule: "r".into(),
            rate: None,
            learners: vec!["a_{1}".into(), "b".into()],
            effect,
            interval: effect.map(|middle| (middle - 1.0, middle + 1.0)),
            replicates: 5,
            evidence: "e".into(),
        }
    }

    fn figure(name: &str, paper: Option<Paper>, claims: Vec<ClaimOutcome>) -> Exhibit {
        Exhibit {
            name: name.into(),
            paper,
            section: None,
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
        let figures = [
            figure("own", None, vec![claim("not tested", None)]),
            figure("paper", Some(Paper::ALL[0]), vec![claim("supported", Some(3.0)), claim("supported", Some(2.0))]),
        ];
        let Filled { grid, caption } = fill(&figures, &[]);
        assert!(caption[0].starts_with("Outcomes: 1 not tested, 2 supported."), "{caption:?}");
        let words = |row: usize| grid.rows[row].iter().map(TableCell::text).collect::<Vec<_>>();
        assert_eq!(words(0)[..4], ["supported", "A claim.", "s", "paper"]);
        assert_eq!(words(0)[5..8], ["a1; b", "3.0 \u{b1} 1.0", "5"]);
        assert_eq!((words(0)[10].as_str(), words(2)[10].as_str()), (Paper::ALL[0].title(), "\u{2013}"));
        assert_eq!(words(2)[3..7], ["own", "\u{2013}", "a1; b", "\u{2013}"]);
        assert!(fill(&[], &[]).caption[0].starts_with("Outcomes: none."));
    }

    /// What a figure says of a row by itself gives way to what is said of all rows together.
    #[test]
    fn verdicts_are_those_of_all_rows() {
        let own = ClaimOutcome { rate: Some("row".into()), ..claim("steeper by its own test", Some(1.0)) };
        let mut settled = own.clone();
        settled.settle(&BTreeMap::from([("row".into(), "inconclusive (not after Holm's correction)".into())]));
        assert_eq!(settled.outcome, "inconclusive");
        let mut alone = own.clone();
        alone.settle(&BTreeMap::from([("other".into(), "matches".into())]));
        assert_eq!(alone, own);
    }
}
