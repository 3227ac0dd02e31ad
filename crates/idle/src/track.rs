//! Futures that are busy until they are done.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::reporter::{Guard, busy};

/// Wraps a future: the app is busy with `name` from this call until the future is done or dropped. Give the result to
/// `tokio::spawn`, or to any other executor.
///
/// ```
/// # async fn fetch() -> u8 { 7 }
/// let task = stillpoint_idle::track("network", fetch());
/// # drop(task);
/// ```
pub fn track<F: Future>(name: &str, future: F) -> Tracked<F> {
    Tracked { future: Box::pin(future), guard: Some(busy(name)) }
}

/// See [`track`].
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct Tracked<F> {
    future: Pin<Box<F>>,
    guard: Option<Guard>,
}

impl<F: Future> Future for Tracked<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let polled = self.future.as_mut().poll(context);
        if polled.is_ready() {
            self.guard = None;
        }
        polled
    }
}
