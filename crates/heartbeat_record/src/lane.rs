//! The three lanes: ranks that all work is placed by.

/// A rank of a pool's work: a better one goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// Work that the current frame waits for: `join`, scopes, systems.
    Frame = 0,
    /// Loading: short steps between waits, though decoders run for milliseconds.
    Io = 1,
    /// Work that may span frames and need never yield.
    Background = 2,
}

impl Lane {
    /// Every lane, best rank first.
    pub const ALL: [Self; 3] = [Self::Frame, Self::Io, Self::Background];

    /// The lane's place in arrays that have something for each lane.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}
