//! The workloads of a task or two, written once for all pools that run futures.

/// Writes a pool's workloads of a task or two, as methods of its [`Contender`](crate::Contender), in
/// the pool's own crate as [`fork_join!`](crate::fork_join) does.
///
/// It is told what spawns in the pool, how a closure is given that, how it spawns a future, how it
/// waits for one, and what lets others run.
///
/// ```
/// use futures_lite::future::{block_on, ready};
/// use suite::Contender;
///
/// struct Alone;
///
/// impl Contender for Alone {
///     fn name(&self) -> &'static str {
///         "alone"
///     }
///
///     suite::two_tasks!(
///         &Alone,
///         |pool, f| f(pool),
///         |_pool, future| async { ready(block_on(future)).await },
///         |_pool, future| block_on(future),
///         ready(())
///     );
/// }
///
/// let pool: &dyn Contender = &Alone;
/// assert_eq!(pool.yields(5, 3), Ok(()));
/// ```
#[macro_export]
macro_rules! two_tasks {
    (
        $spawner:ty,
        |$pool:ident, $f:ident| $enter:expr,
        |$by:ident, $spawned:ident| $spawn:expr,
        |$on:ident, $awaited:ident| $block_on:expr,
        $yield_now:expr
    ) => {
        fn yields(&self, yields: u64, iterations: u64) -> $crate::Answer {
            let $f = |spawner: $spawner| {
                $crate::repeat(iterations, yields, || {
                    let $by = spawner;
                    let $on = spawner;
                    let $spawned = async move {
                        for _ in 0..yields {
                            $yield_now.await;
                        }
                        yields
                    };
                    let $awaited = $spawn;
                    $block_on
                })
            };
            let $pool = self;
            $enter
        }

        fn ping_pong(&self, messages: u64, iterations: u64) -> $crate::Answer {
            let $f = |spawner: $spawner| {
                $crate::repeat(iterations, 2 * messages, || {
                    let $by = spawner;
                    let $on = spawner;
                    let (ping, pong) = $crate::ping_pong(messages);
                    let $spawned = pong;
                    let pong = $spawn;
                    let $spawned = ping;
                    let ping = $spawn;
                    let $awaited = async { ping.await + pong.await };
                    $block_on
                })
            };
            let $pool = self;
            $enter
        }
    };
}
