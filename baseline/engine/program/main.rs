//! One workload of a Bevy app, on the pool that this program was built with. It prints a line a
//! figure: the workload's name, what was measured and the figure, in seconds where it is a time,
//! with tabs between. `compare-engine` runs it.

mod apps;
mod background;
mod catalogue;
mod cpu;
mod empty;
mod frames;
mod growth;
mod idle;
mod images;
mod loading;
mod options;
mod par_iter;
mod problem;
mod sampling;
mod scopes;
mod slots;
mod spread;
mod tasks;
mod tuned;
mod with_rayon;

use options::Options;
use problem::Problem;
use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Problem> {
    let options = Options::parse(env::args_os().skip(1))?;
    let workloads = catalogue::all();
    let Some(name) = &options.workload else {
        workloads
            .iter()
            .for_each(|workload| println!("{}", workload.name));
        return Ok(());
    };
    let workload = workloads.iter().find(|workload| workload.name == *name);
    let workload = workload.ok_or_else(|| Problem::NoWorkload(name.clone()))?;
    for (metric, figure) in (workload.run)(&options)? {
        println!("{name}\t{metric}\t{figure:e}");
    }
    Ok(())
}
