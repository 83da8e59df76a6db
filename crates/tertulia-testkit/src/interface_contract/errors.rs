//! Every refusal becomes the error that tells the caller what to do.

use std::time::Duration;

use tertulia_message::{Block, DeliverError, Found, Inline, Markup, Post, RateScope, Signal};

use super::{Act, Mishap, Stage, act_at, asked, done, edit, outbound, path, post};

pub(super) async fn errors_are_what_the_platform_says(stage: &dyn Stage) {
    let (interface, question) = (stage.interface(), asked(stage));
    let here = stage.scene().here;
    let cases: [(Mishap, Fits); 7] = [
        (Mishap::Lost, |error| matches!(error, DeliverError::Lost(_))),
        (Mishap::UnsureExecuted, |error| matches!(error, DeliverError::Unsure(_))),
        (Mishap::UnsureNotExecuted, |error| {
            matches!(error, DeliverError::Unsure(_))
        }),
        (Mishap::TooLong, |error| matches!(error, DeliverError::TooLong)),
        (Mishap::Malformed, |error| matches!(error, DeliverError::Malformed(_))),
        (Mishap::RateLimited(RateScope::Path), |error| {
            is_limit(error, RateScope::Path)
        }),
        (Mishap::RateLimited(RateScope::Account), |error| {
            is_limit(error, RateScope::Account)
        }),
    ];
    for (mishap, fits) in cases {
        if !stage.plan(&[mishap]) {
            continue;
        }
        let refused = act_at(&*interface, &here, &question, "k", formatted()).await;
        assert!(refused.as_ref().is_err_and(fits), "{mishap:?} became {refused:?}");
        stage.plan(&[]);
        if let Err(DeliverError::RateLimited { after, .. }) = refused {
            tokio::time::sleep(after * 2).await;
        }
    }
    let refused = act_at(&*interface, &here, &question, "k", edit(&question, "not mine")).await;
    assert!(
        matches!(refused, Err(DeliverError::Malformed(_) | DeliverError::Missing(_))),
        "an edit of a person's message gave {refused:?}"
    );
    assert!(stage.truth().violations().is_empty());
}

pub(super) async fn closed_chats_say_why(stage: &dyn Stage) {
    let (interface, question) = (stage.interface(), asked(stage));
    let scene = stage.scene();
    let gone = act_at(&*interface, &scene.unknown, &question, "k", post("one")).await;
    assert!(
        matches!(gone, Err(DeliverError::Gone(_))),
        "an unknown chat gave {gone:?}"
    );
    for mishap in [Mishap::Gone, Mishap::Refused, Mishap::Moved] {
        stage.people().open();
        assert!(stage.plan(&[mishap]), "every platform closes chats");
        for _ in 0..2 {
            let refused = act_at(&*interface, &scene.thread, &question, "k", post("one")).await;
            let fits = match &refused {
                Err(DeliverError::Gone(_)) => mishap == Mishap::Gone,
                Err(DeliverError::Refused(_)) => mishap == Mishap::Refused,
                Err(DeliverError::Moved(to)) => mishap == Mishap::Moved && to.as_str() == scene.moved,
                _ => false,
            };
            assert!(fits, "{mishap:?} became {refused:?}");
        }
    }
    done(act_at(&*interface, &scene.moved, &question, "k", post("one")).await);
    assert!(stage.truth().violations().is_empty());
}

pub(super) async fn foreign_paths_are_refused(stage: &dyn Stage) {
    let (interface, question) = (stage.interface(), asked(stage));
    let scene = stage.scene();
    for place in scene.foreign.iter().chain([&scene.unknown]) {
        let refused = act_at(&*interface, place, &question, "k", post("one")).await;
        let fits = matches!(refused, Err(DeliverError::Gone(_) | DeliverError::Malformed(_)));
        assert!(fits, "{place} gave {refused:?}");
        let (Ok(path), Ok(outbound)) = (path(place), outbound(place, &question, "k", post("one"))) else {
            return;
        };
        interface.signal(&path, &question, Signal::Typing).await;
        assert!(
            !matches!(interface.find(&outbound).await, Found::Found(_)),
            "found in {place}"
        );
    }
    let unknown = act_at(&*interface, &scene.here, "no such id", "k", post("one")).await;
    // some platforms show it as an answer to nothing
    assert!(
        matches!(unknown, Err(DeliverError::Malformed(_)) | Ok(_)),
        "{unknown:?}"
    );
}

type Fits = fn(&DeliverError) -> bool;

fn is_limit(error: &DeliverError, expected: RateScope) -> bool {
    let shortest = Duration::from_millis(Mishap::WAIT_MS);
    matches!(error, DeliverError::RateLimited { after, scope } if *scope == expected && *after >= shortest)
}

fn formatted() -> Act {
    let strong = Inline::Strong(vec![Inline::Text("one".to_owned())]);
    Act::Post(Post::of(Markup {
        blocks: vec![Block::Paragraph(vec![strong])],
    }))
}
