//! One vocabulary of roles for every platform, close to ARIA's.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

macro_rules! roles {
    ($($variant:ident = $name:literal,)*) => {
        /// What kind of thing an element is.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[allow(missing_docs)] // each name is its meaning, as in ARIA
        pub enum Role { $($variant,)* #[default] Unknown }

        impl Role {
            /// Every role.
            pub const ALL: &'static [Role] = &[$(Role::$variant,)* Role::Unknown];

            /// The role's name in every face.
            pub const fn name(self) -> &'static str {
                match self { $(Role::$variant => $name,)* Role::Unknown => "unknown" }
            }

            /// The role with this name.
            pub fn from_name(name: &str) -> Option<Role> {
                match name { $($name => Some(Role::$variant),)* "unknown" => Some(Role::Unknown), _ => None }
            }
        }
    };
}

roles! {
    Application = "application", Window = "window", Dialog = "dialog", Alert = "alert", AlertDialog = "alertdialog",
    Document = "document", Frame = "frame", Group = "group", Generic = "generic", Region = "region", Form = "form",
    Button = "button", ToggleButton = "togglebutton", Link = "link", Checkbox = "checkbox", Radio = "radio",
    RadioGroup = "radiogroup", Switch = "switch", Textbox = "textbox", Searchbox = "searchbox", Combobox = "combobox",
    Listbox = "listbox", Option = "option", Slider = "slider", Spinbutton = "spinbutton", Scrollbar = "scrollbar",
    DateField = "datefield", ColorWell = "colorwell", FileField = "filefield",
    Progressbar = "progressbar", Meter = "meter", Spinner = "spinner", Status = "status", Timer = "timer", Log = "log",
    Tooltip = "tooltip", Toolbar = "toolbar", Statusbar = "statusbar", Menubar = "menubar", Menu = "menu",
    MenuItem = "menuitem", MenuItemCheckbox = "menuitemcheckbox", MenuItemRadio = "menuitemradio",
    Tab = "tab", TabList = "tablist", TabPanel = "tabpanel", Tree = "tree", TreeItem = "treeitem",
    Table = "table", Grid = "grid", Row = "row", RowGroup = "rowgroup", Cell = "cell", ColumnHeader = "columnheader",
    RowHeader = "rowheader", List = "list", ListItem = "listitem", Heading = "heading", Paragraph = "paragraph",
    Text = "text", Label = "label", Image = "image", Figure = "figure", Canvas = "canvas", Separator = "separator",
    Splitter = "splitter", ScrollArea = "scrollarea", Banner = "banner", Navigation = "navigation", Main = "main",
    Complementary = "complementary", ContentInfo = "contentinfo", Article = "article", Blockquote = "blockquote",
    Code = "code", Math = "math", Note = "note", Term = "term", Definition = "definition", Emphasis = "emphasis",
    Disclosure = "disclosure", Video = "video", Audio = "audio", Panel = "panel", Popover = "popover",
    Page = "page", Terminal = "terminal", Embedded = "embedded", Calendar = "calendar", TitleBar = "titlebar",
}

impl Role {
    /// Whether its value is something that a person puts in (SPEC §3: "value of an input control").
    pub const fn is_input(self) -> bool {
        matches!(
            self,
            Role::Textbox
                | Role::Searchbox
                | Role::Combobox
                | Role::Listbox
                | Role::Slider
                | Role::Spinbutton
                | Role::DateField
                | Role::ColorWell
                | Role::FileField
                | Role::Checkbox
                | Role::Radio
                | Role::Switch
                | Role::ToggleButton
                | Role::Scrollbar
                | Role::Splitter
        )
    }

    /// Whether its value tells how far some work has come.
    pub const fn is_progress(self) -> bool {
        matches!(self, Role::Progressbar | Role::Meter | Role::Spinner)
    }

    /// Whether it is a screen of its own: its coming and going is navigation.
    pub const fn is_window(self) -> bool {
        matches!(self, Role::Window | Role::Dialog | Role::AlertDialog | Role::Frame | Role::Document)
    }

    /// Whether it exists to tell the state of something.
    pub const fn is_status(self) -> bool {
        matches!(
            self,
            Role::Status
                | Role::Alert
                | Role::Statusbar
                | Role::Progressbar
                | Role::Spinner
                | Role::Log
                | Role::Timer
        )
    }

    /// Whether it is there to be acted on.
    pub const fn is_interactive(self) -> bool {
        self.is_input()
            || matches!(
                self,
                Role::Button
                    | Role::Link
                    | Role::Option
                    | Role::MenuItem
                    | Role::MenuItemCheckbox
                    | Role::MenuItemRadio
                    | Role::Tab
                    | Role::TreeItem
                    | Role::Disclosure
                    | Role::ColumnHeader
            )
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Role::from_name(&name).ok_or_else(|| serde::de::Error::custom(format!("unknown role {name:?}")))
    }
}

impl schemars::JsonSchema for Role {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Role".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
    fn inline_schema() -> bool {
        true
    }
}
