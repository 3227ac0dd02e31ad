//! Synthesised pointer and keyboard input through the X server's XTEST extension.

use crate::keymap::{Keymap, keysym_of_char, keysym_of_name};
use std::time::{Duration, Instant};
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::{Button, Key};
use x11rb::protocol::xproto::{
    BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConnectionExt as _, KEY_PRESS_EVENT, KEY_RELEASE_EVENT,
    MOTION_NOTIFY_EVENT, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// Pixels that one notch of the wheel stands for.
const NOTCH: i32 = 40;
/// No scroll turns the wheel further than this.
const MAX_NOTCHES: i32 = 200;
/// The pointer stops this often on its way, at least.
const GLIDE_STEPS: u32 = 8;

/// What a hand does.
#[derive(Clone, Debug)]
pub(crate) enum Gesture {
    MoveTo((i32, i32)),
    Press {
        at: (i32, i32),
        button: Button,
        count: u8,
        hold: Duration,
    },
    /// The main button goes down here.
    Down((i32, i32)),
    /// The pointer moves in small steps.
    Glide {
        from: (i32, i32),
        to: (i32, i32),
        over: Duration,
    },
    /// The main button comes up, wherever the pointer is.
    Up,
    Wheel {
        at: (i32, i32),
        dx: i32,
        dy: i32,
    },
    Keys(Vec<Key>),
    Text(String),
}

/// The hands on one display.
pub(crate) struct Input {
    x: RustConnection,
    root: Window,
    keymap: Keymap,
}

impl Input {
    pub(crate) fn open(display: &str) -> Result<Self> {
        let (x, root) = crate::windows::connect(display).map_err(|error| failed("connecting", &*error))?;
        x.xtest_get_version(2, 2)
            .map_err(|error| failed("XTEST", &error))?
            .reply()
            .map_err(|error| failed("XTEST", &error))?;
        let keymap = Keymap::read(&x).map_err(|error| failed("reading the keyboard", &*error))?;
        Ok(Input { x, root, keymap })
    }

    /// Does it, unless the time is over before it begins.
    pub(crate) fn perform(&mut self, gesture: &Gesture, until: Instant) -> Result<()> {
        // A button that is down has to come up, however late it is.
        if Instant::now() >= until && !matches!(gesture, Gesture::Up) {
            return Err(Error::new(
                Code::Timeout,
                "the deadline passed before any input",
                "give a longer timeout",
            ));
        }
        match gesture {
            Gesture::MoveTo(at) => self.move_to(*at)?,
            Gesture::Press { at, button, count, hold } => self.press(*at, *button, *count, *hold)?,
            Gesture::Down(at) => {
                self.move_to(*at)?;
                self.fake(BUTTON_PRESS_EVENT, 1, (0, 0))?;
            }
            Gesture::Glide { from, to, over } => self.glide(*from, *to, *over)?,
            Gesture::Up => self.fake(BUTTON_RELEASE_EVENT, 1, (0, 0))?,
            Gesture::Wheel { at, dx, dy } => self.wheel(*at, *dx, *dy)?,
            Gesture::Keys(keys) => {
                for key in keys {
                    self.key(key)?;
                }
            }
            Gesture::Text(text) => self.text(text)?,
        }
        self.sync()
    }

    pub(crate) fn has_borrowed_keys(&self) -> bool {
        self.keymap.has_borrowed()
    }

    /// Gives back what was borrowed.
    pub(crate) fn close(mut self) -> Result<()> {
        self.keymap.give_back(&self.x).map_err(|error| failed("giving keys back", &*error))?;
        self.sync()
    }

    fn fake(&self, kind: u8, detail: u8, (x, y): (i32, i32)) -> Result<()> {
        let clip = |n: i32| n.clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16;
        self.x
            .xtest_fake_input(kind, detail, x11rb::CURRENT_TIME, self.root, clip(x), clip(y), 0)
            .map_err(|error| failed("sending input", &error))?;
        Ok(())
    }

    /// Returns when the server has handled everything.
    fn sync(&self) -> Result<()> {
        self.x
            .get_input_focus()
            .map_err(|error| failed("sending input", &error))?
            .reply()
            .map_err(|error| failed("sending input", &error))?;
        Ok(())
    }

    fn move_to(&self, at: (i32, i32)) -> Result<()> {
        self.fake(MOTION_NOTIFY_EVENT, 0, at)
    }

    fn press(&self, at: (i32, i32), button: Button, count: u8, hold: Duration) -> Result<()> {
        let button = match button {
            Button::Left => 1,
            Button::Middle => 2,
            Button::Right => 3,
        };
        self.move_to(at)?;
        for _ in 0..count.max(1) {
            self.fake(BUTTON_PRESS_EVENT, button, (0, 0))?;
            if !hold.is_zero() {
                self.sync()?;
                std::thread::sleep(hold);
            }
            self.fake(BUTTON_RELEASE_EVENT, button, (0, 0))?;
        }
        Ok(())
    }

    fn glide(&self, from: (i32, i32), to: (i32, i32), over: Duration) -> Result<()> {
        let steps = GLIDE_STEPS.max((over.as_millis() / 16) as u32);
        for step in 1..=steps {
            let part = |a: i32, b: i32| {
                a + ((i64::from(b) - i64::from(a)) * i64::from(step) / i64::from(steps)) as i32
            };
            self.move_to((part(from.0, to.0), part(from.1, to.1)))?;
            self.sync()?;
            std::thread::sleep(over / steps);
        }
        Ok(())
    }

    fn wheel(&self, at: (i32, i32), dx: i32, dy: i32) -> Result<()> {
        self.move_to(at)?;
        for (by, back, forth) in [(dy, 4, 5), (dx, 6, 7)] {
            if by == 0 {
                continue;
            }
            let notches = (by.abs() / NOTCH).clamp(1, MAX_NOTCHES);
            let button = if by < 0 { back } else { forth };
            for _ in 0..notches {
                self.fake(BUTTON_PRESS_EVENT, button, (0, 0))?;
                self.fake(BUTTON_RELEASE_EVENT, button, (0, 0))?;
            }
        }
        Ok(())
    }

    fn key(&mut self, key: &Key) -> Result<()> {
        let keysym = keysym_of_name(&key.name).ok_or_else(|| {
            Error::invalid(
                format!("there is no key {:?}", key.name),
                "keys are named like Enter, Tab, Escape, ArrowDown, F5, or by their character",
            )
        })?;
        let held: Vec<&str> =
            [(key.ctrl, "Control"), (key.alt, "Alt"), (key.meta, "Meta"), (key.shift, "Shift")]
                .into_iter()
                .filter_map(|(on, name)| on.then_some(name))
                .collect();
        let mut codes = Vec::new();
        for name in held {
            let keysym =
                keysym_of_name(name).ok_or_else(|| Error::internal("a modifier without a keysym"))?;
            codes.push(self.code(keysym)?.0);
        }
        for code in &codes {
            self.fake(KEY_PRESS_EVENT, *code, (0, 0))?;
        }
        let stroke = self.stroke(keysym, key.shift);
        for code in codes.iter().rev() {
            self.fake(KEY_RELEASE_EVENT, *code, (0, 0))?;
        }
        stroke
    }

    fn text(&mut self, text: &str) -> Result<()> {
        let needed = text.chars().map(keysym_of_char);
        self.keymap.borrow_for(&self.x, needed).map_err(|error| failed("borrowing keys", &*error))?;
        self.sync()?;
        for character in text.chars() {
            self.stroke(keysym_of_char(character), false)?;
        }
        Ok(())
    }

    /// Presses and releases one key, with shift if that is how its sign is made.
    fn stroke(&mut self, keysym: u32, shift_is_down: bool) -> Result<()> {
        let (code, shifted) = self.code(keysym)?;
        let shift = if shifted && !shift_is_down { Some(self.code(0xffe1)?.0) } else { None };
        if let Some(shift) = shift {
            self.fake(KEY_PRESS_EVENT, shift, (0, 0))?;
        }
        self.fake(KEY_PRESS_EVENT, code, (0, 0))?;
        self.fake(KEY_RELEASE_EVENT, code, (0, 0))?;
        if let Some(shift) = shift {
            self.fake(KEY_RELEASE_EVENT, shift, (0, 0))?;
        }
        Ok(())
    }

    fn code(&mut self, keysym: u32) -> Result<(u8, bool)> {
        if let Some(found) = self.keymap.find(keysym) {
            return Ok(found);
        }
        self.keymap
            .borrow_for(&self.x, [keysym].into_iter())
            .map_err(|error| failed("borrowing a key", &*error))?;
        self.sync()?;
        self.keymap.find(keysym).ok_or_else(|| {
            Error::new(
                Code::Unsupported,
                format!("the keyboard has no key for keysym {keysym:#x}, and none is free to lend"),
                "type in smaller parts, or use set_value",
            )
        })
    }
}

fn failed(doing: &str, error: &(dyn std::error::Error + 'static)) -> Error {
    Error::new(
        Code::Unsupported,
        format!("input cannot be synthesised ({doing}): {error}"),
        "XTEST is needed on the app's X display; `stillpoint doctor` looks for it",
    )
}
