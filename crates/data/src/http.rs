//! A file behind an HTTP address: read in order from any position on, or in parts. What breaks off is asked for again from there, if the
//! server says by a strong ETag or a date that the file is the same.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Instant;

use bytes::Bytes;
use noregret_platform::signals::is_stop_requested;
use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body, BodyReader};

use crate::bucket::{Bucket, is_bucket, succeeded};
use crate::download::{DownloadError, Network, Setback, agent, connection, has_scheme, range, validator};
use crate::error::DataError;
use crate::pieces::{LOOK, PIECE, Pieces};

/// Whether this is the address of a file and not its path.
pub(crate) fn is_address(text: &str) -> bool {
    has_scheme(text, "https://") || has_scheme(text, "http://")
}

/// Refuses an address where a file of this machine is needed.
pub(crate) fn refuse_address(path: &Path) -> Result<(), DataError> {
    let name = path.to_string_lossy();
    if !is_address(&name) && !is_bucket(&name) {
        return Ok(());
    }
    let detail = "files of this machine are read here: download it, or have `noregret data add` fetch it".to_owned();
    Err(DataError::Declaration { file: without_secrets(&name), detail })
}

/// An address without what may be a secret: the user, the password, and the query, which may be a signature. Other text as it is.
pub fn without_secrets(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://").filter(|_| is_address(text)) else { return text.to_owned() };
    let (place, hidden) = match rest.find(['?', '#']) {
        Some(end) => (&rest[..end], "?..."),
        None => (rest, ""),
    };
    let (host, path) = place.find('/').map_or((place, ""), |slash| place.split_at(slash));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}{path}{hidden}")
}

/// A file behind an HTTP address, which can be opened any number of times. Its bytes are counted from 0. Where the server gives a strong
/// ETag or a date, or its length, an answer with another one is an error (RFC 9110, sections 8.8, 13.1.5 and 14).
pub struct HttpFile {
    address: String,
    /// What signs the requests, where it is in a bucket.
    bucket: OnceLock<Bucket>,
    network: Network,
    agent: OnceLock<Agent>,
    version: OnceLock<FileVersion>,
    /// Where each of the blocks begins that are kept, and its bytes; the one that was used last is last.
    pub(crate) kept: Mutex<VecDeque<(u64, Bytes)>>,
    /// Whether it is read by columns, and not from its beginning on.
    pub(crate) in_columns: AtomicBool,
    /// Whether it is read to its end, after another file.
    pub(crate) goes_on: bool,
}

/// What the server said of the file.
#[derive(Clone, Debug)]
struct FileVersion {
    /// Its length in bytes.
    length: Option<u64>,
    /// Its strong ETag or date.
    validator: Option<String>,
    /// Whether the server sends parts of it.
    in_parts: bool,
}

impl FileVersion {
    /// Whether both may be said of the same file.
    fn is_same(&self, other: &Self) -> bool {
        self.validator == other.validator
            && (self.length == other.length || self.length.is_none() || other.length.is_none())
    }
}

impl fmt::Display for HttpFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_secrets(&self.address))
    }
}

impl fmt::Debug for HttpFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpFile({self})")
    }
}

impl HttpFile {
    /// A file that nobody has asked for yet.
    pub(crate) fn new(address: &str) -> Self {
        let (bucket, agent, version, kept) = (OnceLock::new(), OnceLock::new(), OnceLock::new(), Mutex::default());
        let (address, network, in_columns) = (address.to_owned(), Network::default(), AtomicBool::new(false));
        Self { address, bucket, network, agent, version, kept, in_columns, goes_on: false }
    }

    /// The last part of its path.
    pub(crate) fn name(&self) -> String {
        let told = without_secrets(&self.address);
        told.split('?').next().and_then(|place| place.rsplit('/').next()).unwrap_or_default().to_owned()
    }

    /// Its bytes from the first one on.
    pub(crate) fn reader(self: &Arc<Self>) -> HttpReader {
        self.part(0, None)
    }

    /// How many bytes it has, if the server sends parts of it and says of each which version it is of. It has to have been asked for.
    pub(crate) fn length_in_parts(&self) -> Option<u64> {
        let version = self.version.get()?;
        version.length.filter(|_| version.in_parts && version.validator.is_some())
    }

    /// Its bytes from a position on, up to `end` where there is one.
    pub(crate) fn part(self: &Arc<Self>, at: u64, end: Option<u64>) -> HttpReader {
        HttpReader { file: self.clone(), at, end, pieces: None, failures: 0, asked: at }
    }

    /// Where it is asked for now.
    fn place(&self) -> Result<String, Setback> {
        if !is_bucket(&self.address) {
            return Ok(self.address.clone());
        }
        if let Some(bucket) = self.bucket.get() {
            return bucket.signed();
        }
        let bucket = Bucket::open(&self.address).map_err(|error| refused(&error.why))?;
        self.bucket.get_or_init(|| bucket).signed()
    }

    fn agent(&self, place: &str) -> Result<Agent, Setback> {
        if let Some(agent) = self.agent.get() {
            return Ok(agent.clone());
        }
        let made = agent(place, &self.network)?;
        Ok(self.agent.get_or_init(|| made).clone())
    }

    /// Asks for the bytes from a position on, up to `end` where there is one.
    fn ask(&self, at: u64, end: Option<u64>) -> Result<BodyReader<'static>, Setback> {
        let known = self.version.get();
        let last = end.map_or(String::new(), |end| (end - 1).to_string());
        let place = self.place()?;
        let mut request = self.agent(&place)?.get(&place).header("Range", format!("bytes={at}-{last}"));
        if let Some(validator) = known.and_then(|version| version.validator.as_ref()) {
            request = request.header("If-Range", validator);
        }
        if self.bucket.get().is_some() {
            // A bucket of another region says so in place of leading there.
            request = request.config().max_redirects(0).build();
        }
        let response = request.call().map_err(|error| match connection(error) {
            // It could be reached before, or others of the bucket could.
            Setback::Final(DownloadError::Unreachable(why)) if known.is_some() || self.bucket.get().is_some() => {
                Setback::Passing(why)
            }
            other => other,
        })?;
        let response = match self.bucket.get() {
            Some(_) if response.status() != 416 => succeeded(response)?,
            _ => response,
        };
        let version = self.answered(&response, at)?;
        if !self.version.get_or_init(|| version.clone()).is_same(&version) {
            return Err(refused("the file at the server has changed; start the run again"));
        }
        Ok(response.into_body().into_reader())
    }

    /// What an answer says of the file, if it holds the bytes from a position on.
    fn answered(&self, response: &Response<Body>, at: u64) -> Result<FileVersion, Setback> {
        let headers: &HeaderMap = response.headers();
        let has = |name: &str, value: &str| headers.get(name).is_some_and(|found| found.as_bytes() == value.as_bytes());
        let version = |length, in_parts| Ok(FileVersion { length, validator: validator(headers), in_parts });
        match (response.status().as_u16(), range(headers)) {
            (206, Some((start, length))) if start == at => version(length, true),
            // Some send all of it, if that was asked for, and parts all the same.
            (200, _) if at == 0 => match response.body().content_length() {
                // Then a connection that breaks off looks like the end.
                None if !has("transfer-encoding", "chunked") => {
                    Err(refused("the server does not say how long it is; download it first"))
                }
                length => version(length, has("accept-ranges", "bytes")),
            },
            (200, _) if self.version.get().is_some_and(|version| version.in_parts) => {
                Err(refused("the file at the server has changed; start the run again"))
            }
            (200 | 206, _) => Err(refused("the server does not send parts of files; download it first")),
            // A file without bytes has no first one.
            (416, _) if at == 0 => Err(refused("the file is empty, or the server refuses to send a part of it")),
            (status @ (408 | 425 | 429 | 500..=599), _) => Err(Setback::Passing(format!("HTTP status {status}"))),
            (status, _) => Err(refused(&format!("HTTP status {status}"))),
        }
    }
}

fn refused(why: &str) -> Setback {
    Setback::Final(DownloadError::Refused(why.to_owned()))
}

/// How errors of the network begin. What reads the bytes may say before it that the file is damaged, which it is not.
pub(crate) const NETWORK: &str = "over the network: ";

fn network_error(why: String) -> io::Error {
    io::Error::new(ErrorKind::ConnectionAborted, format!("{NETWORK}{why}"))
}

/// A connection that gave so many bytes before it broke was worth asking again.
const PROGRESS: u64 = 1 << 16;

/// How many pieces are read ahead, besides the word that it was the last one.
const AHEAD: usize = 16;

/// Asks for the bytes from a position on, up to `end` where there is one. The thread that reads them ends when nobody wants
/// them any more.
fn ask(file: Arc<HttpFile>, at: u64, end: Option<u64>) -> Result<Pieces<Setback>, Setback> {
    let (send, arriving) = sync_channel(AHEAD + 1);
    let fetch = move || {
        let mut body = match file.ask(at, end) {
            Ok(body) => body,
            Err(setback) => return drop(send.send(Err(setback))),
        };
        loop {
            let mut piece = vec![0; PIECE];
            let (mut filled, mut read) = (0, Ok(1));
            // Of a part, whole pieces, so that all of it can be read ahead.
            while matches!(read, Ok(1..)) && filled < if end.is_some() { PIECE } else { 1 } {
                read = body.read(&mut piece[filled..]);
                filled += *read.as_ref().unwrap_or(&0);
            }
            if filled > 0 && send.send(Ok(Bytes::from(piece).slice(..filled))).is_err() {
                return;
            }
            match read {
                Ok(1..) => {}
                Ok(0) => return drop(send.send(Ok(Bytes::new()))),
                Err(error) => return drop(send.send(Err(Setback::Passing(error.to_string())))),
            }
        }
    };
    let spawned = thread::Builder::new().name("http".into()).spawn(fetch);
    spawned.map_err(|error| refused(&format!("no thread can be started: {error}")))?;
    Ok(Pieces::new(arriving))
}

/// The error of a wait that a signal has ended.
fn stop() -> Result<(), Setback> {
    if is_stop_requested() { Err(Setback::Final(DownloadError::Interrupted)) } else { Ok(()) }
}

/// Reads bytes in order, and goes on where it was broken off.
pub(crate) struct HttpReader {
    file: Arc<HttpFile>,
    at: u64,
    /// Where to end; None for the end of the file.
    end: Option<u64>,
    pieces: Option<Pieces<Setback>>,
    /// How often in a row it was broken off without progress, and where it was asked for last.
    failures: u32,
    asked: u64,
}

impl HttpReader {
    /// Asks for the first bytes now, so that they have arrived when they are read.
    pub(crate) fn begun(mut self) -> Self {
        self.pieces = ask(self.file.clone(), self.at, self.end).ok();
        self
    }

    /// How many bytes it reads up to its end; none if nobody knows.
    pub(crate) fn length(&self) -> u64 {
        self.left().unwrap_or(0)
    }

    /// What is left to read; None if nobody knows.
    fn left(&self) -> Option<u64> {
        let end = self.end.or_else(|| self.file.version.get()?.length)?;
        Some(end.saturating_sub(self.at))
    }

    /// Reads once.
    fn try_read(&mut self, buffer: &mut [u8]) -> Result<usize, Setback> {
        let pieces = match &mut self.pieces {
            Some(pieces) => pieces,
            None => self.pieces.insert(ask(self.file.clone(), self.at, self.end)?),
        };
        match pieces.read(buffer, stop) {
            Ok(0) if self.left().is_some_and(|left| left > 0) => {
                Err(Setback::Passing("the server sent no more".into()))
            }
            other => other,
        }
    }

    /// After a setback: waits before it is asked for again, if that may help.
    fn wait(&mut self, setback: Setback) -> io::Result<()> {
        self.pieces = None;
        let network = &self.file.network;
        let reason = match setback {
            Setback::Passing(reason) if self.at > 0 => {
                format!("the connection broke after {} bytes: {reason}", self.at)
            }
            Setback::Passing(reason) => reason,
            Setback::Final(error) => return Err(network_error(error.told())),
        };
        self.failures = if self.at >= self.asked + PROGRESS { 1 } else { self.failures + 1 };
        if self.failures >= network.attempts {
            return Err(network_error(format!("{reason} ({} attempts)", self.failures)));
        }
        if self.at > 0 && self.file.version.get().is_some_and(|version| version.validator.is_none()) {
            let unknown = "and the server does not say (ETag, Last-Modified) whether the rest is of the same file";
            return Err(network_error(format!("{reason}, {unknown}; download it first")));
        }
        self.asked = self.at;
        let (since, pause) = (Instant::now(), network.pause * 2_u32.saturating_pow(self.failures - 1));
        while since.elapsed() < pause {
            if is_stop_requested() {
                return Err(network_error(DownloadError::Interrupted.told()));
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }
}

impl Read for HttpReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let room = self.left().map_or(buffer.len(), |left| buffer.len().min(left.try_into().unwrap_or(usize::MAX)));
            if room == 0 {
                return Ok(0);
            }
            match self.try_read(&mut buffer[..room]) {
                Ok(read) => {
                    self.at += read as u64;
                    return Ok(read);
                }
                Err(setback) => self.wait(setback)?,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_an_address_are_not_told() {
        for (address, told) in [
            ("https://me:word@example.org/a.csv?X-Amz-Signature=1&b=2#c", "https://example.org/a.csv?..."),
            ("http://127.0.0.1:80", "http://127.0.0.1:80"),
            ("https://example.org?key=1", "https://example.org?..."),
            ("https://example.org/a@b.csv", "https://example.org/a@b.csv"),
            ("HTTPS://example.org/a?key=1", "HTTPS://example.org/a?..."),
            ("data/what?.csv", "data/what?.csv"),
            ("--query=https://x", "--query=https://x"),
        ] {
            assert_eq!(without_secrets(address), told);
        }
    }
}
