//! Which schedules a world has, compared with those of an earlier look.

use bevy_ecs::schedule::{InternedScheduleLabel, Schedule, Schedules};

/// The labels at the last look, in the order in which the world has them.
#[derive(Default)]
pub(crate) struct Looked(Vec<InternedScheduleLabel>);

fn labels(schedules: &Schedules) -> impl Iterator<Item = InternedScheduleLabel> {
    schedules
        .iter()
        .map(|(_, schedule)| Schedule::label(schedule))
}

impl Looked {
    /// Whether there are the same now: neither more, nor fewer, nor another one in one's place.
    pub(crate) fn is_current(&self, schedules: &Schedules) -> bool {
        self.0.iter().copied().eq(labels(schedules))
    }

    pub(crate) fn look(&mut self, schedules: &Schedules) {
        self.0.clear();
        self.0.extend(labels(schedules));
    }
}
