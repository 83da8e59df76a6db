//! Files in both directions.

use serde_json::json;
use tertulia_testkit::telegram_double::Said;

use super::{done, refused, start};

#[tokio::test]
async fn files_are_fetched_by_the_path_that_was_asked_for() {
    let double = start().await;
    let ann = double.person("Ann");
    double.send(
        ann,
        ann,
        Said::document("a.txt", "text/plain", b"words".to_vec()).caption("read"),
    );
    let updates = done(&double, "getUpdates", json!({})).await;
    let id = &updates[0]["message"]["document"]["file_id"];
    let file = done(&double, "getFile", json!({"file_id": id})).await;
    let path = file["file_path"].as_str().unwrap();
    for path in [path.to_owned(), path.replace('/', "%2F")] {
        let url = format!("{}/file/bot{}/{path}", double.base_url(), double.token());
        assert_eq!(reqwest::get(url).await.unwrap().bytes().await.unwrap(), "words");
    }
    let unasked = format!("{}/file/bot{}/documents/other", double.base_url(), double.token());
    assert_eq!(reqwest::get(unasked).await.unwrap().status(), 404);
    let unknown = "Bad Request: wrong file_id or the file is temporarily unavailable";
    refused(&double, "getFile", json!({"file_id": "x"}), unknown).await;
}

#[tokio::test]
async fn large_files_are_not_given() {
    let double = start().await;
    let ann = double.person("Ann");
    double.send(
        ann,
        ann,
        Said::document("a.iso", "", b"words".to_vec()).of_size((20 << 20) + 1),
    );
    let updates = done(&double, "getUpdates", json!({})).await;
    let id = &updates[0]["message"]["document"]["file_id"];
    refused(
        &double,
        "getFile",
        json!({"file_id": id}),
        "Bad Request: file is too big",
    )
    .await;
}

#[tokio::test]
async fn an_album_is_one_group() {
    let double = start().await;
    let ann = double.person("Ann");
    let photo = || Said::photo(b"picture".to_vec());
    double.album(ann, ann, vec![photo().caption("two"), photo()]);
    let updates = done(&double, "getUpdates", json!({})).await;
    let group = |n: usize| updates[n]["message"]["media_group_id"].clone();
    assert!(group(0).is_string() && group(0) == group(1));
    assert_eq!(updates[0]["message"]["caption"], "two");
    assert!(updates[1]["message"].get("caption").is_none());
}

/// A body of two fields and a file.
fn form(chat: i64, method_field: &str, bytes: &[u8], caption: &str) -> Vec<u8> {
    let mut body = format!(
        "--b\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n{chat}\r\n--b\r\n\
        Content-Disposition: form-data; name=\"caption\"\r\n\r\n{caption}\r\n--b\r\n\
        Content-Disposition: form-data; name=\"{method_field}\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(bytes);
    body.extend_from_slice(b"\r\n--b--\r\n");
    body
}

#[tokio::test]
async fn uploads_have_limits() {
    let double = start().await;
    let ann = double.person("Ann");
    double.open(ann);
    let url = format!("{}/bot{}/sendPhoto", double.base_url(), double.token());
    let large = [b"\x89PNG".to_vec(), vec![0; 10 << 20]].concat();
    for (bytes, caption, status) in [
        (&b"\x89PNG"[..], "fine", 200),
        (b"\x89PNG", &"x".repeat(1025), 400),
        (b"no picture", "x", 400),
        (b"", "x", 400),
        (&large, "x", 413),
    ] {
        let request = reqwest::Client::new()
            .post(&url)
            .body(form(ann, "photo", bytes, caption));
        let request = request.header("content-type", "multipart/form-data; boundary=b");
        assert_eq!(request.send().await.unwrap().status().as_u16(), status);
    }
    refused(
        &double,
        "sendPhoto",
        json!({"chat_id": ann}),
        "Bad Request: there is no photo in the request",
    )
    .await;
    assert_eq!(double.bot_shows(ann), ["fine"]);
    let id = double.shown(ann)[0].message;
    done(
        &double,
        "editMessageCaption",
        json!({"chat_id": ann, "message_id": id, "caption": "finer"}),
    )
    .await;
    refused(
        &double,
        "editMessageText",
        json!({"chat_id": ann, "message_id": id, "text": "x"}),
        "Bad Request: there is no text in the message to edit",
    )
    .await;
    assert_eq!(double.bot_shows(ann), ["finer"]);
}
