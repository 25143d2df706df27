//! What Bevy's `TaskPoolOptions` mean where there is one pool.

use bevy_app::{App, TaskPoolOptions, TaskPoolPlugin, TaskPoolThreadAssignmentPolicy};
use std::thread;

/// The options that an app has changed, as settings of the one pool.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// From the bounds of the total number.
    pub(crate) threads: Option<usize>,
    /// From the policy for io.
    pub(crate) io_budget: Option<usize>,
    /// From the policy for async compute.
    pub(crate) background_budget: Option<usize>,
    /// Whether there is a policy for compute, which has no meaning here.
    has_compute: bool,
    /// Whether there are callbacks for threads.
    has_callbacks: bool,
}

fn differs(
    policy: &TaskPoolThreadAssignmentPolicy,
    default: &TaskPoolThreadAssignmentPolicy,
) -> bool {
    let numbers =
        |policy: &TaskPoolThreadAssignmentPolicy| (policy.min_threads, policy.max_threads);
    numbers(policy) != numbers(default) || policy.percent.to_bits() != default.percent.to_bits()
}

impl Options {
    /// Those of the app's `TaskPoolPlugin`; none where it has not been added.
    pub(crate) fn of(app: &App) -> Self {
        let available = thread::available_parallelism().map_or(1, usize::from);
        let plugins = app.get_added_plugins::<TaskPoolPlugin>();
        plugins.first().map_or_else(Self::default, |plugin| {
            Self::new(&plugin.task_pool_options, available)
        })
    }

    fn new(options: &TaskPoolOptions, available: usize) -> Self {
        let default = TaskPoolOptions::default();
        // Bevy gives each of its pools a thread where the bounds leave none.
        let total = available
            .max(options.min_total_threads)
            .min(options.max_total_threads)
            .max(1);
        let bounds =
            |options: &TaskPoolOptions| (options.min_total_threads, options.max_total_threads);
        let budget = |policy: &TaskPoolThreadAssignmentPolicy, default| {
            let share = (total as f32 * policy.percent).round() as usize;
            differs(policy, default).then(|| share.max(policy.min_threads).min(policy.max_threads))
        };
        let policies = [&options.io, &options.async_compute, &options.compute];
        Self {
            threads: (bounds(options) != bounds(&default)).then_some(total),
            io_budget: budget(&options.io, &default.io),
            background_budget: budget(&options.async_compute, &default.async_compute),
            has_compute: differs(&options.compute, &default.compute),
            has_callbacks: policies.iter().any(|policy| {
                policy.on_thread_spawn.is_some() || policy.on_thread_destroy.is_some()
            }),
        }
    }

    /// What to tell of options that change nothing, where the pool's threads `were_there` before
    /// the options.
    pub(crate) fn warnings(&self, were_there: bool) -> Vec<&'static str> {
        let compute = "TaskPoolOptions::compute has no effect: systems may use every thread; set \
                       the number by HeartbeatPlugin::threads";
        let callbacks = "on_thread_spawn and on_thread_destroy of TaskPoolOptions have no effect, \
                         for the pool's threads were there first: add HeartbeatPlugin after \
                         TaskPoolPlugin, and before anything uses rayon";
        let all = [
            (self.has_compute, compute),
            (self.has_callbacks && were_there, callbacks),
        ];
        all.into_iter()
            .filter_map(|(holds, warning)| holds.then_some(warning))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn bevys_defaults_say_nothing() {
        let options = Options::new(&TaskPoolOptions::default(), 16);
        assert_eq!(options, Options::default());
        assert!(options.warnings(true).is_empty());
    }

    #[test]
    fn numbers_become_threads_and_budgets() {
        let mut options = TaskPoolOptions::with_num_threads(8);
        options.io.percent = 0.5;
        options.async_compute.max_threads = 1;
        let settings = Options::new(&options, 2);
        assert_eq!(settings.threads, Some(8));
        assert_eq!(settings.io_budget, Some(4));
        assert_eq!(settings.background_budget, Some(1));
        assert!(settings.warnings(true).is_empty());
    }

    #[test]
    fn an_app_that_asks_for_no_threads_gets_one() {
        let settings = Options::new(&TaskPoolOptions::with_num_threads(0), 8);
        assert_eq!(settings.threads, Some(1));
    }

    #[test]
    fn a_share_is_kept_within_a_policys_bounds() {
        let mut options = TaskPoolOptions::with_num_threads(8);
        options.io.percent = 0.125;
        (options.io.min_threads, options.io.max_threads) = (3, 5);
        options.async_compute.percent = 1.0;
        options.async_compute.max_threads = usize::MAX;
        let settings = Options::new(&options, 2);
        assert_eq!(
            (settings.io_budget, settings.background_budget),
            (Some(3), Some(8))
        );
    }

    #[test]
    fn a_policy_that_differs_by_its_share_alone_counts() {
        let mut options = TaskPoolOptions::default();
        options.io.percent = 0.0;
        let settings = Options::new(&options, 16);
        assert_eq!(settings.io_budget, Some(options.io.min_threads));
    }

    #[test]
    fn what_means_nothing_is_warned_about() {
        let mut options = TaskPoolOptions::default();
        options.compute.max_threads = 3;
        options.io.on_thread_spawn = Some(Arc::new(|| {}));
        let settings = Options::new(&options, 2);
        assert_eq!(settings.io_budget, None);
        assert_eq!(settings.warnings(true).len(), 2);
        assert_eq!(settings.warnings(false).len(), 1);
        // Of either callback.
        let mut options = TaskPoolOptions::default();
        options.async_compute.on_thread_destroy = Some(Arc::new(|| {}));
        assert_eq!(Options::new(&options, 2).warnings(true).len(), 1);
    }
}
