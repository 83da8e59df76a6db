//! Comes by a session that the server confirms: the kept one, that of the configured token, or by the first login.

use std::hash::{BuildHasher, RandomState};

use matrix_sdk::ruma::{OwnedDeviceId, UserId};
use serde_json::{Value, json};

use crate::call::Failure;
use crate::config::{Config, Login};

use super::folder::{Folder, Kept};
use super::plan::{self, Step};
use super::wire::{No, Who, Wire};
use super::{Confirmed, OpenError, words};

/// Asks the server, and writes down what is learnt, before anything is done with it.
pub(super) async fn confirmed(config: &Config, folder: &Folder, wire: &Wire) -> Result<Confirmed, OpenError> {
    let planned = plan::plan(folder.kept().await?, folder.has_keys(), &config.login);
    let step = planned.map_err(|obstacle| OpenError::Refused(words::obstacle(&obstacle, folder)))?;
    let entrance = Entrance { config, folder, wire };
    match step {
        Step::Begin { user } => {
            let kept = Kept {
                user,
                device: plan::new_device(RandomState::new().hash_one(0)),
                token: None,
            };
            // a crash behind the login must not make another device at the next start
            folder.keep(&kept).await?;
            entrance.log_in(kept).await
        }
        Step::LogIn(kept) => entrance.log_in(kept).await,
        Step::Resume { kept, token } => entrance.resume(kept, token).await,
        Step::Learn { token } => entrance.learn(token).await,
    }
}

struct Entrance<'a> {
    config: &'a Config,
    folder: &'a Folder,
    wire: &'a Wire,
}

impl Entrance<'_> {
    async fn learn(&self, token: String) -> Result<Confirmed, OpenError> {
        let who = match self.wire.who(&token).await {
            Err(no) if no.failure.is_dead_token() => {
                let told = format!("the homeserver does not know the configured token: {}", no.failure);
                return Err(OpenError::Refused(told));
            }
            who => who?,
        };
        let Some(device) = who.device else {
            return Err(OpenError::Refused(words::no_device()));
        };
        let kept = Kept {
            user: who.user,
            device,
            token: None,
        };
        self.folder.keep(&kept).await?;
        confirmed_as(kept, token)
    }

    async fn resume(&self, mut kept: Kept, token: String) -> Result<Confirmed, OpenError> {
        let can_log_in = matches!(self.config.login, Login::Password { .. });
        match self.wire.who(&token).await {
            Ok(who) if is_kept(&kept, &who) => confirmed_as(kept, token),
            Ok(Who { device: None, .. }) => Err(OpenError::Refused(words::no_device())),
            Ok(Who {
                user,
                device: Some(device),
            }) => {
                let told = words::other_token(&kept, &user, &device, self.folder);
                Err(OpenError::Refused(told))
            }
            // the device is still there, and its keys with it: only the token has run out
            Err(no) if no.failure.is_dead_token() && no.is_soft && can_log_in => {
                kept.token = None;
                self.folder.keep(&kept).await?;
                self.log_in(kept).await
            }
            Err(no) if no.failure.is_dead_token() => Err(OpenError::Refused(words::dead(self.config, &kept))),
            Err(no) => Err(no.into()),
        }
    }

    /// Logs in as the device that is written down, and writes the token down before it is used.
    async fn log_in(&self, mut kept: Kept) -> Result<Confirmed, OpenError> {
        let Login::Password { user, password } = &self.config.login else {
            return Err(OpenError::Refused(words::dead(self.config, &kept)));
        };
        let wanted = json!({
            "type": "m.login.password",
            "identifier": {"type": "m.id.user", "user": user},
            "password": password.expose(),
            "device_id": kept.device,
            "initial_device_display_name": self.config.device_name,
        });
        let told = self.wire.post("v3/login", None, &wanted).await;
        let told = told.map_err(|no| login_failed(user, no))?;
        let (Some(user), Some(device), Some(token)) = (
            text(&told, "user_id"),
            text(&told, "device_id"),
            text(&told, "access_token"),
        ) else {
            let told = "the homeserver's answer to the login cannot be read".to_owned();
            return Err(OpenError::Failed(Failure::Unknown(told)));
        };
        kept = Kept {
            user,
            device,
            token: Some(token.clone()),
        };
        self.folder.keep(&kept).await?;
        tracing::info!(user = kept.user, device = kept.device, "logged in");
        confirmed_as(kept, token)
    }
}

/// Which refusals of a login a new try cannot mend.
fn login_failed(user: &str, no: No) -> OpenError {
    let told = no.failure.to_string();
    match &no.failure {
        Failure::Answered { status: 404 | 405, .. } => OpenError::Refused(words::no_passwords(&told)),
        Failure::Answered { code, .. } => match code.as_str() {
            "M_FORBIDDEN" | "M_USER_DEACTIVATED" | "M_USER_LOCKED" | "M_USER_SUSPENDED" | "M_UNKNOWN_TOKEN"
            | "M_INVALID_USERNAME" => OpenError::Refused(words::no_login(user, &told)),
            // what a server says of a kind of login that it does not have
            "M_UNKNOWN" if matches!(&no.failure, Failure::Answered { status: 400, .. }) => {
                OpenError::Refused(words::no_passwords(&told))
            }
            _ => OpenError::Failed(no.failure),
        },
        _ => OpenError::Failed(no.failure),
    }
}

fn is_kept(kept: &Kept, who: &Who) -> bool {
    who.device.as_deref() == Some(&kept.device) && plan::is_same_user(&kept.user, &who.user)
}

fn confirmed_as(kept: Kept, token: String) -> Result<Confirmed, OpenError> {
    let user = UserId::parse(&kept.user).map_err(|_| OpenError::Refused(words::odd_user(&kept.user)))?;
    Ok(Confirmed {
        user,
        device: OwnedDeviceId::from(kept.device),
        token,
    })
}

fn text(told: &Value, key: &str) -> Option<String> {
    told.get(key)?.as_str().map(str::to_owned)
}

impl From<No> for OpenError {
    fn from(no: No) -> Self {
        Self::Failed(no.failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Answer;

    fn answered(status: u16, body: &str) -> OpenError {
        let code = serde_json::from_str::<Value>(body).unwrap()["errcode"]
            .as_str()
            .unwrap()
            .to_owned();
        let answer = Answer {
            status,
            retry_after: None,
            body,
        };
        let failure = Failure::Answered {
            status,
            code,
            words: "words".into(),
            refusal: Box::new(answer.refusal()),
        };
        login_failed("@bot:h", No::from(failure))
    }

    #[test]
    fn a_wrong_password_is_final_and_a_busy_server_is_not() {
        for (status, code) in [
            (403, "M_FORBIDDEN"),
            (403, "M_USER_DEACTIVATED"),
            (401, "M_UNKNOWN_TOKEN"),
        ] {
            let error = answered(status, &format!("{{\"errcode\":\"{code}\"}}"));
            let OpenError::Refused(told) = error else {
                panic!("{code}: {error:?}")
            };
            assert!(told.starts_with("the homeserver does not log @bot:h in: "), "{told}");
        }
        let error = answered(400, r#"{"errcode":"M_UNKNOWN"}"#);
        assert!(
            matches!(&error, OpenError::Refused(told) if told.contains("access token")),
            "{error:?}"
        );
        let limited = answered(429, r#"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":333252}"#);
        let OpenError::Failed(failure) = limited else {
            panic!("{limited:?}")
        };
        assert_eq!(failure.wait(), Some(std::time::Duration::from_millis(333_252)));
        assert!(matches!(
            answered(500, r#"{"errcode":"M_UNKNOWN"}"#),
            OpenError::Failed(_)
        ));
        let broken = login_failed("@bot:h", No::from(Failure::Unknown("reset".into())));
        assert!(matches!(broken, OpenError::Failed(_)));
    }
}
