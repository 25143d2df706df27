//! The counts, by the line of source that asked for an operation.

use std::collections::BTreeMap;
use std::panic::Location;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// More than there are lines in the pool that do anything atomic.
const PLACES: usize = 2048;

/// What is counted.
#[derive(Clone, Copy)]
pub(super) enum Counter {
    Write,
    Read,
}

/// What was counted for one location, as the compiler has it. All relaxed: they are counts.
struct Place {
    location: OnceLock<&'static Location<'static>>,
    counts: [AtomicU64; 2],
}

static KNOWN: [Place; PLACES] = [const {
    Place {
        location: OnceLock::new(),
        counts: [const { AtomicU64::new(0) }; 2],
    }
}; PLACES];

/// The transfers that one line of source was the cause of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// File and line.
    pub place: String,
    /// Writes of lines that another thread wrote last.
    pub writes: u64,
    /// First reads of what another thread wrote.
    pub reads: u64,
}

impl Site {
    /// Both.
    #[must_use]
    pub fn transfers(&self) -> u64 {
        self.writes + self.reads
    }
}

/// Counts one for `site`.
pub(super) fn count(site: &'static Location<'static>, counter: Counter) {
    // Neighbours in the table are looked at in turn until one is free or the site's own.
    let first = ptr::from_ref(site).addr() / align_of::<Location<'_>>();
    let place = (0..PLACES).find_map(|step| {
        let place = &KNOWN[(first + step) % PLACES];
        let known = place.location.get_or_init(|| site);
        ptr::eq(*known, site).then_some(place)
    });
    let place = place.expect("the table has room for all sites");
    place.counts[counter as usize].fetch_add(1, Ordering::Relaxed);
}

/// Begins again: all counts are 0. Who wrote which line last stays known.
pub fn reset() {
    for count in KNOWN.iter().flat_map(|place| &place.counts) {
        count.store(0, Ordering::Relaxed);
    }
}

/// Every site with a transfer, the one with the most first.
#[must_use]
pub fn snapshot() -> Vec<Site> {
    let mut sites: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for place in &KNOWN {
        if let Some(location) = place.location.get() {
            let counts = place
                .counts
                .each_ref()
                .map(|count| count.load(Ordering::Relaxed));
            // A location may have several addresses.
            let place = format!("{}:{}", location.file(), location.line());
            let sum = sites.entry(place).or_default();
            *sum = [sum[0] + counts[0], sum[1] + counts[1]];
        }
    }
    let sites = sites.into_iter().map(|(place, [writes, reads])| Site {
        place,
        writes,
        reads,
    });
    let mut sites: Vec<Site> = sites.filter(|site| site.transfers() > 0).collect();
    sites.sort_by_key(|site| std::cmp::Reverse(site.transfers()));
    sites
}

/// All writes and reads that were transfers.
#[must_use]
pub fn total() -> (u64, u64) {
    let sites = snapshot();
    let writes = sites.iter().map(|site| site.writes).sum();
    (writes, sites.iter().map(|site| site.reads).sum())
}
