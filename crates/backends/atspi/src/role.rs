//! AT-SPI roles: their numbers, their own names, and the one vocabulary of every platform.

use stillpoint_core::tree::Role;

/// AT-SPI's number for a role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NativeRole(pub(crate) u32);

macro_rules! native_roles {
    ($($number:literal $name:literal $role:ident,)*) => {
        impl NativeRole {
            /// AT-SPI's own word for it.
            pub(crate) fn name(self) -> &'static str {
                match self.0 { $($number => $name,)* _ => "unknown" }
            }

            /// The role in every platform's vocabulary.
            pub(crate) fn role(self) -> Role {
                match self.0 { $($number => Role::$role,)* _ => Role::Unknown }
            }
        }
    };
}

native_roles! {
    0 "invalid" Unknown, 1 "accelerator label" Label, 2 "alert" AlertDialog, 3 "animation" Image, 4 "arrow" Image,
    5 "calendar" Calendar, 6 "canvas" Canvas, 7 "check box" Checkbox, 8 "check menu item" MenuItemCheckbox,
    9 "color chooser" ColorWell, 10 "column header" ColumnHeader, 11 "combo box" Combobox,
    12 "date editor" DateField, 13 "desktop icon" Image, 14 "desktop frame" Frame, 15 "dial" Slider,
    16 "dialog" Dialog, 17 "directory pane" Panel, 18 "drawing area" Canvas, 19 "file chooser" Dialog,
    20 "filler" Generic, 21 "focus traversable" Generic, 22 "font chooser" Dialog, 23 "frame" Window,
    24 "glass pane" Panel, 25 "html container" Document, 26 "icon" Image, 27 "image" Image,
    28 "internal frame" Frame, 29 "label" Label, 30 "layered pane" Panel, 31 "list" List, 32 "list item" ListItem,
    33 "menu" Menu, 34 "menu bar" Menubar, 35 "menu item" MenuItem, 36 "option pane" Panel, 37 "page tab" Tab,
    38 "page tab list" TabList, 39 "panel" Panel, 40 "password text" Textbox, 41 "popup menu" Menu,
    42 "progress bar" Progressbar, 43 "push button" Button, 44 "radio button" Radio,
    45 "radio menu item" MenuItemRadio, 46 "root pane" Panel, 47 "row header" RowHeader, 48 "scroll bar" Scrollbar,
    49 "scroll pane" ScrollArea, 50 "separator" Separator, 51 "slider" Slider, 52 "spin button" Spinbutton,
    53 "split pane" Splitter, 54 "status bar" Statusbar, 55 "table" Table, 56 "table cell" Cell,
    57 "table column header" ColumnHeader, 58 "table row header" RowHeader, 59 "tearoff menu item" MenuItem,
    60 "terminal" Terminal, 61 "text" Textbox, 62 "toggle button" ToggleButton, 63 "tool bar" Toolbar,
    64 "tool tip" Tooltip, 65 "tree" Tree, 66 "tree table" Tree, 67 "unknown" Unknown, 68 "viewport" Generic,
    69 "window" Window, 70 "extended" Unknown, 71 "header" Banner, 72 "footer" ContentInfo,
    73 "paragraph" Paragraph, 74 "ruler" Generic, 75 "application" Application, 76 "autocomplete" Combobox,
    77 "editbar" Textbox, 78 "embedded" Embedded, 79 "entry" Textbox, 80 "chart" Figure, 81 "caption" Label,
    82 "document frame" Document, 83 "heading" Heading, 84 "page" Page, 85 "section" Group,
    86 "redundant object" Generic, 87 "form" Form, 88 "link" Link, 89 "input method window" Window,
    90 "table row" Row, 91 "tree item" TreeItem, 92 "document spreadsheet" Document,
    93 "document presentation" Document, 94 "document text" Document, 95 "document web" Document,
    96 "document email" Document, 97 "comment" Note, 98 "list box" Listbox, 99 "grouping" Group,
    100 "image map" Image, 101 "notification" Alert, 102 "info bar" Status, 103 "level bar" Meter,
    104 "title bar" TitleBar, 105 "block quote" Blockquote, 106 "audio" Audio, 107 "video" Video,
    108 "definition" Definition, 109 "article" Article, 110 "landmark" Region, 111 "log" Log, 112 "marquee" Log,
    113 "math" Math, 114 "rating" Meter, 115 "timer" Timer, 116 "static" Text, 117 "math fraction" Math,
    118 "math root" Math, 119 "subscript" Text, 120 "superscript" Text, 121 "description list" List,
    122 "description term" Term, 123 "description value" Definition, 124 "footnote" Note,
    125 "content deletion" Text, 126 "content insertion" Text, 127 "mark" Text, 128 "suggestion" Text,
    129 "push button menu" Button, 130 "switch" Switch,
}

impl NativeRole {
    pub(crate) const DIALOG: NativeRole = NativeRole(16);
    pub(crate) const INTERNAL_FRAME: NativeRole = NativeRole(28);
    pub(crate) const PAGE_TAB: NativeRole = NativeRole(37);
    pub(crate) const PASSWORD: NativeRole = NativeRole(40);
    pub(crate) const PANEL: NativeRole = NativeRole(39);
    pub(crate) const POPUP_MENU: NativeRole = NativeRole(41);
    pub(crate) const TOOL_BAR: NativeRole = NativeRole(63);
    pub(crate) const CELL: NativeRole = NativeRole(56);

    /// Whether it is a window of its own, with an origin on the screen.
    pub(crate) fn is_toplevel(self) -> bool {
        matches!(self.0, 2 | 16 | 19 | 22 | 23 | 69 | 89 | 9)
    }

    /// Whether it only shows something. What it offers as actions (GTK 4.8 crashes when one of a row's label is asked
    /// for) is not what a tap on it means.
    pub(crate) fn is_mere_text(self) -> bool {
        matches!(self.0, 29 | 116)
    }

    /// Whether it is a button that can be pressed.
    pub(crate) fn is_button(self) -> bool {
        matches!(self.0, 43 | 62)
    }

    /// Whether it holds cells in rows and columns.
    pub(crate) fn is_table(self) -> bool {
        matches!(self.0, 55 | 66)
    }

    /// Whether it is one of many in a list, a table or a tree.
    pub(crate) fn is_item(self) -> bool {
        matches!(self.0, 32 | 56 | 90 | 91)
    }

    /// Whether its value is a place, which changes as it is laid out and not only when somebody moves it.
    pub(crate) fn is_divider(self) -> bool {
        matches!(self.0, 20 | 53)
    }

    /// Whether it shows a part of what lies in it, which can be scrolled.
    pub(crate) fn is_scrolled(self) -> bool {
        matches!(self.0, 49 | 68)
    }

    /// Whether it is there to hold others, whatever they are.
    pub(crate) fn is_container(self) -> bool {
        matches!(
            self.0,
            20 | 23
                | 24
                | 28
                | 30
                | 31
                | 36
                | 37
                | 38
                | 39
                | 46
                | 49
                | 53
                | 63
                | 68
                | 69
                | 78
                | 85
                | 87
                | 98
                | 99
        )
    }

    /// Whether it is an item of a menu.
    pub(crate) fn is_menu_item(self) -> bool {
        matches!(self.0, 8 | 35 | 45 | 59)
    }

    /// Whether checking is what it is there for.
    pub(crate) fn is_checkable(self) -> bool {
        matches!(self.0, 7 | 8 | 44 | 45 | 130)
    }

    pub(crate) fn is_toggle_button(self) -> bool {
        self.0 == 62
    }

    /// Whether it holds text that a person writes, so that "not editable" says something about it.
    pub(crate) fn is_text_field(self) -> bool {
        matches!(self.0, 40 | 60 | 61 | 76 | 77 | 79 | 94)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_those_of_at_spi() {
        assert_eq!(NativeRole(43).name(), "push button");
        assert_eq!(NativeRole(43).role(), Role::Button);
        assert_eq!(NativeRole::PASSWORD.role(), Role::Textbox);
        assert_eq!(NativeRole(79).name(), "entry");
        assert_eq!(NativeRole(9999).role(), Role::Unknown);
    }
}
