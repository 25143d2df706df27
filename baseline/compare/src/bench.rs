//! What every workload needs to run: the plan, the pools, the machine's own figures.

use crate::lineup::{self, Lineup};
use crate::options::Options;
use paired::Session;
use std::cell::{Cell, OnceCell};
use std::time::Duration;
use suite::{
    Job, Outcome, Plan, Spinner, Watchdog, compare, free_threads, seconds, wake_up_latency,
};

/// Ticks of the progress bar a workload.
pub const TICKS: u64 = 100;
/// No sample takes this long, except on a pool that hangs.
const HANGS: Duration = Duration::from_secs(120);

/// A run's settings and pools.
pub struct Bench {
    /// The command line.
    pub options: Options,
    /// How much is measured.
    pub plan: Plan,
    /// Where it is told what is going on.
    pub session: Session,
    /// Turns times into work.
    pub spinner: Spinner,
    /// The system's own time to wake a thread, in seconds.
    pub wake_up: f64,
    watchdog: Watchdog,
    /// Where the bar stood when the present workload began.
    begun: Cell<u64>,
    pools: OnceCell<Lineup>,
    singles: OnceCell<Lineup>,
}

impl Bench {
    /// Gets ready.
    #[must_use]
    pub fn new(options: Options, session: Session) -> Self {
        let mut plan = Plan {
            rounds: 21,
            sample: Duration::from_millis(4),
            budget: Duration::from_secs(6),
            once: false,
        };
        if options.common.quick {
            plan.rounds = 9;
            plan.sample = Duration::from_millis(2);
            plan.budget = Duration::from_secs(1);
        }
        if let Some(rounds) = options.common.rounds {
            plan.rounds = rounds;
        }
        Self {
            options,
            session,
            plan,
            spinner: Spinner::calibrate(),
            wake_up: wake_up_latency(),
            watchdog: Watchdog::start(HANGS),
            begun: Cell::new(0),
            pools: OnceCell::new(),
            singles: OnceCell::new(),
        }
    }

    /// The contenders with as many threads as the command line says.
    pub fn pools(&self) -> &Lineup {
        self.pools.get_or_init(|| self.lineup(self.options.threads))
    }

    /// The contenders with one thread each.
    pub fn singles(&self) -> &Lineup {
        self.singles.get_or_init(|| self.lineup(1))
    }

    /// The wanted contenders with that many threads.
    #[must_use]
    pub fn lineup(&self, threads: usize) -> Lineup {
        Lineup::new(threads, |name| self.options.wants_pool(name))
    }

    /// What holds for all tables.
    #[must_use]
    pub fn facts(&self) -> [(&'static str, String); 4] {
        let versions = lineup::versions().map(|(name, version)| format!("{name} {version}"));
        let rounds = format!("up to {}, medians are shown", self.plan.rounds);
        [
            ("rivals", versions.join(", ")),
            ("running threads a pool", self.options.threads.to_string()),
            ("rounds", rounds),
            ("the system wakes a thread in", seconds(self.wake_up)),
        ]
    }

    /// How much of the machine is there for the pools: other programs come and go.
    #[must_use]
    pub fn free_threads(&self) -> String {
        free_threads(self.options.threads, self.spinner)
    }

    /// Samples a job on a lineup, by the plan.
    pub fn sample(&self, name: &str, lineup: &Lineup, job: &mut dyn Job) -> Outcome {
        self.sample_by(self.plan, name, lineup, job)
    }

    /// Samples a job on a lineup, by a plan of its own.
    pub fn sample_by(&self, plan: Plan, name: &str, lineup: &Lineup, job: &mut dyn Job) -> Outcome {
        compare(plan, &self.watchdog, name, lineup.iter(), job, |share| {
            self.advance(share);
        })
    }

    /// Shows which share of the present workload is done.
    pub fn advance(&self, share: f64) {
        let ticks = (share * TICKS as f64) as u64;
        let position = self.begun.get() + ticks.min(TICKS);
        self.session.progress.set_position(position);
    }

    /// Calls `f`, and ends the process if that hangs.
    pub fn watch<R>(&self, what: &str, f: impl FnOnce() -> R) -> R {
        self.watchdog.watch(|| what.to_owned(), f)
    }

    /// Shows which workload is next, the `index`th.
    pub fn begin(&self, index: usize, name: &str) {
        self.begun.set(index as u64 * TICKS);
        self.advance(0.0);
        self.session.progress.set_message(name.to_owned());
    }
}
