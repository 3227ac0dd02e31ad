//! Pictures of a window or an element, as the screen shows them.

use crate::connect::AtspiBackend;
use crate::session::{Command, Found};
use crate::windows::{self, XResult, XWindow, best_match};
use stillpoint_core::tree::{NativeKey, Rect};
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::{Deadline, unsupported};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, ImageOrder, Window};
use x11rb::rust_connection::RustConnection;

impl AtspiBackend {
    /// A PNG of an element, or of the window in front.
    pub(crate) async fn picture(&self, of: Option<NativeKey>, deadline: Deadline) -> Result<Vec<u8>> {
        let Some(display) = self.display.clone() else {
            return Err(unsupported("screenshots without a display"));
        };
        let places = if let Some(key) = of {
            let bounds = self.find(key, deadline).await?.bounds;
            bounds.map(|bounds| Place { bounds, title: None }).into_iter().collect()
        } else {
            let windows = self.request("the app's windows", Command::Windows, deadline).await?;
            let place =
                |w: Found| Some(Place { bounds: w.bounds?, title: Some(w.window_name.unwrap_or_default()) });
            windows.into_iter().filter_map(place).collect::<Vec<_>>()
        };
        if places.is_empty() {
            return Err(Error::new(
                Code::NotActionable,
                "there is nothing of it on the screen",
                "bring it into view first",
            ));
        }
        let pid = self.pid;
        let work = tokio::task::spawn_blocking(move || grab_first(&display, pid, &places));
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

/// Where something is by the app's own word, and its title if it is a window.
struct Place {
    bounds: Rect,
    title: Option<String>,
}

/// What the screen shows of the first that is on it, as PNG. Toolkits park windows of their own outside, such as the
/// picture of what is dragged.
fn grab_first(display: &str, pid: u32, places: &[Place]) -> XResult<Vec<u8>> {
    let (x, root) = windows::connect(display)?;
    let size = x.get_geometry(root)?.reply()?;
    let screen = Rect::new(0, 0, i32::from(size.width), i32::from(size.height));
    let found = windows::windows_of(display, pid)?;
    let visible = first_on_screen(places, &found, screen).ok_or("it lies outside of the screen")?;
    grab(&x, root, visible)
}

/// The part on the screen of the first that has one. Where the X server knows a window, its word counts.
fn first_on_screen(places: &[Place], found: &[XWindow], screen: Rect) -> Option<Rect> {
    places.iter().find_map(|place| {
        let size = Some((place.bounds.width, place.bounds.height));
        let window = place.title.as_ref().and_then(|title| best_match(found, title, size));
        window.map_or(place.bounds, |window| window.area).intersection(screen).filter(|r| r.has_area())
    })
}

/// What the screen shows in `area`, which lies on it, as PNG.
fn grab(x: &RustConnection, root: Window, area: Rect) -> XResult<Vec<u8>> {
    let image = x
        .get_image(
            ImageFormat::Z_PIXMAP,
            root,
            area.x as i16,
            area.y as i16,
            area.width as u16,
            area.height as u16,
            u32::MAX,
        )?
        .reply()?;
    let pixels = rgb(x, &image.data, image.depth, area.width as usize, area.height as usize)?;
    encode(&pixels, area.width as u32, area.height as u32)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_window_that_is_on_the_screen_is_taken_and_the_servers_word_counts() {
        let screen = Rect::new(0, 0, 1280, 800);
        let place = |x, title: Option<&str>| Place {
            bounds: Rect::new(x, 0, 100, 50),
            title: title.map(str::to_owned),
        };
        let window =
            |x, title: &str| XWindow { id: 1, title: title.to_owned(), area: Rect::new(x, 10, 100, 50) };
        let parked = place(-1000, Some(""));
        let main = || place(0, Some("Main"));
        let taken = |places: &[Place], found: &[XWindow]| first_on_screen(places, found, screen);
        let found = [window(-1000, ""), window(200, "Main")];
        assert_eq!(taken(&[parked, main()], &found), Some(Rect::new(200, 10, 100, 50)));
        assert_eq!(taken(&[main()], &[]), Some(Rect::new(0, 0, 100, 50)));
        assert_eq!(taken(&[place(1230, None)], &found), Some(Rect::new(1230, 0, 50, 50)));
        assert_eq!(taken(&[place(1280, None)], &found), None);
    }
}
