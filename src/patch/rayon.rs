//! Whether rayon runs on the pool: nothing in the process tells of one that doesn't, but the
//! executable does.
//!
//! Cargo has one `rayon-core` in a build. Where that is the drop-in of this crate's own source, it
//! turns a feature of `heartbeat_pool` on. Any other, be it rayon's own or a drop-in that runs on a
//! copy of `heartbeat_pool`, asks the environment for rayon's number of threads, and the name of
//! the variable lies in the executable: optimized, stripped or not.
//!
//! What can't be told: of a rayon in a shared library, as on Android and by Bevy's
//! `dynamic_linking`, and in an executable that is packed or can't be read.

use super::lines;
use heartbeat_pool::Lane;
use log::Level;
use std::env;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::sync::Once;

/// How much is read before other jobs have their turn.
const PIECE: usize = 1 << 20;

/// Has a background job warn of a rayon that doesn't run on the pool. Once in a process, and where
/// somebody would hear of it.
pub(crate) fn look_for_rayon() {
    static LOOKED: Once = Once::new();
    if !heartbeat_pool::HAS_RAYON && log::log_enabled!(Level::Warn) {
        LOOKED.call_once(|| {
            let pool = heartbeat_pool::global();
            pool.spawn_future(Lane::Background, report()).detach();
        });
    }
}

async fn report() {
    match is_linked().await {
        Ok(true) => log::warn!(
            "bevy_heartbeat: rayon runs on threads of its own beside the pool's, for the \
             application links rayon's own rayon-core, or the drop-in from another source than \
             bevy_heartbeat's.\n{}\n`cargo tree -i rayon-core` tells who uses rayon, and the \
             source.",
            lines("rayon-core")
        ),
        Ok(false) => log::debug!("bevy_heartbeat: no rayon beside the pool"),
        Err(error) => {
            log::debug!("bevy_heartbeat: whether there is a rayon can't be told: {error}");
        }
    }
}

/// Whether the executable has a `rayon-core`.
async fn is_linked() -> io::Result<bool> {
    // Not in one piece, for this is in the executable too.
    let variable = ["RAYON", "NUM", "THREADS"].join("_");
    holds(File::open(env::current_exe()?)?, &variable).await
}

/// Whether `text` is in what `reader` reads. Its last letter is in it once.
async fn holds(reader: impl io::Read, text: &str) -> io::Result<bool> {
    let mut reader = BufReader::new(reader);
    let text = text.as_bytes();
    let [.., last] = *text else { return Ok(true) };
    let (mut part, mut read) = (Vec::new(), 0);
    // Each part ends with the letter.
    while reader.read_until(last, &mut part)? > 0 {
        if part.ends_with(text) {
            return Ok(true);
        }
        read += part.len();
        part.clear();
        if read >= PIECE {
            read = 0;
            heartbeat_pool::yield_task().await;
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_has_the_drop_in() {
        const { assert!(heartbeat_pool::HAS_RAYON) };
    }

    #[test]
    fn others_have_their_turn_while_much_is_read() {
        use std::task::{Context, Waker};
        // An executable has the letter here and there.
        let letters = vec![b'S'; 3 * PIECE];
        let mut looks = std::pin::pin!(holds(&letters[..], "AB_CS"));
        let mut context = Context::from_waker(Waker::noop());
        let turns = (0..100).take_while(|_| looks.as_mut().poll(&mut context).is_pending());
        assert!((2..10).contains(&turns.count()));
    }

    #[test]
    fn a_text_is_found_wherever_it_lies() {
        let is_found = |parts: &[&[u8]]| {
            let bytes = parts.concat();
            bevy_tasks::block_on(holds(&bytes[..], "AB_CS")).unwrap()
        };
        let zeros = vec![0; 3 * PIECE];
        let others: [&[u8]; 6] = [b"", b"S", b"AB_C", b"AB_CABS", b"B_CS", &zeros];
        for before in others {
            for after in others {
                assert!(is_found(&[before, b"AB_CS", after]));
                assert!(!is_found(&[before, b"-", after]));
            }
        }
    }
}
