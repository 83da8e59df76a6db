//! Invitations: who may have the bot come.

use matrix_sdk::ruma::OwnedRoomId;
use matrix_sdk::{Room, RoomState};
use tertulia_interface::Standing;
use tertulia_message::{Level, PersonId};
use tokio::time::Instant;

use super::tend::Keeper;
use crate::call::Failure;
use crate::config::Invites;
use crate::place::Place;

/// What is known of an invitation.
#[derive(Debug, Clone, Copy)]
struct Invitation<'a> {
    inviter: &'a str,
    /// True if the room is to be one of two.
    is_direct: bool,
    /// True for a room that holds rooms: nothing is said there.
    is_space: bool,
    /// True if a room that the bot is in says that this one replaces it.
    replaces: bool,
}

/// Whether the bot comes. What it does not accept stays as it is: whoever governs the bot may change that later.
fn is_accepted(invitation: &Invitation<'_>, invites: &Invites, standing: Standing) -> bool {
    if invitation.is_space {
        return false;
    }
    let is_admin = standing.level == Level::Admin;
    // whoever has the code must be able to reach a bot that nobody governs
    let may_claim = !standing.is_governed && invitation.is_direct && *invites == Invites::Admins;
    invitation.replaces || may_claim || invites.accepts(invitation.inviter, is_admin)
}

impl Keeper<'_> {
    pub(super) async fn answer_invitations(&mut self) {
        let rooms = self.session.client.invited_rooms();
        self.told.retain(|told| rooms.iter().any(|room| room.room_id() == told));
        for room in rooms {
            let id = room.room_id().to_owned();
            if self.tries.may(&id, Instant::now()) {
                self.answer_invitation(&room, id).await;
            }
        }
    }

    async fn answer_invitation(&mut self, room: &Room, id: OwnedRoomId) {
        let Ok(details) = room.invite_details().await else {
            return self.tell_once(&id, "an invitation names nobody who invites");
        };
        let inviter = details.inviter_id;
        let path = Place::new(id.as_str(), None)
            .and_then(|place| place.path(&self.matrix.name).map_err(|_| crate::place::NotAPlace));
        let Ok(path) = path else {
            return self.tell_once(&id, "an invitation is to a room whose id no path can hold");
        };
        let invitation = Invitation {
            inviter: inviter.as_str(),
            is_direct: room.is_direct().await.unwrap_or_default(),
            is_space: room.is_space(),
            replaces: self.moving.values().any(|new| new == id.as_str()),
        };
        let person = PersonId::new(&self.matrix.name, inviter.as_str());
        let standing = self.inlet.standing(&person, &path);
        if !is_accepted(&invitation, &self.matrix.config.invites, standing) {
            if self.told.insert(id) {
                tracing::info!(%path, by = %inviter, "an invitation is not accepted; it stays open");
            }
            return;
        }
        match self.session.client.join_room_by_id(&id).await {
            Ok(_) => {
                self.tries.end(&id);
                tracing::info!(%path, by = %inviter, "an invitation was accepted");
            }
            Err(error) => self.not_joined(room, id, &error.into()).await,
        }
    }

    async fn not_joined(&mut self, room: &Room, id: OwnedRoomId, failure: &Failure) {
        tracing::warn!(room = %id, %failure, "an invitation could not be accepted");
        self.tries.failed(&id, failure, Instant::now());
        // a join that lasted too long may have been one
        if is_final(failure) && room.state() == RoomState::Invited && room.leave().await.is_ok() {
            self.tries.end(&id);
            tracing::info!(room = %id, "the invitation was given back");
        }
    }

    fn tell_once(&mut self, id: &OwnedRoomId, what: &str) {
        if self.told.insert(id.clone()) {
            tracing::warn!(room = %id, what);
        }
    }
}

/// The server has said that nobody comes in this way.
fn is_final(failure: &Failure) -> bool {
    failure.is_status(403) || failure.is_status(404)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: Invitation<'static> = Invitation {
        inviter: "@ada:h.org",
        is_direct: false,
        is_space: false,
        replaces: false,
    };

    fn standing(level: Level, is_governed: bool) -> Standing {
        Standing { level, is_governed }
    }

    #[test]
    fn invitations_are_accepted_by_policy() {
        let listed = |listed: &str| Invites::Listed(vec![listed.to_owned()]);
        let (user, admin) = (standing(Level::User, true), standing(Level::Admin, true));
        for (invites, standing, expected) in [
            (Invites::Admins, user, false),
            (Invites::Admins, admin, true),
            (Invites::Nobody, admin, false),
            (Invites::Everybody, standing(Level::Guest, true), true),
            (listed("@ada:h.org"), user, true),
            (listed("h.org"), user, true),
            (listed("@bob:h.org"), user, false),
            (listed("@bob:h.org"), admin, true),
        ] {
            assert_eq!(
                is_accepted(&ADA, &invites, standing),
                expected,
                "{invites:?} {standing:?}"
            );
        }
    }

    #[test]
    fn a_bot_that_nobody_governs_can_be_reached() {
        let nobody = standing(Level::Guest, false);
        let direct = Invitation { is_direct: true, ..ADA };
        assert!(is_accepted(&direct, &Invites::Admins, nobody));
        assert!(!is_accepted(&ADA, &Invites::Admins, nobody));
        assert!(!is_accepted(&direct, &Invites::Nobody, nobody));
        assert!(!is_accepted(&direct, &Invites::Listed(Vec::new()), nobody));
        assert!(!is_accepted(&direct, &Invites::Admins, standing(Level::Guest, true)));
    }

    #[test]
    fn a_room_goes_on_in_another_and_a_space_is_none() {
        let (user, admin) = (standing(Level::User, true), standing(Level::Admin, true));
        assert!(is_accepted(
            &Invitation { replaces: true, ..ADA },
            &Invites::Nobody,
            user
        ));
        assert!(!is_accepted(
            &Invitation { is_space: true, ..ADA },
            &Invites::Everybody,
            admin
        ));
    }
}
