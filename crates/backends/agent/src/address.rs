//! Where an agent is, and what it takes to be let in.

use std::net::IpAddr;
use std::path::Path;
use stillpoint_core::{Code, Error, Result, Target};
use stillpoint_engine::backend::AttachOptions;
use stillpoint_wire::codec::ClientHello;
use stillpoint_wire::tls::ClientTls;
use stillpoint_wire::{ClientOptions, DEFAULT_PORT, Token};

/// How to reach one agent.
#[derive(Debug)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// What to say first; none keeps to v1.
    pub(crate) hello: Option<ClientHello>,
    pub(crate) client: ClientOptions,
}

impl Address {
    pub(crate) fn of(target: &Target, options: &AttachOptions) -> Result<Self> {
        let setting = |name: &str| options.settings.get(name).map(String::as_str);
        let (host, port) = parse(target.rest())?;
        let token = setting("token_file").map(read_token).transpose()?;
        let hello = match setting("protocol").unwrap_or("auto") {
            "auto" | "v2" => Some(ClientHello::new(token, &[ClientHello::EVENTS])),
            // The token has to be shown all the same.
            "v1" => token.map(|token| ClientHello { version: 2, token: Some(token), wants: Vec::new() }),
            other => {
                let hint = "protocol is auto, v1 or v2";
                return Err(Error::invalid(format!("{other:?} is no version of the agent protocol"), hint));
            }
        };
        let tls = setting("ca")
            .map(|file| ClientTls::trusting(Path::new(file), setting("server_name").unwrap_or(&host)))
            .transpose()?;
        if tls.is_none() && !is_loopback(&host) && setting("plaintext") != Some("true") {
            return Err(Error::new(
                Code::PermissionDenied,
                format!("{host} is another machine, and without TLS everything would travel in the clear"),
                "give ca=FILE with the certificate of the agent or its authority, or plaintext=true behind a tunnel",
            ));
        }
        Ok(Address { host, port, hello, client: ClientOptions { tls, ..ClientOptions::default() } })
    }
}

fn parse(rest: &str) -> Result<(String, u16)> {
    let refused = |why: &str| {
        Error::invalid(format!("agent:{rest} {why}"), "agents look like agent:HOST:PORT or agent:[::1]:8080")
    };
    let (host, port) = match rest.strip_prefix('[') {
        Some(bracketed) => {
            let (host, port) = bracketed.split_once(']').ok_or_else(|| refused("has no closing bracket"))?;
            (host, if port.is_empty() { None } else { port.strip_prefix(':').or(Some("")) })
        }
        None => rest.rsplit_once(':').map_or((rest, None), |(host, port)| (host, Some(port))),
    };
    if host.is_empty() {
        return Err(refused("names no host"));
    }
    let port = match port {
        None => DEFAULT_PORT,
        Some(port) => port.parse().ok().filter(|p| *p > 0).ok_or_else(|| refused("has no port"))?,
    };
    Ok((host.to_owned(), port))
}

fn read_token(file: &str) -> Result<Token> {
    let text = std::fs::read_to_string(file).map_err(|why| {
        let hint = "token_file names a file that holds the agent's token and nothing else";
        Error::invalid(format!("the token in {file} cannot be read: {why}"), hint)
    })?;
    Ok(Token::new(text.trim()))
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn with(target: &str, settings: &[(&str, &str)]) -> Result<Address> {
        let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Address::of(&target.parse().unwrap(), &AttachOptions { settings, ..AttachOptions::default() })
    }

    #[test]
    fn a_host_may_have_a_port_and_brackets() {
        for (target, host, port) in [
            ("agent:127.0.0.1:9000", "127.0.0.1", 9000),
            ("agent:localhost", "localhost", 8080),
            ("agent:[::1]:7", "::1", 7),
            ("agent:[::1]", "::1", 8080),
        ] {
            let address = with(target, &[]).unwrap();
            assert_eq!((address.host.as_str(), address.port), (host, port));
        }
        for wrong in ["agent:localhost:0", "agent::80", "agent:localhost:x", "agent:[::1", "agent:[::1]x"] {
            assert_eq!(with(wrong, &[]).unwrap_err().code, Code::InvalidArgument, "{wrong}");
        }
    }

    #[test]
    fn another_machine_is_spoken_to_in_the_clear_only_when_told_so() {
        assert_eq!(with("agent:192.0.2.1:80", &[]).unwrap_err().code, Code::PermissionDenied);
        assert!(with("agent:192.0.2.1:80", &[("plaintext", "true")]).is_ok());
        assert!(with("agent:127.0.0.1:80", &[]).is_ok());
    }

    #[test]
    fn a_token_is_shown_in_v1_too() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "secret\n").unwrap();
        let token_file = ("token_file", file.path().to_str().unwrap());
        let address = with("agent:localhost", &[token_file, ("protocol", "v1")]).unwrap();
        assert_eq!(address.hello.unwrap().token, Some(Token::new("secret")));
        assert!(with("agent:localhost", &[("protocol", "v1")]).unwrap().hello.is_none());
        assert!(with("agent:localhost", &[("protocol", "v3")]).is_err());
    }
}
