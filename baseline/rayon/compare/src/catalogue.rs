//! The workloads by family, and what each is to reach.

use paired::{Family, Reference, Row, Target, workload};

const SERIAL: Reference = Reference::Metric("serial");

/// What all but a few are held to.
const AS_STOCK: Target = Target::TimesStock(1.05);

/// What wastes a core on stock.
const HALF: Target = Target::TimesStock(0.5);

/// Every family.
#[must_use]
pub fn all() -> Vec<Family> {
    vec![
        sorts(),
        recursion(),
        iteration(),
        searches(),
        increments(),
        maps(),
        vectors(),
        walks(),
        life(),
        paced(),
        idle(),
        small(),
    ]
}

/// From the main thread and from inside of a pool.
fn entries(name: &str) -> [String; 2] {
    [name.to_owned(), format!("{name}-install")]
}

fn family(name: &'static str, about: &'static str, rows: &[(&str, Reference, Target)]) -> Family {
    let of = |&(name, reference, target): &(&str, Reference, Target)| {
        entries(name).map(|name| workload(name, [Row::time("time", reference, target)]))
    };
    Family {
        name,
        about,
        workloads: rows.iter().flat_map(of).collect(),
    }
}

fn sorts() -> Family {
    family(
        "sorts",
        "A million random numbers of 32 bits: by a recursive merge sort whose merges fork too, by a \
         recursive quick sort, by rayon's own two. Reference: the same recursion without forks; the \
         standard library's sorts.",
        &[
            ("merge-sort", SERIAL, AS_STOCK),
            ("quick-sort", SERIAL, AS_STOCK),
            ("par-sort", SERIAL, AS_STOCK),
            ("par-sort-unstable", SERIAL, AS_STOCK),
        ],
    )
}

fn recursion() -> Family {
    family(
        "recursion",
        "A join at every call of Fibonacci 30; a product of two matrices of 512 by 512, by \
         quadrants down to 16; the product of all numbers to 10,000, exact, by joins, by reduce \
         and by fold with reduce; the shortest tour of 20 cities, the most promising start first, \
         a job of a scope each. Reference: the same without the pool.",
        &[
            ("fib", SERIAL, AS_STOCK),
            ("matrix", SERIAL, AS_STOCK),
            ("factorial-join", SERIAL, AS_STOCK),
            ("factorial-reduce", SERIAL, AS_STOCK),
            ("factorial-fold", SERIAL, AS_STOCK),
            ("salesman", SERIAL, AS_STOCK),
        ],
    )
}

fn iteration() -> Family {
    family(
        "parallel iterators",
        "The primes below 20 million, by segments; the forces of a thousand bodies on each, and of \
         each pair by fold and reduce; a sum of ten million. Reference: the serial iterators.",
        &[
            ("sieve", SERIAL, AS_STOCK),
            ("bodies-map", SERIAL, AS_STOCK),
            ("bodies-reduce", SERIAL, AS_STOCK),
            ("sum-10M", SERIAL, AS_STOCK),
        ],
    )
}

fn searches() -> Family {
    family(
        "searches",
        "For a number among ten million that lies in front, two thirds in, at the end or nowhere, \
         by find_any and position_any, and among a million by find_first; `common` is one in a \
         thousand. What ends at once is searched for a thousand times. Reference: the serial \
         iterator's find and position.",
        &[
            ("find-front", SERIAL, AS_STOCK),
            ("find-middle", SERIAL, AS_STOCK),
            ("find-end", SERIAL, AS_STOCK),
            ("find-none", SERIAL, AS_STOCK),
            ("find-common", SERIAL, AS_STOCK),
            ("find-first-common", SERIAL, AS_STOCK),
            ("find-first-none", SERIAL, AS_STOCK),
            ("position-middle", SERIAL, AS_STOCK),
            ("position-none", SERIAL, AS_STOCK),
        ],
    )
}

fn increments() -> Family {
    family(
        "increments",
        "A hundred thousand numbers that are incremented, ten times: parts as the parallel \
         iterator splits them, of at least 1024, all in one, of at most 100 and of one; by a \
         recursion of joins down to one, and of ten levels. Reference: the serial iterator; the \
         same recursion.",
        &[
            ("increment", SERIAL, AS_STOCK),
            ("increment-min-1024", SERIAL, AS_STOCK),
            ("increment-whole", SERIAL, AS_STOCK),
            ("increment-max-100", SERIAL, AS_STOCK),
            ("increment-max-1", SERIAL, AS_STOCK),
            ("increment-joins", SERIAL, AS_STOCK),
            ("increment-joins-10", SERIAL, AS_STOCK),
        ],
    )
}

fn maps() -> Family {
    family(
        "maps and lists",
        "A hundred thousand pairs into a HashMap, all of whose keys are different, or ten \
         (`few`): by collect, one by one by way of a lock, by fold and reduce, by a list of \
         vectors; as many numbers into a LinkedList. Reference: the serial iterator's collect.",
        &[
            ("map-collect", SERIAL, AS_STOCK),
            ("map-mutex", SERIAL, AS_STOCK),
            ("map-fold", SERIAL, AS_STOCK),
            ("map-lists", SERIAL, AS_STOCK),
            ("map-few-collect", SERIAL, AS_STOCK),
            ("map-few-mutex", SERIAL, AS_STOCK),
            ("map-few-fold", SERIAL, AS_STOCK),
            ("list-collect", SERIAL, AS_STOCK),
        ],
    )
}

fn vectors() -> Family {
    family(
        "vectors",
        "Numbers into a Vec: of an iterator that knows its length, also in the space of the one \
         before; of what a filter leaves of it, also by a list of vectors. A thousand a hundred \
         times, a hundred thousand ten times, a million. Reference: the serial iterator's \
         collect.",
        &[
            ("vec-indexed-1k", SERIAL, AS_STOCK),
            ("vec-indexed-100k", SERIAL, AS_STOCK),
            ("vec-indexed-1M", SERIAL, AS_STOCK),
            ("vec-reused-1M", SERIAL, AS_STOCK),
            ("vec-filtered-1k", SERIAL, AS_STOCK),
            ("vec-filtered-100k", SERIAL, AS_STOCK),
            ("vec-filtered-1M", SERIAL, AS_STOCK),
            ("vec-lists-1M", SERIAL, AS_STOCK),
        ],
    )
}

fn walks() -> Family {
    family(
        "loops in loops, words, trees",
        "The 159,139 triangles of whole sides without a common divisor, a right angle and no side \
         over a million: the loop outside, inside or both parallel, `max-1` by single steps; the \
         words of a text of 300,000, between white space, spaces, or what a closure finds; the \
         nodes of a tree of a hundred thousand, in two orders, and their sum. Reference: the \
         serial loops, iterators and recursion.",
        &[
            ("triples-outer", SERIAL, AS_STOCK),
            ("triples-inner", SERIAL, AS_STOCK),
            ("triples-both", SERIAL, AS_STOCK),
            ("triples-outer-max-1", SERIAL, AS_STOCK),
            ("triples-both-max-1", SERIAL, AS_STOCK),
            ("words-whitespace", SERIAL, AS_STOCK),
            ("words-space", SERIAL, AS_STOCK),
            ("words-closure", SERIAL, AS_STOCK),
            ("tree-prefix", SERIAL, AS_STOCK),
            ("tree-postfix", SERIAL, AS_STOCK),
            ("tree-sum", SERIAL, AS_STOCK),
        ],
    )
}

fn life() -> Family {
    family(
        "the game of life",
        "Generations of 512 by 512 cells: by an indexed iterator, and by a serial one over a bridge; \
         cell by cell, and row by row. Reference: the serial iterators.",
        &[
            ("life-plain-cells", SERIAL, AS_STOCK),
            ("life-plain-rows", SERIAL, AS_STOCK),
            ("life-bridged-cells", SERIAL, HALF),
            ("life-bridged-rows", SERIAL, AS_STOCK),
        ],
    )
}

fn paced() -> Family {
    let cpu = Row {
        reference: Reference::Metric("cpu-serial"),
        ..Row::number("cpu", HALF)
    };
    let rows = [
        Row::time("frame", Reference::Metric("frame-serial"), AS_STOCK),
        Row::time("p99", Reference::Metric("p99-serial"), Target::None),
        cpu,
    ];
    Family {
        name: "the game of life at 60 Hz",
        about: "Such a generation a frame, cell by cell, then sleep till the next; `small` is one of \
                32 rows, `bridged` one of 78 rows, the 40,000 cells of rayon's own demo. `cpu` is \
                CPU seconds of the whole process a second, sleep and all. Reference: the same \
                frames on the main thread.",
        workloads: ["life-paced", "life-paced-small", "life-paced-bridged"]
            .into_iter()
            .flat_map(entries)
            .map(|name| workload(name, rows.clone()))
            .collect(),
    }
}

fn idle() -> Family {
    let rows = [
        Row::time("call", Reference::None, AS_STOCK),
        Row::time("p99", Reference::None, Target::None),
        Row::time("cpu-call", Reference::Metric("cpu-sleep"), AS_STOCK),
    ];
    Family {
        name: "hardly any work, at 60 Hz",
        about: "A spawned job that does nothing, a join of two or a scope of two a frame, then \
                sleep till the next. `cpu-call` is the CPU time of the whole process a frame, with \
                its sleep. Reference: the same sleep alone.",
        workloads: ["idle-spawn", "idle-join", "idle-scope"]
            .into_iter()
            .flat_map(entries)
            .map(|name| workload(name, rows.clone()))
            .collect(),
    }
}

fn small() -> Family {
    family(
        "small things, many times",
        "A thousand times a thousand items of 1 ns, and a scope of a hundred jobs that count \
         themselves; a hundred times a scope of 1,023 such jobs, which spawn two more each. \
         Reference: a serial loop.",
        &[
            ("par-iter-1000", SERIAL, AS_STOCK),
            ("scope-100", Reference::None, AS_STOCK),
            ("scope-tree", Reference::None, AS_STOCK),
        ],
    )
}
