//! A bucket of an object store that speaks the protocol of S3: its files are listed, read, and written once.

mod settings;

use std::fmt;
use std::io::Read as _;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use rusty_s3::actions::{ListObjectsV2, S3Action};
use rusty_s3::{Bucket as Place, UrlStyle};
use ureq::http::Response;
use ureq::{Agent, Body};

use crate::download::{DownloadError, Network, Setback, agent, connection, has_scheme};
use noregret_platform::signals::is_stop_requested;
use settings::{Access, Settings};

/// How addresses of buckets begin.
const SCHEME: &str = "s3://";

/// How long a signature holds.
const SIGNED: Duration = Duration::from_secs(3600);

/// How long a file may take to be sent.
const SEND: Duration = Duration::from_secs(600);

/// The longest answer beside a file that is read, in bytes.
const SAID: u64 = 16 << 20;

/// Whether this is the address of a bucket: `s3://bucket/prefix`.
pub fn is_bucket(text: &str) -> bool {
    has_scheme(text, SCHEME)
}

/// Why a bucket did not do what was asked: its address, what went wrong, and what to do. Holds no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bucket}: {why}")]
pub struct BucketError {
    /// The address.
    pub(crate) bucket: String,
    /// What went wrong, and what to do.
    pub why: String,
}

/// The files of a bucket whose names begin with a prefix, which is left out where files are named here.
pub struct Bucket {
    place: Place,
    prefix: String,
    access: Mutex<Access>,
    agent: Agent,
    network: Network,
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        write!(f, "{SCHEME}{}{slash}{}", self.place.name(), self.prefix.trim_end_matches('/'))
    }
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bucket({self})")
    }
}

impl Bucket {
    /// The bucket at `s3://name/prefix`. Region, address of the server and credentials are those of the AWS tools:
    /// environment, files in `~/.aws`, and last the role of a machine at Amazon. The server is not asked yet.
    ///
    /// # Errors
    /// The address is none of a bucket, a file of settings cannot be read, or there are no credentials.
    pub fn open(address: &str) -> Result<Self, BucketError> {
        let wrong = |why: String| BucketError { bucket: address.to_owned(), why };
        let rest = address.get(SCHEME.len()..).filter(|_| is_bucket(address)).unwrap_or_default();
        let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if name.is_empty() {
            return Err(wrong("not the address of a bucket; write s3://BUCKET/PREFIX".into()));
        }
        let settings = Settings::read().map_err(wrong)?;
        let region = settings.region();
        let (endpoint, style) = match settings.endpoint() {
            Some(own) => (own, UrlStyle::Path),
            // A certificate for all buckets does not hold for names with dots.
            None if name.contains('.') => (format!("https://s3.{region}.amazonaws.com"), UrlStyle::Path),
            None => (format!("https://s3.{region}.amazonaws.com"), UrlStyle::VirtualHost),
        };
        let url = endpoint.parse().map_err(|_| wrong(format!("{endpoint} (AWS_ENDPOINT_URL) is no address")))?;
        let place = Place::new(url, style, name.to_owned(), region);
        let place = place.map_err(|error| wrong(format!("{endpoint}: {error}")))?;
        let network = Network::default();
        let agent = agent(&endpoint, &network).map_err(|error| wrong(error.to_string()))?;
        let access = Mutex::new(Access::find(&settings).map_err(wrong)?);
        let prefix = prefix.trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Ok(Self { place, prefix, access, agent, network })
    }

    /// The names and lengths in bytes of the files whose names begin with `beginning`, sorted.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub fn list(&self, beginning: &str) -> Result<Vec<(String, u64)>, BucketError> {
        let under = format!("{}{beginning}", self.prefix);
        let (mut found, mut next) = (Vec::new(), None::<String>);
        loop {
            let text = self.tried(|| {
                let credentials = self.credentials();
                let mut action = self.place.list_objects_v2(Some(&credentials));
                action.with_prefix(under.as_str());
                if let Some(token) = &next {
                    action.with_continuation_token(token.as_str());
                }
                let request = self.agent.get(action.sign(SIGNED).as_str());
                let mut answer = succeeded(request.config().max_redirects(0).build().call().map_err(connection)?)?;
                let text = answer.body_mut().with_config().limit(SAID).read_to_string();
                text.map_err(|error| Setback::Passing(error.to_string()))
            })?;
            let page =
                ListObjectsV2::parse_response(&text).map_err(|error| self.wrong(format!("its list: {error}")))?;
            let own = |key: &str| key.strip_prefix(&self.prefix).map(str::to_owned);
            found.extend(page.contents.iter().filter_map(|one| Some((own(&one.key)?, one.size.unwrap_or(0)))));
            next = page.next_continuation_token;
            if next.is_none() {
                found.sort_unstable();
                return Ok(found);
            }
        }
    }

    /// The bytes of a file from position `from` up to its end.
    ///
    /// # Errors
    /// The server cannot be reached, refuses, or has no such bytes.
    pub fn read(&self, name: &str, from: u64) -> Result<Vec<u8>, BucketError> {
        let key = format!("{}{name}", self.prefix);
        self.tried(|| {
            let credentials = self.credentials();
            let url = self.place.get_object(Some(&credentials), &key).sign(SIGNED);
            let mut request = self.agent.get(url.as_str()).config().max_redirects(0).build();
            if from > 0 {
                request = request.header("Range", format!("bytes={from}-"));
            }
            let mut answer = succeeded(request.call().map_err(connection)?)?;
            let expected = answer.body().content_length();
            let mut bytes = Vec::new();
            let read = answer.body_mut().as_reader().read_to_end(&mut bytes);
            read.map_err(|error| Setback::Passing(format!("the connection broke: {error}")))?;
            if expected.is_some_and(|expected| expected != bytes.len() as u64) {
                return Err(Setback::Passing("the connection broke".into()));
            }
            // Some servers send all of it, whatever was asked for.
            if from > 0 && answer.status() != 206 {
                bytes.drain(..bytes.len().min(usize::try_from(from).unwrap_or(usize::MAX)));
            }
            Ok(bytes)
        })
    }

    /// The address of the file of which the prefix is the name, with a signature that holds for an hour.
    ///
    /// # Errors
    /// The address names no file.
    pub(crate) fn signed(&self) -> Result<String, Setback> {
        let credentials = self.credentials();
        let name = self.prefix.trim_end_matches('/');
        if name.is_empty() {
            return Err(refused("name a file of the bucket, s3://BUCKET/FILE, or end with / for all of them".into()));
        }
        Ok(self.place.get_object(Some(&credentials), name).sign(SIGNED).into())
    }

    /// Writes a file unless there is one of this name, by a conditional request (`If-None-Match: *`). Returns whether it
    /// was written.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub fn create(&self, name: &str, bytes: &[u8]) -> Result<bool, BucketError> {
        let key = format!("{}{name}", self.prefix);
        self.tried(|| {
            let credentials = self.credentials();
            let mut action = self.place.put_object(Some(&credentials), &key);
            action.headers_mut().insert("if-none-match", "*");
            let request = self.agent.put(action.sign(SIGNED).as_str()).header("if-none-match", "*");
            let request = request.config().timeout_send_body(Some(SEND)).max_redirects(0).build();
            match request.send(bytes).map_err(connection)? {
                answer if answer.status() == 412 => Ok(false),
                answer => succeeded(answer).map(|_| true),
            }
        })
    }

    /// Makes sure that the bucket can be written to, and that its server obeys the condition of [`Self::create`]. For that,
    /// a file of this name and these bytes is left there.
    ///
    /// # Errors
    /// The server cannot be reached, refuses, or has written over the file.
    pub fn check(&self, name: &str, bytes: &[u8]) -> Result<(), BucketError> {
        // What is there already was not written over.
        if self.create(name, bytes)? && self.create(name, bytes)? {
            let why = "its server writes over files in spite of the condition `If-None-Match: *`, so that it cannot be \
                       shared safely; use a server that obeys it (Amazon S3, MinIO, Ceph, Cloudflare R2)";
            return Err(self.wrong(why.into()));
        }
        Ok(())
    }

    fn wrong(&self, why: String) -> BucketError {
        BucketError { bucket: self.to_string(), why }
    }

    fn credentials(&self) -> rusty_s3::Credentials {
        self.access.lock().unwrap_or_else(PoisonError::into_inner).credentials()
    }

    /// Asks again after setbacks that may pass. A server that cannot be reached may be reached a moment later.
    fn tried<T>(&self, ask: impl Fn() -> Result<T, Setback>) -> Result<T, BucketError> {
        let mut failures = 0;
        loop {
            let why = match ask() {
                Ok(done) => return Ok(done),
                Err(Setback::Passing(why) | Setback::Final(DownloadError::Unreachable(why))) => why,
                Err(Setback::Final(error)) => return Err(self.wrong(error.told())),
            };
            failures += 1;
            if failures >= self.network.attempts || is_stop_requested() {
                return Err(self.wrong(format!("{why} ({failures} attempts)")));
            }
            sleep(self.network.pause * 2_u32.saturating_pow(failures - 1));
        }
    }
}

/// The answer, if it is one of success.
pub(crate) fn succeeded(mut answer: Response<Body>) -> Result<Response<Body>, Setback> {
    let status = answer.status().as_u16();
    if matches!(status, 200..=299) {
        return Ok(answer);
    }
    let region = answer.headers().get("x-amz-bucket-region").and_then(|value| Some(value.to_str().ok()?.to_owned()));
    let said = answer.body_mut().with_config().limit(SAID).lossy_utf8(true).read_to_string().unwrap_or_default();
    let code = element(&said, "Code").unwrap_or_default();
    let told = match (code, element(&said, "Message")) {
        ("", _) => format!("HTTP status {status}"),
        (code, None) => format!("HTTP status {status}, {code}"),
        (code, Some(message)) => format!("HTTP status {status}, {code}: {}", message.trim_end_matches('.')),
    };
    match status {
        // At 409, two have written at the same time; the next answer says who was first.
        408 | 409 | 425 | 429 | 500 | 502..=504 => Err(Setback::Passing(told)),
        _ => Err(refused(format!("{told}{}", remedy(status, code, region.as_deref())))),
    }
}

fn refused(why: String) -> Setback {
    Setback::Final(DownloadError::Refused(why))
}

/// The text of an element of an answer.
fn element<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    rest.split_once("</").map(|(text, _)| text)
}

/// What to do about an answer.
fn remedy(status: u16, code: &str, region: Option<&str>) -> String {
    match (code, status) {
        ("InvalidAccessKeyId" | "SignatureDoesNotMatch" | "InvalidToken", _) => {
            "; check the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile in ~/.aws/credentials)".into()
        }
        ("ExpiredToken" | "ExpiredTokenException", _) => "; the credentials have expired: get new ones".into(),
        ("RequestTimeTooSkewed", _) => "; set the clock of this machine".into(),
        ("NoSuchBucket", _) => "; create the bucket first".into(),
        ("PermanentRedirect" | "AuthorizationHeaderMalformed" | "IllegalLocationConstraintException", _) | (_, 301 | 307) => {
            let region = region.map_or_else(|| "that of the bucket".to_owned(), |region| format!("to {region}"));
            format!("; set AWS_REGION {region}")
        }
        ("NotImplemented", _) => "; its server does not know the condition `If-None-Match: *`; use one that does".into(),
        ("QuotaExceeded" | "XMinioStorageFull" | "ServiceQuotaExceededException", _) | (_, 507) => {
            "; it is full: free some space".into()
        }
        ("AccessDenied", _) | (_, 401 | 403) => {
            "; the credentials must allow s3:ListBucket, s3:GetObject and s3:PutObject there".into()
        }
        _ => String::new(),
    }
}
