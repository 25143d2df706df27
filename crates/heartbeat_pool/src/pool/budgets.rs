//! How many io and background jobs run at once by default.

/// Jobs of the io or the background lane that run at once by default, however few cores there are:
/// as many as the threads that Bevy gives each of the two at most. More share the cores with the
/// frame's threads for as long as they compute.
const ALWAYS_AT_ONCE: usize = 4;

/// The budget of the io and of the background lane in a pool of so many threads on so many cores.
pub(super) fn default(threads: usize, cores: usize) -> usize {
    (threads / 2).min(ALWAYS_AT_ONCE.max(cores / 2)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_default_lower_jobs_leave_cores_to_frames() {
        let pools = [(1, 1), (2, 2), (3, 2), (8, 2), (64, 2), (16, 16), (64, 16)];
        let budgets = pools.map(|(threads, cores)| default(threads, cores));
        assert_eq!(budgets, [1, 1, 1, 4, 4, 8, 8]);
    }
}
