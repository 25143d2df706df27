//! The engine's three global pools, each a lane of the process's one pool.

use crate::TaskPool;
use core::ops::Deref;
use std::sync::OnceLock;

crate::cfg::multi_threaded! {
    if {
        use crate::task_pool::with_lane;
        use heartbeat_pool::Lane;
    } else {
        enum Lane {
            Frame,
            Io,
            Background,
        }

        /// One thread has no use for lanes.
        fn with_lane<R>(_: Lane, f: impl FnOnce() -> R) -> R {
            f()
        }
    }
}

macro_rules! global_pool {
    ($(#[$doc:meta])* $name:ident, $lane:expr) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name(TaskPool);

        impl $name {
            fn cell() -> &'static OnceLock<Self> {
                static CELL: OnceLock<$name> = OnceLock::new();
                &CELL
            }

            /// The global pool; the first call makes it from what `f` builds.
            ///
            /// # Panics
            ///
            /// When the pool is started and the system refuses its threads, or `f` asks for more
            /// than 16,384 of them or for a stack that the system refuses.
            pub fn get_or_init(f: impl FnOnce() -> TaskPool) -> &'static Self {
                Self::cell().get_or_init(|| Self(with_lane($lane, f)))
            }

            /// The global pool, if it was made.
            pub fn try_get() -> Option<&'static Self> {
                Self::cell().get()
            }

            /// The global pool.
            ///
            /// # Panics
            ///
            /// When it was not made yet.
            pub fn get() -> &'static Self {
                Self::try_get().expect(concat!(
                    stringify!($name),
                    " is not there yet: add HeartbeatPlugin or TaskPoolPlugin before, or call ",
                    stringify!($name),
                    "::get_or_init first"
                ))
            }
        }

        impl Deref for $name {
            type Target = TaskPool;

            fn deref(&self) -> &TaskPool {
                &self.0
            }
        }
    };
}

global_pool! {
    /// The pool for work that the current frame waits for: systems, parallel iteration.
    ComputeTaskPool, Lane::Frame
}

global_pool! {
    /// The pool for computation that may span frames.
    AsyncComputeTaskPool, Lane::Background
}

global_pool! {
    /// The pool for loading: tasks that mostly wait for files and sockets.
    IoTaskPool, Lane::Io
}

crate::cfg::web! {
    if {} else {
        /// How many local tasks one call runs, so that tasks which keep waking themselves leave
        /// the frame going: as many as Bevy's does, a hundred for each of its three pools.
        const TICKS: usize = 300;

        /// Runs up to three hundred of the calling thread's `spawn_local` tasks, and as many jobs
        /// of the process's pool if that has no threads. The app calls it on the main thread once
        /// a frame.
        pub fn tick_global_task_pools_on_main_thread() {
            // The three pools share one local executor.
            crate::executor::with_thread_local_executor(|executor| {
                for _ in 0..TICKS {
                    if !tick_pool() & !executor.try_tick() {
                        break;
                    }
                }
            });
        }

        crate::cfg::multi_threaded! {
            if {
                use crate::task_pool::tick_global_pool_if_threadless as tick_pool;
            } else {
                fn tick_pool() -> bool {
                    false
                }
            }
        }
    }
}
