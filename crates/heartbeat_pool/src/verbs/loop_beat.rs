//! What a loop does about a beat: whether it shares what is left of it, and wakes somebody for
//! that.

use crate::cost;
use crate::cost::piece_size::PieceSize;
use crate::worker::Worker;
use std::time::Duration;

/// What is done about a beat.
pub(super) enum Answer {
    /// Half of what is left goes on offer; or, where items are long or may be, each of small parts,
    /// of so many items at `most`: no other thread would come to those that this one is about to
    /// begin.
    Share { most: Option<usize> },
    /// What is left is little, and is folded whole.
    Decline,
    /// The next piece is folded, and tells more.
    GoOn,
}

impl Worker {
    /// Whether there is room for what the thread shares, but all others that could do it sleep.
    pub(super) fn others_sleep(&self) -> bool {
        let team = self.team();
        let is_awaited = team.sleep.has_watch() || self.seat.beat.has_waiter();
        !is_awaited && team.occupancy.admits(self.lane())
    }

    /// Whether to split a loop of `items`, which take `all` and less than waking somebody pays for,
    /// before the first of them runs: if each is worth taking, and somebody is awake or what was
    /// missed by now pays for waking one.
    pub(super) fn splits_at_once(&self, all: Duration, items: usize) -> bool {
        let item = || all / u32::try_from(items).unwrap_or(u32::MAX);
        // The second look divides, which a short loop would feel.
        let is_worth_it = cost::is_worth_coming(all) && cost::is_worth_taking(1, item());
        is_worth_it && (!self.others_sleep() || self.joins.pays_for_waking(all))
    }

    /// What to do about a beat, with `left` items to go. Who is awake comes for what takes a few
    /// times as long as coming. Where all others sleep, the beat stays raised until what is missed
    /// pays for waking somebody.
    #[cold]
    pub(super) fn answer_beat(&self, size: &mut PieceSize, left: usize) -> Answer {
        if self.others_sleep() {
            let time = size.time(left);
            let is_known = time.map_or(PieceSize::are_few(left), cost::is_worth_coming);
            if is_known && self.joins.pays_for_waking(time.unwrap_or_default()) {
                let most = time.map_or(Some(1), |_| size.most_in_a_part(left));
                return Answer::Share { most };
            }
            size.put_off(left);
            return Answer::GoOn;
        }
        match size.judge_or_sample(left) {
            Some(time) if cost::is_worth_coming(time) => Answer::Share {
                most: size.most_in_a_part(left),
            },
            Some(_) => {
                self.decline_beat();
                Answer::Decline
            }
            None => Answer::GoOn,
        }
    }
}
