//! Machines that share a store through a bucket, and no folder.

pub mod server;

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::project::{Ended, Small};
use crate::data::fetch::server::nobody;
use server::{BucketServer, Harm, SECRET, at, with_credentials};

/// Runs `noregret run --store s3://lab/grid` with further arguments.
fn shared(project: &Small, endpoint: &str, arguments: &[&str]) -> Ended {
    let mut command = project.command(&[&["run", "--store", "s3://lab/grid"], arguments].concat());
    with_credentials(&mut command, endpoint).output().unwrap().into()
}

/// How many items of stages that begin so were made, according to `--json`.
fn made(ended: &Ended, stage: &str) -> u64 {
    let told: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}", ended.stderr));
    let stages = told["made"].as_object().unwrap().iter().filter(|(name, _)| name.starts_with(stage));
    stages.map(|(_, count)| count.as_u64().unwrap()).sum()
}

/// A project that was run undisturbed, and a bucket that holds the same results.
fn made_and_shared() -> (Small, BucketServer) {
    let (undisturbed, server) = (Small::new(), BucketServer::start());
    undisturbed.run(&[]);
    assert_eq!(shared(&Small::new(), &server.endpoint(), &[]).status, 0);
    (undisturbed, server)
}

/// The names of results that are not the same in both projects.
fn differing(one: &Small, other: &Small) -> Vec<String> {
    let (one, other) = (one.results(), other.results());
    let names = one.keys().chain(other.keys()).filter(|name| one.get(*name) != other.get(*name));
    names.cloned().collect()
}

/// Two projects make a half of the grid each; both have all of it in the end, as a third one, which makes no cell.
fn one_grid(endpoint: &str) -> [Small; 3] {
    let undisturbed = Small::new();
    undisturbed.run(&[]);
    assert_eq!(undisturbed.noregret(&["verify", "--write-lock"]).status, 0);
    let projects = [(); 3].map(|()| Small::new());
    for (project, shard) in projects.iter().zip(["1/2", "2/2"]) {
        let ended = shared(project, endpoint, &["--shard", shard, "--json"]);
        assert_eq!((ended.status, made(&ended, "run/")), (0, 5), "{}", ended.stderr);
    }
    for project in &projects {
        let ended = shared(project, endpoint, &["--json"]);
        assert_eq!((ended.status, made(&ended, "run/")), (0, 0), "{}", ended.stderr);
        let lock = "results/pipeline.lock";
        std::fs::copy(undisturbed.path().join(lock), project.path().join(lock)).unwrap();
        assert_eq!(differing(project, &undisturbed), Vec::<String>::new());
        let ended = project.noregret(&["verify"]);
        assert_eq!(ended.status, 0, "{}{}", ended.stdout, ended.stderr);
    }
    projects
}

#[test]
fn projects_that_share_no_folder_make_one_grid() {
    let server = BucketServer::start();
    let projects = one_grid(&server.endpoint());
    assert_eq!(server.packs().len(), 2, "{:?}", server.asked());
    server.asked();
    let objects = projects[2].files(&["results/store/objects"]).len();
    // A fourth one asks for the mark, the list of two pages, the directory of each pack and then what it holds.
    let project = Small::new();
    let ended = shared(&project, &server.endpoint(), &[]);
    assert!(ended.stderr.contains(&format!("s3://lab/grid: {objects} objects taken, 0 sent")), "{}", ended.stderr);
    let asked = server.asked();
    assert!(asked.len() == 3 + 2 * 2 && asked.len() < objects, "{asked:?}");
    // Nothing to do is said at once; the mark and the list are asked for.
    let ended = shared(&project, &server.endpoint(), &[]);
    assert!(ended.stderr.contains("nothing to do"), "{}", ended.stderr);
    for project in &projects {
        for file in project.files(&["."]) {
            let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
            assert!(!text.contains(SECRET) && !text.contains("X-Amz-Signature"), "{}", file.display());
        }
    }
}

#[test]
fn what_breaks_off_is_asked_for_again() {
    let undisturbed = Small::new();
    undisturbed.run(&[]);
    let server = BucketServer::start();
    let project = Small::new();
    server.change(|held| {
        held.harms = vec![
            // The pack was stored, and nobody said so: it is there.
            ("PUT /lab/grid/packs", Harm::Silence),
            ("PUT /lab/grid/packs", Harm::Refuse(409, "ConditionalRequestConflict")),
            ("GET /lab/?list", Harm::Refuse(503, "SlowDown")),
            ("GET /lab/?list", Harm::Break),
            ("PUT /lab/grid/noregret-store", Harm::Drop),
        ];
    });
    let ended = shared(&project, &server.endpoint(), &[]);
    assert_eq!((ended.status, server.packs().len()), (0, 1), "{}", ended.stderr);
    assert!(server.change(|held| held.harms.is_empty()), "{:?}", server.asked());
    let other = Small::new();
    server.change(|held| held.harms = vec![("GET /lab/grid/packs", Harm::Break), ("GET /lab/grid/packs", Harm::Drop)]);
    let ended = shared(&other, &server.endpoint(), &["--json"]);
    assert_eq!((ended.status, made(&ended, "run/")), (0, 0), "{}", ended.stderr);
    assert!(server.change(|held| held.harms.is_empty()));
    assert_eq!(differing(&other, &undisturbed), Vec::<String>::new());
}

#[test]
fn a_damaged_pack_costs_the_time_to_make_it() {
    let (undisturbed, server) = made_and_shared();
    let pack = server.packs().remove(0);
    let sound = server.change(|held| held.files[&pack].clone());
    // In the middle of an object, and in the directory.
    for at in [sound.len() / 3, sound.len() - 200] {
        let mut bytes = sound.clone();
        bytes[at..at + 100].fill(0x55);
        server.change(|held| held.files.retain(|name, _| !name.contains("packs/") || *name == pack));
        server.put(&pack, bytes);
        let project = Small::new();
        let ended = shared(&project, &server.endpoint(), &[]);
        assert!(ended.status == 0 && ended.stderr.contains("damaged"), "{}", ended.stderr);
        assert_eq!(differing(&project, &undisturbed), Vec::<String>::new());
    }
}

/// What was made from other inputs, or is another program's, is not taken for what was asked for.
#[test]
fn other_objects_and_files_are_left_alone() {
    let (undisturbed, server) = made_and_shared();
    for name in ["packs/", "packs/readme.txt", "packs/../noregret-store"] {
        server.put(&format!("grid/{name}"), "of somebody else");
    }
    for with_right_ones in [false, true] {
        let project = Small::new();
        project.run(&["prepare/*"]);
        let prepared = project.files(&["results/store/objects"]);
        let objects = undisturbed.files(&["results/store/objects"]);
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut planted = 0;
        // Under each key of what reads prepared data lies an object of another one, as if it had been made from other bytes.
        for (path, other) in objects.iter().zip(objects.iter().cycle().skip(1)) {
            let (own, others) = (name(path), name(other));
            if prepared.iter().any(|path| name(path) == own) {
                continue;
            }
            let (own, others): (Vec<_>, Vec<_>) = (own.splitn(4, '.').collect(), others.splitn(4, '.').collect());
            let ([key, _, sources, extension], [_, content, ..]) = (&own[..], &others[..]) else { continue };
            let folder = project.path().join("results/store/objects").join(&key[..2]);
            std::fs::create_dir_all(&folder).unwrap();
            let wrong = format!("{key}.{content}.{}.{extension}", "0".repeat(sources.len()));
            std::fs::copy(other, folder.join(wrong)).unwrap();
            planted += 1;
            if with_right_ones {
                std::fs::copy(path, folder.join(own.join("."))).unwrap();
            }
        }
        assert!(planted >= 6, "{planted}");
        let ended = shared(&project, &server.endpoint(), &["--json"]);
        assert_eq!((ended.status, made(&ended, "run/")), (0, 0), "{}", ended.stderr);
        assert!(!ended.stderr.contains("warning"), "{}", ended.stderr);
        let mut differing = differing(&project, &undisturbed);
        // Beside the right one, which comes first by name, a wrong one stays, which nobody reads.
        differing.retain(|name| !with_right_ones || !name.contains(&"0".repeat(32)));
        assert_eq!(differing, Vec::<String>::new());
    }
}

#[test]
fn a_pack_that_cannot_be_read_refuses_no_run() {
    let (undisturbed, server) = made_and_shared();
    server.change(|held| held.always = Some(("GET /lab/grid/packs", Harm::Refuse(403, "InvalidObjectState"))));
    let project = Small::new();
    let ended = shared(&project, &server.endpoint(), &[]);
    assert!(ended.status == 0 && ended.stderr.contains("zip is not used: "), "{}", ended.stderr);
    assert_eq!(differing(&project, &undisturbed), Vec::<String>::new());
    // The directory can be read, and what it names cannot: the bucket is left alone for a while.
    let project = Small::new();
    server.change(|held| {
        held.always = None;
        let refusal = Harm::Refuse(403, "AccessDenied");
        held.harms = vec![("GET /lab/grid/packs", refusal), ("GET /lab/grid/packs", Harm::Nothing)];
    });
    server.asked();
    let ended = shared(&project, &server.endpoint(), &[]);
    assert!(ended.status == 0 && ended.stderr.contains("is made here for now"), "{}", ended.stderr);
    assert_eq!(server.asked().iter().filter(|asked| asked.starts_with("GET /lab/grid/packs")).count(), 2);
    assert_eq!(differing(&project, &undisturbed), Vec::<String>::new());
}

#[test]
fn a_bucket_that_cannot_be_used_is_refused_with_the_reason() {
    let server = BucketServer::start();
    for (harm, told) in [
        (Harm::Refuse(403, "InvalidAccessKeyId"), "check the credentials"),
        (Harm::Refuse(400, "ExpiredToken"), "have expired"),
        (Harm::Refuse(403, "AccessDenied"), "s3:PutObject"),
        (Harm::Refuse(301, "PermanentRedirect"), "set AWS_REGION"),
        (Harm::Refuse(501, "NotImplemented"), "If-None-Match"),
        (Harm::Refuse(507, "QuotaExceeded"), "it is full"),
        (Harm::Drop, "(4 attempts)"),
    ] {
        server.change(|held| held.always = Some(("PUT", harm)));
        let project = Small::new();
        let ended = shared(&project, &server.endpoint(), &[]);
        assert_eq!(ended.status, 1, "{harm:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("s3://lab/grid") && ended.stderr.contains(told), "{harm:?}: {}", ended.stderr);
        assert!(!ended.stderr.contains(SECRET) && !ended.stderr.contains("X-Amz"), "{}", ended.stderr);
        assert!(project.files(&["results"]).is_empty(), "{harm:?}");
    }
    let ended = shared(&Small::new(), &format!("http://{}", nobody()), &[]);
    assert!(ended.status == 1 && ended.stderr.contains("(4 attempts)"), "{}", ended.stderr);
    server.change(|held| (held.always, held.careless) = (None, true));
    let ended = shared(&Small::new(), &server.endpoint(), &[]);
    assert!(ended.status == 1 && ended.stderr.contains("writes over files"), "{}", ended.stderr);
    let run = |address: &str| -> Ended {
        let project = Small::new();
        let mut command = project.command(&["run", "--store", address]);
        at(&mut command, &server.endpoint()).output().unwrap().into()
    };
    let ended = run("s3://lab/grid");
    assert!(ended.status == 1 && ended.stderr.contains("there are no credentials"), "{}", ended.stderr);
    let ended = run("lab/grid");
    assert!(ended.status == 2 && ended.stderr.contains("write s3://BUCKET/PREFIX"), "{}", ended.stderr);
}

#[test]
fn what_does_not_fit_into_the_bucket_is_sent_later() {
    let server = BucketServer::start();
    let project = Small::new();
    server.change(|held| held.always = Some(("PUT /lab/grid/packs", Harm::Refuse(507, "QuotaExceeded"))));
    let ended = shared(&project, &server.endpoint(), &[]);
    assert!(ended.status == 1 && ended.stderr.contains("not sent: "), "{}", ended.stderr);
    assert!(ended.stderr.contains("it is full") && server.packs().is_empty(), "{}", ended.stderr);
    let undisturbed = Small::new();
    undisturbed.run(&[]);
    assert_eq!(differing(&project, &undisturbed), Vec::<String>::new());
    let ended = shared(&project, &server.endpoint(), &["-q"]);
    assert!(ended.status == 1 && ended.stderr.contains("not sent: "), "{}", ended.stderr);
    server.change(|held| held.always = None);
    let ended = shared(&project, &server.endpoint(), &[]);
    assert!(ended.status == 0 && ended.stderr.contains("nothing to do"), "{}", ended.stderr);
    assert!(server.packs().len() == 1 && !ended.stderr.contains(" 0 sent"), "{}", ended.stderr);
}

/// Answers as the metadata service of a machine at Amazon does.
fn role() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut buffer = [0; 4096];
            let read = stream.read(&mut buffer).unwrap();
            let text = String::from_utf8_lossy(&buffer[..read]).to_lowercase();
            let body = match text.split(' ').nth(1).unwrap() {
                "/latest/api/token" => "token-1",
                _ if !text.contains("x-aws-ec2-metadata-token: token-1") => "refused",
                "/latest/meta-data/iam/security-credentials/" => "lab-role\n",
                _ => {
                    r#"{"AccessKeyId":"AKIDROLE","SecretAccessKey":"s","Token":"t","Expiration":"2099-01-01T00:00:00Z"}"#
                }
            };
            let length = body.len();
            let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
        }
    });
    format!("http://{address}")
}

#[test]
fn the_bucket_and_the_credentials_are_found_where_people_keep_them() {
    let server = BucketServer::start();
    let project = Small::new();
    project.write("noregret.toml", "store = \"s3://lab/from-file\"\n");
    project.write("aws/credentials", "[lab]\naws_access_key_id = AKIDFILE\naws_secret_access_key = word\n");
    let mut command = project.command(&["run", "prepare/*"]);
    let file = project.path().join("aws/credentials");
    at(&mut command, &server.endpoint()).env("AWS_SHARED_CREDENTIALS_FILE", file).env("AWS_PROFILE", "lab");
    let ended: Ended = command.output().unwrap().into();
    assert!(ended.status == 0 && ended.stderr.contains("s3://lab/from-file: "), "{}", ended.stderr);
    let mut command = project.command(&["run", "run/*"]);
    at(&mut command, &server.endpoint()).env_remove("AWS_EC2_METADATA_DISABLED");
    let ended: Ended = command.env("AWS_EC2_METADATA_SERVICE_ENDPOINT", role()).output().unwrap().into();
    assert!(ended.status == 0 && ended.stderr.contains("s3://lab/from-file: "), "{}", ended.stderr);
    // Whoever is offline asks nobody, and a wrong key of the file is told.
    server.asked();
    project.run(&[]);
    assert_eq!(server.asked(), Vec::<String>::new());
    project.write("noregret.toml", "stores = \"s3://lab\"\n");
    let ended = project.noregret(&["run"]);
    assert!(ended.status == 2 && ended.stderr.contains("noregret.toml"), "{}", ended.stderr);
}

/// A server of others.
struct Other(Child);

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// With moto, a server that others wrote, where `NOREGRET_MOTO` names a Python that has it.
#[test]
fn a_server_that_others_wrote_holds_the_same_grid() {
    let Some(python) = std::env::var_os("NOREGRET_MOTO") else {
        let _ =
            writeln!(std::io::stderr(), "skipped the test with moto: NOREGRET_MOTO names no Python with moto[server]");
        return;
    };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let script = format!("from moto.server import main; main(['-H', '127.0.0.1', '-p', '{port}'])");
    let mut command = Command::new(python);
    command.args(["-c", &script]).stdout(Stdio::null()).stderr(Stdio::null());
    let _other = Other(command.spawn().unwrap());
    let bucket = || -> std::io::Result<String> {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", port))?;
        write!(stream, "PUT /lab HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok(text)
    };
    let made = (0..600).find_map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        bucket().ok()
    });
    assert!(made.as_ref().is_some_and(|text| text.starts_with("HTTP/1.1 200")), "{made:?}");
    one_grid(&format!("http://127.0.0.1:{port}"));
}

/// With s3s-fs, a server that checks signatures, where `NOREGRET_S3S` names it (cargo install s3s-fs --features binary).
#[test]
fn a_server_that_checks_signatures_holds_the_same_grid() {
    let Some(program) = std::env::var_os("NOREGRET_S3S") else {
        let _ = writeln!(std::io::stderr(), "skipped the test with s3s-fs: NOREGRET_S3S names no program s3s-fs");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("lab/rows")).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new(program);
    command.args(["--host", "127.0.0.1", "--port", &port.to_string(), "--access-key", "AKIDEXAMPLE"]);
    command.args(["--secret-key", SECRET]).arg(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let _other = Other(command.spawn().unwrap());
    let is_there = |_| {
        std::thread::sleep(Duration::from_millis(100));
        std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
    };
    assert!((0..600).any(is_there));
    let endpoint = format!("http://127.0.0.1:{port}");
    let projects = one_grid(&endpoint);
    let mut wrong = projects[0].command(&["run", "--store", "s3://lab/grid"]);
    let ended: Ended =
        with_credentials(&mut wrong, &endpoint).env("AWS_SECRET_ACCESS_KEY", "x").output().unwrap().into();
    assert!(ended.status == 1 && ended.stderr.contains("SignatureDoesNotMatch"), "{} {}", ended.status, ended.stderr);

    let rows = |from: usize| (from..from + 50).map(|i| format!("{},{}\n", i % 7, i % 5)).collect::<String>();
    for (name, from) in [("a b c.csv", 0), ("d.csv", 50)] {
        std::fs::write(folder.path().join("lab/rows").join(name), format!("x,y\n{}", rows(from))).unwrap();
    }
    let stream = |input: &str| {
        let mut command =
            projects[0].command(&["stream", "--learner", "linear-ridge", "--target", "y", "--input", input]);
        let ended: Ended = with_credentials(&mut command, &endpoint).output().unwrap().into();
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        ended.stdout
    };
    let local = stream(folder.path().join("lab/rows").to_str().unwrap());
    assert_eq!(stream("s3://lab/rows/"), local);
    assert_eq!(local.lines().count(), 101);
}
