//! What was measured of work like that which comes: which of two ways costs less (`two_ways`),
//! whether sharing a join pays (`measured`), and how long a loop's items take (`loop_cost`), from
//! which follow its pieces (`piece_size`). Kept by the code that is run, told apart by a pointer.

pub(crate) mod loop_cost;
pub(crate) mod measured;
pub(crate) mod piece_size;
pub(crate) mod two_ways;
