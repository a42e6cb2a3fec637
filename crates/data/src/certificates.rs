//! Who vouches for servers: Mozilla's list, or the certificates of a file of the user's, as behind a proxy that opens
//! connections.

use std::fs;
use std::path::{Path, PathBuf};

use ureq::tls::{PemItem, RootCerts, parse_pem};

use crate::error::DataError;
use crate::files::io_error;

/// The variable that names the file, as for OpenSSL.
const FILE: &str = "SSL_CERT_FILE";

/// The certificates that are believed.
///
/// # Errors
/// The file that `SSL_CERT_FILE` names cannot be read, or holds no certificate.
pub(crate) fn roots() -> Result<RootCerts, DataError> {
    std::env::var_os(FILE)
        .filter(|path| !path.is_empty())
        .map_or(Ok(RootCerts::WebPki), |path| of(&PathBuf::from(path)))
}

fn of(path: &Path) -> Result<RootCerts, DataError> {
    let pem = fs::read(path).map_err(io_error(path, "read the certificates that SSL_CERT_FILE names"))?;
    let certificate = |item| if let Ok(PemItem::Certificate(one)) = item { Some(one) } else { None };
    let all: Vec<_> = parse_pem(&pem).filter_map(certificate).collect();
    if all.is_empty() {
        return Err(DataError::Certificates { file: path.display().to_string() });
    }
    Ok(RootCerts::from(all))
}

/// What to do where a server's certificate is not believed.
pub(crate) const REMEDY: &str =
    "behind a proxy that opens connections, name the file of its certificates in SSL_CERT_FILE";

#[cfg(test)]
mod tests {
    use super::*;

    /// A certificate need not be valid to be read: whether it vouches for anyone is seen when a server shows one.
    #[test]
    fn a_file_of_certificates_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.pem");
        let one = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
        fs::write(&path, format!("# two\n{one}{one}")).unwrap();
        assert!(matches!(of(&path).unwrap(), RootCerts::Specific(all) if all.len() == 2));
        fs::write(&path, "no certificate").unwrap();
        assert!(of(&path).unwrap_err().to_string().contains("SSL_CERT_FILE"));
        fs::remove_file(&path).unwrap();
        assert!(of(&path).unwrap_err().to_string().contains("SSL_CERT_FILE"));
    }
}
