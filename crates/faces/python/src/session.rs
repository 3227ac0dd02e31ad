//! An attached target, as Python holds it.

use crate::answer::Answer;
use crate::call::{Call, begin, unless_cancelled, wait};
use crate::failure::raised;
use crate::owned::Owned;
use crate::process::Process;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use stillpoint_core::render::{Element, ElementSelector};
use stillpoint_core::select::{Generator, SelectorInput, Visibility, resolve_one};
use stillpoint_core::{Code, Error, Result, Target};
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::sync::SyncMode;
use stillpoint_engine::verbs::{self, FindElement, FindParams, IsIdle, Verb};
use stillpoint_engine::{Engine, trace};

/// A session of its own: no other object shares it, so closing it takes it from nobody.
#[pyclass(frozen, module = "stillpoint._native")]
pub(crate) struct Session {
    process: &'static Process,
    number: u64,
    inner: Owned<stillpoint_engine::Session>,
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.inner.is_ours() {
            return;
        }
        // Forgotten without being closed: a browser must not outlive it.
        if let Some(session) = self.process.give_up(self.number) {
            self.process.handle().spawn(async move { session.close().await });
        }
    }
}

/// The buses and the display of the desktop that apps are looked for on; those of this process without one.
#[derive(Clone, Default)]
pub(crate) struct Where(pub(crate) Option<stillpoint_atspi::Desktop>);

fn engine(place: Where) -> Result<Engine> {
    let engine = match place.0 {
        None => stillpoint::engine(),
        Some(desktop) => Engine::new().with(stillpoint_atspi::AtspiConnector::on(desktop)),
    };
    // A policy that somebody wrote holds here too. Without one nothing is gated: a test says what it tests.
    Ok(match stillpoint_cli::written_policy()? {
        Some(policy) => engine.with_policy(policy),
        None => engine,
    })
}

pub(crate) async fn attach(
    target: String,
    settings: BTreeMap<String, String>,
    place: Where,
) -> Result<stillpoint_engine::Session> {
    let target: Target = target.parse()?;
    let options = AttachOptions { settings, ..AttachOptions::default() };
    engine(place)?.open(&target, &options).await
}

impl Session {
    pub(crate) fn of(process: &'static Process, session: stillpoint_engine::Session) -> Self {
        let number = process.keep(session.clone());
        Session { process, number, inner: Owned::new(session) }
    }

    fn session(&self) -> PyResult<&stillpoint_engine::Session> {
        self.inner.get().map_err(|error| raised(&error))
    }
}

/// Attaches to a target.
#[pyfunction]
pub(crate) fn open(py: Python<'_>, target: String, settings: BTreeMap<String, String>) -> PyResult<Session> {
    open_on(py, target, settings, Where::default())
}

pub(crate) fn open_on(
    py: Python<'_>,
    target: String,
    settings: BTreeMap<String, String>,
    place: Where,
) -> PyResult<Session> {
    let process = Process::current(py).map_err(|error| raised(&error))?;
    let cancel = process.token();
    let session = wait(py, process, &cancel, unless_cancelled(&cancel, attach(target, settings, place)))?;
    Ok(Session::of(process, session))
}

/// Attaches to a target, and tells `done` (see [`begin`]).
#[pyfunction]
pub(crate) fn open_later(
    py: Python<'_>,
    target: String,
    settings: BTreeMap<String, String>,
    done: Py<PyAny>,
) -> PyResult<Call> {
    open_later_on(py, target, settings, Where::default(), done)
}

pub(crate) fn open_later_on(
    py: Python<'_>,
    target: String,
    settings: BTreeMap<String, String>,
    place: Where,
    done: Py<PyAny>,
) -> PyResult<Call> {
    let process = Process::current(py).map_err(|error| raised(&error))?;
    let cancel = process.token();
    let given_up = cancel.clone();
    let work = async move { unless_cancelled(&given_up, attach(target, settings, place)).await };
    begin(process, cancel, done, work, move |py, session| {
        Ok(Py::new(py, Session::of(process, session))?.into_any())
    })
}

/// Parameters as JSON, and the verb of this name.
fn understood(verb: &str, params: &str) -> Result<(&'static verbs::VerbSpec, Value)> {
    let spec = verbs::by_name(verb).ok_or_else(|| {
        let names: Vec<&str> = verbs::table().iter().map(|v| v.name).collect();
        Error::invalid(format!("there is no verb {verb:?}"), format!("the verbs are {}", names.join(", ")))
    })?;
    let params = serde_json::from_str(params)
        .map_err(|error| Error::invalid(format!("the parameters are not JSON: {error}"), "give an object"))?;
    Ok((spec, params))
}

#[pymethods]
impl Session {
    /// Does a verb with its parameters as JSON.
    fn ask(&self, py: Python<'_>, verb: &str, params: &str) -> PyResult<Answer> {
        let session = self.session()?;
        let (spec, params) = understood(verb, params).map_err(|error| raised(&error))?;
        let call = verbs::Call { cancel: self.process.token(), confirm: None };
        Ok(wait(py, self.process, &call.cancel, (spec.run)(session, params, &call))?.into())
    }

    /// Does a verb, and tells `done(answer, error)` from another thread.
    fn ask_later(&self, verb: &str, params: &str, done: Py<PyAny>) -> PyResult<Call> {
        let session = self.session()?.clone();
        let (spec, params) = understood(verb, params).map_err(|error| raised(&error))?;
        let call = verbs::Call { cancel: self.process.token(), confirm: None };
        let cancel = call.cancel.clone();
        let work = async move { (spec.run)(&session, params, &call).await };
        begin(
            self.process,
            cancel,
            done,
            work,
            |py, answer| Ok(Py::new(py, Answer::from(answer))?.into_any()),
        )
    }

    /// Whether the UI is at rest, as far as is known.
    fn is_idle(&self, py: Python<'_>) -> PyResult<bool> {
        let session = self.session()?;
        wait(py, self.process, &self.process.token(), glance(session))
    }

    /// The same, told to `done`.
    fn is_idle_later(&self, done: Py<PyAny>) -> PyResult<Call> {
        let session = self.session()?.clone();
        let work = async move { glance(&session).await };
        begin(self.process, self.process.token(), done, work, |py, idle| idle.into_py_any(py))
    }

    /// The one element that a selector (as JSON) means, as JSON; several are an error, as they are for an action.
    fn find_one(&self, py: Python<'_>, selector: &str) -> PyResult<String> {
        let session = self.session()?;
        wait(py, self.process, &self.process.token(), find_one(session, selector))
    }

    /// The same, told to `done`.
    fn find_one_later(&self, selector: String, done: Py<PyAny>) -> PyResult<Call> {
        let session = self.session()?.clone();
        let work = async move { find_one(&session, &selector).await };
        begin(self.process, self.process.token(), done, work, |py, element| element.into_py_any(py))
    }

    /// The URI that it was opened with.
    #[getter]
    fn target(&self) -> PyResult<String> {
        Ok(self.session()?.target().to_string())
    }

    /// Whom it is attached to, as JSON.
    #[getter]
    fn info(&self) -> PyResult<String> {
        json(self.session()?.info())
    }

    /// What its backend can do, as JSON.
    #[getter]
    fn capabilities(&self) -> PyResult<String> {
        json(&self.session()?.capabilities())
    }

    /// The revision now.
    #[getter]
    fn revision(&self) -> PyResult<u64> {
        Ok(self.session()?.revision().0)
    }

    /// How rest is known, and why not better.
    fn sync_mode(&self) -> PyResult<(String, Option<String>)> {
        let (mode, reason) = self.session()?.sync_mode();
        Ok((plain(&mode)?, reason))
    }

    /// Says how rest is to be known.
    fn set_sync_mode(&self, mode: &str) -> PyResult<()> {
        let mode: SyncMode = serde_json::from_value(Value::from(mode)).map_err(|_| {
            let hint = "the modes are auto, sdk, events and heuristic";
            raised(&Error::invalid(format!("there is no sync mode {mode:?}"), hint))
        })?;
        self.session()?.set_sync_mode(mode);
        Ok(())
    }

    /// Why it ended, if it did.
    fn ended(&self) -> PyResult<Option<String>> {
        match self.session()?.alive() {
            Ok(()) => Ok(None),
            Err(error) => Ok(Some(error.to_string())),
        }
    }

    /// The last entries of its trace, told to a person.
    fn story(&self, py: Python<'_>, last: usize) -> PyResult<String> {
        let session = self.session()?;
        Ok(py.detach(|| {
            let entries = session.trace();
            trace::story(&entries[entries.len().saturating_sub(last)..])
        }))
    }

    /// Its trace as lines of JSON.
    fn trace(&self, py: Python<'_>) -> PyResult<String> {
        let session = self.session()?;
        let lines = py.detach(|| {
            session.trace().iter().map(serde_json::to_string).collect::<std::result::Result<Vec<_>, _>>()
        });
        lines
            .map(|lines| lines.join("\n"))
            .map_err(|error| raised(&Error::internal(format!("the trace could not be written: {error}"))))
    }

    /// Writes the trace to a file from now on.
    fn record_to(&self, path: PathBuf) -> PyResult<()> {
        self.session()?.record_to(path).map_err(|error| raised(&error))
    }

    /// Lets go of the target.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let ours = self.inner.is_ours();
        let Some(session) = ours.then(|| self.process.give_up(self.number)).flatten() else { return Ok(()) };
        let cancel = self.process.token();
        // On a thread of the runtime: Ctrl-C ends the waiting, not the closing.
        let closing = self.process.handle().spawn(async move { session.close().await });
        wait(py, self.process, &cancel, async { closing.await.map_err(|e| Error::internal(e.to_string())) })
    }

    /// Lets go of the target, and tells `done`.
    fn close_later(&self, done: Py<PyAny>) -> PyResult<Call> {
        let session = self.session().ok().and_then(|_| self.process.give_up(self.number));
        let work = async move {
            if let Some(session) = session {
                session.close().await;
            }
            Ok(())
        };
        begin(self.process, self.process.token(), done, work, |py, ()| Ok(py.None()))
    }
}

async fn glance(session: &stillpoint_engine::Session) -> Result<bool> {
    let params = <IsIdle as Verb>::Params::default();
    Ok(IsIdle::run(session, params, &verbs::Call::default()).await?.idle)
}

async fn find_one(session: &stillpoint_engine::Session, selector: &str) -> Result<String> {
    let selector: SelectorInput = serde_json::from_str(selector).map_err(|error| {
        Error::invalid(
            format!("this is not a selector: {error}"),
            "write it as a line, such as button \"Save\"",
        )
    })?;
    let params = FindParams { selector: selector.clone(), limit: 1, fingerprint: false };
    let mut found = FindElement::run(session, params, &verbs::Call::default()).await?;
    let element = match (found.count, found.elements.pop()) {
        (1, Some(element)) => element,
        _ => only(session, &selector)?,
    };
    serde_json::to_string(&element)
        .map_err(|error| Error::internal(format!("an element could not be written as JSON: {error}")))
}

/// The one match that an action would take.
fn only(session: &stillpoint_engine::Session, input: &SelectorInput) -> Result<Element> {
    let selector = input.selector()?;
    session.read(|tree| {
        let id = resolve_one(tree, &selector, Visibility::VisibleFirst)?.id;
        let gone = || Error::new(Code::ElementNotFound, format!("{selector} is gone"), "find it again");
        let node = tree.get(id).ok_or_else(gone)?;
        let mut element = Element::of(id, node, node.parent());
        element.selector = Generator::living(tree)
            .selector(id)
            .map(|g| ElementSelector { value: g.value, confidence: g.confidence });
        Ok(element)
    })
}

fn json(it: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(it).map_err(|error| raised(&Error::internal(error.to_string())))
}

/// The name of something that is a plain word in JSON.
fn plain(it: &impl serde::Serialize) -> PyResult<String> {
    Ok(json(it)?.trim_matches('"').to_owned())
}
