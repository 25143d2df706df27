//! Programs that fork and join.

use super::{CPU, Metric, PEAK, Per, Shape, Source, TIME, Table, Threads, itself};

const RUNTIMES: Source = Source {
    title: "runtime_benchmarks: fork-join frameworks",
    about: "Published for C++ frameworks on 64 cores: skynet in 38 to 140 ms on libfork, \
            TooManyCooks and oneTBB, fib(40) in 108 to 434 ms, nqueens in 83 to 160 ms, \
            matmul(2048) in 45 to 252 ms; tokio, Go, .NET and others were announced as to come. \
            Of those in its table coros, concurrencpp, cppcoro, libcoro and HPX are not here: no \
            program has been written for them. libfork, TooManyCooks, citor, Java and tokio enter \
            their pool for every repetition, all others once for all of them: the smallest size of \
            each table shows what entering costs these five as well.",
};

const TREES: Source = Source {
    title: "chili and forte: the sum of a tree",
    about: "chili published 1.8 µs serially and 3.4 µs for 1,023 nodes, 94.4 and 13.6 ms for \
            16,777,215, and rayon 51 µs and 58 ms (eight cores); forte 1.24, 4.54 µs and 27.9, \
            5.91 ms. spice, in Zig, published 1.99 ns a node serially and 2.29 on one thread for \
            1,000 nodes; for 100 million 3.63, 3.93, and 0.36 on sixteen. Of the halves of a join \
            this project's pool runs `a` first, in the order of the program, where chili runs `b` \
            first: boxes built by a recursion lie in the order of the latter, nodes level by \
            level and slices in that of the former. `a` first is kept because a second half that \
            waits for something its first half does must come to its end; what either order costs \
            is in `docs/mechanisms.md`.",
};

const RAYS: Source = Source {
    title: "forte: a ray caster's hierarchy of boxes",
    about: "Published for scenes of obvhs: the build of the largest in 406 ms serially, 64 ms on rayon, 83 ms on forte \
            and 138 ms on chili. Scenes here are generated.",
};

const LIFE: Source = Source {
    title: "forte: the game of life at sixty frames a second",
    about: "Published as mean time and CPU use of rayon's demonstration: 33.28 ms and 8.5 % serially, 18.35 ms and \
            38.4 % on rayon, 29.68 ms and 7.7 % on forte.",
};

const RUST: &[&str] = &["serial", "ours", "rayon", "chili", "forte"];

const EVERYONE: &[&str] = &[
    "serial",
    "ours",
    "rayon",
    "chili",
    "forte",
    "oneTBB",
    "OpenMP",
    "Taskflow",
    "libfork",
    "TooManyCooks",
    "citor",
    "Go",
    "Java",
    "tokio",
];

/// Those whose work may borrow: all but the last.
const BORROWERS: &[&str] = match EVERYONE.split_last() {
    Some((_, others)) => others,
    None => &[],
};

const FORKS: &[&str] = &[
    "serial", "ours", "rayon", "chili", "forte", "oneTBB", "OpenMP", "Taskflow", "citor", "Go",
    "Java",
];

const A_FORK: Metric = Metric {
    per: Some(Per {
        label: "a fork",
        count: forks_of_fib,
    }),
    ..TIME
};

const A_LEAF: Metric = Metric {
    per: Some(Per {
        label: "a leaf",
        count: itself,
    }),
    ..TIME
};

const A_NODE: Metric = Metric {
    per: Some(Per {
        label: "a node",
        count: itself,
    }),
    ..TIME
};

const A_RAY: Metric = Metric {
    per: Some(Per {
        label: "a ray",
        count: rays,
    }),
    ..TIME
};

const A_TRIANGLE: Metric = Metric {
    per: Some(Per {
        label: "a triangle",
        count: itself,
    }),
    ..TIME
};

fn rays(_triangles: u64) -> f64 {
    crate::contend::RAYS.into()
}

fn fib(n: u64) -> f64 {
    crate::contend::fibonacci(n) as f64
}

/// How often the recursion forks: once less than the next number.
fn forks_of_fib(n: u64) -> f64 {
    (fib(n + 1) - 1.0).max(1.0)
}

fn skynet(leaves: u64) -> f64 {
    crate::contend::skynet_sum(leaves) as f64
}

fn queens(side: u64) -> f64 {
    crate::contend::queens_ways(side) as f64
}

fn matmul(side: u64) -> f64 {
    crate::contend::product_sum(side) as f64
}

/// The sum of the numbers of a perfect tree's nodes.
fn tree(nodes: u64) -> f64 {
    let nodes = (1_u64 << (nodes + 1).ilog2()) - 1;
    (nodes * (nodes + 1) / 2) as f64
}

const RUNTIME: Table = Table {
    name: "",
    source: &RUNTIMES,
    about: "",
    workload: "",
    size: "",
    quick: &[],
    full: &[],
    threads: Threads::OneAndAll,
    metrics: &[TIME, CPU, PEAK],
    by_size: &[],
    has_spread: false,
    shape: Shape::Bars,
    who: EVERYONE,
    most: &[],
    answer: itself,
    known: "",
};

const SUM: Table = Table {
    source: &TREES,
    size: "nodes",
    quick: &[1023, 32_767, 1_048_575],
    full: &[1023, 32_767, 1_048_575, 16_777_215],
    metrics: &[A_NODE, CPU, PEAK],
    shape: Shape::Lines,
    who: RUST,
    answer: tree,
    ..RUNTIME
};

const SCENE: Table = Table {
    size: "triangles",
    quick: &[1000, 100_000],
    full: &[1000, 30_000, 1_000_000],
    ..SUM
};

const P99: Metric = Metric {
    name: "p99",
    label: "p99",
    ..TIME
};

/// Those here.
pub const TABLES: &[Table] = &[
    Table {
        name: "fib",
        about: "Fibonacci numbers by a fork at every call: what a fork costs. tokio's fork is a task for one half and a \
                boxed future for the other, here and in the next two.",
        workload: "fib",
        size: "n",
        quick: &[15, 27],
        full: &[15, 27, 39],
        metrics: &[A_FORK, CPU, PEAK],
        // A fork of theirs is the dearest of all.
        most: &[("tokio", 27), ("OpenMP", 27), ("Go", 27), ("Java", 27)],
        answer: fib,
        known: "All contenders in Rust are one program, which takes 3.4 MiB serially. A pool of \
                theirs adds 0.4 to 0.7 MiB, this one 1.0 to 1.2. Where it was looked at, at two \
                threads with fib 39, this one had beside chili: of the program's own file 1,720 \
                KiB mapped in (chili: 1,400), of libc 1,384 (1,280); the threads' stacks and \
                other memory without a file 164 (68), the heap 100 (8). The programs in C++ have \
                a contender each. So it is in the next three tables.",
        ..RUNTIME
    },
    Table {
        name: "skynet",
        about: "A tree of tasks with ten children each; the leaves are numbered and added up. Rust's pools fork the ten by \
                halves, those of C++ that can spawn ten at once do so.",
        workload: "skynet",
        size: "leaves",
        quick: &[100, 1_000_000],
        full: &[100, 1_000_000, 100_000_000],
        metrics: &[A_LEAF, CPU, PEAK],
        most: &[
            ("tokio", 1_000_000),
            ("OpenMP", 1_000_000),
            ("Go", 1_000_000),
        ],
        answer: skynet,
        ..RUNTIME
    },
    Table {
        name: "nqueens",
        about: "In how many ways queens can stand on a board: a task for each safe place of each row.",
        workload: "nqueens",
        size: "queens",
        quick: &[6, 11],
        full: &[6, 11, 14],
        most: &[("tokio", 11), ("Go", 11), ("Java", 11)],
        answer: queens,
        known: "Six queens are two to three microseconds of work: the first boards' tasks are \
                too few for a second thread to come in time, and the rounds go both ways (0.86 \
                to 1.34 beside chili). So they do at fourteen on two threads (0.94 to 1.03 \
                beside forte).",
        ..RUNTIME
    },
    Table {
        name: "matmul",
        about: "A product of two matrices by quadrants, down to blocks of 32 by 32. All matrices lie quadrant by \
                quadrant, in every language, and no compiler is told of the machine's own instructions. tokio is not \
                here, for its tasks can't borrow.",
        workload: "matmul",
        size: "rows",
        quick: &[64, 512],
        full: &[64, 512, 2048],
        who: BORROWERS,
        answer: matmul,
        known: "All have the same block for a leaf, in Rust the very same function, so on one \
                thread nothing but that runs and the product's own sums: the pools in Rust, \
                OpenMP and citor are within 12 per cent of each other at 64 rows and within 5 at \
                512 and 2048. On two threads 64 rows are eight blocks, each of three \
                microseconds with its part of the sums: nobody's second thread comes in time for \
                them, and the best take as long as one. At 2048 the rounds beside rayon are 0.98 \
                to 1.19.",
        ..RUNTIME
    },
    Table {
        name: "tree",
        about: "The sum of a perfect binary tree whose nodes were allocated level by level: a fork at every node. Pools of \
                coroutines would need one a node, and are not here; bevy_tasks has no join. Java \
                and citor enter their pool for every repetition, all others once.",
        workload: "tree",
        full: &[1023, 32_767, 1_048_575, 16_777_215, 67_108_863],
        who: FORKS,
        most: &[
            ("OpenMP", 1_048_575),
            ("Go", 1_048_575),
            ("Java", 16_777_215),
        ],
        ..SUM
    },
    Table {
        name: "tree-mirrored",
        about: "The same tree walked from the other side: the right child first.",
        workload: "tree-mirrored",
        ..SUM
    },
    Table {
        name: "tree-boxed",
        about: "chili's own tree, whose children are boxed before their parent, walked with the left child first: \
                against the order in which its nodes lie.",
        workload: "tree-boxed",
        known: "A pool whose plain calls run the second half of a join first, as chili's do, walks such memory in \
                its order, backwards; one that keeps the order of the program does so in the next table. The order is kept here: \
                a second half that waits for what its first half does would hang otherwise (`docs/mechanisms.md` has both \
                orders' figures).",
        ..SUM
    },
    Table {
        name: "tree-boxed-mirrored",
        about: "The same walked with the right child first: straight through memory, backwards.",
        workload: "tree-boxed-mirrored",
        ..SUM
    },
    Table {
        name: "bvh-build",
        source: &RAYS,
        about: "The build of a hierarchy of boxes over small triangles, and its end: split in the \
                middle, both halves in parallel down to 32. bevy_tasks has no join, and is not \
                here.",
        workload: "bvh-build",
        metrics: &[A_TRIANGLE, CPU, PEAK],
        answer: itself,
        known: "The first split and the end are one thread's work. Were they a fifth of the \
                whole, two threads could take 0.2 + 0.8 / 2 = 0.60 of one's time; the best three \
                take 0.58 to 0.59 of the serial time at a million, as if they were about a \
                sixth. rayon has the same, so nobody can be a tenth ahead of it: that would be \
                0.53, where half is the least without any such part. On one thread all pools are \
                within 6 per cent of each other, and the rounds of those that are ahead go both \
                ways or to 1.00 (0.97 to 1.09).",
        ..SCENE
    },
    Table {
        name: "bvh-rays",
        source: &RAYS,
        about: "65,536 rays into such a scene, by halves down to 16; without bevy_tasks, as \
                before.",
        workload: "bvh-rays",
        metrics: &[A_RAY, CPU, PEAK],
        answer: itself,
        known: "Rays are serial work but for some forks: two threads take half as long in every \
                pool that forks often enough, and nobody can be a tenth ahead of half. The rows \
                that were lost are by rounds that go both ways (0.95 to 1.05).",
        ..SCENE
    },
    Table {
        name: "life-paced",
        source: &LIFE,
        about: "A generation of a board 512 cells wide a frame, sixty frames a second, by halves \
                down to a row: what a frame takes, and what CPU time a second of frames costs. \
                bevy_tasks has no join, and is not here.",
        workload: "life-paced",
        size: "rows",
        quick: &[64, 512],
        full: &[64, 512, 2048],
        threads: Threads::All,
        metrics: &[TIME, CPU, P99],
        by_size: &["cpu", "p99"],
        shape: Shape::Lines,
        who: RUST,
        answer: itself,
        known: "Sixty-four rows are a tenth of a millisecond: what is waited for is a thread that slept since the frame before. The \
                drop-in for rayon, which learns what kinds of calls cost, keeps such a frame on one thread; `join` doesn't.",
        ..RUNTIME
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_right() {
        assert_eq!([fib(0), fib(1), fib(10)], [0.0, 1.0, 55.0]);
        assert_eq!(forks_of_fib(5), 7.0);
        assert_eq!(tree(1023), 1023.0 * 512.0);
    }
}
