//! Which of the addresses that a server names may be followed.
//!
//! The key goes along to the configured host, and from Replicate's own host to its host for streams. Streams also live on
//! hosts of Replicate's network, and files on its host for them: these are asked without the key. Nothing else is followed.

use reqwest::Url;

use super::config::OFFICIAL_HOST;

const STREAM_HOST: &str = "stream.replicate.com";
/// Where streams of models that are not official come from.
const NETWORK: &str = ".replicate.net";
const FILES: &str = "replicate.delivery";

/// The hosts around a base address.
#[derive(Debug, Clone)]
pub(crate) struct Hosts {
    base: Url,
}

impl Hosts {
    pub(crate) fn around(base: Url) -> Self {
        Self { base }
    }

    /// An address of the configured host itself.
    pub(crate) fn own(&self, address: &str) -> Option<Url> {
        let url = plain(address)?;
        self.is_own(&url).then_some(url)
    }

    /// An address of a stream.
    pub(crate) fn of_stream(&self, address: &str) -> Option<Url> {
        let url = plain(address)?;
        let host = url.host_str()?;
        let is_near = self.is_official() && is_safe(&url) && (host == STREAM_HOST || host.ends_with(NETWORK));
        (self.is_own(&url) || is_near).then_some(url)
    }

    /// An address of a file.
    pub(crate) fn of_file(&self, address: &str) -> Option<Url> {
        let url = plain(address)?;
        (self.is_own(&url) || Self::is_file(address)).then_some(url)
    }

    /// The key may be sent there.
    pub(crate) fn takes_key(&self, url: &Url) -> bool {
        let is_sibling = self.is_official() && is_safe(url) && url.host_str() == Some(STREAM_HOST);
        self.is_own(url) || is_sibling
    }

    /// It is an address of a file at Replicate, whatever the configured host.
    pub(crate) fn is_file(address: &str) -> bool {
        let is_there = |url: &Url| {
            let host = url.host_str().unwrap_or_default();
            is_safe(url) && (host == FILES || host.strip_suffix(FILES).is_some_and(|rest| rest.ends_with('.')))
        };
        !address.contains(char::is_whitespace) && plain(address).is_some_and(|url| is_there(&url))
    }

    /// The configured host is Replicate's own.
    pub(crate) fn is_official(&self) -> bool {
        self.base.host_str() == Some(OFFICIAL_HOST)
    }

    fn is_own(&self, url: &Url) -> bool {
        let place = |url: &Url| {
            let port = url.port_or_known_default();
            (url.scheme().to_owned(), url.host_str().map(str::to_owned), port)
        };
        place(url) == place(&self.base)
    }
}

/// An address without a user name and a password.
fn plain(address: &str) -> Option<Url> {
    let url = Url::parse(address).ok()?;
    (url.username().is_empty() && url.password().is_none()).then_some(url)
}

/// Nobody on the way reads along.
fn is_safe(url: &Url) -> bool {
    url.scheme() == "https" && url.port().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_hosts_are_followed() {
        let hosts = Hosts::around(Url::parse("https://api.replicate.com/").unwrap());
        let check = |address: &str, expected: [bool; 4]| {
            let key = Url::parse(address).is_ok_and(|url| hosts.takes_key(&url));
            let found = [
                hosts.own(address).is_some(),
                hosts.of_stream(address).is_some(),
                hosts.of_file(address).is_some(),
                key,
            ];
            assert_eq!(found, expected, "{address}");
        };
        check("https://api.replicate.com/v1/predictions/1", [true; 4]);
        check("https://stream.replicate.com/v1/files/1", [false, true, false, true]);
        check(
            "https://stream-b.svc.ric1.c.replicate.net/v1/streams/1",
            [false, true, false, false],
        );
        check("https://replicate.delivery/x/out.webp", [false, false, true, false]);
        check(
            "https://pbxt.replicate.delivery/x/out.webp",
            [false, false, true, false],
        );
        for elsewhere in [
            "http://api.replicate.com/v1/predictions/1",
            "https://api.replicate.com:8443/v1/predictions/1",
            "https://api.replicate.com.evil.example/v1",
            "https://evilreplicate.net/v1",
            "https://evilreplicate.delivery/v1",
            "http://stream.replicate.com/v1/files/1",
            "https://replicate.com/p/1",
            "http://169.254.169.254/latest",
            "file:///etc/passwd",
            "nonsense",
        ] {
            check(elsewhere, [false; 4]);
        }
        assert_eq!(hosts.own("https://me:pw@api.replicate.com/v1"), None);
    }

    #[test]
    fn another_server_has_no_siblings() {
        let hosts = Hosts::around(Url::parse("http://127.0.0.1:4711/x").unwrap());
        assert!(hosts.of_stream("http://127.0.0.1:4711/v1/stream").is_some());
        for elsewhere in [
            "http://127.0.0.1:4712/v1/stream",
            "https://127.0.0.1:4711/v1/stream",
            "https://stream.replicate.com/v1/files/1",
        ] {
            assert_eq!(hosts.of_stream(elsewhere), None, "{elsewhere}");
        }
    }
}
