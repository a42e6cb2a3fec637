//! HTTP servers: one that answers from a script, one answer per connection, and one with a page at each of its paths.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{sleep, spawn};
use std::time::Duration;

/// How to answer one request.
#[derive(Clone)]
pub enum Answer {
    /// Send a status and an empty body.
    Status(u16),
    /// Send a file.
    File(Served),
    /// Do not answer until the client gives up.
    Stall,
    /// Send these bytes one by one, slowly.
    Drip(Vec<u8>),
    /// Send these bytes again and again, without saying how many there are.
    Endless(Vec<u8>),
    /// Send exactly these bytes, whatever they are.
    Raw(Vec<u8>),
}

/// A file that the server sends.
#[derive(Clone)]
pub struct Served {
    bytes: Vec<u8>,
    tag: Option<&'static str>,
    /// The number of bytes after which the connection breaks.
    drop_after: usize,
    ranges: bool,
}

impl Answer {
    /// A complete file, or a part of it if the client asks for a part and knows the tag.
    pub fn whole(bytes: Vec<u8>) -> Self {
        Answer::File(Served { bytes, tag: None, drop_after: usize::MAX, ranges: true })
    }

    /// With this ETag.
    pub fn tag(self, tag: &'static str) -> Self {
        self.with(|served| served.tag = Some(tag))
    }

    /// With a connection that breaks after `length` bytes of the body.
    pub fn dropped(self, length: usize) -> Self {
        self.with(|served| served.drop_after = length)
    }

    /// From a server that does not support ranges.
    pub fn without_ranges(self) -> Self {
        self.with(|served| served.ranges = false)
    }

    pub fn has_tag(&self) -> bool {
        matches!(self, Answer::File(Served { tag: Some(_), .. }))
    }

    fn with(mut self, change: impl FnOnce(&mut Served)) -> Self {
        if let Answer::File(served) = &mut self {
            change(served);
        }
        self
    }
}

/// A running server, which stops at the end of its script.
pub struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

/// An address of this machine at which nothing listens.
pub fn nobody() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

impl Server {
    pub fn start(script: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requests);
        spawn(move || {
            for answer in script {
                let (stream, _) = listener.accept().unwrap();
                let request = request(&stream);
                log.lock().unwrap().push(request.clone());
                // The client may close the connection at any time.
                let _ = serve(stream, &request, answer);
            }
        });
        Self { address, requests }
    }

    pub fn address(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The lines of the requests so far, in lower case.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// A running server with an answer for each path, case ignored; every other path is not found. It stops with the process.
pub struct Pages {
    address: SocketAddr,
    answers: Arc<Mutex<BTreeMap<String, Answer>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Pages {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (answers, asked) = (Arc::new(Mutex::new(BTreeMap::new())), Arc::new(Mutex::new(Vec::new())));
        let (known, log) = (Arc::clone(&answers), Arc::clone(&asked));
        spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let request = request(&stream);
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                let answer = known.lock().unwrap().get(&path).cloned().unwrap_or(Answer::Status(404));
                log.lock().unwrap().push(path);
                // The client may close the connection at any time.
                let _ = serve(stream, &request, answer);
            }
        });
        Self { address, answers, asked }
    }

    /// Its address, without a path.
    pub fn root(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on, this path has this answer.
    pub fn put(&self, path: &str, answer: Answer) {
        self.answers.lock().unwrap().insert(path.to_lowercase(), answer);
    }

    /// From now on, this path has this text with this status.
    pub fn say(&self, path: &str, status: u16, text: &str) {
        let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", text.len());
        self.put(path, Answer::Raw([head.as_bytes(), text.as_bytes()].concat()));
    }

    /// The paths that were asked for.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// The lines of a request, in lower case.
pub fn request(stream: &TcpStream) -> String {
    let lines = BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n").to_lowercase()
}

/// Answers one request.
pub fn serve(mut stream: TcpStream, request: &str, answer: Answer) -> std::io::Result<()> {
    match answer {
        Answer::Status(status) => {
            write!(stream, "HTTP/1.1 {status} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        }
        // Ends when the client closes the connection.
        Answer::Stall => stream.read(&mut [0]).map(drop),
        Answer::Drip(bytes) => {
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", bytes.len())?;
            bytes.iter().try_for_each(|byte| {
                sleep(Duration::from_millis(10));
                stream.write_all(&[*byte])
            })
        }
        Answer::Endless(bytes) => {
            write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
            loop {
                stream.write_all(&bytes)?;
            }
        }
        Answer::Raw(bytes) => stream.write_all(&bytes),
        Answer::File(served) => {
            let field = |name: &str| request.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
            let known = served.tag.is_some() && field("if-range:") == served.tag;
            let start = field("range: bytes=").and_then(|range| range.strip_suffix('-')?.parse::<usize>().ok());
            let start = start.filter(|_| served.ranges && known);
            let body = &served.bytes[start.unwrap_or(0)..];
            match start {
                None => write!(stream, "HTTP/1.1 200 OK\r\n")?,
                Some(start) => {
                    let length = served.bytes.len();
                    write!(stream, "HTTP/1.1 206 x\r\ncontent-range: bytes {start}-{}/{length}\r\n", length - 1)?;
                }
            }
            if let Some(tag) = served.tag {
                write!(stream, "etag: {tag}\r\n")?;
            }
            write!(stream, "content-length: {}\r\nconnection: close\r\n\r\n", body.len())?;
            stream.write_all(&body[..body.len().min(served.drop_after)])
        }
    }
}
