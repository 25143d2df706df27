//! A thread's row as slices that lie beside and in each other, one for each end of a flow to lie in:
//! a format that binds flows to slices leaves out what lies in none.

use super::row::{Bar, Row, State};

/// How long a mark is, in nanoseconds, where nothing follows before.
const MARK: u64 = 1_000;

/// What a slice shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The bar at this place of the row.
    Bar(usize),
    /// The thread is awake and has nothing to do.
    Search,
    /// A flow begins or ends, and nothing else goes on.
    Mark(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) what: What,
}

/// An end of a flow: when, and what it is called if it needs a mark.
pub(super) type Point = (u64, &'static str);

impl Row {
    /// The slices between two times. Of two that begin together the outer one comes first, bars
    /// before what fills the gaps between them.
    pub(super) fn slices(&self, (start, end): (u64, u64), mut points: Vec<Point>) -> Vec<Slice> {
        let mut slices = self.bar_slices(start, end);
        slices.extend(self.searches(start));
        let mut outer: Vec<_> = slices
            .iter()
            .map(|slice| (slice.begin, slice.end))
            .collect();
        outer.sort_unstable();
        points.sort_unstable();
        points.dedup_by_key(|(time, _)| *time);
        slices.extend(marks(&outer, &points));
        slices
    }

    fn bar_slices(&self, start: u64, end: u64) -> Vec<Slice> {
        let bars = self.bars.iter().enumerate();
        let bars = bars.filter(|(_, bar)| bar.end > start || bar.begin >= start);
        let slice = |(place, bar): (usize, &Bar)| Slice {
            begin: bar.begin.max(start),
            // A sleep that no event has ended goes on.
            end: bar.end.min(end),
            what: What::Bar(place),
        };
        bars.map(slice).collect()
    }

    fn searches(&self, start: u64) -> impl Iterator<Item = Slice> {
        let pairs = self.states.windows(2);
        let pairs = pairs.filter(move |pair| pair[0].1 == State::Searching && pair[1].0 > start);
        let search = move |pair: &[(u64, State)]| Slice {
            begin: pair[0].0.max(start),
            end: pair[1].0,
            what: What::Search,
        };
        pairs.map(search).filter(|slice| slice.begin < slice.end)
    }
}

/// Marks for those points that lie in none of the slices. Both are by time, no two points at one.
fn marks(slices: &[(u64, u64)], points: &[Point]) -> Vec<Slice> {
    let mut marks = Vec::new();
    let mut place = 0;
    let mut covered = 0;
    for (number, &(time, name)) in points.iter().enumerate() {
        while let Some((begin, end)) = slices.get(place)
            && *begin <= time
        {
            covered = covered.max(*end);
            place += 1;
        }
        if time < covered {
            continue;
        }
        let slice = slices.get(place).map(|(begin, _)| *begin);
        let point = points.get(number + 1).map(|(time, _)| *time);
        let next = slice.into_iter().chain(point).min();
        marks.push(Slice {
            begin: time,
            end: next.unwrap_or(u64::MAX).min(time + MARK),
            what: What::Mark(name),
        });
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_no_slice_has_a_mark_until_the_next_thing() {
        let slices = [(100, 200), (120, 130), (250, 250), (9_000, 9_100)];
        let points = [
            (50, "a"),
            (100, "b"),
            (199, "c"),
            (200, "d"),
            (210, "e"),
            (250, "f"),
            (9_100, "g"),
        ];
        let marks: Vec<_> = marks(&slices, &points)
            .into_iter()
            .map(|mark| (mark.begin, mark.end, mark.what))
            .collect();
        let expected = [
            (50, 100, What::Mark("a")),
            (200, 210, What::Mark("d")),
            (210, 250, What::Mark("e")),
            (250, 1_250, What::Mark("f")),
            (9_100, 10_100, What::Mark("g")),
        ];
        assert_eq!(marks, expected);
    }
}
