//! Streams behind an address, from a server on this machine: they give the rounds of the file, whatever breaks off.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ::arrow::array::{ArrayRef, BooleanArray, Float64Array};
use parquet::basic::Compression;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};

use super::*;
use crate::data::fetch::server::{nobody, request};
use crate::data::formats::{parquet, parquet_as};

/// A file, and how it is sent.
#[derive(Clone, Default)]
struct Sent {
    bytes: Vec<u8>,
    /// The line of the header that says which version it is.
    version: &'static str,
    /// Whether it is always sent as a whole.
    whole: bool,
    /// After how many bytes each of the next answers breaks off.
    breaks: Vec<usize>,
    /// After how many bytes every answer stands still.
    stands: Option<usize>,
    /// The statuses of the next answers, the last one first; 200 sends the file.
    fails: Vec<u16>,
    /// Each part is sent only when another one is asked for, or after so long.
    waits: Option<Duration>,
}

/// A server with one file under any name, and the ranges that were asked for.
struct FileServer {
    address: SocketAddr,
    sent: Arc<Mutex<Sent>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl FileServer {
    fn start(sent: Sent) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sent, asked) = (Arc::new(Mutex::new(sent)), Arc::new(Mutex::new(Vec::new())));
        let (file, log) = (sent.clone(), asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (file, log) = (file.clone(), log.clone());
                // The client may close the connection at any time, and may have several.
                std::thread::spawn(move || answer(stream, &file, &log));
            }
        });
        Self { address, sent, asked }
    }

    /// A server that sends the parts of a file with an ETag.
    fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self::start(Sent { bytes: bytes.as_ref().to_vec(), version: "etag: \"1\"", ..Sent::default() })
    }

    fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    fn change(&self, change: impl FnOnce(&mut Sent)) {
        change(&mut self.sent.lock().unwrap());
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

fn answer(mut stream: TcpStream, sent: &Mutex<Sent>, asked: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let request = request(&stream);
    let field =
        |name: &str| request.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned());
    let wanted = field("range: bytes=");
    let (sent, breaks, fails) = {
        let mut sent = sent.lock().unwrap();
        let fails = sent.fails.pop().filter(|status| *status != 200);
        let breaks = if fails.is_none() { sent.breaks.pop() } else { None };
        (sent.clone(), breaks, fails)
    };
    // Whoever sees this may change what is sent.
    asked.lock().unwrap().push(wanted.clone().unwrap_or_default());
    if let Some(status) = fails {
        return write!(stream, "HTTP/1.1 {status} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    }
    let length = sent.bytes.len();
    let same = field("if-range:").is_none_or(|version| sent.version.ends_with(&version));
    let part = wanted.filter(|_| same && !sent.whole).and_then(|range| {
        let (start, last) = range.split_once('-')?;
        Some((start.parse::<usize>().ok()?, last.parse().map_or(length, |last: usize| (last + 1).min(length))))
    });
    let (start, end) = part.unwrap_or((0, length));
    match part {
        Some(_) => write!(stream, "HTTP/1.1 206 x\r\ncontent-range: bytes {start}-{}/{length}\r\n", end - 1)?,
        None => write!(stream, "HTTP/1.1 200 OK\r\n")?,
    }
    write!(stream, "content-length: {}\r\n{}\r\nconnection: close\r\n\r\n", end - start, sent.version)?;
    if let Some(most) = sent.waits {
        let (before, begin) = (asked.lock().unwrap().len(), Instant::now());
        while asked.lock().unwrap().len() == before && begin.elapsed() < most {
            std::thread::sleep(Duration::from_millis(1));
        }
        if begin.elapsed() >= most {
            asked.lock().unwrap().push("in vain".into());
        }
    }
    let body = &sent.bytes[start..end];
    stream.write_all(&body[..breaks.or(sent.stands).unwrap_or(usize::MAX).min(body.len())])?;
    if sent.stands.is_some() {
        // Until the client closes the connection.
        stream.read_exact(&mut [0])?;
    }
    Ok(())
}

const MEAN: [&str; 4] = ["--learner", "linear-ridge", "--target", "y"];

/// What a run says that fails.
fn refusal(url: &str, extra: &[&str]) -> String {
    let ended = stream(&[&MEAN[..], &["--input", url], extra].concat());
    assert!(!ended.status.success(), "{url}");
    stderr(&ended)
}

/// A column of numbers for [`parquet`].
pub(super) fn numbers(rows: usize, by: f64) -> ArrayRef {
    Arc::new((0..rows).map(|i| (i as f64 * by).sin()).collect::<Float64Array>())
}

#[test]
fn every_format_gives_the_rounds_of_the_file() {
    let folder = Folder::new();
    let csv = table(700);
    let json = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        format!("{{\"a\":{},\"b\":{},\"y\":{}}}\n", cells[0], cells[1], cells[2])
    };
    let json: String = csv.lines().skip(1).map(json).collect();
    let mut packed = flate2::read::GzEncoder::new(csv.as_bytes(), flate2::Compression::fast());
    let mut gzip = Vec::new();
    packed.read_to_end(&mut gzip).unwrap();
    let columns = vec![("a", numbers(300, 0.7)), ("b", numbers(300, 1.3)), ("y", numbers(300, 0.1))];
    let table = parquet(columns, Compression::SNAPPY);
    for (name, bytes) in [
        ("rows.csv", csv.into_bytes()),
        ("rows.csv.gz", gzip),
        ("rows.jsonl", json.into_bytes()),
        ("rows.parquet", table),
    ] {
        let file = folder.file(name, &bytes);
        for whole in [false, true] {
            let server = FileServer::of(&bytes);
            server.change(|sent| sent.whole = whole);
            for extra in [&[][..], &["--scale", "unit"], &["--shuffle"], &["--limit", "50"]] {
                let expected = rounds(&stream(&[&MEAN[..], extra, &["--input", &file]].concat()));
                let found = stream(&[&MEAN[..], extra, &["--input", &server.url(name)]].concat());
                assert_eq!(rounds(&found), expected, "{name} {whole} {extra:?}");
            }
            assert!(!server.asked().is_empty());
        }
    }
}

/// Three columns of so many rows, of which [`play_two`] uses two.
fn third_unused(rows: usize) -> Vec<(&'static str, ArrayRef)> {
    vec![("a", numbers(rows, 0.7)), ("unused", numbers(rows, 1.9)), ("y", numbers(rows, 0.1))]
}

fn play_two(input: &str) -> Vec<[f64; 5]> {
    rounds(&stream(&["--learner", "running-mean", "--target", "y", "--drop", "unused", "--input", input]))
}

/// Row groups of so many rows, with eight bytes for each number.
fn groups_of(rows: usize) -> WriterPropertiesBuilder {
    WriterProperties::builder().set_max_row_group_row_count(Some(rows)).set_dictionary_enabled(false)
}

/// Of a file of columns, those that nobody uses, a third here, are not fetched, and the others in parts.
#[test]
fn columns_that_are_not_used_are_not_fetched() {
    let folder = Folder::new();
    let rows = 600_000;
    let bytes = parquet_as(third_unused(rows), WriterProperties::builder());
    let file = folder.file("rows.parquet", &bytes);
    let server = FileServer::of(&bytes);
    assert_eq!(play_two(&server.url("rows.parquet")), play_two(&file));
    let asked = server.asked();
    let fetched = fetched(&asked);
    assert!(
        asked.len() > 4 && fetched > bytes.len() / 2 && fetched < bytes.len() * 4 / 5,
        "{fetched} of {}: {asked:?}",
        bytes.len()
    );
}

/// The bytes of ranges such as `0-99`.
fn fetched(asked: &[String]) -> usize {
    let ends = asked.iter().filter_map(|range| range.split_once('-'));
    let length = |(start, last): (&str, &str)| Some(last.parse::<usize>().ok()? + 1 - start.parse::<usize>().ok()?);
    ends.filter_map(length).sum()
}

/// While a part is read, the next one of its column is asked for, and nothing is fetched that is not read.
#[test]
fn columns_are_read_ahead() {
    let folder = Folder::new();
    let rows = 900_000;
    let bytes = parquet_as(third_unused(rows), groups_of(300_000));
    let file = folder.file("rows.parquet", &bytes);
    let server = FileServer::of(&bytes);
    let expected = play_two(&file);
    assert_eq!(play_two(&server.url("rows.parquet")), expected);
    let asked = server.asked();
    // Two columns of eight bytes a row, the end of the file, and what is looked at first to know the columns.
    assert!(fetched(&asked) < 2 * 8 * rows + (3 << 20), "{} of {}: {asked:?}", fetched(&asked), bytes.len());
    assert!(asked.len() > 14, "{asked:?}");
    // Without reading ahead, all would wait in vain, as those do by which the columns become known, and the last one.
    server.change(|sent| sent.waits = Some(Duration::from_secs(2)));
    assert_eq!(play_two(&server.url("rows.parquet")), expected);
    let asked = server.asked();
    let in_vain = asked[asked.len() / 2..].iter().filter(|range| *range == "in vain").count();
    assert!(in_vain < 4, "{in_vain}: {asked:?}");
}

/// Small parts among large ones are asked for before they are read, too: no part of the second half waits in vain but the last ones.
#[test]
fn small_parts_among_large_ones_are_read_ahead() {
    let folder = Folder::new();
    let rows = 1_600_000;
    let signs: ArrayRef = Arc::new((0..rows).map(|row| Some(row % 3 == 0)).collect::<BooleanArray>());
    let columns = vec![("a", numbers(rows, 0.7)), ("b", signs), ("y", numbers(rows, 0.1))];
    let bytes = parquet_as(columns, groups_of(200_000));
    let (file, server) = (folder.file("rows.parquet", &bytes), FileServer::of(&bytes));
    let play = |input: &str| rounds(&stream(&["--learner", "running-mean", "--target", "y", "--input", input]));
    server.change(|sent| sent.waits = Some(Duration::from_secs(2)));
    assert_eq!(play(&server.url("rows.parquet")), play(&file));
    let asked = server.asked();
    let in_vain = asked[asked.len() / 2..].iter().filter(|range| *range == "in vain").count();
    assert!(in_vain < 3, "{in_vain}: {asked:?}");
}

/// Parts of a few kilobytes are fetched together.
#[test]
fn small_parts_are_fetched_together() {
    let folder = Folder::new();
    let names: Vec<String> = (0..40).map(|i| format!("c{i}")).collect();
    let columns = names.iter().enumerate().map(|(i, name)| (name.as_str(), numbers(20_000, 0.1 + i as f64)));
    let bytes = parquet_as(columns.collect(), groups_of(1000));
    let (file, server) = (folder.file("rows.parquet", &bytes), FileServer::of(&bytes));
    let play = |input: &str| rounds(&stream(&["--learner", "running-mean", "--target", "c39", "--input", input]));
    assert_eq!(play(&server.url("rows.parquet")), play(&file));
    let asked = server.asked();
    assert!(bytes.len() > 6 << 20 && asked.len() < 20, "{asked:?}");
    assert!(fetched(&asked) < bytes.len() + (4 << 20), "{} of {}: {asked:?}", fetched(&asked), bytes.len());
}

#[test]
fn what_breaks_off_is_asked_for_again() {
    let folder = Folder::new();
    let csv = table(8000);
    let file = folder.file("rows.csv", &csv);
    let expected = rounds(&stream(&[&MEAN[..], &["--input", &file]].concat()));
    for version in ["etag: \"1\"", "last-modified: sat, 28 nov 2026 00:00:00 gmt"] {
        let server = FileServer::of(&csv);
        server.change(|sent| {
            sent.version = version;
            sent.fails = vec![503];
            sent.breaks = vec![90_000; 3];
        });
        let found = stream(&[&MEAN[..], &["--input", &server.url("rows.csv")]].concat());
        assert_eq!(rounds(&found), expected, "{version}");
        let asked = server.asked();
        assert!(asked.contains(&"90000-".into()) && asked.contains(&"180000-".into()), "{asked:?}");
    }
    // Always: then it is an error, which says how far it came.
    let server = FileServer::of(&csv);
    server.change(|sent| sent.breaks = vec![1000; 100]);
    let said = refusal(&server.url("rows.csv"), &[]);
    assert!(said.contains("the connection broke after") && said.contains("(4 attempts)"), "{said}");
}

#[test]
fn what_cannot_be_read_soundly_is_refused() {
    let csv = table(8000);
    // The file changes while it is read.
    let server = FileServer::of(&csv);
    server.change(|sent| sent.breaks = vec![100_000; 3]);
    let url = server.url("rows.csv");
    let changed = std::thread::scope(|scope| {
        let run = scope.spawn(|| refusal(&url, &[]));
        while server.asked.lock().unwrap().is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        server.change(|sent| sent.version = "etag: \"2\"");
        run.join().unwrap()
    });
    assert!(changed.contains("has changed; start the run again"), "{changed}");
    // Where the server refuses a part, the file is not damaged.
    let server =
        FileServer::of(parquet(vec![("a", numbers(300, 0.7)), ("y", numbers(300, 0.1))], Compression::UNCOMPRESSED));
    server.change(|sent| sent.fails = [vec![403; 100], vec![200]].concat());
    let refused = refusal(&server.url("rows.parquet"), &[]);
    assert!(refused.contains("HTTP status 403") && !refused.contains("damaged"), "{refused}");
    // The rest of a file of which nobody knows the version may be of another one.
    let server = FileServer::of(&csv);
    server.change(|sent| (sent.version, sent.breaks) = ("x-none: 1", vec![100_000; 3]));
    let said = refusal(&server.url("rows.csv"), &[]);
    assert!(said.contains("does not say (ETag, Last-Modified)") && said.contains("download it first"), "{said}");
    // A server that sends no parts has to begin at the beginning.
    let server = FileServer::of(&csv);
    server.change(|sent| (sent.whole, sent.breaks) = (true, vec![100_000; 3]));
    let said = refusal(&server.url("rows.csv"), &[]);
    assert!(said.contains("does not send parts of files") && said.contains("download it first"), "{said}");
    let server = FileServer::of(&csv);
    server.change(|sent| sent.fails = vec![404]);
    assert!(refusal(&server.url("rows.csv"), &[]).contains("HTTP status 404"));
    let page = FileServer::of("<!DOCTYPE html><title>Sign in</title>");
    assert!(refusal(&page.url("rows.csv"), &[]).contains("this is a web page"));
    let said = refusal(&format!("http://{}/rows.csv", nobody()), &[]);
    assert!(said.contains("refused"), "{said}");
    // Where files of this machine are read, an address is no path that is not there.
    let mut compare = Command::new(env!("CARGO_BIN_EXE_noregret"));
    let ended = compare.args(["compare", "https://example.org/a.csv?key=5ec7e7", "--target", "y"]).output().unwrap();
    assert!(stderr(&ended).contains("download it") && !stderr(&ended).contains("5ec7e7"), "{}", stderr(&ended));
}

/// The signature of an address is a secret: it is in nothing that is written.
#[test]
fn secrets_of_an_address_are_told_to_nobody() {
    let folder = Folder::new();
    let server = FileServer::of(table(200));
    let url = server.url("rows.csv?X-Amz-Signature=5ec7e7");
    let url = url.replace("http://", "http://me:5ec7e7@");
    for output in ["out.csv", "out.parquet"] {
        let ([model, output, page], option) =
            (["model", output, "page.html"].map(|name| folder.path(name)), "--input=".to_owned());
        let places = [("--save", &model), ("--output", &output), ("--report", &page)];
        let places: Vec<&str> = places.iter().flat_map(|(option, path)| [*option, path.to_str().unwrap()]).collect();
        let ended = stream(&[&MEAN[..], &places, &[&(option + &url)]].concat());
        assert!(ended.status.success(), "{}", stderr(&ended));
        assert!(!stderr(&ended).contains("5ec7e7"), "{}", stderr(&ended));
        for name in folder.names() {
            let bytes = fs::read(folder.path(&name)).unwrap();
            assert!(!bytes.windows(6).any(|part| part == b"5ec7e7"), "{name}");
        }
        assert!(fs::read_to_string(&page).unwrap().contains("rows.csv?..."));
    }
    server.change(|sent| sent.fails = vec![403]);
    let said = refusal(&url, &[]);
    assert!(said.contains("/rows.csv?...") && said.contains("403") && !said.contains("5ec7e7"), "{said}");
}

#[test]
fn a_run_that_was_stopped_goes_on_from_the_address() {
    let folder = Folder::new();
    let columns = vec![("a", numbers(300, 0.7)), ("y", numbers(300, 0.1))];
    for bytes in [table(300).into_bytes(), parquet(columns, Compression::UNCOMPRESSED)] {
        let server = FileServer::of(&bytes);
        let (model, output, url) = (folder.path("model"), folder.path("out.csv"), server.url("rows"));
        let file = folder.file("whole", &bytes);
        let kept = ["--save", model.to_str().unwrap(), "--save-every", "25", "--output", output.to_str().unwrap()];
        let expected = stream(&[&MEAN[..], &["--input", &file]].concat()).stdout;
        assert!(stream(&[&MEAN[..], &kept, &["--input", &url, "--limit", "110"]].concat()).status.success());
        let resumed = stream(&[&MEAN[..], &kept, &["--input", &url, "--resume"]].concat());
        assert!(resumed.status.success(), "{}", stderr(&resumed));
        assert_eq!(String::from_utf8(fs::read(&output).unwrap()), String::from_utf8(expected));
        fs::remove_file(&model).unwrap();
    }
}

/// While the server stands still, a signal ends the run in order: what was played is written and saved.
#[test]
fn a_signal_ends_the_wait_for_a_server_that_stands_still() {
    use rustix::process::Signal;

    use crate::pipeline::project::signalled;

    let csv = table(8000);
    let folder = Folder::new();
    let expected = stream(&[&MEAN[..], &["--input", &folder.file("rows.csv", &csv)]].concat()).stdout;
    let expected = String::from_utf8(expected).unwrap();
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let server = FileServer::of(&csv);
        server.change(|sent| sent.stands = Some(csv.len() / 2));
        let folder = Folder::new();
        let (model, output, url) = (folder.path("model"), folder.path("out.csv"), server.url("rows.csv"));
        let kept = ["--save", model.to_str().unwrap(), "--save-every", "1000", "--output", output.to_str().unwrap()];
        let mut child =
            command(&[&MEAN[..], &kept, &["--input", &url]].concat()).stderr(Stdio::piped()).spawn().unwrap();
        assert_eq!(signalled(&mut child, signal, || model.exists()), Some(status));
        let written = fs::read_to_string(&output).unwrap();
        assert!(written.lines().count() > 1000 && expected.starts_with(&written), "{} lines", written.lines().count());
        server.change(|sent| sent.stands = None);
        let resumed = stream(&[&MEAN[..], &kept, &["--input", &url, "--resume"]].concat());
        assert!(resumed.status.success(), "{}", stderr(&resumed));
        assert!(fs::read_to_string(&output).unwrap() == expected);
    }
}
