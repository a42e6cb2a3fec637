//! Downloads one file over HTTP, with resumption, retries and timeouts.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use ureq::http::{HeaderMap, Response};
use ureq::tls::TlsConfig;
use ureq::{Agent, Body};

use crate::certificates;
use crate::error::DataError;
use crate::files::{beside, create, io_error, open_own, remove};

/// Timeouts and retries of downloads.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Timeout of resolving a host name. It is short, so that a machine without a network answers quickly.
    pub resolve: Duration,
    /// Timeout of connecting to a host, including the TLS handshake.
    pub connect: Duration,
    /// Timeout until the server begins its answer.
    pub response: Duration,
    /// Timeout of each piece of data.
    pub read: Duration,
    /// The fewest bytes that have to arrive in that time. Bytes that drip in would never time out.
    pub least: u64,
    /// Number of attempts in a row without progress after which a download fails.
    pub attempts: u32,
    /// Pause before the second attempt; doubled before each further attempt.
    pub pause: Duration,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            resolve: Duration::from_millis(1500),
            connect: Duration::from_secs(4),
            response: Duration::from_secs(20),
            read: Duration::from_secs(30),
            least: 30 << 10,
            attempts: 4,
            pause: Duration::from_millis(500),
        }
    }
}

/// Why a download ended without a file.
#[derive(Debug)]
pub(super) enum DownloadError {
    /// The host cannot be reached, so its other addresses need not be tried.
    Unreachable(String),
    /// The server refuses the file, or all attempts failed.
    Refused(String),
    /// The server answers with this status, and says this (its beginning).
    Status(u16, String),
    /// The caller stopped the download. The data received so far are kept for the next time.
    Interrupted,
    /// This machine cannot store it.
    Local(DataError),
}

impl DownloadError {
    /// What went wrong, without a name.
    pub(super) fn told(&self) -> String {
        match self {
            DownloadError::Unreachable(why) | DownloadError::Refused(why) => why.clone(),
            DownloadError::Status(status, _) => format!("HTTP status {status}"),
            DownloadError::Interrupted => "interrupted".into(),
            DownloadError::Local(error) => error.to_string(),
        }
    }
}

impl From<DataError> for DownloadError {
    fn from(error: DataError) -> Self {
        DownloadError::Local(error)
    }
}

/// Why one attempt did not get the whole file.
pub(super) enum Setback {
    /// Another attempt may succeed.
    Passing(String),
    /// No other attempt will succeed.
    Final(DownloadError),
}

impl From<DataError> for Setback {
    fn from(error: DataError) -> Self {
        Setback::Final(DownloadError::Local(error))
    }
}

/// The longest answer beside another status than success that is read, in bytes.
const SAID: u64 = 1 << 16;

/// An attempt that receives at least this many bytes counts as progress.
const PROGRESS: u64 = 1 << 20;

/// A download in progress.
pub(super) struct Download<'a> {
    /// What to download.
    pub address: &'a str,
    /// The file that receives the bytes. A partial file is resumed if the server confirms, by a strong ETag or a date
    /// that `part.from` holds, that its file is still the same.
    pub part: &'a Path,
    /// The most bytes that it may have.
    pub(crate) most: u64,
    /// Why it may not have more, in words.
    pub bound: &'a str,
    /// Timeouts and retries.
    pub network: &'a Network,
    /// Receives progress messages.
    pub say: &'a dyn Fn(&str),
    /// Returns whether to stop.
    pub interrupted: &'a dyn Fn() -> bool,
}

impl Download<'_> {
    /// Downloads the whole file into `part`.
    pub(super) fn run(&self) -> Result<(), DownloadError> {
        let agent = agent(self.address, self.network)?;
        let mut failures = 0;
        loop {
            let before = self.length();
            let reason = match self.attempt(&agent) {
                Ok(()) => return Ok(()),
                Err(Setback::Final(trouble)) => return Err(trouble),
                Err(Setback::Passing(reason)) => reason,
            };
            failures = if self.length() >= before + PROGRESS { 1 } else { failures + 1 };
            if failures >= self.network.attempts {
                return Err(DownloadError::Refused(format!("{reason} ({failures} attempts)")));
            }
            (self.say)(&format!("{}: {reason}; trying again", self.address));
            self.wait(self.network.pause * 2_u32.saturating_pow(failures - 1))?;
        }
    }

    /// Sleeps, unless the caller stops the download.
    fn wait(&self, pause: Duration) -> Result<(), DownloadError> {
        const STEP: Duration = Duration::from_millis(100);
        let mut left = pause;
        while !left.is_zero() {
            if (self.interrupted)() {
                return Err(DownloadError::Interrupted);
            }
            let step = left.min(STEP);
            sleep(step);
            left -= step;
        }
        Ok(())
    }

    fn length(&self) -> u64 {
        fs::symlink_metadata(self.part).map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 })
    }

    /// The validator (ETag or date) of the file that `part` is the beginning of, if it can be resumed.
    fn resumable(&self) -> Option<String> {
        let origin = fs::read_to_string(beside(self.part, FROM)).ok()?;
        let (address, validator) = origin.split_once('\n')?;
        (address == self.address && !validator.is_empty() && self.length() > 0).then(|| validator.to_owned())
    }

    fn attempt(&self, agent: &Agent) -> Result<(), Setback> {
        let mut request = agent.get(self.address);
        let mut have = 0;
        if let Some(validator) = self.resumable() {
            have = self.length();
            request = request.header("Range", format!("bytes={have}-")).header("If-Range", validator);
        }
        let mut response = request.call().map_err(connection)?;
        let status = response.status().as_u16();
        match status {
            200 => have = 0,
            206 if have > 0 && range(response.headers()).is_some_and(|(start, _)| start == have) => {}
            // The range does not fit: our part is not the beginning of the server's file.
            206 | 416 => {
                self.discard()?;
                return Err(Setback::Passing("the server cannot resume".into()));
            }
            408 | 425 | 429 | 500..=599 => return Err(Setback::Passing(format!("HTTP status {status}"))),
            _ => {
                let said = response.body_mut().with_config().limit(SAID).lossy_utf8(true).read_to_string();
                return Err(Setback::Final(DownloadError::Status(status, said.unwrap_or_default())));
            }
        }
        self.receive(response, have)
    }

    /// Appends the body of `response` to the first `have` bytes of `part`.
    fn receive(&self, mut response: Response<Body>, have: u64) -> Result<(), Setback> {
        let from = beside(self.part, FROM);
        if have == 0 {
            // Remove the old validator first: it must not stand beside a file that is being replaced.
            remove(&from)?;
        }
        let mut file =
            if have == 0 { create(self.part)? } else { open_own(self.part, OpenOptions::new().append(true))? };
        if have == 0
            && let Some(validator) = validator(response.headers())
        {
            let text = format!("{}\n{validator}", self.address);
            create(&from)?.write_all(text.as_bytes()).map_err(io_error(&from, "write it"))?;
        }
        let expected = response.body().content_length().map(|length| length + have);
        let mut body = response.body_mut().as_reader();
        let mut buffer = vec![0; 1 << 16];
        let (mut received, mut tenths) = (have, 0);
        let (mut since, mut before) = (Instant::now(), have);
        if expected.is_some_and(|expected| expected > self.most) {
            return Err(self.too_large());
        }
        loop {
            if (self.interrupted)() {
                return Err(Setback::Final(DownloadError::Interrupted));
            }
            let length = match body.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) => return Err(Setback::Passing(format!("the connection broke: {error}"))),
            };
            file.write_all(&buffer[..length]).map_err(io_error(self.part, "write it"))?;
            received += length as u64;
            if received > self.most {
                return Err(self.too_large());
            }
            if since.elapsed() >= self.network.read {
                if received - before < self.network.least {
                    let (seconds, got) = (since.elapsed().as_secs_f64(), received - before);
                    return Err(Setback::Passing(format!("too slow: {got} bytes in {seconds:.1} s")));
                }
                (since, before) = (Instant::now(), received);
            }
            if let Some(expected) = expected.filter(|expected| *expected >= 10 * PROGRESS)
                && received * 10 / expected > tenths
            {
                tenths = received * 10 / expected;
                (self.say)(&format!("{}: {received} of {expected} bytes", self.address));
            }
        }
        match expected {
            Some(expected) if received != expected => {
                Err(Setback::Passing(format!("the connection broke after {received} of {expected} bytes")))
            }
            _ => Ok(file.sync_all().map_err(io_error(self.part, "write it"))?),
        }
    }

    /// The setback of a file that cannot be the declared one. What has arrived is removed.
    fn too_large(&self) -> Setback {
        match self.discard() {
            Ok(()) => Setback::Final(DownloadError::Refused(format!(
                "more than {} bytes, which is more than {}",
                self.most, self.bound
            ))),
            Err(error) => error.into(),
        }
    }

    /// Removes the partial file.
    pub(super) fn discard(&self) -> Result<(), DataError> {
        remove(&beside(self.part, FROM))?;
        remove(self.part)
    }
}

/// What asks a server for the file at an address.
pub(super) fn agent(address: &str, network: &Network) -> Result<Agent, DataError> {
    let tls = TlsConfig::builder().root_certs(certificates::roots()?).build();
    let config = Agent::config_builder()
        .http_status_as_error(false)
        // A server that is asked safely must not send us on to where anyone can change the answer.
        .https_only(has_scheme(address, "https://"))
        .timeout_resolve(Some(network.resolve))
        .timeout_connect(Some(network.connect))
        .timeout_recv_response(Some(network.response))
        .timeout_per_read(Some(network.read))
        .user_agent(concat!("noregret/", env!("CARGO_PKG_VERSION")));
    Ok(Agent::new_with_config(config.tls_config(tls).build()))
}

/// The suffix of the file that holds the address and the validator of a partial download.
const FROM: &str = "from";

/// The setback of a failed request.
pub(super) fn connection(error: ureq::Error) -> Setback {
    use std::io::ErrorKind;
    use ureq::{Error, Timeout};
    let reason = match &error {
        // What these say holds an address, which may be a secret.
        Error::RequireHttpsOnly(_) => "the server redirects from https:// to http://, which is not safe".to_owned(),
        Error::BadUri(_) => "the address cannot be read".to_owned(),
        Error::Protocol(_) if error.to_string().to_lowercase().contains("location") => {
            "the server redirects to an address that cannot be read".to_owned()
        }
        other => other.to_string(),
    };
    match error {
        Error::HostNotFound | Error::ConnectionFailed | Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
            Setback::Final(DownloadError::Unreachable(reason))
        }
        Error::Io(io) => match io.kind() {
            // A name server that does not answer shows as an uncategorised error while resolving.
            ErrorKind::ConnectionRefused
            | ErrorKind::NetworkUnreachable
            | ErrorKind::HostUnreachable
            | ErrorKind::AddrNotAvailable => Setback::Final(DownloadError::Unreachable(reason)),
            // The other addresses at this host would show the same certificate.
            ErrorKind::InvalidData if reason.contains("certificate") => {
                Setback::Final(DownloadError::Unreachable(format!("{reason}; {}", certificates::REMEDY)))
            }
            _ if reason.contains("lookup address") => Setback::Final(DownloadError::Unreachable(reason)),
            _ => Setback::Passing(reason),
        },
        Error::Timeout(_) => Setback::Passing(reason),
        Error::Protocol(_) => Setback::Passing(reason),
        _ => Setback::Final(DownloadError::Refused(reason)),
    }
}

/// What identifies this version of the file byte for byte: a strong ETag or, without one, the date of its last change.
pub(super) fn validator(headers: &HeaderMap) -> Option<String> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    text("etag").filter(|tag| !tag.starts_with("W/")).or_else(|| text("last-modified"))
}

/// The start of the range of a partial answer, and the length of the whole file, if that is known: `bytes 100-199/200`.
pub(super) fn range(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let range = headers.get("content-range")?.to_str().ok()?;
    let (start, rest) = range.strip_prefix("bytes ")?.split_once('-')?;
    let length = rest.split_once('/').and_then(|(_, length)| length.trim().parse().ok());
    Some((start.trim().parse().ok()?, length))
}

/// Whether an address begins so, in capitals or not.
pub(super) fn has_scheme(address: &str, scheme: &str) -> bool {
    address.get(..scheme.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(scheme))
}

/// The host of an address, with its port.
pub(super) fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_safe_leads_to_none_that_is_not() {
        for (address, only) in
            [("https://example.org/a", true), ("HTTPS://a.org", true), ("http://127.0.0.1:1/a", false)]
        {
            let agent = agent(address, &Network::default()).unwrap();
            assert_eq!(agent.config().https_only(), only, "{address}");
        }
    }

    #[test]
    fn the_target_of_a_redirect_is_not_told() {
        let secret = || "http://example.org/a?key=5ec7e7".to_owned();
        for error in [ureq::Error::RequireHttpsOnly(secret()), ureq::Error::BadUri(secret())] {
            let Setback::Final(error) = connection(error) else { panic!("asked again") };
            assert!(!error.told().contains("5ec7e7") && !error.told().is_empty());
        }
    }
}
