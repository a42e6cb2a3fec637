//! A bucket of this machine, as much of the protocol of S3 as the program speaks, and what can go wrong with one.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What the server does to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    /// It closes the connection and does nothing.
    Drop,
    /// It does what was asked and does not say so.
    Silence,
    /// It breaks off in the middle of the answer.
    Break,
    /// None.
    Nothing,
    /// It refuses with this status and code.
    Refuse(u16, &'static str),
}

#[derive(Default)]
pub struct Held {
    pub files: BTreeMap<String, Vec<u8>>,
    /// The requests: method, path, and what was asked for.
    pub asked: Vec<String>,
    /// What happens to the requests that begin so, the last one first.
    pub harms: Vec<(&'static str, Harm)>,
    /// What happens to all requests that begin so.
    pub always: Option<(&'static str, Harm)>,
    /// Whether it writes over files, whatever the condition.
    pub careless: bool,
    /// A request, with its range, that is answered when one that begins so has come, or after ten seconds in vain.
    pub waits: Option<[String; 2]>,
}

/// A server with the bucket `lab`.
pub struct BucketServer {
    pub address: SocketAddr,
    held: Arc<Mutex<Held>>,
}

/// The secret that nothing may tell.
pub const SECRET: &str = "wJalrXUtnFEMI/bPxRfiCYSECRETKEY";

/// Environment variables that have credentials.
const VARIABLES: [&str; 8] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL_S3",
    "AWS_CONFIG_FILE",
];

/// A command without credentials, at a server.
pub fn at<'a>(command: &'a mut Command, endpoint: &str) -> &'a mut Command {
    for name in VARIABLES {
        command.env_remove(name);
    }
    command
        .env("HOME", "/nowhere")
        .env("AWS_ENDPOINT_URL", endpoint)
        .env("AWS_SHARED_CREDENTIALS_FILE", "/nowhere/credentials")
        .env("AWS_EC2_METADATA_DISABLED", "true")
}

/// The same with credentials.
pub fn with_credentials<'a>(command: &'a mut Command, endpoint: &str) -> &'a mut Command {
    at(command, endpoint).env("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE").env("AWS_SECRET_ACCESS_KEY", SECRET)
}

impl BucketServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let held = Arc::new(Mutex::new(Held::default()));
        let all = held.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let all = all.clone();
                std::thread::spawn(move || answer(stream, &all));
            }
        });
        Self { address, held }
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// With this file.
    pub fn put(&self, name: &str, bytes: impl Into<Vec<u8>>) {
        self.change(|held| held.files.insert(name.to_owned(), bytes.into()));
    }

    pub fn change<T>(&self, change: impl FnOnce(&mut Held) -> T) -> T {
        change(&mut self.held.lock().unwrap())
    }

    /// The requests since it was asked last.
    pub fn asked(&self) -> Vec<String> {
        self.change(|held| std::mem::take(&mut held.asked))
    }

    /// The names of packs.
    pub fn packs(&self) -> Vec<String> {
        self.change(|held| held.files.keys().filter(|name| name.contains("packs/")).cloned().collect())
    }
}

struct Request {
    method: String,
    path: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

fn read(stream: &TcpStream) -> std::io::Result<Request> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let mut words = lines.first().map(String::as_str).unwrap_or_default().split(' ').map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query = pairs.map(|(key, value)| (key.to_owned(), value.replace("%2F", "/"))).collect();
    let fields = lines.iter().skip(1).filter_map(|line| line.split_once(':'));
    let headers: BTreeMap<String, String> =
        fields.map(|(key, value)| (key.to_lowercase(), value.trim().to_owned())).collect();
    let length = headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Request { method, path: path.to_owned(), query, headers, body })
}

/// How many names a page of a list has, so that lists of two are continued.
const PAGE: usize = 1;

/// Carries a request out; returns the status, lines of the header, and the body.
fn carry_out(request: &Request, held: &mut Held) -> (u16, String, Vec<u8>) {
    let refusal = |status: u16, code: &str| {
        let text =
            format!("<Error><Code>{code}</Code><Message>Said so.</Message><AWSAccessKeyId>x</AWSAccessKeyId></Error>");
        (status, String::new(), text.into_bytes())
    };
    let signed =
        ["X-Amz-Signature", "X-Amz-Credential", "X-Amz-Date"].iter().all(|key| request.query.contains_key(*key));
    if !signed {
        return refusal(403, "AccessDenied");
    }
    let Some(rest) = request.path.strip_prefix("/lab") else { return refusal(404, "NoSuchBucket") };
    let name = rest.trim_start_matches('/').to_owned();
    match (request.method.as_str(), request.query.get("list-type")) {
        ("GET", Some(_)) => {
            let begins = request.query.get("prefix").cloned().unwrap_or_default();
            let after = request.query.get("continuation-token").cloned().unwrap_or_default();
            let names = held.files.iter().filter(|(name, _)| name.starts_with(&begins) && **name > after);
            let mut names = names.map(|(name, bytes)| (name.clone(), bytes.len())).collect::<Vec<_>>();
            let more = names.len() > PAGE;
            names.truncate(PAGE);
            let entry = |(name, length): &(String, usize)| {
                format!("<Contents><Key>{}</Key><Size>{length}</Size></Contents>", name.replace('/', "%2F"))
            };
            let next = names
                .last()
                .filter(|_| more)
                .map_or(String::new(), |(name, _)| format!("<NextContinuationToken>{name}</NextContinuationToken>"));
            let text = format!(
                "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><EncodingType>url</EncodingType>\
                 <IsTruncated>{more}</IsTruncated>{}{next}</ListBucketResult>",
                names.iter().map(entry).collect::<String>()
            );
            (200, String::new(), text.into_bytes())
        }
        ("GET", None) => {
            let Some(bytes) = held.files.get(&name) else { return refusal(404, "NoSuchKey") };
            let version = format!("etag: \"{}\"\r\n", bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>());
            let range = request.headers.get("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
            match range.and_then(|(from, last)| Some((from.parse::<usize>().ok()?, last.parse::<usize>().ok()))) {
                None => (200, version, bytes.clone()),
                Some((from, last)) => {
                    let end = last.map_or(bytes.len(), |last| bytes.len().min(last + 1));
                    let range = format!("content-range: bytes {from}-{}/{}\r\n", end - 1, bytes.len());
                    (206, version + &range, bytes[from..end].to_vec())
                }
            }
        }
        ("PUT", _) => {
            let condition = request.headers.get("if-none-match").is_some_and(|value| value == "*");
            let covered = request.query.get("X-Amz-SignedHeaders").is_some_and(|all| all.contains("if-none-match"));
            if condition && covered && !held.careless && held.files.contains_key(&name) {
                return refusal(412, "PreconditionFailed");
            }
            held.files.insert(name, request.body.clone());
            (200, String::new(), Vec::new())
        }
        _ => refusal(405, "MethodNotAllowed"),
    }
}

fn answer(mut stream: TcpStream, held: &Mutex<Held>) -> std::io::Result<()> {
    let request = read(&stream)?;
    let list = if request.query.contains_key("list-type") { "?list" } else { "" };
    let told = format!("{} {}{list}", request.method, request.path);
    let (harm, (status, header, body)) = {
        let mut held = held.lock().unwrap();
        held.asked.push(told.clone());
        let next = held.harms.last().filter(|(begins, _)| told.starts_with(begins)).is_some();
        let harm = if next { held.harms.pop() } else { held.always.filter(|(begins, _)| told.starts_with(begins)) };
        let harm = harm.map(|(_, harm)| harm);
        match harm {
            Some(Harm::Drop) => return stream.shutdown(Shutdown::Both),
            Some(Harm::Refuse(status, code)) => {
                let text = format!("<Error><Code>{code}</Code><Message>Said so.</Message></Error>");
                (harm, (status, String::new(), text.into_bytes()))
            }
            _ => (harm, carry_out(&request, &mut held)),
        }
    };
    let range = request.headers.get("range").map_or(String::new(), |range| format!(" {range}"));
    wait(&format!("{told}{range}"), held);
    if harm == Some(Harm::Silence) {
        return stream.shutdown(Shutdown::Both);
    }
    write!(stream, "HTTP/1.1 {status} x\r\n{header}content-length: {}\r\nconnection: close\r\n\r\n", body.len())?;
    let end = if harm == Some(Harm::Break) { body.len() / 2 } else { body.len() };
    stream.write_all(&body[..end])
}

/// Waits, if this request is to, until the other one comes.
fn wait(told: &str, held: &Mutex<Held>) {
    let waits = held.lock().unwrap().waits.clone();
    let Some([_, other]) = waits.filter(|[request, _]| told.starts_with(request)) else { return };
    let begin = Instant::now();
    while !held.lock().unwrap().asked.iter().any(|asked| asked.starts_with(&other)) {
        if begin.elapsed() > Duration::from_secs(10) {
            return held.lock().unwrap().asked.push("in vain".into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
