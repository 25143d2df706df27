//! How often cache lines go from thread to thread for one fork, steal, scoped job, spawn, wake and
//! system, on pools of 2 to 64 threads.
//!
//! ```sh
//! RUSTFLAGS="--cfg heartbeat_transfers" cargo run -p heartbeat_pool --release \
//!   --target-dir target/transfers --example transfers
//! ```
//!
//! prints a table; with `-v` also the sites that most of it comes from, with `--quick` the smallest
//! pool alone, and with names of operations only these. `transfers WORKLOAD OPERATION THREADS _ MILLISECONDS` prints one figure of the table,
//! as the report of the field's tables asks for it.
#![allow(missing_docs, reason = "a program")]

#[cfg(heartbeat_transfers)]
mod operations;
#[cfg(heartbeat_transfers)]
mod show;

#[cfg(heartbeat_transfers)]
fn main() -> std::process::ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match show::run(&words) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::from(2)
        }
    }
}

#[cfg(not(heartbeat_transfers))]
fn main() -> std::process::ExitCode {
    eprintln!("error: nothing is counted without RUSTFLAGS=\"--cfg heartbeat_transfers\"");
    std::process::ExitCode::from(2)
}
