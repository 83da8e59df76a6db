//! The named crash points, and on which platforms each of them is reached.

use tertulia_testkit::chat_double::Kind;

use super::platform::On;

/// One death after the other, each at a point; the last one is what the plan is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// Where the lives before end, each at the first hit.
    pub(super) before: &'static [&'static str],
    /// Where this life ends.
    pub(super) point: &'static str,
    /// The last hit that is sure to come.
    pub(super) hits: u32,
    /// Where it can be reached.
    pub(super) on: &'static [On],
    /// `edit` or `hidden`; on Telegram also `draft`.
    pub(super) progress: &'static str,
    /// The pause of the demo before each word, in milliseconds.
    pub(super) pause_ms: u64,
}

pub(super) const KEYED: On = On::Loopback(Kind::Keyed);
pub(super) const FINDABLE: On = On::Loopback(Kind::Findable);
pub(super) const BLIND: On = On::Loopback(Kind::Blind);
const ALL: &[On] = &[KEYED, FINDABLE, BLIND];
const UNKEYED: &[On] = &[FINDABLE, BLIND];
const TELEGRAM: &[On] = &[On::Telegram];

const fn at(point: &'static str, hits: u32) -> Plan {
    Plan {
        before: &[],
        point,
        hits,
        on: ALL,
        progress: "edit",
        pause_ms: 1,
    }
}

const fn on(on: &'static [On], plan: Plan) -> Plan {
    Plan { on, ..plan }
}

const fn telegram(point: &'static str, hits: u32) -> Plan {
    on(TELEGRAM, at(point, hits))
}

/// The answer grows as a draft where there are drafts.
const fn drafted(plan: Plan) -> Plan {
    Plan {
        progress: "draft",
        ..plan
    }
}

const fn hidden(plan: Plan) -> Plan {
    Plan {
        progress: "hidden",
        ..plan
    }
}

const fn after(before: &'static [&'static str], plan: Plan) -> Plan {
    Plan { before, ..plan }
}

/// An answer that takes longer than the two seconds after which its text is saved.
const fn slow(plan: Plan) -> Plan {
    Plan { pause_ms: 60, ..plan }
}

/// Every point that a conversation on a chat platform reaches.
pub(super) const PLANS: &[Plan] = &[
    at("before_accept", 1),
    at("after_accept", 1),
    at("before_begin", 4),
    at("after_begin", 4),
    at("before_ask", 4),
    at("at_delta", 40),
    at("before_tools_started", 1),
    at("after_tools_started", 1),
    at("before_tool", 1),
    at("after_tool", 1),
    at("before_tool_done", 1),
    at("after_tool_done", 1),
    at("before_open_slot", 4),
    at("after_open_slot", 4),
    at("before_settle", 4),
    at("after_settle", 4),
    hidden(at("after_settle", 4)),
    at("before_reply", 1),
    at("after_reply", 1),
    at("before_post", 4),
    at("after_post", 4),
    hidden(at("after_post", 4)),
    at("before_edit", 4),
    at("after_edit", 4),
    on(UNKEYED, at("before_progress", 4)),
    on(UNKEYED, at("after_progress", 4)),
    at("before_progress_light", 4),
    at("after_progress_light", 4),
    after(&["after_begin"], at("before_again", 1)),
    after(&["at_delta"], at("after_again", 1)),
    after(&["after_post"], on(UNKEYED, at("before_find", 1))),
    after(&["after_post"], on(UNKEYED, at("after_find", 1))),
    after(&["before_post"], on(UNKEYED, at("after_find", 1))),
    after(&["after_tools_started"], at("before_tool", 1)),
    slow(at("before_checkpoint", 1)),
    slow(at("after_checkpoint", 1)),
];

/// The points at which Telegram is another platform than the one that only tests use: where it is read from and written to.
pub(super) const TELEGRAM_PLANS: &[Plan] = &[
    telegram("before_accept", 1),
    telegram("after_accept", 1),
    drafted(telegram("after_begin", 4)),
    drafted(telegram("at_delta", 40)),
    telegram("after_tool", 1),
    telegram("after_open_slot", 4),
    drafted(telegram("before_settle", 4)),
    drafted(telegram("after_settle", 4)),
    hidden(telegram("after_settle", 4)),
    telegram("before_reply", 1),
    telegram("after_reply", 1),
    drafted(telegram("before_post", 4)),
    drafted(telegram("after_post", 4)),
    hidden(telegram("before_post", 4)),
    hidden(telegram("after_post", 4)),
    telegram("before_edit", 1),
    telegram("after_edit", 1),
    slow(telegram("after_progress_light", 1)),
    after(&["after_post"], hidden(telegram("before_find", 1))),
    after(&["at_delta"], drafted(telegram("after_again", 1))),
    slow(drafted(telegram("after_checkpoint", 1))),
];
