//! How the cost of a workload grows with the pool's threads, beyond what the machine has.

use super::slices::Slice;
use crate::bench::Bench;
use crate::lineup;
use crate::workload::{Made, Report, Workload};
use suite::{Cost, Entry, Plan, Plot, Sampled, Serial, Table, Tree, factor, seconds};

/// Threads of each pool. The later ones are more than most machines have.
const THREADS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Of these, the ones that `--quick` leaves.
const QUICK: usize = 4;

/// All of this kind.
pub fn workloads() -> Vec<Workload> {
    let tree = |bench: &Bench| {
        let tree = Tree::perfect(if bench.options.common.quick { 16 } else { 20 });
        Made::call(move |pool, iterations| pool.tree(&tree, iterations))
    };
    let slice = |_: &Bench| Made::new(Slice::new(1_000_000, Cost::OneNs));
    let scope =
        |_: &Bench| Made::call(|pool, iterations| pool.scope(Entry::Worker, 1000, iterations));
    let spawn_await = |_: &Bench| {
        Made::call(|pool, iterations| pool.spawn_await(Entry::Worker, 10_000, iterations))
    };
    vec![
        family("scaling-tree", tree),
        family("scaling-slice-1ns-1M", slice),
        family("scaling-scope-1000", scope),
        family("scaling-spawn-await-10000", spawn_await),
    ]
}

fn family(name: &str, make: impl Fn(&Bench) -> Made + 'static) -> Workload {
    Workload::special(name, &[], move |bench, name| {
        let mut made = make(bench);
        let plan = Plan {
            rounds: bench.plan.rounds.min(7),
            ..bench.plan
        };
        let sizes = if bench.options.common.quick {
            QUICK
        } else {
            THREADS.len()
        };
        let mut sampled = Vec::new();
        let mut refused = Vec::new();
        for (place, &threads) in THREADS.iter().take(sizes).enumerate() {
            let lineup = bench.lineup(threads);
            let outcome = bench.sample_by(plan, name, &lineup, &mut *made.job);
            for (pool, reason) in &lineup.missing {
                refused.push((*pool, format!("{pool} x{threads}: {reason}.")));
            }
            for (pool, refusal) in &outcome.refused {
                refused.push((*pool, format!("{pool} x{threads}: {refusal}.")));
            }
            sampled.push((threads, outcome.sampled));
            bench.advance((place + 1) as f64 / sizes as f64);
        }
        Report {
            table: table(name, &sampled),
            plot: Some(plot(name, &sampled)),
            figures: Vec::new(),
            refused,
        }
    })
}

type BySize = [(usize, Vec<Sampled>)];

/// The pools that ran at any size, in the line-up's order.
fn pools(sampled: &BySize) -> Vec<&'static str> {
    let ran = |name: &&str| {
        let mut all = sampled.iter().flat_map(|(_, sampled)| sampled);
        all.any(|sampled| sampled.name == *name)
    };
    lineup::names().into_iter().filter(ran).collect()
}

fn median(sampled: &[Sampled], pool: &str) -> Option<f64> {
    let found = sampled.iter().find(|sampled| sampled.name == pool);
    found.map(Sampled::median)
}

fn table(name: &str, sampled: &BySize) -> Table {
    let about = "Times by threads a pool; in brackets, times the pool's own with one thread.";
    let pools = pools(sampled);
    let columns: Vec<&str> = ["threads"]
        .into_iter()
        .chain(pools.iter().copied())
        .collect();
    let mut table = Table::new(name, about, &columns);
    for (threads, row) in sampled {
        let cell = |pool: &&str| match median(row, pool) {
            Some(time) => {
                let one = sampled.first().and_then(|(_, one)| median(one, pool));
                format!(
                    "{} ({})",
                    seconds(time),
                    factor(time / one.unwrap_or(f64::NAN))
                )
            }
            None => "-".to_owned(),
        };
        let cells = [threads.to_string()].into_iter();
        table
            .rows
            .push(cells.chain(pools.iter().map(cell)).collect());
    }
    table
}

fn plot(name: &str, sampled: &BySize) -> Plot {
    let line = |pool: &'static str| {
        let point = |(threads, row): &(usize, Vec<Sampled>)| {
            median(row, pool).map(|time| (*threads as f64, time))
        };
        (pool, sampled.iter().filter_map(point).collect())
    };
    let mut names = pools(sampled);
    // The serial run comes out last, on top of the others.
    names.sort_by_key(|pool| *pool == Serial::NAME);
    Plot {
        name: name.to_owned(),
        x: "threads a pool".to_owned(),
        y: "seconds".to_owned(),
        series: names.into_iter().map(line).collect(),
    }
}
