//! `ParQuery` over entities that take long, beside a scope with a job an entity: how many times as
//! long the query takes, in alternated rounds. `cargo bench --bench long_query`

#[path = "../crates/heartbeat_pool/benches/lengths/mod.rs"]
mod lengths;

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemState;
use bevy_heartbeat::{HeartbeatPlugin, ParQuery};
use lengths::{ORDERS, burn, lengths, median, time};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const ROUNDS: usize = 9;
/// Of processor time.
const SIZE_OF_CASE: Duration = Duration::from_millis(60);

/// What takes a while.
#[derive(Component)]
struct Item {
    length: Duration,
    runs: AtomicU32,
}

impl Item {
    fn new(length: &Duration) -> Self {
        Self {
            length: *length,
            runs: AtomicU32::new(0),
        }
    }

    fn run(&self) {
        burn(self.length);
        // Not a fetch_add, which takes longer: whoever runs it is alone.
        let runs = self.runs.load(Ordering::Relaxed);
        self.runs.store(runs + 1, Ordering::Relaxed);
    }

    /// Fails unless it ran once since this was called last.
    fn check(&self) {
        let runs = self.runs.swap(0, Ordering::Relaxed);
        assert_eq!(runs, 1, "each item must run once a round");
    }
}

/// The medians of the query and of the scope.
fn compare(lengths: &[Duration]) -> [f64; 2] {
    let mut world = World::new();
    world.spawn_batch(lengths.iter().map(Item::new).collect::<Vec<_>>());
    let mut state = SystemState::<ParQuery<&Item>>::new(&mut world);
    let entities = state.get(&world).expect("a query is always there");
    let items: Vec<_> = lengths.iter().map(Item::new).collect();
    let pool = heartbeat_pool::global();
    let run_query = || {
        let taken = time(|| entities.par_iter().for_each(Item::run));
        entities.iter().for_each(Item::check);
        taken
    };
    let run_scope = || {
        let spawn_all = || {
            pool.scope(|scope| items.iter().for_each(|item| scope.spawn(|| item.run())));
        };
        let taken = time(spawn_all);
        items.iter().for_each(Item::check);
        taken
    };
    // They take turns in going first: whoever does may find the machine in another state.
    let rounds = (0..ROUNDS).map(|round| {
        if round % 2 == 0 {
            (run_query(), run_scope())
        } else {
            let by_scope = run_scope();
            (run_query(), by_scope)
        }
    });
    let (queries, scopes) = rounds.unzip();
    [queries, scopes].map(median)
}

fn main() {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin::default());
    println!("times as long as a scope with a job an entity; milliseconds of the scope");
    // From inside of the pool, where systems run.
    heartbeat_pool::global().with_worker(|worker| {
        let threads = worker.num_threads();
        for micros in [1, 5, 20, 50, 200, 1_000, 5_000] {
            let many = SIZE_OF_CASE.as_micros() as usize / micros;
            for count in [many, 2 * threads] {
                for order in ORDERS {
                    let longest = Duration::from_micros(micros as u64);
                    let lengths = lengths(order, count, longest);
                    let [query, scope] = compare(&lengths);
                    let case = format!("{threads} threads, {count} x {micros} us, {order}");
                    println!("{:5.2}  {:6.1}  {case}", query / scope, scope * 1e3);
                }
            }
        }
    });
}
