//! What only the X server knows: where an app's windows are on the screen, and the bus that a display names.

use crate::shadow::Shadow;
use stillpoint_core::tree::{NativeKey, Rect};
use x11rb::connection::Connection as _;
use x11rb::errors::ReplyError;
use x11rb::protocol::ErrorKind;
use x11rb::protocol::xproto::{Atom, AtomEnum, ConnectionExt as _, MapState, Window};
use x11rb::rust_connection::RustConnection;

/// The most bytes of a property that are read.
const PROPERTY_LIMIT: u32 = 4096;

/// What can go wrong between us and the X server.
pub(crate) type XResult<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// A window of an app on the screen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct XWindow {
    pub(crate) id: Window,
    pub(crate) title: String,
    /// Where the app's own content begins, shadows left out.
    pub(crate) area: Rect,
}

/// Connects to a display.
pub(crate) fn connect(display: &str) -> XResult<(RustConnection, Window)> {
    let (x, number) = RustConnection::connect(Some(display))?;
    let root = x.setup().roots.get(number).ok_or("the display has no such screen")?.root;
    Ok((x, root))
}

/// The accessibility bus that a display names in a property of its root window.
pub(crate) fn bus_of_display(display: &str) -> Option<String> {
    let read = || -> XResult<String> {
        let (x, root) = connect(display)?;
        let atom = atom(&x, "AT_SPI_BUS")?;
        text_property(&x, root, atom)
    };
    read().ok().filter(|address| !address.is_empty())
}

/// The visible windows of a process.
pub(crate) fn windows_of(display: &str, pid: u32) -> XResult<Vec<XWindow>> {
    let (x, root) = connect(display)?;
    let pid_atom = atom(&x, "_NET_WM_PID")?;
    let mut found = Vec::new();
    for window in candidates(&x, root)? {
        let seen = || -> XResult<Option<XWindow>> {
            let shows = number_property(&x, window, pid_atom)? == Some(pid)
                && x.get_window_attributes(window)?.reply()?.map_state == MapState::VIEWABLE;
            if shows { describe(&x, root, window).map(Some) } else { Ok(None) }
        };
        match seen() {
            Ok(window) => found.extend(window),
            // It was there when the windows were listed.
            Err(error) if is_gone(error.as_ref()) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

fn is_gone(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    let gone = [ErrorKind::Window, ErrorKind::Drawable];
    matches!(error.downcast_ref(), Some(ReplyError::X11Error(e)) if gone.contains(&e.error_kind))
}

/// The windows that the manager manages, and those that it does not: menus, popovers, tooltips.
fn candidates(x: &RustConnection, root: Window) -> XResult<Vec<Window>> {
    let list = atom(x, "_NET_CLIENT_LIST")?;
    let reply = x.get_property(false, root, list, AtomEnum::WINDOW, 0, PROPERTY_LIMIT)?.reply()?;
    let mut windows: Vec<Window> = reply.value32().map(Iterator::collect).unwrap_or_default();
    for child in x.query_tree(root)?.reply()?.children {
        if !windows.contains(&child) {
            windows.push(child);
        }
    }
    Ok(windows)
}

fn describe(x: &RustConnection, root: Window, window: Window) -> XResult<XWindow> {
    let size = x.get_geometry(window)?.reply()?;
    let place = x.translate_coordinates(window, root, 0, 0)?.reply()?;
    let extents = atom(x, "_GTK_FRAME_EXTENTS")?;
    let reply = x.get_property(false, window, extents, AtomEnum::CARDINAL, 0, 4)?.reply()?;
    let shadow: Vec<i32> = reply.value32().map(|v| v.map(|n| n as i32).collect()).unwrap_or_default();
    let [left, right, top, bottom] = shadow.try_into().unwrap_or([0; 4]);
    let title = text_property(x, window, atom(x, "_NET_WM_NAME")?)?;
    let area = Rect::new(
        i32::from(place.dst_x) + left,
        i32::from(place.dst_y) + top,
        i32::from(size.width) - left - right,
        i32::from(size.height) - top - bottom,
    );
    Ok(XWindow { id: window, title, area })
}

pub(crate) fn atom(x: &RustConnection, name: &str) -> XResult<Atom> {
    Ok(x.intern_atom(false, name.as_bytes())?.reply()?.atom)
}

fn text_property(x: &RustConnection, window: Window, property: Atom) -> XResult<String> {
    let reply = x.get_property(false, window, property, AtomEnum::ANY, 0, PROPERTY_LIMIT)?.reply()?;
    Ok(String::from_utf8_lossy(&reply.value).trim_end_matches('\0').to_owned())
}

fn number_property(x: &RustConnection, window: Window, property: Atom) -> XResult<Option<u32>> {
    let reply = x.get_property(false, window, property, AtomEnum::CARDINAL, 0, 1)?.reply()?;
    Ok(reply.value32().and_then(|mut values| values.next()))
}

/// Gives each accessible window the place of the X window that it is.
pub(crate) fn place(shadow: &mut Shadow, found: &[XWindow]) {
    let windows = shadow.nodes.get(&shadow.root).map(|root| root.facts.children.clone()).unwrap_or_default();
    for window in windows {
        let Some(entry) = shadow.nodes.get(&window) else { continue };
        let title = entry.facts.name.as_deref().unwrap_or_default();
        let size = entry.facts.extents.map(|r| (r.width, r.height));
        let Some(x_window) = best_match(found, title, size) else { continue };
        let origin = (x_window.area.x, x_window.area.y);
        if shadow.origins.insert(window, origin) != Some(origin) {
            let moved: Vec<NativeKey> = shadow.subtree(window);
            shadow.changed.extend(moved);
        }
    }
}

/// Whether each window of the app is one of these for sure, by its size.
pub(crate) fn knows_all(shadow: &Shadow, found: &[XWindow]) -> bool {
    if !shadow.dialect.window_relative {
        return true;
    }
    let windows =
        shadow.nodes.get(&shadow.root).map(|root| root.facts.children.as_slice()).unwrap_or_default();
    windows.iter().all(|window| {
        let size = shadow.nodes.get(window).and_then(|e| e.facts.extents).map(|r| (r.width, r.height));
        found.iter().any(|w| Some((w.area.width, w.area.height)) == size)
    })
}

/// The window with this title and size; with this size; with this title; the only one.
pub(crate) fn best_match<'a>(
    found: &'a [XWindow],
    title: &str,
    size: Option<(i32, i32)>,
) -> Option<&'a XWindow> {
    let sized =
        |w: &&XWindow| size.is_some_and(|(width, height)| (w.area.width, w.area.height) == (width, height));
    let titled = |w: &&XWindow| w.title == title;
    let only = || match found {
        [only] => Some(only),
        _ => None,
    };
    found
        .iter()
        .find(|w| titled(w) && sized(w))
        .or_else(|| found.iter().find(sized))
        .or_else(|| found.iter().find(titled))
        .or_else(only)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_goes_while_one_looks_is_passed_over() {
        use x11rb::protocol::xproto::{CreateWindowAux, WindowClass};
        let desktop = stillpoint_lab::Desktop::start().unwrap();
        let display = desktop.display();
        std::thread::scope(|scope| {
            let coming_and_going = scope.spawn(|| {
                let (x, root) = connect(&display).unwrap();
                for _ in 0..200 {
                    let windows: [Window; 20] = std::array::from_fn(|_| x.generate_id().unwrap());
                    for window in windows {
                        let (kind, aux) =
                            (WindowClass::INPUT_OUTPUT, CreateWindowAux::new().override_redirect(1));
                        let made = x.create_window(0, window, root, 0, 0, 9, 9, 0, kind, 0, &aux);
                        made.unwrap().check().unwrap();
                    }
                    for window in windows {
                        x.destroy_window(window).unwrap().check().unwrap();
                    }
                }
            });
            while !coming_and_going.is_finished() {
                windows_of(&display, 1).unwrap();
            }
        });
    }

    #[test]
    fn a_window_is_known_by_title_and_size_before_either_alone() {
        let window = |id, title: &str, width| XWindow {
            id,
            title: title.to_owned(),
            area: Rect::new(0, 0, width, 10),
        };
        let found = [window(1, "a", 100), window(2, "b", 100), window(3, "b", 200)];
        let id = |title, size| best_match(&found, title, size).map(|w| w.id);
        assert_eq!(id("b", Some((200, 10))), Some(3));
        assert_eq!(id("b", Some((100, 10))), Some(2));
        assert_eq!(id("c", Some((200, 10))), Some(3));
        assert_eq!(id("b", None), Some(2));
        assert_eq!(id("z", None), None);
    }
}
