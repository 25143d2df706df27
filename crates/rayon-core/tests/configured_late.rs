//! A global pool that is configured after an application has set the process's pool up. In a
//! process of its own.

mod common;
use common::{all, in_time};
use rayon_core::{ThreadPoolBuilder, current_num_threads};
use std::sync::mpsc;

#[test]
fn the_process_s_pool_is_there_already() {
    in_time(|| {
        heartbeat_pool::global().resize_to(3).unwrap();
        for _ in 0..2 {
            let (start, starts) = mpsc::channel();
            let (name, names) = mpsc::channel();
            let late = ThreadPoolBuilder::new()
                .num_threads(2)
                .start_handler(move |index| start.send(index).unwrap())
                .thread_name(move |index| {
                    name.send(index).unwrap();
                    format!("late {index}")
                })
                .build_global();
            // Stock rayon's words.
            let error = late.unwrap_err().to_string();
            assert_eq!(
                error,
                "The global thread pool has already been initialized."
            );
            assert_eq!((all(&starts), all(&names)), (vec![], vec![]));
        }
        assert_eq!(current_num_threads(), 3);
    });
}
