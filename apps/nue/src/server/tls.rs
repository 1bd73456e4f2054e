//! Encrypted connections.

use super::config::TlsTable;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Takes in encrypted connections.
#[derive(Clone)]
pub(super) struct Acceptor(TlsAcceptor);

impl Acceptor {
    /// With the certificate and key of the settings.
    pub(super) fn new(table: &TlsTable) -> Result<Self, String> {
        let certificate = &table.certificate;
        let wrong = |what: &std::path::Path, why: String| format!("{}: {why}", what.display());
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(|error| wrong(certificate, error.to_string()))?;
        let key = PrivateKeyDer::from_pem_file(&table.key)
            .map_err(|error| wrong(&table.key, error.to_string()))?;
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| wrong(certificate, error.to_string()))?;
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    pub(super) async fn accept(&self, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        tokio::time::timeout(HANDSHAKE, self.0.accept(stream)).await.ok()?.ok()
    }
}
