//! An app whose frames the page's event loop drives.

use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use js_sys::{Function, Promise};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(then: &Function, milliseconds: i32) -> JsValue;
}

/// A promise that is kept after so long.
pub fn timer(milliseconds: i32) -> JsFuture {
    Promise::new(&mut |resolve, _| _ = set_timeout(&resolve, milliseconds)).into()
}

/// Lets the event loop turn once.
pub async fn turn() {
    timer(0).await.unwrap();
}

/// A page with an app.
pub struct Page {
    pub app: App,
}

impl Page {
    pub fn new() -> Self {
        let mut app = App::new();
        app.add_plugins((TaskPoolPlugin::default(), HeartbeatPlugin::default()));
        #[cfg(feature = "web")]
        app.add_plugins(bevy_time::TimePlugin);
        Self { app }
    }

    pub fn world(&mut self) -> &mut World {
        self.app.world_mut()
    }

    /// A frame and a turn of the event loop.
    pub async fn frame(&mut self) {
        self.app.update();
        turn().await;
    }

    /// Frames until there is an answer.
    pub async fn until<R>(&mut self, mut answer: impl FnMut(&mut World) -> Option<R>) -> R {
        loop {
            if let Some(answer) = answer(self.world()) {
                return answer;
            }
            self.frame().await;
        }
    }

    /// Frames until the entity's job has an outcome.
    pub async fn outcome<T: Send + 'static>(&mut self, entity: Entity) -> JobOutcome<T> {
        self.until(|world| world.get_mut::<Job<T>>(entity).unwrap().poll())
            .await
    }
}

/// A count that jobs and their page share.
#[derive(Resource, Clone, Default)]
pub struct Count(Arc<AtomicUsize>);

impl Count {
    pub fn add(&self, more: usize) {
        self.0.fetch_add(more, Ordering::SeqCst);
    }

    pub fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// Counts one when it is dropped.
    pub fn on_drop(&self) -> impl Send + 'static {
        struct OnDrop(Count);
        impl Drop for OnDrop {
            fn drop(&mut self) {
                self.0.add(1);
            }
        }
        OnDrop(self.clone())
    }
}
