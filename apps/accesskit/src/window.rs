//! The X11 window: real, so that places on the screen and synthesised input mean something.

use crate::Wake;
use crate::form::{Form, HEIGHT, WIDTH};
use accesskit::Rect;
use anyhow::{Context as _, Result};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeGCAux, ConnectionExt as _, CreateGCAux, CreateWindowAux, EventMask, Gcontext, PropMode,
    Rectangle, Window as Id, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// An open window.
pub(crate) struct Window {
    x: Arc<RustConnection>,
    id: Id,
    root: Id,
    pen: Gcontext,
    colours: [u32; 3],
}

impl Window {
    /// Opens a window and hands its events to the main loop, from a thread of its own.
    pub(crate) fn open(title: &str, sender: Sender<Wake>) -> Result<Self> {
        let (x, number) = RustConnection::connect(None).context("there is no X display")?;
        let x = Arc::new(x);
        let screen = x.setup().roots.get(number).context("the display has no such screen")?;
        let (root, white, black) = (screen.root, screen.white_pixel, screen.black_pixel);
        let (id, pen) = (x.generate_id()?, x.generate_id()?);
        let events = EventMask::EXPOSURE
            | EventMask::STRUCTURE_NOTIFY
            | EventMask::FOCUS_CHANGE
            | EventMask::BUTTON_PRESS;
        let settings = CreateWindowAux::new().background_pixel(white).event_mask(events);
        x.create_window(
            screen.root_depth,
            id,
            root,
            0,
            0,
            WIDTH as u16,
            HEIGHT as u16,
            0,
            WindowClass::INPUT_OUTPUT,
            screen.root_visual,
            &settings,
        )?;
        let atom = |name: &str| -> Result<u32> { Ok(x.intern_atom(false, name.as_bytes())?.reply()?.atom) };
        let (name, pid) = (atom("_NET_WM_NAME")?, atom("_NET_WM_PID")?);
        x.change_property8(PropMode::REPLACE, id, AtomEnum::WM_NAME, AtomEnum::STRING, title.as_bytes())?;
        x.change_property8(PropMode::REPLACE, id, name, atom("UTF8_STRING")?, title.as_bytes())?;
        x.change_property32(PropMode::REPLACE, id, pid, AtomEnum::CARDINAL, &[std::process::id()])?;
        x.create_gc(pen, id, &CreateGCAux::new().foreground(black).graphics_exposures(0))?;
        x.map_window(id)?;
        x.flush()?;
        let events = x.clone();
        std::thread::spawn(move || {
            while let Ok(event) = events.wait_for_event() {
                if sender.send(Wake::Display(event)).is_err() {
                    return;
                }
            }
        });
        Ok(Window { x, id, root, pen, colours: [white, black, 0x00d0_d0d0] })
    }

    /// Where the window is, with its frame and without.
    pub(crate) fn bounds(&self) -> Result<(Rect, Rect)> {
        let size = self.x.get_geometry(self.id)?.reply()?;
        let place = self.x.translate_coordinates(self.id, self.root, 0, 0)?.reply()?;
        let (left, top) = (f64::from(place.dst_x), f64::from(place.dst_y));
        let inner = Rect::new(left, top, left + f64::from(size.width), top + f64::from(size.height));
        Ok((inner, inner))
    }

    /// Draws a box for each element that shows, filled where it is on.
    pub(crate) fn draw(&self, form: &Form) -> Result<()> {
        let [white, black, grey] = self.colours;
        let whole = Rectangle { x: 0, y: 0, width: WIDTH as u16, height: HEIGHT as u16 };
        self.colour(white)?;
        self.x.poly_fill_rectangle(self.id, self.pen, &[whole])?;
        for id in form.shown() {
            let Some(element) = form.elements.get(&id) else { continue };
            let place = rectangle(element.bounds);
            if element.checked || !element.enabled {
                self.colour(grey)?;
                self.x.poly_fill_rectangle(self.id, self.pen, &[place])?;
            }
            self.colour(black)?;
            self.x.poly_rectangle(self.id, self.pen, &[place])?;
        }
        self.x.flush()?;
        Ok(())
    }

    fn colour(&self, pixel: u32) -> Result<()> {
        self.x.change_gc(self.pen, &ChangeGCAux::new().foreground(pixel))?;
        Ok(())
    }
}

fn rectangle(bounds: Rect) -> Rectangle {
    Rectangle {
        x: bounds.x0 as i16,
        y: bounds.y0 as i16,
        width: bounds.width() as u16,
        height: bounds.height() as u16,
    }
}
