//! An app's own word about its work: from its backend, or from the idle SDK in its process.

use super::mode::SyncMode;
use crate::backend::{BusyResource, IdleReport};
use crate::session::Session;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stillpoint_idle::{IdleClient, IdleState, WaitOutcome};
use tokio::sync::watch;

/// The reader of the SDK in the app's process, and why there is none.
#[derive(Default)]
pub(crate) struct Word {
    reader: Mutex<(Option<Arc<IdleClient>>, Option<String>)>,
    /// How often the app's word, or the end of an action, was passed on without a barrier, and how many of those a barrier has
    /// followed.
    passed_on: AtomicU64,
    proven: AtomicU64,
}

/// So often the app's word had been passed on when somebody began to prove it.
#[derive(Clone, Copy)]
pub(crate) struct Debt(u64);

impl Word {
    fn state(&self) -> MutexGuard<'_, (Option<Arc<IdleClient>>, Option<String>)> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An answer was given without a barrier: what the app had told by then is yet to be read.
    pub(crate) fn passed_on(&self) {
        self.passed_on.fetch_add(1, SeqCst);
    }

    /// What a barrier has to prove before the mirror is read; `None` if nothing.
    pub(super) fn debt(&self) -> Option<Debt> {
        let passed_on = self.passed_on.load(SeqCst);
        (self.proven.load(SeqCst) < passed_on).then_some(Debt(passed_on))
    }

    /// A barrier that began after [`Word::debt`] is through.
    pub(super) fn paid(&self, debt: Debt) {
        self.proven.fetch_max(debt.0, SeqCst);
    }

    /// Looks whether the app has started, or dropped, its SDK since the last look.
    pub(super) fn listen(&self, pid: u32) -> Option<Arc<IdleClient>> {
        if let Some(client) = self.client() {
            return Some(client);
        }
        let mut state = self.state();
        *state = match IdleClient::try_connect(pid) {
            Ok(client) => (Some(Arc::new(client)), None),
            Err(error) => (None, Some(error.to_string())),
        };
        state.0.clone()
    }

    /// The reader, while the app reports.
    pub(super) fn client(&self) -> Option<Arc<IdleClient>> {
        self.state().0.clone().filter(|client| heard(client).is_some())
    }

    pub(super) fn why_not(&self) -> Option<String> {
        self.state().1.clone()
    }
}

/// Whether the app says that it is idle; `None` if it is gone or has dropped its SDK. Asks the kernel whether anybody is
/// there to say so: a crash leaves the counters as they were.
fn heard(client: &IdleClient) -> Option<bool> {
    match client.wait_for_idle(Duration::ZERO) {
        WaitOutcome::Idle => Some(true),
        WaitOutcome::Busy(_) => Some(false),
        WaitOutcome::Lost => None,
    }
}

/// What the SDK says; `None` once the app has dropped it.
pub(super) fn report(client: &IdleClient) -> Option<IdleReport> {
    let idle = heard(client)?;
    let busy = client.busy_resources().into_iter().map(|r| BusyResource {
        name: r.name,
        count: r.count,
        age_ms: r.age.as_millis() as u64,
        stuck: r.stuck,
    });
    Some(IdleReport { idle, busy: busy.collect() })
}

/// Longer than any wait.
const LONG: Duration = Duration::from_secs(100_000);

/// What a wait listens to.
pub(crate) enum IdleSource {
    /// The backend tells it.
    Backend(watch::Receiver<IdleReport>),
    /// The app's process shares it, and wakes whoever waits for its rest.
    App {
        /// The reader.
        client: Arc<IdleClient>,
        /// The wait for its rest that is under way.
        rest: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
        /// What was last said to whoever waits.
        told: Option<bool>,
    },
}

impl IdleSource {
    /// Whether it is the SDK in the app's own process.
    pub(crate) fn is_of_the_app(&self) -> bool {
        matches!(self, IdleSource::App { .. })
    }

    /// Whether the app says that it is idle; `None` if it no longer says anything.
    pub(crate) fn is_idle(&mut self) -> Option<bool> {
        match self {
            IdleSource::Backend(signal) => Some(signal.borrow_and_update().idle),
            IdleSource::App { client, told, .. } => {
                *told = heard(client);
                *told
            }
        }
    }

    /// Woken when the app may have come to rest. That it has become busy again is seen at the next look: nothing is
    /// decided without one.
    pub(crate) async fn changed(&mut self) {
        match self {
            IdleSource::Backend(signal) => {
                if signal.changed().await.is_ok() {
                    return;
                }
            }
            IdleSource::App { client, rest, .. } if rest.is_some() || client.state() == IdleState::Busy => {
                let wait = rest.get_or_insert_with(|| {
                    let client = client.clone();
                    Box::pin(async move { drop(client.wait_for_idle_async(LONG).await) })
                });
                wait.await;
                *rest = None;
                return;
            }
            // It came to rest between the last look and this: nobody else would say so.
            IdleSource::App { told: Some(false), .. } => return,
            IdleSource::App { .. } => {}
        }
        std::future::pending::<()>().await;
    }
}

impl Session {
    /// Looks whether the app has started or dropped its SDK; every wait begins with this.
    pub(crate) fn listen(&self) {
        drop(self.idle_source());
    }

    /// What a wait that begins now listens to. Looks first whether the app has started or dropped its SDK.
    pub(crate) fn idle_source(&self) -> Option<IdleSource> {
        if let Some(signal) = self.backend().idle_signal() {
            return (self.sync_mode().0 == SyncMode::Sdk).then_some(IdleSource::Backend(signal));
        }
        let client = self.word().listen(self.info().pid?)?;
        (self.sync_mode().0 == SyncMode::Sdk).then_some(IdleSource::App { client, rest: None, told: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This very process is the app.
    #[tokio::test]
    async fn rest_that_comes_right_after_a_look_wakes_who_waits() {
        let work = stillpoint_idle::busy("network");
        let client = Arc::new(IdleClient::try_connect(std::process::id()).expect("it reports"));
        let mut source = IdleSource::App { client, rest: None, told: None };
        assert_eq!(source.is_idle(), Some(false));
        drop(work);
        tokio::select! {
            biased;
            () = source.changed() => {}
            () = tokio::task::yield_now() => panic!("it is at rest, and nobody says so"),
        }
        assert_eq!(source.is_idle(), Some(true));
    }
}
