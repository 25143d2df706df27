//! Who wrote each cache line last, and who has read it since.

use super::sites::{self, Counter};
use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

/// A cache line is two to the power of so many bytes.
const LINE_BITS: u32 = 6;
/// Bits of a thread's number.
const THREAD_BITS: u32 = 22;
/// Two to the power of so many lines are known at once. Of two that meet in one place the last
/// writer's stays, and the next transfer of the other one is missed.
const PLACE_BITS: u32 = 17;
/// Spreads neighbours, as any odd number that is large enough.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// What is known of a line. All of it is read and written relaxed: only counts rest on it.
struct Line {
    /// The line, and the number of its last writer.
    written: AtomicU64,
    /// A bit for each thread that has read it since, by its number modulo 64.
    readers: AtomicU64,
}

static LINES: [Line; 1 << PLACE_BITS] = [const {
    Line {
        written: AtomicU64::new(0),
        readers: AtomicU64::new(0),
    }
}; 1 << PLACE_BITS];

/// A number for the calling thread, not 0.
fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static OWN: Cell<u64> = const { Cell::new(0) });
    if OWN.get() == 0 {
        OWN.set(NEXT.fetch_add(1, Ordering::Relaxed));
    }
    OWN.get()
}

/// The line of `address`, and what is known in its place.
fn line(address: usize) -> (u64, &'static Line) {
    let number = address as u64 >> LINE_BITS;
    let place = number.wrapping_mul(SPREAD) >> (u64::BITS - PLACE_BITS);
    (number, &LINES[place as usize])
}

/// The calling thread writes there, as `site` asks it to.
pub(super) fn write(address: usize, site: &'static Location<'static>) {
    let (number, line) = line(address);
    let own = number << THREAD_BITS | this_thread();
    let before = line.written.swap(own, Ordering::Relaxed);
    line.readers.store(0, Ordering::Relaxed);
    if before != own && before >> THREAD_BITS == number {
        sites::count(site, Counter::Write);
    }
}

/// The calling thread reads there, as `site` asks it to.
pub(super) fn read(address: usize, site: &'static Location<'static>) {
    let (number, line) = line(address);
    let thread = this_thread();
    let written = line.written.load(Ordering::Relaxed);
    if written == number << THREAD_BITS | thread || written >> THREAD_BITS != number {
        return;
    }
    let reader = 1 << (thread % 64);
    // Most reads find that they are not the first, and then write nothing.
    if line.readers.load(Ordering::Relaxed) & reader == 0
        && line.readers.fetch_or(reader, Ordering::Relaxed) & reader == 0
    {
        sites::count(site, Counter::Read);
    }
}
