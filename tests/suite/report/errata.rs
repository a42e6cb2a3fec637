//! Tables of errata.

use noregret_papers::errata::api::{Class, ErratumFinding, ErratumNumber, Paper, Relation};

use super::*;

/// Three made-up errata: of two classes and two papers, in an order that is not that of the table.
fn findings() -> Vec<ErratumFinding> {
    let finding = |id: &str, class, paper, quantities| ErratumFinding {
        id: id.into(),
        paper,
        place: "Lemma 1".into(),
        quote: "some words".into(),
        class,
        reason: "for a reason".into(),
        printed: "|w| <= 1".into(),
        corrected: "|w| <= 2".into(),
        method: "By a search".into(),
        quantities,
    };
    let bound = |printed, found| vec![ErratumNumber::exact("|w|", Relation::AtMost, printed, 2.0, found, 1e-9)];
    vec![
        finding("pkawv-z", Class::Sharpened, Paper::Pkawv, bound(4.0, 2.0)),
        finding("noisy-x", Class::Wrong, Paper::Noisy, bound(1.0, 1.5)),
        finding(
            "pkawv-y",
            Class::Wrong,
            Paper::Pkawv,
            vec![
                ErratumNumber::exact("r", Relation::Equal, 0.123_456_7, 0.123_456_8, 0.123_456_8, 1e-12),
                ErratumNumber::exact("s", Relation::AtLeast, 0.0, None, 1.0, 1e-9),
                ErratumNumber::exact("t", Relation::Equal, None, 3.0, 3.0, 1e-9),
            ],
        ),
    ]
}

fn table_of_errata(name: &str, findings: &[ErratumFinding], absent: &[String]) -> Vec<(PathBuf, Vec<u8>)> {
    let table = table(name);
    let filled = (table.kind.fill)(&TableInput { findings, ..TableInput::default() });
    table::render::render(&table, "quick", filled, absent, &[]).unwrap()
}

#[test]
fn errata_are_grouped_by_class_and_paper_and_say_what_decides() {
    let absent = ["errata/robust-z".to_owned()];
    let files = table_of_errata("errata", &findings(), &absent);
    let rows: Vec<&str> =
        text(&files, "reports/tables/errata.md").lines().filter(|line| line.contains("Lemma 1")).collect();
    assert_eq!(
        rows,
        [
            "| decided for the corrected form | wrong as printed | PKAWV | Lemma 1 | \\|w\\| <= 1 | \\|w\\| <= 2 | By a \
             search. Numbers: r: printed 0.1234567, corrected 0.1234568, found 0.1234568; s: printed at least 0, \
             corrected claims nothing, found 1.000; t: printed claims nothing, corrected 3.000, found 3.000. | some \
             words | for a reason | errata/pkawv-y |",
            "| decided for the corrected form | wrong as printed | Noisy data | Lemma 1 | \\|w\\| <= 1 | \\|w\\| <= 2 | \
             By a search. Numbers: \\|w\\|: printed at most 1.000, corrected at most 2.000, found 1.500. | some words | \
             for a reason | errata/noisy-x |",
            "| both forms hold, the corrected one says more | sharpened | PKAWV | Lemma 1 | \\|w\\| <= 1 | \\|w\\| <= 2 | By \
             a search. Numbers: \\|w\\|: printed at most 4.000, corrected at most 2.000, found 2.000. | some words | for \
             a reason | errata/pkawv-z |",
        ]
    );
    let caption = ShownExhibit::from_files("errata", &files).unwrap().exhibit.caption.join("\n");
    let counts =
        "3 items. wrong as printed: 2 (2 decided for the corrected form). sharpened: 1 (1 both forms hold, the";
    assert!(caption.contains(counts), "{caption}");
    assert!(caption.contains("left out: errata/robust-z."), "{caption}");

    let files = table_of_errata("errata-numbers", &findings(), &[]);
    let csv = text(&files, "reports/tables/errata-numbers.csv");
    assert!(csv.contains("\npkawv-y,r,equal,0.1234567,0.1234568,0.1234568,,,"), "{csv}");
    assert!(csv.contains("\npkawv-y,s,at least,0,,1,,,"), "{csv}");
    assert!(csv.contains("\npkawv-y,t,equal,,3,3,,,"), "{csv}");
}

/// A class that no item has is not listed, and an item that does not show its class is counted as such.
#[test]
fn classes_of_errata_are_counted_by_paper_and_verdict() {
    let mut findings = findings();
    findings[1].quantities = vec![ErratumNumber::exact("|w|", Relation::AtMost, 1.0, 2.0, 0.5, 1e-9)];
    let files = table_of_errata("errata-classes", &findings, &[]);
    let csv = text(&files, "reports/tables/errata-classes.csv");
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "class,meaning,pkawv,noisy-data,infinite-layer-networks,robust,beyond,items,verdicts");
    assert_eq!(rows.len(), 3, "{csv}");
    let (wrong, sharpened) = (rows[1], rows[2]);
    assert!(wrong.ends_with(",1,1,0,0,0,2,1 decided for the corrected form; 1 not shown"), "{csv}");
    assert!(sharpened.starts_with("sharpened,") && sharpened.contains(",1,0,0,0,0,1,"), "{csv}");
}
