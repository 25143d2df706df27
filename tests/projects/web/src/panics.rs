//! Panics, which Rust can't unwind on the web: one ends the turn of the event loop that it is in.

use crate::page::Page;
use bevy_heartbeat::prelude::*;
use std::time::Duration;

async fn read(what: &str) {
    assert!(what.is_empty(), "a {what} can't be read");
}

/// The page hears of it, as of any error that nobody catches. The job ends by its timeout, or never.
pub async fn a_job_that_panicked_ends_by_its_timeout_alone(mut page: Page) {
    let endless = page
        .world()
        .spawn_job(Lane::Background, |_| read("torn map"))
        .id();
    page.frame().await;
    let short = page
        .world()
        .spawn_job(Lane::Io, |_| read("wet letter"))
        .timeout(Duration::from_millis(30))
        .id();
    assert_eq!(page.outcome::<()>(short).await, Err(JobError::TimedOut));
    let job = page.world().get::<Job<()>>(endless).unwrap();
    assert!(!job.is_finished());
    // The page goes on, as long as the panic was in no frame.
    let code = |cx: JobContext| async move { cx.world(|_| 1).await.unwrap() };
    let other = page.world().spawn_job(Lane::Io, code).id();
    assert_eq!(page.outcome::<i32>(other).await, Ok(1));
}
