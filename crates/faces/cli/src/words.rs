//! The words that people type: which verb each one means, and which parameters have a place on the command line.
//!
//! Only names are here. A verb that has no word works by its full name: `stillpoint VERB TARGET [SELECTOR] --flags`.

use crate::params::{self, Param};
use stillpoint_engine::verbs::{self, VerbSpec};

/// What a word is for, as the help groups it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Look,
    Act,
    Wait,
    Verify,
}

impl Task {
    /// Every task with its heading.
    pub(crate) const ALL: [(Task, &'static str); 4] = [
        (Task::Look, "Look at an app"),
        (Task::Act, "Act on it; each action finds its element, waits until it can be used, and settles"),
        (Task::Wait, "Wait for it, without sleeping"),
        (Task::Verify, "Prove what it shows"),
    ];
}

/// One way to use a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// What is typed after the target to choose this form; `None` is for everything else.
    pub(crate) keyword: Option<&'static str>,
    /// The verb.
    pub(crate) verb: &'static str,
    /// The parameters that have a place, in order.
    pub(crate) places: &'static [&'static str],
}

/// A word and its forms.
pub(crate) struct Word {
    pub(crate) name: &'static str,
    pub(crate) task: Task,
    pub(crate) about: &'static str,
    pub(crate) forms: &'static [Form],
}

const fn plain(verb: &'static str, places: &'static [&'static str]) -> Form {
    Form { keyword: None, verb, places }
}

const fn when(keyword: &'static str, verb: &'static str, places: &'static [&'static str]) -> Form {
    Form { keyword: Some(keyword), verb, places }
}

/// The words. A form whose verb the engine does not have is left out.
pub(crate) const WORDS: &[Word] = &[
    Word {
        name: "snapshot",
        task: Task::Look,
        about: "What is on the screen, or what changed since a revision",
        forms: &[plain("snapshot", &[])],
    },
    Word {
        name: "find",
        task: Task::Look,
        about: "Which elements a selector means",
        forms: &[plain("find_element", &["selector"])],
    },
    Word {
        name: "screenshot",
        task: Task::Look,
        about: "A picture of the app or of one element",
        forms: &[plain("screenshot", &["selector"])],
    },
    Word {
        name: "network",
        task: Task::Look,
        about: "The requests that the app sent",
        forms: &[plain("get_network_activity", &[])],
    },
    Word {
        name: "tap",
        task: Task::Act,
        about: "Press a button, follow a link, open a menu",
        forms: &[plain("tap", &["selector"])],
    },
    Word {
        name: "type",
        task: Task::Act,
        about: "Type into a field",
        forms: &[plain("type_text", &["selector", "text"])],
    },
    Word {
        name: "press",
        task: Task::Act,
        about: "Press a key, such as Enter or ctrl+s",
        forms: &[plain("press_key", &["selector", "key"])],
    },
    Word {
        name: "set",
        task: Task::Act,
        about: "Set a slider, a choice, a checkbox, a date",
        forms: &[plain("set_value", &["selector", "value"])],
    },
    Word {
        name: "scroll",
        task: Task::Act,
        about: "Bring an element into view, or turn the wheel over it with --dx and --dy",
        forms: &[plain("scroll_to", &["selector"]), plain("scroll", &["selector"])],
    },
    Word {
        name: "drag",
        task: Task::Act,
        about: "Drag one element onto another",
        forms: &[plain("drag", &["selector", "to"])],
    },
    Word {
        name: "wait",
        task: Task::Wait,
        about: "Wait for a change, rest, another screen, or an element",
        forms: &[
            when("change", "wait_for_ui_change", &[]),
            when("idle", "wait_for_idle", &[]),
            when("screen", "wait_for_screen_change", &[]),
            plain("wait_for_ui", &["selector"]),
        ],
    },
    Word {
        name: "idle",
        task: Task::Wait,
        about: "Whether the app is at rest right now; with a PID, its own word, live",
        forms: &[plain("is_idle", &[])],
    },
    Word {
        name: "expect",
        task: Task::Verify,
        about: "Check what an element is, or which screen is shown",
        forms: &[
            when("screen", "expect_screen", &[]),
            plain("expect_state", &["selector", "property", "expected"]),
        ],
    },
    Word {
        name: "fingerprint",
        task: Task::Verify,
        about: "A short name of the screen that is shown",
        forms: &[plain("get_screen_fingerprint", &[])],
    },
];

/// A form with the verb that it means and that verb's parameters.
pub(crate) struct Use {
    pub(crate) form: Form,
    pub(crate) verb: &'static VerbSpec,
    pub(crate) params: Vec<Param>,
}

impl Use {
    fn of(form: &Form) -> Option<Use> {
        let verb = verbs::by_name(form.verb)?;
        Some(Use { form: *form, verb, params: params::of(verb) })
    }

    /// The parameters that have a place, in order. What the verb does not know has none.
    pub(crate) fn places(&self) -> Vec<&Param> {
        self.form.places.iter().filter_map(|name| self.params.iter().find(|p| p.name == *name)).collect()
    }

    /// How it is typed, after the program's name.
    pub(crate) fn usage(&self, word: &str) -> String {
        let mut usage = format!("stillpoint {word} TARGET");
        if let Some(keyword) = self.form.keyword {
            usage = format!("{usage} {keyword}");
        }
        for place in self.places() {
            let name = place.place();
            usage = if place.required { format!("{usage} {name}") } else { format!("{usage} [{name}]") };
        }
        format!("{usage} [--flags]")
    }
}

/// What can be typed for a word, or for a verb by its full name.
pub(crate) fn uses(word: &str) -> Vec<Use> {
    if let Some(known) = WORDS.iter().find(|w| w.name == word) {
        let found: Vec<Use> = known.forms.iter().filter_map(Use::of).collect();
        if !found.is_empty() {
            return found;
        }
    }
    let mut forms = WORDS.iter().flat_map(|w| w.forms);
    // What acts on an element takes it in second place, as every word does.
    let places = forms.find(|form| form.verb == word).map_or(&["selector"][..], |form| form.places);
    verbs::by_name(word)
        .map(|verb| Use { form: plain(verb.name, places), verb, params: params::of(verb) })
        .into_iter()
        .collect()
}

/// The words that this engine has a verb for.
pub(crate) fn known() -> impl Iterator<Item = &'static Word> {
    WORDS.iter().filter(|word| word.forms.iter().any(|form| verbs::by_name(form.verb).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_can_be_typed_by_its_full_name() {
        for verb in verbs::table() {
            assert!(uses(verb.name).iter().any(|u| u.verb.name == verb.name), "{}", verb.name);
        }
    }

    #[test]
    fn every_place_is_a_parameter_of_its_verb() {
        for word in known() {
            for found in uses(word.name) {
                for place in found.form.places {
                    assert!(
                        found.params.iter().any(|p| p.name == *place),
                        "{} has no {place}",
                        found.verb.name
                    );
                }
            }
        }
    }
}
