//! The two buses: the session bus, and the accessibility bus that is found through it.

use crate::component::{Component, Recipe};
use crate::deadline::Deadline;
use crate::environment::Environment;
use crate::error::LabError;
use crate::places::Places;

/// Where distributions put the launcher of the accessibility bus; the first is Debian's.
const LAUNCHERS: &[&str] = &[
    "/usr/libexec/at-spi-bus-launcher",
    "/usr/lib/at-spi2-core/at-spi-bus-launcher",
    "/usr/lib/at-spi-bus-launcher",
];

/// Starts the session bus and returns it with its address once it listens.
pub(crate) fn start_session_bus(
    environment: &Environment,
    places: &Places,
    deadline: Deadline,
) -> Result<(Component, String), LabError> {
    let arguments = [
        "--session".to_owned(),
        "--nofork".to_owned(),
        "--nopidfile".to_owned(),
        "--nosyslog".to_owned(),
        "--print-address=1".to_owned(),
        format!("--address=unix:path={}", places.runtime().join("bus").display()),
    ];
    let recipe = Recipe {
        component: "the session bus (dbus-daemon)",
        program: "dbus-daemon",
        package: "dbus-daemon",
        arguments: &arguments,
    };
    let mut bus = Component::start(&recipe, environment, places)?;
    let address = bus.first_line("its address", deadline)?;
    if address.starts_with("unix:") { Ok((bus, address)) } else { Err(bus.nonsense("an address", &address)) }
}

/// Starts the accessibility bus and returns its launcher with the address it gives to applications.
pub(crate) fn start_accessibility_bus(
    session: &str,
    environment: &Environment,
    places: &Places,
    deadline: Deadline,
) -> Result<(Component, String), LabError> {
    let program = LAUNCHERS.iter().find(|path| std::path::Path::new(path).exists()).unwrap_or(&LAUNCHERS[0]);
    // Switched on from the start: AccessKit apps come to the bus only then.
    let arguments = ["--launch-immediately".to_owned(), "--a11y=1".to_owned()];
    let recipe = Recipe {
        component: "the accessibility bus (at-spi-bus-launcher)",
        program,
        package: "at-spi2-core",
        arguments: &arguments,
    };
    let launcher = Component::start(&recipe, environment, places)?;
    // Waiting for the name first: a call to a name that nobody owns yet would start a second launcher.
    let seconds = deadline.remaining().as_secs().max(1).to_string();
    let owned = ["wait", "--address", session, "--timeout", &seconds, "org.a11y.Bus"];
    ask(&owned, environment, places)?.answer("the name org.a11y.Bus on the session bus", deadline)?;
    let call = ["call", "--address", session, "--timeout", &seconds, "--dest", "org.a11y.Bus"]
        .into_iter()
        .chain(["--object-path", "/org/a11y/bus", "--method", "org.a11y.Bus.GetAddress"])
        .collect::<Vec<_>>();
    let reply = ask(&call, environment, places)?.answer("an answer to org.a11y.Bus.GetAddress", deadline)?;
    match address_in(&reply) {
        Some(address) => Ok((launcher, address)),
        None => Err(launcher.nonsense("the address of the accessibility bus", reply.trim())),
    }
}

fn ask(arguments: &[&str], environment: &Environment, places: &Places) -> Result<Component, LabError> {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let recipe = Recipe {
        component: "the accessibility bus (asked with gdbus)",
        program: "gdbus",
        package: "libglib2.0-bin",
        arguments: &arguments,
    };
    Component::start(&recipe, environment, places)
}

/// The string in a reply that gdbus prints as `('unix:path=…',)`.
fn address_in(reply: &str) -> Option<String> {
    let address = reply.trim().strip_prefix("('")?.strip_suffix("',)")?;
    address.starts_with("unix:").then(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_taken_out_of_the_reply() {
        assert_eq!(address_in("('unix:path=/run/at-spi/bus_7',)\n").unwrap(), "unix:path=/run/at-spi/bus_7");
    }

    #[test]
    fn an_empty_address_is_no_address() {
        assert_eq!(address_in("('',)"), None);
        assert_eq!(address_in("Error: nothing"), None);
    }
}
