//! How many actions a target gets in some time.

use std::collections::HashMap;
use std::time::Duration;
use stillpoint_core::{Code, Error, Result, Target};
use tokio::time::Instant;

/// So many actions in so much time, for each target; a burst may use them all at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct RateLimit {
    pub(super) actions: u32,
    pub(super) per: Duration,
}

/// What each target has left.
#[derive(Debug, Default)]
pub(super) struct Buckets(HashMap<Target, Bucket>);

#[derive(Debug)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

impl Buckets {
    /// Takes one action of a target's, or says when the next one is there.
    pub(super) fn take(&mut self, limit: RateLimit, target: &Target, now: Instant) -> Result<()> {
        let most = f64::from(limit.actions);
        let rate = most / limit.per.as_secs_f64();
        let bucket = self.0.entry(target.clone()).or_insert(Bucket { tokens: most, at: now });
        let passed = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.tokens = (bucket.tokens + passed * rate).min(most);
        bucket.at = now;
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return Ok(());
        }
        let wait_ms = ((1.0 - bucket.tokens) / rate * 1e3).ceil() as u64;
        let message = format!(
            "the policy allows {} actions in {} s on {target}, and they are used up; nothing was dispatched",
            limit.actions,
            limit.per.as_secs_f64()
        );
        Err(Error::new(Code::RateLimited, message, format!("try again in {wait_ms} ms"))
            .with_details(serde_json::json!({ "retry_after_ms": wait_ms })))
    }
}
