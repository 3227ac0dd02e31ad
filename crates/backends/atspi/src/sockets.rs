//! The sockets that apps offer to their readers, kept for whoever comes back. GTK 3 (at-spi2-core 2.46) never lets go of one that was
//! opened, closed or not, and its main loop is slower for each: an app of 1,000 elements was read in 65 ms at first, in 97
//! after 120 sockets.

use crate::bus;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zbus::Connection;

/// So many are kept, whoever was used last.
const KEPT: usize = 64;

/// Those that nobody reads from at the moment, by their addresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sockets(Arc<Mutex<VecDeque<(String, Connection)>>>);

impl Sockets {
    /// The socket at this address, for one reader alone: one that was given back, or a new one.
    pub(crate) async fn take(&self, address: &str) -> zbus::Result<Connection> {
        let kept = {
            let mut kept = self.kept();
            let place = kept.iter().position(|(of, _)| of == address);
            place.and_then(|place| kept.remove(place))
        };
        match kept {
            Some((_, socket)) => Ok(socket),
            None => bus::connect_to_peer(address).await,
        }
    }

    /// Everything that was asked over it has been answered.
    pub(crate) fn give_back(&self, address: &str, socket: Connection) {
        let mut kept = self.kept();
        kept.push_back((address.to_owned(), socket));
        if kept.len() > KEPT {
            kept.pop_front();
        }
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<(String, Connection)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
