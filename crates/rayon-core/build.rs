//! Cargo wants a build script beside `links`; there is nothing to build.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
