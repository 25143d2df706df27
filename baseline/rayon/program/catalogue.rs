//! All workloads by name.

use crate::bodies::{Each, Pairs};
use crate::entry::Entry;
use crate::factorial::{self, Factorial};
use crate::fib::Fib;
use crate::find::{self, Find, Wanted};
use crate::idle::{self, Call};
use crate::increment::{Increment, Split};
use crate::life::{HEIGHT, Life, Walk};
use crate::map_collect::{self, List, Maps};
use crate::matrix::Product;
use crate::merge_sort::MergeSort;
use crate::paced;
use crate::quick_sort::QuickSort;
use crate::salesman::Salesman;
use crate::sampling::{Case, sample};
use crate::sieve::Sieve;
use crate::small::{Items, Scopes, Trees};
use crate::sorting::{Sorting, Stable, Unstable};
use crate::sum::Sum;
use crate::tree::{self, Nodes, Order};
use crate::triples::{self, Triples};
use crate::vec_collect::{self, Vectors};
use crate::words::{End, Words};
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

fn idle(name: &str, call: Call) -> [Workload; 2] {
    entries(name, move |options, entry| idle::run(options, entry, call))
}

fn searches() -> Vec<[Workload; 2]> {
    use find::Way::{Any, First, Position};
    let find = |name, way, wanted| case(name, move || Find::new(way, wanted));
    vec![
        find("find-front", Any, Wanted::Front),
        find("find-middle", Any, Wanted::Middle),
        find("find-end", Any, Wanted::End),
        find("find-none", Any, Wanted::Nothing),
        find("find-common", Any, Wanted::Common),
        find("find-first-common", First, Wanted::Common),
        find("find-first-none", First, Wanted::Nothing),
        find("position-middle", Position, Wanted::Middle),
        find("position-none", Position, Wanted::Nothing),
    ]
}

fn increments() -> Vec<[Workload; 2]> {
    let increment = |name, split| case(name, move || Increment::new(split));
    vec![
        increment("increment", Split::Own),
        increment("increment-min-1024", Split::AtLeast(1024)),
        increment("increment-whole", Split::AtLeast(usize::MAX)),
        increment("increment-max-100", Split::AtMost(100)),
        increment("increment-max-1", Split::AtMost(1)),
        increment("increment-joins", Split::Joins),
        increment("increment-joins-10", Split::Levels(10)),
    ]
}

fn collections() -> Vec<[Workload; 2]> {
    use map_collect::Way::{Collect, Fold, Lists, Mutex};
    let distinct = |name, way| case(name, move || Maps::distinct(way));
    let few = |name, way| case(name, move || Maps::few(way));
    let vector = |name, way, count| case(name, move || Vectors::new(way, count));
    vec![
        distinct("map-collect", Collect),
        distinct("map-mutex", Mutex),
        distinct("map-fold", Fold),
        distinct("map-lists", Lists),
        few("map-few-collect", Collect),
        few("map-few-mutex", Mutex),
        few("map-few-fold", Fold),
        case("list-collect", List::new),
        vector("vec-indexed-1k", vec_collect::Way::Indexed, 1000),
        vector("vec-indexed-100k", vec_collect::Way::Indexed, 100_000),
        vector("vec-indexed-1M", vec_collect::Way::Indexed, 1_000_000),
        vector("vec-reused-1M", vec_collect::Way::Reused, 1_000_000),
        vector("vec-filtered-1k", vec_collect::Way::Filtered, 1000),
        vector("vec-filtered-100k", vec_collect::Way::Filtered, 100_000),
        vector("vec-filtered-1M", vec_collect::Way::Filtered, 1_000_000),
        vector("vec-lists-1M", vec_collect::Way::Lists, 1_000_000),
    ]
}

fn walks() -> Vec<[Workload; 2]> {
    use triples::Walk::{Both, BothSingly, Inner, Outer, OuterSingly};
    let triples = |name, walk| case(name, move || Triples::new(walk));
    let words = |name, end| case(name, move || Words::new(end));
    vec![
        triples("triples-outer", Outer),
        triples("triples-inner", Inner),
        triples("triples-both", Both),
        triples("triples-outer-max-1", OuterSingly),
        triples("triples-both-max-1", BothSingly),
        words("words-whitespace", End::WhiteSpace),
        words("words-space", End::Space),
        words("words-closure", End::Closure),
        case("tree-prefix", || Nodes::new(Order::Prefix)),
        case("tree-postfix", || Nodes::new(Order::Postfix)),
        case("tree-sum", tree::Sum::new),
    ]
}

fn usual() -> Vec<[Workload; 2]> {
    vec![
        case("merge-sort", || Sorting::new(MergeSort::default())),
        case("quick-sort", || Sorting::new(QuickSort)),
        case("par-sort", || Sorting::new(Stable)),
        case("par-sort-unstable", || Sorting::new(Unstable)),
        case("fib", Fib::new),
        case("matrix", Product::new),
        case("factorial-join", || Factorial::new(factorial::Way::Join)),
        case("factorial-reduce", || {
            Factorial::new(factorial::Way::Reduce)
        }),
        case("factorial-fold", || Factorial::new(factorial::Way::Fold)),
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
        case("scope-tree", Trees::new),
        idle("idle-spawn", Call::Spawn),
        idle("idle-join", Call::Join),
        idle("idle-scope", Call::Scope),
    ]
}

/// Every workload.
pub fn all() -> Vec<Workload> {
    let families = [usual(), searches(), increments(), collections(), walks()];
    families.into_iter().flatten().flatten().collect()
}
