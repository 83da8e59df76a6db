//! The host a request was meant for: a foreign name that resolves to us is a web page reaching for a local server.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Uri, header};

use super::only;
use crate::refusal::Refusal;

/// The hosts that we are.
pub(super) struct Hosts {
    names: BTreeSet<String>,
    bound: IpAddr,
}

impl Hosts {
    pub(super) fn new(bound: SocketAddr, names: &[String]) -> Self {
        let names = names.iter().map(|name| plain(name));
        Self {
            names: names.chain(["localhost".to_owned()]).collect(),
            bound: bound.ip(),
        }
    }

    /// The host and port that the request names, if they are ours.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<Authority, Refusal> {
        let named = only(headers, &header::HOST).and_then(|host| host.to_str().ok());
        let named: Option<Authority> = named.and_then(|host| host.parse().ok());
        let refusal = || Refusal::new(StatusCode::FORBIDDEN, "this host name is not allowed");
        let named = named.filter(|host| self.is_ours(host)).ok_or_else(refusal)?;
        // a request line may name a host as well
        match uri.authority() {
            Some(host) if !self.is_ours(host) => Err(refusal()),
            _ => Ok(named),
        }
    }

    fn is_ours(&self, authority: &Authority) -> bool {
        if authority.as_str().contains('@') {
            return false;
        }
        let host = plain(authority.host());
        match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            // no page can make its own origin an address; where we listen on all of ours, any of them will do
            Ok(ip) => ip.is_loopback() || ip == self.bound || self.bound.is_unspecified() || self.names.contains(&host),
            Err(_) => self.names.contains(&host),
        }
    }
}

fn plain(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(bound: &str, host: &str, expected: bool) {
        let hosts = Hosts::new(bound.parse().unwrap(), &["Chat.example".to_owned()]);
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
        assert_eq!(
            hosts.check(&Uri::from_static("/"), &headers).is_ok(),
            expected,
            "{bound} {host}"
        );
    }

    #[test]
    fn only_our_own_names_are_allowed() {
        for ours in [
            "localhost",
            "LOCALHOST:11434",
            "localhost.",
            "127.0.0.1:1",
            "127.8.8.8",
            "[::1]:80",
            "chat.example",
        ] {
            check("127.0.0.1:80", ours, true);
        }
        for foreign in [
            "evil.test",
            "localhost.evil.test",
            "10.0.0.1",
            "a@localhost",
            "",
            "local host",
            "0.0.0.0",
        ] {
            check("127.0.0.1:80", foreign, false);
        }
        check("10.0.0.1:80", "10.0.0.1:80", true);
        check("0.0.0.0:80", "192.168.1.5:80", true);
        check("0.0.0.0:80", "evil.test", false);
    }

    #[test]
    fn a_missing_or_doubled_host_is_refused() {
        let hosts = Hosts::new("127.0.0.1:80".parse().unwrap(), &[]);
        let mut headers = HeaderMap::new();
        assert!(hosts.check(&Uri::from_static("/"), &headers).is_err());
        headers.append(header::HOST, HeaderValue::from_static("localhost"));
        assert!(hosts.check(&Uri::from_static("http://evil.test/"), &headers).is_err());
        assert!(hosts.check(&Uri::from_static("http://localhost/"), &headers).is_ok());
        headers.append(header::HOST, HeaderValue::from_static("localhost"));
        assert!(hosts.check(&Uri::from_static("/"), &headers).is_err());
    }
}
