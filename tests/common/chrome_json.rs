//! What a file in Chrome's trace format must hold, so that a reader of it shows all that is in it.

use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// A slice of a thread: from when to when, in nanoseconds.
type Slice = (u64, u64);

/// What was found in a file that is as it must be.
#[derive(Debug, Default)]
pub struct Found {
    /// The slices of each thread, by their begins, the outer ones first.
    pub slices: HashMap<u64, Vec<Slice>>,
    /// How many flows there are, and how many that were left out.
    pub flows: usize,
    pub left_out: u64,
    /// The names of threads, and of processes.
    pub threads: HashMap<u64, String>,
    pub processes: HashMap<u64, String>,
}

/// Reads `text`.
///
/// # Panics
///
/// Where it is not as it must be.
pub fn check(text: &str) -> Found {
    let trace: Value = serde_json::from_str(text).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let mut found = Found::default();
    let mut begins = HashMap::new();
    let mut ends = HashMap::new();
    for event in events {
        let id = |event: &Value| event["id"].as_u64().unwrap();
        match event["ph"].as_str().unwrap() {
            "M" => name(event, &mut found),
            "X" => {
                assert!(!event["name"].as_str().unwrap().is_empty(), "{event}");
                let begin = nanos(&event["ts"]);
                let slice = (begin, begin + nanos(&event["dur"]));
                found.slices.entry(thread(event)).or_default().push(slice);
            }
            "s" => assert!(begins.insert(id(event), event).is_none(), "{event}"),
            "f" => {
                assert_eq!(event["bp"], "e");
                assert!(ends.insert(id(event), event).is_none(), "{event}");
            }
            other => panic!("an event of kind {other}"),
        }
    }
    let all: HashSet<_> = events.iter().map(|event| event["pid"].as_u64()).collect();
    assert_eq!((all.len(), found.processes.len()), (1, 1));
    nest(&mut found);
    bind(&begins, &ends, &found.slices);
    found.flows = begins.len();
    found.left_out = trace["otherData"]["flows_from_before"].as_u64().unwrap();
    found
}

/// Keeps the name of a thread or a process.
fn name(event: &Value, found: &mut Found) {
    let name = || event["args"]["name"].as_str().unwrap().to_owned();
    let before = match event["name"].as_str().unwrap() {
        "process_name" => {
            let process = event["pid"].as_u64().unwrap();
            found.processes.insert(process, name())
        }
        "thread_name" => found.threads.insert(thread(event), name()),
        other => return assert_eq!(other, "thread_sort_index"),
    };
    assert!(before.is_none() && !name().is_empty(), "{event}");
}

fn thread(event: &Value) -> u64 {
    event["tid"].as_u64().unwrap()
}

/// A time as Perfetto reads it: it cuts off what is less than a nanosecond.
fn nanos(micros: &Value) -> u64 {
    let micros = micros.as_f64().unwrap();
    assert!((0.0..1e15).contains(&micros), "{micros}");
    (micros * 1e3) as u64
}

/// Slices of named threads lie beside or in one another.
fn nest(found: &mut Found) {
    for (thread, slices) in &mut found.slices {
        assert!(found.threads.contains_key(thread), "thread {thread}");
        slices.sort_by_key(|(begin, end)| (*begin, std::cmp::Reverse(*end)));
        let mut around: Vec<Slice> = Vec::new();
        for slice in slices {
            while around.pop_if(|outer| outer.1 <= slice.0).is_some() {}
            if let Some(outer) = around.last() {
                assert!(slice.1 <= outer.1, "{slice:?} ends after {outer:?}");
            }
            around.push(*slice);
        }
    }
}

/// Each flow has both ends, in their order, each in a slice of its thread.
fn bind(
    begins: &HashMap<u64, &Value>,
    ends: &HashMap<u64, &Value>,
    slices: &HashMap<u64, Vec<Slice>>,
) {
    assert_eq!(begins.len(), ends.len());
    for (id, begin) in begins {
        let end = ends[id];
        assert!(nanos(&begin["ts"]) <= nanos(&end["ts"]), "{begin} {end}");
        for key in ["name", "cat"] {
            assert_eq!(begin[key], end[key]);
        }
        for event in [begin, end] {
            let time = nanos(&event["ts"]);
            let mut of = slices.get(&thread(event)).into_iter().flatten();
            let lies_in = of.any(|(begin, end)| (*begin..*end).contains(&time));
            assert!(lies_in, "no slice for {event}");
        }
    }
}
