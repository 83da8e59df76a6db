//! What goes wrong: faults, limits, a wrong token, and a line that is cut.

use std::time::Duration;

use serde_json::{Value, json};
use tertulia_testkit::discord_double::{Fault, Faults, RateLimits, Scope, Settings};

use super::socket::{ALL, Socket, session};
use super::{call, get, post, quiet, refused, request, scene, with};

#[tokio::test]
async fn faults_strike_as_planned() {
    let (double, _, channel) = scene().await;
    let path = format!("/channels/{channel}/messages");
    double.plan(
        Faults::none()
            .next("create_message", Fault::CutBefore)
            .next("create_message", Fault::CutAfter)
            .next("create_message", Fault::Internal { done: false })
            .next("create_message", Fault::BadGateway { done: true })
            .next("create_message", Fault::InvalidJson)
            .next("create_message", Fault::Banned)
            .next(
                "create_message",
                Fault::Refuse(403, 50013, "Missing Permissions".to_owned()),
            )
            .next("create_message", Fault::Slow(Duration::from_millis(1))),
    );
    let send = |text: &'static str| request(&double, "POST", &path).json(&quiet(text)).send();
    assert!(send("one").await.is_err());
    assert!(send("two").await.is_err());
    assert_eq!(send("three").await.unwrap().status(), 500);
    let bad_gateway = send("four").await.unwrap();
    assert_eq!(
        (
            bad_gateway.status().as_u16(),
            bad_gateway.headers()["content-type"].to_str().unwrap()
        ),
        (502, "text/html")
    );
    assert!(send("five").await.unwrap().json::<Value>().await.is_err());
    assert_eq!(send("six").await.unwrap().status(), 429);
    assert_eq!(send("seven").await.unwrap().status(), 403);
    assert_eq!(send("eight").await.unwrap().status(), 200);
    assert_eq!(double.bot_shows(channel), ["two", "four", "five", "eight"]);
    assert_eq!(double.calls("create_message"), 8);
}

#[tokio::test]
async fn waits_are_told_and_kept() {
    let (double, _, channel) = scene().await;
    let path = format!("/channels/{channel}/messages");
    double.plan(Faults::none().next(
        "create_message",
        Fault::Wait(Duration::from_millis(1500), Scope::Shared),
    ));
    let response = request(&double, "POST", &path).json(&quiet("x")).send().await.unwrap();
    let headers = response.headers().clone();
    assert_eq!(
        (response.status().as_u16(), &headers["retry-after"]),
        (429, &"2".parse().unwrap())
    );
    assert_eq!(headers["x-ratelimit-scope"], "shared");
    let body: Value = response.json().await.unwrap();
    assert_eq!((&body["retry_after"], &body["global"]), (&json!(1.5), &json!(false)));
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_eq!(call(&double, "POST", &path, quiet("x")).await.0, 429);
    assert_eq!(
        (
            double.counts().early,
            double.counts().invalid_requests,
            double.violations().len()
        ),
        (1, 0, 1)
    );
    tokio::time::sleep(Duration::from_millis(1500)).await;
    post(&double, channel, quiet("x")).await;
}

#[tokio::test]
async fn buckets_have_headers() {
    let settings = Settings {
        rates: Some(RateLimits {
            limit: 2,
            per: Duration::from_mins(1),
            global: 3,
        }),
        ..Settings::default()
    };
    let double = with(settings).await;
    let guild = double.guild("Friends");
    let (one, two) = (double.channel(guild, "one"), double.channel(guild, "two"));
    let send = async |channel: u64| {
        let path = format!("/channels/{channel}/messages");
        let response = request(&double, "POST", &path).json(&quiet("x")).send().await.unwrap();
        let header = |name: &str| {
            response
                .headers()
                .get(name)
                .map(|value| value.to_str().unwrap().to_owned())
        };
        let (remaining, scope) = (header("x-ratelimit-remaining"), header("x-ratelimit-scope"));
        assert!(response.status() != 200 || header("x-ratelimit-bucket").unwrap().len() == 32);
        (
            response.status().as_u16(),
            remaining.unwrap_or_default(),
            scope.unwrap_or_default(),
        )
    };
    assert_eq!(send(one).await, (200, "1".to_owned(), String::new()));
    assert_eq!(send(one).await, (200, "0".to_owned(), String::new()));
    assert_eq!(send(one).await, (429, "0".to_owned(), "user".to_owned()));
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(send(two).await.0, 200);
    assert_eq!(double.counts().invalid_requests, 1);
}

#[tokio::test]
async fn strangers_are_refused() {
    let (double, _, channel) = scene().await;
    let path = format!("{}/api/v10/channels/{channel}/messages", double.base_url());
    let client = reqwest::Client::new();
    let wrong = client
        .post(&path)
        .header("Authorization", "Bot x")
        .json(&quiet("x"))
        .send()
        .await
        .unwrap();
    assert_eq!(wrong.status(), 401);
    assert_eq!(double.violations().len(), 1, "no User-Agent of a bot");
    double.lock_out(true);
    refused(&double, "GET", "/users/@me", json!({}), (401, 0)).await;
    let mut socket = Socket::open(&double.gateway_url()).await;
    socket.identify(&double, ALL).await;
    assert_eq!(socket.closed().await, Some(4004));
    assert_eq!(double.counts().invalid_requests, 2);
    double.lock_out(false);
    refused(&double, "GET", "/nothing", json!({}), (404, 0)).await;
    assert_eq!(double.violations().len(), 2, "a path that there is not");
}

#[tokio::test]
async fn during_a_partition_nothing_comes_through() {
    let (double, ann, channel) = scene().await;
    let (mut socket, session) = session(&double, ALL).await;
    double.partition();
    let path = format!("/channels/{channel}/messages");
    let pending = request(&double, "POST", &path)
        .json(&quiet("x"))
        .timeout(Duration::from_millis(200))
        .send();
    assert!(pending.await.is_err());
    double.say(ann, channel, "hi");
    double.heal();
    assert_eq!(socket.closed().await, None);
    assert_eq!(double.bot_shows(channel), Vec::<String>::new());
    let mut socket = Socket::open(&double.gateway_url()).await;
    socket.resume(&double, &session, 2).await;
    assert_eq!(socket.event("MESSAGE_CREATE").await["d"]["content"], "hi");
}

#[tokio::test]
async fn who_and_where_the_bot_is() {
    let (double, _, channel) = scene().await;
    let me = get(&double, "/users/@me").await;
    assert_eq!(
        (&me["bot"], &me["id"]),
        (&json!(true), &json!(double.bot_id().to_string()))
    );
    assert_eq!(get(&double, "/applications/@me").await["flags"], 1 << 19);
    assert_eq!(get(&double, &format!("/channels/{channel}")).await["name"], "general");
    assert_eq!(get(&double, "/gateway").await["url"], double.gateway_url());
    let guilds = get(&double, "/users/@me/guilds").await;
    let guild = guilds[0]["id"].as_str().unwrap();
    assert_eq!(
        get(&double, &format!("/guilds/{guild}/roles"))
            .await
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        get(&double, &format!("/guilds/{guild}/channels")).await[0]["id"],
        channel.to_string()
    );
    let member = get(&double, &format!("/guilds/{guild}/members/{}", double.bot_id())).await;
    assert_eq!(member["roles"].as_array().unwrap().len(), 1);
}
