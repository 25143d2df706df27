//! Contenders that run in turn, for workloads whose tables are of their own kind.

use crate::bench::Bench;
use suite::{Contender, Refusal, Table, order};

/// A contender and what it has taken so far.
pub struct Runner<'a, T> {
    /// Who runs.
    pub contender: &'a dyn Contender,
    /// Its figures.
    pub taken: T,
    /// Why it runs no more.
    out: Option<Refusal>,
}

/// Has all contenders run `once` so often, in an order that changes; one that refuses runs no more.
pub fn in_turn<'a, T: Default>(
    bench: &'a Bench,
    name: &str,
    rounds: usize,
    once: impl Fn(&mut Runner<'a, T>) -> Result<(), Refusal>,
) -> Vec<Runner<'a, T>> {
    let runner = |contender| Runner {
        contender,
        taken: T::default(),
        out: None,
    };
    let mut runners: Vec<Runner<T>> = bench.pools().iter().map(runner).collect();
    for round in 0..rounds {
        for place in order(round, runners.len()) {
            let runner = &mut runners[place];
            if runner.out.is_none() {
                let what = format!("{name} on {}", runner.contender.name());
                runner.out = bench.watch(&what, || once(runner)).err();
            }
        }
        bench.advance((round + 1) as f64 / rounds as f64);
    }
    runners
}

/// Adds to `table` a row for each that gives one, and gives those that failed, with what is to be
/// said of each.
pub fn fill<T>(
    table: &mut Table,
    runners: &[Runner<T>],
    row: impl Fn(&Runner<T>) -> Option<Vec<String>>,
) -> Vec<(&'static str, String)> {
    let mut refused = Vec::new();
    for runner in runners {
        let name = runner.contender.name();
        if let Some(refusal) = runner
            .out
            .as_ref()
            .filter(|out| **out != Refusal::Unsupported)
        {
            refused.push((name, format!("{name}: {refusal}.")));
        }
        table.rows.extend(row(runner).map(|mut cells| {
            cells.insert(0, name.to_owned());
            cells
        }));
    }
    refused
}

/// What a contender has taken.
pub fn taken<'a, T>(runners: &'a [Runner<T>], name: &str) -> Option<&'a T> {
    let found = runners
        .iter()
        .find(|runner| runner.contender.name() == name);
    found.map(|runner| &runner.taken)
}
