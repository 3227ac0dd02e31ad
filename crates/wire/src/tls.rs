//! TLS around a stream, for anything beyond loopback: the token must not travel in the clear.
//!
//! Certificates come from PEM files. A client trusts exactly the authority (or the self-signed certificate) that it was
//! given, never the machine's list: an agent is somebody's own machine, not a public site.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig, crypto};
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};

use crate::error::WireError;

/// The server's certificate and key.
#[derive(Clone)]
pub struct ServerTls(TlsAcceptor);

/// Whom a client trusts, and under which name the server must be known.
#[derive(Clone)]
pub struct ClientTls {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl fmt::Debug for ServerTls {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ServerTls(…)")
    }
}

impl fmt::Debug for ClientTls {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ClientTls").field("name", &self.name).finish_non_exhaustive()
    }
}

fn refused(what: &str, path: &Path, reason: impl fmt::Display) -> WireError {
    WireError::Tls { reason: format!("{what} {}: {reason}", path.display()) }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, WireError> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let found = read.map_err(|error| refused("the certificate", path, error))?;
    if found.is_empty() {
        return Err(refused("the certificate", path, "there is none in the file"));
    }
    Ok(found)
}

impl ServerTls {
    /// Reads a certificate chain and its private key.
    pub fn from_pem_files(certificate: &Path, key: &Path) -> Result<Self, WireError> {
        let chain = certificates(certificate)?;
        let private = PrivateKeyDer::from_pem_file(key).map_err(|error| refused("the key", key, error))?;
        let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private))
            .map_err(|error| refused("the certificate", certificate, error))?;
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    /// The handshake with one client.
    pub(crate) async fn accept(&self, stream: TcpStream) -> std::io::Result<server::TlsStream<TcpStream>> {
        self.0.accept(stream).await
    }
}

impl ClientTls {
    /// Trusts what `authority` holds, for a server called `name`: a host name or an address.
    pub fn trusting(authority: &Path, name: &str) -> Result<Self, WireError> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(authority)? {
            roots.add(certificate).map_err(|error| refused("the certificate", authority, error))?;
        }
        let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| refused("the certificate", authority, error))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = match name.parse::<IpAddr>() {
            Ok(address) => ServerName::from(address),
            Err(_) => ServerName::try_from(name.to_owned()).map_err(|error| WireError::Tls {
                reason: format!("{name:?} is no name that a certificate can have: {error}"),
            })?,
        };
        Ok(Self { connector: TlsConnector::from(Arc::new(config)), name })
    }

    /// The handshake with the server.
    pub(crate) async fn connect(&self, stream: TcpStream) -> std::io::Result<client::TlsStream<TcpStream>> {
        self.connector.connect(self.name.clone(), stream).await
    }
}
