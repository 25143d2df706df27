//! Figures, as a table or one by one.

use super::operations::{ALL, Operation, Pool};
use heartbeat_pool::transfers;
use std::env::consts;
use std::error::Error;
use std::time::{Duration, Instant};

/// Threads of the pools.
const SIZES: [usize; 6] = [2, 4, 8, 16, 32, 64];
/// How long each figure of the table is measured.
const SAMPLE: Duration = Duration::from_millis(200);
/// Sites that are shown.
const WORST: usize = 12;

/// What one operation comes to.
struct Figure {
    writes: f64,
    reads: f64,
    threads: f64,
    operations: u64,
    /// Each site's writes and reads.
    sites: Vec<(String, f64, f64)>,
}

fn measure(operation: &Operation, threads: usize, sample: Duration) -> Result<Figure, String> {
    let pool = Pool::new(threads)?;
    // The first round starts threads, and fills queues and caches of memory.
    pool.round(operation)?;
    transfers::reset();
    let start = Instant::now();
    let (mut operations, mut rounds, mut took_part) = (0, 0_u32, 0);
    while rounds < 3 || start.elapsed() < sample {
        let ran = pool.round(operation)?;
        operations += ran.operations;
        took_part += ran.threads;
        rounds += 1;
    }
    let a_turn = |count: u64| count as f64 / operations as f64 * operation.of as f64;
    let sites = transfers::snapshot().into_iter();
    let (writes, reads) = transfers::total();
    Ok(Figure {
        writes: a_turn(writes),
        reads: a_turn(reads),
        threads: took_part as f64 / f64::from(rounds),
        operations,
        sites: sites
            .map(|site| (site.place, a_turn(site.writes), a_turn(site.reads)))
            .collect(),
    })
}

fn operation(name: &str) -> Result<&'static Operation, String> {
    let found = ALL.iter().find(|operation| operation.name == name);
    let names: Vec<&str> = ALL.iter().map(|operation| operation.name).collect();
    found.ok_or_else(|| {
        format!(
            "there is no operation {name:?}, but there are {}",
            names.join(", ")
        )
    })
}

/// Does what the command line says.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    match words {
        [word] if word == "version" => println!("{}", env!("CARGO_PKG_VERSION")),
        [workload, name, threads, _, sample] => {
            let sample = Duration::from_millis(sample.parse()?);
            one(workload, operation(name)?, threads.parse()?, sample)?;
        }
        words => {
            let (options, names): (Vec<_>, Vec<_>) =
                words.iter().partition(|word| word.starts_with('-'));
            let known = ["-v", "--quick"];
            if let Some(other) = options.iter().find(|word| !known.contains(&word.as_str())) {
                return Err(format!("there is no option {other}, but {}", known.join(", ")).into());
            }
            let has = |name: &str| options.iter().any(|option| *option == name);
            let mut wanted = Vec::new();
            for name in &names {
                wanted.push(operation(name)?);
            }
            if wanted.is_empty() {
                wanted.extend(ALL);
            }
            let sizes = if has("--quick") { &SIZES[..1] } else { &SIZES };
            let sample = if has("--quick") {
                Duration::ZERO
            } else {
                SAMPLE
            };
            table(&wanted, sizes, sample, has("-v"))?;
        }
    }
    Ok(())
}

/// One figure, for programs. The answer is the number of threads, once every round's own answer
/// was right.
fn one(
    workload: &str,
    operation: &Operation,
    threads: usize,
    sample: Duration,
) -> Result<(), String> {
    let figure = measure(operation, threads, sample)?;
    let figures = [
        ("writes", figure.writes),
        ("reads", figure.reads),
        ("threads", figure.threads),
        ("answer", threads as f64),
    ];
    for (metric, figure) in figures {
        println!("{workload}\t{metric}\t{figure}");
    }
    Ok(())
}

fn table(
    operations: &[&Operation],
    sizes: &[usize],
    sample: Duration,
    is_verbose: bool,
) -> Result<(), String> {
    println!(
        "Changes of a line's writer + first reads of what another thread wrote; {}.",
        consts::ARCH
    );
    for operation in operations {
        for &threads in sizes {
            let figure = measure(operation, threads, sample)?;
            println!(
                "{:20} {threads:2} threads: {:8.2} + {:8.2} ({:.1} threads took part, {} operations)",
                operation.name, figure.writes, figure.reads, figure.threads, figure.operations
            );
            let worst = figure.sites.iter().take(if is_verbose { WORST } else { 0 });
            for (place, writes, reads) in worst {
                println!("    {writes:8.3} + {reads:8.3}  {place}");
            }
        }
    }
    Ok(())
}
