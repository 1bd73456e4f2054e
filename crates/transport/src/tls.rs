//! Encrypted connections, both sides.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};

/// How long a server waits for a handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// A certificate or a key cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct CertificateError {
    pub path: PathBuf,
    pub why: String,
}

fn wrong(path: &Path, why: &dyn Display) -> CertificateError {
    CertificateError { path: path.to_owned(), why: why.to_string() }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let found: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| wrong(path, &error))?;
    if found.is_empty() {
        return Err(wrong(path, &"there is no certificate in it"));
    }
    Ok(found)
}

/// The server's side.
#[derive(Clone)]
pub struct TlsServer(TlsAcceptor);

impl TlsServer {
    /// With a certificate and its key, both files in PEM.
    pub fn new(certificate: &Path, key: &Path) -> Result<Self, CertificateError> {
        let chain = certificates(certificate)?;
        let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, &error))?;
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, secret)
            .map_err(|error| wrong(certificate, &error))?;
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    /// Encrypts a connection; `None` if the other side does not manage to in time.
    pub async fn accept(&self, stream: TcpStream) -> Option<server::TlsStream<TcpStream>> {
        tokio::time::timeout(HANDSHAKE, self.0.accept(stream)).await.ok()?.ok()
    }
}

/// The client's side: whose certificates are trusted.
#[derive(Clone, Debug)]
pub struct TlsClient(Arc<ClientConfig>);

impl TlsClient {
    /// Trusts the certificates in a file in PEM: the server's own, or that of who signed it.
    pub fn new(path: &Path) -> Result<Self, CertificateError> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(path)? {
            roots.add(certificate).map_err(|error| wrong(path, &error))?;
        }
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }

    /// Encrypts a connection to a server of that name.
    pub async fn connect(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> std::io::Result<client::TlsStream<TcpStream>> {
        let name = ServerName::try_from(host.to_owned()).map_err(std::io::Error::other)?;
        TlsConnector::from(Arc::clone(&self.0)).connect(name, stream).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_no_certificates_are_named() {
        let missing = Path::new("no-such-file.pem");
        let error = TlsClient::new(missing).unwrap_err();
        assert!(error.to_string().starts_with("no-such-file.pem: "), "{error}");
        let manifest = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let error = TlsClient::new(manifest).unwrap_err();
        assert!(error.to_string().ends_with("there is no certificate in it"), "{error}");
        assert!(TlsServer::new(manifest, missing).is_err());
    }
}
