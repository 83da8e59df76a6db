//! Many questions at once to one provider.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use tertulia_core::chat::ChatMessage;
use tertulia_core::fault::{Fault, Hollow};
use tertulia_core::price::Prices;
use tertulia_core::provider::{ModelRequest, ProviderFault, Stop};
use tertulia_engine::{ProviderPart, Reply, Unanswered, run_many};
use tertulia_message::Generation;
use tertulia_testkit::chat_double::Kind;
use tokio::time::{sleep, timeout};

use crate::rig::{Piece, Rig, Scripted, words};

fn question(text: &str) -> ModelRequest {
    ModelRequest {
        model: "m".into(),
        system: String::new(),
        messages: vec![ChatMessage::user(text)],
        tools: Vec::new(),
        generation: Generation::default(),
    }
}

fn part(provider: &Arc<Scripted>, at_once: usize) -> ProviderPart {
    ProviderPart {
        at_once,
        ..Rig::new(Kind::Findable).part(provider)
    }
}

async fn run(provider: &Arc<Scripted>, at_once: usize, texts: &[&str]) -> Vec<Result<Reply, Unanswered>> {
    let questions: Vec<ModelRequest> = texts.iter().map(|text| question(text)).collect();
    run_many(&part(provider, at_once), questions).collect().await
}

fn said(results: &[Result<Reply, Unanswered>]) -> Vec<Result<&str, &Fault>> {
    let results = results.iter().map(Result::as_ref);
    let results = results.map(|result| result.map(|reply| reply.text.as_str()));
    results
        .map(|result| result.map_err(|unanswered| &unanswered.fault))
        .collect()
}

fn slow(seconds: u64, text: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece::Wait(Duration::from_secs(seconds))];
    pieces.extend(words(text));
    pieces
}

#[tokio::test(start_paused = true)]
async fn results_come_in_order_each_for_itself() {
    let provider = Arc::new(Scripted::default());
    provider.on("slow", [slow(60, "at last")]);
    provider.on("refused", [vec![Piece::Refuse(ProviderFault::Rejected)]]);
    provider.on("panic", [vec![Piece::Panic]]);
    provider.on("empty", [vec![Piece::End(Stop::Done)]]);
    provider.on("silent", [vec![Piece::Silence]]);
    let texts = ["slow", "hello", "refused", "panic", "empty", "silent", "bye"];
    let results = run(&provider, 2, &texts).await;
    let first_byte = part(&provider, 2).deadlines.first_byte;
    let expected = [
        Ok("at last"),
        Ok("You said hello."),
        Err(&Fault::Provider(ProviderFault::Rejected)),
        Err(&Fault::Provider(ProviderFault::Broken)),
        Err(&Fault::Hollow(Hollow::Nothing)),
        Err(&Fault::NoFirstByte(first_byte)),
        Ok("You said bye."),
    ];
    assert_eq!(said(&results), expected);
    assert_eq!(results[0].as_ref().unwrap().first, Duration::from_mins(1));
    assert!(results[2].as_ref().unwrap_err().error.is_some());
    assert_eq!(provider.open(), 0);
}

#[tokio::test(start_paused = true)]
async fn no_more_at_once_than_the_provider_takes() {
    let provider = Arc::new(Scripted::default());
    provider.on("many", [slow(5, "done")]);
    let all = run_many(&part(&provider, 3), (0..30).map(|_| question("many")));
    let mut most = 0;
    let mut all = std::pin::pin!(all.collect::<Vec<_>>());
    let results = loop {
        tokio::select! {
            results = &mut all => break results,
            () = sleep(Duration::from_millis(100)) => most = most.max(provider.open()),
        }
    };
    assert_eq!(most, 3);
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 30);
    // ten rounds of five seconds: places are never idle
    assert!(results[29].as_ref().unwrap().took <= Duration::from_secs(6));
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_tried_again_also_behind_the_first_words() {
    let provider = Arc::new(Scripted::default());
    let after = Some(Duration::from_secs(9));
    let limited = vec![Piece::Refuse(ProviderFault::RateLimited { after })];
    let cut = vec![Piece::Text("Half an".into()), Piece::Cut];
    let unreachable = vec![Piece::Refuse(ProviderFault::Unreachable)];
    provider.on("trouble", [limited, cut, unreachable, words("<think>Hm.</think>whole")]);
    let results = run(&provider, 1, &["trouble"]).await;
    let reply = results[0].as_ref().unwrap();
    assert_eq!((reply.text.as_str(), reply.thinking.as_str()), ("whole", "Hm."));
    assert!(reply.took >= Duration::from_secs(9));
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_is_down_is_not_asked_for_each() {
    let provider = Arc::new(Scripted::default());
    provider.on(
        "down",
        [vec![Piece::Refuse(ProviderFault::Unavailable { after: None })]],
    );
    let results = run(&provider, 1, &["down"; 20]).await;
    let down = |fault: &Fault| matches!(fault, Fault::Provider(ProviderFault::Unavailable { .. }));
    let told = said(&results);
    assert!(told.iter().all(|result| result.is_err_and(down)), "{results:?}");
    let asked = provider.asked().len();
    assert!(
        asked < 40,
        "twenty questions with four tries each, and {asked} of them were asked"
    );
}

#[tokio::test(start_paused = true)]
async fn dropping_it_ends_all() {
    let provider = Arc::new(Scripted::default());
    provider.on("silent", [vec![Piece::Text("x".into()), Piece::Silence]]);
    let part = part(&provider, 8);
    let all = run_many(&part, (0..20).map(|_| question("silent"))).collect::<Vec<_>>();
    assert!(timeout(Duration::from_secs(1), all).await.is_err());
    assert_eq!((provider.open(), provider.asked().len()), (0, 8));
}

#[tokio::test(start_paused = true)]
async fn a_model_has_its_price_however_it_is_written() {
    let provider = Arc::new(Scripted::default());
    let mut part = part(&provider, 1);
    let price = |input| Prices {
        input,
        ..Prices::default()
    };
    part.prices.extend([
        ("Org/Big".to_owned(), price(1.0)),
        ("small".to_owned(), price(2.0)),
        ("SMALL".to_owned(), price(3.0)),
    ]);
    let of = |model| part.prices_of(model).map(|prices| prices.input);
    assert_eq!([of("org/big"), of("Org/Big")], [Some(1.0); 2]);
    assert_eq!([of("small"), of("SMALL"), of("other")], [Some(2.0), Some(3.0), None]);
}
