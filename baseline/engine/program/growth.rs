//! Whether a system costs more in a larger app.

use crate::apps;
use crate::sampling::{Subject, sample};
use crate::slots::{System, check_slot, insert_all, system_on};
use bevy_app::{App, AppLabel, SubApp, Update};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use std::time::Instant;
use suite::median;
use suite::program::Options;
use suite::program::{Figures, Problem};

const SIZES: [usize; 4] = [125, 250, 500, 1000];
const SCHEDULES: usize = 50;
const SUB_APPS: usize = 5;

/// What holds the systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// `Update`.
    Update,
    /// 50 schedules that one exclusive system runs.
    Schedules,
    /// Five sub-apps.
    SubApps,
}

#[derive(ScheduleLabel, AppLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct Part(usize);

/// Half of the systems are in pairs that write the same; the others conflict with nothing.
fn system(number: usize) -> System {
    if number % 4 < 2 {
        system_on(slot(number), 1)
    } else {
        (|mut runs: Local<u64>| *runs += 1).into_configs()
    }
}

fn slot(number: usize) -> usize {
    number / 4
}

fn slots(systems: usize) -> usize {
    systems.div_ceil(4)
}

impl Place {
    /// Every place.
    pub const ALL: [Self; 3] = [Self::Update, Self::Schedules, Self::SubApps];

    /// For a workload's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Update => "update",
            Self::Schedules => "schedules",
            Self::SubApps => "sub-apps",
        }
    }

    /// An app before its first frame.
    fn app(self, systems: usize) -> App {
        let mut app = apps::app();
        let numbers = 0..systems;
        match self {
            Self::Update => {
                insert_all(app.world_mut(), slots(systems));
                numbers.for_each(|number| _ = app.add_systems(Update, system(number)));
            }
            Self::Schedules => {
                insert_all(app.world_mut(), slots(systems));
                for number in numbers {
                    app.add_systems(Part(part(number, SCHEDULES)), system(number));
                }
                app.add_systems(Update, |world: &mut World| {
                    (0..SCHEDULES).for_each(|part| world.run_schedule(Part(part)));
                });
            }
            Self::SubApps => {
                for part in 0..SUB_APPS {
                    app.insert_sub_app(Part(part), sub_app(part, systems));
                }
            }
        }
        app
    }

    fn check(self, app: &App, systems: usize, frames: u64) -> Result<(), Problem> {
        for number in (0..systems).filter(|number| number % 4 == 0) {
            let world = match self {
                Self::SubApps => app.sub_app(Part(part(number, SUB_APPS))).world(),
                _ => app.world(),
            };
            // The last of a pair may be missing.
            let pair = (systems - number).min(2) as u64;
            check_slot(world, slot(number), 1, pair * frames)?;
        }
        Ok(())
    }
}

/// Which part has a system: both of a pair are in the same, and each part gets some of each kind.
fn part(number: usize, parts: usize) -> usize {
    let pair = number / 2;
    (pair + pair / parts) % parts
}

fn sub_app(part_number: usize, systems: usize) -> SubApp {
    let mut sub_app = SubApp::new();
    sub_app.update_schedule = Some(ScheduleLabel::intern(&Part(part_number)));
    insert_all(sub_app.world_mut(), slots(systems));
    let numbers = (0..systems).filter(|&number| part(number, SUB_APPS) == part_number);
    for number in numbers {
        sub_app.add_systems(Part(part_number), system(number));
    }
    sub_app
}

/// The median seconds until an app's first frame is over.
fn init(options: &Options, place: Place, systems: usize) -> Result<f64, Problem> {
    let mut times = Vec::new();
    for _ in 0..if options.quick { 3 } else { 9 } {
        let start = Instant::now();
        let mut app = place.app(systems);
        apps::begin(&mut app);
        times.push(start.elapsed().as_secs_f64());
        place.check(&app, systems, 1)?;
    }
    Ok(median(&times))
}

/// Seconds a system, of the start and of a frame, for each size.
pub fn run(options: &Options, place: Place) -> Figures {
    let mut figures = Vec::new();
    for systems in SIZES {
        let of_init = init(options, place, systems)?;
        let mut app = place.app(systems);
        apps::begin(&mut app);
        let mut frames = 1;
        let update = Subject::sure("update", || {
            app.update();
            frames += 1;
        });
        let update = sample(options, vec![update])?;
        place.check(&app, systems, frames)?;
        figures.push(("init".to_owned(), of_init, systems));
        figures.extend(
            update
                .into_iter()
                .map(|(metric, time)| (metric, time, systems)),
        );
    }
    let each = |(metric, time, systems): (String, f64, usize)| {
        (format!("{metric}-{systems}"), time / systems as f64)
    };
    Ok(figures.into_iter().map(each).collect())
}
