//! What an asynchronous callback costs, by the way in which it is kept: time and allocations.
//!
//! `callbacks WORKLOAD WAY SIZE THREADS MILLISECONDS` prints lines of
//! `WORKLOAD<TAB>METRIC<TAB>FIGURE`. It is a program of its own, for it counts allocations: a
//! thread's own counter, which costs each of them about a nanosecond.

mod pools;
mod ways;

use pools::Pool;
use report::contend::Sampler;
use std::env;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;
use suite::{Refusal, check};
use ways::Way;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    if words == ["version"] {
        println!("{}", suite::rustc());
        return Ok(());
    }
    let [workload, way, size, threads, limit] = words else {
        return Err("callbacks takes WORKLOAD WAY SIZE THREADS MILLISECONDS".into());
    };
    let Some(way) = Way::named(way) else {
        return Err(format!("there is no way {way:?}").into());
    };
    let calls: u64 = size.parse()?;
    let sampler = Sampler::new(Duration::from_millis(limit.parse()?));
    let pool = match workload.as_str() {
        "callback-ours" | "callback-spawned-ours" => Pool::ours(threads.parse()?)?,
        "callback-tokio" | "callback-spawned-tokio" => Pool::tokio(threads.parse()?)?,
        _ => return Err(format!("there is no workload {workload:?}").into()),
    };
    let is_spawned = workload.contains("spawned");
    let expected = ways::expected(calls);
    let mut figures = sampler.run(|iterations| {
        for _ in 0..iterations {
            check(expected, pool.run(way, calls, is_spawned)?)?;
        }
        Ok::<(), Refusal>(())
    })?;
    let allocations = Pool::alone(workload)?.allocations(way, calls, is_spawned)?;
    figures.push(("allocations", allocations));
    figures.push(("answer", calls as f64));
    for (metric, figure) in figures {
        println!("{workload}\t{metric}\t{figure}");
    }
    Ok(())
}
