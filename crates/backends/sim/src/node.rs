//! Scene element → node: what a reader of the tree is told about it.

use crate::scene::Element;
use crate::scene::expr::Scope;
use crate::scene::stage::{Item, Secret};
use std::sync::Arc;
use stillpoint_core::tree::{Prop, Props, Role, State, StateValue, Str};

/// The living element for a written one, not yet in its place.
pub(crate) fn describe(element: &Element, scope: &Scope<'_>) -> Item {
    let mut props = Props::new(element.role);
    let role = element.role;
    props.set(Prop::NativeRole(Some(role.name().into())));
    props.set(Prop::Label(Some(element.label.fill(scope).into())));
    props.set(Prop::StableId(Some(element.id.fill(scope).into())));
    props.set(Prop::TestTag(element.tag.as_deref().map(Str::from)));
    props.set(Prop::State(State::Enabled, Some(StateValue::On)));
    props.set(Prop::State(State::Visible, Some(StateValue::On)));
    props.set(Prop::State(State::OnScreen, Some(StateValue::On)));
    for state in usual_states(role) {
        props.set(Prop::State(state, Some(StateValue::On)));
    }
    for state in usual_choices(role) {
        props.set(Prop::State(state, Some(StateValue::Off)));
    }
    let mut visible = true;
    for (state, value) in &element.states {
        if *state == State::Visible {
            visible = *value == StateValue::On;
        }
        props.set(Prop::State(*state, Some(*value)));
    }
    let filled = |wording: &Option<crate::scene::expr::Wording>| wording.as_ref().map(|w| w.fill(scope));
    let value = filled(&element.value);
    props.set(Prop::Text(filled(&element.text).map(Str::from)));
    props.set(Prop::Description(filled(&element.description).map(Str::from)));
    props.set(Prop::ValueRange(element.range));
    if element.range.is_some() {
        props.set(Prop::RawValue(value.as_deref().and_then(|v| v.parse().ok())));
    }
    let secret = value.clone().filter(|_| props.is_protected()).map(Secret::from).unwrap_or_default();
    props.set(Prop::Value(value.map(Str::from)));
    props.set(Prop::Actions(actions(&props)));
    Item {
        parent: None,
        children: Vec::new(),
        props,
        place: element.place,
        visible,
        scroll: 0,
        secret,
        told: false,
    }
}

/// What elements of a role are unless the scene says otherwise.
fn usual_states(role: Role) -> impl Iterator<Item = State> {
    let focusable = (role.is_interactive() || takes_text(role)) && role != Role::ColumnHeader;
    let editable = takes_text(role) || role == Role::Spinbutton;
    [(State::Focusable, focusable), (State::Editable, editable)]
        .into_iter()
        .filter(|(_, on)| *on)
        .map(|(s, _)| s)
}

/// What elements of a role can become, and are not at first.
fn usual_choices(role: Role) -> impl Iterator<Item = State> {
    let checkable = matches!(
        role,
        Role::Checkbox | Role::Radio | Role::Switch | Role::MenuItemCheckbox | Role::MenuItemRadio
    );
    let focusable = role.is_interactive() || takes_text(role);
    [
        (State::Focused, focusable && role != Role::ColumnHeader),
        (State::Checked, checkable),
        (State::Selected, can_be_selected(role) && !checkable),
        (State::Expanded, matches!(role, Role::Combobox | Role::Disclosure)),
        (State::Pressed, role == Role::ToggleButton),
    ]
    .into_iter()
    .filter(|(_, on)| *on)
    .map(|(state, _)| state)
}

/// Whether text can be typed into elements of a role.
pub(crate) fn takes_text(role: Role) -> bool {
    matches!(role, Role::Textbox | Role::Searchbox | Role::DateField | Role::Terminal)
}

/// Whether elements of a role are one of several that can be selected.
pub(crate) fn can_be_selected(role: Role) -> bool {
    matches!(role, Role::Option | Role::Tab | Role::Row | Role::ListItem | Role::TreeItem | Role::Radio)
}

/// The names of what can be done to an element.
fn actions(props: &Props) -> Arc<[Str]> {
    let role = props.role();
    let states = props.states();
    let mut names = Vec::new();
    if role.is_interactive() {
        names.push("click");
    }
    if states.is(State::Focusable) {
        names.push("focus");
    }
    if states.get(State::Checked).is_some() || states.get(State::Pressed).is_some() {
        names.push("toggle");
    }
    if states.get(State::Expanded).is_some() {
        names.push("expand");
    }
    if can_be_selected(role) {
        names.push("select");
    }
    if props.value_range().is_some() || role.is_input() && states.get(State::Checked).is_none() {
        names.push("set value");
    }
    names.into_iter().map(Str::from).collect()
}
