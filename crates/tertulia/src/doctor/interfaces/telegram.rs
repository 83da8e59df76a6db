//! What Telegram says about a bot. Whether somebody else polls for its messages cannot be told without doing the same.

use tertulia_telegram::CheckError;

use super::super::report::Report;
use crate::config::TelegramBot;

pub(super) async fn look(what: &str, bot: &TelegramBot, report: &mut Report) {
    let found = match bot.interface.check().await {
        Ok(found) => found,
        Err(CheckError::Token) => {
            let finding = "Telegram does not accept the token";
            let advice =
                "get the bot's token from @BotFather (/token) and put it where `tertulia check-config` says it stands";
            return report.fail(what, finding, advice);
        }
        Err(CheckError::Unreachable(reason)) => {
            let advice = "look after the network, its firewall, and the interface's base_url";
            return report.fail(what, format!("Telegram cannot be asked: {reason}"), advice);
        }
    };
    let name = &found.username;
    if found.has_webhook {
        let finding = format!("@{name} has a webhook, so its messages go elsewhere");
        let advice = "end the other program that uses the bot, or get the bot a new token from @BotFather (/revoke); \
            the method deleteWebhook of the Bot API removes the webhook";
        return report.fail(what, finding, advice);
    }
    let groups = if found.hears_groups {
        "privacy mode is off, so topics and groups in always_on work"
    } else {
        "privacy mode is on, so in groups it hears only mentions, replies and commands, unless it is an administrator there"
    };
    let topics = if found.has_topics {
        "private chats have topics"
    } else {
        "private chats have no topics"
    };
    report.ok(what, format!("the bot is @{name}; {groups}; {topics}"));
}
