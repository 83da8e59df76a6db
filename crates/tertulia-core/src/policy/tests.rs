//! Who is asked again, when, and who is asked instead.

use super::*;

const NOW: Now = Now {
    mono: Duration::ZERO,
    wall: 0,
    dice: 0,
};

const FIRST: Asked = Asked {
    tries: 0,
    reconnected: false,
    shown: false,
    another: false,
};
const WITH_ANOTHER: Asked = Asked { another: true, ..FIRST };
const DOWN: ProviderFault = ProviderFault::Unavailable { after: None };

fn limited(seconds: u64) -> ProviderFault {
    let after = Some(Duration::from_secs(seconds));
    ProviderFault::RateLimited { after }
}

#[track_caller]
fn check(fault: ProviderFault, asked: Asked, expected: Remedy) {
    assert_eq!(remedy(fault, asked, NOW), expected, "{fault:?} {asked:?}");
}

#[test]
fn what_is_wrong_with_the_question_is_told() {
    for fault in [
        ProviderFault::Unauthorized,
        ProviderFault::NoSuchModel,
        ProviderFault::Rejected,
        ProviderFault::NotConfigured,
    ] {
        check(fault, FIRST, Remedy::GiveUp);
        check(fault, WITH_ANOTHER, Remedy::GiveUp);
    }
    check(
        ProviderFault::ContextTooLong,
        Asked { tries: 9, ..FIRST },
        Remedy::Shorten,
    );
}

#[test]
fn nothing_is_asked_again_behind_what_can_be_read() {
    for fault in [DOWN, limited(1), ProviderFault::Broken, ProviderFault::ContextTooLong] {
        let asked = Asked {
            shown: true,
            another: true,
            ..FIRST
        };
        check(fault, asked, Remedy::GiveUp);
    }
}

#[test]
fn waits_are_the_providers_unless_they_are_too_long() {
    check(limited(3), FIRST, Remedy::Retry(Duration::from_secs(3)));
    check(limited(60), FIRST, Remedy::Retry(Duration::from_mins(1)));
    check(limited(61), FIRST, Remedy::GiveUp);
    check(limited(5), WITH_ANOTHER, Remedy::Retry(Duration::from_secs(5)));
    check(limited(6), WITH_ANOTHER, Remedy::Another);
    // never in no time at all
    check(limited(0), FIRST, Remedy::Retry(Duration::from_millis(375)));
    let after = Some(Duration::from_secs(2));
    check(ProviderFault::Unavailable { after }, WITH_ANOTHER, Remedy::Another);
}

#[test]
fn pauses_grow_and_tries_have_an_end() {
    let tries = |tries, asked| Asked { tries, ..asked };
    for (nth, millis) in [(0, 375), (1, 750), (2, 1500)] {
        check(DOWN, tries(nth, FIRST), Remedy::Retry(Duration::from_millis(millis)));
    }
    check(DOWN, tries(3, FIRST), Remedy::GiveUp);
    check(DOWN, tries(0, WITH_ANOTHER), Remedy::Retry(Duration::from_millis(375)));
    check(DOWN, tries(1, WITH_ANOTHER), Remedy::Another);
    check(ProviderFault::Broken, tries(1, WITH_ANOTHER), Remedy::Another);
    assert!(pause(u32::MAX, None, NOW) < LONGEST_OWN_PAUSE);
}

#[test]
fn pauses_are_spread_but_never_too_short() {
    let after = Some(Duration::from_secs(3));
    let latest = Now { dice: u32::MAX, ..NOW };
    assert_eq!(pause(0, after, NOW), Duration::from_secs(3));
    assert_eq!(pause(0, after, latest), Duration::from_millis(3250));
    assert_eq!(pause(0, None, latest), Duration::from_millis(625));
}

#[test]
fn a_connection_that_was_closed_is_made_again_at_once() {
    check(ProviderFault::Unreachable, FIRST, Remedy::AtOnce);
    check(ProviderFault::Unreachable, WITH_ANOTHER, Remedy::AtOnce);
    let once = Asked {
        reconnected: true,
        ..FIRST
    };
    check(
        ProviderFault::Unreachable,
        once,
        Remedy::Retry(Duration::from_millis(375)),
    );
}

#[test]
fn without_money_another_one_is_asked() {
    check(ProviderFault::Billing, FIRST, Remedy::GiveUp);
    check(ProviderFault::Billing, WITH_ANOTHER, Remedy::Another);
}
