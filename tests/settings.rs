//! What inspectors see of the settings. In a process of its own, for the beat holds where the pool
//! is new.
#![allow(missing_docs, reason = "a test")]

mod common;

use bevy_app::{App, TaskPoolOptions, TaskPoolPlugin};
use bevy_ecs::prelude::{AppTypeRegistry, ReflectComponent, ReflectResource};
use bevy_heartbeat::record::Record;
use bevy_heartbeat::{
    HeartbeatPlugin, HeartbeatSettings, LowerPriority, ThreadCount, WorldAccessBudget,
};
use bevy_reflect::{GetPath, Reflect};
use bevy_tasks::{AsyncComputeTaskPool, ComputeTaskPool, IoTaskPool};
use std::any::TypeId;
use std::path::PathBuf;
use std::time::Duration;

/// Calls `f` with the settings as an inspector finds them: by their type's name, in the registry
/// and then in the world.
fn inspect<R>(app: &App, f: impl FnOnce(&dyn Reflect) -> R) -> R {
    let world = app.world();
    let registry = world.resource::<AppTypeRegistry>().read();
    let registration = registry
        .get_with_short_type_path("HeartbeatSettings")
        .unwrap();
    assert!(registration.data::<ReflectResource>().is_some());
    let component = registration.data::<ReflectComponent>().unwrap();
    let id = world.components().get_id(registration.type_id()).unwrap();
    let entity = world.resource_entities().get(id).unwrap();
    f(component.reflect(world.entity(entity)).unwrap())
}

fn field<T: Reflect + Clone>(app: &App, path: &str) -> T {
    inspect(app, |settings| settings.path::<T>(path).unwrap().clone())
}

fn all_of_its_own() -> HeartbeatPlugin {
    HeartbeatPlugin {
        threads: Some(3),
        io_budget: Some(2),
        background_budget: Some(1),
        lower_threads: false,
        lower_priority: LowerPriority::Leftovers,
        place_threads: false,
        beat: Duration::from_micros(250),
        adaptive_schedules: false,
        record: Record::LateFrames {
            over: Duration::from_millis(20),
            keep: 8,
        },
        record_to: PathBuf::from("target/of-settings"),
        ..Default::default()
    }
}

/// One after the other, for they set up the same pool.
#[test]
fn inspectors_see_what_is_in_force() {
    common::within(60, || {
        lower_threads_get_the_priority_that_was_asked_for();
        what_is_configured_is_shown();
        what_bevys_options_say_is_shown_and_the_beat_stays();
        what_an_app_has_set_stays_as_an_older_one_finishes();
    });
}

/// As Linux tells it. Before the others, for threads that run keep what they have.
fn lower_threads_get_the_priority_that_was_asked_for() {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin {
        threads: Some(2),
        lower_priority: LowerPriority::Leftovers,
        // It stays the first one's.
        beat: all_of_its_own().beat,
        ..Default::default()
    });
    let policy = || {
        let told = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
        // Behind the name, which may have blanks: the third field is the next one, the policy the
        // 41st.
        let fields = told.rsplit_once(") ")?.1;
        fields.split(' ').nth(41 - 3).map(str::to_owned)
    };
    let policy = bevy_tasks::block_on(IoTaskPool::get().spawn(async move { policy() }));
    // SCHED_IDLE; nothing is known of other systems.
    assert!(policy.is_none_or(|policy| policy == "5"));
}

fn what_is_configured_is_shown() {
    let mut app = App::new();
    app.add_plugins(all_of_its_own());
    // The engine's own plugin would have made them.
    assert!(ComputeTaskPool::try_get().is_some() && IoTaskPool::try_get().is_some());
    assert!(AsyncComputeTaskPool::try_get().is_some());
    assert_eq!(field::<usize>(&app, "threads.0"), 3);
    assert_eq!(field::<ThreadCount>(&app, "threads"), ThreadCount::Code(3));
    assert_eq!(field::<usize>(&app, "io_budget"), 2);
    assert_eq!(field::<usize>(&app, "background_budget"), 1);
    assert!(!field::<bool>(&app, "lower_threads"));
    assert_eq!(field::<String>(&app, "lower_priority"), "Leftovers");
    assert!(!field::<bool>(&app, "place_threads"));
    let beat: Duration = field(&app, "beat");
    assert_eq!(beat, Duration::from_micros(250));
    assert!(!field::<bool>(&app, "adaptive_schedules"));
    let over: Duration = field(&app, "record.over");
    assert_eq!(over, Duration::from_millis(20));
    assert_eq!(field::<usize>(&app, "record.keep"), 8);
    let folder: PathBuf = field(&app, "record_to");
    assert_eq!(folder, PathBuf::from("target/of-settings"));

    let fields = inspect(&app, |settings| {
        let settings = settings.reflect_ref().as_struct().unwrap();
        settings.field_len()
    });
    assert_eq!(fields, 10, "a field that this test doesn't know");
    let registry = app.world().resource::<AppTypeRegistry>().read();
    for id in [TypeId::of::<Record>(), TypeId::of::<ThreadCount>()] {
        assert!(registry.contains(id));
    }
    // That one may be changed, too.
    let budget = registry.get(TypeId::of::<WorldAccessBudget>()).unwrap();
    assert!(budget.data::<ReflectResource>().is_some());
}

fn what_bevys_options_say_is_shown_and_the_beat_stays() {
    let mut task_pool_options = TaskPoolOptions::with_num_threads(2);
    task_pool_options.io.max_threads = 1;
    let mut app = App::new();
    app.add_plugins((
        HeartbeatPlugin::default(),
        TaskPoolPlugin { task_pool_options },
    ));
    app.finish();
    let settings = app.world().resource::<HeartbeatSettings>();
    assert_eq!(settings.threads, ThreadCount::Code(2));
    assert_eq!((settings.io_budget, settings.background_budget), (1, 1));
    assert!(settings.lower_threads && settings.place_threads);
    assert_eq!(settings.record, Record::Off);
    // The process's first plugin set it.
    assert_eq!(settings.beat, Duration::from_micros(250));
}

fn what_an_app_has_set_stays_as_an_older_one_finishes() {
    let with_threads = |threads| {
        let mut app = App::new();
        app.add_plugins(HeartbeatPlugin {
            threads: Some(threads),
            ..Default::default()
        });
        app
    };
    let mut older = with_threads(2);
    let _newer = with_threads(3);
    older.finish();
    assert_eq!(heartbeat_pool::global().num_threads(), 3);
}
