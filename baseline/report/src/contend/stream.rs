//! A connection over the loopback, by tokio's own streams there and async-io's everywhere else.

use async_io::Async;
use futures_lite::future::zip;
use futures_lite::io::{AsyncReadExt as _, AsyncWriteExt as _};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// One end of a connection.
pub enum Stream {
    /// Woken by async-io's thread.
    AsyncIo(Async<TcpStream>),
    /// Woken by tokio's runtime.
    Tokio(tokio::net::TcpStream),
}

/// Any free port of this machine.
const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

impl Stream {
    /// Both ends of a connection by async-io.
    pub async fn async_io() -> io::Result<[Self; 2]> {
        let listener = Async::<TcpListener>::bind(ANY)?;
        let address = listener.get_ref().local_addr()?;
        let ends = zip(Async::<TcpStream>::connect(address), listener.accept());
        let (one, (other, _)) = match ends.await {
            (Ok(one), Ok(other)) => (one, other),
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        for end in [&one, &other] {
            end.get_ref().set_nodelay(true)?;
        }
        Ok([one, other].map(Self::AsyncIo))
    }

    /// Both ends of a connection by tokio.
    pub async fn tokio() -> io::Result<[Self; 2]> {
        let listener = tokio::net::TcpListener::bind(ANY).await?;
        let address = listener.local_addr()?;
        let one = tokio::net::TcpStream::connect(address).await?;
        let (other, _) = listener.accept().await?;
        for end in [&one, &other] {
            end.set_nodelay(true)?;
        }
        Ok([one, other].map(Self::Tokio))
    }

    /// Sends a number.
    pub async fn send(&mut self, message: u64) -> io::Result<()> {
        let bytes = message.to_le_bytes();
        match self {
            Self::AsyncIo(stream) => stream.write_all(&bytes).await,
            Self::Tokio(stream) => stream.write_all(&bytes).await,
        }
    }

    /// Receives one.
    pub async fn receive(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        match self {
            Self::AsyncIo(stream) => stream.read_exact(&mut bytes).await?,
            Self::Tokio(stream) => stream.read_exact(&mut bytes).await.map(drop)?,
        }
        Ok(u64::from_le_bytes(bytes))
    }
}
