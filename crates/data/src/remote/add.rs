//! Registers a dataset of a server: its file is downloaded, read and checked, and declared with its addresses and the hash
//! of its content, so that other machines fetch the same.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::archive::Archive;
use crate::classes::{has_classes, with_classes};
use crate::declaration::{Dataset, DatasetOrigin, RemoteFile};
use crate::download::{Download, DownloadError};
use crate::error::DataError;
use crate::fetch::{FetchAccess, FetchError, fetch_with};
use crate::files::{beside, create, io_error, publish, remove};
use crate::format::open::{columns, detect};
use crate::format::{DataSource, ReadOptions};
use crate::listing::name_of;
use crate::remote::ask::Inquiry;
use crate::remote::description::{Description, RowFile, file_name};
use crate::remote::place::{Place, Servers};
use crate::remote::{openml, uci};
use crate::user::{check_name, declare, survey};

/// A dataset to register.
#[derive(Clone, Debug)]
pub struct RemoteAddition {
    /// Where it is.
    pub place: Place,
    /// Its name here; if None, that of the server.
    pub name: Option<String>,
    /// How to read it. What they leave open is as the server says.
    pub options: ReadOptions,
    /// The member of a zip archive; it need not be given if there is only one.
    pub member: Option<String>,
}

/// The most bytes of a file that nobody has declared yet.
const MOST: u64 = 8 << 30;

/// Why a file may not be larger.
const BOUND: &str = "is taken without a declaration; download it yourself";

/// Downloads, reads and checks a dataset, and registers it in `data_dir`/added. `known` are the existing datasets.
///
/// # Errors
/// A server that cannot be reached or that has no such dataset, and data that cannot be read; nothing is registered then.
pub fn add_remote(
    addition: &RemoteAddition,
    servers: &Servers,
    known: &BTreeMap<String, Dataset>,
    data_dir: &Path,
    access: &FetchAccess<'_>,
) -> Result<Dataset, FetchError> {
    if let Some(name) = &addition.name {
        check_name(name, known, data_dir)?;
    }
    let description = match &addition.place {
        Place::OpenMl(which) => openml::describe(&servers.openml, which, access)?,
        Place::Uci(number) => uci::describe(&servers.uci, *number, access)?,
        Place::Address(address) => Description::of_address(address),
        Place::File(path) => return Err(DataError::NoFile { file: path.display().to_string() }.into()),
    };
    let name = addition.name.clone().unwrap_or_else(|| description.name.clone());
    check_name(&name, known, data_dir)?;
    check_target(&description, &addition.options)?;
    let raw_dir = data_dir.join("raw").join(&name);
    // What an earlier dataset of this name has left there is not ours to remove.
    let fresh = !raw_dir.exists();
    fs::create_dir_all(&raw_dir).map_err(io_error(&raw_dir, "create it"))?;
    let dataset = Registration { addition, description: &description, name: &name, raw_dir: &raw_dir, access }.run();
    match dataset
        .and_then(|dataset| declare(&dataset, &description.source, data_dir).map(|()| dataset).map_err(Into::into))
    {
        Ok(dataset) => Ok(dataset),
        Err(error) => {
            // Partial downloads stay, to be resumed. The error that is told is the first one.
            let partial = description.files.iter().any(|file| part(&raw_dir, file).exists());
            let _ = match (partial, fresh) {
                (true, _) => Ok(()),
                (false, true) => fs::remove_dir_all(&raw_dir),
                // Only an empty folder can be removed in this way.
                (false, false) => fs::remove_dir(&raw_dir),
            };
            Err(error)
        }
    }
}

/// Refuses a dataset whose target nobody names, before anything is downloaded.
fn check_target(description: &Description, options: &ReadOptions) -> Result<(), DataError> {
    let Description { source, targets, columns, .. } = description;
    match &targets[..] {
        _ if options.target.is_some() || columns.is_empty() => Ok(()),
        [_] => Ok(()),
        [] => Err(DataError::NoTarget { file: format!("{source} (it has no default target)"), known: columns.clone() }),
        many => {
            Err(DataError::NoTarget { file: format!("{source} (it has {} targets)", many.len()), known: many.to_vec() })
        }
    }
}

/// A registration in progress.
struct Registration<'a> {
    addition: &'a RemoteAddition,
    description: &'a Description,
    name: &'a str,
    raw_dir: &'a Path,
    access: &'a FetchAccess<'a>,
}

impl Registration<'_> {
    /// Tries the files of the description one after the other.
    fn run(&self) -> Result<Dataset, FetchError> {
        let inquiry = Inquiry { source: &self.description.source, access: self.access };
        let (mut tried, mut damaged) = (Vec::new(), None);
        for file in &self.description.files {
            let (remote, place) = match self.obtain(file, &inquiry, &mut tried)? {
                Some(obtained) => obtained,
                None => continue,
            };
            let read = self.read(file, remote, &place);
            match read {
                Ok(dataset) => return Ok(dataset),
                Err(error) => {
                    remove(&place)?;
                    match error {
                        FetchError::Local(error) if is_damaged(&error) => {
                            self.say(&format!("{}: {error}", file.address));
                            damaged.get_or_insert(error);
                        }
                        other => return Err(other),
                    }
                }
            }
        }
        Err(damaged.map_or_else(|| inquiry.unavailable(tried), FetchError::Local))
    }

    /// Puts a file into place, from a mirror or from its address; None if it cannot be had, for a reason in `tried`.
    fn obtain(
        &self,
        file: &RowFile,
        inquiry: &Inquiry<'_>,
        tried: &mut Vec<(String, String)>,
    ) -> Result<Option<(RemoteFile, PathBuf)>, FetchError> {
        let mut remote = self.remote(file);
        for mirror in self.access.mirrors {
            let Some(candidate) = remote.in_mirror(mirror) else {
                tried.push((mirror.display().to_string(), format!("has no {}", remote.name_in_mirrors())));
                continue;
            };
            let place = self.raw_dir.join(&remote.name);
            let mut original = File::open(&candidate).map_err(io_error(&candidate, "open it"))?;
            let copy = beside(&place, "new");
            let length =
                io::copy(&mut original, &mut create(&copy)?).map_err(io_error(&copy, "copy a mirror's file there"))?;
            publish(&copy, &place)?;
            self.say(&format!("{} copied from {}", remote.name, candidate.display()));
            remote.bytes = Some(length);
            return Ok(Some((remote, place)));
        }
        let Some(network) = &self.access.network else {
            tried.push((file.address.clone(), "offline".into()));
            return Ok(None);
        };
        let part = part(self.raw_dir, file);
        let (say, interrupted) = (|line: &str| self.say(line), self.access.interrupted);
        let (address, most, bound) = (file.address.as_str(), MOST, BOUND);
        if address.starts_with("http://") {
            self.say(&format!("warning: {address} is not encrypted; what arrives is what will be pinned"));
        }
        let download = Download { address, part: &part, most, bound, network, say: &say, interrupted };
        let why = match download.run() {
            Ok(()) => {
                let place = self.unpack(&part, &mut remote, inquiry);
                download.discard()?;
                self.say(&format!("{} downloaded from {address}", remote.name));
                return place.map(|place| Some((remote, place)));
            }
            Err(DownloadError::Interrupted) => return Err(FetchError::Interrupted),
            Err(DownloadError::Local(error)) => return Err(error.into()),
            Err(DownloadError::Refused(why) | DownloadError::Unreachable(why)) => why,
            Err(DownloadError::Status(status, _)) => format!("HTTP status {status}"),
        };
        tried.push((file.address.clone(), why));
        Ok(None)
    }

    /// How a file is declared, as far as that is known before it is here.
    fn remote(&self, file: &RowFile) -> RemoteFile {
        let member = self.addition.member.clone();
        RemoteFile {
            name: member.as_deref().map_or_else(|| file_name(&file.address), file_name_of_member),
            // In a mirror of many datasets, several have a file `data.csv`.
            folder: Some(match &self.addition.place {
                Place::Address(_) | Place::File(_) => self.name.to_owned(),
                Place::OpenMl(_) | Place::Uci(_) => name_of(&self.description.source),
            }),
            addresses: vec![file.address.clone()],
            member,
            bytes: None,
            rows: None,
            content_sha256: None,
        }
    }

    /// Puts what was downloaded to `part` into place, and notes its size. An archive gives one of its members.
    fn unpack(&self, part: &Path, remote: &mut RemoteFile, inquiry: &Inquiry<'_>) -> Result<PathBuf, FetchError> {
        let size = |path: &Path| fs::metadata(path).map(|meta| meta.len()).map_err(io_error(path, "look at it"));
        let whole = size(part)?;
        let Some(archive) = Archive::of(part)? else {
            if let Some(member) = &self.addition.member {
                return Err(inquiry.wrong(format!("its file is no archive, so that it has no `{member}` (--member)")));
            }
            remote.bytes = Some(whole);
            let place = self.raw_dir.join(&remote.name);
            publish(part, &place)?;
            return Ok(place);
        };
        let member = match (&self.addition.member, &archive.members(part)?[..]) {
            (Some(member), _) => member.clone(),
            (None, [only]) => only.clone(),
            (None, many) => {
                let shown: Vec<&str> = many.iter().take(20).map(String::as_str).collect();
                let more = if many.len() > shown.len() { ", ..." } else { "" };
                let all = shown.join(", ");
                return Err(inquiry
                    .wrong(format!("its archive holds {} files ({all}{more}); say which (--member)", many.len())));
            }
        };
        remote.name = file_name_of_member(&member);
        let place = self.raw_dir.join(&remote.name);
        let new = beside(&place, "new");
        archive.extract(part, &member, &new, MOST, BOUND)?;
        remote.member = Some(member);
        remote.bytes = Some(whole.max(size(&new)?));
        publish(&new, &place)?;
        Ok(place)
    }

    /// The dataset that the file in place holds.
    fn read(&self, file: &RowFile, remote: RemoteFile, place: &Path) -> Result<Dataset, FetchError> {
        let source = DataSource::Path(place.to_owned());
        let given = &self.addition.options;
        // Where a server promises a format, a file of another one (an error page) is damaged.
        let format = match given.format.or(file.format) {
            Some(format) => format,
            None => detect(&source)?,
        };
        let given = ReadOptions { format: Some(format), ..given.clone() };
        let (names, of_file) = columns(&source, &given)?;
        let mut options = self.description.completed(&given, &names, &of_file);
        if options.target.is_none() && !names.is_empty() {
            return Err(DataError::NoTarget { file: self.description.source.clone(), known: names }.into());
        }
        let kinds = if of_file.is_empty() { &self.description.kinds } else { &of_file };
        if options.encoding.positive.is_none() && has_classes(&options, &names, kinds) {
            options = with_classes(&source, options, true)?;
        }
        let Description { title, citation, licence, .. } = self.description.clone();
        let seen = survey(&source, &options)?;
        let dataset = seen.dataset(self.name, &options, format, DatasetOrigin::Files(vec![remote]));
        let dataset = Dataset { title, citation, licence, ..dataset };
        // The file is in place; this notes what was found, as the first fetch of a declared dataset does.
        let offline = FetchAccess { mirrors: &[], network: None, ..*self.access };
        fetch_with(&dataset, self.raw_dir, &offline)?;
        Ok(dataset)
    }

    fn say(&self, message: &str) {
        (self.access.report)(&format!("{}: {message}", self.name));
    }
}

/// Where a file is while it is downloaded.
fn part(raw_dir: &Path, file: &RowFile) -> PathBuf {
    raw_dir.join(format!("{}.part", file_name(&file.address)))
}

/// The last part of the path of a member, as a plain file name.
fn file_name_of_member(member: &str) -> String {
    file_name(&format!("zip://archive/{}", member.trim_end_matches('/')))
}

/// Whether an error is that of a file as a whole, so that another one may be better.
fn is_damaged(error: &DataError) -> bool {
    matches!(
        error,
        DataError::Parquet { .. }
            | DataError::WebPage { .. }
            | DataError::Empty { .. }
            | DataError::Foreign { .. }
            | DataError::Compressed { .. }
            | DataError::Archive { .. }
            | DataError::NotNumeric { .. }
    )
}
