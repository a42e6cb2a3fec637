//! The page of a run: it tells what the run says, changes nothing of it, and is refused before the first row.

use super::*;

/// The page of a run with these arguments, which must succeed, and what the run said and wrote.
fn page(folder: &Folder, args: &[&str]) -> (String, Output) {
    let path = folder.path("page.html");
    let output = stream(&[args, &["--report", path.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    (fs::read_to_string(path).unwrap(), output)
}

#[test]
fn it_tells_what_the_summary_says_and_changes_no_round() {
    let folder = Folder::new();
    let file = folder.file("table.csv", table(700));
    let args = [&RIDGE[..], &["--input", &file]].concat();
    let (page, output) = page(&folder, &args);
    assert_eq!(output.stdout, stream(&args).stdout);
    let rounds = rounds(&output);
    let average = rounds[699][4] / 700.0;
    assert!(page.contains(&format!("<td>{average}</td>")), "the average loss in full");
    let targets = column(&rounds, 1);
    let (mut mean, mut of_mean, mut of_last) = (0.0, 0.0, 0.0);
    for (t, target) in targets.iter().enumerate() {
        of_mean += (target - mean).powi(2) / 700.0;
        of_last += (target - if t > 0 { targets[t - 1] } else { 0.0 }).powi(2) / 700.0;
        mean += (target - mean) / (t + 1) as f64;
    }
    let better = |other: f64| noregret_report::number::significant(100.0 * (1.0 - average / other), 3);
    let expected = format!(
        "over 700 rows: {}\u{202f}% better than the running mean and {}\u{202f}% better than the last value.</h1>",
        better(of_mean),
        better(of_last)
    );
    assert!(page.contains(&expected), "{expected}");
    let worst = rounds.iter().max_by(|a, b| a[3].total_cmp(&b[3])).unwrap();
    let first = format!("<tr><th scope=\"row\" class=\"number\">{}</th>", worst[0]);
    let rows = page.split("<tbody>").nth(1).unwrap();
    assert!(rows.trim_start().starts_with(&first), "{first}");
    assert_eq!(rows.matches("<tr>").count(), 10 + 9, "ten misses, and the facts");
    assert!(page.contains("--report") && page.contains("Time per row"));
    let own = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!own.contains("http") && !own.contains("src="), "it needs no network and no other file");
    assert_eq!(folder.names(), ["page.html", "table.csv"], "no temporary file is left");
}

#[test]
fn mixtures_intervals_classes_and_pipes_have_pages() {
    let folder = Folder::new();
    let file = folder.file("table.csv", table(300));
    let (mixed, _) = page(&folder, &["--input", &file, "--target", "y"]);
    assert!(mixed.contains("Weights of forecasts over time") && !mixed.contains("Intervals over time"));
    let around = ["--learner", "intervals", "--set", "base.name=pkawv-taylor", "--set", "alpha=0.2", "--target", "y"];
    let (around, _) = page(&folder, &[&around[..], &["--input", &file]].concat());
    assert!(around.contains("target level 80.0\u{202f}%") && !around.contains("Weights of"));
    let words: String = (0..60).map(|i| format!("{},{}\n", i % 3, ["oak", "pine", "<b>"][i % 3])).collect();
    let words = folder.file("words.csv", format!("a,kind\n{words}"));
    let (classes, _) = page(&folder, &["--input", &words, "--target", "kind", "--classes"]);
    assert!(classes.contains("better than the running majority") && classes.contains("&lt;b&gt;"));
    let path = folder.path("pipe.html");
    let bad = format!("{}x,1,2\n", table(30));
    let piped = stream_from(
        bad.as_bytes(),
        &[&RIDGE[..], &["--on-bad-row", "skip", "--report", path.to_str().unwrap()]].concat(),
    );
    assert!(piped.status.success(), "{}", stderr(&piped));
    let piped = fs::read_to_string(path).unwrap();
    assert!(piped.contains("y of standard input") && piped.contains("1, which cannot be read: "), "{piped}");
}

/// A row that cannot be read ends a run whose rounds are kept: its page is written, and says so.
#[test]
fn a_run_that_ends_early_has_a_page() {
    let folder = Folder::new();
    let file = folder.file("table.csv", format!("{}x,1,2\n", table(30)));
    let [model, rounds, path] =
        ["model.safetensors", "rounds.csv", "page.html"].map(|name| folder.path(name).to_str().unwrap().to_owned());
    let output =
        stream(&[&RIDGE[..], &["--input", &file, "--save", &model, "--output", &rounds, "--report", &path]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let page = fs::read_to_string(path).unwrap();
    assert!(page.contains("The run ended after row 30: ") && page.contains("over 30 rows"), "{page}");
}

/// A run that goes on tells of its own rows, by their numbers in the file.
#[test]
fn a_resumed_run_says_where_it_begins() {
    let folder = Folder::new();
    let file = folder.file("table.csv", table(400));
    let [model, rounds] =
        ["model.safetensors", "rounds.csv"].map(|name| folder.path(name).to_str().unwrap().to_owned());
    let args = [&RIDGE[..], &["--input", &file, "--save", &model, "--output", &rounds]].concat();
    assert!(stream(&[&args[..], &["--limit", "250"]].concat()).status.success());
    let (page, _) = page(&folder, &[&args[..], &["--resume"]].concat());
    assert!(page.contains("had learnt 250 rows") && page.contains("over 150 rows"), "{page}");
    let row = page.split("<tbody>").nth(1).unwrap().split("<th scope=\"row\" class=\"number\">").nth(1).unwrap();
    let row: u64 = row.split_once('<').unwrap().0.parse().unwrap();
    assert!((251..=400).contains(&row), "{row}");
}

/// The input is not even there: what is wrong with the page is said first.
#[test]
fn a_page_that_cannot_be_written_is_refused_before_the_first_row() {
    let folder = Folder::new();
    let args = [&RIDGE[..], &["--input", "nowhere.csv"]].concat();
    let at = |path: &str| stream(&[&args[..], &["--report", path]].concat());
    let nowhere = folder.path("no").join("page.html").to_str().unwrap().to_owned();
    let output = at(&nowhere);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains(&format!("cannot write --report {nowhere}")), "{message}");
    for (path, why) in
        [(folder.path("").to_str().unwrap(), "not the name of a file"), ("nowhere.csv", "would be replaced")]
    {
        let output = at(path);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(path) && message.contains(why), "{message}");
    }
    // Neither file is there yet, and they are called otherwise.
    let one = folder.path("page.html");
    let parent = one.parent().unwrap();
    let other = parent.join("..").join(parent.file_name().unwrap()).join("page.html");
    let [one, other] = [&one, &other].map(|path| path.to_str().unwrap());
    let output = stream(&[&args[..], &["--report", one, "--output", other]].concat());
    let message = stderr(&output);
    assert!(output.status.code() == Some(2) && message.contains("is the file of --output"), "{message}");
    assert!(folder.names().is_empty());
}
