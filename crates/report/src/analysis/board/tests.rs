use super::*;
use crate::analysis::record::tests::run;
use noregret_core::protocol::grid::RoundGrid;

/// A run of a label on a stream with these losses, round by round, which a logarithmic grid records.
pub(crate) fn runs(
    stream: &str,
    label: &str,
    replicate: u64,
    in_file_order: bool,
    losses: &[f64],
) -> (RunResult, Vec<TraceRow>) {
    let rounds = losses.len() as u64;
    let grid = RoundGrid::default().rounds(rounds);
    let mut cumulative_loss = 0.0;
    let mut rows = Vec::new();
    for (t, loss) in (1..).zip(losses) {
        cumulative_loss += loss;
        if grid.binary_search(&t).is_ok() {
            rows.push(TraceRow { t, cumulative_loss, ..TraceRow::default() });
        }
    }
    let run_id = format!("{stream}-{label}-{replicate}");
    let stream = stream.to_owned();
    (RunResult { run_id, stream, in_file_order, ..run(label, replicate, rounds) }, rows)
}

/// An experiment of such runs.
pub(crate) fn board(runs: Vec<(RunResult, Vec<TraceRow>)>) -> ExperimentResults {
    let checkpoints = runs.iter().map(|(run, rows)| (run.run_id.clone(), rows.clone())).collect();
    let runs = runs.into_iter().map(|(run, _)| run).collect();
    ExperimentResults { name: "e".into(), runs, checkpoints, ..ExperimentResults::default() }
}

/// A run of 100 rounds that loses `early` in each of the first ten and `late` afterwards.
pub(crate) fn changing(stream: &str, label: &str, early: f64, late: f64) -> (RunResult, Vec<TraceRow>) {
    let losses: Vec<f64> = (0..100).map(|t| if t < 10 { early } else { late }).collect();
    runs(stream, label, 0, true, &losses)
}

#[test]
fn labels_of_a_grid_belong_to_one_entry() {
    for (label, entry) in [
        ("KRR (eta = 0.1, kernel.bandwidth = 2)", "KRR"),
        ("River, neighbours (neighbours = 5)", "River, neighbours"),
        ("SGD (random features)", "SGD (random features)"),
        ("SGD (Nystroem) (eta = 1)", "SGD (Nystroem)"),
        ("trees (as good as = better)", "trees (as good as = better)"),
        ("auto", "auto"),
    ] {
        assert_eq!(entry_of(label), entry);
    }
}

/// The setting that is best at first is not the one that is best in hindsight.
#[test]
fn a_choice_on_the_first_tenth_looks_at_nothing_later() {
    let experiment = board(vec![
        changing("s", "a (eta = 1)", 1.0, 3.0),
        changing("s", "a (eta = 2)", 2.0, 0.5),
        changing("s", "b", 1.0, 1.0),
    ]);
    let made =
        |choices| Board::new(&[&experiment], &BoardRequest { choices, of: Some("b"), ..BoardRequest::default() });
    let both = made(ShownChoices::Both);
    let names: Vec<String> = both.entries.iter().map(BoardEntry::name).collect();
    assert_eq!(names, ["b", "a", "a, hindsight"]);
    let scores: Vec<f64> = (0..3).map(|entry| both.streams[0].score(entry, LossPart::All).unwrap()).collect();
    assert_eq!(scores, [1.0, 2.8, 0.65]);
    assert_eq!(both.streams[0].best(LossPart::All), Some(0.65));
    let halves: Vec<f64> = (0..3).map(|entry| both.streams[0].score(entry, LossPart::SecondHalf).unwrap()).collect();
    assert_eq!(halves, [1.0, 3.0, 0.5]);
    // Whatever comes later, the choice is the same.
    let worse = board(vec![changing("s", "a (eta = 1)", 1.0, 9.0), changing("s", "a (eta = 2)", 2.0, 0.0)]);
    let found = Board::new(&[&worse], &BoardRequest::default());
    assert_eq!(found.streams[0].score(0, LossPart::All), Some(8.2));
    // `of` is chosen honestly where the others are not.
    let ours = Board::new(
        &[&experiment],
        &BoardRequest { choices: ShownChoices::Hindsight, of: Some("a"), ..BoardRequest::default() },
    );
    assert_eq!(ours.entries[0].choice, Some(SettingChoice::FirstTenth));
}

#[test]
fn what_has_no_result_says_why() {
    let mut diverged = changing("s", "a", 1.0, 1.0);
    diverged.0.status = EndStatus::Diverged;
    let (mut failed, _) = changing("s", "b", 1.0, 1.0);
    failed.status = EndStatus::Failed;
    let shorter = runs("s", "c", 0, true, &[1.0; 50]);
    let (mut nobody, _) = changing("u", "d", 1.0, 1.0);
    nobody.status = EndStatus::Failed;
    let (mut partly, _) = changing("t", "e", 1.0, 1.0);
    partly.status = EndStatus::Failed;
    let experiment = board(vec![
        diverged,
        (failed, Vec::new()),
        (nobody, Vec::new()),
        (partly, Vec::new()),
        changing("s", "e", 1.0, 1.0),
        shorter,
        changing("s", "d", 1.0, 1.0),
        changing("t", "d", 1.0, 1.0),
    ]);
    let found = Board::new(&[&experiment], &BoardRequest::default());
    let words = |stream: usize| found.streams[stream].outcomes.iter().map(Outcome::word).collect::<Vec<_>>();
    assert_eq!(words(0), [Some("diverged"), Some("fewer rounds"), None, None]);
    assert_eq!(words(1), [Some("not run"), Some("not run"), None, Some("failed")]);
    // `b` has no result anywhere, and nobody has one on `u`.
    assert_eq!(found.silent, [vec!["u".to_owned()], vec!["b".to_owned()]]);
    assert_eq!(found.streams[0].score(0, LossPart::All), Some(f64::INFINITY));
    // Failures are no results: `c` is not ranked, and `a` and `e` are, with their one stream of two.
    assert_eq!(found.ranked(LossPart::All), [0, 2, 3]);
    assert_eq!(found.complete(&[0, 2], LossPart::All), [(0, vec![f64::INFINITY, 1.0])]);
    // A setting that diverged later was chosen nevertheless.
    let mut later = changing("s", "a (eta = 1)", 0.5, 1.0);
    later.0.status = EndStatus::Diverged;
    let experiment = board(vec![later, changing("s", "a (eta = 2)", 1.0, 1.0)]);
    let words = |choices| {
        let found = Board::new(&[&experiment], &BoardRequest { choices, ..BoardRequest::default() });
        found.streams[0].outcomes[0].word()
    };
    assert_eq!((words(ShownChoices::FirstTenth), words(ShownChoices::Hindsight)), (Some("diverged"), None));
}

#[test]
fn errors_count_where_all_runs_have_them() {
    let counted = |label: &str| {
        let (run, mut rows) = changing("s", label, 1.0, 1.0);
        rows.iter_mut().for_each(|row| row.cumulative_error = Some(0.25 * row.t as f64));
        (run, rows)
    };
    let score = |experiment: &ExperimentResults| {
        Board::new(&[experiment], &BoardRequest::default()).streams[0].score(0, LossPart::All)
    };
    assert_eq!(score(&board(vec![counted("a"), counted("b")])), Some(0.25));
    assert_eq!(score(&board(vec![counted("a"), changing("s", "b", 1.0, 1.0)])), Some(1.0));
}

/// A run of fewer rounds says nothing of the longest ones, and hides nothing of them.
#[test]
fn the_best_is_that_of_the_longest_runs() {
    let shorter = |label: &str| {
        let (run, rows) = runs("s", label, 0, true, &[0.1; 40]);
        (RunResult { run_id: format!("{label}-short"), ..run }, rows)
    };
    let experiment =
        board(vec![changing("s", "a", 2.0, 2.0), shorter("a"), changing("s", "b", 3.0, 3.0), shorter("b")]);
    let found = Board::new(&[&experiment], &BoardRequest::default());
    assert_eq!((found.streams[0].rounds, found.streams[0].best(LossPart::All)), (100, Some(2.0)));
}
