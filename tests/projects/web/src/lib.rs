//! Jobs on the web. Each case is run in an instance of its own, as in a page that was just opened.

#[cfg(feature = "web")]
mod clock;
mod ends;
mod frames;
mod page;
#[cfg(feature = "web")]
mod panics;
mod parts;
#[cfg(feature = "web")]
mod runner;
mod world;

use page::Page;
use std::pin::Pin;
use wasm_bindgen::prelude::*;

type Case = fn() -> Pin<Box<dyn Future<Output = ()>>>;

macro_rules! cases {
    ($(#[$cfg:meta])? $list:ident: $file:ident $($case:ident)*) => {
        $(#[$cfg])?
        $list.extend([$((
            concat!(stringify!($file), "::", stringify!($case)),
            (|| Box::pin($file::$case(Page::new()))) as Case,
        )),*]);
    };
}

/// All cases by name; those that need a window are left out where there is none.
fn all(has_window: bool) -> Vec<(&'static str, Case)> {
    let mut all = Vec::new();
    cases!(all: ends
        each_lane_is_polled each_lane_is_observed each_lane_is_handed_on a_list_is_polled
        a_despawned_job_is_cancelled a_detached_job_runs_on waiting_jobs_hear_that_the_app_is_gone
        a_state_waits_for_its_jobs_and_takes_them_with_it);
    cases!(all: world
        parameters_the_world_and_commands requests_run_in_the_order_asked_for
        what_is_not_there_is_an_error a_job_may_hold_a_lock_meanwhile
        a_request_may_start_a_job);
    cases!(all: parts blocking_join_scope_and_lane all_of_it_on_each_lane queries_in_parallel
        metrics_and_calls_of_the_pool);
    cases!(all: frames
        a_job_sees_each_frame the_page_answers_a_job a_job_awaits_promises a_thousand_jobs_end
        jobs_go_on_while_the_app_stands);
    cases!(#[cfg(feature = "web")] all: clock
        sleep_is_by_the_apps_clock a_timeout_ends_a_job the_budget_leaves_the_rest_to_the_next_frame);
    cases!(#[cfg(feature = "web")] all: panics a_job_that_panicked_ends_by_its_timeout_alone
        a_scope_that_waits_for_the_world_panics);
    if has_window {
        cases!(#[cfg(feature = "web")] all: runner the_engines_own_loop_runs_jobs);
    }
    all
}

/// The names of all cases.
#[wasm_bindgen]
pub fn cases(has_window: bool) -> Vec<String> {
    let names = all(has_window);
    names.iter().map(|(name, _)| name.to_string()).collect()
}

/// Runs a case; it has failed if it panics.
#[wasm_bindgen]
pub async fn run(name: String) {
    console_error_panic_hook::set_once();
    let all = all(true);
    let (_, case) = all.iter().find(|(known, _)| *known == name).unwrap();
    case().await;
}
