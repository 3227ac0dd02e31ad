//! The fixture app with AccessKit. Never uses a toolkit: a plain X11 window, drawn with rectangles, whose accessible tree
//! is made with the `accesskit` crates as egui, Slint and others do it.
//!
//! It speaks the part of `apps/README.md`'s line protocol that random mutations and taps need.

mod describe;
mod form;
mod playground;
mod protocol;
mod window;

use accesskit::{ActionRequest, ActivationHandler, DeactivationHandler, TreeUpdate};
use accesskit_unix::Adapter;
use anyhow::Result;
use form::Form;
use playground::Playground;
use protocol::{Command, say};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use window::Window;

/// What wakes the main loop.
enum Wake {
    /// A line of the protocol; `None` at its end.
    Line(Option<String>),
    /// Something that the X server told.
    Display(x11rb::protocol::Event),
    /// Something that an assistive tool asked for.
    Asked(ActionRequest),
    /// The tree was asked for, so the app is on the accessibility bus.
    Activated,
    /// The next random mutation is due.
    Turn,
}

/// The form, which AccessKit's own thread reads once, when the first tool comes.
#[derive(Clone)]
struct Shared(Arc<Mutex<Form>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Form> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Activation(Shared, Sender<Wake>);

impl ActivationHandler for Activation {
    fn request_initial_tree(&mut self) -> Option<TreeUpdate> {
        // The main loop may be gone already; then nobody waits for it.
        let _ = self.1.send(Wake::Activated);
        Some(describe::whole(&self.0.lock()))
    }
}

struct Actions(Sender<Wake>);

impl accesskit::ActionHandler for Actions {
    fn do_action(&mut self, request: ActionRequest) {
        let _ = self.0.send(Wake::Asked(request));
    }
}

struct Nothing;

impl DeactivationHandler for Nothing {
    fn deactivate_accessibility(&mut self) {}
}

struct App {
    form: Shared,
    window: Window,
    adapter: Adapter,
    playground: Playground,
    sender: Sender<Wake>,
    /// Mutations that are still to be made, out of how many.
    left: Option<(u32, u32)>,
    ready: Readiness,
}

/// What has to have happened before `ready` is said.
#[derive(Default)]
struct Readiness {
    mapped: bool,
    activated: bool,
    said: bool,
}

fn main() -> Result<()> {
    let (sender, wakes) = channel();
    let form = Shared(Arc::new(Mutex::new(Form::new())));
    let window = Window::open("Stillpoint fixture (accesskit)", sender.clone())?;
    let adapter = Adapter::new(Activation(form.clone(), sender.clone()), Actions(sender.clone()), Nothing);
    protocol::listen(sender.clone());
    let app = App {
        form,
        window,
        adapter,
        playground: Playground::default(),
        sender,
        left: None,
        ready: Readiness::default(),
    };
    app.run(&wakes)
}

impl App {
    fn run(mut self, wakes: &Receiver<Wake>) -> Result<()> {
        for wake in wakes {
            match wake {
                Wake::Line(None) => return Ok(()),
                Wake::Line(Some(line)) => {
                    if !self.obey(&line)? {
                        return Ok(());
                    }
                }
                Wake::Display(event) => self.display(&event)?,
                Wake::Asked(request) => {
                    self.form.lock().perform(&request);
                    self.changed()?;
                }
                Wake::Activated => {
                    self.ready.activated = true;
                    self.say_ready();
                }
                Wake::Turn => self.turn()?,
            }
        }
        Ok(())
    }

    /// Carries out one line; `false` ends the app.
    fn obey(&mut self, line: &str) -> Result<bool> {
        match Command::parse(line) {
            Ok(Command::Quit) => {
                say("ok quit");
                return Ok(false);
            }
            Ok(Command::Mutate { count, seed }) => {
                self.playground.seed(seed);
                self.left = Some((count, count));
                let _ = self.sender.send(Wake::Turn);
            }
            Ok(Command::Truth) => say(&self.form.lock().truth().to_string()),
            Ok(Command::Set { id, value }) => {
                let known = self.form.lock().set(&id, &value);
                self.changed()?;
                say(&if known { format!("ok set {id}") } else { format!("error no element {id}") });
            }
            Ok(Command::Activated { id, count }) => self.form.lock().when_activated(id, count),
            Err(problem) => say(&format!("error {problem}")),
        }
        Ok(true)
    }

    fn display(&mut self, event: &x11rb::protocol::Event) -> Result<()> {
        use x11rb::protocol::Event;
        match event {
            Event::Expose(_) => {
                self.window.draw(&self.form.lock())?;
                self.ready.mapped = true;
                self.say_ready();
            }
            Event::ConfigureNotify(_) => {
                let (outer, inner) = self.window.bounds()?;
                self.adapter.set_root_window_bounds(outer, inner);
            }
            Event::FocusIn(_) => self.adapter.update_window_focus_state(true),
            Event::FocusOut(_) => self.adapter.update_window_focus_state(false),
            Event::ButtonPress(press) => {
                self.form.lock().click_at(f64::from(press.event_x), f64::from(press.event_y));
                self.changed()?;
            }
            _ => {}
        }
        Ok(())
    }

    fn turn(&mut self) -> Result<()> {
        let Some((left, count)) = self.left else { return Ok(()) };
        if left == 0 {
            self.left = None;
            say(&format!("done {count}"));
            return Ok(());
        }
        self.playground.once(&mut self.form.lock());
        self.changed()?;
        self.left = Some((left - 1, count));
        let _ = self.sender.send(Wake::Turn);
        Ok(())
    }

    /// Something of the form is different: assistive tools and the screen are told.
    fn changed(&mut self) -> Result<()> {
        let form = self.form.0.clone();
        self.adapter
            .update_if_active(|| describe::whole(&form.lock().unwrap_or_else(PoisonError::into_inner)));
        self.window.draw(&self.form.lock())
    }

    fn say_ready(&mut self) {
        if self.ready.mapped && self.ready.activated && !self.ready.said {
            self.ready.said = true;
            let about = serde_json::json!({
                "pid": std::process::id(), "toolkit": "accesskit", "version": describe::VERSION,
            });
            say(&format!("ready {about}"));
        }
    }
}
