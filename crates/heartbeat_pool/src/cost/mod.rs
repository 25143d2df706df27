//! What was measured of work like that which comes: whether sharing a join pays (`measured`), and
//! how long a loop's items take (`loop_cost`), from which follow its pieces (`piece_size`). Kept by
//! the code that is run, told apart by a pointer to it.

pub(crate) mod loop_cost;
pub(crate) mod measured;
pub(crate) mod piece_size;
