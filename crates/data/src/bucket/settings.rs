//! Where the tools of AWS look for region, server and credentials: the environment, two files in `~/.aws`, and the role of a
//! machine at Amazon.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rusty_s3::Credentials;
use rusty_s3::credentials::Ec2SecurityCredentialsMetadataResponse as RoleAnswer;

use crate::download::{Network, agent};

/// Credentials of a role are asked for again after this time; they hold for hours, and new ones are there early.
const RENEW: Duration = Duration::from_secs(300);

/// After this time, where they were not given.
const AGAIN: Duration = Duration::from_secs(30);

/// What the environment and the profile in the files say.
pub(super) struct Settings {
    /// The keys of the profile, those of the file of credentials before those of the other.
    profile: HashMap<String, String>,
}

impl Settings {
    /// Reads the files, which need not be there.
    pub(super) fn read() -> Result<Self, String> {
        let name = variable("AWS_PROFILE").unwrap_or_else(|| "default".into());
        let home = variable("HOME").or_else(|| variable("USERPROFILE")).map(PathBuf::from);
        let place = |given: &str, usual: &str| {
            variable(given).map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(".aws").join(usual)))
        };
        let mut profile = HashMap::new();
        let files = [
            (place("AWS_CONFIG_FILE", "config"), format!("profile {name}")),
            (place("AWS_SHARED_CREDENTIALS_FILE", "credentials"), name.clone()),
        ];
        for (path, section) in files {
            let Some(path) = path else { continue };
            match fs::read_to_string(&path) {
                Ok(text) => profile.extend(section_of(&text, &[&section, &name])),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
                Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
            }
        }
        Ok(Self { profile })
    }

    fn of(&self, key: &str) -> Option<String> {
        self.profile.get(key).filter(|value| !value.is_empty()).cloned()
    }

    pub(super) fn region(&self) -> String {
        let given = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION")).or_else(|| self.of("region"));
        given.unwrap_or_else(|| "us-east-1".into())
    }

    /// The server, where it is not Amazon's.
    pub(super) fn endpoint(&self) -> Option<String> {
        variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL")).or_else(|| self.of("endpoint_url"))
    }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// The keys of the first of these sections that is there. Lines of sections below (indented) are left out.
fn section_of(text: &str, sections: &[&str]) -> HashMap<String, String> {
    let mut found: HashMap<&str, HashMap<String, String>> = HashMap::new();
    let mut section = "";
    for line in text.lines().filter(|line| !line.starts_with([' ', '\t', '#', ';'])) {
        if let Some(name) = line.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.trim();
        } else if let Some((key, value)) = line.split_once('=') {
            found.entry(section).or_default().insert(key.trim().to_lowercase(), value.trim().to_owned());
        }
    }
    sections.iter().find_map(|name| found.remove(name)).unwrap_or_default()
}

/// Credentials, and where new ones come from.
pub(super) struct Access {
    credentials: Credentials,
    /// When new ones are asked for, if they are those of a role.
    renew_at: Option<Instant>,
}

impl Access {
    /// Those of the environment, else of the profile, else of the machine's role.
    pub(super) fn find(settings: &Settings) -> Result<Self, String> {
        if let Some(credentials) = Credentials::from_env() {
            return Ok(Self { credentials, renew_at: None });
        }
        if let (Some(key), Some(secret)) = (settings.of("aws_access_key_id"), settings.of("aws_secret_access_key")) {
            let credentials = match settings.of("aws_session_token") {
                Some(token) => Credentials::new_with_token(key, secret, token),
                None => Credentials::new(key, secret),
            };
            return Ok(Self { credentials, renew_at: None });
        }
        let credentials = of_role().map_err(|why| {
            format!(
                "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to a profile in \
                 ~/.aws/credentials that has them (the role of this machine was asked for, too: {why})"
            )
        })?;
        Ok(Self { credentials, renew_at: Some(Instant::now() + RENEW) })
    }

    /// The credentials, new ones where those of a role may soon expire. Where there are none just then, the old ones hold for a
    /// while: what has expired is told by the server.
    pub(super) fn credentials(&mut self) -> Credentials {
        self.renewed(of_role)
    }

    fn renewed(&mut self, ask: impl Fn() -> Result<Credentials, String>) -> Credentials {
        if self.renew_at.is_some_and(|at| Instant::now() >= at) {
            let pause = match ask() {
                Ok(new) => {
                    self.credentials = new;
                    RENEW
                }
                Err(_) => AGAIN,
            };
            self.renew_at = Some(Instant::now() + pause);
        }
        self.credentials.clone()
    }
}

/// The credentials of the role of a machine at Amazon (IMDSv2).
fn of_role() -> Result<Credentials, String> {
    if variable("AWS_EC2_METADATA_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return Err("AWS_EC2_METADATA_DISABLED is set".into());
    }
    let base = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT").unwrap_or_else(|| "http://169.254.169.254".into());
    let base = base.trim_end_matches('/');
    let short = Duration::from_secs(1);
    let network = Network { resolve: short, connect: short, response: short, read: short, ..Network::default() };
    let agent = agent(base, &network).map_err(|error| error.to_string())?;
    let text = |answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>| -> Result<String, String> {
        let mut answer = answer.map_err(|error| format!("{base}: {error}"))?;
        match answer.status().as_u16() {
            200 => answer.body_mut().read_to_string().map_err(|error| format!("{base}: {error}")),
            status => Err(format!("{base}: HTTP status {status}")),
        }
    };
    let lifetime = ("X-aws-ec2-metadata-token-ttl-seconds", "600");
    let token = text(agent.put(format!("{base}/latest/api/token")).header(lifetime.0, lifetime.1).send_empty())?;
    let ask = |path: &str| {
        let address = format!("{base}/latest/meta-data/iam/security-credentials/{path}");
        text(agent.get(address).header("X-aws-ec2-metadata-token", token.trim()).call())
    };
    let role = ask("")?;
    let role = role.lines().next().unwrap_or_default().trim().to_owned();
    // What it says holds secrets and is not told.
    let answer = RoleAnswer::deserialize(&ask(&role)?).map_err(|_| format!("{base}: no credentials for {role}"))?;
    Ok(answer.into_credentials())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_read_as_the_tools_of_aws_do() {
        let text = "# me\n[default]\nregion = eu-west-1\ns3 =\n  endpoint_url = http://nested\n\n[profile lab]\n\
                    Endpoint_Url=http://localhost:9000\n; no\n[other]\nregion=x\n";
        assert_eq!(section_of(text, &["profile default", "default"])["region"], "eu-west-1");
        let lab = section_of(text, &["profile lab", "lab"]);
        assert_eq!((lab.len(), &*lab["endpoint_url"]), (1, "http://localhost:9000"));
        assert!(section_of(text, &["none"]).is_empty());
    }

    #[test]
    fn credentials_of_a_role_are_kept_while_there_are_no_new_ones() {
        let old = Credentials::new("old", "s");
        let mut access = Access { credentials: old, renew_at: Some(Instant::now()) };
        assert_eq!(access.renewed(|| Err("no answer".into())).key(), "old");
        // They are not asked for again at once.
        assert_eq!(access.renewed(|| Ok(Credentials::new("new", "s"))).key(), "old");
        access.renew_at = Some(Instant::now());
        assert_eq!(access.renewed(|| Ok(Credentials::new("new", "s"))).key(), "new");
    }
}
