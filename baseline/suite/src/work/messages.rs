//! Two tasks that send each other messages.

use async_channel::{Receiver, Sender, bounded};

/// Both futures, to be spawned; each gives the number of messages it got.
pub fn ping_pong(
    messages: u64,
) -> (
    impl Future<Output = u64> + Send + 'static,
    impl Future<Output = u64> + Send + 'static,
) {
    let (to_pong, from_ping) = bounded(1);
    let (to_ping, from_pong) = bounded(1);
    (ping(messages, to_pong, from_pong), pong(from_ping, to_ping))
}

/// Sends each number and waits for its echo.
async fn ping(messages: u64, sender: Sender<u64>, receiver: Receiver<u64>) -> u64 {
    let mut got = 0;
    for message in 0..messages {
        if sender.send(message).await.is_err() {
            break;
        }
        got += u64::from(receiver.recv().await == Ok(message));
    }
    got
}

/// Sends back what comes, until the other end is gone.
async fn pong(receiver: Receiver<u64>, sender: Sender<u64>) -> u64 {
    let mut got = 0;
    while let Ok(message) = receiver.recv().await {
        got += 1;
        if sender.send(message).await.is_err() {
            break;
        }
    }
    got
}
