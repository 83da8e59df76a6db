//! The contract, over the double in the same process and over a real socket.

#![expect(clippy::expect_used, reason = "test code")]

mod loopback;
mod telegram;

use std::sync::Arc;
use std::time::Duration;

use tertulia_interface::Interface;
use tertulia_loopback::{Config, Loopback};
use tertulia_testkit::chat_double::{ChatDouble, DoubleInterface, DoubleSettings, Kind, Rules};
use tertulia_testkit::interface_contract::{OverDouble, Stage, interface_contract};
use tertulia_testkit::loopback_server::LoopbackServer;
use tokio::time::Instant;

const ALL: &[Kind] = &[Kind::Keyed, Kind::Findable, Kind::Blind];

struct InProcess {
    double: Arc<ChatDouble>,
    since: Instant,
}

impl OverDouble for InProcess {
    fn interface(&self) -> Arc<dyn Interface> {
        let settings = DoubleSettings::since(self.since);
        Arc::new(DoubleInterface::new(Arc::clone(&self.double), settings))
    }

    fn double(&self) -> &ChatDouble {
        &self.double
    }

    fn now(&self) -> Duration {
        self.since.elapsed()
    }
}

struct OverHttp(LoopbackServer);

impl OverDouble for OverHttp {
    fn interface(&self) -> Arc<dyn Interface> {
        let config = Config::at(self.0.base_url());
        Arc::new(Loopback::new("loopback", &config).expect("the server's own address is a good one"))
    }

    fn double(&self) -> &ChatDouble {
        self.0.double()
    }

    fn now(&self) -> Duration {
        self.0.now()
    }
}

async fn in_process(kind: Kind) -> Box<dyn Stage> {
    Box::new(InProcess {
        double: Arc::new(ChatDouble::new(Rules::of(kind))),
        since: Instant::now(),
    })
}

async fn over_http(kind: Kind) -> Box<dyn Stage> {
    let server = LoopbackServer::start(Rules::of(kind)).await;
    Box::new(OverHttp(server.expect("a free port on loopback")))
}

#[tokio::test]
async fn the_double_keeps_the_contract() {
    interface_contract(ALL, in_process).await;
}

#[tokio::test]
async fn the_loopback_client_keeps_the_contract() {
    interface_contract(ALL, over_http).await;
}
