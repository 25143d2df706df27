//! Talking to a library that blocks: here one that answers through a channel, one question at a
//! time. The calls wait on threads of their own, so no core and no frame waits with them. Each call
//! that waits holds a thread, of 512 at most: many more questions than that are better asked by one
//! job, in turn.
//! `cargo run --example blocking_library`

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::sync::{Arc, Mutex, mpsc};
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

#[derive(Resource, Clone)]
struct Service(Arc<Mutex<Connection>>);

#[derive(Resource, Default)]
struct Squares(Vec<u32>);

/// A hundred questions, each in a job; they take turns at the one connection.
fn ask(
    mut jobs: Jobs<u32>,
    service: Res<Service>,
    mut squares: ResMut<Squares>,
    mut is_asked: Local<bool>,
) {
    if !*is_asked {
        *is_asked = true;
        for number in 0..100 {
            let service = service.clone();
            jobs.start(Lane::Io, move |cx| async move {
                let ask = move || {
                    let connection = service.0.lock().unwrap();
                    connection.square(number)
                };
                cx.blocking(ask).await.expect("the service answers")
            });
        }
    }
    for (_, outcome) in jobs.iter_poll() {
        match outcome {
            Ok(square) => squares.0.push(square),
            Err(error) => eprintln!("{error}"),
        }
    }
}

/// Runs the app until all answers are there.
pub fn main() {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin::default())
        .insert_resource(Service(Arc::new(Mutex::new(Connection::open()))))
        .init_resource::<Squares>()
        .add_systems(Update, ask);
    while app.world().resource::<Squares>().0.len() < 100 {
        app.update();
        thread::yield_now();
    }
    let sum: u32 = app.world().resource::<Squares>().0.iter().sum();
    assert_eq!(sum, (0..100).map(|number| number * number).sum::<u32>());
    println!("100 answers, sum {sum}");
}
