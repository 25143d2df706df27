//! What would more threads give? A recorded frame, run again on paper.

use super::model::{Model, Stage};
use super::trace::Trace;
use std::cmp::Reverse;
use std::time::Duration;

/// The numbers of threads that a forecast is made for.
const THREADS: [usize; 13] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40, 48, 64];
/// How many systems a forecast proposes to change.
const PROPOSALS: usize = 3;

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
    /// What it would take with any number of threads.
    pub span: Duration,
    /// What the main thread does alone.
    pub main_thread: Duration,
    /// For so many threads: how long it would take, and what keeps it from being less.
    pub times: Vec<(usize, Duration, Limit)>,
    /// The systems to change first, the best first.
    pub gains: Vec<Gain>,
}

fn nanos(time: f64) -> Duration {
    Duration::from_nanos(time.max(0.0) as u64)
}

impl Trace {
    /// What more or fewer threads would have made of the frame of that number; none if it isn't
    /// there. Loops inside of systems count as parallel where other threads took part of them.
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
        let now = model.time(self.threads);
        let name = |system| self.order.name(system).unwrap_or("a system").to_owned();
        let mut gains = Vec::new();
        for (stage, of) in model.stages.iter().enumerate() {
            for (task, system) in of.tasks.iter().enumerate() {
                let mut split = model.clone();
                let changed = &mut split.stages[stage].tasks[task];
                changed.shared += std::mem::take(&mut changed.serial);
                gains.push((now - split.time(self.threads), system.system, None));
                for other in system.conflicts.iter().filter(|other| **other > task) {
                    let mut free = model.clone();
                    let tasks = &mut free.stages[stage].tasks;
                    tasks[task].conflicts.retain(|place| place != other);
                    tasks[*other].conflicts.retain(|place| *place != task);
                    let with = of.tasks[*other].system;
                    gains.push((now - free.time(self.threads), system.system, Some(with)));
                }
            }
        }
        gains.retain(|(gain, ..)| *gain >= 1.0);
        gains.sort_by_key(|(gain, ..)| Reverse(*gain as u64));
        let gain = |(gain, system, with): (f64, u64, Option<u64>)| Gain {
            system: name(system),
            without_conflict: with.map(name),
            gain: nanos(gain),
        };
        gains.into_iter().take(PROPOSALS).map(gain).collect()
    }
}

impl Model {
    /// All work.
    fn work(&self) -> f64 {
        self.main + self.stages.iter().map(Stage::alone).sum::<f64>()
    }

    /// What only the main thread does.
    fn serial(&self) -> f64 {
        self.main + self.stages.iter().map(|stage| stage.overhead).sum::<f64>()
    }

    /// How long the frame takes on so many threads.
    pub(super) fn time(&self, threads: usize) -> f64 {
        let stage = |stage: &Stage| {
            // As the executor does: the cheaper way.
            let alone = stage.alone();
            match threads {
                0 | 1 => alone,
                _ => alone.min(stage.beside(threads, self.spawn, self.hand_over)),
            }
        };
        self.main + self.stages.iter().map(stage).sum::<f64>()
    }
}

/// A task that runs.
struct Running {
    task: usize,
    serial: f64,
    shared: f64,
}

impl Running {
    /// How many threads it makes use of.
    fn width(&self, free: usize) -> usize {
        if self.serial > 0.0 { 1 } else { 1 + free }
    }
}

impl Stage {
    /// What it takes on one thread.
    fn alone(&self) -> f64 {
        let tasks = self.tasks.iter().map(|task| task.serial + task.shared);
        self.overhead + tasks.sum::<f64>()
    }

    /// What it takes on so many, if each task costs `spawn` more, and one that isn't the first on
    /// its thread begins `hand_over` later.
    fn beside(&self, threads: usize, spawn: f64, hand_over: f64) -> f64 {
        let mut over = vec![false; self.tasks.len()];
        let mut begun = over.clone();
        let mut running: Vec<Running> = Vec::new();
        let mut time = self.overhead;
        loop {
            self.begin(&mut running, &mut begun, &over, threads, (spawn, hand_over));
            if running.is_empty() {
                return time;
            }
            // What is free goes to the first that can share.
            let mut free = threads.saturating_sub(running.len());
            let mut widths = Vec::with_capacity(running.len());
            for task in &running {
                let width = task.width(free);
                free -= width - 1;
                widths.push(width as f64);
            }
            let left = |(task, width): (&Running, &f64)| match task.serial > 0.0 {
                true => task.serial,
                false => task.shared / width,
            };
            let step = running
                .iter()
                .zip(&widths)
                .map(left)
                .fold(f64::INFINITY, f64::min);
            time += step;
            for (task, width) in running.iter_mut().zip(&widths) {
                match task.serial > 0.0 {
                    true => task.serial = less(task.serial, step),
                    false => task.shared = less(task.shared, step * width),
                }
            }
            running.retain(|task| {
                let goes_on = task.serial > 0.0 || task.shared > 0.0;
                over[task.task] |= !goes_on;
                goes_on
            });
        }
    }

    /// Begins what may begin.
    fn begin(
        &self,
        running: &mut Vec<Running>,
        begun: &mut [bool],
        over: &[bool],
        threads: usize,
        (spawn, hand_over): (f64, f64),
    ) {
        for (place, task) in self.tasks.iter().enumerate() {
            let waits = begun[place]
                || running.len() >= threads
                // Those that come later in the schedule's own order can't be before it.
                || task.after.iter().any(|before| !over[*before] && *before != place)
                || running.iter().any(|other| task.conflicts.contains(&other.task));
            if waits {
                continue;
            }
            begun[place] = true;
            let late = if running.is_empty() { 0.0 } else { hand_over };
            running.push(Running {
                task: place,
                serial: task.serial + spawn + late,
                shared: task.shared,
            });
        }
    }
}

/// What is left, where less than a thousandth of a nanosecond is nothing.
fn less(left: f64, done: f64) -> f64 {
    let left = left - done;
    if left < 1e-3 { 0.0 } else { left }
}

#[cfg(test)]
mod tests {
    use super::super::model::Task;
    use super::*;

    fn task(serial: f64, shared: f64, after: &[usize], conflicts: &[usize]) -> Task {
        Task {
            system: 1 << 32,
            serial,
            shared,
            after: after.to_vec(),
            conflicts: conflicts.to_vec(),
        }
    }

    fn model(tasks: Vec<Task>) -> Model {
        let stage = Stage {
            tasks,
            overhead: 0.0,
        };
        Model {
            main: 100.0,
            stages: vec![stage],
            spawn: 0.0,
            hand_over: 0.0,
        }
    }

    #[test]
    fn independent_tasks_divide_and_chains_do_not() {
        let free = model((0..4).map(|_| task(300.0, 0.0, &[], &[])).collect());
        assert_eq!(
            [1, 2, 4, 64].map(|n| free.time(n)),
            [1300.0, 700.0, 400.0, 400.0]
        );
        let chain = (0..4).map(|i| {
            let before: Vec<usize> = (0..i).collect();
            task(300.0, 0.0, &before, &[])
        });
        assert_eq!(model(chain.collect()).time(64), 1300.0);
    }

    #[test]
    fn conflicts_keep_tasks_apart_and_shared_work_fills_what_is_free() {
        let apart = model(vec![
            task(300.0, 0.0, &[], &[1]),
            task(300.0, 0.0, &[], &[0]),
        ]);
        assert_eq!(apart.time(8), 700.0);
        let wide = model(vec![task(100.0, 800.0, &[], &[])]);
        assert_eq!([1, 2, 8].map(|n| wide.time(n)), [1000.0, 600.0, 300.0]);
    }

    #[test]
    fn what_is_dear_to_hand_over_stays_on_one_thread() {
        let mut small = model((0..4).map(|_| task(10.0, 0.0, &[], &[])).collect());
        small.spawn = 50.0;
        assert_eq!(small.time(8), 140.0);
    }

    #[test]
    fn a_circle_of_tasks_ends() {
        let circle = model(vec![task(10.0, 0.0, &[1], &[]), task(10.0, 0.0, &[0], &[])]);
        assert!(circle.time(2) >= 100.0);
    }
}
