//! Panics, which end the program on the web.

use crate::page::Page;
use bevy_heartbeat::prelude::*;

/// A job panics.
pub async fn in_a_job(mut page: Page) {
    page.world().spawn_job(Lane::Background, |_| async {
        panic!("the map is torn");
    });
    loop {
        page.frame().await;
    }
}
