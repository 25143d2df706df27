//! The engine's own parallel iterations are known for what they are, by where they ask for their
//! number of batches and by the names of their closures: an engine that has moved these fails here.
#![allow(missing_docs, reason = "a test")]

mod common;

use bevy_app::Update;
use bevy_ecs::message::{Message, Messages};
use bevy_ecs::prelude::*;
use common::{app, within};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Short work: so few items that even a slow build is through with them before it could share them.
const ITEMS: u32 = 8;
/// As many, so that what nobody recognises has a batch for each item.
const THREADS: usize = ITEMS as usize;
const FRAMES: usize = 200;

#[derive(Component)]
struct Number(u32);

#[derive(Message)]
struct Told(u32);

/// Counts batches: those of queries say when they begin, and those of messages clone their closure.
#[derive(Resource)]
struct Batches(Arc<AtomicUsize>);

impl Clone for Batches {
    fn clone(&self) -> Self {
        self.begin();
        self.share()
    }
}

impl Batches {
    fn begin(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// For a closure that is yet to be cloned.
    fn share(&self) -> Self {
        Self(self.0.clone())
    }
}

/// The batches in `FRAMES` frames that run `system`.
fn batches<M>(system: impl IntoScheduleConfigs<bevy_ecs::system::ScheduleSystem, M>) -> usize {
    let batches = Arc::new(AtomicUsize::new(0));
    let mut app = app(THREADS);
    app.insert_resource(Batches(batches.clone()));
    app.init_resource::<Messages<Told>>();
    app.world_mut().spawn_batch((0..ITEMS).map(Number));
    app.add_systems(Update, system);
    for _ in 0..FRAMES {
        let mut messages = app.world_mut().resource_mut::<Messages<Told>>();
        messages.clear();
        messages.write_batch((0..ITEMS).map(Told));
        app.update();
    }
    batches.load(Ordering::Relaxed)
}

/// Fails unless the short work of `system` has few batches, as only what is known for an iteration
/// ever has. How often depends on how long the machine takes, so it is tried some times.
#[track_caller]
fn assert_few<M>(
    name: &str,
    system: impl IntoScheduleConfigs<bevy_ecs::system::ScheduleSystem, M> + Clone,
) {
    // One for every other thread, and of messages two copies of the closure more.
    let most = 7 * THREADS * FRAMES / 8;
    let mut tries = (0..40).map(|_| batches(system.clone()));
    assert!(
        tries.any(|batches| batches < most),
        "{name}: always {most} batches and more in {FRAMES} runs"
    );
}

#[test]
fn queries_that_are_iterated_in_parallel() {
    within(60, || {
        assert_few("par_iter", |all: Query<&Number>, batches: Res<Batches>| {
            let item = |(): &mut (), number: &Number| assert!(number.0 < ITEMS);
            all.par_iter().for_each_init(|| batches.begin(), item);
        });
        assert_few(
            "par_iter_mut",
            |mut all: Query<&mut Number>, batches: Res<Batches>| {
                let item = |(): &mut (), mut number: Mut<Number>| number.0 = number.0.min(ITEMS);
                all.par_iter_mut().for_each_init(|| batches.begin(), item);
            },
        );
    });
}

#[test]
fn messages_that_are_read_in_parallel() {
    within(60, || {
        assert_few(
            "par_read",
            |all: Res<Messages<Told>>, batches: Res<Batches>| {
                let counted = batches.share();
                all.get_cursor().par_read(&all).for_each(move |told| {
                    let _ = &counted;
                    assert!(told.0 < ITEMS);
                });
            },
        );
        assert_few(
            "par_read of a mutator",
            |mut all: ResMut<Messages<Told>>, batches: Res<Batches>| {
                let counted = batches.share();
                let mut cursor = all.get_cursor();
                cursor.par_read_mut(&mut all).for_each(move |told| {
                    let _ = &counted;
                    told.0 = told.0.min(ITEMS);
                });
            },
        );
    });
}
