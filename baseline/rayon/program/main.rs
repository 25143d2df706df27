//! One of rayon's usual demonstrations, on the core that this program was built with. It prints a
//! line a figure: the workload's name, what was measured and the figure, in seconds where it is a
//! time, with tabs between. `compare-rayon` runs it.

mod bodies;
mod catalogue;
mod entry;
mod factorial;
mod fib;
mod find;
mod fork;
mod idle;
mod increment;
mod life;
mod map_collect;
mod matrix;
mod merge_sort;
mod paced;
mod quick_sort;
mod random;
mod salesman;
mod sampling;
mod sieve;
mod small;
mod sorting;
mod sum;
mod tree;
mod triples;
mod vec_collect;
mod words;

use std::process::ExitCode;

fn main() -> ExitCode {
    suite::program::main(&catalogue::all())
}
