//! What a homeserver says about an account. Nobody is logged in for it: servers take few logins.

use tertulia_matrix::{CheckError, SessionReport};

use super::super::report::Report;
use crate::config::MatrixAccount;

pub(super) async fn look((what, name): (&str, &str), account: &MatrixAccount, report: &mut Report) {
    let found = match account.interface.check().await {
        Ok(found) => found,
        Err(CheckError::Refused(reason)) => {
            let advice = "do what the sentence says; docs/matrix.md, \"What to keep\", tells what is lost by it";
            return report.fail(what, reason, advice);
        }
        Err(CheckError::Unreachable(reason)) => {
            let advice = "look after the homeserver, the network, and the interface's homeserver: the address of the client API, \
                which .well-known/matrix/client on the server's name tells";
            return report.fail(what, format!("the homeserver cannot be asked: {reason}"), advice);
        }
    };
    let version = found.newest_version.as_deref().unwrap_or("no version");
    match found.session {
        None => {
            let finding =
                format!("the homeserver answers ({version}); nobody is logged in yet, the first start does it");
            report.ok(what, finding);
        }
        Some(session) => judge((what, name), account, &session, report),
    }
}

fn judge((what, name): (&str, &str), account: &MatrixAccount, session: &SessionReport, report: &mut Report) {
    let (user, device) = (&session.user, &session.device);
    if account.is_encrypting && !session.is_signed {
        let advice = if session.has_identity {
            format!(
                "the account was set up in another client: put its recovery key where interfaces.{name}.recovery_key_file says, \
                 and start again"
            )
        } else {
            "the daemon signs it soon after its start; its log says what keeps it from that".to_owned()
        };
        let finding = format!(
            "{user} is logged in as device {device}, which the account has not signed: clients that exclude such devices do not \
             let it read"
        );
        return report.warn(what, finding, &advice);
    }
    let invitations = match session.invitations {
        0 => String::new(),
        1 => "; an invitation waits".to_owned(),
        many => format!("; {many} invitations wait"),
    };
    if !account.is_encrypting {
        return report.ok(
            what,
            format!("{user} is logged in as device {device}, without encryption{invitations}"),
        );
    }
    if let Some(keys) = session.backed_up {
        let finding = format!(
            "{user} is logged in as device {device}, which is signed; {keys} room keys are backed up{invitations}"
        );
        report.ok(what, finding);
    } else {
        let finding = format!("{user} is logged in as device {device}, and the server has no backup of its room keys");
        let advice = "the daemon makes it soon after its start; its log says what keeps it from that";
        report.warn(what, finding, advice);
    }
}
