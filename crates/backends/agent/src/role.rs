//! Element types as agents name them, and roles as Stillpoint does.

use stillpoint_core::tree::Role;

/// The types that have a role of their own. The first line for a role is how it is told; every line is understood.
const TYPES: &[(&str, Role)] = &[
    ("Application", Role::Application),
    ("Window", Role::Window),
    ("Sheet", Role::Dialog),
    ("Dialog", Role::Dialog),
    ("Alert", Role::AlertDialog),
    ("Notification", Role::Alert),
    ("Button", Role::Button),
    ("ToggleButton", Role::ToggleButton),
    ("Toggle", Role::ToggleButton),
    ("Link", Role::Link),
    ("CheckBox", Role::Checkbox),
    ("RadioButton", Role::Radio),
    ("RadioGroup", Role::RadioGroup),
    ("Switch", Role::Switch),
    ("TextField", Role::Textbox),
    ("SecureTextField", Role::Textbox),
    ("TextView", Role::Textbox),
    ("SearchField", Role::Searchbox),
    ("ComboBox", Role::Combobox),
    ("PopUpButton", Role::Combobox),
    ("Picker", Role::Listbox),
    ("PickerWheel", Role::Spinbutton),
    ("Option", Role::Option),
    ("Slider", Role::Slider),
    ("Stepper", Role::Spinbutton),
    ("ScrollBar", Role::Scrollbar),
    ("DatePicker", Role::DateField),
    ("ColorWell", Role::ColorWell),
    ("ProgressIndicator", Role::Progressbar),
    ("LevelIndicator", Role::Meter),
    ("ActivityIndicator", Role::Spinner),
    ("StatusBar", Role::Statusbar),
    ("Status", Role::Status),
    ("HelpTag", Role::Tooltip),
    ("Toolbar", Role::Toolbar),
    ("NavigationBar", Role::Navigation),
    ("MenuBar", Role::Menubar),
    ("Menu", Role::Menu),
    ("MenuItem", Role::MenuItem),
    ("Tab", Role::Tab),
    ("TabBar", Role::TabList),
    ("TabGroup", Role::TabPanel),
    ("Outline", Role::Tree),
    ("OutlineRow", Role::TreeItem),
    ("Table", Role::Table),
    ("Grid", Role::Grid),
    ("CollectionView", Role::Grid),
    ("TableRow", Role::Row),
    ("Cell", Role::Cell),
    ("TableColumn", Role::ColumnHeader),
    ("List", Role::List),
    ("ListItem", Role::ListItem),
    ("Heading", Role::Heading),
    ("StaticText", Role::Text),
    ("Image", Role::Image),
    ("Icon", Role::Image),
    ("Group", Role::Group),
    ("ScrollView", Role::ScrollArea),
    ("WebView", Role::Document),
    ("Splitter", Role::Splitter),
    ("DisclosureTriangle", Role::Disclosure),
    ("Popover", Role::Popover),
    ("Keyboard", Role::Toolbar),
    ("Key", Role::Button),
];

/// How a role is told; `Other` where there is no type for it. A field whose content is protected is a secure one.
pub(crate) fn type_of(role: Role, protected: bool) -> &'static str {
    if protected && role == Role::Textbox {
        return "SecureTextField";
    }
    TYPES.iter().find(|(_, known)| *known == role).map_or("Other", |(name, _)| name)
}

/// The role behind a type, or behind a role's own name.
pub(crate) fn role_of(name: &str) -> Option<Role> {
    let by_type = TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, role)| *role);
    by_type.or_else(|| Role::from_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_with_a_type_survives_the_wire() {
        for (_, role) in TYPES {
            assert_eq!(role_of(type_of(*role, false)), Some(*role));
        }
        assert_eq!(role_of(type_of(Role::Textbox, true)), Some(Role::Textbox));
        assert_eq!((type_of(Role::Math, false), role_of("math")), ("Other", Some(Role::Math)));
    }
}
