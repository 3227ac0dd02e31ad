//! The accessibility bus: where it is, how to reach it, and single calls over it with a deadline.

use crate::object::Object;
use std::num::NonZeroUsize;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::Deadline;
use zbus::connection::Builder;
use zbus::{Connection, DynamicType, Message, Type};

pub(crate) const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
pub(crate) const APPLICATION: &str = "org.a11y.atspi.Application";
pub(crate) const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
pub(crate) const REGISTRY: &str = "org.a11y.atspi.Registry";
const REGISTRY_PATH: &str = "/org/a11y/atspi/registry";
const DBUS: &str = "org.freedesktop.DBus";
const DBUS_PATH: &str = "/org/freedesktop/DBus";

/// How many messages may wait for the mirror before the bus has to hold them back.
const QUEUED: NonZeroUsize = NonZeroUsize::new(8192).expect("not zero");

/// Which desktop is meant. Empty fields are found out.
#[derive(Clone, Debug, Default)]
pub struct Desktop {
    /// Address of the accessibility bus.
    pub accessibility_bus: Option<String>,
    /// Address of the session bus.
    pub session_bus: Option<String>,
    /// The X display, as in `:0`.
    pub display: Option<String>,
}

impl Desktop {
    /// The desktop that this process belongs to.
    pub fn from_env() -> Self {
        let set = |name| std::env::var(name).ok().filter(|v: &String| !v.is_empty());
        Desktop {
            accessibility_bus: set("AT_SPI_BUS_ADDRESS"),
            session_bus: set("DBUS_SESSION_BUS_ADDRESS"),
            display: set("DISPLAY"),
        }
    }

    /// Finds the accessibility bus: told, else asked for on the session bus, else read from the display.
    pub(crate) async fn find_bus(&self, deadline: Deadline) -> Result<String> {
        if let Some(address) = &self.accessibility_bus {
            return Ok(address.clone());
        }
        let asked = match &self.session_bus {
            Some(session) => ask_session_bus(session, deadline).await,
            None => Err(no_bus("there is no session bus (DBUS_SESSION_BUS_ADDRESS is not set)")),
        };
        match (asked, &self.display) {
            (Err(error), Some(display)) => {
                let display = display.clone();
                let read =
                    tokio::task::spawn_blocking(move || crate::windows::bus_of_display(&display)).await;
                read.ok().flatten().ok_or(error)
            }
            (asked, _) => asked,
        }
    }

    /// Connects to the accessibility bus.
    pub(crate) async fn connect(&self, deadline: Deadline) -> Result<Connection> {
        let address = self.find_bus(deadline).await?;
        deadline.bound("connecting to the accessibility bus", connect_to(&address)).await
    }
}

async fn connect_to(address: &str) -> Result<Connection> {
    Builder::address(address)
        .max_queued(QUEUED)
        .build()
        .await
        .map_err(|error| no_bus(format!("the accessibility bus at {address} cannot be reached: {error}")))
}

/// Connects to an app's own socket.
pub(crate) async fn connect_to_peer(address: &str) -> zbus::Result<Connection> {
    Builder::address(address).p2p().max_queued(QUEUED).build().await
}

async fn ask_session_bus(address: &str, deadline: Deadline) -> Result<String> {
    let ask = async {
        let session = Builder::address(address).build().await?;
        let reply = session
            .call_method(Some("org.a11y.Bus"), "/org/a11y/bus", Some("org.a11y.Bus"), "GetAddress", &())
            .await?;
        reply.body().deserialize::<String>()
    };
    deadline
        .bound("the session bus was asked for the accessibility bus", async {
            ask.await.map_err(|error: zbus::Error| {
                no_bus(format!("the session bus knows no accessibility bus: {error}"))
            })
        })
        .await
}

fn no_bus(message: impl Into<String>) -> Error {
    Error::new(
        Code::TargetNotFound,
        message,
        "start the app in a desktop session with at-spi2-core installed, or use `stillpoint desktop run -- CMD`",
    )
}

/// Makes a call message.
pub(crate) fn message<B>(object: &Object, interface: &str, member: &str, body: &B) -> zbus::Result<Message>
where
    B: serde::Serialize + DynamicType,
{
    Message::method_call(&*object.path, member).destination(&*object.name).interface(interface).build(body)
}

/// One call with its reply, within the deadline.
pub(crate) async fn call<B>(
    bus: &Connection,
    object: &Object,
    interface: &str,
    member: &str,
    body: &B,
    deadline: Deadline,
) -> Result<Message>
where
    B: serde::Serialize + DynamicType,
{
    let work = async {
        bus.call_method(Some(&*object.name), &*object.path, Some(interface), member, body)
            .await
            .map_err(|error| told(member, &error))
    };
    deadline.bound(member, work).await
}

/// One call whose answer is decoded.
pub(crate) async fn ask<B, R>(
    bus: &Connection,
    object: &Object,
    interface: &str,
    member: &str,
    body: &B,
    deadline: Deadline,
) -> Result<R>
where
    B: serde::Serialize + DynamicType,
    R: serde::de::DeserializeOwned + Type,
{
    let reply = call(bus, object, interface, member, body, deadline).await?;
    reply.body().deserialize().map_err(|error| told(member, &error))
}

/// Reads a property.
pub(crate) async fn property<T>(
    bus: &Connection,
    object: &Object,
    interface: &str,
    name: &str,
    deadline: Deadline,
) -> Result<T>
where
    T: TryFrom<zbus::OwnedVariant, Error = zbus::Error>,
{
    let value: zbus::OwnedVariant = ask(bus, object, PROPERTIES, "Get", &(interface, name), deadline).await?;
    T::try_from(value).map_err(|error| told(name, &error))
}

/// A failed call in the words of SPEC §13.
pub(crate) fn told(what: &str, error: &zbus::Error) -> Error {
    use zbus::fdo;
    let message = format!("{what}: {error}");
    match error {
        zbus::Error::FDO(inner) => match **inner {
            fdo::Error::ServiceUnknown(_)
            | fdo::Error::NameHasNoOwner(_)
            | fdo::Error::NoReply(_)
            | fdo::Error::Disconnected(_) => lost(message),
            fdo::Error::UnknownObject(_) | fdo::Error::UnknownMethod(_) | fdo::Error::UnknownInterface(_) => {
                Error::new(
                    Code::StaleReference,
                    message,
                    "the element is gone or cannot do this; take a new snapshot",
                )
            }
            fdo::Error::AccessDenied(_) => {
                Error::new(Code::PermissionDenied, message, "run Stillpoint as the user who runs the app")
            }
            _ => rejected(message),
        },
        zbus::Error::MethodError(..) => rejected(message),
        zbus::Error::InputOutput(_) | zbus::Error::Connection(..) => lost(message),
        _ => Error::new(Code::Protocol, message, "the app answered something that AT-SPI does not define"),
    }
}

fn rejected(message: String) -> Error {
    Error::new(Code::ActionRejected, message, "the app refused the call; see its message")
}

/// The app is gone.
pub(crate) fn lost(message: impl Into<String>) -> Error {
    Error::new(Code::TargetLost, message, "the app ended or left the bus; start it again and attach anew")
}

/// The process behind a name on the bus.
pub(crate) async fn pid_of(bus: &Connection, name: &str, deadline: Deadline) -> Result<u32> {
    ask(bus, &Object::new(DBUS, DBUS_PATH), DBUS, "GetConnectionUnixProcessID", &name, deadline).await
}

/// The roots of all apps that the registry knows.
pub(crate) async fn registered_apps(bus: &Connection, deadline: Deadline) -> Result<Vec<Object>> {
    let desktop = Object::root_of(REGISTRY);
    let children: Vec<(String, zbus::OwnedObjectPath)> =
        ask(bus, &desktop, ACCESSIBLE, "GetChildren", &(), deadline).await?;
    let apps = children.into_iter().map(|(name, path)| Object::new(&name, path.as_str()));
    Ok(apps.filter(|app| !app.is_null()).collect())
}

/// Asks for word of apps that come to the registry.
pub(crate) async fn listen_for_apps(bus: &Connection, deadline: Deadline) -> Result<()> {
    let daemon = Object::new(DBUS, DBUS_PATH);
    let rules = [
        format!("type='signal',sender='{REGISTRY}',member='ChildrenChanged'"),
        format!("type='signal',sender='{DBUS}',interface='{DBUS}',member='NameOwnerChanged'"),
    ];
    let matched = rules.iter().map(|rule| call(bus, &daemon, DBUS, "AddMatch", rule, deadline));
    futures_util::future::try_join_all(matched).await?;
    Ok(())
}

/// Whether a message may mean that another app is there.
pub(crate) fn tells_of_an_app(message: &Message) -> bool {
    let header = message.header();
    let member = header.member().map(zbus::names::MemberName::as_str);
    matches!(member, Some("ChildrenChanged" | "NameOwnerChanged"))
}

/// What is listened to. The registry is told first, so that apps start to emit; then the bus, so that they reach us.
const EVENTS: [&str; 4] = ["object:", "window:", "focus:", "document:"];
const EVENT_INTERFACES: [&str; 4] = ["Object", "Window", "Focus", "Document"];

/// Asks for every event of one app, and for word of its end.
pub(crate) async fn listen(bus: &Connection, app: &str, deadline: Deadline) -> Result<()> {
    let daemon = Object::new(DBUS, DBUS_PATH);
    let registry = Object::new(REGISTRY, REGISTRY_PATH);
    let rules = EVENT_INTERFACES
        .map(|kind| format!("type='signal',sender='{app}',interface='org.a11y.atspi.Event.{kind}'"))
        .into_iter()
        .chain([format!(
            "type='signal',sender='{DBUS}',interface='{DBUS}',member='NameOwnerChanged',arg0='{app}'"
        )]);
    let rules: Vec<String> = rules.collect();
    let matched = rules.iter().map(|rule| call(bus, &daemon, DBUS, "AddMatch", rule, deadline));
    let nothing: &[&str] = &[];
    let bodies: Vec<_> = EVENTS.iter().map(|event| (*event, nothing, app)).collect();
    let registered =
        bodies.iter().map(|body| call(bus, &registry, REGISTRY, "RegisterEvent", body, deadline));
    futures_util::future::try_join(
        futures_util::future::try_join_all(matched),
        futures_util::future::try_join_all(registered),
    )
    .await?;
    Ok(())
}
