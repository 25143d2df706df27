//! A tokio client beside the pool: tokio's reactor has a thread of its own, and a job of the pool
//! awaits what runs there. The server is an HTTP one on the loopback address.
//! `cargo run --example tokio_client`

use bevy_app::{App, Startup};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

/// Where tokio's own futures run. It ends with the app, whatever runs on it.
#[derive(Resource)]
struct Tokio(Option<Runtime>);

impl Drop for Tokio {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Where the server listens.
#[derive(Resource, Clone, Copy)]
struct Server(SocketAddr);

#[derive(Resource, Debug)]
struct Answer(String);

/// Answers each request with the same words.
async fn serve(listener: TcpListener) -> io::Result<()> {
    loop {
        let (mut client, _) = listener.accept().await?;
        let mut request = [0; 1024];
        let _ = client.read(&mut request).await?;
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n";
        client.write_all(head.as_bytes()).await?;
        client.write_all(b"hello").await?;
    }
}

/// The body of what the server answers.
async fn get(server: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect(server).await?;
    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let body = answer
        .split_once("\r\n\r\n")
        .map(|(_, body)| body.to_owned());
    body.ok_or_else(|| io::Error::other("no HTTP"))
}

/// Ends a request of tokio's with the job that waits for it: a handle that is dropped does not.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// tokio's futures want tokio's thread; what is done with the answer runs on the pool.
fn ask(mut commands: Commands, server: Res<Server>, tokio: Res<Tokio>) {
    let Some(runtime) = &tokio.0 else { return };
    let request = runtime.spawn(get(server.0));
    let abort = AbortOnDrop(request.abort_handle());
    let keep = |In(outcome): In<JobOutcome<Result<String, String>>>, mut commands: Commands| {
        let answer = outcome.unwrap_or_else(|error| Err(error.to_string()));
        let answer = answer.unwrap_or_else(|error| format!("no answer: {error}"));
        commands.insert_resource(Answer(answer));
    };
    commands
        .spawn_job(Lane::Io, move |_| async move {
            let _abort = abort;
            let answer = request.await.map_err(io::Error::from);
            answer.flatten().map_err(|error| error.to_string())
        })
        .named("greeting")
        .timeout(Duration::from_secs(10))
        .then(keep);
}

/// Runs the app until the answer is there.
pub fn main() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("tokio")
        .enable_io()
        .build()
        .unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let server = Server(listener.local_addr().unwrap());
    runtime.spawn(serve(listener));
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin::default())
        .insert_resource(server)
        .insert_resource(Tokio(Some(runtime)))
        .add_systems(Startup, ask);
    while !app.world().contains_resource::<Answer>() {
        app.update();
        std::thread::yield_now();
    }
    let Answer(answer) = app.world().resource();
    assert_eq!(answer, "hello");
    println!("the server says {answer}");
}
