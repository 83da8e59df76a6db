//! What came back is believed by its bytes, and fetched only from where it may lie.

use super::*;

#[test]
fn pictures_are_told_by_their_first_bytes() {
    let kind = |bytes: &[u8]| picture(bytes.to_vec()).map(|picture| picture.mime);
    assert_eq!(kind(b"\x89PNG\r\n\x1a\nrest"), Ok("image/png".to_owned()));
    assert_eq!(kind(b"\xff\xd8\xff\xe0"), Ok("image/jpeg".to_owned()));
    assert_eq!(kind(b"GIF89a"), Ok("image/gif".to_owned()));
    assert_eq!(kind(b"RIFF\0\0\0\0WEBPVP8"), Ok("image/webp".to_owned()));
    for none in [b"".as_slice(), b"<svg>", b"RIFF\0\0\0\0WAVE", b"\x89PNG"] {
        assert_eq!(kind(none).unwrap_err().kind, ProviderFault::Broken);
    }
}

#[test]
fn base64_comes_bare_or_as_an_address() {
    assert_eq!(from_base64("aGk=\n"), Ok(b"hi".to_vec()));
    assert_eq!(from_base64("data:image/png;base64,aGk="), Ok(b"hi".to_vec()));
    for broken in ["a", "data:text/plain,hi", "äöü"] {
        assert_eq!(from_base64(broken).unwrap_err().kind, ProviderFault::Broken);
    }
}

#[test]
fn only_harmless_addresses_are_fetched_from() {
    let own = Url::parse("http://127.0.0.1:4711/v1").unwrap();
    let may = |address: &str| may_fetch(&Url::parse(address).unwrap(), &own);
    assert!(may("https://cdn.example.org/a.png?sig=x"));
    assert!(may("http://127.0.0.1:4711/a.png"));
    for address in [
        "http://cdn.example.org/a.png",
        "http://127.0.0.1:4712/a.png",
        "https://127.0.0.1/a.png",
        "https://[::1]/a.png",
        "https://2130706433/a.png",
        "https://localhost/a.png",
        "https://x.localhost/a.png",
        "https://intranet/a.png",
        "file:///etc/passwd",
        "ftp://cdn.example.org/a.png",
    ] {
        assert!(!may(address), "{address}");
    }
}

#[test]
fn models_are_named_or_usual_or_missing() {
    let usual = "u".to_owned();
    assert_eq!(meant("n", Some(&usual), "p", "picture"), Ok("n"));
    assert_eq!(meant("", Some(&usual), "p", "picture"), Ok("u"));
    let missing = meant("", None, "p", "picture").unwrap_err();
    assert_eq!(
        (missing.kind, missing.detail.as_str()),
        (ProviderFault::NotConfigured, "providers.p.media.picture is not set")
    );
    let named = MediaModels {
        picture: Some("mine".into()),
        voice: Some(" ".into()),
        ..MediaModels::default()
    };
    let usual = MediaModels {
        picture: Some("usual".into()),
        voice: Some("alloy".into()),
        ..MediaModels::default()
    };
    let both = named.or(usual.clone());
    assert_eq!(
        both,
        MediaModels {
            picture: Some("mine".into()),
            ..usual
        }
    );
}

#[test]
fn sounds_have_names_with_endings() {
    assert_eq!(file_name("audio/ogg; codecs=opus"), "sound.ogg");
    assert_eq!(file_name("AUDIO/MPEG"), "sound.mp3");
    assert_eq!(file_name("text/plain"), "sound.bin");
}

#[test]
fn sounds_are_told_by_their_first_bytes() {
    let kind = |bytes: &[u8]| sound(bytes.to_vec()).map(|sound| sound.mime);
    assert_eq!(kind(b"OggS\0"), Ok("audio/ogg".to_owned()));
    assert_eq!(kind(b"ID3\x04"), Ok("audio/mpeg".to_owned()));
    assert_eq!(kind(b"\xff\xfb\x90"), Ok("audio/mpeg".to_owned()));
    assert_eq!(kind(b"RIFF\0\0\0\0WAVEfmt "), Ok("audio/wav".to_owned()));
    assert_eq!(kind(b"\0\0\0\x20ftypM4A "), Ok("audio/mp4".to_owned()));
    assert_eq!(kind(b"{\"error\":1}").unwrap_err().kind, ProviderFault::Broken);
    let said = |bytes: &[u8]| {
        let mime = "Audio/X; codecs=opus".to_owned();
        let bytes = bytes.into();
        sound_type(&Sound { mime, bytes })
    };
    assert_eq!((said(b"OggS").as_str(), said(b"?").as_str()), ("audio/ogg", "audio/x"));
}

#[test]
fn sounds_that_are_too_long_are_not_sent() {
    let sound = Sound {
        mime: "audio/ogg".into(),
        bytes: vec![0; 1_000_001].into(),
    };
    assert_eq!(demand_short(&sound, 1_000_001), Ok(()));
    let error = demand_short(&sound, 1_000_000).unwrap_err();
    assert_eq!(
        (error.kind, error.detail.as_str()),
        (
            ProviderFault::Rejected,
            "the sound has 2 MB, and at most 1 MB are taken"
        )
    );
}
