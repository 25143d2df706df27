//! Parallel iteration over pieces of tables.

use super::iter::ParIter;
use super::spans::{Span, Storage};
use bevy_ecs::entity::Entity;
use bevy_ecs::query::{ArchetypeFilter, ContiguousQueryData};
use std::ops::Range;

/// Whether tables are not cut. In 0.20.1 the engine's debug assertions refuse parts of tables with
/// data that is read (`fetch_contiguous` of `&T` and of `Ref<T>`, which its own
/// `contiguous_par_iter` runs into as well). They are taken to be on where ours are.
const WHOLE_TABLES: bool = cfg!(debug_assertions);

/// Parallel iteration over pieces of tables, in which a query's components lie side by side: of
/// [`ParQuery::contiguous_par_iter`](crate::ParQuery::contiguous_par_iter) and
/// [`ParQuery::contiguous_par_iter_mut`](crate::ParQuery::contiguous_par_iter_mut).
///
/// Which pieces there are is not specified, but that none is empty. With debug assertions on, they
/// are whole tables, for those of the engine refuse some parts. *Stretches* of them, and panics,
/// are as [`ParIter`] has them.
#[must_use = "it does nothing until one of its functions is called"]
pub struct ParColumns<'w, 's, D: ContiguousQueryData, F: ArchetypeFilter>(
    pub(super) ParIter<'w, 's, D, F>,
);

impl<'w, 's, D: ContiguousQueryData, F: ArchetypeFilter> ParColumns<'w, 's, D, F> {
    /// Calls `f` on every piece.
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// # use bevy_ecs::query::QueryNotDenseError;
    /// # use bevy_heartbeat::ParQuery;
    /// # #[derive(Component)]
    /// # struct Age(u32);
    /// fn grow_old(mut ages: ParQuery<&mut Age>) -> Result<(), QueryNotDenseError> {
    ///     ages.contiguous_par_iter_mut()?.for_each(|mut ages| {
    ///         for age in ages.iter_mut() {
    ///             age.0 += 1;
    ///         }
    ///     });
    ///     Ok(())
    /// }
    /// # let mut world = World::new();
    /// # let one = world.spawn(Age(1)).id();
    /// # world.run_system_cached(grow_old).unwrap().unwrap();
    /// # assert_eq!(world.get::<Age>(one).unwrap().0, 2);
    /// ```
    pub fn for_each(self, f: impl Fn(D::Contiguous<'w, 's>) + Sync) {
        self.for_each_init(|| (), |(), piece| f(piece));
    }

    /// Calls `f` on every piece, with a state that `init` makes for each stretch. See
    /// [`ParIter::for_each_init`].
    pub fn for_each_init<S>(
        self,
        init: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, D::Contiguous<'w, 's>) + Sync,
    ) {
        self.stretches(init, f, drop, |(), ()| ());
    }

    /// Folds all pieces. See [`ParIter::fold`].
    pub fn fold<S: Send>(
        self,
        init: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, D::Contiguous<'w, 's>) + Sync,
        combine: impl Fn(S, S) -> S + Sync,
    ) -> S {
        self.stretches(init, f, |state| state, combine)
    }

    fn stretches<S, R: Send>(
        self,
        init: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, D::Contiguous<'w, 's>) + Sync,
        finish: impl Fn(S) -> R + Sync,
        combine: impl Fn(R, R) -> R + Sync,
    ) -> R {
        let spans = self.0.spans;
        super::fold_pieces(
            if WHOLE_TABLES {
                0..spans.count()
            } else {
                0..spans.len()
            },
            || (Cursor::new(&self.0), init()),
            |(cursor, state), piece| {
                let rows = if WHOLE_TABLES {
                    spans.rows(piece)
                } else {
                    piece
                };
                // SAFETY: the pieces are disjoint, and `self` is consumed, so no row comes twice.
                unsafe { cursor.for_each(rows, |piece| f(state, piece)) }
            },
            |(_, state)| finish(state),
            combine,
        )
    }
}

/// A thread's place in the tables.
struct Cursor<'a, 'w, 's, D: ContiguousQueryData, F: ArchetypeFilter> {
    iter: &'a ParIter<'w, 's, D, F>,
    fetch: D::Fetch<'w>,
    place: Option<(Span, &'w [Entity])>,
}

impl<'a, 'w, 's, D: ContiguousQueryData, F: ArchetypeFilter> Cursor<'a, 'w, 's, D, F> {
    #[inline]
    fn new(iter: &'a ParIter<'w, 's, D, F>) -> Self {
        Self {
            iter,
            fetch: iter.fetch(),
            place: None,
        }
    }

    /// Calls `f` on what these rows have of each table.
    ///
    /// # Safety
    ///
    /// Nothing fetched from a row in `rows` is alive, unless `D` is read-only.
    #[inline]
    unsafe fn for_each(
        &mut self,
        mut rows: Range<usize>,
        mut f: impl FnMut(D::Contiguous<'w, 's>),
    ) {
        while !rows.is_empty() {
            let (span, entities) = match self.place {
                Some(place) if (place.0.start..place.0.end).contains(&rows.start) => place,
                _ => self.enter(rows.start),
            };
            let part = span.part(&rows);
            rows.start = span.start + part.end;
            assert!(part.end <= entities.len());
            // A table has less than `u32::MAX` rows.
            let part = part.start as u32..part.end as u32;
            // SAFETY: the fetch is set to the table whose entities these are, the rows lie in it
            // and are not none. The caller answers for what else is alive, `ParIter::new`'s for the
            // access.
            f(unsafe { D::fetch_contiguous(self.iter.data, &mut self.fetch, entities, part) });
        }
    }

    /// Sets the fetch to the table of the row at that place.
    #[inline(never)]
    fn enter(&mut self, place: usize) -> (Span, &'w [Entity]) {
        let iter = self.iter;
        let span = *iter.spans.find(place);
        let Storage::Table(_) = span.storage else {
            unreachable!("a query that can be iterated contiguously goes by tables");
        };
        let table = iter.table(span.storage);
        // SAFETY: the table is of the world that the state is for, and it is the state that the
        // fetch was made with.
        unsafe { D::set_table(&mut self.fetch, iter.data, table) }
        *self.place.insert((span, table.entities()))
    }
}
