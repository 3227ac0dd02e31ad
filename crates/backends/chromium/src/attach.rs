//! Finding a browser, or starting one; then the first tree.

use crate::events::{Hold, Live, Options, Reread};
use crate::frames::{Shared, TargetInfo as CdpTarget};
use crate::launch::{Browser, Launch};
use crate::network::Log;
use crate::socket::{Note, Session, Socket};
use crate::{ChromiumBackend, barrier};
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;
use stillpoint_core::{Code, Error, Result, Target};
use stillpoint_engine::backend::{AttachOptions, Attached, Deadline, EventSink, Scope, TargetInfo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;

/// A page that is still loading after this long is shown as far as it has come.
const LOADING: Duration = Duration::from_secs(15);

/// The settings that a caller may give.
struct Settings {
    launch: Launch,
    full: bool,
    test_attributes: Vec<String>,
    downloads: Option<PathBuf>,
}

fn settings(options: &AttachOptions, launches: bool) -> Result<Settings> {
    let get = |name: &str| options.settings.get(name).map(String::as_str);
    let choice = |name: &str, default: bool| match get(name) {
        None => Ok(default),
        Some("true" | "yes" | "1") => Ok(true),
        Some("false" | "no" | "0") => Ok(false),
        Some(other) => Err(Error::invalid(
            format!("{name}={other} is neither true nor false"),
            format!("write {name}=true or {name}=false"),
        )),
    };
    let full = match get("instrument") {
        None => launches,
        Some("full") => true,
        Some("none") => false,
        Some(other) => {
            return Err(Error::invalid(
                format!("instrument={other} is unknown"),
                "write instrument=full or instrument=none",
            ));
        }
    };
    let usual = Launch::default();
    let size = match get("size") {
        None => usual.size,
        Some(text) => text
            .split_once('x')
            .and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)))
            .ok_or_else(|| {
                Error::invalid(
                    format!("size={text} is not a size"),
                    "write width and height in pixels: size=1280x800",
                )
            })?,
    };
    let test_attributes = get("test_attributes").unwrap_or("data-testid,data-test-id,data-test,data-qa");
    Ok(Settings {
        launch: Launch {
            program: get("browser").map(Into::into),
            headless: choice("headless", usual.headless)?,
            size,
        },
        full,
        downloads: get("downloads").map(PathBuf::from),
        test_attributes: test_attributes
            .split(',')
            .map(|a| a.trim().to_owned())
            .filter(|a| !a.is_empty())
            .collect(),
    })
}

/// Attaches to a target of the schemes `web` and `cdp`.
pub(crate) async fn attach(
    target: &Target,
    options: &AttachOptions,
    sink: EventSink,
    deadline: Deadline,
) -> Result<Attached> {
    let launches = target.scheme() == "web";
    let settings = settings(options, launches)?;
    let launched = if launches { Some(Browser::start(&settings.launch, deadline).await?) } else { None };
    let url = match &launched {
        Some(launched) => launched.url().to_owned(),
        None => debugging_url(target.rest(), deadline).await?,
    };
    let (browser, notes) = Socket::connect(&url, deadline).await?;
    let shared = Shared::default();
    let log = Log::new(sink.opened());
    let live_options = Options {
        limits: options.limits,
        full: settings.full,
        test_attributes: settings.test_attributes,
        token: token(),
    };
    // A browser that somebody else started keeps its own ways, unless we are told where downloads go.
    let downloads = settings.downloads.or_else(|| launched.as_ref().map(Browser::downloads));
    let live = Live::new(browser.clone(), sink, live_options, shared.clone(), log.clone());
    let idle = settings.full.then(|| live.board.subscribe());
    tokio::spawn(live.run(notes));
    let pid = launched.as_ref().and_then(Browser::pid);
    // From here on the backend's drop ends what was started, also when a step below fails.
    let backend = ChromiumBackend {
        browser: browser.clone(),
        shared: shared.clone(),
        log,
        idle,
        launched: tokio::sync::Mutex::new(launched),
    };
    if let Some(path) = downloads {
        let params = json!({ "behavior": "allow", "downloadPath": path, "eventsEnabled": true });
        browser.call::<crate::socket::Nothing>("Browser.setDownloadBehavior", params, deadline).await?;
    }
    auto_attach(&browser, launches, deadline).await?;
    if launches {
        open(&browser, &shared, target.rest(), deadline).await?;
    }
    barrier::barrier(&browser, &shared, deadline).await?;
    let first = reread(&browser, &shared, Scope::Everything, deadline).await?;
    if shared.lock().windows.is_empty() && !browser.dialog_is_open() {
        return Err(Error::new(
            Code::HierarchyEmpty,
            "the browser has no page open",
            "open a page in it, or use web:URL to start a browser of our own",
        ));
    }
    let windows = page_titles(&browser, deadline).await.unwrap_or_default();
    let info = TargetInfo {
        target: target.to_string(),
        name: windows.first().cloned().unwrap_or_else(|| "Chromium".to_owned()),
        pid,
        toolkit: Some("chromium".to_owned()),
        windows,
    };
    Ok(Attached { backend: Box::new(backend), first, info })
}

/// Reads part of the browser again through the mirror, which stays in step with it.
pub(crate) async fn reread(
    browser: &Session,
    shared: &Shared,
    scope: Scope,
    deadline: Deadline,
) -> Result<Vec<stillpoint_core::tree::Change>> {
    let (answer, read) = oneshot::channel();
    let hold = Hold::new(&shared.lock().holds);
    browser.enqueue(Note::Reread(Reread { scope, deadline, answer, hold })).await?;
    deadline
        .bound("reading the page", async { read.await.unwrap_or_else(|_| Err(crate::socket::lost())) })
        .await
}

async fn auto_attach(browser: &Session, wait: bool, deadline: Deadline) -> Result<()> {
    let params = json!({ "autoAttach": true, "waitForDebuggerOnStart": wait, "flatten": true,
                         "filter": [{ "type": "page" }, { "exclude": true }] });
    browser.call::<crate::socket::Nothing>("Target.setAutoAttach", params, deadline).await?;
    // The answer came behind the events of the pages that are there; let the mirror take those in.
    let (done, taken) = oneshot::channel();
    browser.enqueue(Note::Flush(done)).await?;
    deadline
        .bound("the pages of the browser", async { taken.await.map_err(|_| crate::socket::lost()) })
        .await?;
    Ok(())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NavigateAnswer {
    error_text: Option<String>,
}

/// The page that the browser begins with. On a busy machine it comes, and answers, after the browser itself does.
async fn first_page(browser: &Session, shared: &Shared, deadline: Deadline) -> Result<Session> {
    let mut attached = shared.lock().attached.subscribe();
    let coming = async { attached.wait_for(|n| *n > 0).await.map(drop).map_err(|_| crate::socket::lost()) };
    deadline.bound("the browser's first page", coming).await?;
    loop {
        barrier::barrier(browser, shared, deadline).await?;
        match shared.front() {
            Err(_) if !deadline.has_passed() => {}
            found => return found,
        }
    }
}

async fn open(browser: &Session, shared: &Shared, url: &str, deadline: Deadline) -> Result<()> {
    let url = if url.contains(':') { url.to_owned() } else { format!("http://{url}") };
    let page = first_page(browser, shared, deadline).await?;
    let before = *shared.lock().loads.borrow();
    let answer: NavigateAnswer = match page.call("Page.navigate", json!({ "url": url }), deadline).await {
        Err(error) if crate::socket::is_dialog(&error) => return Ok(()),
        other => other?,
    };
    if let Some(why) = answer.error_text.filter(|why| why != "net::ERR_ABORTED") {
        return Err(Error::new(
            Code::TargetNotFound,
            format!("{url} could not be opened: {why}"),
            "check the address, and that its server runs",
        ));
    }
    let mut loads = shared.lock().loads.subscribe();
    tokio::select! {
        // A page that is still loading is shown as it is; so is one that shows a dialog.
        _ = tokio::time::timeout_at(deadline.or_after(LOADING).instant(), loads.wait_for(|n| *n > before)) => {}
        () = browser.until_dialog() => {}
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Targets {
    target_infos: Vec<CdpTarget>,
}

async fn page_titles(browser: &Session, deadline: Deadline) -> Result<Vec<String>> {
    let targets: Targets = browser.call("Target.getTargets", json!({}), deadline).await?;
    let pages = targets.target_infos.into_iter().filter(|t| t.kind == "page");
    Ok(pages.map(|t| if t.title.is_empty() { t.url } else { t.title }).collect())
}

/// The pages of a browser that listens on this port.
pub(crate) async fn pages_at(port: u16, deadline: Deadline) -> Result<Vec<String>> {
    let url = debugging_url(&port.to_string(), deadline).await?;
    let (browser, _notes) = Socket::connect(&url, deadline).await?;
    let titles = page_titles(&browser, deadline).await;
    browser.hang_up();
    titles
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    web_socket_debugger_url: String,
}

/// The debugging socket of `9222`, `host:9222` or `ws://…`.
async fn debugging_url(place: &str, deadline: Deadline) -> Result<String> {
    if place.starts_with("ws://") {
        return Ok(place.to_owned());
    }
    let authority = if place.contains(':') { place.to_owned() } else { format!("127.0.0.1:{place}") };
    let nobody = |why: String| {
        Error::new(
            Code::TargetNotFound,
            format!("no browser listens at {authority}: {why}"),
            "start the browser with --remote-debugging-port=PORT and a --user-data-dir of its own, then use cdp:PORT",
        )
    };
    let asking = async {
        let mut stream =
            tokio::net::TcpStream::connect(&authority).await.map_err(|e| nobody(e.to_string()))?;
        let request = format!("GET /json/version HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.map_err(|e| nobody(e.to_string()))?;
        // The browser may keep the connection open: the answer is complete when its object is.
        let mut answer = Vec::new();
        let json = loop {
            let text = String::from_utf8_lossy(&answer);
            let object = text.find('{').zip(text.rfind('}')).map(|(a, b)| text[a..=b].to_owned());
            if let Some(object) = object.filter(|o| serde_json::from_str::<serde_json::Value>(o).is_ok()) {
                break object;
            }
            if answer.len() > 1 << 20
                || stream.read_buf(&mut answer).await.map_err(|e| nobody(e.to_string()))? == 0
            {
                return Err(nobody("what listens there is no browser".to_owned()));
            }
        };
        let version: Version = serde_json::from_str(&json).map_err(|e| nobody(e.to_string()))?;
        Ok(version.web_socket_debugger_url)
    };
    deadline.bound("the browser's debugging port", asking).await
}

/// A word that no page can guess.
fn token() -> String {
    use std::hash::{BuildHasher, Hasher};
    let part = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", part(), part())
}
