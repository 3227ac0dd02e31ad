//! What is known of one platform object, and how it is told to the mirror.

use crate::object::Object;
use crate::role::NativeRole;
use crate::state::NativeStates;
use std::sync::Arc;
use stillpoint_core::tree::{NativeKey, Prop, Props, Rect, Role, State, StateValue, Str, ValueRange};

/// Which of AT-SPI's interfaces an object has, of those that matter here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interfaces(u16);

impl Interfaces {
    pub(crate) const ACTION: Interfaces = Interfaces(1);
    pub(crate) const COMPONENT: Interfaces = Interfaces(2);
    pub(crate) const TEXT: Interfaces = Interfaces(4);
    pub(crate) const EDITABLE_TEXT: Interfaces = Interfaces(8);
    pub(crate) const VALUE: Interfaces = Interfaces(16);
    pub(crate) const SELECTION: Interfaces = Interfaces(32);

    /// From the full names that `GetInterfaces` and the cache give.
    pub(crate) fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut found = 0;
        for name in names {
            found |= match name.strip_prefix("org.a11y.atspi.").unwrap_or(name) {
                "Action" => Self::ACTION.0,
                "Component" => Self::COMPONENT.0,
                "Text" => Self::TEXT.0,
                "EditableText" => Self::EDITABLE_TEXT.0,
                "Value" => Self::VALUE.0,
                "Selection" => Self::SELECTION.0,
                _ => 0,
            };
        }
        Interfaces(found)
    }

    pub(crate) fn has(self, other: Interfaces) -> bool {
        self.0 & other.0 != 0
    }
}

/// What is known of one object.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) object: Object,
    pub(crate) parent: Option<NativeKey>,
    /// The parent that the object names itself, where it was asked.
    pub(crate) claimed_parent: Option<Object>,
    pub(crate) role: NativeRole,
    pub(crate) states: NativeStates,
    /// Whether its toolkit leaves out that it is showing.
    pub(crate) showing_untold: bool,
    pub(crate) interfaces: Interfaces,
    pub(crate) name: Option<Str>,
    pub(crate) description: Option<Str>,
    pub(crate) stable_id: Option<Str>,
    pub(crate) text: Option<Str>,
    pub(crate) value: Option<f64>,
    pub(crate) range: Option<ValueRange>,
    pub(crate) actions: Arc<[Str]>,
    /// As the toolkit gave it; relative to the window where the toolkit knows no better.
    pub(crate) extents: Option<Rect>,
    /// How many children the object says it has.
    pub(crate) child_count: usize,
    /// Its children as last read.
    pub(crate) children: Vec<NativeKey>,
    /// How many of its children were left out.
    pub(crate) omitted: u32,
}

impl Facts {
    pub(crate) fn new(object: Object) -> Self {
        Facts {
            object,
            parent: None,
            claimed_parent: None,
            role: NativeRole::default(),
            states: NativeStates::default(),
            showing_untold: false,
            interfaces: Interfaces::default(),
            name: None,
            description: None,
            stable_id: None,
            text: None,
            value: None,
            range: None,
            actions: Arc::new([]),
            extents: None,
            child_count: 0,
            children: Vec::new(),
            omitted: 0,
        }
    }

    /// A password's content is not read at all, and no number behind it either.
    pub(crate) fn is_protected(&self) -> bool {
        self.role == NativeRole::PASSWORD
    }

    /// Whether it is on the screen, so that its place there means something.
    pub(crate) fn is_showing(&self) -> bool {
        self.states.has(NativeStates::SHOWING)
            || (self.showing_untold && self.states.has(NativeStates::VISIBLE) && !self.role.is_toplevel())
    }

    pub(crate) fn has_text(&self) -> bool {
        self.interfaces.has(Interfaces::TEXT) && !self.is_protected()
    }

    /// Whether it lies above everything around it while it shows: an open menu, or a popover that takes all input.
    pub(crate) fn is_popup(&self) -> bool {
        self.role == NativeRole::POPUP_MENU
            || (self.role == NativeRole::PANEL && self.states.has(NativeStates::MODAL))
    }

    /// Whether its place on the screen can be asked for.
    pub(crate) fn has_place(&self) -> bool {
        self.interfaces.has(Interfaces::COMPONENT) && self.is_showing()
    }

    /// Everything, as the mirror is told it. `origin` is added to the extents.
    pub(crate) fn props(&self, origin: (i32, i32)) -> Props {
        let mut props = Props::new(self.normal_role());
        // First, so that nothing after it can leave content in a protected element.
        for (state, value) in self.states.told(self.role).known() {
            props.set(Prop::State(state, Some(value)));
        }
        if self.showing_untold && !self.role.is_toplevel() {
            props.set(Prop::State(State::OnScreen, None));
            if self.has_no_area() {
                // The only sign that GTK 4 gives of what lies on a page that was never shown.
                props.set(Prop::State(State::Visible, Some(StateValue::Off)));
            }
        }
        props.set(Prop::NativeRole(Some(self.role.name().into())));
        props.set(Prop::StableId(self.stable_id.clone()));
        props.set(Prop::Label(self.name.clone()));
        props.set(Prop::Description(self.description.clone()));
        props.set(Prop::Text(self.text.clone()));
        props.set(Prop::Value(self.value.map(number)));
        props.set(Prop::RawValue(self.value));
        props.set(Prop::ValueRange(self.range));
        if !self.role.is_mere_text() {
            props.set(Prop::Actions(self.actions.clone()));
        }
        props.set(Prop::Bounds(self.bounds(origin)));
        props.set(Prop::Omitted(self.omitted));
        props
    }

    /// GTK 4 has no role of its own for dialogs that are plain windows; what takes all input is one.
    fn normal_role(&self) -> Role {
        match self.role.role() {
            Role::Window if self.states.has(NativeStates::MODAL) => Role::Dialog,
            role => role,
        }
    }

    /// Whether it was asked for its size, and has none.
    fn has_no_area(&self) -> bool {
        self.interfaces.has(Interfaces::COMPONENT) && self.extents.is_some_and(|r| !r.has_area())
    }

    /// Where it is on the screen, if it is there.
    pub(crate) fn bounds(&self, origin: (i32, i32)) -> Option<Rect> {
        let raw = self.extents.filter(|_| self.is_showing())?;
        // Toolkits say "nowhere" with the smallest numbers there are, or with no size.
        let somewhere = raw.x > i32::MIN / 2 && raw.y > i32::MIN / 2 && raw.has_area();
        somewhere.then(|| Rect::new(raw.x + origin.0, raw.y + origin.1, raw.width, raw.height))
    }
}

/// What differs between what was told and what is to be told, as updates.
pub(crate) fn differences(old: &Props, new: &Props) -> Vec<Prop> {
    let mut props: Vec<Prop> = Vec::new();
    // A change of protection comes first: content that follows is then handled by its rule.
    for state in [State::Protected].into_iter().chain(new.states().differing(old.states())) {
        if old.states().get(state) != new.states().get(state) {
            props.push(Prop::State(state, new.states().get(state)));
        }
    }
    let mut differ = |differs: bool, prop: &dyn Fn() -> Prop| {
        if differs {
            props.push(prop());
        }
    };
    let own = |text: Option<&str>| text.map(Str::from);
    differ(old.role() != new.role(), &|| Prop::Role(new.role()));
    differ(old.native_role() != new.native_role(), &|| Prop::NativeRole(own(new.native_role())));
    differ(old.stable_id() != new.stable_id(), &|| Prop::StableId(own(new.stable_id())));
    differ(old.label() != new.label(), &|| Prop::Label(own(new.label())));
    differ(old.description() != new.description(), &|| Prop::Description(own(new.description())));
    differ(old.text() != new.text(), &|| Prop::Text(own(new.text())));
    differ(old.value() != new.value(), &|| Prop::Value(own(new.value())));
    differ(old.raw_value() != new.raw_value(), &|| Prop::RawValue(new.raw_value()));
    differ(old.value_range() != new.value_range(), &|| Prop::ValueRange(new.value_range()));
    differ(old.actions() != new.actions(), &|| Prop::Actions(new.actions().into()));
    differ(old.bounds() != new.bounds(), &|| Prop::Bounds(new.bounds()));
    differ(old.omitted() != new.omitted(), &|| Prop::Omitted(new.omitted()));
    props
}

/// The name of a property, for counting repairs.
pub(crate) fn prop_name(prop: &Prop) -> &'static str {
    match prop {
        Prop::Role(_) | Prop::NativeRole(_) => "role",
        Prop::StableId(_) => "stable_id",
        Prop::TestTag(_) => "test_tag",
        Prop::Label(_) => "label",
        Prop::Text(_) => "text",
        Prop::Value(_) | Prop::RawValue(_) => "value",
        Prop::ValueRange(_) => "value_range",
        Prop::Description(_) => "description",
        Prop::Bounds(_) => "bounds",
        Prop::State(state, _) => state.name(),
        Prop::Actions(_) => "actions",
        Prop::Omitted(_) => "omitted",
    }
}

/// A number as a person would write it.
fn number(value: f64) -> Str {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}").into();
    }
    let digits = format!("{value:.6}");
    digits.trim_end_matches('0').trim_end_matches('.').into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(role: u32) -> Facts {
        let mut facts = Facts::new(Object::new(":1.1", "/x"));
        facts.role = NativeRole(role);
        facts
    }

    #[test]
    fn a_password_field_tells_no_content_even_if_it_was_read() {
        let mut facts = facts(40);
        facts.text = Some("secret".into());
        facts.value = Some(7.0);
        let props = facts.props((0, 0));
        assert_eq!((props.text(), props.value(), props.raw_value()), (None, None, None));
        assert!(!format!("{props:?}").contains("secret"));
    }

    #[test]
    fn only_what_is_showing_has_a_place_on_the_screen() {
        let mut facts = facts(43);
        facts.extents = Some(Rect::new(1, 2, 30, 40));
        assert_eq!(facts.bounds((100, 100)), None);
        facts.states.set(NativeStates::SHOWING, true);
        assert_eq!(facts.bounds((100, 100)), Some(Rect::new(101, 102, 30, 40)));
        facts.extents = Some(Rect::new(i32::MIN, i32::MIN, 1, 1));
        assert_eq!(facts.bounds((0, 0)), None);
    }

    #[test]
    fn differences_are_exactly_what_an_update_needs() {
        let old = facts(43).props((0, 0));
        let mut changed = facts(43);
        changed.name = Some("Save".into());
        changed.states.set(NativeStates::SENSITIVE, true);
        let new = changed.props((0, 0));
        let mut applied = old.clone();
        for prop in differences(&old, &new) {
            applied.set(prop);
        }
        assert_eq!(applied, new);
        assert!(differences(&new, &new).is_empty());
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        assert_eq!(&*number(42.0), "42");
        assert_eq!(&*number(0.25), "0.25");
        assert_eq!(&*number(-1.5), "-1.5");
    }
}
