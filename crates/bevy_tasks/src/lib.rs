#![doc = include_str!("../README.md")]

/// What this build has, as macros that other crates of the engine use.
pub mod cfg {
    pub(crate) use bevy_platform::cfg::*;

    pub use bevy_platform::cfg::{alloc, std, web};

    define_alias! {
        #[cfg(feature = "async_executor")] => {
            /// Whether the `async_executor` feature is on.
            async_executor
        }

        #[cfg(all(not(target_arch = "wasm32"), feature = "multi_threaded"))] => {
            /// Whether tasks run on several threads.
            multi_threaded
        }

        #[cfg(target_arch = "wasm32")] => {
            /// Whether `Send` bounds are left out, as the web's futures need.
            conditional_send
        }
    }
}

cfg::conditional_send! {
    if {
        /// `Send`, except on the web, where it asks for nothing.
        pub trait ConditionalSend {}
        impl<T> ConditionalSend for T {}
    } else {
        /// `Send`, except on the web, where it asks for nothing.
        pub trait ConditionalSend: Send {}
        impl<T: Send> ConditionalSend for T {}
    }
}

/// A future that is `Send`, except on the web.
pub trait ConditionalSendFuture: Future + ConditionalSend {}

impl<T: Future + ConditionalSend> ConditionalSendFuture for T {}

/// A boxed future of no named type.
pub type BoxedFuture<'a, T> = core::pin::Pin<Box<dyn ConditionalSendFuture<Output = T> + 'a>>;

mod executor;
pub mod futures;
mod iter;
mod slice;
mod usages;

pub use async_task::Task;
pub use iter::ParallelIterator;
pub use slice::{ParallelSlice, ParallelSliceMut};
pub use usages::{AsyncComputeTaskPool, ComputeTaskPool, IoTaskPool};

pub use futures_lite;
pub use futures_lite::future::poll_once;

cfg::web! {
    if {} else {
        pub use usages::tick_global_task_pools_on_main_thread;
    }
}

cfg::multi_threaded! {
    if {
        mod batches;
        mod block_on;
        mod first_poll;
        mod iteration;
        mod process_pool;
        mod scope;
        mod task_pool;
        mod thread_executor;

        pub use block_on::block_on;
        pub use scope::Scope;
        pub use task_pool::{TaskPool, TaskPoolBuilder};
        pub use thread_executor::{ThreadExecutor, ThreadExecutorTicker};
    } else {
        mod single_threaded_task_pool;

        pub use bevy_platform::future::block_on;
        pub use single_threaded_task_pool::{Scope, TaskPool, TaskPoolBuilder, ThreadExecutor};
    }
}

/// The names that most users want.
pub mod prelude {
    #[doc(hidden)]
    pub use crate::{
        block_on,
        iter::ParallelIterator,
        slice::{ParallelSlice, ParallelSliceMut},
        usages::{AsyncComputeTaskPool, ComputeTaskPool, IoTaskPool},
    };
}

/// How many threads the machine runs in parallel; 1 where that can't be told.
pub fn available_parallelism() -> usize {
    std::thread::available_parallelism().map_or(1, core::num::NonZero::get)
}
