//! Samples of all contenders in alternation.

use crate::answer::{Answer, Refusal};
use crate::contender::Contender;
use crate::cpu::CpuClock;
use crate::order::order;
use crate::stats::{median, median_ratio};
use crate::watchdog::Watchdog;
use std::thread;
use std::time::{Duration, Instant};

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Samples of each contender, at most.
    pub rounds: usize,
    /// How long a sample of something short is made.
    pub sample: Duration,
    /// Rounds end when a workload has taken this long, but not before [`Plan::FEWEST`].
    pub budget: Duration,
    /// Take what is long from a single run, and do without rounds.
    pub once: bool,
}

impl Plan {
    /// Medians of fewer rounds mean nothing.
    pub const FEWEST: usize = 5;
}

/// What a workload runs: `run` is timed, `verify` is not.
pub trait Job {
    /// Runs it so often on a contender.
    ///
    /// # Errors
    ///
    /// Why the sample counts for nothing.
    fn run(&mut self, contender: &dyn Contender, iterations: u64) -> Answer;

    /// Checks what would take too long while the clock runs.
    ///
    /// # Errors
    ///
    /// [`Refusal::Wrong`].
    fn verify(&mut self) -> Answer {
        Ok(())
    }
}

/// One contender's samples.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// The contender's name.
    pub name: &'static str,
    /// Seconds an iteration, one a round.
    pub times: Vec<f64>,
    /// CPU seconds that the process used, in the pause after each sample too, per second of this
    /// contender's samples.
    pub cpu: f64,
}

impl Sampled {
    /// The median time of an iteration, in seconds.
    #[must_use]
    pub fn median(&self) -> f64 {
        median(&self.times)
    }

    /// The median of the rounds' ratios, so that a machine that changes pace between rounds
    /// changes nothing.
    #[must_use]
    pub fn ratio(&self, other: &Self) -> f64 {
        self.ratio_by(other, |other| other)
    }

    /// The median of the rounds' ratios to what `reference` makes of the other's times.
    #[must_use]
    pub fn ratio_by(&self, other: &Self, reference: impl Fn(f64) -> f64) -> f64 {
        let other = other.times.iter().map(|time| reference(*time));
        median_ratio(self.times.iter().copied().zip(other))
    }
}

/// All samples of a workload.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Those who ran it.
    pub sampled: Vec<Sampled>,
    /// Those who didn't, though they could or should.
    pub refused: Vec<(&'static str, Refusal)>,
}

impl Outcome {
    /// A contender's samples.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<&Sampled> {
        self.sampled.iter().find(|sampled| sampled.name == name)
    }
}

/// Lets a pool that ran go to sleep. Nobody looks whether it has done so.
fn settle() {
    thread::sleep(Duration::from_micros(500));
}

struct Runner<'a> {
    contender: &'a dyn Contender,
    iterations: u64,
    times: Vec<f64>,
    cpu: f64,
    wall: f64,
}

impl<'a> Runner<'a> {
    fn new(contender: &'a dyn Contender) -> Self {
        Self {
            contender,
            iterations: 1,
            times: Vec::new(),
            cpu: 0.0,
            wall: 0.0,
        }
    }

    /// Takes a sample, after so many iterations that only get caches and threads back.
    fn time(&mut self, job: &mut dyn Job, warm_up: u64) -> Result<f64, Refusal> {
        let cpu = CpuClock::start();
        let start = Instant::now();
        if warm_up > 0 {
            job.run(self.contender, warm_up)?;
        }
        let begin = Instant::now();
        job.run(self.contender, self.iterations)?;
        let time = begin.elapsed().as_secs_f64();
        self.wall += start.elapsed().as_secs_f64();
        // The system may count a thread's time only when the thread stops. Spinning till then is
        // part of the price as well.
        settle();
        self.cpu += cpu.elapsed();
        self.times.push(time / self.iterations as f64);
        Ok(time)
    }

    /// Finds how many iterations make a sample. What was sampled on the way is kept if it is to be
    /// the only sample.
    fn calibrate(&mut self, job: &mut dyn Job, plan: Plan) -> Answer {
        let sample = plan.sample.as_secs_f64();
        loop {
            let mut time = self.time(job, 0)?;
            let is_enough = |time| time * 2.0 >= sample;
            if is_enough(time) && plan.once {
                return job.verify();
            }
            if is_enough(time) {
                // The first run may have started threads.
                time = time.min(self.time(job, 0)?);
            }
            self.times.clear();
            (self.cpu, self.wall) = (0.0, 0.0);
            if is_enough(time) {
                let fit = sample / time;
                self.iterations = (self.iterations as f64 * fit).round().max(1.0) as u64;
                return job.verify();
            }
            self.iterations *= 4;
        }
    }

    fn sample(&mut self, job: &mut dyn Job) -> Answer {
        self.time(job, self.iterations / 16)?;
        job.verify()
    }

    /// What is running, for who watches.
    fn on(&self, name: &str) -> String {
        format!("{name} on {}", self.contender.name())
    }

    fn sampled(self) -> Sampled {
        Sampled {
            name: self.contender.name(),
            times: self.times,
            cpu: self.cpu / self.wall,
        }
    }
}

/// Runs `job` on all contenders, one after the other in each round, in an order that changes from
/// round to round. `progress` is told after each round which share of the plan is done.
pub fn compare<'a>(
    plan: Plan,
    watchdog: &Watchdog,
    name: &str,
    contenders: impl IntoIterator<Item = &'a dyn Contender>,
    job: &mut dyn Job,
    mut progress: impl FnMut(f64),
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut runners = Vec::new();
    for contender in contenders {
        let mut runner = Runner::new(contender);
        let what = runner.on(name);
        match watchdog.watch(|| what, || runner.calibrate(job, plan)) {
            Ok(()) => runners.push(runner),
            Err(Refusal::Unsupported) => {}
            Err(refusal) => outcome.refused.push((contender.name(), refusal)),
        }
    }
    let start = Instant::now();
    let rounds = if plan.once { 0 } else { plan.rounds };
    for round in 0..rounds {
        if round >= Plan::FEWEST && start.elapsed() > plan.budget {
            break;
        }
        for place in order(round, runners.len()) {
            let runner = &mut runners[place];
            let what = runner.on(name);
            if let Err(refusal) = watchdog.watch(|| what, || runner.sample(job)) {
                outcome.refused.push((runner.contender.name(), refusal));
                runner.times.clear();
            }
        }
        runners.retain(|runner| !runner.times.is_empty());
        let done = (round + 1) as f64 / rounds as f64;
        let spent = start.elapsed().as_secs_f64() / plan.budget.as_secs_f64();
        progress(done.max(spent).min(1.0));
    }
    outcome.sampled = runners.into_iter().map(Runner::sampled).collect();
    outcome
}
