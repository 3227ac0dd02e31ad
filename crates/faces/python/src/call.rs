//! The two ways to wait for an answer: a thread that blocks without the interpreter's lock, and a callback that an
//! event loop is told by.

use crate::failure::{raised, told};
use crate::process::Process;
use pyo3::prelude::*;
use std::future::Future;
use std::pin::pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use stillpoint_core::{Code, Error, Result};
use tokio_util::sync::CancellationToken;

/// How long Ctrl-C can go unnoticed. The answer itself wakes the thread at once.
const SLICE: Duration = Duration::from_millis(50);
/// How long a cancelled call may take to say what it saw.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Blocks until the work is done, without the interpreter's lock. In the main thread Ctrl-C cancels it.
///
/// The work runs on the calling thread: what needs no waiting is answered without a change of threads.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    process: &'static Process,
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T>> + Send,
) -> PyResult<T> {
    let under_way = process.begin().map_err(|error| raised(&error))?;
    let done = py.detach(|| process.handle().block_on(patiently(cancel, work)));
    // Only now, with the interpreter's lock again: the end of the process waits for it.
    drop(under_way);
    done?.map_err(|error| raised(&error))
}

async fn patiently<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T>>,
) -> PyResult<Result<T>> {
    let mut work = pin!(work);
    let mut may_be_interrupted = true;
    loop {
        tokio::select! {
            biased;
            done = &mut work => return Ok(done),
            () = tokio::time::sleep(SLICE), if may_be_interrupted => {}
        }
        let looked = Python::attach(|py| py.check_signals().and_then(|()| is_main_thread(py)));
        match looked {
            // Signals are handled by the main thread alone; any other just waits.
            Ok(main) => may_be_interrupted = main,
            Err(interrupted) => {
                cancel.cancel();
                // What it answers is of no use any more; the trace has it.
                let _ = tokio::time::timeout(LAST_WORDS, work).await;
                return Err(interrupted);
            }
        }
    }
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    Ok(threading.call_method0("current_thread")?.is(&threading.call_method0("main_thread")?))
}

/// A call whose answer an event loop waits for.
#[pyclass(frozen, module = "stillpoint._native")]
pub(crate) struct Call {
    cancel: CancellationToken,
}

#[pymethods]
impl Call {
    /// Ends it early. Its answer is still delivered.
    fn cancel(&self) {
        self.cancel.cancel();
    }
}

/// Begins the work and returns at once. `done(answer, error)` is called from a thread of ours: the answer as `told`
/// makes it, or the error as JSON.
pub(crate) fn begin<T: Send + 'static>(
    process: &'static Process,
    cancel: CancellationToken,
    done: Py<PyAny>,
    work: impl Future<Output = Result<T>> + Send + 'static,
    tell: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
) -> PyResult<Call> {
    let under_way = process.begin().map_err(|error| raised(&error))?;
    let call = Call { cancel };
    process.handle().spawn(async move {
        let result = work.await;
        process.delivery().send(Box::new(move |py| {
            let told = match result {
                Ok(it) => tell(py, it).and_then(|it| done.call1(py, (it, py.None()))),
                Err(error) => done.call1(py, (py.None(), told(&error))),
            };
            if let Err(error) = told {
                // The loop was closed meanwhile: nobody waits for the answer.
                tracing::debug!(%error, "an answer was not taken");
            }
            drop(under_way);
        }));
    });
    Ok(call)
}

/// Ends with the error of a call that was given up, as soon as it is.
pub(crate) async fn unless_cancelled<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    tokio::select! {
        done = work => done,
        () = cancel.cancelled() => {
            Err(Error::new(Code::Cancelled, "cancelled by the caller", "call again if the answer is still wanted"))
        }
    }
}

type Parcel = Box<dyn FnOnce(Python<'_>) + Send>;

/// A thread that brings answers to Python, so that no thread of the runtime waits for the interpreter's lock.
#[derive(Default)]
pub(crate) struct Delivery {
    thread: Mutex<Option<(Sender<Parcel>, JoinHandle<()>)>>,
}

impl Delivery {
    fn send(&self, parcel: Parcel) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let (sender, _) = thread.get_or_insert_with(|| {
            let (sender, parcels) = channel::<Parcel>();
            let bring = move || {
                for parcel in parcels {
                    Python::attach(parcel);
                }
            };
            (sender, std::thread::spawn(bring))
        });
        if sender.send(parcel).is_err() {
            tracing::error!("the thread that delivers answers is gone");
        }
    }

    /// Delivers what is there, then ends.
    pub(crate) fn end(&self) {
        let taken = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((sender, thread)) = taken {
            drop(sender);
            if thread.join().is_err() {
                tracing::error!("the thread that delivers answers panicked");
            }
        }
    }
}
