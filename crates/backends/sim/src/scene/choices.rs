//! What can be chosen in the URI: `sim:login?speed=2&seed=7&jitter=50`.

use super::IdleWord;
use std::collections::BTreeMap;
use std::time::Duration;
use stillpoint_core::{Error, Result};

/// The choices that every scene understands.
const COMMON: [&str; 6] = ["speed", "seed", "jitter", "latency", "sdk", "events"];

/// Beyond these, times would vanish or never come.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=1000.0;

/// How a scene is to be played.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    /// Times of the scene are divided by this.
    pub(crate) speed: f64,
    /// At most this is added to each wait of the scene.
    jitter: Duration,
    /// Every answer takes at least this long.
    pub(crate) latency: Duration,
    /// Changes are told; otherwise the app has to be sampled.
    pub(crate) events: bool,
    sdk: bool,
    pub(crate) random: Random,
    /// Options of the scene itself.
    pub(crate) named: BTreeMap<String, f64>,
}

impl Choices {
    /// From the query of a URI, and from settings that are not in the query.
    pub(crate) fn parse(
        query: &str,
        settings: &BTreeMap<String, String>,
        own: &BTreeMap<String, f64>,
    ) -> Result<Choices> {
        let known = |name: &str| COMMON.contains(&name) || own.contains_key(name);
        let list = || COMMON.into_iter().chain(own.keys().map(String::as_str)).collect::<Vec<_>>().join(", ");
        let mut given: BTreeMap<String, f64> = BTreeMap::new();
        for (name, value) in settings.iter().filter(|(name, _)| known(name)) {
            given.insert(name.clone(), number(name, value)?);
        }
        for pair in query.split('&').filter(|p| !p.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, "1"));
            if !known(name) {
                return Err(Error::invalid(
                    format!("the scene has no option {name:?}"),
                    format!("its options are {}", list()),
                ));
            }
            given.insert(name.to_owned(), number(name, value)?);
        }
        let get = |name: &str, otherwise: f64| given.get(name).copied().unwrap_or(otherwise);
        let speed = get("speed", 1.0);
        if !SPEEDS.contains(&speed) {
            return Err(Error::invalid(
                format!("a scene cannot play at speed {speed}"),
                "speed=2 is twice as fast, speed=0.5 half as fast; from 0.01 to 1000 it can be anything",
            ));
        }
        let millis = |name| Duration::from_secs_f64(get(name, 0.0) / 1000.0);
        Ok(Choices {
            speed,
            jitter: millis("jitter"),
            latency: millis("latency"),
            events: get("events", 1.0) != 0.0,
            sdk: get("sdk", 0.0) != 0.0,
            random: Random::new(get("seed", 0.0) as u64),
            named: own.keys().filter_map(|name| Some((name.clone(), *given.get(name)?))).collect(),
        })
    }

    pub(crate) fn idle_signal(&self, word: IdleWord) -> bool {
        match word {
            IdleWord::Never => false,
            IdleWord::Always => true,
            IdleWord::OnRequest => self.sdk,
        }
    }

    pub(crate) fn next_jitter(&mut self) -> Duration {
        self.jitter.mul_f64(self.random.fraction())
    }
}

fn number(name: &str, value: &str) -> Result<f64> {
    value.parse::<f64>().ok().filter(|n| n.is_finite() && (0.0..=1e9).contains(n)).ok_or_else(|| {
        Error::invalid(
            format!("{value:?} is not a number that {name} can have"),
            format!("write a number from 0 to 1000000000, such as {name}=50"),
        )
    })
}

/// Numbers that look random and are the same for the same seed: a counter, well mixed.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x2545_F491_4F6C_DD1D)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        for (shift, factor) in [(32, 0xE9C5_15B2_D3A1_7F4B_u64), (29, 0x8CB9_2BA7_2F3D_8DD7)] {
            mixed = (mixed ^ (mixed >> shift)).wrapping_mul(factor);
        }
        mixed ^ (mixed >> 32)
    }

    /// From zero up to, not including, one.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From zero up to, not including, `limit`; zero if there is no room.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() % limit as u64) as usize }
    }
}
