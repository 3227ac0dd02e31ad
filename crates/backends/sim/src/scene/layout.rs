//! Where everything lies on a screen of 800 × 600: what has no place of its own flows below its siblings.
//! Also what follows from the place: what is shown, what is on the screen, what the pointer meets.

use super::stage::{Item, Stage};
use stillpoint_core::tree::{NativeKey, Prop, Rect, Role, State, StateValue};

/// The whole screen.
pub(crate) const SCREEN: Rect = Rect::new(0, 0, 800, 600);
const DIALOG: Rect = Rect::new(200, 150, 400, 300);
/// No coordinate is farther out than this.
pub(crate) const MOST: i32 = 100_000;
/// Room for the title of a dialog.
pub(crate) const TITLE: i32 = 20;
const PAD: i32 = 8;
const GAP: i32 = 6;

impl Item {
    /// Its place, where siblings have no say in it.
    fn fixed(&self) -> Option<Rect> {
        self.place.or(match self.props.role() {
            Role::Application | Role::Window | Role::Frame | Role::Document => Some(SCREEN),
            Role::Dialog | Role::AlertDialog => Some(DIALOG),
            _ => None,
        })
    }

    /// Whether it hides what lies beyond its edges.
    fn clips(&self) -> bool {
        self.fixed().is_some() && (self.props.role().is_window() || self.scrolls())
    }

    /// Whether its inside can be scrolled.
    pub(crate) fn scrolls(&self) -> bool {
        let role = self.props.role();
        let scrollable =
            [Role::ScrollArea, Role::List, Role::Table, Role::Grid, Role::Log, Role::Tree, Role::Listbox];
        self.place.is_some() && scrollable.contains(&role)
    }

    fn is_closed(&self) -> bool {
        self.props.states().is_not(State::Expanded)
    }
}

/// Whether elements of a role are drawn with their title.
pub(crate) fn is_dialog(role: Role) -> bool {
    matches!(role, Role::Dialog | Role::AlertDialog)
}

/// Where two rectangles meet; without area if they do not.
fn meet(a: Rect, b: Rect) -> Rect {
    a.intersection(b).unwrap_or_else(|| Rect::new(a.x.max(b.x), a.y.max(b.y), 0, 0))
}

fn is_horizontal(role: Role) -> bool {
    matches!(role, Role::Row | Role::Toolbar | Role::TabList | Role::Menubar)
}

fn inset(role: Role) -> (i32, i32) {
    match role {
        Role::Row | Role::List | Role::Table | Role::Grid | Role::RowGroup | Role::Log => (0, 2),
        _ => (PAD, GAP),
    }
}

/// The size that an element without children asks for; a width of zero takes all there is.
fn natural(item: &Item) -> (i32, i32) {
    let letters = item.props.label().map_or(0, |l| l.chars().count().min(60)) as i32;
    match item.props.role() {
        Role::Button | Role::ToggleButton | Role::Link | Role::Tab | Role::MenuItem => {
            ((letters * 8 + 24).max(64), 28)
        }
        Role::Checkbox | Role::Radio | Role::Switch => (letters * 8 + 40, 24),
        Role::Textbox
        | Role::Searchbox
        | Role::Combobox
        | Role::Spinbutton
        | Role::Slider
        | Role::DateField => (320, 28),
        Role::Heading => (0, 32),
        Role::Progressbar | Role::Meter => (320, 16),
        Role::Spinner => (32, 32),
        Role::Image | Role::Canvas | Role::Figure => (160, 100),
        Role::Separator => (0, 4),
        Role::Row | Role::ListItem | Role::TreeItem | Role::Option => (0, 26),
        _ => (0, 22),
    }
}

impl Stage {
    /// The siblings of `key` may have to move: lays out again what encloses them.
    pub(super) fn mark_flow(&mut self, key: NativeKey) {
        let top = self.lineage(key).find(|k| self.get(*k).is_some_and(|i| i.fixed().is_some()));
        self.dirty.extend(top.or(self.root()));
    }

    /// Lays out whatever is out of place, and records what moved, appeared or went out of sight.
    pub(super) fn settle(&mut self) {
        while let Some(key) = self.dirty.pop_first() {
            let Some(item) = self.get(key) else { continue };
            let mut rect = item.fixed().or(item.props.bounds()).unwrap_or_default();
            if let (Some(_), Some(parent)) = (item.place, item.parent.and_then(|p| self.get(p))) {
                rect.y -= parent.scroll;
            }
            let mut clip = SCREEN;
            let mut shown = true;
            for around in self.lineage(key).skip(1) {
                let Some(item) = self.get(around) else { continue };
                shown &= item.visible && !item.is_closed();
                if item.clips() {
                    clip = meet(clip, item.props.bounds().unwrap_or(SCREEN));
                }
            }
            self.put(key, rect, clip, shown);
        }
    }

    fn put(&mut self, key: NativeKey, rect: Rect, clip: Rect, shown: bool) {
        let Some(item) = self.get(key) else { return };
        let shown = shown && item.visible;
        let on_screen = shown && rect.intersects(clip);
        let inner_clip = if item.clips() { meet(clip, rect) } else { clip };
        let inner_shown = shown && !item.is_closed();
        let (old, states) = (item.props.bounds(), item.props.states());
        if old != Some(rect) {
            self.set(key, Prop::Bounds(Some(rect)));
        }
        for (state, now) in [(State::Visible, shown), (State::OnScreen, on_screen)] {
            if states.get(state) != Some(StateValue::from(now)) {
                self.set(key, Prop::State(state, Some(now.into())));
            }
        }
        for (child, rect) in self.flow(key, rect) {
            self.put(child, rect, inner_clip, inner_shown);
        }
    }

    /// Where the children of an element go that lies at `rect`.
    fn flow(&self, key: NativeKey, rect: Rect) -> Vec<(NativeKey, Rect)> {
        let Some(item) = self.get(key) else { return Vec::new() };
        let role = item.props.role();
        let (pad, gap) = inset(role);
        let flowing =
            item.children.iter().filter(|c| self.get(**c).is_some_and(|i| i.fixed().is_none())).count();
        let column = (rect.width - 2 * pad) / (flowing.max(1) as i32);
        let (mut x, mut y) = (rect.x + pad, rect.y + pad - item.scroll);
        if role == Role::Combobox || matches!(role, Role::TreeItem | Role::Disclosure) {
            y = rect.y + natural(item).1;
        }
        if is_dialog(role) {
            y += TITLE;
        }
        let mut places = Vec::with_capacity(item.children.len());
        for child in &item.children {
            let Some(kid) = self.get(*child) else { continue };
            if let Some(mut fixed) = kid.fixed() {
                fixed.y -= item.scroll;
                places.push((*child, fixed));
            } else if is_horizontal(role) {
                let width = if role == Role::Row { column } else { natural(kid).0.max(64) };
                places.push((*child, Rect::new(x, y, width - gap, rect.height - 2 * pad)));
                x += width;
            } else {
                let room = rect.width - 2 * pad;
                let width = match natural(kid).0 {
                    0 => room,
                    wanted if kid.children.is_empty() || kid.props.role() == Role::Combobox => {
                        wanted.min(room)
                    }
                    _ => room,
                };
                let height = self.height(*child);
                places.push((*child, Rect::new(x, y, width, height)));
                y += height + gap;
            }
        }
        places
    }

    /// How high an element wants to be.
    fn height(&self, key: NativeKey) -> i32 {
        let Some(item) = self.get(key) else { return 0 };
        let role = item.props.role();
        let own = natural(item).1;
        if item.children.is_empty() || role == Role::Combobox || is_horizontal(role) && role == Role::Row {
            return own;
        }
        if is_horizontal(role) {
            return own.max(28 + 2 * PAD);
        }
        let head = if matches!(role, Role::TreeItem | Role::Disclosure) { own } else { 0 };
        if item.is_closed() {
            return own;
        }
        head + self.content_height(key)
    }

    /// How high everything inside an element is together.
    pub(crate) fn content_height(&self, key: NativeKey) -> i32 {
        let Some(item) = self.get(key) else { return 0 };
        let (pad, gap) = inset(item.props.role());
        let flowing = item.children.iter().filter(|c| self.get(**c).is_some_and(|i| i.fixed().is_none()));
        let heights: i32 = flowing.map(|c| self.height(*c) + gap).sum();
        heights - gap.min(heights) + 2 * pad
    }

    /// Moves an element on the screen, whatever place it had.
    pub(crate) fn move_on_screen(&mut self, key: NativeKey, to: Rect) {
        let Some(item) = self.get_mut(key) else { return };
        item.place = Some(to);
        self.dirty.insert(key);
    }

    /// Scrolls the inside of an element, within its limits.
    pub(crate) fn scroll_inside(&mut self, key: NativeKey, dy: i32) -> bool {
        let content = self.content_height(key);
        let Some(item) = self.get_mut(key) else { return false };
        let height = item.props.bounds().unwrap_or_default().height;
        let to = item.scroll.saturating_add(dy).clamp(0, (content - height).max(0));
        let moved = to != item.scroll;
        item.scroll = to;
        self.dirty.insert(key);
        moved
    }

    /// The visible modal element that lies on top, if there is one.
    pub(crate) fn modal_on_top(&self) -> Option<NativeKey> {
        let all = self.root().into_iter().flat_map(|root| self.walk(root));
        all.filter(|(_, item)| item.props.states().is(State::Modal) && item.props.states().is(State::Visible))
            .last()
            .map(|(key, _)| key)
    }

    /// Who receives the pointer at a point: the last in document order that shows there, a modal before all others.
    pub(crate) fn hit(&self, x: i32, y: i32) -> Option<NativeKey> {
        if !SCREEN.contains(x, y) {
            return None;
        }
        match self.modal_on_top() {
            Some(modal) => self.hit_within(modal, x, y).or(Some(modal)),
            None => self.hit_within(self.root()?, x, y),
        }
    }

    fn hit_within(&self, key: NativeKey, x: i32, y: i32) -> Option<NativeKey> {
        let item = self.get(key)?;
        let inside = item.props.bounds().is_some_and(|b| b.contains(x, y));
        if !item.props.states().is(State::Visible) || (item.clips() && !inside) {
            return None;
        }
        let below = item.children.iter().rev().find_map(|child| self.hit_within(*child, x, y));
        below.or(inside.then_some(key))
    }
}
