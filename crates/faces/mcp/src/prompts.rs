//! Prompts that teach how to drive a UI without guessing: act, wait, verify.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

/// A prompt: its name, when to use it, its arguments, and its text with `{argument}` where one goes.
struct Lesson {
    name: &'static str,
    about: &'static str,
    arguments: &'static [(&'static str, &'static str, bool)],
    text: &'static str,
}

const LESSONS: [Lesson; 3] = [
    Lesson {
        name: "act_wait_verify",
        about: "Reach a goal in an app, one proven step after the other.",
        arguments: &[
            ("goal", "What should be true in the end", true),
            ("app", "The target's URI; list_targets finds it if left out", false),
        ],
        text: "Reach this goal in {app}: {goal}\n\n\
            1. Look: snapshot once. Note the revision; later ask only for what changed, with since.\n\
            2. Act: one tap, type_text or set_value, with expect saying what must be visible afterwards. It waits until \
            the target is ready, settles by itself and tells what changed; do not sleep, do not take a snapshot to see \
            whether it worked.\n\
            3. Verify: lifecycle_state verified is proof. Where you gave no expect, use expect_state, \
            expect_element_visible or expect_screen. Success without verification is not proof.\n\
            4. Where something will happen by itself, wait_for_ui (for one element) or wait_for_ui_change (for \
            anything, with since_revision from before).\n\
            5. An error has a code and a hint; do what the hint says. AMBIGUOUS_TARGET: use a selector from its details. \
            STALE_REFERENCE: find the element again. delivery_status unknown: look before you act again.\n\
            Known steps go into one run_flow.",
    },
    Lesson {
        name: "why_did_it_fail",
        about: "Find out why a step did not do what it should.",
        arguments: &[
            ("step", "What was tried, and what came of it", true),
            ("app", "The target's URI", false),
        ],
        text: "A step failed in {app}: {step}\n\n\
            Judge by what the UI shows, before network and logs:\n\
            1. classify_action_outcome with the action_id: success, no_op, ui_failure, backend_failure or unknown, with \
            its reasoning.\n\
            2. snapshot with since the revision before the step: what changed, also what appeared and went (transient).\n\
            3. no_op: was the target disabled, covered or moving? find_element tells its states. Something still \
            loading: wait_for_ui, then try once more.\n\
            4. Only where the UI cannot tell: get_network_activity (web targets), then screenshot.\n\
            Say what happened, with the revision and the element that show it.",
    },
    Lesson {
        name: "write_flow",
        about: "Turn a journey into one run_flow that proves each step.",
        arguments: &[("journey", "The steps in words", true), ("app", "The target's URI", false)],
        text: "Write a run_flow for {app}: {journey}\n\n\
            Each step is {\"verb\": …} with that verb's parameters beside it. Rules: selectors by role and label or by \
            #id, never by position and never by element id (e12), which lives for one session only; expect on every \
            action that changes the screen; wait_for_ui before a step that needs something which loads; the last step \
            is an expectation of the goal. Try it, and mend the first step that failed.",
    },
];

/// All prompts.
pub(crate) fn list() -> Vec<Prompt> {
    let argument = |(name, about, required): &(&str, &str, bool)| {
        PromptArgument::new(*name).with_description(*about).with_required(*required)
    };
    let prompt = |lesson: &Lesson| {
        Prompt::new(lesson.name, Some(lesson.about), Some(lesson.arguments.iter().map(argument).collect()))
    };
    LESSONS.iter().map(prompt).collect()
}

/// The prompt with this name, with its arguments filled in.
pub(crate) fn get(name: &str, given: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    let lesson = LESSONS.iter().find(|l| l.name == name).ok_or_else(|| {
        let names: Vec<&str> = LESSONS.iter().map(|l| l.name).collect();
        ErrorData::invalid_params(
            format!("there is no prompt {name:?}; there are {}", names.join(", ")),
            None,
        )
    })?;
    let mut text = lesson.text.to_owned();
    for (argument, _, required) in lesson.arguments {
        let value = given.and_then(|given| given.get(*argument)).and_then(Value::as_str);
        let value = match value {
            Some(value) => value,
            None if *required => {
                return Err(ErrorData::invalid_params(format!("the prompt {name} needs {argument}"), None));
            }
            None => "the app",
        };
        text = text.replace(&format!("{{{argument}}}"), value);
    }
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(lesson.about))
}
