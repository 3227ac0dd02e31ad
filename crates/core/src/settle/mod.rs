//! Has it come to rest? Pure machines: mutations with their times in, decisions out, the clock passed in.

mod dormancy;
mod loading;
mod sampler;
mod scope;
mod stabiliser;
mod ui_state;

pub use dormancy::Dormancy;
pub use loading::{LoadingSignal, LoadingSource, LoadingState, loading_state};
pub use sampler::{Sample, Sampler, SamplerRules, Verdict};
pub use scope::{ExpectedChange, Scope};
pub use stabiliser::{BarrierTicket, Outcome, Reason, Rules, Stabiliser, StabilityState, Step};
pub use ui_state::{UiState, ui_state};
