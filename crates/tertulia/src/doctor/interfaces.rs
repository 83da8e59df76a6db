//! Whether every interface can be reached, or could listen.

#[cfg(feature = "loopback")]
mod loopback;
#[cfg(feature = "matrix")]
mod matrix;
mod telegram;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use reqwest::{Client, StatusCode};
use tertulia_server::{BindError, Server};

use super::report::Report;
use crate::config::{Configuration, PlatformKind};
use crate::failure::chain;

/// How long somebody may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn look(configuration: &Configuration, is_running: bool, report: &mut Report) {
    if let Some(door) = &configuration.door {
        let what = format!("interface {door}");
        let address = configuration.server.address;
        if is_running {
            running(&what, address, report).await;
        } else {
            could_listen(&what, address, report).await;
        }
    }
    for (name, platform) in &configuration.platforms {
        let what = format!("interface {name}");
        match &platform.kind {
            PlatformKind::Telegram(bot) => telegram::look(&what, bot, report).await,
            #[cfg(feature = "matrix")]
            PlatformKind::Matrix(account) => matrix::look((&what, name), account, report).await,
            #[cfg(feature = "loopback")]
            PlatformKind::Loopback => {
                let address = configuration.settings.text(&["interfaces", name, "base_url"]);
                loopback::look(&what, address.unwrap_or_default(), report).await;
            }
        }
    }
}

/// The daemon that runs is asked how it is.
async fn running(what: &str, address: SocketAddr, report: &mut Report) {
    if address.port() == 0 {
        return report.ok(what, "a daemon runs; its port is a free one, and cannot be asked for");
    }
    let url = format!("http://{}/readyz", reached(address));
    let client = Client::builder().no_proxy().timeout(PATIENCE).build();
    let answered = match client {
        Ok(client) => client.get(&url).send().await,
        Err(error) => Err(error),
    };
    match answered {
        Ok(answer) if answer.status() == StatusCode::OK => report.ok(what, format!("the daemon is ready: {url}")),
        Ok(answer) => {
            let status = answer.status();
            let body = answer.text().await.unwrap_or_default();
            let finding = format!("the daemon runs and is not ready: {url} says {status} {body}");
            report.fail(what, finding, "look into its log: `journalctl -u tertulia`");
        }
        Err(error) => {
            let finding = format!(
                "a daemon runs, and {url} does not answer: {}",
                chain(&error.without_url())
            );
            let advice = "it was started with another configuration, or hangs: look into its log, or restart it";
            report.fail(what, finding, advice);
        }
    }
}

/// Where a client reaches what listens on all addresses.
fn reached(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        IpAddr::V4(_) | IpAddr::V6(_) => {}
    }
    address
}

async fn could_listen(what: &str, address: SocketAddr, report: &mut Report) {
    match Server::bind(address).await {
        Ok(_) => report.ok(what, format!("could listen on {address}")),
        Err(BindError::InUse(address)) => {
            let advice = "end the program that has the port (`ss -ltnp` names it), or set another server.port";
            report.fail(what, format!("{address} is in use by another program"), advice);
        }
        Err(error @ BindError::Failed { .. }) => {
            let advice =
                "set server.bind to an address of this machine, and server.port to a port that its user may take";
            report.fail(what, chain(&error), advice);
        }
    }
}
