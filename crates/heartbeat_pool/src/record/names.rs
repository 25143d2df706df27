//! Names that events refer to by number.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A name that [`Recorder::name`](super::Recorder::name) has kept: each text once, for as long as
/// the process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

#[derive(Default)]
struct Names {
    texts: Vec<&'static str>,
    numbers: HashMap<&'static str, u32>,
}

static NAMES: Mutex<Option<Names>> = Mutex::new(None);

impl Name {
    /// That of `text`.
    pub(super) fn new(text: &str) -> Self {
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let names = names.get_or_insert_default();
        if let Some(number) = names.numbers.get(text) {
            return Self(*number);
        }
        let number = u32::try_from(names.texts.len()).unwrap_or(u32::MAX);
        // Names are few, and events refer to them till the process ends.
        let text: &'static str = text.to_owned().leak();
        names.texts.push(text);
        names.numbers.insert(text, number);
        Self(number)
    }

    pub(super) fn number(self) -> u64 {
        self.0.into()
    }

    pub(super) fn of(number: u64) -> Self {
        Self(number as u32)
    }

    /// The text; empty if there is no such name.
    ///
    /// ```
    /// use heartbeat_pool::record::Recorder;
    /// assert_eq!(Recorder::name("physics").text(), "physics");
    /// assert_eq!(Recorder::name("physics"), Recorder::name("physics"));
    /// ```
    #[must_use]
    pub fn text(self) -> &'static str {
        let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = names.as_ref().map(|names| names.texts.as_slice());
        texts
            .and_then(|texts| texts.get(self.0 as usize))
            .copied()
            .unwrap_or_default()
    }
}
