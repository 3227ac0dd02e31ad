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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::Value;
    use stillpoint_core::tree::{Change, State};

    /// The JSON inside a vector's frame.
    fn inside(file: &str, name: &str, kind: &str) -> String {
        let path = format!("{}/../../wire/vectors/{file}.json", env!("CARGO_MANIFEST_DIR"));
        let rows: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        row["decoded"][kind]["json"].as_str().unwrap().to_owned()
    }

    #[test]
    fn the_vectors_of_v2_hold_these_forms() {
        let told = inside("server_to_client", "answer_attach", "answer");
        let attached: Attached = serde_json::from_str(&told).unwrap();
        assert_eq!((attached.epoch, attached.n, attached.clock_us), (7, 3, 1_000_000));
        assert!(attached.capabilities.events && !attached.capabilities.network);
        let changes = read_changes(attached.changes, Keys::default()).unwrap();
        let Change::Replace(window) = &changes[0] else { panic!("{changes:?}") };
        assert!(window.children[0].props.states().is(State::Enabled));

        let told = inside("server_to_client", "event_changes", "event");
        let event: EventForm = serde_json::from_str(&told).unwrap();
        let Occurrence::Changes { changes } = event.what else { panic!("{told}") };
        assert_eq!((event.n, changes.len()), (4, 2));

        let told = inside("server_to_client", "answer_performed", "answer");
        assert!(matches!(serde_json::from_str(&told).unwrap(), PerformAnswer::Performed { .. }));

        let asked: Value = serde_json::from_str(&inside("client_to_server", "call_perform", "call")).unwrap();
        let form: ActionForm = serde_json::from_value(asked["action"].clone()).unwrap();
        assert_eq!(serde_json::to_value(form).unwrap(), asked["action"]);
    }
}
