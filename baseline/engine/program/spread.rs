//! A frame's work in many systems: beside each other, and in a chain.

use crate::apps;
use crate::sampling::{Subject, sample};
use crate::slots::{System, check_slot, insert_all, system_on};
use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use std::time::Duration;
use suite::Spinner;
use suite::program::Options;
use suite::program::{Figures, Problem};

/// An app whose systems are told by the steps that each takes.
pub struct Spread {
    /// It is updated through [`update`](Self::update) only.
    pub app: App,
    steps: Vec<u64>,
    /// Counted by [`update`](Self::update).
    frames: u64,
}

impl Spread {
    /// Independent systems.
    pub fn wide(app: App, steps: Vec<u64>) -> Self {
        let mut spread = Self::with_slots(app, steps);
        for slot in 0..spread.steps.len() {
            let system = system_on(slot, spread.steps[slot]);
            spread.app.add_systems(Update, system);
        }
        spread.begin()
    }

    /// One after the other.
    pub fn chain(app: App, steps: Vec<u64>) -> Self {
        let mut spread = Self::with_slots(app, steps);
        let systems = spread.steps.iter().enumerate();
        let systems = systems.map(|(slot, &steps)| system_on(slot, steps));
        let chain = systems.reduce(|chain: System, next| (chain, next).chain());
        if let Some(chain) = chain {
            spread.app.add_systems(Update, chain);
        }
        spread.begin()
    }

    fn with_slots(mut app: App, steps: Vec<u64>) -> Self {
        insert_all(app.world_mut(), steps.len());
        Self {
            app,
            steps,
            frames: 0,
        }
    }

    fn begin(mut self) -> Self {
        apps::begin(&mut self.app);
        self.frames = 1;
        self
    }

    /// A frame.
    pub fn update(&mut self) {
        self.app.update();
        self.frames += 1;
    }

    /// Whether each system has run in each frame.
    pub fn check(&self) -> Result<(), Problem> {
        let mut slots = self.steps.iter().enumerate();
        slots.try_for_each(|(slot, &steps)| check_slot(self.app.world(), slot, steps, self.frames))
    }
}

/// A frame on the pool and on one thread.
fn compare(options: &Options, mut on_pool: Spread, mut single: Spread) -> Figures {
    apps::make_single_threaded(&mut single.app);
    let figures = sample(
        options,
        vec![
            Subject::sure("update", || on_pool.update()),
            Subject::sure("single-threaded", || single.update()),
        ],
    )?;
    on_pool.check()?;
    single.check()?;
    Ok(figures)
}

/// 32 independent systems of that length.
pub fn wide(options: &Options, length: Duration) -> Figures {
    let steps = vec![Spinner::calibrate().steps(length); 32];
    let build = || Spread::wide(apps::app(), steps.clone());
    compare(options, build(), build())
}

/// Eight systems of that length in a chain.
pub fn chain(options: &Options, length: Duration) -> Figures {
    let steps = vec![Spinner::calibrate().steps(length); 8];
    let build = || Spread::chain(apps::app(), steps.clone());
    compare(options, build(), build())
}
