//! Learners behind noise.

use super::*;

const OGD: [&str; 6] = ["--learner", "kernel-ogd", "--target", "y", "--set", "eta=0.2"];

fn file(folder: &Folder) -> String {
    folder.file("table.csv", table(400))
}

fn last(rounds: &Rounds) -> f64 {
    rounds.last().unwrap()[4]
}

#[test]
fn noise_of_deviation_zero_is_none() {
    let folder = Folder::new();
    let file = file(&folder);
    let args = [&OGD[..], &["--input", &file]].concat();
    let clean = rounds(&stream(&[&args[..], &["--scale", "none", "--target-scale", "none"]].concat()));
    for law in ["gaussian", "uniform", "laplace", "rademacher"] {
        let noisy = rounds(&stream(&[&args[..], &["--noise", law, "--noise-std", "0"]].concat()));
        for (a, b) in clean.iter().zip(&noisy) {
            assert_eq!(a[1], b[1]);
            assert!((a[2] - b[2]).abs() < 1e-9, "{law}");
        }
    }
}

#[test]
fn losses_are_measured_on_the_clean_rows() {
    let folder = Folder::new();
    let file = file(&folder);
    let args = [&OGD[..], &["--input", &file]].concat();
    let (clean, noisy) = (
        rounds(&stream(&args)),
        rounds(&stream(&[&args[..], &["--noise", "laplace", "--noise-std", "1", "--target-noise-std", "1"]].concat())),
    );
    assert_eq!(column(&clean, 1), column(&noisy, 1));
    assert_ne!(column(&clean, 2), column(&noisy, 2));
}

/// The seed is fixed. With 400 rounds the order of the losses is not due to chance: the ratios are about 2.
#[test]
fn more_copies_are_less_noise() {
    let folder = Folder::new();
    let file = file(&folder);
    let noise = ["--input", &file, "--noise", "gaussian", "--noise-std", "1"];
    let of = |copies: &str| last(&rounds(&stream(&[&OGD[..], &noise, &["--copies", copies]].concat())));
    let clean = last(&rounds(&stream(&[&OGD[..], &["--input", &file]].concat())));
    let (one, many) = (of("1"), of("100"));
    assert!(clean < many && many < one, "{clean} {many} {one}");
    assert_eq!(one, last(&rounds(&stream(&[&OGD[..], &noise].concat()))), "one copy is the default");
}

#[test]
fn noise_follows_the_seed() {
    let folder = Folder::new();
    let file = file(&folder);
    let of = |seed: &str| {
        let args = ["--input", &file, "--noise", "uniform", "--noise-std", "0.5", "--seed", seed];
        stream(&[&OGD[..], &args].concat()).stdout
    };
    assert!(of("1") == of("1"));
    assert!(of("1") != of("2"));
}

#[test]
fn incomplete_noise_is_refused() {
    let folder = Folder::new();
    let file = file(&folder);
    let cases: [(&[&str], &str); 6] = [
        (&["--noise-std", "1"], "--noise-std needs --noise LAW"),
        (&["--target-noise-std", "1"], "--target-noise-std needs --noise LAW"),
        (&["--copies", "2"], "--copies needs --noise LAW"),
        (&["--noise", "gaussian"], "needs --noise-std or --target-noise-std"),
        (&["--noise", "gausian", "--noise-std", "1"], "did you mean `gaussian`?"),
        (&["--noise", "gaussian", "--noise-std=-1"], "`noise_std` = -1"),
    ];
    for (extra, fragment) in cases {
        let output = stream(&[&OGD[..], &["--input", &file], extra].concat());
        assert_eq!(output.status.code(), Some(2), "{extra:?}");
        assert!(stderr(&output).contains(fragment), "{extra:?}: {}", stderr(&output));
    }
}

/// Noisy learners run over a file, with covariances as numbers, lists and matrices.
#[test]
fn learners_behind_noise() {
    let folder = Folder::new();
    let file = file(&folder);
    let common = ["--target", "y", "--input", &file];
    let cases: [&[&str]; 7] = [
        &["--learner", "noisy-linear-two-copy", "--noise", "student-t", "--noise-std", "0.3"],
        &["--learner", "noisy-linear-covariance", "--noise", "varying-laplace", "--noise-std", "0.3"],
        &[
            "--learner",
            "noisy-linear-covariance",
            "--set",
            "covariance=0.09",
            "--noise",
            "uniform",
            "--noise-std",
            "0.3",
        ],
        &[
            "--learner",
            "noisy-gaussian",
            "--set",
            "covariance=[0.1, 0.2]",
            "--noise",
            "multivariate-gaussian",
            "--noise-set",
            "covariance=[0.1, 0.2]",
            "--target-noise-std",
            "0.1",
        ],
        &[
            "--learner",
            "noisy-gaussian",
            "--set",
            "covariance=[[0.2, 0.1], [0.1, 0.2]]",
            "--noise",
            "multivariate-gaussian",
            "--noise-set",
            "covariance=[[0.2, 0.1], [0.1, 0.2]]",
        ],
        &[
            "--learner",
            "noisy-radial",
            "--set",
            "covariance=0.04",
            "--set",
            "kernel=laplace",
            "--set",
            "kernel.cutoff=2",
            "--noise",
            "gaussian",
            "--noise-std",
            "0.2",
        ],
        &[
            "--learner",
            "noisy-analytic",
            "--set",
            "p=1.5",
            "--set",
            "estimator=all-terms",
            "--noise",
            "gaussian",
            "--noise-std",
            "0.2",
        ],
    ];
    for case in cases {
        let output = stream(&[&common[..], case].concat());
        let found = rounds(&output);
        assert_eq!(found.len(), 400, "{case:?}: {}", stderr(&output));
        // Something was learnt, and all of it is finite.
        assert!(found.iter().all(|round| round.iter().all(|value| value.is_finite())), "{case:?}");
        assert!(found.iter().any(|round| round[2] != 0.0), "{case:?}");
    }
}

#[test]
fn noise_that_does_not_fit_is_refused() {
    let folder = Folder::new();
    let file = file(&folder);
    let wide = "covariance=[0.1, 0.2, 0.3]";
    let cases: [(&[&str], &str); 5] = [
        (&["--learner", "noisy-gaussian", "--noise", "gaussian", "--noise-std", "1"], "`covariance` must be given"),
        (&["--learner", "noisy-gaussian", "--set", wide, "--noise", "gaussian", "--noise-std", "1"], "2 input columns"),
        (&["--learner", "noisy-gaussian", "--set", "covariance=1", "--noise", "gaussian", "--noise-std", "1"], "below"),
        (
            &["--learner", "noisy-linear-two-copy", "--noise", "multivariate-gaussian", "--noise-set", wide],
            "2 input columns",
        ),
        (&["--learner", "noisy-linear-two-copy", "--noise-set", wide], "--noise-set needs --noise LAW"),
    ];
    for (case, fragment) in cases {
        let output = stream(&[&["--target", "y", "--input", &file][..], case].concat());
        assert_eq!(output.status.code(), Some(2), "{case:?}");
        assert!(stderr(&output).contains(fragment), "{case:?}: {}", stderr(&output));
    }
}

/// As many copies as no round can draw are refused at once, with what to do instead; in experiments, too.
#[test]
fn copies_without_measure_are_refused() {
    let folder = Folder::new();
    let file = file(&folder);
    let given = ["--input", &file, "--noise", "gaussian", "--noise-std", "1e300", "--copies", "4294967295"];
    let output = stream(&[&OGD[..], &given].concat());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    for says in ["--copies: 4294967295 copies", "at most ", "divided by the square root of 4294967295"] {
        assert!(stderr(&output).contains(says), "{says}: {}", stderr(&output));
    }
}
