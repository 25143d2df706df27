//! Jobs over frames that the page's event loop drives.

use crate::page::{Count, Page, timer};
use bevy_app::First;
use bevy_ecs::prelude::*;
use bevy_heartbeat::EntityJobs;
use bevy_heartbeat::prelude::*;
use js_sys::Promise;
use std::sync::mpsc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[derive(Resource, Default)]
struct Frame(u32);

pub async fn a_job_sees_each_frame(mut page: Page) {
    page.world().init_resource::<Frame>();
    page.app
        .add_systems(First, |mut frame: ResMut<Frame>| frame.0 += 1);
    let code = |cx: JobContext| async move {
        let mut seen = Vec::new();
        for done in 0..10 {
            cx.progress().set(done, 10);
            seen.push(cx.with(|frame: Res<Frame>| frame.0).await?);
            cx.next_frame().await?;
        }
        Ok::<_, WorldError>(seen)
    };
    let job = page.world().spawn_job(Lane::Background, code).id();
    let seen = page.outcome::<Result<Vec<u32>, WorldError>>(job).await;
    let seen = seen.unwrap().unwrap();
    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");
    let jobs = page.world().get::<EntityJobs>(job).unwrap();
    assert!(jobs.iter().all(|job| job.progress().done == 10));
}

/// What a callback of the page sends, in a later turn of its event loop, a job receives.
pub async fn the_page_answers_a_job(mut page: Page) {
    let (answer, answered) = async_channel::bounded(1);
    let code = |cx: JobContext| async move {
        let answer: i32 = answered.recv().await.unwrap();
        answer + cx.world(|_| 1).await.unwrap()
    };
    let job = page.world().spawn_job(Lane::Io, code).id();
    page.frame().await;
    wasm_bindgen_futures::spawn_local(async move {
        timer(20).await.unwrap();
        answer.try_send(41).unwrap();
    });
    assert_eq!(page.outcome(job).await, Ok(42));
}

#[wasm_bindgen]
extern "C" {
    fn fetch(url: &str) -> Promise;
    type Response;
    #[wasm_bindgen(method)]
    fn text(this: &Response) -> Promise;
}

async fn get(url: &str) -> String {
    let response: Response = JsFuture::from(fetch(url)).await.unwrap().unchecked_into();
    let text = JsFuture::from(response.text()).await.unwrap();
    text.as_string().unwrap()
}

/// What no other thread may have: values of the page.
pub async fn a_job_awaits_promises(mut page: Page) {
    let code = |cx: JobContext| async move {
        let one = get("data:,one").await;
        let two = cx.lane(Lane::Io, get("data:,two")).await;
        let three = cx.world(|_| "three").await.unwrap();
        [one, two, three.to_owned()].join(" ")
    };
    let job = page.world().spawn_job(Lane::Background, code).id();
    let text = page.outcome::<String>(job).await;
    assert_eq!(text, Ok("one two three".to_owned()));
}

pub async fn a_thousand_jobs_end(mut page: Page) {
    let count = Count::default();
    for index in 0..1_000_usize {
        let count = count.clone();
        let lane = Lane::ALL[index % 3];
        page.world()
            .spawn_job(lane, move |cx| async move {
                for _ in 0..index % 7 {
                    cx.next_frame().await.unwrap();
                }
                cx.world(|_| ()).await.unwrap();
                index
            })
            .then(move |outcome: In<JobOutcome<usize>>| count.add(outcome.0.unwrap()));
    }
    page.until(|_| (count.get() == 999 * 500).then_some(()))
        .await;
    let world = page.world();
    assert_eq!(world.query::<&Job<usize>>().iter(world).count(), 0);
}

/// A job that awaits what is no frame's goes on in the page's event loop alone. Without that, the
/// frames run it, and it stands while they do.
pub async fn jobs_go_on_while_the_app_stands(mut page: Page) {
    let (tells, told) = mpsc::channel();
    let (go, goes) = async_channel::bounded(1);
    page.world().spawn_job(Lane::Io, |_| async move {
        goes.recv().await.unwrap();
        tells.send(()).unwrap();
    });
    page.frame().await;
    go.try_send(()).unwrap();
    timer(20).await.unwrap();
    assert_eq!(told.try_recv().is_ok(), cfg!(feature = "web"));
    page.frame().await;
    assert_eq!(told.try_recv().is_ok(), cfg!(not(feature = "web")));
}
