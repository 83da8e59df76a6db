//! What is shown in a frame below a message.

use crate::fields::Fields;

/// What is shown in a frame below a message: a preview of a link, or what a bot put there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embed {
    /// Who it is by, its title, its words, the names and values of its fields, and what stands below, in the order in which
    /// they are shown.
    pub lines: Vec<String>,
    /// What its title links to.
    pub url: Option<String>,
}

impl Embed {
    pub(super) fn read(embed: &Fields<'_>) -> Self {
        let author = embed.object("author").word("name");
        let mut lines: Vec<String> = [author, embed.word("title"), embed.word("description")]
            .into_iter()
            .flatten()
            .collect();
        for field in embed.objects("fields") {
            let line = [field.word("name"), field.word("value")];
            let line: Vec<String> = line.into_iter().flatten().collect();
            lines.extend((!line.is_empty()).then(|| line.join(": ")));
        }
        lines.extend(embed.object("footer").word("text"));
        Self {
            lines,
            url: embed.word("url"),
        }
    }
}
