//! Talking to a library that blocks: here one that answers through a channel, one question at a
//! time. A call waits on a thread of its own, of 512 at most, so no core and no frame waits with
//! it. As the service answers one question at a time, one job asks all of them in turn, and holds
//! one thread. `cargo run --example blocking_library`

use bevy_app::{App, Startup};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::sync::mpsc;
use std::thread;

/// A connection to a slow service.
struct Connection {
    questions: mpsc::Sender<u32>,
    answers: mpsc::Receiver<u32>,
}

impl Connection {
    fn open() -> Self {
        let (questions, asked) = mpsc::channel::<u32>();
        let (answer, answers) = mpsc::channel();
        thread::spawn(move || {
            let squares = asked.into_iter().map(|number| number * number);
            squares
                .map(|square| answer.send(square))
                .take_while(Result::is_ok)
                .count()
        });
        Self { questions, answers }
    }

    /// Blocks until the answer is there.
    fn square(&self, number: u32) -> Result<u32, mpsc::RecvError> {
        self.questions.send(number).map_err(|_| mpsc::RecvError)?;
        self.answers.recv()
    }
}

/// The answers, or why there are none.
#[derive(Resource)]
struct Squares(Result<Vec<u32>, String>);

/// The connection lives as long as the call.
fn ask_all() -> Result<Vec<u32>, mpsc::RecvError> {
    let connection = Connection::open();
    (0..100).map(|number| connection.square(number)).collect()
}

fn ask(mut commands: Commands) {
    let keep = |In(outcome): In<JobOutcome<_>>, mut commands: Commands| {
        let squares = match outcome {
            Ok(Ok(squares)) => Ok(squares),
            Ok(Err(error)) => Err(format!("the service is gone: {error}")),
            Err(error) => Err(error.to_string()),
        };
        commands.insert_resource(Squares(squares));
    };
    commands
        .spawn_job(Lane::Io, |cx| async move { cx.blocking(ask_all).await })
        .named("squares")
        .then(keep);
}

/// Runs the app until all answers are there.
pub fn main() {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin::default())
        .add_systems(Startup, ask);
    while !app.world().contains_resource::<Squares>() {
        app.update();
        thread::yield_now();
    }
    let squares = app.world().resource::<Squares>().0.as_ref();
    let sum: u32 = squares.expect("the service answers").iter().sum();
    assert_eq!(sum, (0..100).map(|number| number * number).sum::<u32>());
    println!("100 answers, sum {sum}");
}
