//! The window manager: openbox with a configuration of our own, so that no key is taken from the apps.

use crate::component::{Component, Recipe};
use crate::deadline::Deadline;
use crate::environment::Environment;
use crate::error::LabError;
use crate::places::Places;
use std::fs;
use std::os::fd::AsFd;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ChangeWindowAttributesAux, ConnectionExt, EventMask};

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

/// Starts openbox and returns it once it manages the display.
pub(crate) fn start(
    display: u32,
    environment: &Environment,
    places: &Places,
    deadline: Deadline,
) -> Result<Component, LabError> {
    const AWAITED: &str = "_NET_SUPPORTING_WM_CHECK on the root window";
    let failed = |doing| move |reason: String| LabError::Display { display, doing, reason };
    let configuration = places.root.join("openbox.xml");
    fs::write(&configuration, CONFIGURATION)
        .map_err(LabError::file(format!("writing {}", configuration.display())))?;

    // Listening starts before openbox does, so its sign cannot be missed.
    let (connection, screen) = x11rb::connect(Some(&format!(":{display}")))
        .map_err(|error| failed("connecting")(error.to_string()))?;
    let root = connection.setup().roots[screen].root;
    let listening = || -> Result<u32, Box<dyn std::error::Error>> {
        let attributes = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        connection.change_window_attributes(root, &attributes)?.check()?;
        Ok(connection.intern_atom(false, b"_NET_SUPPORTING_WM_CHECK")?.reply()?.atom)
    };
    let sign = listening().map_err(|error| failed("watching the root window")(error.to_string()))?;

    let arguments = ["--sm-disable", "--config-file", &configuration.to_string_lossy()].map(str::to_owned);
    let recipe = Recipe {
        component: "the window manager (openbox)",
        program: "openbox",
        package: "openbox",
        arguments: &arguments,
    };
    let mut manager = Component::start(&recipe, environment, places)?;
    loop {
        let managed = || -> Result<bool, Box<dyn std::error::Error>> {
            // Events that are already read are taken first: the descriptor no longer announces them.
            while connection.poll_for_event()?.is_some() {}
            let owner = connection.get_property(false, root, sign, AtomEnum::WINDOW, 0, 1)?.reply()?;
            Ok(owner.value32().is_some_and(|mut windows| windows.any(|window| window != 0)))
        };
        if managed().map_err(|error| failed("asking for the window manager")(error.to_string()))? {
            return Ok(manager);
        }
        // The property's reply may have brought events along; those are as good as a readable socket.
        if connection.poll_for_event().map_err(|error| failed("reading events")(error.to_string()))?.is_some()
        {
            continue;
        }
        let ready = deadline
            .readable([connection.stream().as_fd(), manager.process().as_fd()])
            .map_err(|error| failed("waiting for events")(error.to_string()))?;
        if ready.is_empty() {
            return Err(manager.late(AWAITED, deadline));
        }
        if ready.contains(&1) {
            return Err(manager.ended(AWAITED));
        }
    }
}
