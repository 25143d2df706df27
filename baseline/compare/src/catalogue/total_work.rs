//! From where on a pool pays, and what it costs below: one `for_each`, from a microsecond of work to
//! ten seconds.

use super::slices::Slice;
use crate::bench::Bench;
use crate::lineup;
use crate::workload::{Report, Workload};
use std::time::Duration;
use suite::{Cost, Outcome, Plan, Plot, Serial, Table, factor, seconds};

/// Powers of ten of a microsecond.
const DECADES: u32 = 8;
/// As far as `--quick` goes.
const QUICK: u32 = 5;
/// An item's share of the work, until there are [`MOST`] of them.
const ITEM: Duration = Duration::from_nanos(10);
const MOST: u32 = 10_000_000;
/// A serial run longer than this is done once.
const LONG: Duration = Duration::from_secs(5);

/// The workload.
pub fn workload() -> Workload {
    Workload::special("scaling-total-work", &[], run)
}

fn run(bench: &Bench, name: &str) -> Report {
    let decades = if bench.options.common.quick {
        QUICK
    } else {
        DECADES
    };
    let mut outcomes = Vec::new();
    for decade in 0..decades {
        let total = Duration::from_micros(10_u64.pow(decade));
        outcomes.push((total, sample(bench, name, total)));
        bench.advance(f64::from(decade + 1) / f64::from(decades));
    }
    Report {
        table: table(name, &outcomes),
        plot: Some(plot(name, &outcomes)),
        figures: Vec::new(),
        refused: refused(&outcomes),
    }
}

fn sample(bench: &Bench, name: &str, total: Duration) -> Outcome {
    let items = (total.as_nanos() / ITEM.as_nanos()).min(u128::from(MOST)) as u32;
    let cost = match total / items {
        ITEM => Cost::TenNs,
        item => Cost::Steps(bench.spinner.steps(item)),
    };
    let plan = Plan {
        rounds: bench.plan.rounds.min(7),
        once: total > LONG,
        ..bench.plan
    };
    let mut job = Slice::new(items as usize, cost);
    bench.sample_by(plan, name, bench.pools(), &mut job)
}

/// The pools that ran, without the serial one.
fn pools(outcomes: &[(Duration, Outcome)]) -> Vec<&'static str> {
    let ran = |name: &&str| {
        outcomes
            .iter()
            .any(|(_, outcome)| outcome.of(name).is_some())
    };
    let rivals = lineup::names()
        .into_iter()
        .filter(|name| *name != Serial::NAME);
    rivals.filter(ran).collect()
}

fn ratio(outcome: &Outcome, pool: &str) -> Option<f64> {
    Some(outcome.of(pool)?.ratio(outcome.of(Serial::NAME)?))
}

fn table(name: &str, outcomes: &[(Duration, Outcome)]) -> Table {
    let about = "for_each over a slice, by its serial time: times serial.";
    let pools = pools(outcomes);
    let columns: Vec<&str> = ["work", "serial"]
        .into_iter()
        .chain(pools.iter().copied())
        .collect();
    let mut table = Table::new(name, about, &columns);
    for (total, outcome) in outcomes {
        let serial = outcome
            .of(Serial::NAME)
            .map_or(f64::NAN, suite::Sampled::median);
        let cells = [seconds(total.as_secs_f64()), seconds(serial)].into_iter();
        let ratio = |pool: &&str| factor(ratio(outcome, pool).unwrap_or(f64::NAN));
        table
            .rows
            .push(cells.chain(pools.iter().map(ratio)).collect());
    }
    table
}

/// Each that failed, with what is said of it.
fn refused(outcomes: &[(Duration, Outcome)]) -> Vec<(&'static str, String)> {
    let of = |(total, outcome): &(Duration, Outcome)| {
        let total = seconds(total.as_secs_f64());
        let refused = outcome.refused.iter();
        let told = refused.map(|(pool, refusal)| (*pool, format!("{pool}, {total}: {refusal}.")));
        told.collect::<Vec<_>>()
    };
    outcomes.iter().flat_map(of).collect()
}

fn plot(name: &str, outcomes: &[(Duration, Outcome)]) -> Plot {
    let line = |pool: &'static str| {
        let point = |(total, outcome): &(Duration, Outcome)| {
            ratio(outcome, pool).map(|ratio| (total.as_secs_f64(), ratio))
        };
        (pool, outcomes.iter().filter_map(point).collect())
    };
    Plot {
        name: name.to_owned(),
        x: "seconds of work".to_owned(),
        y: "times serial".to_owned(),
        series: pools(outcomes).into_iter().map(line).collect(),
    }
}
