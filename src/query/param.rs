//! `ParQuery` as a system parameter: what it keeps between runs, and its access.

use super::ParQuery;
use super::spans::{Spans, Storage};
use bevy_ecs::archetype::{Archetype, ArchetypeId, Archetypes};
use bevy_ecs::change_detection::Tick;
use bevy_ecs::component::StorageType;
use bevy_ecs::entity_disabling::DefaultQueryFilters;
use bevy_ecs::query::{QueryData, QueryFilter, QueryState, ReadOnlyQueryData};
use bevy_ecs::storage::Table;
use bevy_ecs::system::{
    Query, ReadOnlySystemParam, SystemAccess, SystemMeta, SystemParam, SystemParamValidationError,
};
use bevy_ecs::world::World;
use bevy_ecs::world::unsafe_world_cell::UnsafeWorldCell;
use std::collections::HashSet;

/// What a [`ParQuery`] keeps between runs.
pub struct State<D: QueryData, F: QueryFilter> {
    query: QueryState<D, F>,
    /// Whether the query goes by tables, not by archetypes.
    is_dense: bool,
    /// What it goes through, in its order.
    storages: Vec<Storage>,
    /// How many of the world's archetypes were there when that was last looked at.
    seen: usize,
    parts: Parts<D, F>,
}

/// What iteration needs, which the engine keeps to itself in its query's state.
pub struct Parts<D: QueryData, F: QueryFilter> {
    pub(super) data: D::State,
    pub(super) filter: F::State,
    pub(super) spans: Spans,
}

impl<D: QueryData, F: QueryFilter> State<D, F> {
    /// Takes in archetypes that are new, and counts rows.
    fn update(&mut self, world: UnsafeWorldCell) {
        self.query.update_archetypes_unsafe_world_cell(world);
        D::update_archetypes(&mut self.parts.data, world);
        F::update_archetypes(&mut self.parts.filter, world);
        let archetypes = world.archetypes();
        if self.seen < archetypes.len() {
            self.add_storages(archetypes);
            self.seen = archetypes.len();
        }
        // SAFETY: of the tables nothing but their numbers of rows is read, which is no component's
        // data, and which only changes when somebody has the whole world.
        let tables = &unsafe { world.storages() }.tables;
        self.parts.spans.clear();
        for &storage in &self.storages {
            let rows = match storage {
                Storage::Table(id) => tables.get(id).map_or(0, Table::entity_count),
                Storage::Archetype(id) => archetypes.get(id).map_or(0, Archetype::len),
            };
            self.parts.spans.push(storage, rows);
        }
    }

    fn add_storages(&mut self, archetypes: &Archetypes) {
        let new = self.new_archetypes(archetypes);
        if !self.is_dense {
            return self
                .storages
                .extend(new.into_iter().map(Storage::Archetype));
        }
        let table = |storage: &Storage| match storage {
            Storage::Table(id) => Some(id.as_u32()),
            Storage::Archetype(_) => None,
        };
        let mut known: HashSet<_> = self.storages.iter().filter_map(table).collect();
        let tables = new.iter().filter_map(|&id| archetypes.get(id));
        let tables = tables.map(Archetype::table_id);
        self.storages.extend(
            tables
                .filter(|&id| known.insert(id.as_u32()))
                .map(Storage::Table),
        );
    }

    /// The new archetypes that match, in the order in which the engine's query took them in: that
    /// of the rarest component's index if it requires any, else by age.
    fn new_archetypes(&self, archetypes: &Archetypes) -> Vec<ArchetypeId> {
        let is_new = |id: &ArchetypeId| id.index() >= self.seen;
        let by_age: Vec<_> = self.query.matched_archetypes().filter(is_new).collect();
        let required = self.query.component_access().required();
        let index = archetypes.component_index();
        let rarest = required
            .iter()
            .filter_map(|id| index.get(&id))
            .min_by_key(|of_component| of_component.len());
        let Some(rarest) = rarest else {
            return by_age;
        };
        let matches = |id: &ArchetypeId| by_age.binary_search(id).is_ok();
        let by_index: Vec<_> = rarest.keys().copied().filter(matches).collect();
        // Each of them, even should an engine to come go by another index.
        if by_index.len() == by_age.len() {
            by_index
        } else {
            by_age
        }
    }
}

/// Whether a new query of these goes by tables. The filters that all queries have count as well.
fn is_dense<D: QueryData, F: QueryFilter>(world: &World) -> bool {
    let is_in_tables = |id| {
        let info = world.components().get_info(id);
        info.is_some_and(|info| info.storage_type() == StorageType::Table)
    };
    let filters = world.get_resource::<DefaultQueryFilters>();
    D::IS_DENSE
        && F::IS_DENSE
        && filters.is_none_or(|filters| filters.disabling_ids().all(is_in_tables))
}

// SAFETY: the query registers its own access, and nothing beyond that is accessed.
unsafe impl<D: QueryData + 'static, F: QueryFilter + 'static> SystemParam
    for ParQuery<'_, '_, D, F>
{
    type State = State<D, F>;
    type Item<'w, 's> = ParQuery<'w, 's, D, F>;

    fn init_state(world: &mut World) -> Self::State {
        let query = Query::<D, F>::init_state(world);
        let mut state = State {
            query,
            is_dense: is_dense::<D, F>(world),
            storages: Vec::new(),
            seen: 0,
            parts: Parts {
                data: D::init_state(world),
                filter: F::init_state(world),
                spans: Spans::default(),
            },
        };
        // Now, for its order's sake: the query knows these archetypes already. Nothing of the
        // world's data is looked at before `init_access` has checked it.
        state.update(world.as_unsafe_world_cell());
        state
    }

    fn init_access(
        state: &Self::State,
        system_meta: &mut SystemMeta,
        system_access: &mut SystemAccess,
        world: &mut World,
    ) {
        <Query<D, F> as SystemParam>::init_access(&state.query, system_meta, system_access, world);
    }

    #[inline]
    unsafe fn get_param<'w, 's>(
        state: &'s mut Self::State,
        system_meta: &SystemMeta,
        world: UnsafeWorldCell<'w>,
        change_tick: Tick,
    ) -> Result<Self::Item<'w, 's>, SystemParamValidationError> {
        // Panics at another world than the state's.
        state.update(world);
        let last_run = system_meta.get_last_run();
        // SAFETY: the caller lets the query access what `init_access` registered for it; `update`
        // has checked that the world is its own.
        let query = unsafe {
            let query = &state.query;
            query.query_unchecked_manual_with_ticks(world, last_run, change_tick)
        };
        Ok(ParQuery {
            query,
            world,
            parts: &state.parts,
            last_run,
            this_run: change_tick,
        })
    }
}

// SAFETY: with data that is read-only, the query and what iterates over it only read.
unsafe impl<D: ReadOnlyQueryData + 'static, F: QueryFilter + 'static> ReadOnlySystemParam
    for ParQuery<'_, '_, D, F>
{
}
