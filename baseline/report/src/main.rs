//! Runs the published tables of the field with every rival that can be had, in rounds that
//! alternate between them, checks every answer, and writes one page with plots. `--help` lists the options.

use std::process::ExitCode;

fn main() -> ExitCode {
    match report::main() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
