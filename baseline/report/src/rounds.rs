//! Runs a table: each row in rounds that alternate between the contenders.

use crate::results::{Cell, Measured, Taken};
use crate::tables::Table;
use crate::who::{Field, Found};
use paired::{Run, run_child};
use rival_smol::SMOL_THREADS;
use std::time::{Duration, Instant};
use suite::order;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Runs of each contender in a row, at most.
    pub rounds: usize,
    /// How long each of them takes samples, in milliseconds.
    pub sample: u64,
    /// Rounds of a row end when those that weren't refused have taken this long.
    pub budget: Duration,
    /// The small sizes alone.
    pub quick: bool,
    /// The smallest size alone.
    pub smallest: bool,
    /// Running threads where all cores are meant.
    pub cores: usize,
}

impl Plan {
    fn sizes(&self, table: &Table) -> &'static [u64] {
        let sizes = table.sizes(self.quick);
        if self.smallest { &sizes[..1] } else { sizes }
    }

    fn thread_counts(&self, table: &Table) -> Vec<usize> {
        let mut counts = table.thread_counts(self.cores);
        if self.smallest {
            counts.drain(..counts.len() - 1);
        }
        counts
    }

    /// How many rows a table has.
    #[must_use]
    pub fn rows(&self, table: &Table) -> usize {
        self.sizes(table).len() * self.thread_counts(table).len()
    }
}

/// Runs a table. `progress` is told each row that is done.
pub fn measure(
    table: &'static Table,
    field: &Field,
    plan: Plan,
    taken: Taken,
    mut progress: impl FnMut(),
) -> Measured {
    let mut cells = Vec::new();
    for threads in plan.thread_counts(table) {
        for &size in plan.sizes(table) {
            cells.extend(row(table, field, plan, size, threads));
            progress();
        }
    }
    let found = table.who.iter().filter_map(|name| field.of(name));
    Measured {
        table: table.name.to_owned(),
        taken,
        cells,
        versions: found.map(Found::named_version).collect(),
    }
}

fn row(table: &Table, field: &Field, plan: Plan, size: u64, threads: usize) -> Vec<Cell> {
    let runs = table.who.iter().filter(|name| table.runs(name, size));
    let found: Vec<&Found> = runs.filter_map(|name| field.of(name)).collect();
    let new = |found: &&Found| Cell {
        name: found.contender.name.to_owned(),
        size,
        threads,
        ..Cell::default()
    };
    let mut cells: Vec<Cell> = found.iter().map(new).collect();
    run(plan, &mut cells, |place, cell| {
        sample(table, found[place], plan, cell);
    });
    cells
}

/// Takes a sample of each cell a round, until the rounds are over or have taken long enough. A run
/// that was refused takes none of the others' time: one that hangs would end the row.
fn run(plan: Plan, cells: &mut [Cell], mut sample: impl FnMut(usize, &mut Cell)) {
    let mut spent = Duration::ZERO;
    for round in 0..plan.rounds {
        if round > 0 && spent > plan.budget {
            break;
        }
        for place in order(round, cells.len()) {
            let cell = &mut cells[place];
            if cell.refused.is_none() {
                let start = Instant::now();
                sample(place, cell);
                if cell.refused.is_none() {
                    spent += start.elapsed();
                }
            }
        }
    }
}

fn sample(table: &Table, found: &Found, plan: Plan, cell: &mut Cell) {
    let words = found.words(cell.size, cell.threads, plan.sample);
    // smol's threads are the process's own.
    let variables = [(SMOL_THREADS, cell.threads.to_string())];
    let checked = match run_child(&found.program, table.workload, &words, &variables) {
        Ok(run) => check(run, (table.answer)(cell.size)),
        Err(failure) => Err(failure.to_string()),
    };
    match checked {
        Ok(run) => {
            for (metric, figure) in run {
                cell.figures.entry(metric).or_default().push(figure);
            }
        }
        Err(why) => cell.refused = Some(why),
    }
}

/// Takes the answer out, if it is right.
fn check(mut run: Run, expected: f64) -> Result<Run, String> {
    match run.remove("answer") {
        Some(answer) if answer == expected => Ok(run),
        Some(answer) => Err(format!("wrong answer: {answer} instead of {expected}")),
        None => Err("it gave no answer".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// How many samples each of two contenders gives in three rounds, where each sample takes so
    /// long and the second contender is refused.
    fn samples(first: Duration, second: Duration) -> [usize; 2] {
        let plan = Plan {
            rounds: 3,
            sample: 1,
            budget: Duration::from_millis(20),
            quick: false,
            smallest: false,
            cores: 1,
        };
        let (mut cells, mut samples) = ([Cell::default(), Cell::default()], [0, 0]);
        run(plan, &mut cells, |place, cell| {
            samples[place] += 1;
            thread::sleep([first, second][place]);
            cell.refused = (place == 1).then(|| "hung".to_owned());
        });
        samples
    }

    #[test]
    fn who_hangs_takes_no_round_from_the_others() {
        let [short, long] = [0, 30].map(Duration::from_millis);
        assert_eq!(samples(short, long), [3, 1]);
        assert_eq!(samples(long, short), [1, 1]);
    }

    #[test]
    fn a_wrong_answer_is_named() {
        let run = |answer| Run::from([("answer".to_owned(), answer), ("time".to_owned(), 1.0)]);
        assert!(check(run(5.0), 5.0).is_ok_and(|run| run.len() == 1));
        let wrong = check(run(4.0), 5.0);
        assert_eq!(wrong, Err("wrong answer: 4 instead of 5".to_owned()));
        assert!(check(Run::new(), 5.0).is_err());
    }
}
