//! What is known of a target before it is seen: `--std`.

use super::*;

/// The columns of an output by name, empty cells as NaN.
fn columns(output: &Output, names: &[&str]) -> Vec<Vec<f64>> {
    assert!(output.status.success(), "{}", stderr(output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let at =
        |name: &&str| header.iter().position(|column| column == name).unwrap_or_else(|| panic!("{name}: {header:?}"));
    let places: Vec<usize> = names.iter().map(at).collect();
    let cell = |line: &str, place: usize| line.split(',').nth(place).unwrap().parse().unwrap_or(f64::NAN);
    places.iter().map(|place| text.lines().skip(1).map(|line| cell(line, *place)).collect()).collect()
}

fn close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!(
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-7 * (1.0 + b.abs()),
            "{what}, row {i}: {a} {b}"
        );
    }
}

/// 400 rows y = 1000 + 50 (sin 3a + noise of deviation 0.2), every 40th without a target.
fn rows() -> String {
    let mut draw =
        noregret_numeric::draw::Draws::named(&["distributions"]).at(noregret_numeric::draw::Role::Example, 0);
    let row = |t: usize| {
        let a = draw.between(-1.0, 1.0);
        let y = 1000.0 + 50.0 * ((3.0 * a).sin() + 0.2 * draw.normal());
        if t % 40 == 39 { format!("{a},\n") } else { format!("{a},{y}\n") }
    };
    format!("a,y\n{}", (0..400).map(row).collect::<String>())
}

const NAMES: [&str; 5] = ["target", "prediction", "mean", "std", "log_loss"];

/// The mean is the prediction of ridge regression, and the loss that of a Student distribution with this deviation; half of the
/// noise's variance is seen from row to row. In blocks, one by one, with delayed targets of no rows, on every scale.
#[test]
fn means_deviations_and_losses_are_those_of_the_rows_before() {
    let folder = Folder::new();
    let file = folder.file("rows.csv", rows());
    for learner in [["kernel-ridge", "lambda=0.1"], ["pkrr-taylor", "lambda=0.1"], ["pkrr-nystrom", "lambda=0.1"]] {
        for scale in ["epochs", "symmetric", "standardise"] {
            let common = ["--learner", learner[0], "--set", learner[1], "--input", &file, "--target", "y", "--std"];
            let scales = ["--target-scale", scale];
            let play = |more: &[&str]| columns(&stream(&[&common[..], &scales, more].concat()), &NAMES);
            let [target, prediction, mean, std, loss] = &play(&[])[..] else { panic!() };
            let what = format!("{learner:?} {scale}");
            close(mean, prediction, &what);
            let last = &std[300..];
            assert!(last.iter().all(|std| (8.0..13.0).contains(std)), "{what}: {last:?}");
            let scored = || (300..400).filter(|t| !target[*t].is_nan());
            assert!(loss.iter().zip(target).all(|(loss, target)| loss.is_nan() == target.is_nan()), "{what}");
            for t in scored() {
                let z = (target[t] - mean[t]) / std[t];
                let normal = 0.5 * z * z + std[t].ln() + 0.5 * std::f64::consts::TAU.ln();
                assert!((loss[t] - normal).abs() < 0.05, "{what}, row {t}: {} {normal}", loss[t]);
            }
            // Rows one by one are those of a block.
            if scale == "epochs" {
                let other = play(&["--live"]);
                for (one, name) in [mean, std, loss].into_iter().zip(&other[2..]).zip(&NAMES[2..]) {
                    close(one.1, one.0, &format!("{what} {name}"));
                }
            }
        }
    }
}

/// AWV shrinks its prediction; the distribution is that of ridge regression over the same rows.
#[test]
fn the_forecast_of_azoury_vovk_and_warmuth_stands_beside_the_mean() {
    let folder = Folder::new();
    let file = folder.file("rows.csv", rows());
    let play = |learner: &str| {
        let args = ["--learner", learner, "--set=lambda=0.1", "--input", &file, "--target", "y", "--std"];
        columns(&stream(&args), &NAMES)
    };
    let (ridge, awv) = (play("kernel-ridge"), play("kernel-awv"));
    for k in [2, 3, 4] {
        close(&awv[k], &ridge[k], NAMES[k]);
    }
    assert!(awv[1].iter().zip(&ridge[1]).any(|(a, b)| (a - b).abs() > 1e-3));
}

/// A model that was saved goes on: what `predict --std` says of a row is what the stream says of it.
#[test]
fn predictions_of_saved_models_have_them_too() {
    let folder = Folder::new();
    let text = rows();
    let lines: Vec<&str> = text.lines().collect();
    let (first, rest) = (lines[..301].join("\n") + "\n", format!("{}\n{}\n", lines[0], lines[301..302].join("\n")));
    let (first, rest, file) = (folder.file("1.csv", first), folder.file("2.csv", rest), folder.file("rows.csv", &text));
    let model = folder.path("model.safetensors");
    let model = model.to_str().unwrap();
    for learner in ["kernel-ridge", "pkawv-nystrom", "discounted-ridge-taylor"] {
        let args = ["--learner", learner, "--set=lambda=0.1", "--target", "y", "--std"];
        let whole = columns(&stream(&[&args[..], &["--input", &file]].concat()), &NAMES);
        let saved = stream(&[&args[..], &["--input", &first, "--save", model]].concat());
        assert!(saved.status.success(), "{}", stderr(&saved));
        let predict = |more: &[&str]| {
            let args = [&["predict", "--load", model, "--input", &rest], more].concat();
            Command::new(env!("CARGO_BIN_EXE_noregret")).args(args).output().unwrap()
        };
        let found = columns(&predict(&["--std"]), &["mean", "std"]);
        close(&[found[0][0], found[1][0]], &[whole[2][300], whole[3][300]], learner);
        let known = columns(&predict(&["--std=500"]), &["std"])[0][0];
        assert!(known >= 500.0, "{learner}: {known}");
        let plain = String::from_utf8(predict(&[]).stdout).unwrap();
        assert!(plain.starts_with("row,prediction\n"), "{plain}");
    }
    let only = [
        "--learner=kernel-ridge",
        "--set=lambda=0.1",
        "--target=y",
        "--input",
        &first,
        "--save",
        model,
        "--predict-only",
    ];
    assert!(stream(&only).status.success());
    let args = ["predict", "--load", model, "--input", &rest, "--std"];
    let refused = Command::new(env!("CARGO_BIN_EXE_noregret")).args(args).output().unwrap();
    assert!(stderr(&refused).contains("--predict-only") && refused.status.code() == Some(2), "{}", stderr(&refused));
}

#[test]
fn what_gives_no_distribution_is_refused_with_what_does() {
    let folder = Folder::new();
    let file = folder.file("rows.csv", rows());
    let refused = |args: &[&str]| {
        let output = stream(&[&["--input", &file, "--target", "y"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        stderr(&output)
    };
    assert!(
        refused(&["--learner=fogd", "--std"]).contains("fogd gives no distribution of its targets; ridge regressions")
    );
    assert!(
        refused(&["--learner=kernel-ridge", "--set=lambda=1", "--std=-1"])
            .contains("between 1e-100 and 1e100, or `learnt`")
    );
    let grid = ["--learner=model-averaging", "--set=grid.lambda=[0.1,1]", "--std=0.2"];
    assert!(refused(&grid).contains("--set noise="));
}

/// The loss of model-averaging is at most ln 4 above that of the best of its four experts.
#[test]
fn averaged_models_lose_little_more_than_the_best() {
    let folder = Folder::new();
    let file = folder.file("rows.csv", rows());
    let total = |args: &[&str]| {
        let output = stream(&[&["--input", &file, "--target", "y", "--std"], args].concat());
        columns(&output, &["log_loss"])[0].iter().filter(|loss| !loss.is_nan()).sum::<f64>()
    };
    let alone = ["0.01", "0.1", "1", "100"].map(|lambda| {
        total(&[
            "--learner=pkrr-taylor",
            "--set=order=3",
            "--set",
            &format!("lambda={lambda}"),
            "--scale=symmetric",
            "--target-scale=standardise",
        ])
    });
    let all = total(&[
        "--learner=model-averaging",
        "--set=base.order=3",
        "--set=grid.lambda=[0.01,0.1,1,100]",
        "--scale=symmetric",
        "--target-scale=standardise",
    ]);
    let best = alone.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(all <= best + 4.0_f64.ln() + 1e-6 && all < alone[3], "{all} {alone:?}");
}
