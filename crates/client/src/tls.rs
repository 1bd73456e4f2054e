//! Encrypted connections, as a client.

use crate::error::Error;
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Whose certificates are trusted.
#[derive(Clone)]
pub(crate) struct TlsClient(Arc<ClientConfig>);

impl std::fmt::Debug for TlsClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TlsClient")
    }
}

impl TlsClient {
    /// Those in a file in PEM: the server's own certificate, or that of who signed it.
    pub(crate) fn new(path: &Path) -> Result<Self, Error> {
        let wrong = |why: String| Error::file(path, why);
        let mut roots = RootCertStore::empty();
        for certificate in
            CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?
        {
            let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
            roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
        }
        if roots.is_empty() {
            return Err(wrong("there is no certificate in it".to_owned()));
        }
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }

    pub(crate) async fn connect(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, String> {
        let name = ServerName::try_from(host.to_owned()).map_err(|error| error.to_string())?;
        TlsConnector::from(Arc::clone(&self.0))
            .connect(name, stream)
            .await
            .map_err(|error| error.to_string())
    }
}
