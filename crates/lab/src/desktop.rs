//! A desktop: started part by part, each proven ready before the next, and torn down as a whole.

use crate::app::App;
use crate::bus;
use crate::component::Component;
use crate::cookie::Cookie;
use crate::deadline::Deadline;
use crate::detached::{self, DetachedDesktop};
use crate::environment::Environment;
use crate::error::LabError;
use crate::fixture::{self, Fixture};
use crate::places::Places;
use crate::screen::{Screen, Window};
use crate::teardown;
use crate::watchdog::Watchdog;
use crate::window_manager;
use crate::xserver::{self, Server};
use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What a desktop should be like; see [`Desktop::builder`].
#[derive(Debug, Clone)]
pub struct Builder {
    size: (u16, u16),
    own_home: bool,
    window_manager: bool,
    patience: Duration,
    extra: Vec<(String, String)>,
}

impl Builder {
    /// The size of the screen in pixels; 1280 × 800 unless told.
    pub fn size(mut self, width: u16, height: u16) -> Self {
        self.size = (width, height);
        self
    }

    /// Lets programs see the user's own home and settings instead of empty ones.
    pub fn inherit_home(mut self) -> Self {
        self.own_home = false;
        self
    }

    /// Leaves the window manager out.
    pub fn without_window_manager(mut self) -> Self {
        self.window_manager = false;
        self
    }

    /// How long the whole start may take; one minute unless told.
    pub fn deadline(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// One more variable for the programs of this desktop; wins over the desktop's own choice.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.extra.push((name.into(), value.into()));
        self
    }

    /// Starts the desktop and returns once all of it is proven ready.
    pub fn start(self) -> Result<Desktop, LabError> {
        let deadline = Deadline::after(self.patience);
        let cookie = Cookie::new().map_err(LabError::file("reading /proc/sys/kernel/random/uuid"))?;
        let places = Places::create(&cookie)?;
        let mut environment = Environment::new(&cookie, &places, self.own_home);
        for (name, value) in self.extra {
            environment.set(name, value);
        }
        // From here on, dropping the half-made desktop tears it down.
        let mut desktop = Desktop {
            cookie,
            places,
            environment,
            server: None,
            a11y_address: String::new(),
            components: Vec::new(),
            watchdog: None,
            over: false,
        };
        let watchdog = Watchdog::start(&desktop.cookie, &desktop.places)?;
        let watchdog = desktop.watchdog.insert(watchdog);

        let (component, server) = xserver::start(self.size, &desktop.environment, &desktop.places, deadline)?;
        watchdog.learn(&server);
        let display = server.display;
        desktop.server = Some(server);
        desktop.components.push(component);
        desktop.environment.set("DISPLAY", format!(":{display}"));

        let (session, address) = bus::start_session_bus(&desktop.environment, &desktop.places, deadline)?;
        desktop.components.push(session);
        desktop.environment.set("DBUS_SESSION_BUS_ADDRESS", address.as_str());

        if self.window_manager {
            let manager = window_manager::start(display, &desktop.environment, &desktop.places, deadline)?;
            desktop.components.push(manager);
        }

        let (launcher, a11y_address) =
            bus::start_accessibility_bus(&address, &desktop.environment, &desktop.places, deadline)?;
        desktop.components.push(launcher);
        // Not put into the environment: programs ask the session bus for it, and Qt 6.4 never comes to an accessibility
        // bus that its environment names.
        desktop.a11y_address = a11y_address;
        Ok(desktop)
    }

    /// Starts a desktop that outlives this process, under a name; see [`crate::list`] and [`crate::stop`].
    pub fn start_detached(self, name: &str) -> Result<DetachedDesktop, LabError> {
        detached::start(self, name)
    }
}

/// A private headless desktop. Dropping it ends everything that was started on it, also after a panic.
#[derive(Debug)]
pub struct Desktop {
    cookie: Cookie,
    places: Places,
    environment: Environment,
    server: Option<Server>,
    a11y_address: String,
    components: Vec<Component>,
    watchdog: Option<Watchdog>,
    over: bool,
}

impl Desktop {
    /// A desktop of 1280 × 800 with a window manager and empty home, to be changed and started.
    pub fn builder() -> Builder {
        Builder {
            size: (1280, 800),
            own_home: true,
            window_manager: true,
            patience: Duration::from_secs(60),
            extra: Vec::new(),
        }
    }

    /// Starts a desktop with the defaults of [`Desktop::builder`].
    pub fn start() -> Result<Self, LabError> {
        Self::builder().start()
    }

    /// Starts a lasting desktop with the defaults; see [`Builder::start_detached`].
    pub fn start_detached(name: &str) -> Result<DetachedDesktop, LabError> {
        Self::builder().start_detached(name)
    }

    /// The variables that lead a program to this desktop.
    pub fn env(&self) -> Vec<(String, String)> {
        self.environment.pairs()
    }

    /// The variables of the surrounding session that a program must not see.
    pub fn env_removed(&self) -> &'static [&'static str] {
        Environment::removed()
    }

    /// Sets and removes variables on a command of the caller's, and changes nothing else.
    pub fn apply_env(&self, command: &mut Command) {
        self.environment.apply(command);
    }

    /// A command that will run on this desktop, in a process group of its own.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        self.environment.apply(&mut command);
        command.process_group(0);
        command
    }

    /// Starts a command made by [`Desktop::command`], with its stdin, stdout and stderr connected to the
    /// returned [`App`].
    pub fn spawn(&self, command: Command) -> Result<App, LabError> {
        App::spawn(command)
    }

    /// Starts one of our fixture apps and waits until its window and its accessible tree are up.
    pub fn fixture(&self, fixture: Fixture) -> Result<App, LabError> {
        self.fixture_with(fixture, &[])
    }

    /// Like [`Desktop::fixture`], with arguments such as `--seed 7 --delay-min 10 --delay-max 20`.
    pub fn fixture_with(&self, fixture: Fixture, arguments: &[&str]) -> Result<App, LabError> {
        fixture::start(self, fixture, arguments)
    }

    /// The display, as in `:99`.
    pub fn display(&self) -> String {
        format!(":{}", self.number())
    }

    fn number(&self) -> u32 {
        // A desktop is only handed out with its server running.
        self.server.as_ref().map_or(0, |server| server.display)
    }

    /// The address of the accessibility bus.
    pub fn a11y_address(&self) -> &str {
        &self.a11y_address
    }

    /// The address of the session bus.
    pub fn session_address(&self) -> String {
        let pairs = self.environment.pairs();
        pairs
            .into_iter()
            .find(|(name, _)| name == "DBUS_SESSION_BUS_ADDRESS")
            .map_or_else(String::new, |(_, it)| it)
    }

    /// The cookie by which this desktop knows its processes.
    pub fn cookie(&self) -> &Cookie {
        &self.cookie
    }

    /// The directory below which all files of this desktop are.
    pub fn root(&self) -> &Path {
        &self.places.root
    }

    /// A connection to look at the screen and its windows.
    pub fn screen(&self) -> Result<Screen, LabError> {
        Screen::connect(self.number())
    }

    /// The whole screen as PNG.
    pub fn screenshot(&self) -> Result<Vec<u8>, LabError> {
        self.screen()?.screenshot()
    }

    /// What the screen shows where the window with this X id is, as PNG.
    pub fn screenshot_window(&self, window: u32) -> Result<Vec<u8>, LabError> {
        self.screen()?.screenshot_window(window)
    }

    /// The windows that the window manager manages.
    pub fn windows(&self) -> Result<Vec<Window>, LabError> {
        self.screen()?.windows()
    }

    /// Ends everything and tells what went wrong on the way; dropping does the same in silence.
    pub fn close(mut self) -> Result<(), LabError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), LabError> {
        if std::mem::replace(&mut self.over, true) {
            return Ok(());
        }
        let ended = teardown::end(&self.cookie, self.server.as_ref(), &self.places);
        self.components.clear();
        if let Some(watchdog) = self.watchdog.take() {
            watchdog.dismiss();
        }
        ended
    }

    /// Gives up the care for this desktop: from now on it lasts until it is stopped by its cookie.
    pub(crate) fn release(mut self) -> Released {
        self.over = true;
        for component in self.components.drain(..) {
            component.release();
        }
        if let Some(watchdog) = self.watchdog.take() {
            watchdog.dismiss();
        }
        Released {
            cookie: self.cookie.clone(),
            places: self.places.clone(),
            environment: self.environment.clone(),
            server: self.server.clone(),
            a11y_address: self.a11y_address.clone(),
        }
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            tracing::error!(%error, "the desktop was not torn down completely");
        }
    }
}

/// What remains to be known of a desktop that was let go.
pub(crate) struct Released {
    pub(crate) cookie: Cookie,
    pub(crate) places: Places,
    pub(crate) environment: Environment,
    pub(crate) server: Option<Server>,
    pub(crate) a11y_address: String,
}
