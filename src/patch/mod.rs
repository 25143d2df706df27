//! Whether the engine and rayon run on the pool: that is decided in the application's manifest.

mod rayon;
mod tasks;

pub(crate) use rayon::look_for_rayon;
pub(crate) use tasks::check;

/// What to write for the patch of `name`, and where.
fn lines(name: &str) -> String {
    format!(
        "\
Write these lines in the Cargo.toml at the root of the application's workspace, with the path to
where bevy_heartbeat lies:

[patch.crates-io]
{name} = {{ path = \"../bevy_heartbeat/crates/{name}\" }}

Where [dependencies] have bevy_heartbeat by `git`, write the same URL, and the same branch, tag or
rev if there is one:

[patch.crates-io]
{name} = {{ git = \"URL\" }}
"
    )
}
