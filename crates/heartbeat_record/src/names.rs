//! Names that events refer to by number.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A name that [`Recorder::name`](crate::Recorder::name) has kept: each text once, for as long as
/// the process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

/// The most names that are kept, each for as long as the process runs.
const MOST: usize = 1 << 16;

/// What more of them are called.
const OTHERS: &str = "more names than there is place for";

#[derive(Default)]
struct Names {
    texts: Vec<&'static str>,
    numbers: HashMap<&'static str, u32>,
}

impl Names {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        if self.texts.len() >= MOST - 1 && text != OTHERS {
            return self.number(OTHERS);
        }
        let number = self.texts.len() as u32;
        // Events refer to it until the process ends.
        let text: &'static str = text.to_owned().leak();
        self.texts.push(text);
        self.numbers.insert(text, number);
        number
    }
}

static NAMES: Mutex<Option<Names>> = Mutex::new(None);

impl Name {
    pub(crate) fn new(text: &str) -> Self {
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        Self(names.get_or_insert_default().number(text))
    }

    pub(crate) fn number(self) -> u64 {
        self.0.into()
    }

    pub(crate) fn of(number: u64) -> Self {
        Self(number as u32)
    }

    /// The text; empty if there is no such name.
    ///
    /// ```
    /// use heartbeat_record::Recorder;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "no unsafe code, and too many names for it")]
    fn names_that_are_new_each_time_are_not_kept_without_end() {
        // Static, for texts are never freed, which is no leak as long as they can be reached.
        static KEPT: Mutex<Option<Names>> = Mutex::new(None);
        let mut kept = KEPT.lock().unwrap();
        let names = kept.get_or_insert_default();
        let first = names.number("first");
        let numbers: Vec<_> = (0..MOST + 10)
            .map(|name| names.number(&name.to_string()))
            .collect();
        assert_eq!(names.texts.len(), MOST);
        assert_eq!((first, names.number("first"), numbers[0]), (0, 0, 1));
        let last = numbers[numbers.len() - 1];
        assert_eq!(names.texts[last as usize], OTHERS);
        assert_eq!(names.number("one more"), last);
    }
}
