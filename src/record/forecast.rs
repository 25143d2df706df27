//! What would more threads give? A recorded frame, run again on paper.

use super::costs::Costs;
use super::model::{Model, Stage};
use super::simulate::Simulation;
use super::trace::Trace;
use std::cmp::Reverse;
use std::time::Duration;

/// The numbers of threads that a forecast is made for.
const THREADS: [usize; 13] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40, 48, 64];
/// How many systems a forecast proposes to change, and how many changes it tries for that.
const PROPOSALS: usize = 3;
const TRIED: usize = 64;

/// What keeps a frame from being shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The work, divided by the threads.
    Work,
    /// The longest chain of systems that wait for one another.
    CriticalPath,
    /// What the main thread does alone.
    MainThread,
}

/// What a change to one system would give.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gain {
    /// The system.
    pub system: String,
    /// The one that it no longer conflicts with; none where it is split into parallel parts.
    pub without_conflict: Option<String>,
    /// By how much the frame would be shorter, on as many threads as the pool has.
    pub gain: Duration,
}

/// How long a frame would take on other numbers of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forecast {
    /// All that was done, put one after the other.
    pub work: Duration,
    /// How long the frame would take with unlimited threads.
    pub span: Duration,
    /// What the main thread does alone.
    pub main_thread: Duration,
    /// For thirteen numbers of threads from 1 to 64: how long it would take, and what keeps it from
    /// being less.
    pub times: Vec<(usize, Duration, Limit)>,
    /// The systems to change first, three at most, the best first.
    pub gains: Vec<Gain>,
}

fn nanos(time: f64) -> Duration {
    Duration::from_nanos(time.max(0.0) as u64)
}

impl Trace {
    /// What more or fewer threads would have made of the frame of that number; none if it isn't
    /// there. Loops of queries count as parallel, and other work inside of systems where other
    /// threads took part of it. What handing work over costs is taken from the whole recording, as
    /// far as it shows that. On a busy machine frames differ: ask several.
    ///
    /// ```
    /// # use bevy_app::App;
    /// # use bevy_heartbeat::{HeartbeatPlugin, record::{FlightRecorder, Record}};
    /// # const LAST: Record = Record::LateFrames { over: std::time::Duration::MAX, keep: 8 };
    /// # let mut app = App::new();
    /// # app.add_plugins(HeartbeatPlugin { record: LAST, ..Default::default() });
    /// # (0..3).for_each(|_| app.update());
    /// let trace = app.world().resource::<FlightRecorder>().trace();
    /// let (number, _) = trace.frames().last().unwrap();
    /// let forecast = trace.forecast(number).unwrap();
    /// for (threads, time, limit) in &forecast.times {
    ///     println!("{threads} threads: {time:?}, because of {limit}");
    /// }
    /// ```
    #[must_use]
    pub fn forecast(&self, frame: u64) -> Option<Forecast> {
        let model = Model::new(self, self.frame(frame)?);
        let (work, main) = (model.work(), model.serial());
        let mut best = f64::INFINITY;
        // Some orders are worse on more threads, and nobody has to use all that there are.
        let times = THREADS.map(|threads| {
            best = best.min(model.time(threads));
            (threads, best)
        });
        let span = best.min(model.time(usize::MAX));
        let limit = |(threads, time): (usize, f64)| {
            let shared = work / threads as f64;
            let limit = match () {
                () if main >= span * 0.5 && main >= shared => Limit::MainThread,
                () if shared >= span => Limit::Work,
                () => Limit::CriticalPath,
            };
            (threads, nanos(time), limit)
        };
        Some(Forecast {
            work: nanos(work),
            span: nanos(span),
            main_thread: nanos(main),
            times: times.map(limit).to_vec(),
            gains: self.gains(&model),
        })
    }

    /// The changes that would give most.
    fn gains(&self, model: &Model) -> Vec<Gain> {
        let name = |system| self.system_name(system).to_owned();
        let mut gains = Vec::new();
        let now = model.time(self.threads);
        for change in changes(model).into_iter().take(TRIED) {
            // No change gives more than what it moves.
            if gains.len() >= PROPOSALS && change.most <= least(&gains) {
                break;
            }
            let gain = now - change.made(model).time(self.threads);
            if gain >= 1.0 {
                gains.push((gain, change));
            }
        }
        gains.sort_by_key(|(gain, _)| Reverse(*gain as u64));
        let gain = |(gain, change): (f64, Change)| {
            let system = |task: usize| name(model.stages[change.stage].tasks[task].system);
            Gain {
                system: system(change.task),
                without_conflict: change.other.map(system),
                gain: nanos(gain),
            }
        };
        gains.into_iter().take(PROPOSALS).map(gain).collect()
    }
}

/// A change to a schedule's system.
struct Change {
    stage: usize,
    task: usize,
    /// The one that it no longer conflicts with; none where it is split.
    other: Option<usize>,
    /// What it gives at most.
    most: f64,
}

/// All changes, those first that may give most.
fn changes(model: &Model) -> Vec<Change> {
    let mut changes = Vec::new();
    for (stage, of) in model.stages.iter().enumerate() {
        for (task, system) in of.tasks.iter().enumerate() {
            let mut add = |other, most| {
                changes.push(Change {
                    stage,
                    task,
                    other,
                    most,
                });
            };
            add(None, system.serial);
            for other in system.conflicts.iter().filter(|other| **other > task) {
                let both = [system, &of.tasks[*other]];
                if both.iter().all(|task| task.on_main) {
                    continue;
                }
                let both = both.map(|task| task.serial + task.shared);
                // What waits for the two may be moved as well, so much as they themselves.
                add(Some(*other), both.iter().sum());
            }
        }
    }
    changes.sort_by(|a, b| b.most.total_cmp(&a.most));
    changes
}

/// The least of the gains that would be proposed.
fn least(gains: &[(f64, Change)]) -> f64 {
    let mut gains: Vec<f64> = gains.iter().map(|(gain, _)| *gain).collect();
    gains.sort_by(|a, b| b.total_cmp(a));
    gains[PROPOSALS - 1]
}

impl Change {
    /// The frame with it.
    fn made(&self, model: &Model) -> Model {
        let mut model = model.clone();
        let tasks = &mut model.stages[self.stage].tasks;
        match self.other {
            None => {
                let task = &mut tasks[self.task];
                task.shared += std::mem::take(&mut task.serial);
            }
            Some(other) => {
                tasks[self.task].conflicts.retain(|place| *place != other);
                tasks[other].conflicts.retain(|place| *place != self.task);
            }
        }
        model
    }
}

impl Model {
    /// All work.
    fn work(&self) -> f64 {
        let stages = self.stages.iter();
        let own = stages.map(|stage| stage.overhead + stage.work().sum::<f64>());
        self.main + own.sum::<f64>()
    }

    /// What only the main thread does.
    fn serial(&self) -> f64 {
        let on_main = |stage: &Stage| {
            let tasks = stage.tasks.iter().filter(|task| task.on_main);
            stage.overhead + tasks.map(|task| task.serial).sum::<f64>()
        };
        self.main + self.stages.iter().map(on_main).sum::<f64>()
    }

    /// How long the frame takes on so many threads.
    pub(super) fn time(&self, threads: usize) -> f64 {
        self.main + self.time_of(&self.outer, threads)
    }

    /// How long the schedules at these places take, one after the other.
    fn time_of(&self, places: &[usize], threads: usize) -> f64 {
        let is_inner = places != self.outer;
        let time = |(nth, place): (usize, &usize)| {
            let mut costs = self.costs;
            if is_inner && nth > 0 {
                // They follow each other at once: a thread that helped in the one before is awake
                // still.
                costs.wake_up = costs.wake_up.min(2.0 * costs.steal);
            }
            let stage = &self.stages[*place];
            let inner = self.time_of(&stage.inner, threads);
            if stage.tasks.iter().all(|task| task.inner.is_empty()) {
                return inner + stage.time(threads, &costs);
            }
            let mut stage = stage.clone();
            for task in &mut stage.tasks {
                task.serial += self.time_of(&task.inner, threads);
            }
            inner + stage.time(threads, &costs)
        };
        places.iter().enumerate().map(time).sum()
    }
}

impl Stage {
    /// What its tasks take on one thread.
    fn work(&self) -> impl Iterator<Item = f64> {
        self.tasks.iter().map(|task| task.serial + task.shared)
    }

    /// What it takes on so many threads.
    fn time(&self, threads: usize, costs: &Costs) -> f64 {
        if threads < 2 {
            return self.overhead + self.work().sum::<f64>();
        }
        // As the executor does: the cheaper way.
        let beside = Simulation::new(self, costs, threads);
        let in_turn = Simulation::new(self, costs, threads).in_turn();
        beside.run().min(in_turn.run())
    }
}

#[cfg(test)]
#[path = "forecast_tests.rs"]
mod tests;
