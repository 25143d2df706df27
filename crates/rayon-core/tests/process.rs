//! What ends the process, or comes from its environment: each in a process of its own, which is
//! this very test again.

use rayon_core::ThreadPoolBuilder;
use std::env;
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

/// Set in a process that was started here.
const CHILD: &str = "RAYON_CORE_CHILD";

fn is_child() -> bool {
    env::var_os(CHILD).is_some()
}

/// Runs the test of this name in a new process, with these variables.
fn run(test: &str, variables: &[(&str, &str)]) -> Output {
    let mut child = Command::new(env::current_exe().unwrap());
    for name in ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"] {
        child.env_remove(name);
    }
    child.args([test, "--exact", "--nocapture"]);
    child.env(CHILD, "1").envs(variables.iter().copied());
    child.output().unwrap()
}

#[test]
fn a_panic_that_nobody_takes_ends_the_process() {
    if is_child() {
        let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.spawn(|| panic!("nobody's"));
        thread::sleep(Duration::from_secs(60));
        return;
    }
    let output = run("a_panic_that_nobody_takes_ends_the_process", &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("the pool has no panic_handler"), "{said}");
}

#[test]
fn the_environment_says_how_many_threads_there_are() {
    if is_child() {
        let pool = ThreadPoolBuilder::new().build().unwrap();
        println!("threads: {}", pool.current_num_threads());
        return;
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (name, older) = ("RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS");
    let cases: [(&[_], _); 5] = [
        (&[(name, "3"), (older, "5")], 3),
        (&[(older, "5")], 5),
        (&[(name, "some"), (older, "5")], 5),
        // Zero asks for the default, whatever the older one says.
        (&[(name, "0"), (older, "5")], cores),
        (&[(older, "0")], cores),
    ];
    for (variables, threads) in cases {
        let output = run("the_environment_says_how_many_threads_there_are", variables);
        let said = String::from_utf8_lossy(&output.stdout);
        let told = format!("threads: {threads}\n");
        assert!(said.contains(&told), "{variables:?}: {said}");
    }
}
