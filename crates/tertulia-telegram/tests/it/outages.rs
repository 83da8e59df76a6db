//! What goes wrong between the bot and Telegram.

use tertulia_interface::ListenError;
use tertulia_testkit::telegram_double::{Fault, Faults};

use crate::stage::{Listening, double, eventually, interface};

#[tokio::test]
async fn a_wrong_token_ends_it() {
    let double = double().await;
    double.lock_out(true);
    let ended = Listening::start(&double).ended().await;
    let Err(ListenError::Refused(why)) = ended else {
        panic!("it ended with {ended:?}");
    };
    assert!(why.contains("token") && !why.contains(double.token()));
}

#[tokio::test]
async fn a_revoked_token_ends_it_too() {
    let double = double().await;
    let ann = double.person("Ann");
    let listening = Listening::start(&double);
    double.say(ann, ann, "hello");
    listening.hears(1).await;
    double.lock_out(true);
    double.say(ann, ann, "are you there?");
    let ended = listening.ended().await;
    assert!(matches!(ended, Err(ListenError::Refused(_))), "{ended:?}");
}

#[tokio::test]
async fn an_outage_is_waited_out() {
    let double = double().await;
    let ann = double.person("Ann");
    double.plan(
        Faults::none()
            .next("getMe", Fault::CutBefore)
            .next("getUpdates", Fault::CutAfter)
            .next("getUpdates", Fault::BadGateway { done: true })
            .next("getUpdates", Fault::InvalidJson),
    );
    double.say(ann, ann, "hello");
    let listening = Listening::start(&double);
    listening.hears(1).await;
    eventually("it is confirmed", || double.unconfirmed() == 0).await;
    assert_eq!(listening.ear.reached(), [false, true, false, true]);
    assert_eq!(listening.ear.events().len(), 1);
    listening.stop().await;
    assert_eq!(double.violations(), []);
}

#[tokio::test]
async fn what_was_said_while_telegram_was_away_comes_later() {
    let double = double().await;
    let ann = double.person("Ann");
    let listening = Listening::start(&double);
    double.say(ann, ann, "one");
    listening.hears(1).await;
    double.partition();
    double.say(ann, ann, "two");
    double.heal();
    listening.hears(2).await;
    listening.stop().await;
}

#[tokio::test]
async fn a_wait_is_obeyed_and_is_no_outage() {
    let double = double().await;
    let ann = double.person("Ann");
    double.plan(Faults::none().next("getUpdates", Fault::Wait(1)));
    double.say(ann, ann, "hello");
    let listening = Listening::start(&double);
    listening.hears(1).await;
    assert_eq!(listening.ear.reached(), [true]);
    listening.stop().await;
    assert_eq!(double.violations(), []);
}

#[tokio::test]
async fn a_long_wait_is_told() {
    let double = double().await;
    double.plan(Faults::none().next("getUpdates", Fault::Wait(600)));
    let listening = Listening::start(&double);
    eventually("it is told", || listening.ear.reached() == [true, false]).await;
    assert_eq!(double.calls("getUpdates"), 1);
    listening.stop().await;
}

/// Whoever cannot ask for the rest of a group does not ask again and again.
#[tokio::test]
async fn a_refused_look_for_the_rest_is_not_repeated_in_haste() {
    let double = double().await;
    let ann = double.person("Ann");
    let listening = Listening::start(&double);
    eventually("it waits for news", || double.counts().polls > 0).await;
    let asked = double.calls("getUpdates");
    let refused = || Fault::Refuse(502, "Bad Gateway".to_owned());
    double.plan(
        Faults::none()
            .next("getUpdates", refused())
            .next("getUpdates", refused()),
    );
    double.say(ann, ann, &"x".repeat(4096));
    listening.hears(1).await;
    assert!(double.calls("getUpdates") <= asked + 2);
    listening.stop().await;
}

/// Runs itself again, with a proxy in its environment that nobody serves.
#[tokio::test]
async fn a_server_on_this_machine_is_reached_past_a_proxy() {
    const NAME: &str = "outages::a_server_on_this_machine_is_reached_past_a_proxy";
    const NOBODY: &str = "http://127.0.0.1:9";
    if std::env::var_os("HTTP_PROXY").is_some_and(|proxy| proxy == NOBODY) {
        let double = double().await;
        assert_eq!(interface(&double).check().await.unwrap().username, "double_bot");
        return;
    }
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again
        .args(["--exact", NAME])
        .env("HTTP_PROXY", NOBODY)
        .env("ALL_PROXY", NOBODY);
    for cleared in ["NO_PROXY", "no_proxy", "http_proxy", "all_proxy"] {
        again.env_remove(cleared);
    }
    let done = again.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

#[tokio::test]
async fn a_second_poller_is_told_and_not_fought() {
    let double = double().await;
    let ann = double.person("Ann");
    let first = Listening::start(&double);
    eventually("the first one asks", || double.counts().polls >= 1).await;
    let second = Listening::start(&double);
    eventually("the first one gives way", || first.ear.reached().last() == Some(&false)).await;
    double.say(ann, ann, "hello");
    second.hears(1).await;
    eventually("it is confirmed", || double.unconfirmed() == 0).await;
    assert_eq!(double.counts().conflicts, 1, "they took turns");
    assert_eq!(first.ear.events(), []);
    assert_eq!(second.ear.reached(), [true]);
    first.stop().await;
    second.stop().await;
}

#[tokio::test]
async fn a_webhook_is_told() {
    let double = double().await;
    let words =
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
    double.plan(Faults::none().next("getUpdates", Fault::Refuse(409, words.to_owned())));
    let listening = Listening::start(&double);
    eventually("it is told", || listening.ear.reached() == [true, false]).await;
    assert_eq!(double.calls("deleteWebhook"), 0, "the operator may want it");
    listening.stop().await;
}
