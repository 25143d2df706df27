//! `ParQuery`: every item once, in order, on any number of threads.

mod common;

use bevy_app::Update;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::{Allow, IterQueryData, QueryFilter, QueryNotDenseError};
use bevy_ecs::system::{RunSystemOnce, SystemParam, SystemState};
use bevy_heartbeat::ParQuery;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// In an interpreter, little is enough.
const ENTITIES: usize = if cfg!(miri) { 24 } else { 5_000 };

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Number(u64);
#[derive(Component)]
struct Even;
#[derive(Component)]
struct Third(Box<u64>);
#[derive(Component)]
struct Fourth;
#[derive(Component)]
#[component(storage = "SparseSet")]
struct Sparse(#[expect(dead_code, reason = "it has a size")] u64);
#[derive(Component)]
#[component(storage = "SparseSet")]
struct SparseTag;

/// Numbers in many tables and archetypes, with gaps and moved rows.
fn fill(world: &mut World, entities: usize) {
    let mut spawned = Vec::new();
    for i in 0..entities as u64 {
        let mut entity = world.spawn(Number(i));
        if i % 2 == 0 {
            entity.insert(Even);
        }
        if i % 3 == 0 {
            entity.insert(Third(Box::new(i)));
        }
        if i % 5 == 0 {
            entity.insert(Sparse(i));
        }
        if i % 7 == 0 {
            entity.insert(SparseTag);
        }
        if i % 11 == 0 {
            entity.insert(Fourth);
        }
        spawned.push(entity.id());
    }
    for &entity in spawned.iter().step_by(13) {
        world.despawn(entity);
    }
    for &entity in spawned.iter().skip(1).step_by(17) {
        if let Ok(mut entity) = world.get_entity_mut(entity) {
            entity
                .remove::<(Even, SparseTag)>()
                .insert(Third(Box::new(1)));
        }
    }
}

/// Calls `f` with the pool at several sizes, one after the other: the process has one pool.
fn at_each_size(f: impl Fn() + Send + Sync + 'static) {
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    common::within(if cfg!(miri) { 3_600 } else { 240 }, move || {
        let _turn = ONE_AT_A_TIME.lock();
        let sizes: &[usize] = if cfg!(miri) { &[2] } else { &[0, 1, 2, 8] };
        for &threads in sizes {
            heartbeat_pool::global().resize_to(threads).unwrap();
            // From outside, and from a job.
            if !cfg!(miri) {
                f();
            }
            heartbeat_pool::global().scope(|scope| scope.spawn(&f));
        }
        heartbeat_pool::global().resize_to(0).unwrap();
    });
}

/// Takes a while, so that the rest is shared.
fn pause() {
    if cfg!(miri) {
        return thread::yield_now();
    }
    let start = Instant::now();
    while start.elapsed() < Duration::from_micros(1) {}
}

/// The query's items are gone through once and in order, whatever its data and filter.
fn check<D, F>(world: &mut World)
where
    D: IterQueryData + 'static,
    F: QueryFilter + 'static,
{
    let mut state = SystemState::<ParQuery<(Entity, D), F>>::new(world);
    let mut check = |world: &mut World| {
        let mut query = state.get_mut(world).unwrap();
        let serial: Vec<_> = query.iter().map(|(entity, _)| entity).collect();
        assert_eq!(serial.iter().collect::<HashSet<_>>().len(), serial.len());
        assert_eq!(query.par_iter().map(|(entity, _)| entity), serial);
        let slowly = |(entity, _)| {
            pause();
            entity
        };
        assert_eq!(query.par_iter_mut().map(slowly), serial);
        let folded = query.par_iter_mut().fold(
            Vec::new,
            |all, (entity, _)| all.push(entity),
            |left, right| [left, right].concat(),
        );
        assert_eq!(folded, serial);
        let each = std::sync::Mutex::new(Vec::new());
        query
            .par_iter_mut()
            .for_each(|(entity, _)| each.lock().unwrap().push(entity));
        let mut each = each.into_inner().unwrap();
        each.sort();
        let mut sorted = serial.clone();
        sorted.sort();
        assert_eq!(each, sorted);
    };
    check(world);
    // What comes later is seen as well: new rows, tables and archetypes.
    #[derive(Component)]
    struct Later;
    #[derive(Component)]
    #[component(storage = "SparseSet")]
    struct LaterStill;
    let mut fresh = Vec::new();
    for i in 0..if cfg!(miri) { 2 } else { 10 } {
        let bundle = (Number(i), Even, Third(Box::new(i)), Sparse(i), Fourth);
        fresh.push(world.spawn((bundle, Later)).id());
        fresh.push(world.spawn((Number(i), LaterStill)).id());
        fresh.push(world.spawn((Number(i), LaterStill, Later, Even)).id());
    }
    check(world);
    for entity in fresh {
        world.despawn(entity);
    }
    check(world);
}

#[test]
fn every_item_comes_once_and_in_order() {
    at_each_size(|| {
        for entities in [0, 1, 100, ENTITIES] {
            if cfg!(miri) && entities == 100 {
                continue;
            }
            let mut world = World::new();
            fill(&mut world, entities);
            let world = &mut world;
            check::<&mut Number, ()>(world);
            check::<(&Number, &mut Third), ()>(world);
            check::<&Number, (With<Even>, Without<Third>)>(world);
            check::<&mut Sparse, ()>(world);
            check::<(&mut Number, Option<&Sparse>), With<SparseTag>>(world);
            if cfg!(miri) {
                continue;
            }
            check::<(Option<&mut Third>, Has<Even>), ()>(world);
            check::<EntityMut, Or<(With<Fourth>, With<SparseTag>)>>(world);
            check::<EntityRef, ()>(world);
            check::<(), Without<Number>>(world);
            check::<AnyOf<(&mut Sparse, &Third)>, ()>(world);
            check::<(Ref<Number>, &mut Sparse), Changed<Number>>(world);
            check::<&mut Number, Added<Number>>(world);
            check::<&Number, Allow<Disabled>>(world);
        }
    });
}

#[test]
fn disabled_entities_stay_out_even_by_a_sparse_component() {
    at_each_size(|| {
        let mut world = World::new();
        world.register_disabling_component::<SparseTag>();
        fill(&mut world, ENTITIES.min(100));
        world.spawn((Number(0), Disabled));
        check::<&mut Number, ()>(&mut world);
        let columns = |numbers: ParQuery<&Number>| numbers.contiguous_par_iter().map(drop);
        assert!(world.run_system_once(columns).unwrap().is_err());
    });
}

#[test]
fn columns_are_whole_and_in_order() {
    at_each_size(|| {
        for entities in [0, 1, ENTITIES] {
            let mut world = World::new();
            fill(&mut world, entities);
            let mut state =
                SystemState::<ParQuery<(Entity, &mut Number, Has<Even>)>>::new(&mut world);
            let mut query = state.get_mut(&mut world).unwrap();
            let serial: Vec<_> = query
                .iter()
                .map(|(entity, number, _)| (entity, number.0 + 1))
                .collect();
            let columns = query.contiguous_par_iter_mut().unwrap();
            columns.for_each(|(entities, mut numbers, _)| {
                assert!(!entities.is_empty() && entities.len() == numbers.len());
                for number in numbers.iter_mut() {
                    pause();
                    number.0 += 1;
                }
            });
            let folded = query.contiguous_par_iter().unwrap().fold(
                Vec::new,
                |all, (entities, numbers, _)| {
                    let numbers = numbers.iter().map(|number| number.0);
                    all.extend(entities.iter().copied().zip(numbers));
                },
                |left, right| [left, right].concat(),
            );
            assert_eq!(folded, serial);
            let pieces = AtomicUsize::new(0);
            query.contiguous_par_iter().unwrap().for_each_init(
                || Rc::new(1),
                |one, _| _ = pieces.fetch_add(**one, Ordering::Relaxed),
            );
            assert_eq!(pieces.into_inner() > 0, !serial.is_empty());
        }
    });
}

#[test]
fn what_is_not_in_tables_has_no_columns() {
    fn sparse(mut all: ParQuery<&mut Sparse>) -> Result<(), QueryNotDenseError> {
        all.contiguous_par_iter_mut()
            .map(|all| all.for_each(|_| ()))
    }
    let mut world = World::new();
    fill(&mut world, 20);
    let error = world.run_system_once(sparse).unwrap().unwrap_err();
    assert!(error.to_string().contains("non-dense"), "{error}");
}

#[test]
fn changes_are_seen_afterwards_and_only_those() {
    at_each_size(|| {
        let mut world = World::new();
        fill(&mut world, ENTITIES.min(200));
        let mut schedule = Schedule::default();
        #[derive(Resource, Default)]
        struct Seen(Vec<[usize; 3]>);
        world.init_resource::<Seen>();
        let write = |mut all: ParQuery<&mut Number>| {
            all.par_iter_mut().for_each(|mut number| {
                if number.0 % 4 == 0 {
                    number.0 += 4;
                }
            });
        };
        let by_columns = |mut all: ParQuery<&mut Third>| {
            let all = all.contiguous_par_iter_mut().unwrap();
            all.for_each(|mut all| all.iter_mut().for_each(|third| *third.0 += 1));
        };
        let read = |changed: ParQuery<&Number, Changed<Number>>,
                    refs: ParQuery<Ref<Number>>,
                    third: ParQuery<(), Changed<Third>>,
                    mut seen: ResMut<Seen>| {
            let fours = changed.par_iter().map(|number| number.0 % 4 == 0);
            assert!(seen.0.is_empty() || fours.iter().all(|&four| four));
            let flags = refs.par_iter().map(|number| number.is_changed());
            let flags = flags.into_iter().filter(|&changed| changed).count();
            let third = third.par_iter().map(|()| ()).len();
            seen.0.push([fours.len(), flags, third]);
        };
        schedule.add_systems((write, by_columns, read).chain());
        let mut numbers = world.query::<&Number>();
        let numbers: Vec<_> = numbers.iter(&world).copied().collect();
        let fours = numbers.iter().filter(|number| number.0 % 4 == 0).count();
        let thirds = world.query::<&Third>().iter(&world).count();
        for _ in 0..3 {
            schedule.run(&mut world);
        }
        // At first, all is new.
        let all = [numbers.len(), numbers.len(), thirds];
        let changed = [fours, fours, thirds];
        assert_eq!(world.resource::<Seen>().0, [all, changed, changed]);
    });
}

#[test]
fn a_state_stays_on_its_thread_and_may_be_a_borrow() {
    thread_local!(static LOCAL: RefCell<u64> = const { RefCell::new(0) });
    at_each_size(|| {
        let mut world = World::new();
        fill(&mut world, ENTITIES);
        let made = AtomicUsize::new(0);
        let sum = AtomicUsize::new(0);
        let add = |numbers: ParQuery<&Number>| {
            numbers.par_iter().for_each_init(
                || {
                    made.fetch_add(1, Ordering::Relaxed);
                    LOCAL.with(|_| (Rc::new(thread::current().id()), &sum))
                },
                |(thread, sum), number| {
                    assert_eq!(**thread, thread::current().id());
                    pause();
                    sum.fetch_add(number.0 as usize, Ordering::Relaxed);
                    LOCAL.with(|local| *local.borrow_mut() += 1);
                },
            );
            numbers
                .iter()
                .map(|number| number.0 as usize)
                .sum::<usize>()
        };
        let expected = world.run_system_once_with_borrow(add);
        assert_eq!(sum.into_inner(), expected);
        assert!((1..ENTITIES).contains(&made.into_inner()));
    });
}

/// A system that borrows from the test.
trait RunBorrowed {
    fn run_system_once_with_borrow<R>(&mut self, f: impl FnOnce(ParQuery<&Number>) -> R) -> R;
}

impl RunBorrowed for World {
    fn run_system_once_with_borrow<R>(&mut self, f: impl FnOnce(ParQuery<&Number>) -> R) -> R {
        let mut state = SystemState::<ParQuery<&Number>>::new(self);
        f(state.get(self).unwrap())
    }
}

#[test]
fn panics_reach_the_caller() {
    at_each_size(|| {
        let mut world = World::new();
        fill(&mut world, ENTITIES);
        let mut state = SystemState::<ParQuery<&mut Number>>::new(&mut world);
        for at in [1, 2, ENTITIES as u64 - 2] {
            let mut query = state.get_mut(&mut world).unwrap();
            let result = catch_unwind(AssertUnwindSafe(|| {
                query.par_iter_mut().map(|number| {
                    pause();
                    if number.0 == at {
                        std::panic::panic_any(at);
                    }
                    Box::new(number.0)
                })
            }));
            assert_eq!(result.unwrap_err().downcast_ref(), Some(&at));
        }
        let all = state.get_mut(&mut world).unwrap().par_iter().map(|_| ());
        assert!(!all.is_empty());
    });
}

#[test]
fn iterations_nest() {
    at_each_size(|| {
        let mut world = World::new();
        fill(&mut world, ENTITIES.min(60));
        let pairs = world.run_system_once_with_borrow(|numbers| {
            let count = numbers.iter().count();
            let inner = |_: &Number| {
                pause();
                numbers.par_iter().map(|_| ()).len()
            };
            let all = numbers.par_iter().map(inner);
            assert_eq!(all, vec![count; count]);
            all.len()
        });
        assert!(pairs > 0);
    });
}

#[test]
#[cfg_attr(miri, ignore = "an app is slow")]
fn systems_of_an_app_read_at_once_and_write_alone() {
    common::within(120, || {
        let mut app = common::app(2);
        fill(app.world_mut(), ENTITIES);
        let write = |mut all: ParQuery<&mut Number>| {
            all.par_iter_mut().for_each(|mut number| number.0 += 1);
        };
        let read = |all: ParQuery<&Number>, plain: Query<&Number>| {
            let sum = all
                .par_iter()
                .fold(|| 0, |sum, it| *sum += it.0, |a, b| a + b);
            assert_eq!(sum, plain.iter().map(|number| number.0).sum::<u64>());
        };
        app.add_systems(Update, (write, read, write, read, read));
        for _ in 0..50 {
            app.update();
        }
    });
}

#[test]
fn it_stands_where_a_query_does() {
    #[derive(SystemParam)]
    struct Param<'w, 's> {
        numbers: ParQuery<'w, 's, &'static mut Number>,
    }
    let mut world = World::new();
    let one = world.spawn(Number(1)).id();
    let system =
        move |mut param: Param, mut sets: ParamSet<(ParQuery<&Third>, ParQuery<&mut Third>)>| {
            for mut number in &mut param.numbers {
                number.0 += 1;
            }
            for number in &param.numbers {
                assert_eq!(number.0, 2);
            }
            assert_eq!(param.numbers.get(one).unwrap().0, 2);
            *param.numbers.query_mut().get_mut(one).unwrap() = Number(5);
            assert_eq!(param.numbers.single().unwrap().0, 5);
            assert!(sets.p0().is_empty() && sets.p1().is_empty());
            assert!(format!("{:?}", param.numbers).starts_with("ParQuery(Query"));
        };
    world.run_system_once(system).unwrap();
    bevy_ecs::system::assert_is_read_only_system(|_: ParQuery<&Number>| ());
}

#[test]
fn params_that_conflict_are_refused_as_a_querys_are() {
    fn refused<M>(system: impl IntoSystem<(), (), M>) -> bool {
        let mut system = IntoSystem::into_system(system);
        catch_unwind(AssertUnwindSafe(|| system.initialize(&mut World::new()))).is_err()
    }
    assert!(refused(|_: ParQuery<&mut Number>, _: ParQuery<&Number>| ()));
    assert!(refused(|_: Query<&Number>, _: ParQuery<&mut Number>| ()));
    assert!(refused(|_: ParQuery<(&mut Number, &Number)>| ()));
    assert!(refused(|_: &World, _: ParQuery<&mut Number>| ()));
    assert!(!refused(|_: ParQuery<&Number>, _: Query<&Number>| ()));
    assert!(!refused(
        |_: ParQuery<&mut Number, With<Even>>, _: ParQuery<&mut Number, Without<Even>>| ()
    ));
}

#[test]
fn another_worlds_query_is_refused() {
    let (mut world, mut other) = (World::new(), World::new());
    let mut state = SystemState::<ParQuery<&mut Number>>::new(&mut world);
    let result = catch_unwind(AssertUnwindSafe(|| state.get_mut(&mut other).map(drop)));
    assert!(result.is_err());
}

#[test]
fn small_work_stays_on_its_thread() {
    at_each_size(|| {
        let mut world = World::new();
        fill(&mut world, 1);
        let threads = world.run_system_once_with_borrow(|numbers| {
            numbers.par_iter().fold(
                HashMap::new,
                |threads, _| *threads.entry(thread::current().id()).or_insert(0) += 1,
                |_, _| unreachable!("nothing was shared"),
            )
        });
        assert!(threads.keys().all(|&id| id == thread::current().id()));
    });
}

/// In the order in which the query took them in, though it has not run meanwhile.
#[test]
fn archetypes_that_come_before_the_first_run_come_after_those_that_were_there() {
    at_each_size(|| {
        let mut world = World::new();
        let unlike = |world: &mut World, kind: u64| {
            let mut entity = world.spawn((Number(kind), Even));
            if kind & 1 != 0 {
                entity.insert(Third(Box::new(kind)));
            }
            if kind & 2 != 0 {
                entity.insert(Fourth);
            }
            if kind & 4 != 0 {
                entity.insert(Sparse(kind));
            }
            if kind & 8 != 0 {
                entity.insert(SparseTag);
            }
        };
        (0..16).step_by(3).for_each(|kind| unlike(&mut world, kind));
        let mut state = SystemState::<ParQuery<(Entity, &Number), With<Even>>>::new(&mut world);
        (0..16).for_each(|kind| unlike(&mut world, kind));
        let query = state.get(&world).unwrap();
        let serial: Vec<_> = query.iter().map(|(entity, _)| entity).collect();
        assert_eq!(query.par_iter().map(|(entity, _)| entity), serial);
    });
}
