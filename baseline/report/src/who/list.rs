//! Who they are.

/// Where a contender's program comes from.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// This program itself, with a package of that name.
    Rust {
        /// The package; none for what is no package.
        package: Option<&'static str>,
    },
    /// A file of `rivals/`, with these flags.
    Cpp {
        /// The file.
        source: &'static str,
        /// The compiler's flags behind it.
        flags: &'static [&'static str],
        /// The folder in `RIVALS` and the folder in there that is searched for headers.
        checkout: Option<(&'static str, &'static str)>,
    },
    /// The program that counts allocations, with the way that it is given.
    Callbacks,
    /// The program that counts transfers of cache lines, with the operation that it is given.
    Transfers,
    /// `rivals/go`, by its compiler.
    Go,
    /// `rivals/java`, by its compiler.
    Java,
    /// `rivals/workers.rb`, with the first word that it is given.
    Ruby {
        /// Which of its three kinds of workers.
        workers: &'static str,
    },
}

/// One who runs the workloads.
#[derive(Clone, Copy, Debug)]
pub struct Contender {
    /// The name in tables and plots.
    pub name: &'static str,
    /// Where its program comes from.
    pub kind: Kind,
    /// How to get it where it is missing.
    pub get: &'static str,
}

/// This project's pool.
pub const OURS: &str = "ours";
/// The same work on one thread, without a pool.
pub const SERIAL: &str = "serial";

const CARGO: &str = "cargo fetches it";

const fn rust(name: &'static str, package: Option<&'static str>) -> Contender {
    Contender {
        name,
        kind: Kind::Rust { package },
        get: CARGO,
    }
}

const fn ruby(name: &'static str, workers: &'static str) -> Contender {
    Contender {
        name,
        kind: Kind::Ruby { workers },
        get: "apt-get install ruby",
    }
}

const fn callback(way: &'static str) -> Contender {
    Contender {
        name: way,
        kind: Kind::Callbacks,
        get: CARGO,
    }
}

const fn transfers(operation: &'static str) -> Contender {
    Contender {
        name: operation,
        kind: Kind::Transfers,
        get: CARGO,
    }
}

/// Everyone.
pub const ALL: &[Contender] = &[
    rust(SERIAL, None),
    rust(OURS, Some("heartbeat_pool")),
    rust("rayon", Some("rayon")),
    rust("chili", Some("chili")),
    rust("forte", Some("forte")),
    rust("bevy_tasks", Some("bevy_tasks")),
    rust("async-executor", Some("async-executor")),
    rust("smol", Some("smol")),
    rust("tokio", Some("tokio")),
    rust("threads", None),
    rust("processes", None),
    callback("plain function"),
    callback("generic"),
    callback("boxed"),
    callback("enum"),
    callback("on the stack"),
    callback("reused box"),
    transfers("thousand forks"),
    transfers("steal"),
    transfers("measured join"),
    transfers("scoped job"),
    transfers("spawn"),
    transfers("spawn from outside"),
    transfers("wake"),
    transfers("system"),
    Contender {
        name: "oneTBB",
        kind: Kind::Cpp {
            source: "tbb.cpp",
            flags: &["-ltbb"],
            checkout: None,
        },
        get: "apt-get install g++ libtbb-dev",
    },
    Contender {
        name: "OpenMP",
        kind: Kind::Cpp {
            source: "openmp.cpp",
            flags: &["-fopenmp"],
            checkout: None,
        },
        get: "apt-get install g++",
    },
    Contender {
        name: "Taskflow",
        kind: Kind::Cpp {
            source: "taskflow.cpp",
            flags: &[],
            checkout: Some(("taskflow", ".")),
        },
        get: "apt-get install g++; RIVALS=DIR with a checkout of github.com/taskflow/taskflow as \
              DIR/taskflow",
    },
    Contender {
        name: "libfork",
        kind: Kind::Cpp {
            source: "libfork.cpp",
            flags: &[],
            checkout: Some(("libfork", "include")),
        },
        get: "apt-get install g++; RIVALS=DIR with a checkout of github.com/ConorWilliams/libfork \
              as DIR/libfork",
    },
    Contender {
        name: "TooManyCooks",
        kind: Kind::Cpp {
            source: "toomanycooks.cpp",
            flags: &[],
            checkout: Some(("TooManyCooks", "include")),
        },
        get: "apt-get install g++; RIVALS=DIR with a checkout of github.com/tzcnt/TooManyCooks as \
              DIR/TooManyCooks",
    },
    Contender {
        name: "citor",
        kind: Kind::Cpp {
            source: "citor.cpp",
            flags: &[],
            checkout: Some(("citor", "include")),
        },
        get: "apt-get install g++; RIVALS=DIR with a checkout of github.com/Lallapallooza/citor as \
              DIR/citor",
    },
    Contender {
        name: "Go",
        kind: Kind::Go,
        get: "apt-get install golang-go",
    },
    Contender {
        name: "Java",
        kind: Kind::Java,
        get: "apt-get install default-jdk-headless",
    },
    ruby("Ruby threads", "threads"),
    ruby("Ruby processes", "processes"),
    ruby("Ruby fibers", "fibers"),
];

/// Who has that name.
#[must_use]
pub fn contender(name: &str) -> Option<&'static Contender> {
    ALL.iter().find(|contender| contender.name == name)
}
