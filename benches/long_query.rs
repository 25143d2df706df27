//! `ParQuery` over entities that take long, beside a scope with a job an entity: how many times as
//! long the query takes, in alternated rounds. `cargo bench --bench long_query`

#[path = "../crates/heartbeat_pool/benches/lengths/mod.rs"]
mod lengths;

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemState;
use bevy_heartbeat::{HeartbeatPlugin, ParQuery};
use lengths::{ORDERS, burn, lengths, median, time};
use std::time::Duration;

const ROUNDS: usize = 9;
/// Of processor time.
const SIZE_OF_CASE: Duration = Duration::from_millis(60);

/// How long an entity takes.
#[derive(Component)]
struct Length(Duration);

/// The medians of the query and of the scope.
fn compare(lengths: &[Duration]) -> [f64; 2] {
    let mut world = World::new();
    world.spawn_batch(
        lengths
            .iter()
            .map(|length| Length(*length))
            .collect::<Vec<_>>(),
    );
    let mut state = SystemState::<ParQuery<&Length>>::new(&mut world);
    let pool = heartbeat_pool::global();
    let rounds = (0..ROUNDS).map(|_| {
        let values = state.get(&world).expect("a query is always there");
        let by_query = time(|| values.par_iter().for_each(|length| burn(length.0)));
        let by_scope = time(|| {
            pool.scope(|scope| {
                for &length in lengths {
                    scope.spawn(move || burn(length));
                }
            });
        });
        (by_query, by_scope)
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
