//! Messages over a connection.

use super::Task;
use super::sampler::{Figures, Sampler};
use super::spawner::{Service, Spawner, serve};
use super::stream::Stream;
use std::error::Error;
use std::io;
use suite::{Refusal, check};

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
