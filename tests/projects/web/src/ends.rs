//! How jobs end, and who hears of it.

use crate::page::{Count, Page};
use bevy_app::Update;
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use bevy_state::app::{AppExtStates, StatesPlugin};
use bevy_state::prelude::*;
use std::future::pending;
use std::sync::{Arc, Mutex};

pub async fn each_lane_is_polled(mut page: Page) {
    for lane in Lane::ALL {
        let job = page.world().spawn_job(lane, |_| async { 42 }).id();
        assert_eq!(page.outcome::<i32>(job).await, Ok(42));
        let mut job = page.world().get_mut::<Job<i32>>(job).unwrap();
        assert_eq!(job.poll(), None, "only once");
    }
}

pub async fn each_lane_is_observed(mut page: Page) {
    let sum = Count::default();
    for lane in Lane::ALL {
        let (sum, wait) = (sum.clone(), sum.clone());
        page.world()
            .spawn_job(lane, |_| async { 7_usize })
            .observe(move |done: On<JobDone<usize>>| sum.add(done.take().unwrap().unwrap()));
        let before = wait.get();
        page.until(|_| (wait.get() == before + 7).then_some(()))
            .await;
    }
    assert_eq!(sum.get(), 21);
}

pub async fn each_lane_is_handed_on(mut page: Page) {
    page.world().init_resource::<Count>();
    for (index, lane) in Lane::ALL.into_iter().enumerate() {
        let add =
            |In(outcome): In<JobOutcome<usize>>, count: Res<Count>| count.add(outcome.unwrap());
        let job = page.world().spawn_job(lane, |_| async { 5 }).then(add).id();
        page.until(|world| (world.resource::<Count>().get() == 5 * (index + 1)).then_some(()))
            .await;
        assert!(page.world().get_entity(job).is_err(), "it goes then");
    }
}

pub async fn a_list_is_polled(mut page: Page) {
    let sum = Count::default();
    let adds = sum.clone();
    page.app.add_systems(
        Update,
        move |mut jobs: Jobs<usize>, mut started: Local<bool>| {
            if !*started {
                *started = true;
                for (number, lane) in (1..).zip(Lane::ALL) {
                    jobs.start(lane, move |_| async move { number });
                }
            }
            let outcomes = jobs.iter_poll();
            outcomes.for_each(|(_, outcome)| adds.add(outcome.unwrap()));
        },
    );
    page.until(|_| (sum.get() == 6).then_some(())).await;
}

pub async fn a_despawned_job_is_cancelled(mut page: Page) {
    let (dropped, told) = (Count::default(), Count::default());
    for lane in Lane::ALL {
        let (guard, told) = (dropped.on_drop(), told.clone());
        let code = |_| async move {
            let _guard = guard;
            pending::<()>().await;
        };
        let job = page
            .world()
            .spawn_job(lane, code)
            .observe(move |_: On<JobDone<()>>| told.add(1))
            .id();
        page.frame().await;
        let before = dropped.get();
        page.world().despawn(job);
        page.until(|_| (dropped.get() == before + 1).then_some(()))
            .await;
    }
    page.frame().await;
    assert_eq!((dropped.get(), told.get()), (3, 0));
}

pub async fn a_detached_job_runs_on(mut page: Page) {
    let count = Count::default();
    let counts = count.clone();
    let code = |cx: JobContext| async move {
        for _ in 0..3 {
            cx.next_frame().await.unwrap();
        }
        counts.add(1);
    };
    let job = page.world().spawn_job(Lane::Io, code).detach().id();
    page.frame().await;
    page.world().despawn(job);
    page.until(|_| (count.get() == 1).then_some(())).await;
}

pub async fn waiting_jobs_hear_that_the_app_is_gone(mut page: Page) {
    let (waits, heard) = (Count::default(), Arc::new(Mutex::new(Vec::new())));
    let (tells, hears) = (waits.clone(), heard.clone());
    let code = |cx: JobContext| async move {
        cx.next_frame().await.unwrap();
        tells.add(1);
        let error = cx.next_frame().await;
        hears.lock().unwrap().push(error);
        let error = cx.world(|_| ()).await;
        hears.lock().unwrap().push(error);
    };
    page.world().spawn_job(Lane::Background, code).detach();
    page.until(|_| (waits.get() == 1).then_some(())).await;
    drop(page);
    // Where the event loop runs no tasks, another app's frame does.
    Page::new().frame().await;
    let gone = Err(WorldError::AppGone);
    assert_eq!(*heard.lock().unwrap(), [gone.clone(), gone]);
}

#[derive(States, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Screen {
    #[default]
    Loading,
    Playing,
    Over,
}

pub async fn a_state_waits_for_its_jobs_and_takes_them_with_it(mut page: Page) {
    page.app.add_plugins(StatesPlugin).init_state::<Screen>();
    let dropped = Count::default();
    let guard = dropped.on_drop();
    for frames in 1..4 {
        let code = move |cx: JobContext| async move {
            for done in 0..frames {
                cx.progress().set(done, frames);
                cx.next_frame().await.unwrap();
            }
        };
        page.world()
            .spawn_job(Lane::Io, code)
            .insert(DespawnOnExit(Screen::Loading));
    }
    let endless = |_| async move {
        let _guard = guard;
        pending::<()>().await;
    };
    page.world()
        .spawn_job(Lane::Background, endless)
        .insert(DespawnOnExit(Screen::Playing));
    let done = in_state(Screen::Loading).and_then(jobs_done(Screen::Loading));
    let start = |jobs: StateJobs<Screen>, mut next: ResMut<NextState<Screen>>| {
        assert_eq!(jobs.progress(&Screen::Loading).total, 6);
        next.set(Screen::Playing);
    };
    page.app.add_systems(Update, start.run_if(done));
    let is = |world: &mut World, screen| *world.resource::<State<Screen>>().get() == screen;
    page.until(|world| is(world, Screen::Playing).then_some(()))
        .await;
    assert_eq!(dropped.get(), 0);
    let mut next = page.world().resource_mut::<NextState<Screen>>();
    next.set(Screen::Over);
    page.until(|_| (dropped.get() == 1).then_some(())).await;
}
