//! A proxy that answers for discord.com, so that a client that knows no other address comes to the double.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use super::certificate::{Authority, Leaf};

/// The proxy. It ends when it is dropped.
pub(super) struct Tunnel {
    address: SocketAddr,
    authority: Vec<u8>,
    _task: JoinSet<()>,
}

impl Tunnel {
    /// Leads to this address.
    pub(super) async fn to(server: SocketAddr) -> Self {
        let authority = Authority::new();
        let Leaf { certificate, key } = authority.leaf("discord.com");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key));
        let chain = vec![CertificateDer::from(certificate)];
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let (acceptor, listener) = (
            TlsAcceptor::from(Arc::new(config)),
            TcpListener::bind("127.0.0.1:0").await.unwrap(),
        );
        let address = listener.local_addr().unwrap();
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut lines = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                lines.spawn(line(acceptor.clone(), stream, server));
            }
        });
        Self {
            address,
            authority: authority.certificate,
            _task: task,
        }
    }

    /// A client that goes through it, and trusts its authority.
    pub(super) fn client(&self) -> reqwest_of_serenity::Client {
        let proxy = reqwest_of_serenity::Proxy::https(format!("http://{}", self.address)).unwrap();
        let authority = reqwest_of_serenity::Certificate::from_der(&self.authority).unwrap();
        let builder = reqwest_of_serenity::Client::builder().use_rustls_tls();
        builder.proxy(proxy).add_root_certificate(authority).build().unwrap()
    }
}

/// Takes `CONNECT`, opens what is said, and hands it on.
async fn line(acceptor: TlsAcceptor, mut stream: TcpStream, server: SocketAddr) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    assert!(head.starts_with(b"CONNECT discord.com:443 "), "the double only");
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
    let mut inside = acceptor.accept(stream).await.unwrap();
    let mut outside = TcpStream::connect(server).await.unwrap();
    // either side may end it as it likes
    drop(tokio::io::copy_bidirectional(&mut inside, &mut outside).await);
}
