//! What counts as alive: the watchdog restarts us only for what a restart mends.

use std::time::Duration;

use tertulia_engine::InterfaceState;
use tertulia_testkit::chat_double::Kind;

use crate::rig::{Mood, Rig, Stuck};

const PATIENCE: Duration = Duration::from_secs(10);

fn loopback(rig: &Rig) -> InterfaceState {
    let states = rig.handle().interfaces();
    states.into_iter().find(|(name, _)| name == "loopback").unwrap().1
}

#[tokio::test(start_paused = true)]
async fn alive_while_it_runs_and_not_before_or_after() {
    let mut rig = Rig::new(Kind::Findable);
    let engine = rig.engine();
    let handle = rig.handle();
    assert_eq!(
        handle.is_alive(PATIENCE).await,
        Err("the event loop does not answer".to_owned())
    );
    assert_eq!(loopback(&rig), InterfaceState::Trying("it is starting".to_owned()));
    assert_eq!(handle.started(), None);
    rig.run(engine);
    assert_eq!(handle.is_alive(PATIENCE).await, Ok(()));
    assert_eq!(loopback(&rig), InterfaceState::Listening);
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(handle.is_alive(PATIENCE).await, Ok(()));
    assert!(handle.started().is_some() && handle.uptime() >= Duration::from_hours(1));
    rig.stop().await.unwrap();
    assert_eq!(
        handle.is_alive(PATIENCE).await,
        Err("the event loop has ended".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn asking_writes_nothing() {
    let rig = Rig::started(Kind::Findable);
    rig.say("a", "hello");
    rig.until_shown("a", 1).await;
    let before = (rig.store.row_states(), rig.store.slots());
    for _ in 0..100 {
        rig.handle().is_alive(PATIENCE).await.unwrap();
    }
    assert_eq!((rig.store.row_states(), rig.store.slots()), before);
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_is_no_reason_for_a_restart() {
    let mut rig = Rig::started(Kind::Findable);
    rig.say("a", "hello");
    rig.until_shown("a", 1).await;
    rig.moody.feel(Mood::Busy);
    rig.say("a", "more");
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_secs(30)).await;
        assert_eq!(rig.handle().is_alive(PATIENCE).await, Ok(()));
    }
    // neither is one that is full from the beginning
    rig.moody.feel(Mood::Well);
    rig.until_quiet().await;
    rig.stop().await.unwrap();
    let engine = rig.engine();
    engine.prepare().await.unwrap();
    rig.moody.feel(Mood::Busy);
    rig.run(engine);
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_secs(30)).await;
        assert_eq!(rig.handle().is_alive(PATIENCE).await, Ok(()));
    }
    rig.moody.feel(Mood::Well);
    rig.until_quiet().await;
}

#[tokio::test(start_paused = true)]
async fn a_writer_that_hangs_or_broke_is_told() {
    let rig = Rig::started(Kind::Findable);
    rig.moody.feel(Mood::Hung);
    assert_eq!(
        rig.handle().is_alive(PATIENCE).await,
        Err("the store's writer does not answer".to_owned())
    );
    rig.moody.feel(Mood::Well);
    assert_eq!(rig.handle().is_alive(PATIENCE).await, Ok(()));
    rig.moody.feel(Mood::Broken);
    let told = rig.handle().is_alive(PATIENCE).await.unwrap_err();
    assert!(told.contains("the store is broken"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_platform_that_refuses_us_or_breaks_is_no_reason_for_a_restart() {
    let mut rig = Rig::new(Kind::Findable);
    rig.chat.refuse();
    rig.start();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(matches!(loopback(&rig), InterfaceState::Down(_)));
    assert_eq!(rig.handle().is_alive(PATIENCE).await, Ok(()));
    rig.stop().await.unwrap();

    let mut rig = Rig::new(Kind::Findable);
    rig.chat.panic_at_listen(3);
    rig.start();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(loopback(&rig), InterfaceState::Trying("it broke".to_owned()));
    assert_eq!(rig.handle().is_alive(PATIENCE).await, Ok(()));
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(loopback(&rig), InterfaceState::Listening);
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_died_is_told() {
    let mut rig = Rig::new(Kind::Findable);
    rig.chat.explode_at_listen();
    rig.start();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(loopback(&rig), InterfaceState::Down("it died".to_owned()));
    let told = rig.handle().is_alive(PATIENCE).await;
    assert_eq!(told, Err("the interface loopback has ended".to_owned()));
    assert!(rig.is_running(), "the others go on");
}

/// Waits until the engine is found like this, in real time.
async fn until_found(rig: &Rig, wanted: Result<(), &str>) {
    let wanted = wanted.map_err(str::to_owned);
    loop {
        let found = rig.handle().is_alive(Duration::from_millis(300)).await;
        if found == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_listener_that_holds_its_thread_is_told() {
    let mut rig = Rig::new(Kind::Findable);
    rig.chat.stick(Stuck::InListen);
    rig.start();
    until_found(&rig, Err("the interface loopback does not answer")).await;
    rig.chat.stick(Stuck::Nowhere);
    until_found(&rig, Ok(())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_event_loop_that_hangs_is_told() {
    let mut rig = Rig::started(Kind::Findable);
    rig.chat.slow_deliveries(Duration::from_hours(1));
    rig.say("a", "hello");
    rig.until("it is to be delivered", |rig| rig.store.slots().len() == 1)
        .await;
    rig.crash_and_find(|chat| chat.stick(Stuck::InLimits)).await;
    until_found(&rig, Err("the event loop does not answer")).await;
    rig.chat.stick(Stuck::Nowhere);
    until_found(&rig, Ok(())).await;
    rig.until_shown("a", 1).await;
}
