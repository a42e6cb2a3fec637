//! Fetching from mirrors, and from a server on this machine that misbehaves in many ways.

pub mod server;

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use noregret_data::declaration::Dataset;
use noregret_data::error::DataError;
use noregret_data::fetch::{FetchAccess, FetchError, Fetched, Network, fetch_with, verify};
use tempfile::TempDir;

use self::server::{Answer, Server};
use super::{compressed, content_hash, gzip, target};

/// A CSV file of 500 rows, a few kilobytes; `salt` changes its content.
fn csv(salt: u32) -> Vec<u8> {
    let rows: String = (0..500_u32).map(|i| format!("{}.25,{},{}\n", i * 7 % 101, i + salt, i % 2)).collect();
    format!("a,b,y\n{rows}").into_bytes()
}

/// A dataset of one file `t.csv` at `addresses`, with `csv(0)` as its declared content.
fn dataset(addresses: &[String]) -> Dataset {
    let hash = content_hash(&csv(0), &target("y"));
    toml::from_str(&format!(
        "name = 't'\ntitle = 't'\ncitation = 't'\nlicence = 't'\ntask = 'regression'\nrows = 500\ninputs = 2\n\
         target = 'y'\ncontent_sha256 = '{hash}'\nfiles = [{{ name = 't.csv', addresses = {addresses:?} }}]"
    ))
    .unwrap()
}

/// A project with a raw folder and a mirror, and the messages of fetches.
struct Bench {
    folder: TempDir,
    said: RefCell<Vec<String>>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("mirror")).unwrap();
        Self { folder, said: RefCell::default() }
    }

    fn raw(&self, name: &str) -> PathBuf {
        self.folder.path().join("raw").join(name)
    }

    fn mirror(&self, name: &str, bytes: &[u8]) {
        fs::write(self.folder.path().join("mirror").join(name), bytes).unwrap();
    }

    fn fetch(&self, dataset: &Dataset, network: Option<Network>) -> Result<Fetched, FetchError> {
        let mirrors = [self.folder.path().join("nowhere"), self.folder.path().join("mirror")];
        let report = |message: &str| self.said.borrow_mut().push(message.to_owned());
        fetch_with(
            dataset,
            &self.folder.path().join("raw"),
            &FetchAccess { mirrors: &mirrors, network, report: &report, interrupted: &|| false },
        )
    }

    /// The names in the raw folder, without the lock.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.folder.path().join("raw"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".lock")
            .collect();
        names.sort();
        names
    }
}

/// A network whose timeouts matter only for servers that never answer.
fn network() -> Option<Network> {
    Some(Network { attempts: 3, pause: Duration::from_millis(1), ..Network::default() })
}

const COMPLETE: [&str; 2] = ["fetched.toml", "t.csv"];

#[test]
fn a_mirror_is_copied_and_then_kept() {
    let bench = Bench::new();
    bench.mirror("t.csv", &csv(0));
    let first = bench.fetch(&dataset(&[]), None).unwrap();
    assert_eq!(first.files, [bench.raw("t.csv")]);
    assert_eq!(first.content_sha256, content_hash(&csv(0), &target("y")));
    assert_eq!(bench.names(), COMPLETE);
    assert!(!bench.raw("t.csv").is_symlink());
    // Now the file is there, so neither the mirror nor the network is asked.
    fs::remove_file(bench.folder.path().join("mirror/t.csv")).unwrap();
    assert_eq!(bench.fetch(&dataset(&[]), None).unwrap(), first);
}

#[test]
fn recompressed_copies_verify() {
    for (name, packed) in compressed(&csv(0)) {
        let bench = Bench::new();
        bench.mirror("t.csv", &packed);
        let fetched = bench.fetch(&dataset(&[]), None).unwrap();
        assert_eq!(fetched.content_sha256, content_hash(&csv(0), &target("y")), "{name}");
        assert_eq!(fs::read(bench.raw("t.csv")).unwrap(), packed);
    }
}

#[test]
fn what_cannot_be_reached_is_unavailable_and_says_how_to_get_it() {
    let gone = server::nobody();
    let dataset = dataset(&[format!("http://{gone}/t.csv"), format!("http://{gone}/again/t.csv")]);
    for network in [None, network()] {
        let bench = Bench::new();
        let error = bench.fetch(&dataset, network.clone()).unwrap_err();
        let FetchError::Unavailable { tried, remedy, .. } = &error else { panic!("{error:?}") };
        assert_eq!(tried.len(), 4, "{tried:?}");
        assert!(tried[0].1.contains("has no t.csv"), "{tried:?}");
        assert!(remedy.contains("t.csv") && remedy.contains("--mirror"), "{remedy}");
        match network {
            None => assert_eq!(tried[2].1, "offline"),
            // A host that does not answer is asked only once.
            Some(_) => assert_eq!(tried[3].1, "its host does not answer"),
        }
        assert!(bench.names().is_empty());
    }
}

#[test]
fn another_content_is_refused_and_moved_aside() {
    let bench = Bench::new();
    bench.mirror("t.csv", &csv(1));
    let error = bench.fetch(&dataset(&[]), None).unwrap_err();
    let FetchError::Mismatch { problem, source_name, .. } = &error else { panic!("{error:?}") };
    let DataError::Content { expected, actual, .. } = &**problem else { panic!("{problem:?}") };
    assert_eq!(*expected, content_hash(&csv(0), &target("y")));
    assert_eq!(*actual, content_hash(&csv(1), &target("y")));
    assert!(source_name.contains("mirror") && error.to_string().contains(expected), "{error}");
    assert_eq!(bench.names(), ["t.csv.rejected"]);
    assert_eq!(fs::read(bench.raw("t.csv.rejected")).unwrap(), csv(1));
}

#[test]
fn another_shape_is_refused() {
    let short = [&csv(0)[..], b"1,2,3\n"].concat();
    for (bytes, word) in [(&short[..], "number of rows: expected 500, found 501"), (b"a,y\n1,2\n", "number of inputs")]
    {
        let bench = Bench::new();
        bench.mirror("t.csv", bytes);
        let error = bench.fetch(&dataset(&[]), None).unwrap_err();
        assert!(matches!(error, FetchError::Mismatch { .. }), "{error:?}");
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn a_damaged_file_is_replaced_where_possible() {
    let bench = Bench::new();
    bench.mirror("t.csv", &csv(0));
    bench.fetch(&dataset(&[]), None).unwrap();
    fs::write(bench.raw("t.csv"), csv(1)).unwrap();
    bench.fetch(&dataset(&[]), None).unwrap();
    assert_eq!(fs::read(bench.raw("t.csv")).unwrap(), csv(0));
    assert!(bench.said.borrow().iter().any(|line| line.contains("is not the declared data; see")));
    // If it cannot be replaced, that is an error, not missing data.
    fs::remove_file(bench.folder.path().join("mirror/t.csv")).unwrap();
    fs::write(bench.raw("t.csv"), &csv(0)[..1000]).unwrap();
    let error = bench.fetch(&dataset(&[]), None).unwrap_err();
    assert!(matches!(error, FetchError::Mismatch { .. }), "{error:?}");
    assert!(!bench.raw("t.csv").exists());
}

#[test]
fn without_a_pinned_hash_the_first_fetch_records_it() {
    let bench = Bench::new();
    let unpinned = Dataset { content_sha256: None, ..dataset(&[]) };
    bench.mirror("t.csv", &csv(1));
    let first = bench.fetch(&unpinned, None).unwrap();
    assert_eq!(first.content_sha256, content_hash(&csv(1), &target("y")));
    fs::write(bench.raw("t.csv"), csv(2)).unwrap();
    bench.fetch(&unpinned, None).unwrap();
    assert_eq!(fs::read(bench.raw("t.csv")).unwrap(), csv(1));
}

#[test]
fn several_files_are_one_dataset() {
    let (front, back) = (&b"1 1:2\n-1 2:3\n"[..], &b"1 2:4\n"[..]);
    let bench = Bench::new();
    let dataset: Dataset = toml::from_str(
        "name = 't'\ntitle = 't'\ncitation = 't'\nlicence = 't'\ntask = 'classification'\nrows = 3\ninputs = 2\n\
         format = 'libsvm'\nfiles = [{ name = 'a', addresses = [], rows = 2 }, { name = 'b', addresses = [], rows = 1 }]",
    )
    .unwrap();
    bench.mirror("a", front);
    bench.mirror("b", &super::bzip2(back));
    let fetched = bench.fetch(&dataset, None).unwrap();
    assert_eq!(fetched.content_sha256, content_hash(&[front, back].concat(), &Default::default()));
    let table = dataset.load(&bench.folder.path().join("raw"), None).unwrap();
    assert_eq!(table.targets, [1.0, -1.0, 1.0]);
    assert_eq!(table.inputs.dense().data(), [2.0, 0.0, 0.0, 3.0, 0.0, 4.0]);
    assert_eq!(dataset.load(&bench.folder.path().join("raw"), Some(2)).unwrap().targets, [1.0, -1.0]);
}

/// The hash is that of all rows, so that a change in a row that is not used is found too.
#[test]
fn the_first_rows_of_pinned_data_are_those_of_the_declared_file() {
    let bench = Bench::new();
    let folder = bench.folder.path().join("raw");
    fs::create_dir(&folder).unwrap();
    let load = |dataset: &Dataset, bytes: &[u8]| {
        fs::write(bench.raw("t.csv"), bytes).unwrap();
        dataset.load(&folder, Some(2))
    };
    let (pinned, unpinned) = (dataset(&[]), Dataset { content_sha256: None, ..dataset(&[]) });
    let last = csv(0).len() - 2;
    let changed = [&csv(0)[..last], b"0\n"].concat();
    assert_ne!(changed, csv(0));
    assert_eq!(load(&pinned, &csv(0)).unwrap().rows(), 2);
    assert!(matches!(load(&pinned, &changed), Err(DataError::Content { .. })));
    let without_last = csv(0)[..last].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    assert!(matches!(load(&pinned, &csv(0)[..without_last]), Err(DataError::Shape { .. })));
    assert_eq!(load(&unpinned, &changed).unwrap().rows(), 2);
}

/// Fetches `t.csv` from a server that gives `answers`, one per request; returns the requests.
fn download(answers: Vec<Answer>) -> (Bench, Result<Fetched, FetchError>, Vec<String>) {
    let bench = Bench::new();
    let server = Server::start(answers);
    let result = bench.fetch(&dataset(&[server.address("/t.csv")]), network());
    (bench, result, server.requests())
}

#[test]
fn a_download_that_works() {
    let (bench, result, requests) = download(vec![Answer::whole(csv(0))]);
    assert_eq!(result.unwrap().content_sha256, content_hash(&csv(0), &target("y")));
    assert_eq!(bench.names(), COMPLETE);
    let record = fs::read_to_string(bench.raw("fetched.toml")).unwrap();
    assert!(record.contains(&format!("bytes = {}\n", csv(0).len())), "{record}");
    assert!(record.contains("source = \"http://127.0.0.1"), "{record}");
    assert_eq!(fs::read(bench.raw("t.csv")).unwrap(), csv(0));
    assert_eq!(requests.len(), 1);
}

#[test]
fn a_length_that_is_wrong_makes_no_data() {
    for length in [csv(0).len() + 10, csv(0).len() - 10] {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
        let server = Server::start(vec![Answer::Raw([head.into_bytes(), csv(0)].concat()); 3]);
        let bench = Bench::new();
        assert!(bench.fetch(&dataset(&[server.address("/t.csv")]), network()).is_err(), "{length}");
        assert!(!bench.raw("t.csv").exists());
    }
}

#[test]
fn a_dropped_connection_is_resumed() {
    let (bench, result, requests) =
        download(vec![Answer::whole(csv(0)).tag("\"one\"").dropped(3000), Answer::whole(csv(0)).tag("\"one\"")]);
    result.unwrap();
    assert_eq!(fs::read(bench.raw("t.csv")).unwrap(), csv(0));
    assert_eq!(requests.len(), 2);
    assert!(requests[1].contains("range: bytes=3000-") && requests[1].contains("if-range: \"one\""), "{requests:?}");
    assert_eq!(bench.names(), COMPLETE);
}

#[test]
fn a_file_that_changed_meanwhile_is_not_spliced() {
    let (bench, result, requests) =
        download(vec![Answer::whole(csv(1)).tag("\"old\"").dropped(3000), Answer::whole(csv(0)).tag("\"new\"")]);
    result.unwrap();
    assert_eq!(fs::read(bench.raw("t.csv")).unwrap(), csv(0));
    assert!(requests[1].contains("if-range: \"old\""));
}

#[test]
fn without_a_validator_or_ranges_a_download_starts_again() {
    for second in [Answer::whole(csv(0)), Answer::whole(csv(0)).tag("\"one\"").without_ranges()] {
        let first = Answer::whole(csv(0)).dropped(3000);
        let first = if second.has_tag() { first.tag("\"one\"") } else { first };
        let (bench, result, requests) = download(vec![first, second]);
        result.unwrap();
        assert_eq!(requests.len(), 2);
        assert_eq!(fs::read(bench.raw("t.csv")).unwrap(), csv(0));
    }
}

#[test]
fn a_partial_download_survives_the_process() {
    let broken = || Answer::whole(csv(0)).tag("\"one\"").dropped(2000);
    let bench = Bench::new();
    let server =
        Server::start(vec![broken(), Answer::Status(500), Answer::Status(500), Answer::whole(csv(0)).tag("\"one\"")]);
    let dataset = dataset(&[server.address("/t.csv")]);
    let error = bench.fetch(&dataset, network()).unwrap_err();
    assert!(matches!(error, FetchError::Unavailable { .. }), "{error:?}");
    assert_eq!(bench.names(), ["t.csv.part", "t.csv.part.from"]);
    bench.fetch(&dataset, network()).unwrap();
    assert!(server.requests()[3].contains("range: bytes=2000-"));
    assert_eq!(bench.names(), COMPLETE);
}

#[test]
fn passing_errors_are_retried_and_lasting_ones_are_not() {
    let (_, result, requests) = download(vec![Answer::Status(500), Answer::Status(503), Answer::whole(csv(0))]);
    result.unwrap();
    assert_eq!(requests.len(), 3);
    let (bench, result, requests) = download(vec![Answer::Status(404), Answer::whole(csv(0))]);
    let error = result.unwrap_err();
    assert!(matches!(error, FetchError::Unavailable { .. }) && error.to_string().contains("404"), "{error}");
    assert_eq!(requests.len(), 1);
    assert!(bench.names().is_empty());
    let (_, result, requests) = download(vec![Answer::Status(500), Answer::Status(500), Answer::Status(500)]);
    assert!(result.unwrap_err().to_string().contains("500 (3 attempts)"));
    assert_eq!(requests.len(), 3);
}

#[test]
fn an_error_page_is_never_taken_for_data() {
    let page = b"<!DOCTYPE html><html><body>We are down for maintenance.</body></html>".to_vec();
    let (bench, result, _) = download(vec![Answer::whole(page.clone())]);
    let error = result.unwrap_err();
    let FetchError::Mismatch { problem, .. } = &error else { panic!("{error:?}") };
    assert!(matches!(**problem, DataError::WebPage { .. }), "{problem:?}");
    assert_eq!(bench.names(), ["t.csv.rejected"]);
    // The next address has the file.
    let bench = Bench::new();
    let server = Server::start(vec![Answer::whole(page), Answer::whole(csv(0))]);
    bench.fetch(&dataset(&[server.address("/down"), server.address("/t.csv")]), network()).unwrap();
    assert_eq!(fs::read(bench.raw("t.csv")).unwrap(), csv(0));
}

#[test]
fn a_server_that_stalls_times_out() {
    let network = || Network {
        response: Duration::from_millis(100),
        read: Duration::from_millis(100),
        attempts: 2,
        pause: Duration::from_millis(1),
        ..Network::default()
    };
    let bench = Bench::new();
    let server = Server::start(vec![Answer::Stall, Answer::Stall]);
    let error = bench.fetch(&dataset(&[server.address("/t.csv")]), Some(network())).unwrap_err();
    assert!(matches!(error, FetchError::Unavailable { .. }) && error.to_string().contains("timeout"), "{error}");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn bytes_that_drip_in_time_out() {
    let network = Network { read: Duration::from_millis(300), attempts: 2, ..network().unwrap() };
    let bench = Bench::new();
    let server = Server::start(vec![Answer::Drip(csv(0)), Answer::Drip(csv(0))]);
    let error = bench.fetch(&dataset(&[server.address("/t.csv")]), Some(network)).unwrap_err();
    // On a busy machine a single byte may take that long.
    let slow = ["too slow", "timeout"].iter().any(|word| error.to_string().contains(word));
    assert!(matches!(error, FetchError::Unavailable { .. }) && slow, "{error}");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn an_endless_body_does_not_fill_the_disk() {
    let (bench, result, requests) = download(vec![Answer::Endless(csv(0))]);
    let error = result.unwrap_err();
    assert!(error.to_string().contains("more than its declared rows can need"), "{error}");
    assert_eq!((bench.names(), requests.len()), (Vec::new(), 1));
}

/// Symbolic links that someone put where a fetch writes lead nowhere.
#[test]
fn a_fetch_writes_through_no_link() {
    let bench = Bench::new();
    let victim = bench.folder.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    fs::create_dir(bench.folder.path().join("raw")).unwrap();
    for name in ["t.csv.new", "t.csv.part", "t.csv.part.from", "fetched.toml.tmp"] {
        std::os::unix::fs::symlink(&victim, bench.raw(name)).unwrap();
    }
    let server = Server::start(vec![Answer::whole(csv(0)).tag("\"one\"")]);
    bench.fetch(&dataset(&[server.address("/t.csv")]), network()).unwrap();
    assert_eq!(bench.names(), COMPLETE);
    fs::remove_file(bench.raw(".lock")).unwrap();
    std::os::unix::fs::symlink(&victim, bench.raw(".lock")).unwrap();
    let error = bench.fetch(&dataset(&[]), None).unwrap_err();
    assert!(error.to_string().contains(".lock: cannot open it: it is a symbolic link"), "{error}");
    assert_eq!(fs::read(&victim).unwrap(), b"precious");
}

#[test]
fn an_archive_that_unpacks_without_end_is_refused() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    zip.start_file("t.csv", options).unwrap();
    let zeros = vec![b'0'; 1 << 20];
    (0..17).for_each(|_| std::io::Write::write_all(&mut zip, &zeros).unwrap());
    let (bench, result, _) = download(vec![Answer::whole(zip.finish().unwrap().into_inner())]);
    let error = result.unwrap_err();
    assert!(error.to_string().contains("more than its declared rows can need"), "{error}");
    assert_eq!(bench.names(), ["t.csv.rejected"]);
    assert!(fs::metadata(bench.raw("t.csv.rejected")).unwrap().len() < 1 << 20, "the archive itself");
}

#[test]
fn a_zip_archive_stands_for_its_member() {
    let zipped = |name: &str| {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file("readme.txt", options).unwrap();
        zip.start_file(name, options).unwrap();
        std::io::Write::write_all(&mut zip, &gzip(&csv(0))).unwrap();
        zip.finish().unwrap().into_inner()
    };
    let (bench, result, _) = download(vec![Answer::whole(zipped("folder/t.csv"))]);
    result.unwrap();
    assert_eq!(fs::read(bench.raw("t.csv")).unwrap(), gzip(&csv(0)));
    assert_eq!(bench.names(), COMPLETE);
    let (bench, result, _) = download(vec![Answer::whole(zipped("other.csv"))]);
    let error = result.unwrap_err();
    assert!(matches!(error, FetchError::Mismatch { .. }) && error.to_string().contains("no such member"), "{error}");
    assert_eq!(bench.names(), ["t.csv.rejected"]);
}

#[test]
fn an_interruption_keeps_what_has_arrived() {
    let bench = Bench::new();
    let server = Server::start(vec![Answer::whole(csv(0)).tag("\"one\""), Answer::whole(csv(0)).tag("\"one\"")]);
    let dataset = dataset(&[server.address("/t.csv")]);
    let asked = Cell::new(0);
    // Before the first piece of data, and again after it.
    let interrupted = || asked.replace(asked.get() + 1) > 0;
    let access = FetchAccess { mirrors: &[], network: network(), report: &|_| {}, interrupted: &interrupted };
    let error = fetch_with(&dataset, &bench.folder.path().join("raw"), &access).unwrap_err();
    assert!(matches!(error, FetchError::Interrupted), "{error:?}");
    let arrived = fs::metadata(bench.raw("t.csv.part")).unwrap().len();
    assert!(arrived > 0 && !bench.raw("t.csv").exists());
    bench.fetch(&dataset, network()).unwrap();
    assert!(server.requests()[1].contains(&format!("range: bytes={arrived}-")));
    assert_eq!(fs::read(bench.raw("t.csv")).unwrap(), csv(0));
}

#[test]
fn two_fetches_at_once_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    // The server answers once; the second fetch must find the file in place.
    let server = Server::start(vec![Answer::whole(csv(0))]);
    let dataset = dataset(&[server.address("/t.csv")]);
    let fetch = || {
        let access = FetchAccess { mirrors: &[], network: network(), report: &|_| {}, interrupted: &|| false };
        fetch_with(&dataset, folder.path(), &access)
    };
    let (one, two) = std::thread::scope(|scope| {
        let (one, two) = (scope.spawn(fetch), scope.spawn(fetch));
        (one.join().unwrap().unwrap(), two.join().unwrap().unwrap())
    });
    assert_eq!(one, two);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn verification_changes_nothing() {
    let bench = Bench::new();
    let raw = bench.folder.path().join("raw");
    let unpinned = Dataset { content_sha256: None, ..dataset(&[]) };
    let error = verify(&unpinned, &raw).unwrap_err();
    assert!(matches!(error, FetchError::Unavailable { .. }) && error.to_string().contains("data fetch t"), "{error}");
    bench.mirror("t.csv", &csv(0));
    let fetched = bench.fetch(&unpinned, None).unwrap();
    assert_eq!(verify(&unpinned, &raw).unwrap(), fetched);
    fs::write(bench.raw("t.csv"), csv(1)).unwrap();
    let error = verify(&unpinned, &raw).unwrap_err();
    assert!(matches!(error, FetchError::Mismatch { .. }) && error.to_string().contains("content differs"), "{error}");
    assert_eq!(bench.names(), COMPLETE);
}

#[test]
fn embedded_data_needs_nothing() {
    let bench = Bench::new();
    let declared = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipeline/datasets/wine-quality.toml");
    let dataset = noregret_data::catalogue::load_one(&declared).unwrap();
    let fetched = bench.fetch(&dataset, None).unwrap();
    assert!(fetched.files.is_empty());
    assert_eq!(Some(fetched.content_sha256), dataset.content_sha256);
}
