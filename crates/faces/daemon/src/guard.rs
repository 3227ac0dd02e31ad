//! Who may speak to a listener of ours over HTTP: a request for our own name, not sent by a foreign page, with the token.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use stillpoint_core::{Error, Result};
use stillpoint_wire::codec::Token;

/// A token shorter than this could be guessed.
const SHORTEST: usize = 16;

/// What a request must bring.
pub struct Guard {
    token: Token,
    hosts: Vec<String>,
    addr: SocketAddr,
}

/// Lets a request through, or says why not: 403 for a foreign Host or Origin, 401 without the token.
pub async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.refuse(request.headers()) {
        None => next.run(request).await,
        Some((status, why)) => {
            tracing::debug!(%status, why, "a request was refused");
            (status, format!("{why}\n")).into_response()
        }
    }
}

impl Guard {
    /// A guard for a listener on `addr`, which may be asked for by these names besides loopback's.
    pub fn new(token: &str, hosts: Vec<String>, addr: SocketAddr) -> Result<Self> {
        if token.len() < SHORTEST || !token.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(Error::invalid(
                "the token is too short, or has characters that a header cannot carry",
                format!("give at least {SHORTEST} letters, digits or signs, without spaces"),
            ));
        }
        Ok(Guard { token: Token::new(token), hosts, addr })
    }

    fn refuse(&self, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
        // The name is looked at first: a page that was rebound to our address learns nothing about tokens.
        let host = headers.get(header::HOST).and_then(|h| h.to_str().ok());
        if !host.is_some_and(|host| self.knows(host)) {
            return Some((StatusCode::FORBIDDEN, "this Host is not served here"));
        }
        if let Some(origin) = headers.get(header::ORIGIN) {
            let host = origin.to_str().ok().and_then(|o| o.split_once("://")).map(|(_, host)| host);
            if !host.is_some_and(|host| self.knows(host)) {
                return Some((StatusCode::FORBIDDEN, "requests from this Origin are not served"));
            }
        }
        let given = headers.get(header::AUTHORIZATION).and_then(|h| h.to_str().ok());
        let given = given.and_then(|words| words.split_once(' '));
        let given = given
            .filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| Token::new(token.trim()));
        if !given.is_some_and(|given| given.matches(&self.token)) {
            return Some((StatusCode::UNAUTHORIZED, "send the token as Authorization: Bearer TOKEN"));
        }
        None
    }

    /// Whether an authority (`name`, `name:port`, `[::1]:port`) is one of ours.
    fn knows(&self, authority: &str) -> bool {
        let port = self.addr.port().to_string();
        let bracketed = authority.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (name, rest) = match bracketed {
            Some(parts) => parts,
            None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
        };
        let right_port = rest.is_empty() || rest.strip_prefix(':') == Some(port.as_str());
        let is_loopback = name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        let is_ours = name.parse::<IpAddr>().is_ok_and(|ip| ip == self.addr.ip() && !ip.is_unspecified());
        let is_named = self.hosts.iter().any(|host| host.eq_ignore_ascii_case(name));
        right_port && (is_loopback || is_ours || is_named || name.eq_ignore_ascii_case("localhost"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test may panic
mod tests {
    use super::*;

    fn refusal(pairs: &[(&'static str, &'static str)]) -> Option<u16> {
        let hosts = vec!["box.example".to_owned()];
        let guard = Guard::new("open-sesame-open-sesame", hosts, "127.0.0.1:8181".parse().unwrap()).unwrap();
        let headers = pairs.iter().map(|(k, v)| (k.parse().unwrap(), v.parse().unwrap())).collect();
        guard.refuse(&headers).map(|(status, _)| status.as_u16())
    }

    const TOKEN: (&str, &str) = ("authorization", "Bearer open-sesame-open-sesame");

    #[test]
    fn our_own_names_with_the_token_are_let_through() {
        for host in
            ["127.0.0.1:8181", "localhost:8181", "localhost", "[::1]:8181", "box.example:8181", "BOX.example"]
        {
            assert_eq!(refusal(&[("host", host), TOKEN]), None, "{host}");
        }
        assert_eq!(
            refusal(&[("host", "localhost"), ("authorization", "bearer open-sesame-open-sesame")]),
            None
        );
        assert_eq!(refusal(&[("host", "localhost"), ("origin", "http://localhost:8181"), TOKEN]), None);
    }

    #[test]
    fn a_foreign_host_or_origin_is_forbidden_whatever_the_token() {
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1:1", "", "[::1", "8.8.8.8:8181"] {
            assert_eq!(refusal(&[("host", host), TOKEN]), Some(403), "{host}");
        }
        assert_eq!(refusal(&[TOKEN]), Some(403));
        for origin in ["http://evil.example", "null", "https://localhost.evil.example"] {
            assert_eq!(refusal(&[("host", "localhost"), ("origin", origin), TOKEN]), Some(403), "{origin}");
        }
    }

    #[test]
    fn without_the_token_nothing_is_served() {
        assert_eq!(refusal(&[("host", "localhost")]), Some(401));
        for wrong in
            ["Bearer", "Bearer ", "Bearer open", "Basic open-sesame-open-sesame", "open-sesame-open-sesame"]
        {
            assert_eq!(refusal(&[("host", "localhost"), ("authorization", wrong)]), Some(401), "{wrong:?}");
        }
    }

    #[test]
    fn a_token_that_could_be_guessed_is_refused() {
        for weak in ["", "secret", "with spaces in the middle", "with-ümläuts-in-it"] {
            assert!(Guard::new(weak, Vec::new(), "127.0.0.1:1".parse().unwrap()).is_err(), "{weak:?}");
        }
    }
}
