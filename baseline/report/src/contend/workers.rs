//! A master and its workers: to each a message, of each an answer, again and again.

use super::sampler::{Figures, Sampler};
use super::spawner::{Service, Spawner, serve};
use super::{Task, peak_memory_of};
use async_channel::{Receiver, Sender, bounded};
use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::{env, thread};
use suite::{Answer, Refusal, check};

/// Messages to each worker in a round.
pub const MESSAGES: u64 = 10;
/// The word by which a process is told to be a worker.
pub const WORKER: &str = "answer";

type Outcome = Result<Figures, Box<dyn Error>>;

/// A worker's ends, as its master sees them.
struct Ends {
    to: Sender<u64>,
    from: Receiver<u64>,
}

async fn answer(messages: Receiver<u64>, answers: Sender<u64>) {
    while let Ok(message) = messages.recv().await {
        if answers.send(message + 1).await.is_err() {
            break;
        }
    }
}

/// The messages of a round, and how many answers were right.
async fn rounds(workers: Vec<Ends>, rounds: u64) -> (Vec<Ends>, u64) {
    let mut right = 0;
    for message in 0..rounds * MESSAGES {
        for worker in &workers {
            if worker.to.send(message).await.is_err() {
                return (workers, right);
            }
        }
        for worker in &workers {
            right += u64::from(worker.from.recv().await == Ok(message + 1));
        }
    }
    (workers, right)
}

/// Tasks of a pool, the master too.
struct Tasks {
    workers: u64,
    sampler: Sampler,
}

impl Service for Tasks {
    type Out = Result<Figures, Refusal>;

    fn run(self, spawner: impl Spawner) -> Self::Out {
        let expected = self.workers * MESSAGES;
        let employ = |_| {
            let ((to, messages), (answers, from)) = (bounded(1), bounded(1));
            // It ends when its master drops the channel, and nobody waits for that.
            let worker = spawner.spawn(answer(messages, answers));
            (Ends { to, from }, worker)
        };
        let (ends, tasks): (Vec<_>, Vec<_>) = (0..self.workers).map(employ).unzip();
        let mut ends = Some(ends);
        let figures = self.sampler.run(|iterations| {
            let workers = ends.take().unwrap_or_default();
            let master = spawner.spawn(rounds(workers, iterations));
            let (workers, right) = spawner.block_on(master);
            ends = Some(workers);
            check(expected * iterations, right)
        });
        drop(ends);
        spawner.block_on(async {
            for task in tasks {
                task.await;
            }
        });
        figures
    }
}

/// Workers that a thread writes to and reads from.
trait Crew {
    fn write(&mut self, worker: usize, message: u64) -> io::Result<()>;
    fn read(&mut self, worker: usize) -> io::Result<u64>;
}

fn round(crew: &mut impl Crew, workers: usize) -> io::Result<u64> {
    let mut right = 0;
    for message in 0..MESSAGES {
        for worker in 0..workers {
            crew.write(worker, message)?;
        }
        for worker in 0..workers {
            right += u64::from(crew.read(worker)? == message + 1);
        }
    }
    Ok(right)
}

fn lead(crew: &mut impl Crew, workers: u64, sampler: Sampler) -> Outcome {
    let mut run = || -> Answer {
        let right = round(crew, workers as usize);
        let lost = |_| Refusal::Skipped("a worker is gone");
        check(workers * MESSAGES, right.map_err(lost)?)
    };
    Ok(sampler.run(|iterations| (0..iterations).try_for_each(|_| run()))?)
}

/// Threads with channels.
struct Threads(Vec<(mpsc::Sender<u64>, mpsc::Receiver<u64>)>);

impl Threads {
    fn employ(workers: u64) -> io::Result<Self> {
        let mut crew = Vec::new();
        for _ in 0..workers {
            let ((to, messages), (answers, from)) = (mpsc::channel(), mpsc::channel());
            let work = move || {
                messages
                    .iter()
                    .all(|message| answers.send(message + 1).is_ok())
            };
            thread::Builder::new().spawn(work)?;
            crew.push((to, from));
        }
        Ok(Self(crew))
    }
}

impl Crew for Threads {
    fn write(&mut self, worker: usize, message: u64) -> io::Result<()> {
        self.0[worker].0.send(message).map_err(io::Error::other)
    }

    fn read(&mut self, worker: usize) -> io::Result<u64> {
        self.0[worker].1.recv().map_err(io::Error::other)
    }
}

/// Processes with pipes.
struct Processes(Vec<(ChildStdin, BufReader<ChildStdout>, Child)>);

impl Processes {
    fn employ(workers: u64) -> io::Result<Self> {
        let (program, mut crew) = (env::current_exe()?, Vec::new());
        for _ in 0..workers {
            let mut child = Command::new(&program)
                .arg(WORKER)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()?;
            if let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) {
                crew.push((to, BufReader::new(from), child));
            }
        }
        Ok(Self(crew))
    }

    /// The most memory that all of them have had, in KiB.
    fn peak(&self) -> f64 {
        let peaks = self
            .0
            .iter()
            .map(|(_, _, child)| peak_memory_of(&child.id().to_string()));
        peaks.flatten().sum()
    }
}

impl Crew for Processes {
    fn write(&mut self, worker: usize, message: u64) -> io::Result<()> {
        writeln!(self.0[worker].0, "{message}")
    }

    fn read(&mut self, worker: usize) -> io::Result<u64> {
        let mut line = String::new();
        self.0[worker].1.read_line(&mut line)?;
        line.trim().parse().map_err(io::Error::other)
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for (to, _, mut child) in self.0.drain(..) {
            drop(to);
            // It ends with its input.
            let _ = child.wait();
        }
    }
}

/// What a worker that is a process does.
///
/// # Errors
///
/// When its master is gone, or writes no number.
pub fn serve_pipes() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message: u64 = line?.trim().parse().map_err(io::Error::other)?;
        writeln!(output, "{}", message + 1)?;
        output.flush()?;
    }
    Ok(())
}

/// Runs it if it is that workload.
pub fn run(task: Task<'_>) -> Option<Outcome> {
    (task.workload == "workers").then(|| {
        let mut figures = employ(task)?;
        figures.push(("answer", (task.size * MESSAGES) as f64));
        Ok(figures)
    })
}

fn employ(task: Task<'_>) -> Outcome {
    let (workers, sampler) = (task.size, task.sampler);
    match task.name {
        "threads" => lead(&mut Threads::employ(workers)?, workers, sampler),
        "processes" => {
            let mut crew = Processes::employ(workers)?;
            let mut figures = lead(&mut crew, workers, sampler)?;
            let own = peak_memory_of("self").unwrap_or_default();
            figures.push(("peak", own + crew.peak()));
            Ok(figures)
        }
        name => Ok(serve(name, task.threads, Tasks { workers, sampler })??),
    }
}
