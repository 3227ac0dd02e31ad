//! Looking at a display: its windows, and pictures of it.

use crate::error::LabError;
use std::error::Error;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{Atom, AtomEnum, ConnectionExt, ImageFormat, ImageOrder};
use x11rb::rust_connection::RustConnection;

type XResult<T> = Result<T, Box<dyn Error>>;

/// A connection to the X server of a desktop.
pub struct Screen {
    connection: RustConnection,
    root: u32,
    size: (u16, u16),
    display: u32,
}

/// A top-level window, as the window manager lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Its X id.
    pub id: u32,
    /// The process that says it owns the window.
    pub pid: Option<u32>,
    /// Its title.
    pub title: String,
    /// Left edge of its content on the screen.
    pub x: i32,
    /// Upper edge of its content on the screen.
    pub y: i32,
    /// Width of its content.
    pub width: u32,
    /// Height of its content.
    pub height: u32,
}

impl Screen {
    pub(crate) fn connect(display: u32) -> Result<Self, LabError> {
        let (connection, number) = x11rb::connect(Some(&format!(":{display}")))
            .map_err(|error| LabError::display(display, "connecting", error))?;
        let screen = &connection.setup().roots[number];
        let (root, size) = (screen.root, (screen.width_in_pixels, screen.height_in_pixels));
        Ok(Self { connection, root, size, display })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// The whole screen as PNG.
    pub fn screenshot(&self) -> Result<Vec<u8>, LabError> {
        self.picture(0, 0, self.size.0, self.size.1)
            .map_err(|error| LabError::display(self.display, "taking a screenshot", error))
    }

    /// What the screen shows where this window is, as PNG; parts outside the screen are left out.
    pub fn screenshot_window(&self, window: u32) -> Result<Vec<u8>, LabError> {
        let taken = || -> XResult<Vec<u8>> {
            let (x, y, width, height) = self.place(window)?;
            let (left, top) = (x.max(0), y.max(0));
            let right = (x + width as i32).min(i32::from(self.size.0));
            let bottom = (y + height as i32).min(i32::from(self.size.1));
            if right <= left || bottom <= top {
                return Err("the window is outside the screen".into());
            }
            self.picture(left as i16, top as i16, (right - left) as u16, (bottom - top) as u16)
        };
        taken().map_err(|error| LabError::display(self.display, "taking a picture of a window", error))
    }

    /// The windows that the window manager manages, oldest first.
    pub fn windows(&self) -> Result<Vec<Window>, LabError> {
        let listed = || -> XResult<Vec<Window>> {
            let list = self.numbers(self.root, b"_NET_CLIENT_LIST", AtomEnum::WINDOW.into())?;
            // A window may vanish between the list and the look at it.
            Ok(list.into_iter().filter_map(|id| self.describe(id).ok()).collect())
        };
        listed().map_err(|error| LabError::display(self.display, "listing windows", error))
    }

    fn describe(&self, id: u32) -> XResult<Window> {
        let pid = self.numbers(id, b"_NET_WM_PID", AtomEnum::CARDINAL.into())?.first().copied();
        let (name, utf8) = (self.atom(b"_NET_WM_NAME")?, self.atom(b"UTF8_STRING")?);
        let title = self.connection.get_property(false, id, name, utf8, 0, 1024)?.reply()?.value;
        let (x, y, width, height) = self.place(id)?;
        Ok(Window { id, pid, title: String::from_utf8_lossy(&title).into_owned(), x, y, width, height })
    }

    fn place(&self, window: u32) -> XResult<(i32, i32, u32, u32)> {
        let geometry = self.connection.get_geometry(window)?.reply()?;
        let corner = self.connection.translate_coordinates(window, self.root, 0, 0)?.reply()?;
        let (x, y) = (i32::from(corner.dst_x), i32::from(corner.dst_y));
        Ok((x, y, u32::from(geometry.width), u32::from(geometry.height)))
    }

    fn numbers(&self, window: u32, property: &[u8], kind: Atom) -> XResult<Vec<u32>> {
        let property = self.atom(property)?;
        let reply = self.connection.get_property(false, window, property, kind, 0, 4096)?.reply()?;
        Ok(reply.value32().into_iter().flatten().collect())
    }

    fn atom(&self, name: &[u8]) -> XResult<Atom> {
        Ok(self.connection.intern_atom(false, name)?.reply()?.atom)
    }

    fn picture(&self, x: i16, y: i16, width: u16, height: u16) -> XResult<Vec<u8>> {
        let image =
            self.connection.get_image(ImageFormat::Z_PIXMAP, self.root, x, y, width, height, !0)?.reply()?;
        if image.depth != 24 || self.connection.setup().image_byte_order != ImageOrder::LSB_FIRST {
            return Err(format!("depth {} in this byte order is not supported", image.depth).into());
        }
        // Depth 24 comes as blue, green, red and one unused byte.
        let pixels: Vec<u8> =
            image.data.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, u32::from(width), u32::from(height));
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&pixels)?;
        writer.finish()?;
        Ok(file)
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Screen")
            .field("display", &self.display)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}
