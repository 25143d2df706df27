//! All rows that a query goes through, in one sequence that can be split anywhere.

use bevy_ecs::archetype::ArchetypeId;
use bevy_ecs::storage::TableId;
use std::ops::Range;

/// Where rows lie.
#[derive(Clone, Copy, Debug)]
pub(super) enum Storage {
    Table(TableId),
    Archetype(ArchetypeId),
}

/// The rows of one table or archetype, by their places in the whole sequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) storage: Storage,
}

impl Span {
    /// The part of the span that lies in `rows`, by rows of the storage itself. The two must meet.
    #[inline]
    pub(super) fn part(&self, rows: &Range<usize>) -> Range<usize> {
        rows.start - self.start..rows.end.min(self.end) - self.start
    }
}

/// The spans of a query in its order, none of them empty.
#[derive(Debug, Default)]
pub(super) struct Spans(Vec<Span>);

impl Spans {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn push(&mut self, storage: Storage, rows: u32) {
        if rows > 0 {
            let start = self.len();
            self.0.push(Span {
                start,
                end: start + rows as usize,
                storage,
            });
        }
    }

    /// How many rows there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.0.last().map_or(0, |last| last.end)
    }

    /// How many spans there are.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The rows of these spans.
    pub(super) fn rows(&self, spans: Range<usize>) -> Range<usize> {
        match &self.0[spans] {
            [] => 0..0,
            [first, .., last] => first.start..last.end,
            [only] => only.start..only.end,
        }
    }

    /// The span of the row at that place of the sequence.
    #[inline]
    pub(super) fn find(&self, place: usize) -> &Span {
        let index = self.0.partition_point(|span| span.end <= place);
        &self.0[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_in_their_spans() {
        let mut spans = Spans::default();
        assert_eq!(spans.len(), 0);
        for (table, rows) in [(7, 3), (1, 0), (2, 1)] {
            spans.push(Storage::Table(TableId::from_u32(table)), rows);
        }
        assert_eq!((spans.len(), spans.count()), (4, 2));
        assert_eq!((spans.rows(0..2), spans.rows(1..2)), (0..4, 3..4));
        assert!(spans.rows(1..1).is_empty());
        let at = |place| {
            let span = spans.find(place);
            let Storage::Table(table) = span.storage else {
                panic!("only tables");
            };
            (table.as_u32(), span.part(&(place..4)))
        };
        assert_eq!(at(0), (7, 0..3));
        assert_eq!(at(2), (7, 2..3));
        assert_eq!(at(3), (2, 0..1));
        spans.clear();
        assert_eq!(spans.len(), 0);
    }
}
