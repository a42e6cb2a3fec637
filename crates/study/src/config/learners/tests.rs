use std::fs;

use noregret_core::learner::api::{AnyLearner, Setting};
use noregret_core::prelude::Draws;

use super::*;

const TEXT: &str = "
    summary = 'The mean'
    version = '1'
    command = ['python3', 'mean.py']
    files = ['mean.py']
    [[parameters]]
    name = 'lambda'
    doc = 'How much is remembered.'
    kind = 'real'
    range = [0, 1]
    default = 1
    [[parameters]]
    name = 'rule'
    doc = 'How.'
    kind = 'choice'
    words = ['plain', 'trimmed']
    default = 'plain'
";

fn load(text: &str) -> Result<Learners, String> {
    let folder = tempfile::tempdir().unwrap();
    let pipeline = folder.path().join("pipeline").join(FOLDER);
    fs::create_dir_all(&pipeline).unwrap();
    fs::write(folder.path().join("mean.py"), "print(1)").unwrap();
    fs::write(pipeline.join("my-mean.toml"), text).unwrap();
    fs::write(pipeline.join(".#my-mean.toml"), "").unwrap();
    let learners = Learners::load(folder.path()).map_err(|error| error.to_string())?;
    match learners.find("my-mean") {
        Err(refused) => Err(refused.to_string()),
        Ok(_) => Ok(learners),
    }
}

fn canonical(learners: &Learners, given: &str) -> Result<String, String> {
    let entry = learners.find("my-mean").map_err(|error| error.to_string())?;
    let params = learners.check(entry, &given.parse().unwrap()).map_err(|error| error.to_string())?;
    let setting = Setting { dim: 1, horizon: None, draws: Draws::named(&["a"]) };
    let AnyLearner::Full(_) = (entry.build.learner)(&params, &setting).unwrap() else { unreachable!() };
    assert!(!entry.draw_key(&params).to_string().contains("files"), "what identifies a program keys no draws");
    Ok(params.canonical().to_string())
}

#[test]
fn a_declared_learner_is_found_and_its_files_identify_it() {
    let learners = load(TEXT).unwrap();
    let form = canonical(&learners, "lambda = 0.5").unwrap();
    assert!(form.contains(r#""lambda":0.5"#) && form.contains(r#""version":"1""#), "{form}");
    assert_eq!(canonical(&learners, "lambda = 5e-1"), Ok(form.clone()));
    let other = load(&TEXT.replace("version = '1'", "version = '2'")).unwrap();
    assert_ne!(canonical(&other, "lambda = 0.5").unwrap(), form);
    assert!(canonical(&learners, "lambda = 2").unwrap_err().contains("[0, 1]"));
    assert!(canonical(&learners, "program = 'my-mean'").unwrap_err().contains("cannot be set"));
    assert!(learners.find("my-men").unwrap_err().to_string().contains("my-mean"));
    // As a part of another learner.
    let table = Named::from_iter([("name".to_owned(), "my-mean".into()), ("lambda".to_owned(), 0.25.into())]);
    let part = learners.part(PartKind::Learner, &table, None, "learner.").unwrap();
    assert!(part.canonical().to_string().contains("0.25") && part.object::<&LearnerEntry>().is_some());
    assert_eq!(settable(learners.find("my-mean").unwrap()).len(), 2);
}

#[test]
fn without_files_no_two_programs_are_the_same() {
    let form = canonical(
        &load(&TEXT.replace(
            "['mean.py']
",
            "[]
",
        ))
        .unwrap(),
        "",
    )
    .unwrap();
    assert!(form.contains("undeclared"), "{form}");
}

#[test]
fn what_makes_no_sense_is_refused_with_its_key() {
    for (from, to, why) in [
        ("['python3', 'mean.py']", "[]", "`command`: must name a command"),
        ("files = ['mean.py']", "files = ['../mean.py']", "`files`: `../mean.py` must be a path inside"),
        ("kind = 'real'", "kind = 'number'", "kind"),
        ("range = [0, 1]", "range = [1, 0]", "`parameters.lambda.range`"),
        ("default = 1", "default = 2", "`parameters.lambda.default`: is not among"),
        ("default = 1", "default = 'x'", "`parameters.lambda.default`: is no value"),
        ("name = 'lambda'", "name = 'horizon'", "`parameters.horizon.name`"),
        ("name = 'rule'", "name = 'lambda'", "is declared twice"),
        ("words = ['plain', 'trimmed']", "", "`parameters.rule.words`"),
        ("[[parameters]]", "[limits]\nmessage = 0\n[[parameters]]", "`limits.message`"),
        ("summary", "sumary", "sumary"),
    ] {
        let refused = load(&TEXT.replacen(from, to, 1)).err().unwrap_or_default();
        assert!(refused.contains(why), "{to}: {refused}");
    }
}
