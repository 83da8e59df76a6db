//! The long poll: what it gets is on disk before the next request confirms it.

use std::time::Duration;

use tertulia_interface::{AcceptError, Batch, Inlet, ListenError, Verdict};
use tertulia_message::{Account, Inbound, Mark};

use crate::backoff::Backoff;
use crate::deliver::show_denial;
use crate::error::CallError;
use crate::inbound::inbound;
use crate::loopback::Loopback;
use crate::wire::Update;

/// The mark that holds the number of the last accepted update, in decimal.
const CURSOR: &str = "cursor";
const LONG_POLL: Duration = Duration::from_secs(5);

/// Runs until the platform refuses us; whoever drops it stops it.
pub(crate) async fn listen(loopback: &Loopback, inlet: &Inlet) -> ListenError {
    let tell = |is_reached| inlet.reached(&loopback.name, is_reached);
    let identity = match connected(tell, || loopback.me()).await {
        Ok(me) => me.identity.clone(),
        Err(refused) => return refused,
    };
    let account = Account {
        interface: loopback.name.clone(),
        identity,
    };
    let mut cursor = first_cursor(inlet, &account).await;
    loop {
        let polled = connected(tell, || loopback.client.updates(cursor, LONG_POLL)).await;
        let updates = match polled {
            Ok(polled) => polled.updates,
            Err(refused) => return refused,
        };
        let Some(last) = updates.iter().map(|update| update.id).max() else {
            continue;
        };
        hand_in(loopback, inlet, &account, &updates, last).await;
        cursor = Some(last);
    }
}

/// Calls until it succeeds; only a refusal of ourselves ends it.
async fn connected<T, F: Future<Output = Result<T, CallError>>>(
    tell: impl Fn(bool),
    mut call: impl FnMut() -> F,
) -> Result<T, ListenError> {
    let mut backoff = Backoff::default();
    loop {
        match call().await {
            Ok(answer) => {
                tell(true);
                return Ok(answer);
            }
            Err(CallError::Unauthorized) => return Err(ListenError::Refused("unauthorized".to_owned())),
            Err(CallError::RateLimited { after, .. }) => tokio::time::sleep(after).await,
            Err(error) => {
                tracing::warn!(%error, "the platform is not reached");
                tell(false);
                backoff.wait().await;
            }
        }
    }
}

async fn first_cursor(inlet: &Inlet, account: &Account) -> Option<u64> {
    let marks = stored(|| inlet.marks(account, CURSOR)).await;
    let mark = marks.into_iter().find(|mark| mark.key == CURSOR)?;
    String::from_utf8(mark.value?).ok()?.parse().ok()
}

async fn hand_in(loopback: &Loopback, inlet: &Inlet, account: &Account, updates: &[Update], cursor: u64) {
    let read = |update: &Update| {
        let event = inbound(account, &update.event);
        event
            .inspect_err(|error| tracing::warn!(update = update.id, %error, "an event is left out"))
            .ok()
    };
    let batch = Batch {
        account: account.clone(),
        events: updates.iter().filter_map(read).collect(),
        marks: vec![Mark {
            key: CURSOR.to_owned(),
            value: Some(cursor.to_string().into_bytes()),
        }],
        missed: false,
    };
    let verdicts = stored(|| inlet.accept(batch.clone())).await;
    for (event, verdict) in batch.events.iter().zip(verdicts) {
        deny(loopback, event, verdict).await;
    }
}

async fn deny(loopback: &Loopback, event: &Inbound, verdict: Verdict) {
    if let (Verdict::Denied { say: Some(text) }, Some(place)) = (verdict, loopback.place(&event.path)) {
        show_denial(loopback, &place, &event.id, &text).await;
    }
}

/// Asks the store until it answers; the platform keeps what is not confirmed.
async fn stored<T, F: Future<Output = Result<T, AcceptError>>>(mut ask: impl FnMut() -> F) -> T {
    let mut backoff = Backoff::default();
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) => {
                tracing::warn!(%error, "the store does not take what came in");
                backoff.wait().await;
            }
        }
    }
}
