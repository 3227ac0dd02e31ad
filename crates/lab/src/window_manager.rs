//! The window manager: openbox with a configuration of our own, so that no key is taken from the apps.

use crate::component::{Component, Recipe};
use crate::deadline::Deadline;
use crate::environment::Environment;
use crate::error::LabError;
use crate::places::Places;
use std::cell::Cell;
use std::fs;
use std::os::fd::AsFd;
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask,
    Window, WindowClass,
};
use x11rb::{COPY_DEPTH_FROM_PARENT, COPY_FROM_PARENT};

/// Click focuses and raises, the title bar drags, new windows get the focus, and no keyboard binding.
const CONFIGURATION: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew><followMouse>no</followMouse></focus>
  <placement><policy>Smart</policy><center>yes</center></placement>
  <theme><name>Clearlooks</name><animateIconify>no</animateIconify></theme>
  <desktops><number>1</number><popupTime>0</popupTime></desktops>
  <keyboard/>
  <mouse>
    <context name="Client">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
    </context>
    <context name="Titlebar">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Left" action="Drag"><action name="Move"/></mousebind>
    </context>
    <context name="Close">
      <mousebind button="Left" action="Click"><action name="Close"/></mousebind>
    </context>
  </mouse>
</openbox_config>
"#;

/// An unanswered question is asked again after so long.
const ASK_AGAIN: Duration = Duration::from_millis(20);

/// Starts openbox and returns it once it manages the display.
///
/// It says that it is there long before it listens, and what apps ask meanwhile it throws away: a window that was mapped then
/// never showed, in one start of a hundred on a busy machine. So it is asked for the frame of a window of ours until it answers;
/// nothing tells when it has begun to listen. Then it is asked for another window's, once: with questions still in
/// its queue when our window was gone, the first app's window, which gets the same number, came out one pixel large in some starts of a hundred.
pub(crate) fn start(
    display: u32,
    environment: &Environment,
    places: &Places,
    deadline: Deadline,
) -> Result<Component, LabError> {
    const AWAITED: &str = "an answer about the frame of a window";
    let failed = |doing| move |reason: String| LabError::Display { display, doing, reason };
    let configuration = places.root.join("openbox.xml");
    fs::write(&configuration, CONFIGURATION)
        .map_err(LabError::file(format!("writing {}", configuration.display())))?;

    // Listening starts before openbox does, so its sign cannot be missed.
    let (connection, screen) = x11rb::connect(Some(&format!(":{display}")))
        .map_err(|error| failed("connecting")(error.to_string()))?;
    let root = connection.setup().roots[screen].root;
    let question = Question::prepare(&connection, root)
        .map_err(|error| failed("watching the root window")(error.to_string()))?;

    let arguments = ["--sm-disable", "--config-file", &configuration.to_string_lossy()].map(str::to_owned);
    let recipe = Recipe {
        component: "the window manager (openbox)",
        program: "openbox",
        package: "openbox",
        arguments: &arguments,
    };
    let mut manager = Component::start(&recipe, environment, places)?;
    loop {
        let answered = || -> Result<bool, Box<dyn std::error::Error>> {
            // Events that are already read are taken first: the descriptor no longer announces them.
            while connection.poll_for_event()?.is_some() {}
            question.is_answered()
        };
        if answered().map_err(|error| failed("asking for the window manager")(error.to_string()))? {
            return Ok(manager);
        }
        // The property's reply may have brought events along; those are as good as a readable socket.
        if connection.poll_for_event().map_err(|error| failed("reading events")(error.to_string()))?.is_some()
        {
            continue;
        }
        let ready = deadline
            .or_after(ASK_AGAIN)
            .readable([connection.stream().as_fd(), manager.process().as_fd()])
            .map_err(|error| failed("waiting for events")(error.to_string()))?;
        if ready.is_empty() && deadline.remaining().is_zero() {
            return Err(manager.late(AWAITED, deadline));
        }
        if ready.contains(&1) {
            return Err(manager.ended(AWAITED));
        }
    }
}

/// A question that only a window manager with a running loop answers: what frame a window of ours would get. The first window's is asked
/// again and again, the last one's once, and its answer comes behind all others.
struct Question<'a, C: Connection> {
    connection: &'a C,
    root: Window,
    first: Window,
    last: Window,
    is_last_asked: Cell<bool>,
    is_there: Atom,
    request: Atom,
    answer: Atom,
}

impl<'a, C: Connection> Question<'a, C> {
    /// Makes the windows, and listens to what is told on them and on the root.
    fn prepare(connection: &'a C, root: Window) -> Result<Self, Box<dyn std::error::Error>> {
        let listening = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        connection.change_window_attributes(root, &listening)?.check()?;
        let settings = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        let make = || -> Result<Window, Box<dyn std::error::Error>> {
            let window = connection.generate_id()?;
            let (class, depth, visual) = (WindowClass::INPUT_ONLY, COPY_DEPTH_FROM_PARENT, COPY_FROM_PARENT);
            connection
                .create_window(depth, window, root, 0, 0, 1, 1, 0, class, visual, &settings)?
                .check()?;
            Ok(window)
        };
        let atom = |name: &[u8]| -> Result<Atom, Box<dyn std::error::Error>> {
            Ok(connection.intern_atom(false, name)?.reply()?.atom)
        };
        Ok(Question {
            connection,
            root,
            first: make()?,
            last: make()?,
            is_last_asked: Cell::new(false),
            is_there: atom(b"_NET_SUPPORTING_WM_CHECK")?,
            request: atom(b"_NET_REQUEST_FRAME_EXTENTS")?,
            answer: atom(b"_NET_FRAME_EXTENTS")?,
        })
    }

    /// Whether the last answer is there; asks if not. The windows go with the connection.
    fn is_answered(&self) -> Result<bool, Box<dyn std::error::Error>> {
        let length = |of: Window, property: Atom| -> Result<u32, Box<dyn std::error::Error>> {
            Ok(self.connection.get_property(false, of, property, AtomEnum::ANY, 0, 4)?.reply()?.value_len)
        };
        if length(self.root, self.is_there)? == 0 {
            return Ok(false);
        }
        if length(self.first, self.answer)? == 0 {
            self.ask(self.first)?;
        } else if !self.is_last_asked.replace(true) {
            self.ask(self.last)?;
        } else {
            return Ok(length(self.last, self.answer)? > 0);
        }
        Ok(false)
    }

    fn ask(&self, window: Window) -> Result<(), Box<dyn std::error::Error>> {
        let asked = ClientMessageEvent::new(32, window, self.request, [0; 5]);
        let to = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
        self.connection.send_event(false, self.root, to, asked)?;
        self.connection.flush()?;
        Ok(())
    }
}
