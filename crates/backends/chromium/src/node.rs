//! What the browser's accessibility tree says about one node, as the mirror's properties.

use crate::role::role;
use serde::Deserialize;
use serde_json::Value;
use stillpoint_core::tree::{NativeKey, Prop, Props, Rect, Role, State, StateValue, Str, ValueRange};

/// A node of `Accessibility.*`, as far as it is used.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AxNode {
    node_id: String,
    #[serde(default)]
    ignored: bool,
    role: Option<AxValue>,
    name: Option<AxValue>,
    description: Option<AxValue>,
    value: Option<AxValue>,
    #[serde(default)]
    properties: Vec<AxProperty>,
    parent_id: Option<String>,
    #[serde(default)]
    child_ids: Vec<String>,
}

#[derive(Deserialize)]
struct AxProperty {
    name: String,
    value: AxValue,
}

#[derive(Deserialize)]
struct AxValue {
    value: Option<Value>,
}

/// An answer that is a list of nodes.
#[derive(Deserialize)]
pub(crate) struct AxNodes {
    pub(crate) nodes: Vec<AxNode>,
}

/// A node of the accessibility tree as the mirror keeps it, before it is decided what is shown of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Raw {
    pub(crate) frame: u32,
    pub(crate) parent: Option<NativeKey>,
    pub(crate) children: Vec<NativeKey>,
    pub(crate) native: Str,
    /// What it is; `None` for scaffolding and for what is ignored.
    pub(crate) role: Option<Role>,
    pub(crate) props: Props,
    /// The inside of a plain input is its value over again.
    pub(crate) is_plain_input: bool,
}

/// What the observer tells about a node beyond its accessibility.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) frame: u32,
    pub(crate) id: Option<Str>,
    pub(crate) test_tag: Option<Str>,
    /// Its place in its frame's viewport, while it is on screen.
    pub(crate) place: Option<Rect>,
    /// Where the content of a frame element begins, from the element's corner.
    pub(crate) inset: (i32, i32),
    /// A password field.
    pub(crate) is_secret: bool,
}

const BITS: u32 = 36;
const MIDDLE: i64 = 1 << (BITS - 2);

/// The mirror's name for node `ax` of the document generation `serial`. The browser numbers nodes anew in each
/// renderer process, so the generation keeps an old node from being taken for a new one.
pub(crate) fn key(serial: u32, ax: i64) -> NativeKey {
    NativeKey((u64::from(serial) << BITS) | ((ax + MIDDLE) as u64 & ((1 << BITS) - 1)))
}

/// The document generation and the browser's number behind a key.
pub(crate) fn unkey(key: NativeKey) -> (u32, i64) {
    ((key.0 >> BITS) as u32, (key.0 & ((1 << BITS) - 1)) as i64 - MIDDLE)
}

impl AxNode {
    /// The browser's number for it; negative for what has no DOM node.
    pub(crate) fn number(&self) -> i64 {
        self.node_id.parse().unwrap_or(0)
    }

    /// What was read, for the log. No content.
    pub(crate) fn gist(&self) -> (bool, &str, Option<&str>, &[String]) {
        (self.ignored, self.role_name(), self.parent_id.as_deref(), &self.child_ids)
    }

    /// Whether it has a place in the tree: a node that is detached, or not rendered, has nobody around it.
    pub(crate) fn is_held(&self) -> bool {
        self.parent_id.is_some() || !self.ignored
    }

    /// Whether it lies directly in the node with this number.
    pub(crate) fn is_in(&self, parent: i64) -> bool {
        self.parent_id.as_deref().and_then(|id| id.parse().ok()) == Some(parent)
    }

    /// Whether it only says where the lines of a text break.
    pub(crate) fn is_line(&self) -> bool {
        self.role_name() == "InlineTextBox"
    }

    fn role_name(&self) -> &str {
        self.role.as_ref().and_then(|r| r.value.as_ref()).and_then(Value::as_str).unwrap_or("none")
    }

    fn property(&self, name: &str) -> Option<&Value> {
        self.properties.iter().find(|p| p.name == name)?.value.value.as_ref()
    }

    fn flag(&self, name: &str) -> Option<bool> {
        match self.property(name)? {
            Value::Bool(on) => Some(*on),
            Value::String(word) => Some(word == "true"),
            Value::Number(number) => Some(number.as_f64() != Some(0.0)),
            _ => None,
        }
    }

    /// The node as the mirror keeps it.
    pub(crate) fn into_raw(self, serial: u32, frame: u32) -> Raw {
        let native: Str = self.role_name().into();
        let role = if self.ignored { None } else { role(&native) };
        let parent = self.parent_id.as_deref().and_then(|id| id.parse().ok()).map(|ax| key(serial, ax));
        let is_text = &*native == "StaticText";
        let children = if is_text {
            Vec::new()
        } else {
            self.child_ids.iter().filter_map(|id| id.parse().ok()).map(|ax| key(serial, ax)).collect()
        };
        let plain = self.property("editable").and_then(Value::as_str) == Some("plaintext");
        let props = role.map_or_else(Props::default, |role| self.props(role, &native));
        let is_plain_input =
            plain || matches!(role, Some(Role::DateField | Role::ColorWell | Role::FileField));
        Raw { frame, parent, children, native, role, props, is_plain_input }
    }

    fn props(&self, role: Role, native: &str) -> Props {
        let role = self.refined(role);
        let mut props = Props::new(role).with(Prop::NativeRole(Some(native.into())));
        props.set(Prop::Label(text(self.name.as_ref()).map(|name| squeezed(&name))));
        props.set(Prop::Description(text(self.description.as_ref())));
        self.set_states(&mut props, role);
        self.set_value(&mut props, role);
        props
    }

    /// Roles that depend on a property.
    fn refined(&self, role: Role) -> Role {
        match role {
            Role::Button if self.property("pressed").is_some() => Role::ToggleButton,
            other => other,
        }
    }

    fn set_value(&self, props: &mut Props, role: Role) {
        let value = text(self.value.as_ref());
        if let Some(number) = self.value.as_ref().and_then(|v| v.value.as_ref()).and_then(number_of)
            && (role.is_progress() || matches!(role, Role::Slider | Role::Spinbutton | Role::Scrollbar))
        {
            props.set(Prop::RawValue(Some(number)));
        }
        let limit = |name| self.property(name).and_then(number_of);
        if let (Some(min), Some(max)) = (limit("valuemin"), limit("valuemax"))
            && (min, max) != (0.0, 0.0)
        {
            props.set(Prop::ValueRange(Some(ValueRange { min, max, step: None })));
        }
        let spoken = self.property("valuetext").and_then(Value::as_str).filter(|t| !t.is_empty());
        props.set(Prop::Value(spoken.map(Into::into).or(value)));
    }

    fn set_states(&self, props: &mut Props, role: Role) {
        let mut set = |state, value: Option<StateValue>| {
            if value.is_some() {
                props.set(Prop::State(state, value));
            }
        };
        let flag = |name| self.flag(name).map(StateValue::from);
        let tri = |name| match self.property(name).and_then(Value::as_str) {
            Some("mixed") => Some(StateValue::Mixed),
            _ => flag(name),
        };
        set(State::Visible, Some(StateValue::On));
        if role.is_interactive() || self.property("disabled").is_some() {
            set(State::Enabled, Some((!self.flag("disabled").unwrap_or(false)).into()));
        }
        set(State::Focusable, flag("focusable"));
        if self.flag("focusable") == Some(true) {
            set(State::Focused, Some(self.flag("focused").unwrap_or(false).into()));
        }
        set(State::Checked, tri("checked"));
        set(State::Pressed, tri("pressed"));
        set(State::Selected, flag("selected"));
        set(State::Expanded, flag("expanded"));
        set(State::Busy, flag("busy"));
        set(State::Modal, flag("modal"));
        if role.is_input() {
            set(State::Required, flag("required"));
            let invalid = self.property("invalid").and_then(Value::as_str);
            set(State::Invalid, invalid.map(|word| (word != "false").into()));
        }
        let editable = self.property("editable").and_then(Value::as_str).is_some_and(|word| !word.is_empty());
        if editable || matches!(role, Role::Textbox | Role::Searchbox | Role::Spinbutton) {
            let locked = self.flag("readonly").unwrap_or(false) || self.flag("disabled").unwrap_or(false);
            set(State::Editable, Some((editable && !locked).into()));
        }
    }
}

impl Raw {
    /// What is shown of it: accessibility with the facts. `offset` is where its frame begins on the screen.
    pub(crate) fn shown(&self, facts: Option<&Facts>, place: Option<Rect>) -> Props {
        let mut props = self.props.clone();
        if let Some(facts) = facts {
            if facts.is_secret {
                let bullets = props.set(Prop::Value(None));
                props.set(Prop::State(State::Protected, Some(StateValue::On)));
                // Only the number of bullets comes from the browser, and the tree keeps only a digest of it.
                props.set(bullets);
            }
            props.set(Prop::StableId(facts.test_tag.clone().or_else(|| facts.id.clone())));
            props.set(Prop::TestTag(facts.test_tag.clone()));
        }
        props.set(Prop::State(State::OnScreen, Some(place.is_some().into())));
        props.set(Prop::Bounds(place));
        props
    }
}

fn text(value: Option<&AxValue>) -> Option<Str> {
    match value?.value.as_ref()? {
        Value::String(text) => Some(text.as_str().into()),
        Value::Null => None,
        other => Some(other.to_string().into()),
    }
}

/// Without the blanks at its ends; the browser keeps those of the source in texts.
fn squeezed(text: &str) -> Str {
    text.trim().into()
}

fn number_of(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|n: &f64| n.is_finite())
}

/// The properties of `new` that differ from `old`.
pub(crate) fn differences(old: &Props, new: &Props) -> Vec<Prop> {
    let mut out = Vec::new();
    let own = |text: Option<&str>| text.map(Str::from);
    macro_rules! compare {
        ($($field:ident => $make:expr),* $(,)?) => {
            $(if old.$field() != new.$field() { out.push($make(new.$field())); })*
        };
    }
    for state in old.states().differing(new.states()) {
        out.push(Prop::State(state, new.states().get(state)));
    }
    compare! {
        role => Prop::Role,
        native_role => |v| Prop::NativeRole(own(v)),
        stable_id => |v| Prop::StableId(own(v)),
        test_tag => |v| Prop::TestTag(own(v)),
        label => |v| Prop::Label(own(v)),
        text => |v| Prop::Text(own(v)),
        value => |v| Prop::Value(own(v)),
        raw_value => Prop::RawValue,
        value_range => Prop::ValueRange,
        description => |v| Prop::Description(own(v)),
        bounds => Prop::Bounds,
        omitted => Prop::Omitted,
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Raw {
        serde_json::from_str::<AxNode>(json).unwrap().into_raw(3, 0)
    }

    #[test]
    fn a_key_gives_back_what_it_was_made_of() {
        for (serial, ax) in [(1, 7), (9, -1_000_000_002), (65_000, 2_000_000_000)] {
            assert_eq!(unkey(key(serial, ax)), (serial, ax));
        }
    }

    #[test]
    fn states_that_the_browser_does_not_tell_are_left_out() {
        let raw = raw(r#"{"nodeId":"9","ignored":false,"role":{"value":"checkbox"},"name":{"value":"Wi-Fi"},
                "properties":[{"name":"checked","value":{"value":"mixed"}}],"childIds":["4"],"parentId":"2"}"#);
        assert_eq!(raw.props.states().get(State::Checked), Some(StateValue::Mixed));
        assert_eq!(raw.props.states().get(State::Expanded), None);
        assert!(raw.props.states().is(State::Enabled));
        assert_eq!(raw.parent, Some(key(3, 2)));
    }

    #[test]
    fn the_content_of_a_password_field_is_never_shown() {
        let raw = raw(
            r#"{"nodeId":"9","ignored":false,"role":{"value":"textbox"},"value":{"value":"••••"},"childIds":[]}"#,
        );
        let shown = raw.shown(Some(&Facts { is_secret: true, ..Facts::default() }), None);
        assert!(shown.is_protected());
        assert_eq!(shown.value(), None);
    }
}
