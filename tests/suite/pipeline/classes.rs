//! Streams whose targets are several classes: every learner plays them, and a process of its own is told how many there are.

use super::project::Small;

/// A file of three classes, each around a place of its own, in words; and its declaration.
fn three(project: &Small) {
    let words = ["setosa", "versicolor", "virginica"];
    let mut text = "x1,x2,kind\n".to_owned();
    for t in 0..240_usize {
        // The class depends on the row in an order without a pattern.
        let class = (t * t / 3 + t) % 3;
        let spread = ((t * 37) % 101) as f64 / 101.0;
        text += &format!("{},{},{}\n", class as f64 + 0.9 * spread, (2 - class) as f64 * spread, words[class]);
    }
    project.write("mirror/flowers.csv", &text);
    project.write(
        "pipeline/datasets/flowers.toml",
        "name = 'flowers'\ntitle = 'Flowers'\ncitation = 'none'\nlicence = 'none'\ntask = 'classes'\n\
         classes = ['setosa', 'versicolor', 'virginica']\nrows = 240\ninputs = 2\ntarget = 'kind'\n\
         [[files]]\nname = 'flowers.csv'\naddresses = []\n",
    );
    project.write(
        "pipeline/experiments/flowers.toml",
        "title = 'Flowers'\nreplicates = 1\nhorizons = ['all']\n[stream]\ndataset = 'flowers'\norder = 'file'\n\
         scale = 'running'\n[[learners]]\nname = 'linear-ridge'\nlabel = 'ridge'\n\
         [[learners]]\nname = 'majority'\nlabel = 'majority'\n",
    );
}

/// The errors of each curve, by its label.
fn errors(project: &Small) -> Vec<(String, f64, f64)> {
    let ended =
        project.noregret(&["query", "runs/flowers", "-c", "label,cumulative_error,cumulative_loss", "--format", "csv"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let mut reader = csv::Reader::from_reader(ended.stdout.as_bytes());
    let mut rows: Vec<(String, f64, f64)> = reader.deserialize().map(|row| row.unwrap()).collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows
}

fn run(project: &Small) {
    let mirror = project.path().join("mirror");
    project.run(&["summarise/flowers", "--mirror", mirror.to_str().unwrap()]);
}

/// A run makes the same errors as `stream --classes`, which plays the same rows by another way.
#[test]
fn a_run_of_classes_makes_the_errors_of_a_stream_of_them() {
    let project = Small::new();
    three(&project);
    run(&project);
    let runs = errors(&project);
    for (label, errors, loss) in &runs {
        let learner = if label == "ridge" { "linear-ridge" } else { "majority" };
        let ended = project.noregret(&[
            "stream",
            "--learner",
            learner,
            "--input",
            "mirror/flowers.csv",
            "--target",
            "kind",
            "--scale",
            "running",
            "--classes=setosa,versicolor,virginica",
            "--output",
            "played.csv",
        ]);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        let mut reader = csv::Reader::from_path(project.path().join("played.csv")).unwrap();
        let header = reader.headers().unwrap().clone();
        let at = |name: &str| header.iter().position(|column| column == name).unwrap();
        let (target, prediction) = (at("target"), at("prediction"));
        let wrong = reader.records().filter(|row| {
            let row = row.as_ref().unwrap();
            row[target] != row[prediction]
        });
        assert_eq!(wrong.count() as f64, *errors, "{label}");
        assert_eq!(errors, loss, "{label}");
    }
    assert!(runs[1].1 < 0.6 * runs[0].1, "the rows tell the class, so ridge beats the most frequent one: {runs:?}");
}

/// A process is told how many classes there are, and predicts their numbers: one that always says 2 is right where 2 is.
#[test]
fn a_process_predicts_the_numbers_of_classes() {
    if !crate::external::python(None) {
        return;
    }
    let project = Small::new();
    three(&project);
    project.write(
        "learners/always.py",
        "import json, sys\nhello = json.loads(sys.stdin.readline())\n\
         print(json.dumps({'name': 'always', 'version': '1'}), flush=True)\n\
         for line in sys.stdin:\n    message = json.loads(line)\n    assert message.get('y', 0) in (0, 1, 2)\n    \
         if 'x' in message:\n        print(hello.get('classes', 0) - 1, flush=True)\n    \
         if 'end' in message:\n        print('{}', flush=True)\n",
    );
    project.write(
        "pipeline/learners/always.toml",
        "summary = 'Always the last class'\nversion = '1'\ncommand = ['python3', 'learners/always.py']\n\
         files = ['learners/always.py']\n",
    );
    project.edit(
        "pipeline/experiments/flowers.toml",
        "name = 'majority'\nlabel = 'majority'",
        "name = 'always'\nlabel = 'always'",
    );
    run(&project);
    let last = (0..240_usize).filter(|t| (t * t / 3 + t) % 3 == 2).count();
    assert_eq!(errors(&project)[0], ("always".into(), (240 - last) as f64, (240 - last) as f64));
}

/// What is for numbers is refused with the field that asks for it, and so are declarations that contradict themselves.
#[test]
fn what_is_for_numbers_is_refused() {
    let project = Small::new();
    three(&project);
    let path = "pipeline/experiments/flowers.toml";
    let refused = |from: &str, to: &str, path: &str, said: &str| {
        project.edit(path, from, to);
        let ended = project.noregret(&["run", "-n", "summarise/flowers"]);
        assert!(ended.status != 0 && ended.stderr.contains(said), "{to}: {}", ended.stderr);
        project.edit(path, to, from);
    };
    let stream = "scale = 'running'";
    refused(stream, "scale = 'running'\ntarget = 'sign'", path, "stream.target");
    refused(stream, "scale = 'running'\nnoise.targets = { name = 'gaussian', std = 1 }", path, "stream.noise");
    refused("title = 'Flowers'\nrep", "test_rows = 10\ntitle = 'Flowers'\nrep", path, "test_rows");
    refused("title = 'Flowers'\nrep", "loss = 'absolute'\ntitle = 'Flowers'\nrep", path, "loss");
    refused("title = 'Flowers'\nrep", "comparator = { name = 'ridge' }\ntitle = 'Flowers'\nrep", path, "comparator");
    let data = "pipeline/datasets/flowers.toml";
    let classes = "classes = ['setosa', 'versicolor', 'virginica']\n";
    refused(classes, "classes = ['setosa']\n", data, "at least two");
    refused(classes, "classes = ['setosa', 'Setosa', 'virginica']\n", data, "twice");
    refused("task = 'classes'", "task = 'regression'", data, "belong to `task`");
    // A word that is no class is found where the file is read.
    project.edit(data, "'virginica'", "'lily'");
    let mirror = project.path().join("mirror");
    let ended = project.noregret(&["data", "fetch", "flowers", "--mirror", mirror.to_str().unwrap()]);
    assert!(ended.status != 0 && ended.stderr.contains("virginica"), "{}", ended.stderr);
    project.edit(data, "'lily'", "'virginica'");
    assert_eq!(project.noregret(&["run", "-n", "summarise/flowers"]).status, 0);
}
