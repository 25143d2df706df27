//! Programs of joins, scopes and spawned jobs that block on one another, in pools of two and three
//! threads, none of them spare: whoever takes the wrong piece of work next blocks for ever. Each of
//! them ends with rayon-core 1.13. Most were generated, and made smaller where they hung here.

mod common;
use common::{in_time, pool};
use rayon_core::{Scope, join, scope, spawn};
use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// One on each line: the number of threads, and what is done one after the other between brackets.
const PROGRAMS: &str = include_str!("blocking.txt");

/// Shared, for what is spawned may outlive its program's run.
type Steps = Arc<[Step]>;

/// `S1` sets flag 1, and `A1` awaits it.
enum Step {
    /// `W9`: works for 9 microseconds.
    Work(u64),
    /// `Z9`: sleeps for 9 microseconds.
    Sleep(u64),
    Set(usize),
    Await(usize),
    /// `J[..][..]`
    Join(Steps, Steps),
    /// `C[..]`
    Scope(Steps),
    /// `P[..]`: spawns on the innermost scope.
    SpawnThere(Steps),
    /// `D[..]`
    Spawn(Steps),
}

/// Takes the steps between brackets off the beginning of `text`.
fn parse(text: &mut &str) -> Steps {
    let mut steps = Vec::new();
    *text = text.strip_prefix('[').expect("an opening bracket");
    while !text.starts_with(']') {
        let kind = text.as_bytes()[0];
        *text = &text[1..];
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap();
        let number = text[..digits].parse().unwrap_or(0);
        *text = &text[digits..];
        steps.push(match kind {
            b'W' => Step::Work(number),
            b'Z' => Step::Sleep(number),
            b'S' => Step::Set(number as usize),
            b'A' => Step::Await(number as usize),
            b'J' => Step::Join(parse(text), parse(text)),
            b'C' => Step::Scope(parse(text)),
            b'P' => Step::SpawnThere(parse(text)),
            b'D' => Step::Spawn(parse(text)),
            _ => panic!("no step: {text}"),
        });
    }
    *text = &text[1..];
    steps.into()
}

/// One run of a program.
#[derive(Clone)]
struct Run {
    flags: Arc<[OnceLock<()>]>,
    /// The run is over once nobody has one.
    _over: Sender<()>,
}

impl Run {
    fn steps<'scope>(&self, steps: &[Step], inside: Option<&Scope<'scope>>) {
        for step in steps {
            match step {
                Step::Work(micros) => {
                    let start = Instant::now();
                    while start.elapsed() < Duration::from_micros(*micros) {}
                }
                Step::Sleep(micros) => thread::sleep(Duration::from_micros(*micros)),
                Step::Set(flag) => _ = self.flags[*flag].set(()),
                Step::Await(flag) => _ = self.flags[*flag].wait(),
                Step::Join(a, b) => {
                    join(|| self.steps(a, inside), || self.steps(b, inside));
                }
                Step::Scope(body) => scope(|s| self.steps(body, Some(s))),
                Step::SpawnThere(job) => {
                    let (run, job) = (self.clone(), job.clone());
                    let inside = inside.expect("a scope around it");
                    inside.spawn(move |s| run.steps(&job, Some(s)));
                }
                Step::Spawn(job) => {
                    let (run, job) = (self.clone(), job.clone());
                    spawn(move || run.steps(&job, None));
                }
            }
        }
    }
}

#[test]
fn each_ends() {
    for line in PROGRAMS.lines() {
        let (threads, mut text) = line.split_once(' ').expect("a number before each program");
        let threads = threads.parse().unwrap();
        let steps = parse(&mut text);
        eprintln!("{line}");
        in_time(move || {
            for _ in 0..5 {
                let pool = pool(threads);
                let (over, is_over) = mpsc::channel();
                let flags = (0..3).map(|_| OnceLock::new()).collect();
                let (run, steps) = (Run { flags, _over: over }, steps.clone());
                pool.spawn(move || run.steps(&steps, None));
                is_over.recv().unwrap_err();
            }
        });
    }
}

/// Where one of the pool's threads waits and the others block for just that.
#[test]
fn what_comes_from_outside_runs_though_all_threads_wait_or_block() {
    for is_another_pools in [false, true] {
        in_time(move || {
            let pool = Arc::new(pool(2));
            let (begin, begun) = mpsc::channel();
            let (send, received) = mpsc::channel::<u32>();
            let own = pool.clone();
            let waiting = thread::spawn(move || {
                own.install(|| {
                    let (stolen, is_stolen) = mpsc::channel();
                    let wait = move || is_stolen.recv().unwrap();
                    let block = move || {
                        stolen.send(()).unwrap();
                        begin.send(()).unwrap();
                        received.recv().unwrap()
                    };
                    join(wait, block).1
                })
            });
            begun.recv().unwrap();
            // From a thread of no pool, and from another pool's.
            let job = move || send.send(7).unwrap();
            if is_another_pools {
                let other = common::pool(1);
                other.install(|| pool.spawn(job));
            } else {
                pool.install(job);
            }
            assert_eq!(waiting.join().unwrap(), 7);
        });
    }
}

/// Both halves of a join begin, on two threads, before the first one ends.
fn beside(second: impl FnOnce() + Send) {
    let both = Barrier::new(2);
    join(
        || both.wait(),
        || {
            both.wait();
            second();
        },
    );
}

/// Where one of the pool's threads waits and the other computes until just that has run.
#[test]
fn what_comes_from_outside_runs_though_a_thread_waits_and_the_others_compute() {
    in_time(|| {
        let (pool, is_over) = (pool(2), AtomicBool::new(false));
        let compute = || {
            while !is_over.load(Ordering::Relaxed) {
                hint::spin_loop();
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| pool.install(|| beside(compute)));
            for _ in 0..1000 {
                pool.install(|| ());
            }
            pool.install(|| is_over.store(true, Ordering::Relaxed));
        });
    });
}

/// The same where the other one has work of its own without end.
#[test]
fn what_comes_from_outside_runs_though_a_thread_waits_and_the_others_jobs_spawn_more() {
    fn chain(is_over: Arc<AtomicBool>) {
        if !is_over.load(Ordering::Relaxed) {
            spawn(|| chain(is_over));
        }
    }
    in_time(|| {
        let (pool, is_over) = (pool(3), Arc::new(AtomicBool::new(false)));
        let (send, received) = mpsc::channel();
        thread::scope(|scope| {
            let chained = is_over.clone();
            pool.spawn(|| chain(chained));
            scope.spawn(|| pool.install(|| beside(move || received.recv().unwrap())));
            thread::sleep(Duration::from_millis(100));
            pool.install(|| {
                is_over.store(true, Ordering::Relaxed);
                send.send(()).unwrap();
            });
        });
    });
}

/// The same of what a thread leaves behind that waits in another pool, and of what comes from
/// outside then, where the other one's jobs spawn more on a scope.
#[test]
fn what_nobody_takes_runs_though_a_thread_waits_and_the_others_scope_has_no_end() {
    type Flag = (AtomicBool, Barrier);
    fn chain(scope: &Scope<'static>, flag: Arc<Flag>) {
        if !flag.0.load(Ordering::Relaxed) {
            scope.spawn(|scope| chain(scope, flag));
        }
    }
    for is_own in [false, true] {
        in_time(move || {
            let (pool, other) = (pool(2), pool(1));
            let flag = Arc::new((AtomicBool::new(false), Barrier::new(3)));
            let own = flag.clone();
            let set = move || own.0.store(true, Ordering::Relaxed);
            let mut set = Some(set);
            let own = set.take_if(|_| is_own);
            let wait = || {
                flag.1.wait();
                own.into_iter().for_each(spawn);
                other.install(|| {
                    while !flag.0.load(Ordering::Relaxed) {
                        thread::sleep(Duration::from_millis(1));
                    }
                });
            };
            let chained = flag.clone();
            thread::scope(|threads| {
                threads.spawn(|| pool.install(wait));
                threads.spawn(|| {
                    pool.in_place_scope(|scope: &Scope<'static>| {
                        scope.spawn(|scope| {
                            chained.1.wait();
                            chain(scope, chained);
                        });
                    });
                });
                flag.1.wait();
                thread::sleep(Duration::from_millis(50));
                set.into_iter().for_each(|set| pool.spawn(set));
            });
        });
    }
}

/// And where a thread that waits helps without end: with the half of its join that another one has
/// taken, or with its scope's jobs. The third thread blocks on what it has spawned itself.
#[test]
fn what_nobody_takes_runs_though_a_thread_that_waits_has_parts_of_its_own_without_end() {
    for (is_scope, length) in [(false, 1000), (true, 0), (true, 1000), (true, 20_000)] {
        in_time(move || {
            let set = Arc::new(AtomicBool::new(false));
            let begun = Arc::new(Barrier::new(2));
            let blocks = {
                let (set, begun) = (set.clone(), begun.clone());
                move || {
                    let setter = set.clone();
                    spawn(move || setter.store(true, Ordering::Relaxed));
                    begun.wait();
                    while !set.load(Ordering::Relaxed) {
                        thread::sleep(Duration::from_millis(1));
                    }
                }
            };
            let has_begun = Barrier::new(2);
            let first = || {
                has_begun.wait();
                spawn(blocks);
                begun.wait();
            };
            let work = || (0..length).for_each(|_| hint::spin_loop());
            if is_scope {
                pool(3).scope(|scope| {
                    scope.spawn(|scope| {
                        has_begun.wait();
                        while !set.load(Ordering::Relaxed) {
                            scope.spawn(|_| work());
                            work();
                        }
                    });
                    first();
                });
            } else {
                let second = || {
                    has_begun.wait();
                    while !set.load(Ordering::Relaxed) {
                        join(work, work);
                    }
                };
                pool(3).install(|| join(first, second));
            }
        });
    }
}

/// Nor do a scope's jobs without end keep a free thread from what another one has spawned.
#[test]
fn a_scope_whose_jobs_have_no_end_keeps_nobody_from_a_spawned_job() {
    in_time(|| (0..8).for_each(|_| spawned_beside_a_scope()));
}

fn spawned_beside_a_scope() {
    let set = Arc::new(AtomicBool::new(false));
    let work = || (0..1000).for_each(|_| hint::spin_loop());
    let (begun, helped) = (Barrier::new(2), Barrier::new(2));
    pool(3).scope(|scope| {
        scope.spawn(|scope| {
            begun.wait();
            scope.spawn(|_| _ = helped.wait());
            while !set.load(Ordering::Relaxed) {
                scope.spawn(|_| work());
                work();
            }
        });
        begun.wait();
        // The third thread is at the scope's jobs.
        helped.wait();
        let setter = set.clone();
        spawn(move || setter.store(true, Ordering::Relaxed));
        while !set.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
    });
}

/// And all of it, not a piece now and then.
#[test]
fn all_that_a_thread_has_spawned_runs_while_it_blocks_and_another_waits() {
    in_time(|| {
        pool(2).install(|| {
            beside(|| {
                let (sender, all_gone) = mpsc::channel::<()>();
                for _ in 0..5000 {
                    let sender = sender.clone();
                    spawn(|| drop(sender));
                }
                drop(sender);
                all_gone.recv().unwrap_err();
            });
        });
    });
}
