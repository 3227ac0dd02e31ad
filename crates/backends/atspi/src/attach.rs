//! Finding the app, and its first tree.

use crate::bus::{self, ACCESSIBLE, APPLICATION};
use crate::cache::{self, CACHE, CACHE_PATH, Cache};
use crate::object::Object;
use crate::process;
use crate::read::Dialect;
use crate::session::WINDOW;
use crate::shadow::Shadow;
use crate::sockets::Sockets;
use futures_util::{StreamExt, future};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::tree::Limits;
use stillpoint_core::{Code, Error, Result, Target};
use stillpoint_engine::backend::{Deadline, TargetInfo};
use zbus::{Connection, MessageStream};

/// A stopped app must not delay the search for another one.
const PATIENCE_PER_APP: Duration = Duration::from_millis(500);

/// An app on the bus.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) root: Object,
    pub(crate) pid: u32,
    /// As it calls itself; empty if it does not answer.
    pub(crate) name: String,
}

impl App {
    fn is_called(&self, name: &str) -> bool {
        self.name == name || process::names_of(self.pid).iter().any(|n| n == name)
    }

    fn target(&self) -> String {
        format!("app:pid={}", self.pid)
    }
}

/// Every app on the bus. One that does not answer has no name, but is there.
pub(crate) async fn apps(bus: &Connection, deadline: Deadline) -> Result<Vec<App>> {
    let roots = bus::registered_apps(bus, deadline).await?;
    let looked_up = roots.into_iter().map(|root| async move {
        let pid = bus::pid_of(bus, &root.name, deadline).await;
        let patience = deadline.or_after(PATIENCE_PER_APP);
        let name = bus::property::<String>(bus, &root, ACCESSIBLE, "Name", patience).await;
        (root, pid, name)
    });
    let mut apps = Vec::new();
    for (root, pid, name) in future::join_all(looked_up).await {
        match pid {
            Ok(pid) => apps.push(App { root, pid, name: name.unwrap_or_default() }),
            // It left between the two calls.
            Err(error) => tracing::debug!(%error, app = %root.name, "an app left while it was looked at"),
        }
    }
    Ok(apps)
}

/// How long a process that runs may take to come to the bus.
const STARTING: Duration = Duration::from_secs(5);

/// Waits for an app that runs and has not come to the bus yet: it may be starting.
pub(crate) async fn await_app(bus: &Connection, target: &Target, deadline: Deadline) -> Result<App> {
    let patience = deadline.or_after(STARTING);
    let mut news = MessageStream::from(bus);
    bus::listen_for_apps(bus, deadline).await?;
    loop {
        match find(bus, target, deadline).await {
            Err(error) if error.code == Code::HierarchyEmpty && !patience.has_passed() => {}
            decided => return decided,
        }
        let comes = async {
            while let Some(message) = news.next().await {
                if message.is_ok_and(|m| bus::tells_of_an_app(&m)) {
                    return;
                }
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = comes => {}
            () = tokio::time::sleep_until(patience.instant()) => {}
        }
    }
}

/// The one app that is meant.
pub(crate) async fn find(bus: &Connection, target: &Target, deadline: Deadline) -> Result<App> {
    if let Some(pid) = target.field("pid") {
        let pid: u32 = pid.parse().map_err(|_| Error::invalid("not a process id", "app:pid=4242"))?;
        return find_by_pid(bus, pid, deadline).await;
    }
    let name = target.rest();
    let apps = apps(bus, deadline).await?;
    let mut found: Vec<App> = apps.iter().filter(|app| app.is_called(name)).cloned().collect();
    if found.is_empty() {
        let same = |app: &&App| app.name.eq_ignore_ascii_case(name);
        found = apps.iter().filter(same).cloned().collect();
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(not_found(name, &apps)),
        _ => Err(ambiguous(name, &found)),
    }
}

async fn find_by_pid(bus: &Connection, pid: u32, deadline: Deadline) -> Result<App> {
    let roots = bus::registered_apps(bus, deadline).await?;
    let pids = future::join_all(roots.iter().map(|root| bus::pid_of(bus, &root.name, deadline))).await;
    let found = roots.into_iter().zip(pids).find(|(_, p)| p.as_ref().is_ok_and(|p| *p == pid));
    match found {
        Some((root, _)) => Ok(App { root, pid, name: String::new() }),
        None if process::exists(pid) => Err(hidden(&format!("process {pid}"), pid)),
        None => Err(Error::new(
            Code::TargetNotFound,
            format!("there is no process {pid}"),
            "`stillpoint apps` lists what is running",
        )),
    }
}

fn not_found(name: &str, apps: &[App]) -> Error {
    if let Some(pid) = process::find(name).first() {
        return hidden(name, *pid);
    }
    let names: Vec<&str> = apps.iter().map(|app| app.name.as_str()).filter(|n| !n.is_empty()).collect();
    let hint = if names.is_empty() {
        "no app with accessibility is running; start it, then try again".to_owned()
    } else {
        format!("running: {}", names.join(", "))
    };
    Error::new(Code::TargetNotFound, format!("no app called {name:?} is running"), hint)
        .with_details(json!({ "running": names }))
}

fn ambiguous(name: &str, found: &[App]) -> Error {
    let candidates: Vec<_> =
        found.iter().map(|app| json!({ "target": app.target(), "name": app.name, "pid": app.pid })).collect();
    let targets: Vec<String> = found.iter().map(App::target).collect();
    Error::new(
        Code::AmbiguousTarget,
        format!("{} apps are called {name:?}", found.len()),
        format!("say which: {}", targets.join(" or ")),
    )
    .with_details(json!({ "candidates": candidates }))
}

/// The process runs, but shows nothing.
pub(crate) fn hidden(what: &str, pid: u32) -> Error {
    Error::new(
        Code::HierarchyEmpty,
        format!("{what} runs (pid {pid}) but exposes no accessible tree"),
        process::hint_for(pid),
    )
}

/// What an app is, found out by asking its root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nature {
    pub(crate) name: String,
    pub(crate) toolkit: String,
    pub(crate) dialect: Dialect,
    /// The app's own socket, where it has one.
    pub(crate) socket: Option<String>,
}

/// Looks at the root. The answers also prove that the app knows by now that somebody listens.
pub(crate) async fn look_at(bus: &Connection, app: &App, deadline: Deadline) -> Result<Nature> {
    let root = &app.root;
    let name = bus::property::<String>(bus, root, ACCESSIBLE, "Name", deadline);
    let id = bus::property::<String>(bus, root, ACCESSIBLE, "AccessibleId", deadline);
    let toolkit = bus::property::<String>(bus, root, APPLICATION, "ToolkitName", deadline);
    let version = bus::property::<String>(bus, root, APPLICATION, "Version", deadline);
    let socket = bus::ask::<_, String>(bus, root, APPLICATION, "GetApplicationBusAddress", &(), deadline);
    let (name, id, toolkit, version, socket) = tokio::join!(name, id, toolkit, version, socket);
    if let Err(error) = &name
        && matches!(error.code, Code::TargetUnresponsive | Code::TargetLost)
    {
        return Err(error.clone());
    }
    let toolkit = toolkit.unwrap_or_default();
    let version = version.unwrap_or_default();
    let gtk = toolkit.eq_ignore_ascii_case("gtk");
    let gtk4 = gtk && version.starts_with('4');
    let qt5 = toolkit == "Qt" && version.starts_with('5');
    let dialect = Dialect {
        // The one thing that cannot be found out by trying: Qt 5 crashes on it.
        get_all: gtk,
        // The property is there in GTK 4.8, and empty whatever the app sets.
        accessible_id: id.is_ok() && !(gtk4 && minor(&version) <= 8),
        // GTK has ids in the property only; Qt 5 has neither.
        attributes: !(gtk || qt5),
        window_relative: gtk4,
        moves_untold: gtk4,
        structure_untold: gtk || toolkit == "Qt",
        web: toolkit == "Chromium",
        // Whether it is AccessKit is told by the names of its objects.
        events_lag: toolkit == "Chromium",
        lists_skip: gtk4,
        showing_untold: gtk4,
        terse_states: !gtk,
        showing_by_place: (gtk && !gtk4) || toolkit == "Chromium",
        frames_named_untold: gtk && !gtk4,
        paths_reused: qt5,
        names_from_groups: toolkit == "Qt",
        office: gtk && name.as_ref().is_ok_and(|name| name == "soffice"),
    };
    Ok(Nature {
        name: name.unwrap_or_default(),
        toolkit: toolkit_name(&toolkit, &version),
        dialect,
        socket: socket.ok().filter(|address| !address.is_empty()),
    })
}

/// The second part of a version.
fn minor(version: &str) -> u32 {
    version.split('.').nth(1).and_then(|minor| minor.parse().ok()).unwrap_or_default()
}

/// `gtk3`, `qt5`, `chromium`, …
fn toolkit_name(toolkit: &str, version: &str) -> String {
    let name = toolkit.to_lowercase();
    let major = version.split('.').next().unwrap_or_default();
    match name.as_str() {
        "gtk" | "qt" if !major.is_empty() => format!("{name}{major}"),
        _ => name,
    }
}

/// The whole cache in one call; empty where the app has none.
async fn read_cache(connection: &Connection, app: &str, deadline: Deadline) -> Result<Cache> {
    let reply = bus::call(connection, &Object::new(app, CACHE_PATH), CACHE, "GetItems", &(), deadline).await;
    match reply {
        Ok(reply) => Ok(cache::parse(&reply).unwrap_or_else(|error| {
            tracing::debug!(%error, "the app's cache cannot be understood; walking instead");
            Cache::new()
        })),
        Err(error) if error.code == Code::TargetUnresponsive || error.code == Code::TargetLost => Err(error),
        Err(error) => {
            tracing::debug!(%error, "the app has no cache; walking instead");
            Ok(Cache::new())
        }
    }
}

/// Begins the first reading. Over the app's own socket it is also finished here; over the bus the session goes on with
/// it, because there the answers come between the events.
pub(crate) async fn begin(
    bus: &Connection,
    sockets: &Sockets,
    app: &App,
    nature: &Nature,
    limits: Limits,
    deadline: Deadline,
) -> Result<Shadow> {
    let mut shadow = Shadow::new(app.root.clone(), nature.dialect, limits);
    if let Some(socket) = &nature.socket {
        match read_over_socket(sockets, socket, &app.root.name, &mut shadow, deadline).await {
            Ok(()) => return Ok(shadow),
            Err(error) if error.code == Code::TargetUnresponsive => return Err(error),
            Err(error) => {
                tracing::debug!(%error, "the app's own socket is of no use; reading over the bus");
                shadow = Shadow::new(app.root.clone(), nature.dialect, limits);
            }
        }
    }
    let cache = read_cache(bus, &app.root.name, deadline).await?;
    shadow.put_off();
    shadow.read_all(cache);
    Ok(shadow)
}

async fn read_over_socket(
    sockets: &Sockets,
    socket: &str,
    app: &Arc<str>,
    shadow: &mut Shadow,
    deadline: Deadline,
) -> Result<()> {
    let read = async {
        let told = |error: zbus::Error| bus::told("reading over the app's socket", &error);
        let peer = sockets.take(socket).await.map_err(told)?;
        let cache = read_cache(&peer, app, deadline).await?;
        let mut answers = MessageStream::from(&peer);
        shadow.read_all(cache);
        while !shadow.is_quiet() {
            peer.send_all(&shadow.next_questions(WINDOW)).await.map_err(told)?;
            match answers.next().await {
                Some(Ok(answer)) => {
                    shadow.answer(&answer);
                }
                Some(Err(error)) => return Err(told(error)),
                None => return Err(bus::lost("the app closed its socket")),
            }
        }
        drop(answers);
        sockets.give_back(socket, peer);
        Ok(())
    };
    deadline.bound("the first tree", read).await
}

/// What a person sees of an app in a list.
pub(crate) async fn describe(bus: &Connection, app: App, deadline: Deadline) -> TargetInfo {
    let patience = deadline.or_after(PATIENCE_PER_APP);
    let toolkit = bus::property::<String>(bus, &app.root, APPLICATION, "ToolkitName", patience).await;
    let version = bus::property::<String>(bus, &app.root, APPLICATION, "Version", patience).await;
    let children: Vec<(String, zbus::OwnedObjectPath)> =
        bus::ask(bus, &app.root, ACCESSIBLE, "GetChildren", &(), patience).await.unwrap_or_default();
    let windows: Vec<Object> = children.iter().map(|(name, path)| Object::new(name, path.as_str())).collect();
    let titles = windows.iter().map(|w| bus::property::<String>(bus, w, ACCESSIBLE, "Name", patience));
    let titles = future::join_all(titles).await;
    let name = if app.name.is_empty() {
        process::names_of(app.pid).first().cloned().unwrap_or_default()
    } else {
        app.name.clone()
    };
    TargetInfo {
        target: app.target(),
        name,
        pid: Some(app.pid),
        toolkit: toolkit.ok().map(|toolkit| toolkit_name(&toolkit, &version.unwrap_or_default())),
        windows: titles.into_iter().flatten().filter(|title| !title.is_empty()).collect(),
    }
}
