//! The recipes of jobs are run to their ends; what they assert holds.
#![allow(missing_docs, reason = "each is an example too")]

mod common;

#[path = "../examples/blocking_library.rs"]
mod blocking_library;
#[path = "../examples/chunked_world.rs"]
mod chunked_world;
#[path = "../examples/loading_screen.rs"]
mod loading_screen;
#[path = "../examples/path_finding.rs"]
mod path_finding;
#[path = "../examples/saving.rs"]
mod saving;
#[path = "../examples/tokio_client.rs"]
mod tokio_client;

use common::within;

#[test]
fn a_loading_screen() {
    within(60, loading_screen::main);
}

#[test]
fn paths_for_a_thousand_agents() {
    within(60, path_finding::main);
}

#[test]
fn a_chunked_world() {
    within(60, chunked_world::main);
}

#[test]
fn saving_a_game_while_it_runs() {
    within(60, saving::main);
}

#[test]
fn a_library_that_blocks() {
    within(60, blocking_library::main);
}

#[test]
fn a_tokio_client() {
    within(60, tokio_client::main);
}
