//! The picture of a comparison: the average loss of each learner along the rows that judge, in the units of the file. Each
//! curve ends at the number that the leaderboard has.

use crate::compare::board::{Board, Entrant, Place};
use crate::compare::metric::Metric;
use noregret_report::chart::format::Format;
use noregret_report::chart::layout::scene;
use noregret_report::chart::plot::{AxisSpec, Chart, Series};
use noregret_report::chart::png::png;
use noregret_report::chart::svg::svg;

/// The most curves; more cannot be told apart.
const CURVES: usize = 7;

/// The files of a picture.
pub struct Picture {
    /// As SVG.
    pub svg: String,
    /// As PNG.
    pub png: Vec<u8>,
}

/// Who is drawn: those of `always` that were ranked, and the best others, in the order of the leaderboard.
pub fn drawn<'a>(board: &'a Board, always: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
    let ranked =
        || board.leaderboard.iter().filter(|line| line.place != Place::Unranked).map(|line| line.learner.as_str());
    let mut room = CURVES.saturating_sub(ranked().filter(|learner| always(learner)).count());
    let mut shown = Vec::new();
    for learner in ranked() {
        if always(learner) {
            shown.push(learner);
        } else if room > 0 {
            room -= 1;
            shown.push(learner);
        }
    }
    shown
}

/// The points of an entrant's curve: the average since the rows that judge began, over its runs.
pub(crate) fn curve(entrant: &Entrant, half: u64, metric: Metric) -> Vec<(f64, f64)> {
    let Some((_, first)) = entrant.runs.first() else { return Vec::new() };
    let point = |round: u64| {
        let of = |at| {
            let sums = entrant.runs.iter().map(|(_, run)| Some(run.at(at)?.of(metric)));
            Some(sums.collect::<Option<Vec<f64>>>()?.iter().sum::<f64>() / entrant.runs.len() as f64)
        };
        Some((round as f64, (of(round)? - of(half)?) / (round - half) as f64))
    };
    let rounds: Vec<u64> = first.marks.iter().map(|(round, _)| *round).filter(|round| *round > half).collect();
    // Averages over the first few rows say little.
    let from = half + (rounds.last().unwrap_or(&half) - half) / 20;
    rounds.into_iter().filter(|round| *round >= from).filter_map(point).collect()
}

/// Draws the picture. None where nothing was ranked.
///
/// # Errors
/// What could not be drawn.
pub fn picture(
    board: &Board,
    entrants: &[Entrant],
    (name, metric): (&str, Metric),
    always: &dyn Fn(&str) -> bool,
) -> Result<Option<Picture>, String> {
    let names = drawn(board, always);
    let find = |name: &&str| entrants.iter().find(|entrant| entrant.learner == **name);
    let series: Vec<Series> = names
        .iter()
        .filter_map(find)
        .map(|entrant| {
            let points = curve(entrant, board.chose, metric);
            Series::line(entrant.learner.clone(), points).like(entrant.learner.clone(), entrant.learner.clone())
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    if series.is_empty() {
        return Ok(None);
    }
    let values = || series.iter().flat_map(|one| &one.points).map(|point| point.y);
    let (low, high) = values().fold((f64::INFINITY, 0.0_f64), |(low, high), y| (low.min(y), high.max(y)));
    let label = format!("average {} since row {}", metric.title(), board.chose + 1);
    // Where losses differ by orders of magnitude, the small ones are to be told apart, too.
    let y = if low > 0.0 && high > 20.0 * low { AxisSpec::log(&label) } else { AxisSpec::linear(&label) };
    let chart = Chart { series, ..Chart::empty(AxisSpec::linear("row"), y) };
    let description = format!(
        "The average {} of each learner over the rows {} to {} of {name}, which did not choose its setting, in the unit of the \
         file; each curve ends at the number of the leaderboard. {}",
        metric.title(),
        board.chose + 1,
        board.rows,
        board.verdict
    );
    let scene = scene(&[chart], 1, &Format::WEB, &format!("{name}: learners compared"), &description);
    Ok(Some(Picture { svg: svg(&scene), png: png(&scene)? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::board::ranked;
    use crate::compare::field::{Played, marks};
    use crate::compare::metric::Sums;

    fn entrant(learner: &str, loss: f64) -> Entrant {
        let sums = |round: u64| Sums { squared: loss * round as f64 + (round % 3) as f64, ..Sums::default() };
        let marks: Vec<_> = marks(400).iter().map(|round| (*round, sums(*round))).collect();
        let run = Played { rounds: 400, total: sums(400), marks, ..Played::default() };
        let baseline = learner.starts_with("base");
        let (setting, parameters) = (0, String::new());
        Entrant { learner: learner.into(), setting, parameters, baseline, runs: vec![(0, run)], short: None }
    }

    #[test]
    fn baselines_are_drawn_however_bad_they_are_and_curves_end_at_the_leaderboard() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "base1", "base2", "auto"];
        let entrants: Vec<Entrant> = names.iter().zip(1..).map(|(name, loss)| entrant(name, f64::from(loss))).collect();
        let board = ranked(&entrants, 400, Metric::Squared, false);
        let always = |name: &str| name.starts_with("base") || name == "auto";
        assert_eq!(drawn(&board, &always), ["a", "b", "c", "d", "base1", "base2", "auto"]);
        for (one, line) in entrants.iter().zip(&board.leaderboard) {
            let last = *curve(one, 200, Metric::Squared).last().unwrap();
            assert!(last.0 == 400.0 && (last.1 - line.loss.unwrap()).abs() < 1e-12);
        }
        let picture = picture(&board, &entrants, ("x", Metric::Squared), &always).unwrap().unwrap();
        for name in ["a", "d", "base1", "auto"] {
            assert!(picture.svg.contains(&format!("data-name=\"{name}\"")), "{name}");
        }
        assert!(!picture.svg.contains("data-name=\"e\"") && picture.png.starts_with(b"\x89PNG"));
    }

    #[test]
    fn nothing_ranked_nothing_drawn() {
        let board = ranked(&[], 400, Metric::Squared, false);
        assert!(picture(&board, &[], ("x", Metric::Squared), &|_| true).unwrap().is_none());
    }
}
