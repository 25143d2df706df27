//! The ways in which a library can keep a callback that is asynchronous.

use stackfuture::StackFuture;
use std::hint::black_box;
use std::pin::Pin;
use tokio_util::sync::ReusableBoxFuture;

/// Room for any callback's future, on the stack.
const ROOM: usize = 64;

/// How a callback is kept and called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A pointer to a function that isn't asynchronous: what the others are compared with.
    Plain,
    /// A type of its own for each callback.
    Generic,
    /// A future in a new box for each call.
    Boxed,
    /// One of a known set.
    Enumerated,
    /// A future in room on the caller's stack.
    Stack,
    /// A future in one box, for call after call.
    Reused,
}

impl Way {
    /// All, and how each is called in tables.
    pub const ALL: [(&'static str, Self); 6] = [
        ("plain function", Self::Plain),
        ("generic", Self::Generic),
        ("boxed", Self::Boxed),
        ("enum", Self::Enumerated),
        ("on the stack", Self::Stack),
        ("reused box", Self::Reused),
    ];

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, way)| way)
    }
}

/// What a call gives.
fn twice(number: u64) -> u64 {
    black_box(number * 2)
}

/// The sum of what all calls give.
pub fn expected(calls: u64) -> u64 {
    calls * calls.saturating_sub(1)
}

/// The user's own function.
pub async fn callback(number: u64) -> u64 {
    twice(number)
}

/// A boxed future, as a library's type for callbacks has it.
type Boxed = Pin<Box<dyn Future<Output = u64> + Send>>;

/// A callback of a known set.
#[derive(Clone, Copy)]
pub enum Known {
    /// The one that is called.
    Twice,
    /// Another of the set.
    Other,
}

impl Known {
    /// The one that is called, though no compiler can tell.
    pub fn one() -> Self {
        black_box([Self::Twice, Self::Other])[black_box(0)]
    }

    /// Calls it.
    pub async fn call(self, number: u64) -> u64 {
        match self {
            Self::Twice => callback(number).await,
            Self::Other => number,
        }
    }
}

/// As a library gets it: it can't know what is behind it.
pub fn boxed(number: u64) -> Boxed {
    Box::pin(callback(number))
}

/// The same on the stack.
pub fn on_the_stack(number: u64) -> StackFuture<'static, u64, ROOM> {
    StackFuture::from(callback(number))
}

async fn generic<F: Future<Output = u64>>(calls: u64, call: impl Fn(u64) -> F) -> u64 {
    let mut sum = 0;
    for number in 0..calls {
        sum += call(number).await;
    }
    sum
}

async fn reused(calls: u64) -> u64 {
    let (mut future, mut sum) = (ReusableBoxFuture::new(callback(0)), 0);
    for number in 0..calls {
        future.set(callback(number));
        sum += future.get_pin().await;
    }
    sum
}

/// Calls it again and again, and awaits each call in place.
pub async fn in_place(way: Way, calls: u64) -> u64 {
    match way {
        Way::Plain => {
            let function = black_box(twice as fn(u64) -> u64);
            (0..calls).map(function).sum()
        }
        Way::Generic => generic(calls, callback).await,
        Way::Boxed => generic(calls, black_box(boxed as fn(u64) -> Boxed)).await,
        Way::Enumerated => {
            let known = Known::one();
            generic(calls, |number| known.call(number)).await
        }
        Way::Stack => {
            let call = black_box(on_the_stack as fn(u64) -> StackFuture<'static, u64, ROOM>);
            generic(calls, call).await
        }
        Way::Reused => reused(calls).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_lite::future::block_on;

    #[test]
    fn every_way_gives_the_same() {
        for (name, way) in Way::ALL {
            assert_eq!(block_on(in_place(way, 100)), expected(100), "{name}");
            assert_eq!(Way::named(name), Some(way));
        }
        assert_eq!(block_on(Known::Other.call(3)), 3);
    }
}
