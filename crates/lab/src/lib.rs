//! Private headless desktops for real Linux applications: own display, own session bus, own accessibility
//! bus, own directories. Nothing here ever touches the user's screen, waits by sleeping, or kills by name.
//!
//! The types that matter are [`Desktop`] (start one, drop it, and everything it started is gone), [`App`]
//! (a program running on it) and [`Fixture`] (our own test programs). The API blocks; from tokio, call it
//! inside `spawn_blocking`, or convert a command with `tokio::process::Command::from(desktop.command("app"))`.
//!
//! ```no_run
//! use stillpoint_lab::{Desktop, Fixture};
//!
//! let desktop = Desktop::builder().size(1024, 768).start()?;
//! let app = desktop.fixture(Fixture::Gtk3)?;
//! app.control("show login")?;
//! std::fs::write("login.png", desktop.screenshot()?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg(target_os = "linux")]

mod app;
mod bus;
mod component;
mod cookie;
mod deadline;
mod desktop;
mod detached;
mod environment;
mod error;
mod fixture;
mod lines;
mod places;
mod screen;
mod teardown;
mod watchdog;
mod window_manager;
mod xserver;

pub use app::App;
pub use cookie::{COOKIE_VARIABLE, Cookie};
pub use desktop::{Builder, Desktop};
pub use detached::{DetachedDesktop, find, list, stop};
pub use error::LabError;
pub use fixture::{DEBIAN_PYTHON, Fixture, apps_dir};
pub use screen::{Screen, Window};
