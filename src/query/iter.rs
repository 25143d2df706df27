//! Parallel iteration over items.

use super::spans::{Span, Spans, Storage};
use bevy_ecs::archetype::ArchetypeEntity;
use bevy_ecs::change_detection::Tick;
use bevy_ecs::entity::Entity;
use bevy_ecs::query::{IterQueryData, QueryData, QueryFilter};
use bevy_ecs::storage::{Table, TableRow};
use bevy_ecs::world::unsafe_world_cell::UnsafeWorldCell;
use nonmax::NonMaxU32;
use std::ops::Range;

/// Parallel iteration over a query's items, of [`ParQuery::par_iter`](crate::ParQuery::par_iter)
/// and [`ParQuery::par_iter_mut`](crate::ParQuery::par_iter_mut).
///
/// Items that follow one another on one thread are a *stretch*. Work that was short the last time
/// the same code ran is one stretch. Long work, and work of which nothing is known yet, is cut into
/// some sixteen stretches a thread, and into more as threads come free. No item may wait for
/// another one.
///
/// Where a function panics, its payload reaches the caller, and not every item may have been
/// visited.
#[must_use = "it does nothing until one of its functions is called"]
pub struct ParIter<'w, 's, D: QueryData, F: QueryFilter> {
    pub(super) world: UnsafeWorldCell<'w>,
    pub(super) data: &'s D::State,
    pub(super) filter: &'s F::State,
    pub(super) spans: &'s Spans,
    pub(super) ticks: [Tick; 2],
}

impl<'w, 's, D: QueryData, F: QueryFilter> ParIter<'w, 's, D, F> {
    /// # Safety
    ///
    /// - For `'w` and in `world`, everything that `D` and `F` access may be accessed, and nobody
    ///   else accesses it in conflict with that.
    /// - `D`'s access was checked for conflicts in itself.
    /// - `data` and `filter` are states of `D` and `F` (or of data with the same state of which `D`
    ///   is the read-only part) for `world`, and up to date with its archetypes.
    /// - `spans` are of storages that match, tables only if `D` and `F` are dense.
    pub(super) unsafe fn new(
        world: UnsafeWorldCell<'w>,
        data: &'s D::State,
        filter: &'s F::State,
        spans: &'s Spans,
        ticks: [Tick; 2],
    ) -> Self {
        Self {
            world,
            data,
            filter,
            spans,
            ticks,
        }
    }

    /// The data of no storage yet.
    #[inline]
    pub(super) fn fetch(&self) -> D::Fetch<'w> {
        let [last_run, this_run] = self.ticks;
        // SAFETY: `new`'s caller answers for the state, the access and its conflicts.
        unsafe { D::init_fetch(self.world, self.data, last_run, this_run) }
    }

    #[inline]
    fn filter_fetch(&self) -> F::Fetch<'w> {
        let [last_run, this_run] = self.ticks;
        // SAFETY: as in `fetch`.
        unsafe { F::init_fetch(self.world, self.filter, last_run, this_run) }
    }

    /// The table of that archetype, or that one itself.
    #[inline]
    pub(super) fn table(&self, storage: Storage) -> &'w Table {
        let id = match storage {
            Storage::Table(id) => id,
            Storage::Archetype(id) => self.world.archetypes()[id].table_id(),
        };
        // SAFETY: only tables that match are looked at, and of them what `new`'s caller lets be
        // accessed.
        let tables = unsafe { &self.world.storages().tables };
        &tables[id]
    }
}

impl<'w, 's, D: IterQueryData, F: QueryFilter> ParIter<'w, 's, D, F> {
    /// Calls `f` on every item.
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// # use bevy_heartbeat::ParQuery;
    /// # #[derive(Component)]
    /// # struct Age(u32);
    /// fn grow_old(mut ages: ParQuery<&mut Age>) {
    ///     ages.par_iter_mut().for_each(|mut age| age.0 += 1);
    /// }
    /// # bevy_ecs::system::assert_is_system(grow_old);
    /// ```
    pub fn for_each(self, f: impl Fn(D::Item<'w, 's>) + Sync) {
        self.for_each_init(|| (), |(), item| f(item));
    }

    /// Calls `f` on every item, with a state that `init` makes for each stretch. The state never
    /// leaves its thread, so it may be a thread-local borrow.
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// # use bevy_heartbeat::ParQuery;
    /// # #[derive(Component)]
    /// # struct Health(i32);
    /// fn find_dead(health: ParQuery<(Entity, &Health)>, commands: ParallelCommands) {
    ///     health.par_iter().for_each_init(Vec::new, |scratch, (entity, health)| {
    ///         scratch.clear();
    ///         scratch.extend((health.0 <= 0).then_some(entity));
    ///         for &dead in &*scratch {
    ///             commands.command_scope(|mut commands| commands.entity(dead).despawn());
    ///         }
    ///     });
    /// }
    /// # bevy_ecs::system::assert_is_system(find_dead);
    /// ```
    pub fn for_each_init<S>(
        self,
        init: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, D::Item<'w, 's>) + Sync,
    ) {
        self.stretches(init, f, drop, |(), ()| ());
    }

    /// Folds all items: `f` takes them into a state that `init` makes for each stretch, and
    /// `combine` joins the states of two neighbours, the former one first. The result is that of a
    /// serial fold if `combine` is associative, and a new state of `init` changes nothing in it.
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// # use bevy_heartbeat::ParQuery;
    /// # #[derive(Component)]
    /// # struct Gold(u64);
    /// fn treasure(hoards: ParQuery<&Gold>) -> u64 {
    ///     hoards
    ///         .par_iter()
    ///         .fold(|| 0, |sum, gold| *sum += gold.0, |left, right| left + right)
    /// }
    /// # let mut world = World::new();
    /// # world.spawn_batch((0..100).map(Gold));
    /// # assert_eq!(world.run_system_cached(treasure).unwrap(), 4950);
    /// ```
    pub fn fold<S: Send>(
        self,
        init: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, D::Item<'w, 's>) + Sync,
        combine: impl Fn(S, S) -> S + Sync,
    ) -> S {
        self.stretches(init, f, |state| state, combine)
    }

    /// What `f` makes of each item, in the order in which the query's own iterator goes through
    /// them.
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// # use bevy_heartbeat::ParQuery;
    /// # #[derive(Component)]
    /// # struct Age(u32);
    /// fn ages(ages: ParQuery<(Entity, &Age)>) -> Vec<(Entity, u32)> {
    ///     ages.par_iter().map(|(entity, age)| (entity, age.0))
    /// }
    /// # bevy_ecs::system::assert_is_system(ages);
    /// ```
    pub fn map<R: Send>(self, f: impl Fn(D::Item<'w, 's>) -> R + Sync) -> Vec<R> {
        self.fold(
            Vec::new,
            |results, item| results.push(f(item)),
            |mut left, mut right| {
                left.append(&mut right);
                left
            },
        )
    }

    fn stretches<S, R: Send>(
        self,
        init: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, D::Item<'w, 's>) + Sync,
        finish: impl Fn(S) -> R + Sync,
        combine: impl Fn(R, R) -> R + Sync,
    ) -> R {
        super::fold_pieces(
            0..self.spans.len(),
            || (Cursor::new(&self), init()),
            |(cursor, state), rows| {
                // SAFETY: the pieces are disjoint, and `self` is consumed, so no row comes twice.
                unsafe { cursor.for_each(rows, |item| f(state, item)) }
            },
            |(_, state)| finish(state),
            combine,
        )
    }
}

/// A thread's place in the rows.
struct Cursor<'a, 'w, 's, D: QueryData, F: QueryFilter> {
    iter: &'a ParIter<'w, 's, D, F>,
    fetch: Fetch<'w, 's, D, F>,
    place: Option<(Span, Entities<'w>)>,
}

/// The entities of the storage that the fetches are set to, by row.
#[derive(Clone, Copy)]
enum Entities<'w> {
    Table(&'w [Entity]),
    Archetype(&'w [ArchetypeEntity]),
}

impl<'a, 'w, 's, D: IterQueryData, F: QueryFilter> Cursor<'a, 'w, 's, D, F> {
    #[inline]
    fn new(iter: &'a ParIter<'w, 's, D, F>) -> Self {
        Self {
            iter,
            fetch: Fetch {
                data_state: iter.data,
                filter_state: iter.filter,
                data: iter.fetch(),
                filter: iter.filter_fetch(),
            },
            place: None,
        }
    }

    /// Calls `f` on the items in these rows.
    ///
    /// # Safety
    ///
    /// No item of a row in `rows` is alive, unless `D` is read-only.
    #[inline]
    unsafe fn for_each(&mut self, mut rows: Range<usize>, mut f: impl FnMut(D::Item<'w, 's>)) {
        while !rows.is_empty() {
            let (span, entities) = match self.place {
                Some(place) if (place.0.start..place.0.end).contains(&rows.start) => place,
                _ => self.enter(rows.start),
            };
            let part = span.part(&rows);
            rows.start = span.start + part.end;
            // A copy that nothing else can point to, so that the loop keeps it in registers.
            let mut fetch = self.fetch.clone();
            match entities {
                Entities::Table(entities) => {
                    // A table has less than `u32::MAX` rows.
                    let numbers = part.start as u32..part.end as u32;
                    for (&entity, row) in entities[part].iter().zip(numbers) {
                        // SAFETY: the range's end is more, so it isn't the largest number.
                        let row = TableRow::new(unsafe { NonMaxU32::new_unchecked(row) });
                        // SAFETY: the fetches are set to the table whose entities these are, so
                        // `row` is in it and `entity` in that row; the caller answers for other
                        // items.
                        if let Some(item) = unsafe { fetch.item(entity, row) } {
                            f(item);
                        }
                    }
                }
                Entities::Archetype(entities) => {
                    for entity in &entities[part] {
                        // SAFETY: the fetches are set to the archetype whose entities these are; as
                        // above.
                        if let Some(item) = unsafe { fetch.item(entity.id(), entity.table_row()) } {
                            f(item);
                        }
                    }
                }
            }
        }
    }

    /// Sets the fetches to the storage of the row at that place.
    #[inline(never)]
    fn enter(&mut self, place: usize) -> (Span, Entities<'w>) {
        let iter = self.iter;
        let span = *iter.spans.find(place);
        let table = iter.table(span.storage);
        let Fetch { data, filter, .. } = &mut self.fetch;
        let entities = match span.storage {
            Storage::Table(_) => {
                // SAFETY: the table is of the world that the state is for, and it is the state that
                // the fetch was made with.
                unsafe { D::set_table(data, iter.data, table) }
                // SAFETY: as above.
                unsafe { F::set_table(filter, iter.filter, table) }
                Entities::Table(table.entities())
            }
            Storage::Archetype(id) => {
                let archetype = &iter.world.archetypes()[id];
                // SAFETY: as above; the table is this archetype's.
                unsafe { D::set_archetype(data, iter.data, archetype, table) }
                // SAFETY: as above.
                unsafe { F::set_archetype(filter, iter.filter, archetype, table) }
                Entities::Archetype(archetype.entities())
            }
        };
        *self.place.insert((span, entities))
    }
}

/// What items are fetched with.
struct Fetch<'w, 's, D: QueryData, F: QueryFilter> {
    data_state: &'s D::State,
    filter_state: &'s F::State,
    data: D::Fetch<'w>,
    filter: F::Fetch<'w>,
}

impl<D: QueryData, F: QueryFilter> Clone for Fetch<'_, '_, D, F> {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            data: self.data.clone(),
            filter: self.filter.clone(),
            ..*self
        }
    }
}

impl<'w, 's, D: IterQueryData, F: QueryFilter> Fetch<'w, 's, D, F> {
    /// The item of `entity`, if that matches.
    ///
    /// # Safety
    ///
    /// - `entity` and `row` are of the storage that the fetches are set to.
    /// - No item of `entity` is alive, unless `D` is read-only.
    /// - The access is as [`ParIter::new`] wants it.
    #[inline(always)]
    unsafe fn item(&mut self, entity: Entity, row: TableRow) -> Option<D::Item<'w, 's>> {
        // SAFETY: the caller answers for where the entity is.
        let matches = unsafe { F::filter_fetch(self.filter_state, &mut self.filter, entity, row) };
        if !matches {
            return None;
        }
        // SAFETY: likewise, for other items of this entity and for the access; items of others may
        // be alive, for `D` is `IterQueryData`.
        unsafe { D::fetch(self.data_state, &mut self.data, entity, row) }
    }
}
