//! One verification with one person, from its beginning to its end.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::StreamExt as _;
use futures_util::stream::select_all;
use matrix_sdk::encryption::verification::{
    CancelInfo, SasState, SasVerification, Verification, VerificationRequest, VerificationRequestState,
};
use matrix_sdk::ruma::events::key::verification::VerificationMethod;
use matrix_sdk::ruma::{OwnedUserId, UserId};
use matrix_sdk::{Room, RoomMemberships};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::desk::{Place, Request, Wish};
use super::words;
use crate::config::Encryption;
use crate::deliver;
use crate::matrix::Matrix;
use crate::place;
use crate::session::Session;

/// Nobody has to hurry.
const PATIENCE: Duration = Duration::from_mins(10);
/// The other side may begin first: clients differ in who does.
const TURN: Duration = Duration::from_secs(3);
/// More devices of one person are not asked.
const DEVICES: usize = 16;
/// Rooms that are looked through for one with this person alone.
const ROOMS: usize = 200;

/// One person and one wish.
pub(super) struct Conversation<'a> {
    pub(super) matrix: &'a Matrix,
    pub(super) session: &'a Session,
    pub(super) wish: Wish,
    pub(super) is_admin: bool,
    /// How long to wait for the end of an earlier one.
    pub(super) pause: Option<Duration>,
    /// A later one begins.
    pub(super) stop: CancellationToken,
}

/// Why a verification came to its end.
enum End {
    Done,
    Cancelled(CancelInfo),
    /// The words say it.
    Told(&'static str),
    Failed(matrix_sdk::Error),
}

impl From<matrix_sdk::Error> for End {
    fn from(error: matrix_sdk::Error) -> Self {
        Self::Failed(error)
    }
}

impl Conversation<'_> {
    /// Holds it, and gives whose it was.
    pub(super) async fn hold(mut self) -> String {
        let person = self.wish.person.clone();
        if self.is_admin {
            if let Some(pause) = self.pause {
                tokio::time::sleep(pause).await;
            }
            self.verify().await;
        } else {
            self.refuse().await;
        }
        person
    }

    /// Whoever asked by a word is told; what a client began is declined, and nothing said.
    async fn refuse(&self) {
        if self.wish.place.is_some() {
            self.say("refused", words::NOT_YOU).await;
        } else if let Some(request) = self.begun().await {
            let _ = request.cancel().await;
        }
        tracing::info!(
            interface = self.matrix.name,
            person = self.wish.person,
            "somebody who may not wanted to verify the bot"
        );
    }

    async fn verify(&mut self) {
        if self.matrix.config.encryption == Encryption::Off {
            return self.say("off", words::OFF).await;
        }
        if self.wish.place.is_none() {
            self.wish.place = self.somewhere().await;
        }
        let end = match self.requests().await {
            Ok(requests) => self.to_the_end(requests).await,
            Err(end) => end,
        };
        let (told, is_done) = match &end {
            End::Done => (words::DONE.to_owned(), true),
            End::Cancelled(info) => {
                let told = words::cancelled(info.cancel_code(), info.reason(), info.cancelled_by_us());
                (told, false)
            }
            End::Told(words) => ((*words).to_owned(), false),
            End::Failed(error) => {
                tracing::warn!(interface = self.matrix.name, %error, "a verification failed");
                (words::FAILED.to_owned(), false)
            }
        };
        tracing::info!(
            interface = self.matrix.name,
            person = self.wish.person,
            is_done,
            "a verification has ended"
        );
        self.say("end", &told).await;
    }

    /// What is to be answered: what their client began, or what we ask all their devices for.
    async fn requests(&self) -> Result<Vec<VerificationRequest>, End> {
        if let Some(begun) = self.begun().await {
            begun.accept_with_methods(vec![VerificationMethod::SasV1]).await?;
            return Ok(vec![begun]);
        }
        // the library drops requests of whose devices it has not heard: then we ask
        let person = self.person().ok_or(End::Told(words::NO_DEVICES))?;
        let encryption = self.session.client.encryption();
        encryption.request_user_identity(&person).await?;
        let devices = encryption.get_user_devices(&person).await?;
        let mut requests = Vec::new();
        for device in devices.devices().take(DEVICES) {
            let request = device
                .request_verification_with_methods(vec![VerificationMethod::SasV1])
                .await;
            requests.push(request?);
        }
        if requests.is_empty() {
            return Err(End::Told(words::NO_DEVICES));
        }
        self.say("asked", words::ASKED).await;
        Ok(requests)
    }

    async fn begun(&self) -> Option<VerificationRequest> {
        let Request { user, flow, .. } = self.wish.request.as_ref()?;
        self.session
            .client
            .encryption()
            .get_verification_request(user, flow)
            .await
    }

    async fn to_the_end(&self, requests: Vec<VerificationRequest>) -> End {
        let all = async {
            let request = match first_ready(&requests).await {
                Ok(request) => request,
                Err(end) => return end,
            };
            for other in requests.iter().filter(|other| other.flow_id() != request.flow_id()) {
                let _ = other.cancel().await;
            }
            match begun(&request).await {
                Ok(sums) => self.compare(&sums).await,
                Err(end) => end,
            }
        };
        let end = tokio::select! {
            end = all => end,
            () = tokio::time::sleep(PATIENCE) => End::Told(words::NOBODY),
            () = self.stop.cancelled() => End::Told(words::LATER),
        };
        if !matches!(end, End::Done) {
            for request in requests
                .iter()
                .filter(|request| !request.is_done() && !request.is_cancelled())
            {
                let _ = request.cancel().await;
            }
        }
        end
    }

    /// Shows what is to be compared. We cannot see what the other side shows, so we agree, and the person decides.
    async fn compare(&self, sums: &SasVerification) -> End {
        let mut changes = sums.changes();
        while let Some(state) = changes.next().await {
            match state {
                SasState::KeysExchanged { emojis, decimals } => {
                    let shown = emojis.map_or_else(|| words::numbers(decimals), |seven| words::emoji(&seven.emojis));
                    self.say("compare", &shown).await;
                    if let Err(error) = sums.confirm().await {
                        return error.into();
                    }
                }
                SasState::Done { .. } => return End::Done,
                SasState::Cancelled(info) => return End::Cancelled(info),
                SasState::Created { .. }
                | SasState::Started { .. }
                | SasState::Accepted { .. }
                | SasState::Confirmed => {}
            }
        }
        End::Told(words::FAILED)
    }

    fn person(&self) -> Option<OwnedUserId> {
        UserId::parse(&self.wish.person).ok()
    }

    /// Says something where the wish was said; each thing once.
    async fn say(&self, what: &str, text: &str) {
        let Some(Place { path, event }) = &self.wish.place else {
            tracing::info!(interface = self.matrix.name, person = self.wish.person, "{text}");
            return;
        };
        let flow = self.wish.request.as_ref().map_or(event, |request| &request.flow);
        let key = format!("verify.{what}.{}", URL_SAFE_NO_PAD.encode(Sha256::digest(flow)));
        let re = Some(event.as_str()).filter(|event| event.starts_with('$'));
        if let Err(error) = deliver::say(self.matrix, path, re, text, &key).await {
            tracing::warn!(%path, %error, "somebody who verifies the bot could not be told how");
        }
    }

    /// Where somebody reads us whose client has begun: the room of the request, or one with nobody else in it.
    async fn somewhere(&self) -> Option<Place> {
        let request = self.wish.request.as_ref()?;
        let (room, event) = match &request.room {
            Some(room) => (room.clone(), request.flow.clone()),
            None => (
                self.alone_with(&request.user).await?.room_id().to_string(),
                String::new(),
            ),
        };
        let path = place::Place::new(room, None).ok()?.path(&self.matrix.name).ok()?;
        Some(Place { path, event })
    }

    async fn alone_with(&self, user: &UserId) -> Option<Room> {
        let rooms = self.session.client.joined_rooms();
        for room in rooms
            .into_iter()
            .filter(|room| room.joined_members_count() == 2)
            .take(ROOMS)
        {
            let members = room.members_no_sync(RoomMemberships::JOIN).await.unwrap_or_default();
            if members.iter().any(|member| member.user_id() == user) {
                return Some(room);
            }
        }
        None
    }
}

/// The first that somebody takes up.
async fn first_ready(requests: &[VerificationRequest]) -> Result<VerificationRequest, End> {
    let mut last = None;
    let states = requests.iter().map(|request| {
        let now = futures_util::stream::once(std::future::ready(request.state()));
        let request = request.clone();
        now.chain(request.changes())
            .map(move |state| (request.clone(), state))
            .boxed()
    });
    let mut changes = select_all(states);
    let mut open = requests.len();
    while let Some((request, state)) = changes.next().await {
        match state {
            VerificationRequestState::Ready { .. } | VerificationRequestState::Transitioned { .. } => {
                return Ok(request);
            }
            VerificationRequestState::Cancelled(info) => {
                open = open.saturating_sub(1);
                last = Some(info);
                if open == 0 {
                    break;
                }
            }
            _ => {}
        }
    }
    Err(last.map_or(End::Told(words::NOBODY), End::Cancelled))
}

/// The sums of a request that was taken up: the other side begins them, or we do.
async fn begun(request: &VerificationRequest) -> Result<SasVerification, End> {
    match tokio::time::timeout(TURN, transitioned(request)).await {
        Ok(Ok(sums)) => {
            sums.accept().await?;
            Ok(sums)
        }
        Ok(Err(end)) => Err(end),
        Err(_) => {
            if let Some(sums) = request.start_sas().await? {
                return Ok(sums);
            }
            let sums = transitioned(request).await?;
            sums.accept().await?;
            Ok(sums)
        }
    }
}

async fn transitioned(request: &VerificationRequest) -> Result<SasVerification, End> {
    let now = futures_util::stream::once(std::future::ready(request.state()));
    let mut states = std::pin::pin!(now.chain(request.changes()));
    while let Some(state) = states.next().await {
        match state {
            VerificationRequestState::Transitioned {
                verification: Verification::SasV1(sums),
            } => return Ok(sums),
            VerificationRequestState::Cancelled(info) => return Err(End::Cancelled(info)),
            _ => {}
        }
    }
    Err(End::Told(words::FAILED))
}
