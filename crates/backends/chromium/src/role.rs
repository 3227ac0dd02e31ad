//! The browser's roles in our vocabulary.

use stillpoint_core::tree::Role;

/// The role for the browser's word; `None` where it only says how things are laid out.
pub(crate) fn role(native: &str) -> Option<Role> {
    Some(match native {
        "RootWebArea" | "WebArea" | "document" | "PdfRoot" => Role::Document,
        "Iframe" | "IframePresentational" | "FencedFrame" => Role::Frame,
        "StaticText" => Role::Text,
        "LabelText" => Role::Label,
        "Legend" | "Caption" | "Figcaption" => Role::Label,
        "button" | "PopUpButton" => Role::Button,
        "ToggleButton" => Role::ToggleButton,
        "MenuListPopup" => Role::Listbox,
        "MenuListOption" | "ListBoxOption" | "option" => Role::Option,
        "TextField" | "TextFieldWithComboBox" | "textbox" => Role::Textbox,
        "ComboBoxMenuButton" | "ComboBoxSelect" | "ComboBoxGrouping" | "combobox" => Role::Combobox,
        "Date" | "DateTime" | "InputTime" | "DateField" => Role::DateField,
        "ColorWell" => Role::ColorWell,
        "FileUpload" => Role::FileField,
        "DisclosureTriangle" | "DisclosureTriangleGrouped" => Role::Disclosure,
        "Details"
        | "group"
        | "Pre"
        | "FooterAsNonLandmark"
        | "HeaderAsNonLandmark"
        | "SectionWithoutName" => Role::Group,
        "ImageMap" | "img" | "image" | "graphics-document" | "graphics-symbol" | "SvgRoot" => Role::Image,
        "Canvas" => Role::Canvas,
        "Video" => Role::Video,
        "Audio" => Role::Audio,
        "LayoutTable" | "table" => Role::Table,
        "treegrid" | "grid" => Role::Grid,
        "LayoutTableRow" | "row" => Role::Row,
        "LayoutTableCell" | "gridcell" | "cell" => Role::Cell,
        "rowgroup" => Role::RowGroup,
        "columnheader" => Role::ColumnHeader,
        "rowheader" => Role::RowHeader,
        "list" | "DescriptionList" | "directory" | "feed" => Role::List,
        "listitem" | "DescriptionListItem" => Role::ListItem,
        "term" | "DescriptionListTerm" => Role::Term,
        "definition" | "DescriptionListDetail" => Role::Definition,
        "ProgressIndicator" | "progressbar" => Role::Progressbar,
        "meter" => Role::Meter,
        "scrollbar" => Role::Scrollbar,
        "separator" | "splitter" => Role::Separator,
        "EmbeddedObject" | "PluginObject" => Role::Embedded,
        "MathMLMath" | "math" => Role::Math,
        "Abbr" | "Mark" | "mark" | "strong" | "emphasis" | "insertion" | "deletion" | "subscript"
        | "superscript" | "time" | "Ruby" => Role::Emphasis,
        "code" => Role::Code,
        "blockquote" => Role::Blockquote,
        "complementary" => Role::Complementary,
        "contentinfo" => Role::ContentInfo,
        "searchbox" => Role::Searchbox,
        "search" => Role::Region,
        "marquee" => Role::Status,
        "status" | "output" => Role::Status,
        "generic" => Role::Generic,
        "none" | "presentation" | "InlineTextBox" | "ListMarker" | "LineBreak" | "Unknown"
        | "LayoutTableColumn" => {
            return None;
        }
        other => Role::from_name(other).unwrap_or(Role::Generic),
    })
}

/// Whether a change in its content can change its name.
pub(crate) fn is_named_by_content(native: &str) -> bool {
    matches!(
        native,
        "button"
            | "PopUpButton"
            | "ToggleButton"
            | "link"
            | "heading"
            | "cell"
            | "gridcell"
            | "row"
            | "rowheader"
            | "columnheader"
            | "option"
            | "MenuListOption"
            | "ListBoxOption"
            | "tab"
            | "treeitem"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "checkbox"
            | "radio"
            | "switch"
            | "tooltip"
            | "term"
            | "DisclosureTriangle"
            | "DisclosureTriangleGrouped"
            | "LabelText"
            | "Legend"
            | "Caption"
            | "Figcaption"
            | "group"
            | "figure"
            | "table"
            | "combobox"
            | "ComboBoxSelect"
            | "MenuListPopup"
            | "listitem"
            | "LayoutTableCell"
            | "LayoutTableRow"
            | "ComboBoxMenuButton"
            | "time"
            | "mark"
            | "Abbr"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_layout_has_no_role_and_an_unknown_word_is_generic() {
        assert_eq!(role("InlineTextBox"), None);
        assert_eq!(role("something-new"), Some(Role::Generic));
        assert_eq!(role("dialog"), Some(Role::Dialog));
        assert_eq!(role("checkbox"), Some(Role::Checkbox));
    }
}
