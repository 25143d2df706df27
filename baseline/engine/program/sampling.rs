//! Medians of alternated samples.

use std::thread;
use std::time::{Duration, Instant};
use suite::program::{Figures, Options, Problem};
use suite::{median, order};

/// Caches, branches and whatever measures itself need so many iterations.
const WARM_UP: u32 = 500;
/// What takes long is warm earlier.
const LONGEST_WARM_UP: Duration = Duration::from_millis(500);
/// What a sample takes, at least.
const SAMPLE: Duration = Duration::from_millis(2);
const FEWEST_ROUNDS: usize = 5;
/// Lets a pool that ran go to sleep, so that it takes no time from what is next.
const PAUSE: Duration = Duration::from_micros(500);

/// Something to time, by name.
pub struct Subject<'a> {
    metric: String,
    once: Box<dyn FnMut() -> Result<(), Problem> + 'a>,
    iterations: u32,
    times: Vec<f64>,
}

impl<'a> Subject<'a> {
    /// From what is timed.
    pub fn new(metric: impl Into<String>, once: impl FnMut() -> Result<(), Problem> + 'a) -> Self {
        Self {
            metric: metric.into(),
            once: Box::new(once),
            iterations: 1,
            times: Vec::new(),
        }
    }

    /// From what can't fail.
    pub fn sure(metric: impl Into<String>, mut once: impl FnMut() + 'a) -> Self {
        Self::new(metric, move || {
            once();
            Ok(())
        })
    }

    fn repeat(&mut self, iterations: u32) -> Result<f64, Problem> {
        let start = Instant::now();
        for _ in 0..iterations {
            (self.once)()?;
        }
        Ok(start.elapsed().as_secs_f64())
    }

    /// Warms up, and finds how many iterations make a sample.
    fn prepare(&mut self, longest: Duration) -> Result<(), Problem> {
        let start = Instant::now();
        for _ in 0..WARM_UP {
            (self.once)()?;
            if start.elapsed() > longest {
                break;
            }
        }
        while self.repeat(self.iterations)? < SAMPLE.as_secs_f64() {
            self.iterations *= 2;
        }
        Ok(())
    }

    fn sample(&mut self) -> Result<(), Problem> {
        thread::sleep(PAUSE);
        // Threads are awake when the clock starts.
        self.repeat(self.iterations / 4 + 1)?;
        let time = self.repeat(self.iterations)?;
        self.times.push(time / f64::from(self.iterations));
        Ok(())
    }
}

/// The median seconds of an iteration of each subject, sampled in turn.
pub fn sample(options: &Options, mut subjects: Vec<Subject>) -> Figures {
    let longest = LONGEST_WARM_UP.min(options.length(LONGEST_WARM_UP.as_secs_f64()));
    for subject in &mut subjects {
        subject.prepare(longest)?;
    }
    let budget = options.length(0.8) * subjects.len() as u32;
    let start = Instant::now();
    for round in 0.. {
        if round >= FEWEST_ROUNDS && start.elapsed() > budget {
            break;
        }
        for place in order(round, subjects.len()) {
            subjects[place].sample()?;
        }
    }
    let figures = subjects.into_iter();
    Ok(figures
        .map(|subject| (subject.metric, median(&subject.times)))
        .collect())
}
