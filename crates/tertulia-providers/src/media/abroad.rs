//! The way to files at foreign hosts: only to machines that anybody could reach, wherever their names lead.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// How long making a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Makes the client; what it connects to is what it has looked at, so that no name changes in between.
///
/// # Errors
/// When no client can be made (no certificates on this machine, say).
pub(crate) fn client() -> Result<Client, reqwest::Error> {
    Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .dns_resolver(Arc::new(Public))
        .build()
}

/// Finds the addresses of names, without those that lead into a network of somebody's own.
struct Public;

impl Resolve for Public {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err("the name leads to no public address".into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        // this network, carriers' own, protocols, measuring, and what is kept for later
        [0 | 240..=255, ..] | [192, 0, 0, _] => true,
        [100, second, ..] => (64..128).contains(&second),
        [198, second, ..] => (18..20).contains(&second),
        _ => false,
    };
    !(special
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation())
}

/// The public ones all begin with `2000::/3`; those that hold an address of the older kind count as that one.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, third, ..] = address.segments();
    let bytes = address.octets();
    let older = |bytes: [u8; 4]| is_public_v4(Ipv4Addr::from(bytes));
    match (first, second, bytes) {
        (0x0064, 0xff9b, [.., a, b, c, d]) => third == 0 && older([a, b, c, d]),
        (0x2002, _, [_, _, a, b, c, d, ..]) => older([a, b, c, d]),
        (0x2001, 0 | 0x0db8, _) => false,
        (0x2000..=0x3fff, _, _) => true,
        _ => address.to_ipv4_mapped().is_some_and(is_public_v4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_left() {
        for public in [
            "1.1.1.1",
            "100.63.0.1",
            "198.20.0.1",
            "2606:4700::1111",
            "64:ff9b::101:101",
            "::ffff:1.1.1.1",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for own in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "192.0.2.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:a00:1::",
            "2001:db8::1",
        ] {
            assert!(!is_public(own.parse().unwrap()), "{own}");
        }
    }

    #[tokio::test]
    async fn names_that_lead_home_are_not_followed() {
        let asked = client().unwrap().get("https://localhost:1/x").send().await;
        let error = crate::connection::chain(&asked.unwrap_err());
        assert!(error.contains("no public address"), "{error}");
    }
}
