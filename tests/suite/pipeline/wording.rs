//! What readers see of figures and tables holds no internal name and no number that says nothing.

use super::project::{SPLINE_RATE, Small, read};

/// The first thing in a text that means nothing to a reader.
fn meaningless(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let trimmed = |word: &str| word.trim_matches(|c: char| "(),;:.".contains(c)).to_owned();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let bare = trimmed(word);
        // The prefix of measures and parameters, and names with underscores, which are those of columns.
        let named = ["m:", "p:"].iter().any(|prefix| bare.starts_with(prefix) && bare.len() > 2);
        let parts: Vec<&str> = bare.split('_').collect();
        let column = parts.len() > 1
            && parts
                .iter()
                .all(|part| part.len() > 1 && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()));
        // A zero with a sign, or with decimals that say nothing beside an interval.
        let digits = bare.trim_start_matches(['-', '\u{2212}', '+']);
        let zero = !digits.is_empty() && digits.chars().all(|c| c == '0' || c == '.');
        let signed = zero && digits.len() < bare.len();
        let decimals = zero && digits.contains('.') && next == "\u{b1}";
        // A change of more than a thousand per cent is a factor.
        let change = next.starts_with('%')
            && bare.starts_with(['+', '-'])
            && digits.split('.').next().is_some_and(|whole| whole.len() > 3);
        // More than six digits before the point.
        let long = digits.len() > 7 && digits.chars().all(|c| c.is_ascii_digit());
        if named || column || signed || decimals || change || long {
            return Some(format!("`{word} {next}` in: {text}"));
        }
    }
    ["at most 0 at", "0 of 1 choices"]
        .iter()
        .find(|words| text.contains(*words))
        .map(|words| format!("`{words}` in: {text}"))
}

/// The texts of a description that are written for readers.
fn texts(description: &serde_json::Value) -> Vec<String> {
    let mut found = Vec::new();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    found.push(text(&description["title"]));
    found.extend(description["caption"].as_array().into_iter().flatten().map(text));
    for claim in description["claims"].as_array().into_iter().flatten() {
        found.extend(["claim", "outcome", "rule", "evidence"].map(|field| text(&claim[field])));
    }
    let grid = &description["body"]["table"];
    found.extend(grid["columns"].as_array().into_iter().flatten().map(|column| text(&column["title"])));
    for cell in grid["rows"].as_array().into_iter().flatten().flat_map(|row| row.as_array().into_iter().flatten()) {
        found.extend(cell["text"].as_str().map(str::to_owned));
    }
    found
}

#[test]
fn what_means_nothing_is_refused() {
    for wrong in [
        "FOGD minus KRR is -0.00000 \u{b1} 0.00018 at round 5000",
        "is 0.00 \u{b1} 0.15",
        "the difference is -0.",
        "A and B differ by at most 0 at round 9",
        "Lowest means: b 1.00 at 2 (+350283.2 % against 0 one).",
        "no exponent: m:excess_risk_averaged is not positive",
        "Average of average_loss",
        "0 of 1 choices are at no end of a list",
        "the bound is 12345678",
    ] {
        assert!(meaningless(wrong).is_some(), "{wrong}");
    }
    for right in [
        "FOGD minus KRR is 0 \u{b1} 0.00018 at round 5000 (5 paired replicates).",
        "Lowest means: b 1.00 at 2 (+3.4 % from \u{201c}clean\u{201d}).",
        "regret of (f(x) - y)^{2}, x_{t} and eta_0 of 0.5; T^(-2r/(2r+1))",
        "the exponent is -0.250 \u{b1} 0.010; 45\u{202f}730 rows",
    ] {
        assert_eq!(meaningless(right), None);
    }
}

#[test]
fn descriptions_are_written_for_readers() {
    let project = Small::new();
    project.edit("pipeline/experiments/spline-regret.toml", "replicates = 2", "replicates = 6");
    project.edit("pipeline/experiments/spline-regret.toml", "[32, 64]", "[16, 32, 64, 128]");
    project.write("pipeline/rates/own-row.toml", SPLINE_RATE);
    project.write("pipeline/rates/measure.toml", &SPLINE_RATE.replace("\"regret\"", "\"m:test_loss\""));
    let tuned = "\n[[learners]]\nname = \"fogd\"\nlabel = \"tuned\"\nfeatures = 20\n\
                 tune = { horizon = 50, replicates = 1, eta = [0.1, 0.2] }\n";
    project.write("pipeline/experiments/wine-quality.toml", &(super::project::WINE.to_owned() + tuned));
    let claims = r#"
[[claims]]
text = "FOGD loses what FOGD loses."
quote = "it loses what it loses"
source = "here"
test = { ends_below = { curves = ["FOGD"], value = 1e9 } }

[[claims]]
text = "Does PKRR lose less than FOGD?"
source = "here"
test = { order = { lower = "pkrr-taylor", higher = "FOGD" } }
"#;
    project.write("pipeline/figures/wine-quality-loss.toml", &format!("{}{claims}", super::project::WINE_LOSS));
    let spline = read(&project.path().join("pipeline/figures/spline-regret.toml"));
    let claim = "\n[[claims]]\ntext = \"It grows as stated.\"\nquote = \"it grows so\"\nsource = \"here\"\ntest = { rate = \"own-row\" }\n";
    project.write("pipeline/figures/spline-regret.toml", &(spline + claim));
    for kind in ["rates", "bounds", "costs", "claims", "tuning"] {
        let experiments = if kind == "tuning" { "\"wine-quality\"" } else { "" };
        let text = format!("kind = \"{kind}\"\nexperiments = [{experiments}]\ntitle = \"Table\"\nshows = \"Rows\"\n");
        project.write(&format!("pipeline/tables/{kind}.toml"), &text);
    }
    project.run(&["-j", "2"]);
    let files = project.files(&["reports"]);
    let descriptions: Vec<_> =
        files.iter().filter(|path| path.extension().is_some_and(|kind| kind == "json")).collect();
    assert!(descriptions.len() >= 8, "{descriptions:?}");
    let mut wrong = Vec::new();
    for path in descriptions {
        let description: serde_json::Value = serde_json::from_str(&read(path)).unwrap();
        wrong.extend(texts(&description).iter().filter_map(|text| meaningless(text)));
        assert!(description["setup"].as_array().is_some_and(|setup| setup.len() >= 3), "{}", path.display());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Claims of all figures, with the verdicts of all rows: the same words in the table of rates and beside the figure.
    let csv = |name: &str| read(&project.path().join(format!("reports/tables/{name}.csv")));
    let claims = csv("claims");
    assert_eq!(claims.lines().count(), 4, "{claims}");
    let verdict = csv("rates").lines().find(|line| line.contains(",own-row,")).map(str::to_owned).unwrap();
    let quoted = claims.lines().find(|line| line.contains(",own-row,")).unwrap();
    let outcome = quoted.split(',').next().unwrap();
    assert!(verdict.contains(outcome), "{outcome} is not in {verdict}");
    assert!(
        claims.lines().any(|line| line.starts_with("supported,the paper's,FOGD loses what FOGD loses")),
        "{claims}"
    );
    assert!(claims.lines().any(|line| line.contains(",our question,Does PKRR lose less than FOGD?")), "{claims}");
}
