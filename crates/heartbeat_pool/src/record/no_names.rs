//! In place of `names` where nothing is recorded.

/// A name; there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(());

impl Name {
    /// No text.
    #[must_use]
    pub fn text(self) -> &'static str {
        ""
    }
}
