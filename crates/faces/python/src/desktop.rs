//! A private desktop, as Python holds it.

use crate::call::{Call, begin, wait};
use crate::failure::raised;
use crate::owned::Owned;
use crate::process::Process;
use crate::session::{Session, Where, open_later_on, open_on};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use stillpoint_cli::explain_lab;
use stillpoint_core::{Code, Error, Result};
use stillpoint_lab::{Desktop as Lab, LabError};

/// A desktop that runs until it is ended.
pub(crate) struct Running(Mutex<Option<Lab>>);

impl Running {
    /// Ends it; what is ended already stays so.
    pub(crate) fn end(&self) -> Result<()> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.map_or(Ok(()), |lab| lab.close().map_err(|error| explain_lab(&error)))
    }

    fn with<T>(&self, look: impl FnOnce(&Lab) -> std::result::Result<T, LabError>) -> Result<T> {
        let lab = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lab = lab.as_ref().ok_or_else(|| {
            Error::new(Code::TargetLost, "this desktop was closed", "start another with sp.desktop()")
        })?;
        look(lab).map_err(|error| explain_lab(&error))
    }
}

/// A private headless desktop.
#[pyclass(frozen, module = "stillpoint._native")]
pub(crate) struct Desktop {
    process: &'static Process,
    number: u64,
    running: Owned<Arc<Running>>,
}

impl Drop for Desktop {
    fn drop(&mut self) {
        if let Ok(running) = self.running.get() {
            // Forgotten without being closed. Ending it takes a while, and the end of the process waits for it.
            let running = running.clone();
            self.process.give_up_desktop(self.number);
            self.process.handle().spawn_blocking(move || {
                if let Err(error) = running.end() {
                    tracing::error!(%error, "a desktop was not torn down completely");
                }
            });
        }
    }
}

/// What a desktop should be like.
struct Wish {
    size: (u16, u16),
    inherit_home: bool,
}

async fn start(wish: Wish) -> Result<Lab> {
    let work = move || {
        let builder = Lab::builder().size(wish.size.0, wish.size.1);
        (if wish.inherit_home { builder.inherit_home() } else { builder }).start()
    };
    // Given up on the way, it is torn down as soon as it is there.
    off_thread(work).await
}

async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> std::result::Result<T, LabError> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::internal(error.to_string()))?.map_err(|error| explain_lab(&error))
}

impl Desktop {
    fn of(process: &'static Process, lab: Lab) -> Self {
        let running = Arc::new(Running(Mutex::new(Some(lab))));
        let number = process.keep_desktop(running.clone());
        Desktop { process, number, running: Owned::new(running) }
    }

    fn look<T>(&self, look: impl FnOnce(&Lab) -> std::result::Result<T, LabError>) -> PyResult<T> {
        self.running.get().and_then(|running| running.with(look)).map_err(|error| raised(&error))
    }

    fn place(&self) -> PyResult<Where> {
        self.look(|lab| {
            Ok(Where(Some(stillpoint_atspi::Desktop {
                accessibility_bus: Some(lab.a11y_address().to_owned()),
                session_bus: Some(lab.session_address()),
                display: Some(lab.display()),
            })))
        })
    }
}

/// Starts a desktop, and returns once all of it is proven ready.
#[pyfunction]
pub(crate) fn start_desktop(
    py: Python<'_>,
    width: u16,
    height: u16,
    inherit_home: bool,
) -> PyResult<Desktop> {
    let process = Process::current(py).map_err(|error| raised(&error))?;
    let wish = Wish { size: (width, height), inherit_home };
    let lab = wait(py, process, &process.token(), start(wish))?;
    Ok(Desktop::of(process, lab))
}

/// Starts a desktop, and tells `done`.
#[pyfunction]
pub(crate) fn start_desktop_later(
    py: Python<'_>,
    width: u16,
    height: u16,
    inherit_home: bool,
    done: Py<PyAny>,
) -> PyResult<Call> {
    let process = Process::current(py).map_err(|error| raised(&error))?;
    let wish = Wish { size: (width, height), inherit_home };
    begin(process, process.token(), done, start(wish), move |py, lab| {
        Ok(Py::new(py, Desktop::of(process, lab))?.into_any())
    })
}

#[pymethods]
impl Desktop {
    /// The variables that lead a program to it.
    fn env(&self) -> PyResult<BTreeMap<String, String>> {
        self.look(|lab| Ok(lab.env().into_iter().collect()))
    }

    /// The variables of the surrounding session that a program must not see.
    fn env_removed(&self) -> PyResult<Vec<&'static str>> {
        self.look(|lab| Ok(lab.env_removed().to_vec()))
    }

    /// The display, as in `:99`.
    #[getter]
    fn display(&self) -> PyResult<String> {
        self.look(|lab| Ok(lab.display()))
    }

    /// The whole screen as PNG.
    fn screenshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let png = py.detach(|| self.look(Lab::screenshot))?;
        Ok(PyBytes::new(py, &png))
    }

    /// Attaches to a target on it.
    fn open(&self, py: Python<'_>, target: String, settings: BTreeMap<String, String>) -> PyResult<Session> {
        open_on(py, target, settings, self.place()?)
    }

    /// Attaches to a target on it, and tells `done`.
    fn open_later(
        &self,
        py: Python<'_>,
        target: String,
        settings: BTreeMap<String, String>,
        done: Py<PyAny>,
    ) -> PyResult<Call> {
        open_later_on(py, target, settings, self.place()?, done)
    }

    /// Ends it and everything that runs on it.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Ok(running) = self.running.get() else { return Ok(()) };
        let ending = running.clone();
        let work = async move {
            let ended = tokio::task::spawn_blocking(move || ending.end()).await;
            ended.map_err(|error| Error::internal(error.to_string()))?
        };
        let ended = wait(py, self.process, &self.process.token(), work);
        self.process.give_up_desktop(self.number);
        ended
    }
}
