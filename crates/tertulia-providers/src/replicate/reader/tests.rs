//! How streams are read, whole and broken.

use tertulia_core::provider::ProviderFault;

use super::*;

/// Reads the stream cut everywhere; gives the text, and the end or the error.
#[track_caller]
fn check(body: &str, text: &str, expected: Result<Stop, (ProviderFault, &str)>, runs_no_longer: bool) {
    for size in [1, 2, 7, 4096] {
        let over = Arc::new(AtomicBool::new(false));
        let (mut reader, mut deltas) = (Reader::new(Arc::clone(&over)), Vec::new());
        let mut pieces = body.as_bytes().chunks(size);
        let taken = pieces.try_fold(Progress::More, |progress, piece| match progress {
            Progress::More => reader.take(piece, &mut deltas),
            Progress::Done => Ok(Progress::Done),
        });
        let outcome = match taken {
            Ok(Progress::More) => reader.finish(&mut deltas),
            other => other.map(drop),
        };
        let said: String = deltas
            .iter()
            .filter_map(|delta| match delta {
                Delta::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let outcome = outcome.map(|()| match deltas.last() {
            Some(Delta::End(stop)) => *stop,
            other => panic!("{other:?}"),
        });
        let outcome = outcome.as_ref().map_err(|error| (error.kind, error.detail.as_str()));
        assert_eq!((said.as_str(), outcome.copied()), (text, expected), "by {size}");
        assert_eq!(over.load(Ordering::Relaxed), runs_no_longer);
    }
}

#[test]
fn outputs_are_joined_and_everything_else_is_passed_over() {
    let body = ": hi\n\nevent: output\nid: 1\ndata: Hello\n\nevent: logs\ndata: 5 tokens\n\nevent: output\ndata: \ndata:  ä\n\n\
        event: news\ndata: x\n\nevent: output\ndata: \n\nevent: done\ndata: {}\n\nevent: output\ndata: late\n\n";
    check(body, "Hello\n ä", Ok(Stop::Done), true);
    check("event: done\r\ndata: \r\n\r\n", "", Ok(Stop::Done), true);
}

#[test]
fn ends_without_success_are_errors() {
    let hello = "event: output\ndata: Hel\n\n";
    let broken = |detail| Err((ProviderFault::Broken, detail));
    check(
        hello,
        "Hel",
        broken("the stream ended before the prediction was done"),
        false,
    );
    check(
        &format!("{hello}event: error\ndata: CUDA out of memory\n\nevent: done\ndata: {{\"reason\": \"error\"}}\n\n"),
        "Hel",
        broken("CUDA out of memory"),
        true,
    );
    for (reason, detail) in [
        ("canceled", "the prediction was canceled"),
        ("error", "the prediction failed"),
        ("aborted", "the prediction was aborted"),
    ] {
        let end = format!("{hello}event: done\ndata: {{\"reason\": \"{reason}\"}}");
        check(&end, "Hel", broken(detail), true);
    }
    check(
        "event: error\ndata: {\"detail\": \"the prompt is too long\", \"status\": 422}\n\n",
        "",
        Err((ProviderFault::ContextTooLong, "the prompt is too long")),
        true,
    );
}
