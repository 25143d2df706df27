//! Joins whose halves come back: to a thread that waits in one of its joins comes the half of
//! another one, around it, which it may not run.

use crate::program::{Body, Fate, Join, Part, Program, Shape, Step};
use crate::random::Random;
use heartbeat_pool::{Lane, Order};

fn body(steps: Vec<Step>) -> Body {
    Body {
        steps: steps.into(),
        panics: false,
    }
}

fn join(a: Vec<Step>, b: Vec<Step>) -> Step {
    Step::Join(Join::Offered, body(a), body(b))
}

fn spawn(steps: Vec<Step>) -> Step {
    Step::Spawn(Lane::Frame, body(steps))
}

/// A pool with nothing unusual about it.
pub fn shape(threads: usize, order: Order) -> Shape {
    Shape {
        threads,
        order,
        spares: true,
        lower: false,
        brisk: true,
        refused: Vec::new(),
        shortage: None,
        resizes: false,
        late: None,
        is_twofold: false,
    }
}

/// One of the programs below.
pub fn program(mut random: Random, threads: usize) -> Program {
    if random.once_in(2) {
        wrong_half(random, threads)
    } else {
        older_job(random, threads)
    }
}

/// Two threads' joins, of which one's halves are taken while the other looks for them: where these
/// take so long just then, a thief takes the half of a join that it doesn't wait for.
fn wrong_half(mut random: Random, threads: usize) -> Program {
    let mut work = || Step::Work(random.of(&[0, 0, 1, 10, 60, 400]));
    let mut halves = |more: Vec<Step>| {
        let b = vec![work()];
        join([vec![work()], more].concat(), b)
    };
    let waiter = body((0..3).map(|_| halves(Vec::new())).collect());
    let mut outer = || {
        // The inner one's halves last until somebody has come for the second.
        let long = || vec![Step::Work(400)];
        spawn(vec![halves(vec![join(long(), long())])])
    };
    let spawner = body((0..3).map(|_| outer()).collect());
    Program {
        pool: shape(threads, Order::OldestFirst),
        outside: vec![waiter, spawner],
        settles: false,
        is_endless: false,
        freezes_at: "verbs/fork.rs".to_owned(),
    }
}

/// Where a thread has taken a half, and a job that is older, and gives the half back.
fn as_one_comes_back() -> String {
    let mut lines = include_str!("../../src/queue/by_age.rs").lines();
    let push = lines.position(|line| line.contains("pub(crate) fn push("));
    let lock = lines.position(|line| line.contains("lock(&self.items)"));
    let line = push.zip(lock).map(|(push, lock)| push + lock + 2);
    format!("queue/by_age.rs:{}", line.expect("a half comes back"))
}

/// A thread that waits for a half takes one that its thief has forked, and gives it back, for that
/// thief has queued a job before it. Where this takes long, somebody else comes for the half of a
/// join inside of it, and the thief waits there when the outer one's comes back. All others are
/// busy then with what comes from outside.
fn older_job(mut random: Random, threads: usize) -> Program {
    let mut work = |choices: &[u64]| Step::Work(random.of(choices));
    let mut round = || {
        // In pieces, so that the others go on meanwhile.
        let long = (0..40).map(|_| work(&[0, 1, 10])).collect();
        let inner = join(long, vec![work(&[400, 5_000])]);
        let outer = join(vec![inner], vec![work(&[0, 10])]);
        let older = [&[0][..], &[400, 5_000]].map(|time| spawn(vec![work(time)]));
        let b = [vec![work(&[0, 60])], older.into(), vec![outer]].concat();
        let waiter = body(vec![join(vec![work(&[10, 60, 400])], b)]);
        // Short, so that each of the others looks often for what comes from inside.
        let others = (0..6).map(|_| spawn(vec![work(&[0])]));
        let mut steps: Vec<_> = others.collect();
        let parts = [Part::Do(waiter)].into();
        steps.push(Step::Future(Lane::Frame, parts, Fate::Awaited));
        steps
    };
    let rounds = (0..3).flat_map(|_| round()).collect();
    Program {
        pool: shape(threads, Order::NewestFirst),
        outside: vec![body(rounds)],
        settles: false,
        is_endless: false,
        freezes_at: as_one_comes_back(),
    }
}
