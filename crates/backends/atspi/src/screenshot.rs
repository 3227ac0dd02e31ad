//! Pictures of a window or an element, as the screen shows them.

use crate::connect::AtspiBackend;
use crate::session::Command;
use crate::windows::{self, XResult, best_match};
use stillpoint_core::tree::{NativeKey, Rect};
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::{Deadline, unsupported};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, ImageOrder};
use x11rb::rust_connection::RustConnection;

impl AtspiBackend {
    /// A PNG of an element, or of the window in front.
    pub(crate) async fn picture(&self, of: Option<NativeKey>, deadline: Deadline) -> Result<Vec<u8>> {
        let Some(display) = self.display.clone() else {
            return Err(unsupported("screenshots without a display"));
        };
        let (area, title) = if let Some(key) = of {
            (self.find(key, deadline).await?.bounds, None)
        } else {
            let windows = self.request("the app's windows", Command::Windows, deadline).await?;
            let front = windows.into_iter().find(|w| w.bounds.is_some());
            let title = front.as_ref().and_then(|w| w.window_name.clone()).unwrap_or_default();
            (front.and_then(|w| w.bounds), Some(title))
        };
        let Some(area) = area else {
            return Err(Error::new(
                Code::NotActionable,
                "there is nothing of it on the screen",
                "bring it into view first",
            ));
        };
        let pid = self.pid;
        let work = tokio::task::spawn_blocking(move || {
            let area = title.and_then(|title| window_area(&display, pid, &title, area)).unwrap_or(area);
            grab(&display, area)
        });
        deadline
            .bound("a picture of the screen", async {
                match work.await {
                    Ok(Ok(png)) => Ok(png),
                    Ok(Err(error)) => Err(Error::new(
                        Code::Unsupported,
                        format!("the screen cannot be read: {error}"),
                        "`stillpoint doctor` looks at the display",
                    )),
                    Err(error) => Err(Error::internal(format!("reading the screen: {error}"))),
                }
            })
            .await
    }
}

fn window_area(display: &str, pid: u32, title: &str, area: Rect) -> Option<Rect> {
    let found = windows::windows_of(display, pid).ok()?;
    best_match(&found, title, Some((area.width, area.height))).map(|window| window.area)
}

/// What the screen shows in `area`, as PNG.
fn grab(display: &str, area: Rect) -> XResult<Vec<u8>> {
    let (x, root) = windows::connect(display)?;
    let screen = x.get_geometry(root)?.reply()?;
    let left = area.x.clamp(0, i32::from(screen.width));
    let top = area.y.clamp(0, i32::from(screen.height));
    let width = area.x.saturating_add(area.width).clamp(left, i32::from(screen.width)) - left;
    let height = area.y.saturating_add(area.height).clamp(top, i32::from(screen.height)) - top;
    if width == 0 || height == 0 {
        return Err("it lies outside of the screen".into());
    }
    let image = x
        .get_image(
            ImageFormat::Z_PIXMAP,
            root,
            left as i16,
            top as i16,
            width as u16,
            height as u16,
            u32::MAX,
        )?
        .reply()?;
    let pixels = rgb(&x, &image.data, image.depth, width as usize, height as usize)?;
    encode(&pixels, width as u32, height as u32)
}

/// Pixels as red, green, blue.
fn rgb(x: &RustConnection, data: &[u8], depth: u8, width: usize, height: usize) -> XResult<Vec<u8>> {
    let formats = &x.setup().pixmap_formats;
    let format =
        formats.iter().find(|f| f.depth == depth).ok_or("the display has no format for its own pixels")?;
    if format.bits_per_pixel != 32 {
        return Err(format!("{} bits per pixel are not supported", format.bits_per_pixel).into());
    }
    let little = x.setup().image_byte_order == ImageOrder::LSB_FIRST;
    let mut pixels = Vec::with_capacity(width * height * 3);
    for pixel in data.chunks_exact(4).take(width * height) {
        let [red, green, blue] =
            if little { [pixel[2], pixel[1], pixel[0]] } else { [pixel[1], pixel[2], pixel[3]] };
        pixels.extend([red, green, blue]);
    }
    Ok(pixels)
}

fn encode(pixels: &[u8], width: u32, height: u32) -> XResult<Vec<u8>> {
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(png)
}
