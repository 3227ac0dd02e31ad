//! Which targets may be opened.

use stillpoint_core::{Code, Error, Result};

/// Patterns on target URIs.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets {
    /// `None`: everything that is not denied.
    allow: Option<Vec<String>>,
    deny: Vec<String>,
}

impl Targets {
    pub(super) fn new(allow: Option<Vec<String>>, deny: Vec<String>) -> Result<Self> {
        let all = allow.iter().flatten().chain(&deny);
        if let Some(bare) = all.into_iter().find(|pattern| pattern.trim().is_empty()) {
            return Err(Error::invalid(
                format!("{bare:?} is no pattern for targets"),
                "patterns look like sim:*, app:gedit or web:https://*.example.com/*",
            ));
        }
        Ok(Targets { allow, deny })
    }

    /// Refuses a target that may not be opened.
    pub(super) fn admit(&self, uri: &str) -> Result<()> {
        self.not_denied(uri)?;
        match &self.allow {
            Some(allow) if !allow.iter().any(|pattern| fits(pattern, uri)) => {
                Err(refused(format!("the policy does not allow the target {uri}")))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a target under another of its names only if that name is denied.
    pub(super) fn not_denied(&self, uri: &str) -> Result<()> {
        match self.deny.iter().find(|pattern| fits(pattern, uri)) {
            Some(pattern) => Err(refused(format!("the policy denies {uri} (by {pattern:?})"))),
            None => Ok(()),
        }
    }
}

fn refused(message: String) -> Error {
    Error::new(Code::PolicyDenied, message, "whoever wrote the policy can allow it under [targets]")
}

/// Whether a URI fits a pattern in which `*` stands for anything and `?` for one character; case does not matter.
fn fits(pattern: &str, uri: &str) -> bool {
    let (pattern, uri) = (pattern.to_lowercase(), uri.to_lowercase());
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), uri.chars().collect());
    let (mut p, mut t) = (0, 0);
    // Where the last `*` stands, and how much of the text it has taken.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, t));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == text[t]) {
            (p, t) = (p + 1, t + 1);
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            (p, t) = (at + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns_are_globs_on_the_whole_uri() {
        for (pattern, uri, expected) in [
            ("sim:*", "sim:login", true),
            ("sim:*", "app:sim:", false),
            ("app:gedit", "app:gedit2", false),
            ("app:?edit", "app:Gedit", true),
            ("web:*://bank.*", "web:https://bank.example/pay", true),
            ("web:https://*.example.com/*", "web:https://a.b.example.com/x", true),
            ("web:https://*.example.com/*", "web:https://example.org/.example.com", false),
            ("*", "", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
        ] {
            assert_eq!(fits(pattern, uri), expected, "{pattern} {uri}");
        }
    }
}
