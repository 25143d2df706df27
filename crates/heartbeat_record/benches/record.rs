//! What an event of the recorder costs: off, on, and what the system says of a thread.
//!
//! `cargo bench -p heartbeat_record`
#![allow(missing_docs, reason = "a program")]

#[cfg(not(any(heartbeat_loom, heartbeat_sim)))]
mod bench {
    use heartbeat_record::Recorder;
    use std::hint::black_box;
    use std::time::Instant;

    const EVENTS: u32 = 4_000_000;

    /// Nanoseconds a call of `f`: the best of nine rounds.
    fn best(calls: u32, f: impl Fn(u64)) -> f64 {
        let round = || {
            let start = Instant::now();
            (0..u64::from(calls)).for_each(|i| f(black_box(i)));
            start.elapsed().as_nanos() as f64 / f64::from(calls)
        };
        (0..9).map(|_| round()).fold(f64::INFINITY, f64::min)
    }

    pub fn run() {
        let name = Recorder::name("bench");
        let nothing = best(EVENTS, |i| _ = black_box(i));
        let off = best(EVENTS, |i| Recorder::mark(name, i));
        let clock = best(EVENTS, |_| _ = black_box(Instant::now()));
        Recorder::start(Recorder::EVENTS);
        let on = best(EVENTS, |i| Recorder::mark(name, i));
        let clocks = best(EVENTS / 20, |_| Recorder::read_clocks());
        Recorder::stop();
        println!("an empty turn of the loop  {nothing:6.2} ns");
        println!("an event, off              {off:6.2} ns");
        println!("a look at the clock        {clock:6.2} ns");
        println!("an event, on               {on:6.2} ns");
        println!("a thread's own clocks      {clocks:6.0} ns");
    }
}

fn main() {
    // Models have no recorder, and their clocks tell nothing of this machine's.
    #[cfg(not(any(heartbeat_loom, heartbeat_sim)))]
    bench::run();
}
