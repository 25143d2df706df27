//! Panics, which Rust can't unwind on the web: one ends the turn of the event loop that it is in.

use crate::page::{Page, turn};
use bevy_heartbeat::prelude::*;
use std::mem;
use std::time::Duration;

async fn read(what: &str) {
    assert!(what.is_empty(), "a {what} can't be read");
}

/// The page hears of it, as of any error that nobody catches. The job ends by its timeout or
/// not at all.
pub async fn a_job_that_panicked_ends_by_its_timeout_alone(mut page: Page) {
    let endless = page
        .world()
        .spawn_job(Lane::Background, |_| read("torn map"))
        .id();
    turn().await;
    let short = page
        .world()
        .spawn_job(Lane::Io, |_| read("wet letter"))
        .timeout(Duration::from_millis(30))
        .id();
    turn().await;
    assert_eq!(page.outcome::<()>(short).await, Err(JobError::TimedOut));
    let job = page.world().get::<Job<()>>(endless).unwrap();
    assert!(!job.is_finished());
    // The page goes on, as long as the panic was in no frame.
    let code = |cx: JobContext| async move { cx.world(|_| 1).await.unwrap() };
    let other = page.world().spawn_job(Lane::Io, code).id();
    assert_eq!(page.outcome::<i32>(other).await, Ok(1));
}

/// There is no thread to wait on, and what was to be woken can't be: the app ends with it.
pub async fn a_scope_that_waits_for_the_world_panics(mut page: Page) {
    let code = |cx: JobContext| async move {
        cx.scope(|scope| scope.spawn(async { cx.next_frame().await.is_ok() }))
    };
    page.world().spawn_job(Lane::Background, code);
    turn().await;
    mem::forget(page);
}
