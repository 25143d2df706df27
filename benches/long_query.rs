//! `ParQuery` over entities that take long, beside a scope with a job an entity: how many times as long the query takes,
//! in alternated rounds. `cargo bench --bench long_query`

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemState;
use bevy_heartbeat::{HeartbeatPlugin, ParQuery};
use std::hint::spin_loop;
use std::time::{Duration, Instant};

const ROUNDS: usize = 9;
/// Of processor time.
const SIZE_OF_CASE: Duration = Duration::from_millis(60);

const ORDERS: [&str; 5] = ["equal", "dear first", "dear last", "mixed", "rising"];

/// How long an entity takes.
#[derive(Component)]
struct Length(Duration);

/// The length of the entity of this `place` among so many: a quarter of them is dear.
fn length(order: &str, place: usize, count: usize, longest: Duration) -> Duration {
    let dear = count.div_ceil(4);
    let is_dear = match order {
        "equal" => true,
        "dear first" => place < dear,
        "dear last" => place >= count - dear,
        "rising" => return longest.mul_f64((place as f64 + 0.5) / count as f64),
        // Some number that has no period in common with the pieces.
        _ => place.wrapping_mul(0x9E37_79B9) >> 7 & 3 == 0,
    };
    if is_dear {
        longest
    } else {
        longest.mul_f64(0.03)
    }
}

fn burn(length: Duration) {
    let start = Instant::now();
    while start.elapsed() < length {
        spin_loop();
    }
}

fn time(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

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
                    let lengths: Vec<_> = (0..count)
                        .map(|place| length(order, place, count, longest))
                        .collect();
                    let [query, scope] = compare(&lengths);
                    let case = format!("{threads} threads, {count} x {micros} us, {order}");
                    println!("{:5.2}  {:6.1}  {case}", query / scope, scope * 1e3);
                }
            }
        }
    });
}
