//! What v2 carries inside its calls and events: changes, actions and reports as JSON. Both ends use these forms; the
//! frames around them are `stillpoint_wire`'s.

mod action;
mod change;
mod property;
mod report;

pub(crate) use action::{ActionForm, PerformAnswer};
pub(crate) use change::{ChangeForm, Keys, read_changes, write_changes};
pub(crate) use property::Salt;
pub(crate) use report::{Attached, Barrier, EventForm, Occurrence, Refreshed};

use stillpoint_core::{Code, Error};

/// The far side sent something that is not one of these forms.
pub(crate) fn not_understood(what: &str, why: impl std::fmt::Display) -> Error {
    Error::new(
        Code::Protocol,
        format!("{what} is not as the agent protocol says: {why}"),
        "use the same version of Stillpoint on both machines",
    )
}
