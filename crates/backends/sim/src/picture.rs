//! A picture of the scene: a box for each element, coloured by its role, with its label in it.

mod font;

use crate::app::stale;
use crate::scene::layout::{SCREEN, TITLE, is_dialog};
use crate::scene::stage::{Item, Stage};
use stillpoint_core::tree::{NativeKey, Rect, Role, State};
use stillpoint_core::{Error, Result};

type Colour = [u8; 3];
const PAPER: Colour = [0xF4, 0xF4, 0xF0];
const INK: Colour = [0x22, 0x22, 0x2A];
const FAINT: Colour = [0x9A, 0x9A, 0xA2];

/// The whole screen, or one element, as PNG.
pub(crate) fn draw(stage: &Stage, of: Option<NativeKey>) -> Result<Vec<u8>> {
    let mut canvas = Canvas::new();
    if let Some(root) = stage.root() {
        for (_, item) in stage.walk(root) {
            if item.props.states().is(State::OnScreen) {
                canvas.element(item);
            }
        }
    }
    let crop = match of {
        None => SCREEN,
        Some(key) => stage.get(key).ok_or_else(stale)?.props.bounds().unwrap_or(SCREEN),
    };
    canvas.png(crop)
}

struct Canvas(Vec<Colour>);

impl Canvas {
    fn new() -> Self {
        Canvas(vec![PAPER; (SCREEN.width * SCREEN.height) as usize])
    }

    fn dot(&mut self, x: i32, y: i32, colour: Colour) {
        if SCREEN.contains(x, y) {
            self.0[(y * SCREEN.width + x) as usize] = colour;
        }
    }

    fn fill(&mut self, rect: Rect, colour: Colour) {
        let (right, bottom) =
            ((rect.x + rect.width).min(SCREEN.width), (rect.y + rect.height).min(SCREEN.height));
        for y in rect.y.max(0)..bottom {
            for x in rect.x.max(0)..right {
                self.dot(x, y, colour);
            }
        }
    }

    fn frame(&mut self, rect: Rect, colour: Colour) {
        let (right, bottom) = (rect.x + rect.width - 1, rect.y + rect.height - 1);
        for x in rect.x.max(0)..=right.min(SCREEN.width) {
            self.dot(x, rect.y, colour);
            self.dot(x, bottom, colour);
        }
        for y in rect.y.max(0)..=bottom.min(SCREEN.height) {
            self.dot(rect.x, y, colour);
            self.dot(right, y, colour);
        }
    }

    fn element(&mut self, item: &Item) {
        let Some(rect) = item.props.bounds().filter(|b| b.has_area()) else { return };
        let states = item.props.states();
        let (back, edge) = colours(item.props.role());
        let ink = if states.is_not(State::Enabled) { FAINT } else { INK };
        if let Some(back) = back {
            self.fill(rect, back);
        }
        if let Some(edge) = edge {
            self.frame(rect, if states.is(State::Focused) { [0x1A, 0x5F, 0xD0] } else { edge });
        }
        if let (Some(value), Some(range)) = (item.props.raw_value(), item.props.value_range()) {
            let share = ((value - range.min) / (range.max - range.min).max(f64::EPSILON)).clamp(0.0, 1.0);
            let bar = Rect::new(rect.x, rect.y + rect.height - 3, (f64::from(rect.width) * share) as i32, 3);
            self.fill(bar, [0x3A, 0x8F, 0x5C]);
        }
        let middle = rect.y + (rect.height - font::HEIGHT) / 2;
        let y = if is_dialog(item.props.role()) { rect.y + TITLE / 2 } else { middle };
        self.text(rect, rect.x + 4, y, &caption(item), ink);
    }

    fn text(&mut self, within: Rect, x: i32, y: i32, text: &str, colour: Colour) {
        for (place, letter) in text.chars().enumerate() {
            let left = x + place as i32 * (font::WIDTH + 1);
            if left + font::WIDTH > within.x + within.width {
                return;
            }
            for (row, line) in font::rows(letter).enumerate() {
                for (column, _) in line.bytes().enumerate().filter(|(_, ink)| *ink == b'#') {
                    self.dot(left + column as i32, y + row as i32, colour);
                }
            }
        }
    }

    fn png(&self, crop: Rect) -> Result<Vec<u8>> {
        let left = crop.x.clamp(0, SCREEN.width - 1);
        let top = crop.y.clamp(0, SCREEN.height - 1);
        let right = (crop.x + crop.width).clamp(left + 1, SCREEN.width);
        let bottom = (crop.y + crop.height).clamp(top + 1, SCREEN.height);
        let mut pixels = Vec::with_capacity(((right - left) * (bottom - top) * 3) as usize);
        for y in top..bottom {
            let row = (y * SCREEN.width) as usize;
            pixels.extend(self.0[row + left as usize..row + right as usize].iter().flatten());
        }
        let broken =
            |error: png::EncodingError| Error::internal(format!("the picture was not made: {error}"));
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, (right - left) as u32, (bottom - top) as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(broken)?;
        writer.write_image_data(&pixels).map_err(broken)?;
        writer.finish().map_err(broken)?;
        Ok(file)
    }
}

/// What is written on an element: marks of its state, its label, its content.
fn caption(item: &Item) -> String {
    let props = &item.props;
    let states = props.states();
    // What lies in a container says enough about it.
    if !item.children.is_empty() && !is_dialog(props.role()) && props.role() != Role::Combobox {
        return String::new();
    }
    let mut caption = match states.get(State::Checked) {
        Some(stillpoint_core::tree::StateValue::On) => "(X) ".to_owned(),
        Some(_) => "( ) ".to_owned(),
        None => String::new(),
    };
    caption.push_str(props.label().unwrap_or_default());
    for content in [props.text(), props.value()].into_iter().flatten() {
        if !caption.is_empty() {
            caption.push_str(if props.value() == Some(content) { ": " } else { " " });
        }
        caption.push_str(content);
    }
    caption
}

/// Background and edge of a role.
fn colours(role: Role) -> (Option<Colour>, Option<Colour>) {
    match role {
        Role::Window | Role::Document | Role::Frame => (Some([0xFF, 0xFF, 0xFF]), Some(FAINT)),
        Role::Dialog | Role::AlertDialog | Role::Popover | Role::Menu => {
            (Some([0xFB, 0xF6, 0xE4]), Some(INK))
        }
        Role::Button | Role::ToggleButton | Role::Tab | Role::MenuItem => {
            (Some([0xD9, 0xE6, 0xF8]), Some([0x5B, 0x7F, 0xB5]))
        }
        Role::Link => (None, Some([0x8F, 0xB0, 0xE0])),
        Role::Alert => (Some([0xFA, 0xD9, 0xD5]), Some([0xB8, 0x45, 0x3B])),
        Role::Status | Role::Timer | Role::Log | Role::Statusbar => (Some([0xE4, 0xF3, 0xE6]), None),
        Role::Progressbar | Role::Meter | Role::Spinner => {
            (Some([0xE3, 0xE9, 0xE4]), Some([0x3A, 0x8F, 0x5C]))
        }
        Role::Heading => (Some([0xEC, 0xEC, 0xF4]), None),
        Role::Option => (Some([0xFF, 0xFF, 0xFF]), Some(FAINT)),
        Role::Image | Role::Canvas => (Some([0xE8, 0xDE, 0xF0]), Some(FAINT)),
        Role::List | Role::Table | Role::Grid | Role::Row | Role::ListItem => {
            (None, Some([0xE0, 0xE0, 0xE4]))
        }
        role if role.is_input() => (Some([0xFF, 0xFF, 0xFF]), Some([0x77, 0x77, 0x80])),
        _ => (None, None),
    }
}
