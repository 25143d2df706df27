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
    vec![sorts(), recursion(), iteration(), life(), paced(), small()]
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
        "A join at every call of Fibonacci 30; a product of two matrices of 512 by 512, by quadrants \
         down to 16; the shortest tour of 20 cities, the most promising start first, a job of a \
         scope each. Reference: the same without the pool.",
        &[
            ("fib", SERIAL, AS_STOCK),
            ("matrix", SERIAL, AS_STOCK),
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
                32 rows, `bridged` one of 78 rows, the 40,000 cells of rayon's own demo. `cpu` is CPU seconds of the whole process a second, sleep and all. \
                Reference: the same frames on the main thread.",
        workloads: ["life-paced", "life-paced-small", "life-paced-bridged"]
            .into_iter()
            .flat_map(entries)
            .map(|name| workload(name, rows.clone()))
            .collect(),
    }
}

fn small() -> Family {
    family(
        "small things, a thousand times",
        "A thousand items of 1 ns; a scope of a hundred jobs that do nothing. Reference: a serial \
         loop.",
        &[
            ("par-iter-1000", SERIAL, AS_STOCK),
            ("scope-100", Reference::None, AS_STOCK),
        ],
    )
}
