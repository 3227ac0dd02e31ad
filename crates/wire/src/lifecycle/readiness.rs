//! When an agent counts as ready, and when one that runs already may be reused.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};

use super::LifecycleOptions;
use super::child::AgentChild;
use crate::client::Client;
use crate::codec::Request;
use crate::error::WireError;

/// Patience for one sign of life. A ready agent on loopback answers in less than a millisecond.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// Connects, greets where that is asked for, and takes a heartbeat.
pub(crate) async fn connect(options: &LifecycleOptions) -> Result<Client, WireError> {
    let client = Client::connect(&options.address(), options.client.clone()).await?;
    if let Some(hello) = &options.hello {
        client.hello(hello.clone()).await?;
    }
    client.request_within(Request::Heartbeat, SIGN_OF_LIFE.min(options.client.read_timeout)).await?;
    Ok(client)
}

/// An agent that answers and runs on the right device.
pub(super) async fn reusable(options: &LifecycleOptions) -> Option<Client> {
    let client = connect(options).await.ok()?;
    let Some(wanted) = &options.device_udid else { return Some(client) };
    match client.device_udid().await {
        Ok(Some(udid)) if udid == *wanted => Some(client),
        other => {
            tracing::info!(%wanted, ?other, "the agent that runs is of another device");
            None
        }
    }
}

/// Heartbeats until one is answered, the child ends, or time runs out.
pub(super) async fn wait_until_ready(
    options: &LifecycleOptions,
    child: &mut AgentChild,
) -> Result<Client, WireError> {
    let deadline = Instant::now() + options.startup_timeout;
    let mut ticks = interval(options.heartbeat_every.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let heartbeats = async {
        loop {
            ticks.tick().await;
            match connect(options).await {
                Ok(client) => return client,
                Err(error) => tracing::trace!(%error, "the agent is not ready yet"),
            }
        }
    };
    let outcome = tokio::select! {
        error = child.early_exit() => return Err(error),
        outcome = timeout_at(deadline, heartbeats) => outcome,
    };
    outcome.map_err(|_| WireError::NotReady { after: options.startup_timeout, stderr: child.stderr_so_far() })
}

/// Waits until nobody listens on the agent's port. A group that was just killed may take a moment to let go of it; a
/// stranger never does, and its heartbeat must not be taken for our agent's.
pub(super) async fn port_is_free(options: &LifecycleOptions) -> Result<(), WireError> {
    let deadline = Instant::now() + options.terminate_grace;
    let mut looks = interval(Duration::from_millis(20));
    let refused = async {
        loop {
            looks.tick().await;
            if TcpStream::connect(options.address()).await.is_err() {
                return;
            }
        }
    };
    timeout_at(deadline, refused).await.map_err(|_| WireError::PortTaken { port: options.agent_port })
}
