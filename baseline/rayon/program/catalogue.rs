//! All workloads by name.

use crate::bodies::{Each, Pairs};
use crate::entry::Entry;
use crate::fib::Fib;
use crate::life::{HEIGHT, Life, Walk};
use crate::matrix::Product;
use crate::merge_sort::MergeSort;
use crate::paced;
use crate::quick_sort::QuickSort;
use crate::salesman::Salesman;
use crate::sampling::{Case, sample};
use crate::sieve::Sieve;
use crate::small::{Items, Scopes};
use crate::sorting::{Sorting, Stable, Unstable};
use crate::sum::Sum;
use std::rc::Rc;
use suite::program::{Figures, Options, Workload, workload};

/// From the main thread, and under another name from inside of a pool.
fn entries(name: &str, run: impl Fn(&Options, &Entry) -> Figures + 'static) -> [Workload; 2] {
    let run = Rc::new(run);
    let inside = run.clone();
    [
        workload(name, move |options| run(options, &Entry::Main)),
        workload(format!("{name}-install"), move |options| {
            inside(options, &Entry::install()?)
        }),
    ]
}

fn case<C: Case>(name: &str, new: impl Fn() -> C + 'static) -> [Workload; 2] {
    entries(name, move |options, entry| sample(options, entry, new()))
}

fn paced(name: &str, height: usize, walk: Walk) -> [Workload; 2] {
    entries(name, move |options, entry| {
        paced::run(options, entry, height, walk)
    })
}

/// Every workload.
pub fn all() -> Vec<Workload> {
    [
        case("merge-sort", || Sorting::new(MergeSort::default())),
        case("quick-sort", || Sorting::new(QuickSort)),
        case("par-sort", || Sorting::new(Stable)),
        case("par-sort-unstable", || Sorting::new(Unstable)),
        case("fib", Fib::new),
        case("matrix", Product::new),
        case("salesman", Salesman::new),
        case("sieve", Sieve::new),
        case("bodies-map", Each::new),
        case("bodies-reduce", Pairs::new),
        case("sum-10M", Sum::new),
        case("life-plain-cells", || Life::new(Walk::Cells, 40)),
        case("life-plain-rows", || Life::new(Walk::Rows, 40)),
        case("life-bridged-cells", || Life::new(Walk::BridgedCells, 4)),
        case("life-bridged-rows", || Life::new(Walk::BridgedRows, 40)),
        paced("life-paced", HEIGHT, Walk::Cells),
        paced("life-paced-small", 32, Walk::Cells),
        paced("life-paced-bridged", 78, Walk::BridgedCells),
        case("par-iter-1000", Items::new),
        case("scope-100", Scopes::new),
    ]
    .into_iter()
    .flatten()
    .collect()
}
