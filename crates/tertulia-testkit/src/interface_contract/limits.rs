//! Abilities are sane, known after the first contact, and told without waiting.

use std::sync::Arc;

use tertulia_message::{Markup, Reach};
use tokio_util::sync::CancellationToken;

use super::{Listening, Mood, Recorder, Stage, asked, eventually, path};
use crate::chat_double::Kind;

pub(super) async fn limits_are_sane_and_known(stage: &dyn Stage, kind: Kind) {
    let interface = stage.interface();
    let recorder = Arc::new(Recorder::new(Mood::Take));
    asked(stage);
    let listening = Listening::with(Arc::clone(&interface), &recorder, CancellationToken::new());
    eventually("the first message is handed in", || recorder.events().len() == 1).await;
    let scene = stage.scene();
    let places = [scene.here, scene.thread, scene.unknown]
        .into_iter()
        .chain(scene.foreign);
    for place in places {
        let Ok(path) = path(&place) else { continue };
        let limits = interface.limits(&path);
        let (length, limit) = ((limits.weigh)(&Markup::text("four")), limits.text.amount());
        assert_eq!(
            length,
            limits.text.measure("four"),
            "a text without formatting weighs what it measures"
        );
        assert!((length..usize::MAX).contains(&limit), "a limit of {limit}");
        assert_eq!(limits.reach, Reach::Always);
        assert_eq!(limits.keyed, kind == Kind::Keyed, "{kind:?}");
    }
    listening.stop().await;
}
