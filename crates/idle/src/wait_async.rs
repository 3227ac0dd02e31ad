//! Waiting without blocking an executor.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use crate::client::{IdleClient, WaitOutcome};

/// Ends the blocking half of a wait whose future was dropped.
struct CancelOnDrop {
    client: Arc<IdleClient>,
    cancelled: Arc<AtomicBool>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.cancelled.store(true, SeqCst);
        self.client.rouse();
    }
}

impl IdleClient {
    /// As [`IdleClient::wait_for_idle`], on tokio's blocking pool. Dropping the future ends the wait.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub async fn wait_for_idle_async(self: &Arc<Self>, timeout: Duration) -> WaitOutcome {
        if self.is_idle() {
            // One look at the kernel, as the blocking wait does before it says so.
            return self.wait_for_idle(Duration::ZERO);
        }
        let client = Arc::clone(self);
        let cancelled = Arc::new(AtomicBool::new(false));
        let cancel = CancelOnDrop { client: Arc::clone(self), cancelled: Arc::clone(&cancelled) };
        let waited = tokio::task::spawn_blocking(move || client.wait(timeout, &cancelled)).await;
        drop(cancel);
        // The wait does not panic, and the runtime's end drops this future before it could see that.
        waited.unwrap_or_else(|_| WaitOutcome::Busy(self.busy_resources()))
    }
}
