//! The published tables of the field, run again beside every rival that can be had.

pub mod contend;
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

/// Does what the command line says: the whole report, or one contender's part of it.
///
/// # Errors
///
/// What went wrong, and what to do about it.
pub fn main() -> Result<(), Box<dyn Error>> {
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
