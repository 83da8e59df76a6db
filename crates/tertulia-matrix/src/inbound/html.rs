//! The little that is read of somebody's HTML: the text where there is no other, and who is mentioned.

use percent_encoding::percent_decode_str;

/// The text of HTML, for events that have no plain one.
pub(super) fn text(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        out.push_str(&unescaped(before));
        let Some((tag, behind)) = tag.split_once('>') else {
            // no tag, and none behind it: a sign that should have been escaped
            out.push_str(&unescaped(rest.get(before.len()..).unwrap_or_default()));
            rest = "";
            break;
        };
        if breaks_line(tag) && !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        rest = behind;
    }
    out.push_str(&unescaped(rest));
    out.trim().to_owned()
}

/// True if it links to this user, as clients do it for a mention.
pub(super) fn mentions(html: &str, user: &str) -> bool {
    let html = without_reply(html);
    let addresses = html.split("href=").skip(1).filter_map(address);
    addresses.into_iter().any(|address| is_user(&address, user))
}

/// Without what old clients put before a reply.
fn without_reply(html: &str) -> &str {
    let is_reply = html.trim_start().starts_with("<mx-reply>");
    let behind = html.split_once("</mx-reply>").filter(|_| is_reply);
    behind.map_or(html, |(_, behind)| behind)
}

fn address(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| *c == '"' || *c == '\'')?;
    let (address, _) = text.strip_prefix(quote)?.split_once(quote)?;
    Some(unescaped(address))
}

fn is_user(address: &str, user: &str) -> bool {
    let rest = address.strip_prefix("https://matrix.to/#/");
    if let Some(rest) = rest.or_else(|| address.strip_prefix("http://matrix.to/#/")) {
        return is_decoded(rest, user);
    }
    let rest = address.strip_prefix("matrix:u/");
    rest.is_some_and(|rest| user.strip_prefix('@').is_some_and(|user| is_decoded(rest, user)))
}

fn is_decoded(rest: &str, user: &str) -> bool {
    let id = rest.split('?').next().unwrap_or_default();
    percent_decode_str(id).decode_utf8().is_ok_and(|id| id == user)
}

fn breaks_line(tag: &str) -> bool {
    let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
    ["br", "p", "div", "li", "tr", "blockquote", "pre", "hr"].contains(&name.to_ascii_lowercase().as_str())
}

fn unescaped(text: &str) -> String {
    let signs = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ];
    signs
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_has_a_text() {
        let cases = [
            ("<p>a &lt;b&gt; &amp;amp;</p><p>c<br/>d</p>", "a <b> &amp;\nc\nd"),
            ("<ul><li>x</li><li>y</li></ul>", "x\ny"),
            ("2 < 3", "2 < 3"),
            ("<script>alert(1)</script>", "alert(1)"),
            ("", ""),
            ("<<<", "<<<"),
        ];
        for (html, expected) in cases {
            assert_eq!(text(html), expected, "{html}");
        }
    }

    #[test]
    fn a_pill_is_a_mention() {
        let user = "@a/b:localhost";
        for html in [
            r#"<a href="https://matrix.to/#/@a/b:localhost">Bot</a>: hi"#,
            r#"<a class="x" href='https://matrix.to/#/%40a%2Fb%3Alocalhost?via=h'>Bot</a>"#,
            r#"<a href="matrix:u/a%2Fb:localhost">Bot</a>"#,
            r#"<mx-reply>x</mx-reply><a href="https://matrix.to/#/@a/b:localhost">Bot</a>"#,
        ] {
            assert!(mentions(html, user), "{html}");
        }
        for html in [
            "@a/b:localhost",
            r#"<a href="https://matrix.to/#/@a/b:localhost2">Bot</a>"#,
            r#"<a href="https://evil.org/#/@a/b:localhost">Bot</a>"#,
            r#"<a href="https://matrix.to/#/@a/b:localhost"#,
            r#"<mx-reply><a href="https://matrix.to/#/@a/b:localhost">Bot</a></mx-reply>hi"#,
            "<a href=",
            "<a href=\"",
        ] {
            assert!(!mentions(html, user), "{html}");
        }
    }
}
