//! How large the pieces of a loop are.

use crate::cost::{self, HAND_OVER};
use crate::sync::Instant;
use std::mem;
use std::time::Duration;

/// How many items the loop runs between two polls. The first may be long, so it comes alone; then
/// pieces grow, for items may be short. They are timed where a clock costs next to nothing beside
/// what is left: in long loops, and once a beat has come.
pub(crate) struct PieceSize {
    pub(crate) items: usize,
    pub(crate) timed: bool,
    /// What an item takes, in nanoseconds, once a piece was timed.
    pub(crate) item: Option<f64>,
    /// Whether it is a part of a loop that was shared.
    is_part: bool,
    pieces: u32,
    /// Whether nothing was timed yet.
    is_new: bool,
    /// Whether a beat has come that all others sleep through. Items may become dear yet, and
    /// somebody be woken for them: each piece is timed.
    pub(crate) is_put_off: bool,
    /// When the last piece ended that was put off: the next one is timed from there, which saves a
    /// look at the clock.
    since: Option<Instant>,
    /// How many items were run while all others slept, and what they took together.
    pub(crate) alone: (usize, Duration),
}

impl PieceSize {
    /// By how much one piece may be longer than the one before, for items may differ. So many items
    /// are cut no more, untimed.
    const GROWTH: usize = 16;
    /// Items of an untimed piece at most. After a beat, fewer than that are shared though none was
    /// timed yet: the next one may take long.
    const FEW: usize = 64;
    /// One of so many pieces is timed.
    const TIMED: u32 = 4;
    /// What an item is taken to cost at least, in nanoseconds.
    const LEAST: f64 = 0.1;

    pub(crate) fn new(is_part: bool) -> Self {
        Self {
            items: 1,
            timed: is_part,
            item: None,
            is_part,
            pieces: 0,
            is_new: true,
            is_put_off: false,
            since: None,
            alone: (0, Duration::ZERO),
        }
    }

    pub(crate) fn after_a_short_item() -> Self {
        Self {
            items: Self::GROWTH,
            ..Self::new(false)
        }
    }

    /// Of a loop that is known to be short, which all others sleep through.
    pub(crate) fn of_a_short_loop() -> Self {
        Self {
            is_new: false,
            ..Self::new(false)
        }
    }

    /// Whether `left` items make a last piece.
    pub(crate) fn is_rest(&self, left: usize) -> bool {
        let coarse = !self.timed && self.items > 1;
        left <= match self.is_put_off {
            // What seems short is not cut; but it is timed, so what it hides is known then.
            true if self.seems_short(left) => left,
            true => 1,
            false if coarse => Self::GROWTH,
            false => self.items,
        }
    }

    /// Whether `left` items seem to take a small part of a hand-over.
    fn seems_short(&self, left: usize) -> bool {
        let is_short = |time| time < HAND_OVER / 2;
        self.time(left).is_some_and(is_short)
    }

    /// After a beat: how long one of those that share `left` items would be at it, if that is known
    /// (few items count as endless). Else, the next piece is a sample.
    pub(crate) fn judge_or_sample(&mut self, left: usize) -> Option<Duration> {
        self.go_on();
        if let Some(time) = self.time(left) {
            // What two threads that share pass to and fro at the end lies in the wrong cache when
            // they come by again. The part is less than a helper looks around before it sleeps, so
            // that it is still there for the next loop.
            let part = if self.is_part { 4 } else { 1 };
            return Some(time / part);
        }
        if self.items == 1 && Self::are_few(left) {
            return Some(Duration::MAX);
        }
        self.timed = true;
        // One that takes long is enough; of short ones a clock tells little.
        self.items = if self.is_new {
            1
        } else {
            (left / Self::FEW + 3).min(Self::FEW)
        };
        None
    }

    /// After a beat that all others sleep through, with `left` items to go.
    pub(crate) fn put_off(&mut self, left: usize) {
        self.is_put_off = true;
        self.timed = true;
        if self.item.is_none() {
            // A small part of what is left, for all of it may have become dear; and of a few items
            // each may be the long one.
            let many = (left / 8).min(Self::FEW);
            self.items = if Self::are_few(left) { 1 } else { many };
        }
    }

    /// Whether so few are left that any of them may be the long one.
    pub(crate) fn are_few(left: usize) -> bool {
        left < Self::FEW
    }

    /// How many items a part may have at most, if those that were run last are long: so many parts
    /// of the `left` ones take less than one such item to make.
    pub(crate) fn most_in_a_part(&self, left: usize) -> Option<usize> {
        let item = cost::duration(self.item?);
        let parts = item.as_nanos() / HAND_OVER.as_nanos();
        let most = left / usize::try_from(parts).unwrap_or(usize::MAX).max(1);
        cost::is_worth_a_call(item).then_some(most.max(1))
    }

    pub(crate) fn time(&self, left: usize) -> Option<Duration> {
        Some(cost::duration(self.item? * left as f64))
    }

    /// A beat hasn't come, or somebody has answered it meanwhile.
    pub(crate) fn go_on(&mut self) {
        self.is_put_off = false;
        self.since = None;
    }

    /// Runs a `piece` of so many `items`, with `left` ones at its start, and sizes the next one.
    /// Gives the time that it took while all others slept.
    pub(crate) fn run(
        &mut self,
        left: usize,
        items: usize,
        piece: impl FnOnce(),
    ) -> Option<Duration> {
        // So many that a clock costs next to nothing beside them.
        self.timed |= self.items == Self::FEW && left >= Self::FEW * Self::FEW;
        if !self.timed {
            piece();
            self.items = (self.items * Self::GROWTH).min(Self::FEW);
            return None;
        }
        self.pieces = self.pieces.saturating_add(1);
        let is_known = self.pieces > Self::TIMED && !self.pieces.is_multiple_of(Self::TIMED);
        if is_known && !self.is_put_off {
            piece();
            return None;
        }
        let start = self.since.unwrap_or_else(Instant::now);
        piece();
        let end = Instant::now();
        self.since = self.is_put_off.then_some(end);
        let time = end.saturating_duration_since(start);
        let alone = self.is_put_off.then_some(time);
        if alone.is_some() {
            self.alone.0 = self.alone.0.saturating_add(items);
            self.alone.1 += time;
        }
        let tells_nothing =
            mem::take(&mut self.is_new) && self.items == 1 && !cost::is_worth_taking(1, time);
        if !tells_nothing {
            self.learn(left, items, time);
        }
        alone
    }

    /// So many `items`, of `left` ones, took `time`: sizes the next piece by that.
    fn learn(&mut self, left: usize, items: usize, time: Duration) {
        let measured = time.as_nanos() as f64 / items.max(1) as f64;
        // What is shared must cost something, however coarse the clock.
        let item = measured.max(Self::LEAST);
        self.item = Some(item);
        // So many as take about a hand-over: a beat is seen as late as that, and one of two that
        // share ends as much later than the other. By what was measured: a piece may cost the same
        // however many items it has.
        let most = self.items.saturating_mul(Self::GROWTH);
        let items = HAND_OVER.as_nanos() as f64 / measured;
        // But a small part of what is left at least: a piece may cost as much as that however few
        // items it has.
        self.items = (items as usize)
            .clamp(1, most)
            .max(left / (Self::FEW * Self::FEW));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// The sizes of the pieces of `items` items that take no time to speak of.
    fn pieces(items: usize) -> Vec<usize> {
        let mut size = PieceSize::new(false);
        let (mut left, mut sizes) = (items, Vec::new());
        while !size.is_rest(left) {
            let piece = size.items.min(left / 2);
            sizes.push(piece);
            size.run(left, piece, || ());
            left -= piece;
        }
        sizes.push(left);
        sizes
    }

    #[test]
    #[cfg_attr(miri, ignore = "in an interpreter all work is long")]
    fn short_work_is_cut_a_few_times_and_long_work_seldom() {
        assert_eq!(pieces(1), [1]);
        assert_eq!(pieces(100), [1, 16, 41, 21, 10, 11]);
        let many = pieces(10_000_000);
        assert!(many.len() < 500, "{}", many.len());
        assert_eq!(many.iter().sum::<usize>(), 10_000_000);
    }

    /// Such as a closed form of a range, or items without a size.
    #[test]
    #[cfg_attr(miri, ignore = "in an interpreter all work is long")]
    fn pieces_that_take_no_time_grow_without_an_end() {
        let mut size = PieceSize::new(false);
        let mut left = usize::MAX;
        for _ in 0..10_000 {
            if size.is_rest(left) {
                return;
            }
            let piece = size.items.min(left / 2);
            size.run(left, piece, || ());
            left -= piece;
        }
        panic!("{left} items are left, to be cut by {}", size.items);
    }

    /// A closed form may cost more than a hand-over, whatever the piece.
    #[test]
    fn pieces_that_each_take_long_become_no_smaller_than_a_small_part() {
        let mut size = PieceSize::new(true);
        let mut left = usize::MAX;
        for _ in 0..200 {
            let piece = size.items.min(left / 2);
            size.run(left, piece, || {
                std::thread::sleep(Duration::from_micros(1));
            });
            left -= piece;
        }
        assert!(size.items >= left / 5000, "{} of {left}", size.items);
        assert!(left < usize::MAX - usize::MAX / 50, "{left}");
    }

    #[test]
    fn long_items_go_one_by_one_once_somebody_shares_them() {
        let mut size = PieceSize::new(true);
        for _ in 0..3 {
            size.run(10, 1, || std::thread::sleep(Duration::from_millis(1)));
            assert_eq!(size.items, 1);
        }
    }
}
