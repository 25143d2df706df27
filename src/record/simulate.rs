//! A schedule's run on paper: what so many threads would make of its systems.
//!
//! It does as the engine's executor: what is ready and conflicts with nothing that was queued and
//! is not over is queued, and threads take it in that order; those who have none help in loops.

use super::costs::Costs;
use super::model::Stage;
use std::collections::VecDeque;

/// A thread that has had nothing to do for so long sleeps, in nanoseconds.
const AWAKE: f64 = 50_000.0;
/// Parts a thread that a loop is split into at most, and what each takes at least, in nanoseconds.
const PARTS: f64 = 16.0;
const PART: f64 = 5_000.0;

/// A task that runs, on one thread and those that help it.
struct Running {
    task: usize,
    serial: f64,
    shared: f64,
    /// Whether its loop was split already.
    split: bool,
    threads: usize,
    /// When those come that are on their way to it.
    coming: Vec<f64>,
}

/// A run under way.
pub(super) struct Simulation<'a> {
    stage: &'a Stage,
    costs: &'a Costs,
    threads: usize,
    /// Whether the main thread runs one system after the other, and others only help in loops.
    in_turn: bool,
    time: f64,
    /// What was not queued yet, and how many of others keep each from it.
    waiting: Vec<usize>,
    blockers: Vec<usize>,
    /// Those that each keeps from being queued until it is over, and while it is queued or runs.
    followers: Vec<Vec<usize>>,
    rivals: Vec<Vec<usize>>,
    queue: VecDeque<usize>,
    running: Vec<Running>,
    /// Since when each of the threads that are awake has had nothing to do, the last one last.
    idle: Vec<f64>,
    asleep: usize,
    /// How many were woken at this time.
    woken: usize,
}

impl<'a> Simulation<'a> {
    /// On so many threads, of which all but the main one sleep.
    pub(super) fn new(stage: &'a Stage, costs: &'a Costs, threads: usize) -> Self {
        let tasks = stage.tasks.len();
        let [mut followers, mut rivals] = [(); 2].map(|()| vec![Vec::new(); tasks]);
        for (place, task) in stage.tasks.iter().enumerate() {
            task.after.iter().for_each(|of| followers[*of].push(place));
            task.conflicts.iter().for_each(|of| rivals[*of].push(place));
        }
        // The main thread runs one after the other.
        let on_main = (0..tasks).filter(|place| stage.tasks[*place].on_main);
        let on_main: Vec<usize> = on_main.collect();
        for of in &on_main {
            rivals[*of].extend(on_main.iter().filter(|place| *place != of));
        }
        Self {
            stage,
            costs,
            threads,
            in_turn: false,
            time: stage.overhead,
            waiting: (0..tasks).collect(),
            blockers: stage.tasks.iter().map(|task| task.after.len()).collect(),
            followers,
            rivals,
            queue: VecDeque::new(),
            running: Vec::new(),
            idle: vec![0.0],
            asleep: threads - 1,
            woken: 0,
        }
    }

    /// The same as the engine's executor for one thread does it: nothing is queued.
    pub(super) fn in_turn(self) -> Self {
        Self {
            in_turn: true,
            ..self
        }
    }

    /// How long it takes.
    pub(super) fn run(mut self) -> f64 {
        self.admit();
        if !self.in_turn {
            // The main thread queues all that is ready before it begins with the first.
            self.time += self.queue.len() as f64 * self.costs.spawn;
        }
        self.idle[0] = self.time;
        loop {
            self.begin();
            if self.running.is_empty() {
                return self.time;
            }
            self.send_help();
            self.step();
        }
    }

    /// Queues what may run now.
    fn admit(&mut self) {
        let (queue, blockers) = (&mut self.queue, &mut self.blockers);
        let is_idle = self.running.is_empty();
        self.waiting.retain(|place| {
            let waits = blockers[*place] > 0 || self.in_turn && !(queue.is_empty() && is_idle);
            if !waits {
                queue.push_back(*place);
                self.rivals[*place].iter().for_each(|of| blockers[*of] += 1);
            }
            waits
        });
    }

    /// A thread that has nothing to do, and how long it takes to come; none if there is none.
    fn call(&mut self) -> Option<f64> {
        if let Some(since) = self.idle.pop() {
            return Some(match self.time - since {
                // It is through with something just now.
                idle if idle <= 0.0 => 0.0,
                idle if idle < AWAKE => self.costs.steal,
                _ => self.costs.wake_up,
            });
        }
        self.asleep = self.asleep.checked_sub(1)?;
        self.woken += 1;
        // A thread that is awake wakes others too.
        let rounds = usize::BITS - self.woken.leading_zeros();
        Some(self.costs.wake_up * f64::from(rounds))
    }

    /// Has threads take what is queued.
    fn begin(&mut self) {
        while !self.queue.is_empty()
            && let Some(late) = self.call()
            && let Some(place) = self.queue.pop_front()
        {
            let task = &self.stage.tasks[place];
            let begin = if self.in_turn {
                0.0
            } else {
                self.costs.next + late
            };
            self.running.push(Running {
                task: place,
                serial: task.serial + begin,
                shared: task.shared,
                split: false,
                threads: 1,
                coming: Vec::new(),
            });
        }
    }

    /// Has threads that have nothing else to do come to loops.
    fn send_help(&mut self) {
        for place in 0..self.running.len() {
            let task = &self.running[place];
            let mine = task.threads + task.coming.len();
            if task.serial > 0.0 || task.shared <= self.costs.steal * mine as f64 {
                continue;
            }
            // More could not be there before it is over.
            let most = (task.shared / PART) as usize;
            let mut coming = Vec::new();
            while mine + coming.len() < most
                && let Some(late) = self.call()
            {
                // A thread that has just run out of other work still has to find this.
                coming.push(self.time + late.max(self.costs.steal));
            }
            let task = &mut self.running[place];
            if !coming.is_empty() && !task.split {
                task.split = true;
                let parts = (PARTS * self.threads as f64).min(task.shared / PART);
                // A thread that is through waits at last for half a part that another one has.
                task.shared += parts * self.costs.fork + task.shared / parts / 2.0;
            }
            task.coming.extend(coming);
        }
    }

    /// Goes on to the next time at which something changes.
    fn step(&mut self) {
        let now = self.time;
        let changes = self.running.iter().map(|task| {
            let own = match task.serial > 0.0 {
                true => task.serial,
                false => task.shared / task.threads as f64,
            };
            let coming = task.coming.iter().map(|time| time - now);
            coming.fold(own, f64::min)
        });
        let step = changes.fold(f64::INFINITY, f64::min).max(0.0);
        self.time += step;
        for task in &mut self.running {
            match task.serial > 0.0 {
                true => task.serial = less(task.serial, step),
                false => task.shared = less(task.shared, step * task.threads as f64),
            }
            let before = task.coming.len();
            task.coming.retain(|time| *time > self.time + 1e-3);
            task.threads += before - task.coming.len();
        }
        self.end();
    }

    /// Ends what is through.
    fn end(&mut self) {
        self.woken = 0;
        let is_over = |task: &mut Running| task.serial <= 0.0 && task.shared <= 0.0;
        let over: Vec<Running> = self.running.extract_if(.., is_over).collect();
        for task in &over {
            let threads = task.threads + task.coming.len();
            self.idle.extend((0..threads).map(|_| self.time));
            let freed = self.followers[task.task].iter();
            for of in freed.chain(&self.rivals[task.task]) {
                self.blockers[*of] -= 1;
            }
        }
        if !over.is_empty() {
            self.admit();
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

    const FREE: Costs = Costs {
        spawn: 0.0,
        next: 0.0,
        fork: 0.0,
        steal: 0.0,
        wake_up: 0.0,
    };

    fn task(serial: f64, shared: f64, after: &[usize], conflicts: &[usize]) -> Task {
        Task {
            system: 1 << 32,
            serial,
            shared,
            after: after.to_vec(),
            conflicts: conflicts.to_vec(),
            on_main: false,
            inner: Vec::new(),
        }
    }

    fn time(tasks: &[Task], costs: Costs, threads: usize) -> f64 {
        let stage = Stage {
            tasks: tasks.to_vec(),
            overhead: 0.0,
            inner: Vec::new(),
        };
        Simulation::new(&stage, &costs, threads).run()
    }

    #[test]
    fn independent_tasks_divide_and_chains_do_not() {
        let free: Vec<_> = (0..4).map(|_| task(300.0, 0.0, &[], &[])).collect();
        let times = [2, 4, 64, usize::MAX].map(|n| time(&free, FREE, n));
        assert_eq!(times, [600.0, 300.0, 300.0, 300.0]);
        let chain = (0..4).map(|i| {
            let before: Vec<usize> = (0..i).collect();
            task(300.0, 0.0, &before, &[])
        });
        assert_eq!(time(&chain.collect::<Vec<_>>(), FREE, 64), 1200.0);
    }

    #[test]
    fn conflicts_keep_tasks_apart_and_shared_work_fills_what_is_free() {
        let apart = [task(300.0, 0.0, &[], &[1]), task(300.0, 0.0, &[], &[0])];
        assert_eq!(time(&apart, FREE, 8), 600.0);
        let wide = [task(1e5, 8e5, &[], &[])];
        let ends = [12_500.0 / 2.0, 3_125.0 / 8.0];
        let expected = [5e5 + ends[0], 2e5 + ends[1]];
        assert_eq!([2, 8].map(|n| time(&wide, FREE, n)), expected);
    }

    #[test]
    fn what_only_the_main_thread_may_run_comes_one_after_the_other() {
        let mut tasks: Vec<_> = (0..4).map(|_| task(300.0, 0.0, &[], &[])).collect();
        tasks[1..].iter_mut().for_each(|task| task.on_main = true);
        assert_eq!(time(&tasks, FREE, 8), 900.0);
    }

    #[test]
    fn each_hand_over_costs_what_it_costs() {
        let pair: Vec<_> = (0..2).map(|_| task(1e4, 0.0, &[], &[])).collect();
        let costs = Costs {
            spawn: 100.0,
            next: 50.0,
            wake_up: 3_000.0,
            ..FREE
        };
        // Both are queued, then the other thread wakes, and takes one.
        assert_eq!(time(&pair, costs, 2), 200.0 + 3_000.0 + 50.0 + 1e4);
        let loops = [task(0.0, 1e5, &[], &[])];
        // One thread alone until the other one comes; then both.
        let expected = 100.0 + 50.0 + 3_000.0 + (1e5 + 2_500.0 - 3_000.0) / 2.0;
        assert!((time(&loops, costs, 2) - expected).abs() < 1.0);
        // Twenty parts of five microseconds.
        let costs = Costs { fork: 10.0, ..FREE };
        assert_eq!(time(&loops, costs, 2), (1e5 + 2_500.0 + 20.0 * 10.0) / 2.0);
    }

    #[test]
    fn in_turn_only_loops_are_shared() {
        let costs = Costs {
            spawn: 100.0,
            next: 50.0,
            ..FREE
        };
        let tasks = [task(1e4, 0.0, &[], &[]), task(1e4, 1e5, &[], &[])];
        let stage = Stage {
            tasks: tasks.to_vec(),
            overhead: 7.0,
            inner: Vec::new(),
        };
        let time = Simulation::new(&stage, &costs, 2).in_turn().run();
        assert_eq!(time, 7.0 + 2e4 + (1e5 + 2_500.0) / 2.0);
    }

    #[test]
    fn a_circle_of_tasks_ends() {
        let circle = [task(10.0, 0.0, &[1], &[]), task(10.0, 0.0, &[0], &[])];
        assert_eq!(time(&circle, FREE, 2), 0.0);
    }
}
