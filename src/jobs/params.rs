//! Closures of system parameters that are called once.

use bevy_ecs::system::{SystemParam, SystemParamItem};

/// A closure of up to eight system parameters, each with its type written out:
/// `|mut score: ResMut<Score>, players: Query<&Player>| ..`. It is called once, so it may give away
/// what it has captured. `Marker` is found by the compiler.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no closure of system parameters",
    note = "write each parameter's type: `|mut score: ResMut<Score>| ..`; of more than eight put \
            some in a tuple; call one that a function gives as `impl FnOnce(..)` in such a closure"
)]
pub trait WorldFn<Marker>: Send + 'static {
    /// The parameters.
    type Param: SystemParam + 'static;
    /// What the closure returns.
    type Out;

    /// Calls it.
    fn call(self, params: SystemParamItem<Self::Param>) -> Self::Out;
}

macro_rules! world_fn {
    ($($param:ident),*) => {
        impl<F, R, $($param: SystemParam + 'static),*> WorldFn<fn($($param),*) -> R> for F
        where
            F: Send + 'static,
            F: FnOnce($($param),*) -> R + FnOnce($(SystemParamItem<$param>),*) -> R,
        {
            type Param = ($($param,)*);
            type Out = R;

            #[allow(non_snake_case, reason = "a parameter is named by its type")]
            fn call(self, ($($param,)*): SystemParamItem<Self::Param>) -> R {
                // Picks the bound whose lifetimes fit.
                #[allow(clippy::too_many_arguments, reason = "as many as the closure has")]
                fn call<R, $($param),*>(
                    f: impl FnOnce($($param),*) -> R,
                    $($param: $param),*
                ) -> R {
                    f($($param),*)
                }
                call(self, $($param),*)
            }
        }
    };
}

world_fn!();
world_fn!(P0);
world_fn!(P0, P1);
world_fn!(P0, P1, P2);
world_fn!(P0, P1, P2, P3);
world_fn!(P0, P1, P2, P3, P4);
world_fn!(P0, P1, P2, P3, P4, P5);
world_fn!(P0, P1, P2, P3, P4, P5, P6);
world_fn!(P0, P1, P2, P3, P4, P5, P6, P7);
