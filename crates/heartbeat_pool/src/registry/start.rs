//! The pool's operating-system threads: started, spared, refused.

use crate::lanes::priority;
use crate::queue::pinned::Pinned;
use crate::registry::Registry;
use crate::registry::lower;
use crate::registry::team::{Rank, Team};
use crate::registry::threads::RETRY;
use crate::sync::{Arc, Ordering, lock};
use crate::threads::builder::ThreadBuilder;
use crate::unwind;
use std::cell::Cell;
use std::io;

/// A pool's thread, from when it is wanted until it ends, whoever starts it. What it does then, the
/// worker knows.
pub(crate) struct Thread {
    pub(crate) registry: Arc<Registry>,
    pub(crate) rank: Rank,
    pub(crate) pinned: Arc<Pinned>,
    /// Whether it counts as a spare that is being started.
    starting: Cell<bool>,
    has_come: Cell<bool>,
}

impl Thread {
    fn team(&self) -> &Team {
        self.registry.team(self.rank)
    }

    /// The thread begins, counted as a searcher.
    pub(crate) fn begin(&self) {
        self.team().sleep.search_begin();
        self.came();
    }

    /// The thread is there, and if it is a spare, none is missed any more.
    pub(crate) fn came(&self) {
        self.has_come.set(true);
        if self.starting.get() {
            // Before the next one may be started, for that one may be refused.
            self.team().suffice();
        }
        self.started();
    }

    /// The thread is there, and has affairs of its own: if it is a spare, which was to search, then
    /// another one is missed as if this had been refused.
    pub(crate) fn came_to_itself(&self) {
        self.has_come.set(true);
        if self.starting.get() {
            self.started();
            self.team().threads.spares.refuse(&self.registry.waiters);
        }
    }

    /// The next spare may be started.
    fn started(&self) {
        if self.starting.take() {
            self.team().threads.spares.started();
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.pinned.close();
        // Unpinned under no lock: a job's drop may spawn.
        while let Some(job) = self.pinned.pop() {
            self.registry.guard(|| drop(job));
        }
        // In case it never ran.
        self.started();
        self.team().threads.end(&self.pinned);
        if !self.has_come.get() && !self.team().has_ended() {
            self.registry.miss_thread(self.team());
            // Whoever was to start it may hold a lock of the program's, so none is started here.
            self.registry.wake_idle();
        }
    }
}

/// The name of the thread of `index`. Workers start threads, so a panic must not get out.
fn name(registry: &Registry, team: &Team, index: usize) -> String {
    let mut name = format!("heartbeat ({index})");
    if let Some(handler) = &registry.handlers().name {
        registry.guard(|| name = handler(index));
    }
    match team.rank {
        Rank::Frame => name,
        Rank::Lower => lower::name(&name, index),
    }
}

impl Registry {
    /// Asks for the threads of `team` that the system has refused, if that is some time ago and
    /// they are still missed.
    pub(crate) fn ask_again(self: &Arc<Self>, team: &Team) {
        if team.rank == Rank::Frame && priority::gives_way() {
            // It would be one that gives way for good; others ask as well.
            return;
        }
        let threads = &team.threads;
        if !threads.is_short() || !threads.spares.may_ask(RETRY) || team.has_ended() {
            return;
        }
        if !team.has_all() {
            let missing = self.size_team(team, None);
            _ = self.start_missing(team, missing);
        } else if self.config.has_spares && team.occupancy.target() > 0 {
            self.spawn_spare(team);
        } else {
            team.suffice();
        }
    }

    /// Starts one more thread of `team`: nobody is idle, and there is room or work for one. Does
    /// nothing while one is being started. Where the system has no more threads, those that wait
    /// see to the work.
    pub(crate) fn spawn_spare(self: &Arc<Self>, team: &Team) {
        if !self.config.has_spares {
            return;
        }
        if !team.threads.spares.may_ask(RETRY) {
            return self.waiters.wake_all();
        }
        // The loser relies on the winner's search, counted in `Thread::begin`.
        if !team.threads.spares.try_start() {
            return;
        }
        let gives_way = team.rank == Rank::Frame && priority::gives_way();
        if !gives_way || !self.lower.start_spare(self) {
            self.start_spare(team);
        }
    }

    /// The part of [`spawn_spare`](Self::spawn_spare) that may be another thread's.
    pub(crate) fn start_spare(self: &Arc<Self>, team: &Team) {
        let threads = &team.threads;
        let mut slots = lock(&threads.slots);
        // Once it has ended, `join` may have seen the slots already.
        let goes_on = !team.has_ended();
        let place = goes_on.then(|| slots.live.begin(None, Pinned::new));
        drop(slots);
        let Some(pinned) = place.flatten() else {
            return threads.spares.started();
        };
        if self.start(team, self.thread(team, pinned, true)).is_err() {
            // In case a spawn handler has refused the thread and keeps it.
            threads.spares.started();
            self.miss_thread(team);
            if team.occupancy.target() == 0 {
                self.rouse();
            }
        }
    }

    /// A thread of `team` that had a place will not come. If no other of its threads lives, the
    /// target becomes zero, for callers must do the work then. Whoever waits asks for the thread
    /// again; with spare threads a push that finds nobody idle does so, too.
    fn miss_thread(&self, team: &Team) {
        let threads = &team.threads;
        let slots = lock(&threads.slots);
        if slots.live.iter().next().is_none() {
            team.occupancy.cap_target(0);
        }
        drop(slots);
        threads.spares.refuse(&self.waiters);
    }

    /// A thread that is to be started, which leaves its place as this is dropped.
    fn thread(self: &Arc<Self>, team: &Team, pinned: Arc<Pinned>, is_spare: bool) -> Thread {
        Thread {
            registry: self.clone(),
            rank: team.rank,
            pinned,
            starting: Cell::new(is_spare),
            has_come: Cell::new(false),
        }
    }

    fn start(self: &Arc<Self>, team: &Team, thread: Thread) -> io::Result<()> {
        let pinned = thread.pinned.clone();
        let index = pinned.index;
        let thread = ThreadBuilder {
            index,
            name: name(self, team, index),
            stack_size: self.config.stack_size,
            thread: Box::new(thread),
        };
        if let Some(handler) = &self.handlers().spawn {
            // The thread that unwinding drops cleans up after itself.
            let started = unwind::catch(|| handler(thread)).unwrap_or_else(|payload| {
                unwind::discard(payload);
                Err(io::Error::other("the pool's spawn_handler panicked"))
            });
            let is_gone = || pinned.is_closed() && !pinned.has_begun() && !team.has_ended();
            return match started {
                Ok(()) if is_gone() => Err(io::Error::other(
                    "the pool's spawn_handler dropped the thread that it was to start",
                )),
                started => started,
            };
        }
        // A name with a zero byte in it makes this panic.
        let handle = unwind::catch(|| thread.spawn()).unwrap_or_else(|payload| {
            unwind::discard(payload);
            Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the pool's thread_name can't be given to a thread",
            ))
        })?;
        let mut slots = lock(&team.threads.slots);
        slots.handles.retain(|handle| !handle.is_finished());
        slots.handles.push(handle);
        Ok(())
    }

    /// Sets the number of threads of `team`, without one to what was asked for last. Gives those
    /// that are missing.
    pub(super) fn size_team(self: &Arc<Self>, team: &Team, threads: Option<usize>) -> Vec<Thread> {
        // All have their places, where jobs for them alone wait, before anybody counts on them; and
        // none retires meanwhile.
        let mut slots = lock(&team.threads.slots);
        let mut threads = threads.unwrap_or(slots.wanted);
        team.occupancy.set_target(threads);
        // Whoever waits in a pool that has ended since would take these for threads that come. It
        // is seen here, or the end's own change comes later: `set_target`.
        if team.has_ended() {
            threads = 0;
            team.occupancy.set_target(threads);
        }
        slots.wanted = threads;
        // Relaxed: the flag guards nothing.
        team.threads.is_sized.store(true, Ordering::Relaxed);
        let begin = |index| slots.live.begin(Some(index), Pinned::new);
        let places: Vec<_> = (0..threads).filter_map(begin).collect();
        drop(slots);
        let thread = |pinned| self.thread(team, pinned, false);
        places.into_iter().map(thread).collect()
    }

    /// Starts the threads of `team` that its new size misses.
    pub(super) fn start_missing(
        self: &Arc<Self>,
        team: &Team,
        missing: Vec<Thread>,
    ) -> io::Result<()> {
        // Those behind one that is refused, or behind the pool's end, leave their places at once.
        let started = missing
            .into_iter()
            .take_while(|_| !team.has_ended())
            .try_for_each(|thread| self.start(team, thread));
        if started.is_err() {
            // Nobody is to wait for threads that are not there. Behind the refused one some may be.
            let slots = lock(&team.threads.slots);
            team.occupancy
                .cap_target(slots.live.up_to_last(slots.wanted));
            drop(slots);
            team.threads.spares.refuse(&self.waiters);
        }
        // A spare thread may be missed as well; `ask_again` sees to that.
        self.rouse();
        started
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use crate::pool::ThreadPool;
    use crate::registry::Registry;
    use crate::registry::team::Rank;
    use crate::registry::threads::RETRY;
    use crate::sync::{Arc, lock};
    use heartbeat_record::Lane;
    use std::io;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{OnceLock, Weak, mpsc};
    use std::thread;
    use std::time::Duration;

    /// As where a thread that waits asks for refused threads, and the pool ends just then.
    #[test]
    fn a_pool_that_has_ended_counts_on_no_threads() {
        let pool = ThreadPool::builder().num_threads(1).build().unwrap();
        let registry = pool.registry().clone();
        drop(pool);
        registry.resize(2).unwrap();
        assert_eq!(registry.frame().occupancy.target(), 0);
    }

    /// Then jobs of the lower lanes are the frame's threads' to run.
    #[test]
    fn nobody_counts_on_a_spare_thread_that_is_refused_while_the_pool_is_resized() {
        let known = Arc::new(OnceLock::<Weak<Registry>>::new());
        let later = known.clone();
        let pool = ThreadPool::builder()
            .num_threads(1)
            .lower_threads(true)
            .spawn_handler(move |thread| {
                if !thread.name().starts_with("low") {
                    return thread.spawn().map(drop);
                }
                if let Some(registry) = later.get().and_then(Weak::upgrade)
                    && thread.index() == 0
                {
                    // The second thread of the new size is refused here, too.
                    registry.resize(2)?;
                    assert_eq!(registry.team(Rank::Lower).occupancy.target(), 1);
                }
                Err(io::Error::other("no more"))
            })
            .build()
            .unwrap();
        let registry = pool.registry();
        known.set(Arc::downgrade(registry)).unwrap();
        let lower = registry.team(Rank::Lower);
        assert!(lower.threads.spares.try_start());
        registry.start_spare(lower);
        assert_eq!(lower.occupancy.target(), 0);
        assert!(lower.threads.is_short());
    }

    /// Whoever has resized the pool meanwhile has counted on it, and was told that all is well.
    #[test]
    fn a_job_without_anybody_who_waits_asks_again_for_the_one_thread_that_was_refused() {
        let known = Arc::new(OnceLock::<Weak<Registry>>::new());
        let later = known.clone();
        let is_first = AtomicBool::new(true);
        let pool = ThreadPool::builder()
            .num_threads(0)
            .spawn_handler(move |thread| {
                if !is_first.swap(false, Ordering::SeqCst) {
                    return thread.spawn().map(drop);
                }
                later.get().and_then(Weak::upgrade).unwrap().resize(1)?;
                Err(io::Error::other("not now"))
            })
            .build()
            .unwrap();
        let registry = pool.registry();
        known.set(Arc::downgrade(registry)).unwrap();
        assert!(registry.frame().threads.spares.try_start());
        registry.start_spare(registry.frame());
        assert_eq!(registry.frame().occupancy.target(), 0);
        thread::sleep(2 * RETRY);
        let (done, is_done) = mpsc::channel();
        pool.spawn(Lane::Frame, move || done.send(()).unwrap());
        is_done.recv_timeout(Duration::from_secs(60)).unwrap();
    }

    /// The first spare thread is there, and the next one refused, before the start of the first one
    /// returns.
    #[test]
    fn a_thread_that_was_refused_after_a_spare_one_came_is_missed() {
        let known = Arc::new(OnceLock::<Weak<Registry>>::new());
        let later = known.clone();
        let pool = ThreadPool::builder()
            .num_threads(1)
            .spawn_handler(move |thread| {
                thread.spawn()?;
                if let Some(registry) = later.get().and_then(Weak::upgrade) {
                    let spares = &registry.frame().threads.spares;
                    while !spares.try_start() {
                        thread::yield_now();
                    }
                    spares.refuse(&registry.waiters);
                    spares.started();
                }
                Ok(())
            })
            .build()
            .unwrap();
        let registry = pool.registry();
        known.set(Arc::downgrade(registry)).unwrap();
        let spares = &registry.frame().threads.spares;
        assert!(spares.try_start());
        registry.start_spare(registry.frame());
        assert!(spares.is_short());
    }

    #[test]
    fn no_thread_is_missed_once_a_spare_one_came() {
        let pool = ThreadPool::builder().num_threads(1).build().unwrap();
        let registry = pool.registry();
        let spares = &registry.frame().threads.spares;
        assert!(spares.try_start());
        spares.refuse(&registry.waiters);
        registry.start_spare(registry.frame());
        while !spares.try_start() {
            thread::yield_now();
        }
        spares.started();
        assert!(!spares.is_short());
    }

    #[test]
    fn who_waits_hears_of_what_comes_shortly_after_a_refusal() {
        let left = Arc::new(AtomicUsize::new(1));
        let limit = left.clone();
        let pool = ThreadPool::builder()
            .num_threads(1)
            .spawn_handler(move |thread| {
                let less = |left: usize| left.checked_sub(1);
                let taken = limit.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
                taken.map_err(|_| io::Error::from(io::ErrorKind::WouldBlock))?;
                thread.spawn().map(drop)
            })
            .build()
            .unwrap();
        let registry = pool.registry();
        let (sender, receiver) = mpsc::channel();
        let first = pool.spawn_future(Lane::Frame, async move { receiver.recv().unwrap() });
        let (done, is_done) = mpsc::channel();
        thread::scope(|threads| {
            let pool = &pool;
            threads.spawn(move || done.send(pool.block_on(first)).unwrap());
            thread::sleep(Duration::from_millis(50));
            registry.frame().threads.spares.refuse(&registry.waiters);
            left.store(8, Ordering::SeqCst);
            thread::sleep(RETRY / 4);
            let other = sender.clone();
            pool.spawn(Lane::Frame, move || _ = sender.send(3));
            let got = is_done.recv_timeout(Duration::from_secs(10));
            _ = other.send(4);
            assert_eq!(got, Ok(3));
        });
    }

    #[test]
    fn no_spare_thread_comes_after_the_end() {
        let pool = ThreadPool::builder().num_threads(1).build().unwrap();
        let registry = pool.registry().clone();
        drop(pool);
        let threads = &registry.frame().threads;
        assert!(threads.spares.try_start());
        registry.start_spare(registry.frame());
        assert!(lock(&threads.slots).handles.is_empty());
        assert!(threads.spares.try_start());
    }

    #[test]
    fn no_missing_thread_comes_after_the_end() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        let registry = pool.registry();
        let team = registry.frame();
        let missing = registry.size_team(team, Some(1));
        team.close();
        registry.start_missing(team, missing).unwrap();
        assert!(lock(&team.threads.slots).handles.is_empty());
    }

    #[test]
    fn who_was_refused_asks_later() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        let spares = &pool.registry().frame().threads.spares;
        assert!(spares.may_ask(Duration::MAX));
        spares.refuse(&pool.registry().waiters);
        assert!(!spares.may_ask(Duration::MAX) && spares.may_ask(Duration::ZERO));
    }

    #[test]
    fn a_thread_that_stays_is_missed_until_it_is_there() {
        let pool = ThreadPool::builder()
            .num_threads(0)
            .spawn_handler(|_| Err(io::ErrorKind::WouldBlock.into()))
            .build()
            .unwrap();
        pool.resize_to(1).unwrap_err();
        let team = pool.registry().frame();
        team.suffice();
        assert!(team.threads.is_short());
        pool.resize_to(0).unwrap();
        team.suffice();
        assert!(!team.threads.is_short());
    }
}
