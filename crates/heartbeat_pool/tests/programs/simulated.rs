//! Programs in the scheduler.
//!
//! `HEARTBEAT_SIM_SECONDS` is for how long, `HEARTBEAT_SIM_SEED` the first seed. Zero seconds show
//! one program, and what became of it. `HEARTBEAT_SIM_FAILURES` is how many failures end it: more
//! than one for an overview. `HEARTBEAT_SIM_PROGRAMS` is how many programs end it, if the time
//! doesn't. `HEARTBEAT_SIM_FREEZE=verbs/fork.rs,worker/wait.rs` has threads stand still there,
//! anywhere in a file of the pool or at one line, for what needs one to miss a lot between two
//! steps of its own; `HEARTBEAT_SIM_JOINS=1` makes all programs those of `joins.rs`, which have
//! threads stand still where halves of joins come back, unless told otherwise.

use crate::generate;
use crate::ledger;
use crate::perform::Play;
use crate::program::Program;
use crate::stage::{self, number};
use heartbeat_pool::ThreadPool;
use heartbeat_pool::sim::{self, Outcome, Place, Settings};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// Longer than any timer of an idle pool lasts.
const IDLE: Duration = Duration::from_secs(3);

/// Where threads of `program` stand still: where the environment says, else where it says itself.
fn places(program: &Program) -> Vec<Place> {
    let by_environment = std::env::var("HEARTBEAT_SIM_FREEZE");
    let places = by_environment.as_deref().unwrap_or(&program.freezes_at);
    let place = |place: &str| match place.split_once(':') {
        Some((file, line)) => (
            file.to_owned(),
            Some(line.parse().expect("a line's number")),
        ),
        None => (place.to_owned(), None),
    };
    places.split_terminator(',').map(place).collect()
}

/// Performs `program` as the first thread of a run.
fn perform(program: &Program, play: &Arc<Play>) {
    let ledger = &play.ledger;
    let Some(pool) = stage::build(&program.pool, ledger, |builder| builder) else {
        return;
    };
    let second = stage::build_second(program, play);
    stage::outside(program, play, &pool);
    if program.settles {
        settle(&pool, play);
    }
    ledger.end();
    drop(pool);
    drop(second);
}

/// Waits for `pool` to become idle, and sees whether it is.
fn settle(pool: &ThreadPool, play: &Play) {
    let ledger = &play.ledger;
    sim::settle(IDLE);
    // Where it has no threads, nobody else does its work.
    while pool.num_threads() == 0 && pool.tick() {
        while pool.tick() {}
        sim::settle(IDLE);
    }
    // Work that goes on until other work has run may have ended just now.
    sim::settle(IDLE);
    let timers = sim::timers();
    if !timers.is_empty() {
        ledger.fail(format!("an idle pool has timers: {timers:?}"));
    }
    let unfinished = ledger.unfinished();
    if !unfinished.is_empty() {
        ledger.fail(format!("an idle pool has left {unfinished:?}"));
    }
    let unreported = ledger.unreported();
    if !unreported.is_empty() {
        ledger.fail(format!("the panic handler was not told of {unreported:?}"));
    }
}

fn run(seed: u64, is_shown: bool) -> Outcome {
    sim::forget();
    ledger::forget_stacks();
    let program = generate::program(seed, None);
    let mut settings = Settings::new(seed);
    settings.refused.clone_from(&program.pool.refused);
    let shortage = program.pool.shortage;
    settings.shortage = shortage.map(|shortage| (shortage.from, shortage.until));
    settings.freeze_at = places(&program);
    settings.never_refused = ["outside", "heartbeat late"].map(str::to_owned).to_vec();
    if program.is_endless {
        // So that what it waits for, mostly by a timer, comes soon.
        settings.tick = settings.tick.max(500);
    }
    if is_shown {
        println!("{program:?}\n{settings:?}");
    }
    let play = stage::play(&program);
    let ledger = play.ledger.clone();
    let outcome = sim::run(settings, move || perform(&program, &play));
    let undropped = || {
        let undropped = ledger.undropped();
        (!undropped.is_empty()).then(|| format!("not dropped once: {undropped:?}\n"))
    };
    Outcome {
        failure: outcome.failure.or_else(undropped),
        ..outcome
    }
}

/// What failures of one kind have in common, mostly.
fn kind(seed: u64, failure: &str) -> String {
    let first = failure.lines().next().unwrap_or_default();
    let first: String = first
        .chars()
        .filter(|c| !c.is_ascii_digit())
        .take(60)
        .collect();
    let waits = failure
        .lines()
        .filter_map(|line| line.rsplit_once("verb: \""));
    let mut verbs: Vec<_> = waits
        .filter_map(|(_, verb)| verb.split('"').next())
        .collect();
    verbs.sort_unstable();
    verbs.dedup();
    format!("{first}; in {verbs:?}; {}", marks(seed))
}

/// What `seed`'s program is, in a few words.
fn marks(seed: u64) -> String {
    let shape = generate::program(seed, None).pool;
    let marks = [
        (shape.threads == 0, "no threads"),
        (!shape.spares, "no spares"),
        (shape.lower, "lower"),
        (shape.resizes, "resizes"),
        (shape.is_twofold, "two pools"),
        (shape.late.is_some(), "late"),
        (!shape.refused.is_empty(), "refused"),
        (shape.shortage.is_some(), "short of threads"),
    ];
    let marks: Vec<_> = marks
        .into_iter()
        .filter_map(|(is, mark)| is.then_some(mark))
        .collect();
    marks.join(", ")
}

/// Ends a run on a panic that nobody planned.
fn watch_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.to_string();
        if sim::is_simulated() && !stage::is_end(&text) {
            sim::fail(format!("a panic: {text}"));
        } else if !sim::is_simulated() {
            usual(info);
        }
    }));
}

/// Makes the caller the only one who runs programs in this process, for these share what the pool
/// has learnt in it. What is made once in a process is made now, so that the first run is like all
/// others.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    static WATCHED: Once = Once::new();
    WATCHED.call_once(watch_panics);
    for seed in 0..3 {
        let warm_up = || {
            let pool = ThreadPool::builder().num_threads(2).build().unwrap();
            pool.broadcast(|_| ());
        };
        let _ = sim::run(Settings::new(seed), warm_up);
    }
    alone
}

/// Each seed twice, with others before it.
#[test]
fn a_seed_is_the_whole_story_of_a_run() {
    const RUNS: u64 = 250;
    let _alone = alone();
    let trace = |seed| {
        let outcome = run(seed, false);
        (outcome.steps, outcome.switches, outcome.trace)
    };
    let traces: Vec<_> = (0..RUNS).map(trace).collect();
    for seed in (0..RUNS).rev() {
        assert_eq!(trace(seed), traces[seed as usize], "seed {seed}");
    }
    let seeds: BTreeSet<_> = traces.into_iter().collect();
    assert!(seeds.len() > RUNS as usize * 9 / 10, "{}", seeds.len());
}

#[test]
fn programs_in_the_scheduler() {
    let seconds = number("HEARTBEAT_SIM_SECONDS").unwrap_or(5);
    let first = number("HEARTBEAT_SIM_SEED");
    let most = number("HEARTBEAT_SIM_FAILURES").unwrap_or(1);
    let most_runs = number("HEARTBEAT_SIM_PROGRAMS").unwrap_or(u64::MAX);
    let _alone = alone();
    let is_shown = seconds == 0;
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut seed = first.unwrap_or_else(|| u64::from(std::process::id()) * 1_000_000);
    let (mut runs, mut steps, mut switches, mut failures) = (0_u64, 0, 0, 0);
    let mut kinds: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    loop {
        let run = run(seed, is_shown);
        (runs, steps, switches) = (runs + 1, steps + run.steps, switches + run.switches);
        if let Some(failure) = run.failure {
            failures += 1;
            let seeds = kinds.entry(kind(seed, &failure)).or_default();
            if seeds.is_empty() {
                println!("HEARTBEAT_SIM_SEED={seed}: {failure}");
            }
            seeds.push(seed);
        }
        if failures >= most || runs >= most_runs || Instant::now() >= end {
            break;
        }
        seed += 1;
    }
    println!("{runs} programs, {steps} points, {switches} changes of threads");
    for (kind, seeds) in &kinds {
        let shown = &seeds[..seeds.len().min(12)];
        println!("{} times {kind}: {shown:?}", seeds.len());
    }
    assert_eq!(
        failures, 0,
        "to see one again: HEARTBEAT_SIM_SECONDS=0 HEARTBEAT_SIM_SEED=<its seed>"
    );
}
