//! Runs the published tables of the field with every rival that can be had, in rounds that alternate
//! between them, checks every answer, and writes one page with plots. `--help` lists the options.

mod contend;
mod options;
mod page;
mod results;
mod rounds;
mod run;
mod tables;
mod who;

use contend::{FLAG, Task, WORKER};
use options::{HELP, Options};
use std::env;
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == WORKER) {
        return Ok(contend::serve_pipes()?);
    }
    if words.get(1).is_some_and(|word| word == FLAG) {
        return Task::parse(&words)?.run();
    }
    let options = Options::parse(words)?;
    if options.help {
        print!("{HELP}");
        return Ok(());
    }
    if options.list {
        run::list();
        return Ok(());
    }
    run::run(&options)
}
