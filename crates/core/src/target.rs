//! What is driven, as one URI syntax in every face (SPEC §1).

use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// A target: a scheme and what it names, such as `sim:login`, `app:gedit`, `app:pid=4242`, `web:https://…`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    scheme: String,
    rest: String,
}

/// The schemes that exist, each with an example.
pub const SCHEMES: [(&str, &str); 6] = [
    ("sim", "sim:login"),
    ("app", "app:gedit"),
    ("web", "web:http://127.0.0.1:8000/"),
    ("cdp", "cdp:9222"),
    ("android", "android:emulator-5554"),
    ("agent", "agent:127.0.0.1:8080"),
];

impl Target {
    /// Its scheme: the part before the first colon.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// What it names: all that follows.
    pub fn rest(&self) -> &str {
        &self.rest
    }

    /// The value of `name=value`, where the target is of that form: `app:pid=4242`.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.rest.strip_prefix(name)?.strip_prefix('=')
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scheme, self.rest)
    }
}

impl FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let examples = SCHEMES.map(|(_, example)| example).join(", ");
        let Some((scheme, rest)) = text.split_once(':') else {
            return Err(Error::invalid(
                format!("{text:?} is not a target: there is no scheme before a colon"),
                format!("targets look like {examples}"),
            ));
        };
        if !SCHEMES.iter().any(|(known, _)| *known == scheme) {
            return Err(Error::invalid(
                format!("{text:?} is not a target: the scheme {scheme:?} is unknown"),
                format!("targets look like {examples}"),
            ));
        }
        if rest.trim().is_empty() {
            return Err(Error::invalid(
                format!("{text:?} names nothing after the colon"),
                format!("targets look like {examples}"),
            ));
        }
        if let Some(pid) = rest.strip_prefix("pid=").filter(|_| scheme == "app")
            && pid.parse::<u32>().ok().is_none_or(|pid| pid == 0)
        {
            return Err(Error::invalid(
                format!("{pid:?} in {text:?} is not a process id"),
                "a process id is a positive number, as `ps` prints it",
            ));
        }
        Ok(Target { scheme: scheme.to_owned(), rest: rest.to_owned() })
    }
}
