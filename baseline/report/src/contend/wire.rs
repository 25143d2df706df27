//! Connections over the loopback, by tokio's own streams there and async-io's everywhere else.

use super::Task;
use super::sampler::{Figures, Sampler};
use super::spawner::{Service, Spawner, serve};
use async_io::Async;
use futures_lite::future::zip;
use futures_lite::io::{AsyncReadExt as _, AsyncWriteExt as _};
use std::error::Error;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use suite::{Refusal, check};
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

    async fn send(&mut self, message: u64) -> io::Result<()> {
        let bytes = message.to_le_bytes();
        match self {
            Self::AsyncIo(stream) => stream.write_all(&bytes).await,
            Self::Tokio(stream) => stream.write_all(&bytes).await,
        }
    }

    async fn receive(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        match self {
            Self::AsyncIo(stream) => stream.read_exact(&mut bytes).await?,
            Self::Tokio(stream) => stream.read_exact(&mut bytes).await.map(drop)?,
        }
        Ok(u64::from_le_bytes(bytes))
    }
}

/// Sends each number and waits for the next one as its answer. Gives the stream back, and how many
/// answers were right.
async fn ping(mut stream: Stream, messages: u64) -> io::Result<(Stream, u64)> {
    let mut right = 0;
    for message in 0..messages {
        stream.send(message).await?;
        right += u64::from(stream.receive().await? == message + 1);
    }
    Ok((stream, right))
}

/// Answers so many messages.
async fn pong(mut stream: Stream, messages: u64) -> io::Result<(Stream, u64)> {
    for _ in 0..messages {
        let message = stream.receive().await?;
        stream.send(message + 1).await?;
    }
    Ok((stream, messages))
}

/// Two tasks and one connection, for all samples.
struct Connection {
    messages: u64,
    sampler: Sampler,
}

impl Service for Connection {
    type Out = Result<Figures, Refusal>;

    fn run(self, spawner: impl Spawner) -> Self::Out {
        let lost = |_: io::Error| Refusal::Skipped("the connection is lost");
        let connected = spawner.block_on(spawner.connection()).map_err(lost)?;
        let mut ends = Some(connected);
        let mut figures = self.sampler.run(|iterations| {
            let messages = self.messages * iterations;
            let Some([one, other]) = ends.take() else {
                return Err(Refusal::Skipped("the connection is lost"));
            };
            let pong = spawner.spawn(pong(other, messages));
            let ping = spawner.spawn(ping(one, messages));
            let both = spawner.block_on(async { (ping.await, pong.await) });
            let ((one, right), (other, _)) = (both.0.map_err(lost)?, both.1.map_err(lost)?);
            ends = Some([one, other]);
            check(messages, right)
        })?;
        figures.push(("answer", self.messages as f64));
        Ok(figures)
    }
}

/// Runs it if it is that workload.
pub fn run(task: Task<'_>) -> Option<Result<Figures, Box<dyn Error>>> {
    (task.workload == "tcp").then(|| {
        let service = Connection {
            messages: task.size,
            sampler: task.sampler,
        };
        Ok(serve(task.name, task.threads, service)??)
    })
}
