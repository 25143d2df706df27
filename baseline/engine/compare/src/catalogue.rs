//! The workloads by family, and what each is to reach.

use paired::{Family, Reference, Row, Target, workload};

const SINGLE: Reference = Reference::Metric("single-threaded");
const SERIAL: Reference = Reference::Metric("serial");

/// Every family.
#[must_use]
pub fn all() -> Vec<Family> {
    vec![
        empty(),
        spread(),
        par_iter(),
        tuned(),
        components(),
        scopes(),
        tasks(),
        jobs(),
        background(),
        loading(),
        neighbours(),
        small(),
        growth(),
    ]
}

fn empty() -> Family {
    let target = Target::TimesReference(1.15);
    let of = |systems| {
        let row = Row::time("update", SINGLE, target);
        workload(format!("empty-{systems}"), [row])
    };
    Family {
        name: "empty systems",
        about: "A frame of so many systems that do nothing. Reference: the single-threaded executor.",
        workloads: [1, 10, 100, 1000].map(of).into(),
    }
}

fn spread() -> Family {
    let workloads = [
        ("wide-32-1us", 0.9),
        ("wide-32-20us", 0.62),
        ("wide-32-200us", 0.53),
        ("chain-8-1us", 0.4),
    ];
    let of = |(name, most)| {
        let row = Row::time("update", SINGLE, Target::TimesStock(most));
        workload(name, [row])
    };
    Family {
        name: "systems that compute",
        about: "A frame of 32 independent systems, or of eight in a chain. Reference: the \
                single-threaded executor.",
        workloads: workloads.map(of).into(),
    }
}

fn par_iter() -> Family {
    let many = Target::TimesBetter(1.05);
    let workloads = [
        ("par-iter-100", Target::TimesReference(1.1)),
        ("par-iter-1000", Target::AboveReference(0.6e-6)),
        ("par-iter-10k", many),
        ("par-iter-100k", many),
        ("par-iter-1M", many),
        ("par-iter-1M-100ns", Target::TimesStock(0.53)),
    ];
    let of = |(name, target)| workload(name, [Row::time("par-iter", SERIAL, target)]);
    Family {
        name: "par_iter_mut",
        about: "So many entities of 1 ns, or of 100 ns, with the default batches, from the main \
                thread. Reference: a serial loop. A hundred take it a tenth of a microsecond, and \
                what is above that is the call into the pool.",
        workloads: workloads.map(of).into(),
    }
}

fn tuned() -> Family {
    let reference = Reference::BestOf("fixed-");
    let of = |shape| {
        let row = Row::time("default", reference, Target::TimesReference(1.1));
        workload(format!("par-iter-tuned-{shape}"), [row])
    };
    Family {
        name: "default batches and tuned ones",
        about: "100,000 entities: 30 ns each; in proportion to the square of their place; 50 in a \
                row a thousand times dearer than the rest; 1 ns each. Reference: the best of the \
                fixed batch sizes 64, 256, ... 65,536.",
        workloads: ["uniform", "skewed", "spiky", "tiny"].map(of).into(),
    }
}

fn components() -> Family {
    let reference = Target::TimesReference(1.1);
    let of = |(name, target)| workload(name, [Row::time("par-iter", SERIAL, target)]);
    let workloads = [
        ("components-2", reference),
        ("components-4", reference),
        ("components-10", reference),
        ("components-kinds-10", reference),
        ("components-kinds-100", reference),
        ("components-kinds-1000", reference),
        ("components-heavy", Target::TimesStock(0.53)),
    ];
    Family {
        name: "entities by components",
        about: "The cases of the engine's own benchmarks: 100,000 entities with 2, 4 and 10 \
                components, of which one half is added to the other; with 2, where 10, 100 and 1,000 \
                of them are of a kind each; 1,000 entities of 5 us. Reference: a serial loop.",
        workloads: workloads.map(of).into(),
    }
}

fn scopes() -> Family {
    let of = |tasks| {
        let row = Row::time("scope", Reference::None, Target::TimesStock(0.5));
        workload(format!("scope-{tasks}"), [row])
    };
    Family {
        name: "scopes",
        about: "A scope of so many tasks that do nothing, from the main thread.",
        workloads: [1, 10, 100, 1000].map(of).into(),
    }
}

fn tasks() -> Family {
    let of = |(tasks, most)| {
        let row = Row::time("spawn-await", Reference::None, Target::TimesStock(most));
        workload(format!("spawn-await-{tasks}"), [row])
    };
    Family {
        name: "tasks",
        about: "So many background tasks, spawned and awaited by the main thread.",
        workloads: [(1, 1.0), (100, 0.5), (10_000, 0.5)].map(of).into(),
    }
}

fn jobs() -> Family {
    let run = |count| {
        let by_hand = Reference::Metric("by-hand");
        let row = Row::time("jobs", by_hand, Target::TimesStock(1.1));
        workload(format!("jobs-{count}"), [row])
    };
    let access = |count| {
        let row = Row::time("access", Reference::None, Target::AtMost(2e-6));
        workload(format!("jobs-access-{count}"), [row])
    };
    let without = Reference::Metric("without");
    let waiting = Row::time("with", without, Target::TimesReference(1.1));
    let runs = [1, 100, 10_000].map(run);
    let waiting = workload("jobs-waiting-10000", [waiting]);
    Family {
        name: "jobs",
        about: "So many jobs, started in one frame and polled by a system until all have ended; with \
                stock, tasks that a system polls by hand (with this project, that is the reference). \
                `access`: what each access to the world adds to the frame, of so many jobs that ask \
                once a frame. `waiting`: a frame while so many jobs wait. Reference: without them.",
        workloads: runs
            .into_iter()
            .chain([1, 100].map(access))
            .chain([waiting])
            .collect(),
    }
}

fn background() -> Family {
    let time = |metric, reference, target| Row::time(metric, Reference::Metric(reference), target);
    let alone = |metric| Row::time(metric, Reference::None, Target::None);
    let paced = [
        alone("p50-without"),
        alone("p99-without"),
        time("p50-with", "p50-without", Target::TimesReference(1.2)),
        time("p99-with", "p99-without", Target::TimesReference(1.6)),
        Row::gain("background", Target::AtLeastTimesStock(1.0)),
    ];
    let busy = [
        alone("p50-without"),
        alone("p99-without"),
        time("p50-with", "p50-without", Target::None),
        time("p99-with", "p99-without", Target::TimesStock(0.3)),
        Row::gain("background-cores", Target::AtLeast(0.1)),
    ];
    Family {
        name: "frames beside background tasks",
        about: "Frames of 32 systems of 20 to 200 us, at 60 Hz and back to back, without and with \
                16 endless tasks that compute 5 ms and yield. `background` is their rounds a second. \
                Reference: the frames without.",
        workloads: vec![
            workload("frames-60hz-background", paced),
            workload("frames-busy-background", busy),
        ],
    }
}

fn loading() -> Family {
    let with = |metric, reference, target| Row::time(metric, Reference::Metric(reference), target);
    let rows = [
        Row::time("p99-without", Reference::None, Target::None),
        with("p50-with", "p50-without", Target::None),
        with("p99-with", "p99-without", Target::TimesReference(1.6)),
        Row::time("load", Reference::None, Target::TimesStock(1.05)),
    ];
    let rayon = [
        Row::time("p50-without", Reference::None, Target::TimesStock(1.05)),
        Row::time("p99-without", Reference::None, Target::None),
        with("p50-with", "p50-without", Target::TimesStock(1.05)),
        with("p99-with", "p99-without", Target::TimesStock(1.05)),
        Row::time("load", Reference::None, Target::TimesStock(1.05)),
        Row::number("threads", Target::None),
    ];
    Family {
        name: "frames while assets load",
        about: "The same frames at 60 Hz while 100 images decode; then with a system that changes and \
                sorts 100,000 numbers by rayon. `load` is the time of all images, `threads` the number \
                of the process's. Reference: the frames without.",
        workloads: vec![
            workload("frames-60hz-loading", rows),
            workload("frames-60hz-rayon", rayon),
        ],
    }
}

fn neighbours() -> Family {
    let rows = || {
        vec![
            Row::time("load", Reference::None, Target::TimesStock(1.5)),
            Row::time("lock-p99", Reference::None, Target::None),
            Row::time("lock-max", Reference::None, Target::TimesStock(2.0)),
            Row::gain("rounds", Target::None),
        ]
    };
    Family {
        name: "beside busy programs",
        about: "100 images of 1 ms on the io pool, and frames at 60 Hz that take a lock which a \
                background task holds for 0.2 ms of every 2.2, beside so many programs that loop. \
                `lock-max` is the longest wait for it in 8 s, `rounds` how often the task has held it.",
        workloads: [0, 2, 4]
            .map(|programs| workload(format!("neighbours-{programs}"), rows()))
            .into(),
    }
}

fn small() -> Family {
    let cpu = [
        Row::time(
            "cpu",
            Reference::Metric("cpu-single-threaded"),
            Target::TimesStock(0.5),
        ),
        Row::time(
            "p50",
            Reference::Metric("p50-single-threaded"),
            Target::None,
        ),
    ];
    let idle = [Row::number("switches", Target::AtMost(0.0))];
    Family {
        name: "what a small game costs",
        about: "CPU seconds of a frame of 32 systems of 2 us, at 60 Hz; how often all threads but \
                the main one went to sleep in 5 s without a frame (Linux). Reference: the \
                single-threaded executor.",
        workloads: vec![workload("cpu-60hz-small", cpu), workload("idle", idle)],
    }
}

fn growth() -> Family {
    const UPDATES: [&str; 4] = ["update-125", "update-250", "update-500", "update-1000"];
    const INITS: [&str; 4] = ["init-125", "init-250", "init-500", "init-1000"];
    let rows = || {
        let inits = INITS.map(|metric| {
            let reference = Reference::Metric(INITS[0]);
            Row::time(metric, reference, Target::TimesStock(1.1))
        });
        let updates = UPDATES.map(|metric| {
            // The first size is what the others are compared with.
            let target = if metric == UPDATES[0] {
                Target::None
            } else {
                Target::TimesReference(1.1)
            };
            Row::time(metric, Reference::Metric(UPDATES[0]), target)
        });
        inits.into_iter().chain(updates).collect::<Vec<_>>()
    };
    Family {
        name: "growth",
        about: "The time a system of an app of 125 to 1,000 small systems, half of them in pairs \
                that conflict: of the start up to the first frame's end, and of a frame. They lie in \
                `Update`, in 50 schedules that one system runs, or in five sub-apps. Reference: 125.",
        workloads: ["update", "schedules", "sub-apps"]
            .map(|place| workload(format!("growth-{place}"), rows()))
            .into(),
    }
}
