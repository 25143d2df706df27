//! Queries whose entities are gone through by all threads of the pool, with no batches to size.

mod columns;
mod iter;
mod param;
mod spans;

pub use columns::ParColumns;
pub use iter::ParIter;

use crate::record::Span;
use bevy_ecs::change_detection::Tick;
use bevy_ecs::query::{
    ArchetypeFilter, ContiguousQueryData, IterQueryData, QueryData, QueryFilter, QueryIter,
    QueryNotDenseError,
};
use bevy_ecs::system::Query;
use bevy_ecs::world::unsafe_world_cell::UnsafeWorldCell;
use param::Parts;
use std::fmt;
use std::ops::{Deref, Range};

/// A [`Query`] whose parallel iteration needs no batches: work that was short the last time stays
/// on its thread, and other work is split, once more whenever a thread comes free.
///
/// It is a system parameter that stands where a `Query` does, and conflicts where that would. Its
/// [`par_iter`](Self::par_iter) and [`par_iter_mut`](Self::par_iter_mut) take the place of the
/// query's, and also fold and map. All that a shared `Query` does it does as well; for what needs a
/// mutable one, there is [`query_mut`](Self::query_mut).
///
/// It runs on the process's pool, which [`HeartbeatPlugin`](crate::HeartbeatPlugin) sets up, or
/// else the engine's `TaskPoolPlugin` or rayon. Where none of them has, all work is done in place.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_heartbeat::ParQuery;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// fn advance(mut moving: ParQuery<(&mut Position, &Velocity)>) {
///     moving
///         .par_iter_mut()
///         .for_each(|(mut position, velocity)| position.0 += velocity.0);
/// }
///
/// fn farthest(all: ParQuery<&Position>) -> f32 {
///     all.par_iter().fold(
///         || f32::MIN,
///         |farthest, position| *farthest = farthest.max(position.0),
///         f32::max,
///     )
/// }
///
/// let mut world = World::new();
/// world.spawn_batch((0..1000).map(|i| (Position(i as f32), Velocity(0.5))));
/// world.run_system_cached(advance).unwrap();
/// assert_eq!(world.run_system_cached(farthest).unwrap(), 999.5);
/// ```
pub struct ParQuery<'w, 's, D: QueryData, F: QueryFilter = ()> {
    // Lent, but never mutably: code that could put another world's query in its place would have
    // two ways to the same entities.
    query: Query<'w, 's, D, F>,
    world: UnsafeWorldCell<'w>,
    parts: &'s Parts<D, F>,
    last_run: Tick,
    this_run: Tick,
}

impl<'s, D: QueryData, F: QueryFilter> ParQuery<'_, 's, D, F> {
    /// The query itself, for all that it does mutably.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_heartbeat::ParQuery;
    ///
    /// #[derive(Component)]
    /// struct Score(u32);
    ///
    /// fn first(mut scores: ParQuery<&mut Score>) {
    ///     scores.query_mut().single_mut().unwrap().0 += 1;
    /// }
    ///
    /// let mut world = World::new();
    /// let only = world.spawn(Score(1)).id();
    /// world.run_system_cached(first).unwrap();
    /// assert_eq!(world.get::<Score>(only).unwrap().0, 2);
    /// ```
    pub fn query_mut(&mut self) -> Query<'_, 's, D, F> {
        self.query.reborrow()
    }

    /// Parallel iteration over all items, read-only. As
    /// [`Query::par_iter`](bevy_ecs::system::Query::par_iter), with
    /// [`fold`](ParIter::fold) and [`map`](ParIter::map) too.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_heartbeat::ParQuery;
    ///
    /// #[derive(Component)]
    /// struct Name(&'static str);
    ///
    /// fn lengths(names: ParQuery<&Name>) -> Vec<usize> {
    ///     names.par_iter().map(|name| name.0.len())
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Name("Ada"), Name("Grace")]);
    /// assert_eq!(world.run_system_cached(lengths).unwrap(), [3, 5]);
    /// ```
    pub fn par_iter(&self) -> ParIter<'_, 's, D::ReadOnly, F> {
        // SAFETY: the query may read what `D` accesses; nobody writes it while `self` is borrowed.
        // The read-only data has `D`'s state and matches what `D` matches.
        unsafe {
            ParIter::new(
                self.world,
                &self.parts.data,
                &self.parts.filter,
                &self.parts.spans,
                [self.last_run, self.this_run],
            )
        }
    }

    /// Parallel iteration over all items. As
    /// [`Query::par_iter_mut`](bevy_ecs::system::Query::par_iter_mut), with more to end it.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_heartbeat::ParQuery;
    ///
    /// #[derive(Component)]
    /// struct Count(u32);
    ///
    /// fn count(mut counts: ParQuery<&mut Count>) {
    ///     counts.par_iter_mut().for_each(|mut count| count.0 += 1);
    /// }
    ///
    /// let mut world = World::new();
    /// let one = world.spawn(Count(1)).id();
    /// world.run_system_cached(count).unwrap();
    /// assert_eq!(world.get::<Count>(one).unwrap().0, 2);
    /// ```
    pub fn par_iter_mut(&mut self) -> ParIter<'_, 's, D, F>
    where
        D: IterQueryData,
    {
        // SAFETY: the query may do what `D` accesses, and it is borrowed exclusively as long as
        // that is done.
        unsafe {
            ParIter::new(
                self.world,
                &self.parts.data,
                &self.parts.filter,
                &self.parts.spans,
                [self.last_run, self.this_run],
            )
        }
    }

    /// Parallel iteration over pieces of tables, in which components lie side by side; read-only.
    ///
    /// # Errors
    ///
    /// When the components are not all in tables, as
    /// [`Query::contiguous_iter`](bevy_ecs::system::Query::contiguous_iter).
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_ecs::query::QueryNotDenseError;
    /// use bevy_heartbeat::ParQuery;
    ///
    /// #[derive(Component)]
    /// struct Mass(f64);
    ///
    /// fn total(masses: ParQuery<&Mass>) -> Result<f64, QueryNotDenseError> {
    ///     Ok(masses.contiguous_par_iter()?.fold(
    ///         || 0.0,
    ///         |sum, masses| *sum += masses.iter().map(|mass| mass.0).sum::<f64>(),
    ///         |left, right| left + right,
    ///     ))
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..1000).map(|i| Mass(i.into())));
    /// assert_eq!(world.run_system_cached(total).unwrap().unwrap(), 499_500.0);
    /// ```
    pub fn contiguous_par_iter(
        &self,
    ) -> Result<ParColumns<'_, 's, D::ReadOnly, F>, QueryNotDenseError>
    where
        D::ReadOnly: ContiguousQueryData,
        F: ArchetypeFilter,
    {
        // What is dense is the query's to say.
        self.query.contiguous_iter()?;
        Ok(ParColumns(self.par_iter()))
    }

    /// Parallel iteration over pieces of tables, in which components lie side by side.
    ///
    /// # Errors
    ///
    /// As [`contiguous_par_iter`](Self::contiguous_par_iter).
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_ecs::query::QueryNotDenseError;
    /// use bevy_heartbeat::ParQuery;
    ///
    /// #[derive(Component)]
    /// struct Position(f32);
    /// #[derive(Component)]
    /// struct Velocity(f32);
    ///
    /// fn advance(
    ///     mut moving: ParQuery<(&mut Position, &Velocity)>,
    /// ) -> Result<(), QueryNotDenseError> {
    ///     moving
    ///         .contiguous_par_iter_mut()?
    ///         .for_each(|(mut positions, velocities)| {
    ///             for (position, velocity) in positions.iter_mut().zip(velocities) {
    ///                 position.0 += velocity.0;
    ///             }
    ///         });
    ///     Ok(())
    /// }
    ///
    /// let mut world = World::new();
    /// let one = world.spawn((Position(1.0), Velocity(2.0))).id();
    /// world.run_system_cached(advance).unwrap().unwrap();
    /// assert_eq!(world.get::<Position>(one).unwrap().0, 3.0);
    /// ```
    pub fn contiguous_par_iter_mut(
        &mut self,
    ) -> Result<ParColumns<'_, 's, D, F>, QueryNotDenseError>
    where
        D: ContiguousQueryData,
        F: ArchetypeFilter,
    {
        self.query.contiguous_iter_mut()?;
        Ok(ParColumns(self.par_iter_mut()))
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> Deref for ParQuery<'w, 's, D, F> {
    type Target = Query<'w, 's, D, F>;

    fn deref(&self) -> &Self::Target {
        &self.query
    }
}

impl<D: QueryData, F: QueryFilter> fmt::Debug for ParQuery<'_, '_, D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ParQuery").field(&self.query).finish()
    }
}

impl<'a, 's, D: QueryData, F: QueryFilter> IntoIterator for &'a ParQuery<'_, 's, D, F> {
    type Item = <D::ReadOnly as QueryData>::Item<'a, 's>;
    type IntoIter = QueryIter<'a, 's, D::ReadOnly, F>;

    fn into_iter(self) -> Self::IntoIter {
        self.query.iter()
    }
}

impl<'a, 's, D: IterQueryData, F: QueryFilter> IntoIterator for &'a mut ParQuery<'_, 's, D, F> {
    type Item = D::Item<'a, 's>;
    type IntoIter = QueryIter<'a, 's, D, F>;

    fn into_iter(self) -> Self::IntoIter {
        self.query.iter_mut()
    }
}

/// Folds pieces of so many rows on the app's pool.
fn fold_pieces<S, R: Send>(
    rows: Range<usize>,
    init: impl Fn() -> S + Sync,
    fold: impl Fn(&mut S, Range<usize>) + Sync,
    finish: impl Fn(S) -> R + Sync,
    combine: impl Fn(R, R) -> R + Sync,
) -> R {
    let _loop = Span::of_loop();
    if cfg!(target_arch = "wasm32") {
        // In no pool: in place.
        heartbeat_pool::fold_pieces(rows, init, fold, finish, combine)
    } else {
        heartbeat_pool::global().fold_pieces(rows, init, fold, finish, combine)
    }
}
