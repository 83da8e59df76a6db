//! Paths are stored: their format must never change.

use tertulia_message::path::{InterfacePath, PathLevel};

#[test]
fn the_path_format_of_the_default_interfaces_is_frozen() {
    let places: [(&str, &[PathLevel], &str); 10] = [
        (
            "telegram_bot",
            &[PathLevel::Number(-1_001_234_567_890)],
            "telegram_bot/-1001234567890",
        ),
        (
            "telegram_bot",
            &[PathLevel::Number(123_456_789), PathLevel::Number(987)],
            "telegram_bot/123456789/987",
        ),
        (
            "discord_bot",
            &[PathLevel::Number(987_654_321), PathLevel::Number(123_456)],
            "discord_bot/987654321/123456",
        ),
        ("matrix", &["!room:matrix.org".into()], "matrix/!room:matrix.org"),
        (
            "matrix",
            &["!room:matrix.org".into(), "$event".into()],
            "matrix/!room:matrix.org/$event",
        ),
        (
            "matrix",
            &["!r:m.org".into(), "$a/b+c".into()],
            "matrix/!r:m.org/$a%2Fb+c",
        ),
        ("ollama_serve", &["my-chat".into()], "ollama_serve/my-chat"),
        (
            "ollama_serve",
            &["my chat 100%".into()],
            "ollama_serve/my%20chat%20100%25",
        ),
        ("ollama_serve", &["~6f9619ff".into()], "ollama_serve/~6f9619ff"),
        ("web", &["d1b5e2".into(), "日本語\t".into()], "web/d1b5e2/日本語%09"),
    ];
    for (interface, levels, stored) in places {
        let path = InterfacePath::build(interface, levels.iter().cloned()).unwrap();
        assert_eq!(path.as_str(), stored);
        assert_eq!(InterfacePath::parse(stored).unwrap(), path);
    }
}
