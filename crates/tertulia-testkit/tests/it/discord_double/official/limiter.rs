//! Its own rate limiter, which is not there when it is pointed at another address.

use std::time::Duration;

use serenity::all::{ChannelId, CreateAllowedMentions, Http, HttpBuilder, Ratelimiter};
use tertulia_testkit::discord_double::{DiscordDouble, Fault, Faults, RateLimits, Scope, Settings};

use super::tunnel::Tunnel;
use crate::discord_double::{scene, with};

async fn limited(double: &DiscordDouble) -> (Http, Tunnel) {
    let server = double.base_url().trim_start_matches("http://").parse().unwrap();
    let tunnel = Tunnel::to(server).await;
    let client = tunnel.client();
    let limiter = Ratelimiter::new(client.clone(), format!("Bot {}", double.token()));
    let builder = HttpBuilder::new(double.token()).client(client).ratelimiter(limiter);
    (
        builder.default_allowed_mentions(CreateAllowedMentions::new()).build(),
        tunnel,
    )
}

#[tokio::test]
async fn a_wait_is_kept() {
    let (double, _, channel) = scene().await;
    let (http, _tunnel) = limited(&double).await;
    let wait = Fault::Wait(Duration::from_secs(1), Scope::User);
    double.plan(Faults::none().next("create_message", wait));
    ChannelId::new(channel).say(&http, "hello").await.unwrap();
    assert_eq!((double.calls("create_message"), double.counts().early), (2, 0));
    assert_eq!(double.bot_shows(channel), ["hello"]);
    assert!(double.violations().is_empty(), "{:?}", double.violations());
}

#[tokio::test]
async fn an_empty_bucket_is_waited_for() {
    let double = with(Settings {
        rates: Some(RateLimits {
            limit: 2,
            per: Duration::from_millis(800),
            global: 50,
        }),
        ..Settings::default()
    })
    .await;
    let channel = double.channel(double.guild("Friends"), "general");
    let (http, _tunnel) = limited(&double).await;
    for n in 0..5 {
        ChannelId::new(channel).say(&http, n.to_string()).await.unwrap();
    }
    assert_eq!(double.bot_shows(channel), ["0", "1", "2", "3", "4"]);
    assert_eq!(double.refused(), [], "the headers were heeded");
}
