//! Encrypted connections.

use crate::config::TlsTable;
use crate::error::Error;
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

/// The server's side of encrypted connections.
#[derive(Clone)]
pub(crate) struct TlsServer(TlsAcceptor);

impl TlsServer {
    /// With the certificate and key of the settings.
    pub(crate) fn new(table: &TlsTable) -> Result<Self, Error> {
        let certificate = &table.certificate;
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(|error| Error::file(certificate, error))?;
        let key = PrivateKeyDer::from_pem_file(&table.key)
            .map_err(|error| Error::file(&table.key, error))?;
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| Error::file(certificate, error))?;
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    pub(crate) async fn accept(&self, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        tokio::time::timeout(HANDSHAKE, self.0.accept(stream)).await.ok()?.ok()
    }
}
