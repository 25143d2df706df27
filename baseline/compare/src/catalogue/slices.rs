//! A function applied to each item of a slice.

use crate::bench::Bench;
use crate::workload::{Made, Size, Workload};
use std::time::Duration;
use suite::{Answer, Contender, Cost, Items, Job};

const LENGTHS: [(&str, usize); 6] = [
    ("100", 100),
    ("1k", 1_000),
    ("10k", 10_000),
    ("100k", 100_000),
    ("1M", 1_000_000),
    ("10M", 10_000_000),
];

/// A few dear items: one loop takes less than waking a thread for it would pay.
const FEW: [(&str, usize, Duration); 3] = [
    ("10us-8", 8, Duration::from_micros(10)),
    ("20us-4", 4, Duration::from_micros(20)),
    ("90us-2", 2, Duration::from_micros(90)),
];

/// All of this kind.
pub fn workloads() -> Vec<Workload> {
    let mut all = Vec::new();
    for (label, len) in LENGTHS {
        all.push(slice(format!("slice-1ns-{label}"), len, |_| Cost::OneNs));
    }
    for (label, len) in LENGTHS {
        all.push(slice(format!("slice-10ns-{label}"), len, |_| Cost::TenNs));
    }
    for (label, len, time) in FEW {
        let cost = move |bench: &Bench| Cost::Steps(bench.spinner.steps(time));
        all.push(slice(format!("slice-{label}"), len, cost));
    }
    all
}

/// The slice, checked item by item while the clock stands.
pub struct Slice {
    items: Items,
    cost: Cost,
}

impl Slice {
    /// So many items of that cost.
    pub fn new(len: usize, cost: Cost) -> Self {
        Self {
            items: Items::new(len),
            cost,
        }
    }
}

impl Job for Slice {
    fn run(&mut self, contender: &dyn Contender, iterations: u64) -> Answer {
        contender.for_each(&mut self.items, self.cost, iterations)
    }

    fn verify(&mut self) -> Answer {
        self.items.verify()
    }
}

fn slice(name: String, len: usize, cost: impl Fn(&Bench) -> Cost + 'static) -> Workload {
    let about = format!("for_each over {len} items, without a hint at batches.");
    Workload::sampled(name, about, Size::Told, move |bench| {
        Made::new(Slice::new(len, cost(bench))).each(len as u64, "item")
    })
}
