//! How a session knows that its app is at rest (SPEC §5): by the app's own word, by events, or by sampling.

mod mode;

pub use mode::SyncMode;
