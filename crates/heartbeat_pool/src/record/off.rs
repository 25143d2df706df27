//! In place of `threads` where nothing is recorded.

use super::event::{Role, What};

#[derive(Clone, Copy)]
pub(super) struct Session(());

pub(super) fn session() -> Option<Session> {
    None
}

pub(super) fn write(_: Session, _: What) {}

pub(super) fn ran(_: Session) {}

pub(super) fn delayed(_: Session) {}

pub(super) fn set_role(_: Role) {}

pub(super) fn this_thread() -> u32 {
    0
}
