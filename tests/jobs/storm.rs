//! Jobs of all kinds at once, of which many are ended from outside: each future is dropped, each
//! end is told once at most, and nothing is left.

use super::*;
use std::future::{Future, pending};
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::Duration;

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    /// A number below `sides`.
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// How many futures there are.
#[derive(Clone, Default)]
struct Living(Arc<AtomicUsize>);

struct Alive(Living);

impl Living {
    fn one(&self) -> Alive {
        self.0.fetch_add(1, Ordering::SeqCst);
        Alive(self.clone())
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[derive(Resource, Default)]
struct Count(u64);

#[derive(Resource)]
struct Missing;

fn count(mut count: ResMut<Count>) {
    count.0 += 1;
}

const KINDS: u64 = 14;
const FOR_EVER: u64 = 9;

/// One of the things that a job may do.
async fn act(cx: &JobContext, kind: u64, living: &Living) -> Result<(), WorldError> {
    match kind {
        0 => {}
        1 => cx.with(count).await?,
        2 => cx.next_frame().await?,
        3 => cx.sleep(Duration::from_micros(100)).await?,
        4 => {
            cx.blocking(|| thread::sleep(Duration::from_micros(50)))
                .await;
        }
        5 => cx.lane(Lane::Frame, async {}).await,
        6 => {
            // Asked for, and then given up.
            let mut context = Context::from_waker(Waker::noop());
            assert!(pin!(cx.with(count)).poll(&mut context).is_pending());
            assert!(pin!(cx.next_frame()).poll(&mut context).is_pending());
            assert!(
                pin!(cx.sleep(Duration::MAX))
                    .poll(&mut context)
                    .is_pending()
            );
        }
        7 => panic!("one of a storm's panics"),
        8 => {
            // Ended by itself, at its next await.
            let own = cx.entity();
            cx.world(move |world| own.map(|own| world.try_despawn(own)))
                .await?;
            cx.with(count).await?;
        }
        FOR_EVER => pending().await,
        10 => {
            let alive = living.one();
            cx.world(move |world| {
                let job = world.spawn_job(Lane::Io, |_| async move { drop(alive) });
                job.detach();
            })
            .await?;
        }
        11 => {
            cx.join(|| (), || ());
        }
        12 => {
            cx.scope(|scope| scope.spawn(async {}));
        }
        _ => {
            let missing = cx.with(|_: Res<Missing>| ()).await;
            assert!(missing.is_err());
        }
    }
    Ok(())
}

/// What is known of a job, beside its future.
struct Known {
    entity: Entity,
    told: Arc<AtomicUsize>,
    /// Its entity's observer would hear of another job's end, too.
    is_observed: bool,
}

/// Starts a job of one to three acts, on an entity of its own or on that one.
fn start(app: &mut App, dice: &mut Dice, living: &Living, on: Option<Entity>) -> Known {
    let how = dice.roll(4);
    let is_detached = how == 2;
    let mut acts: Vec<_> = (0..=dice.roll(3)).map(|_| dice.roll(KINDS)).collect();
    // One that is detached and waits for ever does so, whatever becomes of the app.
    acts.retain(|kind| !(is_detached && *kind == FOR_EVER));
    let (alive, inside) = (living.one(), living.clone());
    let job = move |cx: JobContext| async move {
        let _alive = alive;
        for kind in acts {
            // It may be over while it asks.
            _ = act(&cx, kind, &inside).await;
        }
    };
    let lane = Lane::ALL[dice.roll(3) as usize];
    let mut commands = app.world_mut().commands();
    let told = Arc::new(AtomicUsize::new(0));
    let teller = told.clone();
    let tell = move || {
        teller.fetch_add(1, Ordering::SeqCst);
    };
    let mut given;
    let job = match on {
        Some(entity) => {
            given = commands.entity(entity);
            given.spawn_job(lane, job)
        }
        None => commands.spawn_job(lane, job),
    };
    let entity = job.id();
    let job = match dice.roll(4) {
        0 => job.timeout(Duration::ZERO),
        1 => job.timeout(Duration::from_millis(dice.roll(3))),
        2 => job.timeout(Duration::MAX),
        _ => job,
    };
    let is_observed = how == 1 && on.is_none();
    match how {
        0 => drop(job.then(move |_: In<JobOutcome<()>>| tell())),
        1 if is_observed => drop(job.observe(move |_: On<JobDone<()>>| tell())),
        _ if is_detached => drop(job.detach().named("detached")),
        _ => drop(job),
    }
    Known {
        entity,
        told,
        is_observed,
    }
}

/// Ends one of the jobs in one of the ways there are, or looks at it.
fn meddle(app: &mut App, dice: &mut Dice, entity: Entity) {
    let Ok(mut entity) = app.world_mut().get_entity_mut(entity) else {
        return;
    };
    match dice.roll(5) {
        0 => entity.despawn(),
        1 => drop(entity.take::<Job<()>>()),
        2 => {
            if let Some(job) = entity.get::<Job<()>>() {
                job.cancel();
            }
        }
        _ => {
            if let Some(mut job) = entity.get_mut::<Job<()>>() {
                job.poll();
            }
        }
    }
}

fn storm(app: &mut App, seed: u64) -> Living {
    app.init_resource::<Count>();
    let (mut dice, living) = (Dice(seed), Living::default());
    let mut jobs: Vec<Known> = Vec::new();
    for _ in 0..100 {
        for _ in 0..dice.roll(20) {
            let known = dice.roll(1 + jobs.len() as u64) as usize;
            let on = jobs.get(known).filter(|job| !job.is_observed);
            let on = on.map(|job| job.entity).filter(|_| dice.roll(5) == 0);
            jobs.push(start(app, &mut dice, &living, on));
        }
        for _ in 0..dice.roll(10) {
            let known = dice.roll(1 + jobs.len() as u64) as usize;
            if let Some(job) = jobs.get(known) {
                meddle(app, &mut dice, job.entity);
            }
        }
        app.update();
    }
    for job in &jobs {
        assert!(job.told.load(Ordering::SeqCst) <= 1, "{seed}");
    }
    if dice.roll(2) == 0 {
        // In the other half, the app ends its jobs.
        for job in &jobs {
            _ = app.world_mut().try_despawn(job.entity);
        }
        app.update();
    }
    living
}

#[test]
fn whatever_ends_jobs_each_future_is_dropped_and_no_end_is_told_twice() {
    for seed in 1..=20 {
        let living = Arc::new(Mutex::new(None));
        let left = living.clone();
        with_app(move |app| *left.lock().unwrap() = Some(storm(app, seed)));
        // The app is gone.
        let living = living.lock().unwrap().take().unwrap();
        within(60, move || {
            while living.count() > 0 {
                thread::yield_now();
            }
        });
    }
}
