//! Whatever a server sends: no panic, no half answer taken for a whole one, no key and no page in an error, and bounds.

mod bodies;
mod double;
mod kinds;

use std::time::Duration;

use axum::body::Bytes;
use tertulia_core::provider::{ModelRequest, ProviderError};
use tertulia_ports::Provider;
use tokio::task::JoinSet;

use crate::asking::{Answer, ask, question};
use crate::recordings::case::{self, Case, Exchange, cases};

use bodies::bodies;
use double::{Rough, RoughDouble};
use kinds::{KINDS, Kind};

/// The beginning of the key; the whole of it must not be seen, and neither must so much.
const TELLING: &str = "sk-can";

/// Recorded answers are cut off at so many places.
const PLACES: usize = 8;

/// Bodies that would fall into more pieces are not cut so small.
const MOST_PIECES: usize = 600;

/// The most of an endless answer that may be taken: 32 MiB are read of one,
/// and as much may lie in buffers on the way.
const MOST: u64 = 64 << 20;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_a_server_sends_harms() {
    for_each_kind(|kind| async move {
        let double = RoughDouble::start().await;
        let provider = kind.provider(&double.base_url());
        for (name, rough) in bodies().into_iter().step_by(kind.stride()) {
            for piece in [1, 7, 4096] {
                if rough.body.len() / piece > MOST_PIECES || (kind.stride() > 1 && piece < 4096) {
                    continue;
                }
                double.answer(Rough { piece, ..rough.clone() });
                let answer = answer_of(&*provider).await;
                let place = format!("{kind:?}: {name} by {piece}");
                assert_eq!(answer.stop, None, "{place}");
                check_error(&answer.error.unwrap(), &place);
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recordings_cut_off_anywhere_are_never_taken_for_whole() {
    let Some(folder) = case::folder() else { return };
    for_each_kind(|kind| {
        let (cases, _) = cases(&folder, kind.folders, kind.api);
        async move {
            let double = RoughDouble::start().await;
            let provider = kind.provider(&double.base_url());
            let mut count = 0;
            for case in &cases {
                count += cut_off_anywhere(kind, case, &double, &*provider).await;
            }
            println!("{kind:?}: {} recordings, cut off at {count} places", cases.len());
            assert!(count > 20, "{kind:?}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_a_gigabyte_is_given_up() {
    for_each_kind(|kind| async move {
        let double = RoughDouble::start().await;
        let provider = kind.provider(&double.base_url());
        for (again, status, content_type) in [
            (": still here\n", 200, "text/event-stream"),
            ("x", 200, "application/json"),
            ("x", 500, "text/plain"),
        ] {
            let piece = Bytes::from(again.repeat((64 << 10) / again.len()));
            let times = (1 << 30) / u64::try_from(piece.len()).unwrap();
            double.answer(Rough {
                again: (piece, times),
                ..Rough::new(status, content_type, "")
            });
            let answer = answer_of(&*provider).await;
            let place = format!("{kind:?}: {again:?} with {status} as {content_type}");
            assert_eq!(answer.stop, None, "{place}");
            check_error(&answer.error.unwrap(), &place);
            assert!(double.sent() < MOST, "{place}: {} bytes", double.sent());
        }
    })
    .await;
}

async fn for_each_kind<F>(work: impl Fn(&'static Kind) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut kinds: JoinSet<()> = KINDS.iter().map(work).collect();
    while let Some(done) = kinds.join_next().await {
        done.unwrap();
    }
}

async fn answer_of(provider: &dyn Provider) -> Answer {
    let request = ModelRequest {
        model: "acme/model".into(),
        ..question()
    };
    let answer = tokio::time::timeout(Duration::from_mins(1), ask(provider, request)).await;
    answer.unwrap()
}

/// Bounded, without the key or so much of it that it could be guessed, and without pages.
fn check_error(error: &ProviderError, place: &str) {
    let shown = format!("{error} {error:?}");
    assert!(error.detail.chars().count() <= 500, "{place}: {shown}");
    assert!(!shown.contains(TELLING), "{place}: {shown}");
    assert!(
        !shown.to_lowercase().contains("<html") && !shown.contains("<p>"),
        "{place}: {shown}"
    );
    assert!(
        !shown.contains('\0') && !error.detail.contains(['\n', '\r']),
        "{place}: {shown}"
    );
}

/// An end mark is told only with all that belongs to the answer. Gives how often it was cut off.
async fn cut_off_anywhere(kind: &Kind, case: &Case, double: &RoughDouble, provider: &dyn Provider) -> usize {
    let mut count = 0;
    for exchange in case
        .exchanges
        .iter()
        .filter(|exchange| kind.takes(&exchange.content_type))
    {
        let place = format!("{kind:?}: {}", case.name);
        count += cut_off(&place, exchange, double, provider).await;
    }
    count
}

async fn cut_off(place: &str, exchange: &Exchange, double: &RoughDouble, provider: &dyn Provider) -> usize {
    let body = Bytes::copy_from_slice(exchange.body.as_bytes());
    let cut = |end: usize| Rough::new(exchange.status, &exchange.content_type, body.slice(..end));
    double.answer(cut(body.len()));
    let whole = answer_of(provider).await;
    let spread = (0..PLACES).map(|nth| body.len() * nth / PLACES);
    let near_the_end = (1..4).map(|back| body.len().saturating_sub(back));
    let mut count = 0;
    for end in spread.chain(near_the_end) {
        double.answer(cut(end));
        let part = answer_of(provider).await;
        count += 1;
        let place = format!("{place} cut at {end} of {}", body.len());
        if part.stop.is_some() {
            assert!(whole.stop.is_none() || whole.stop == part.stop, "{place}");
            assert!(whole.stop.is_none() || whole.data == part.data, "{place}");
            assert_eq!(
                (part.text, part.thinking, part.calls),
                (whole.text.clone(), whole.thinking.clone(), whole.calls.clone(),),
                "{place}"
            );
            continue;
        }
        check_error(&part.error.unwrap(), &place);
        assert!(whole.text.starts_with(&part.text), "{place}");
    }
    count
}
