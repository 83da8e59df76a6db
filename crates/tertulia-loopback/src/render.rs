//! Markup as the platform takes it: its plain text, and whether there was more to it.

use tertulia_message::{Block, Inline, Markup};

/// A text as the platform takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    pub(crate) formatted: bool,
}

/// Renders; pure.
pub(crate) fn render(markup: &Markup) -> Rendered {
    let plain = |inline: &Inline| matches!(inline, Inline::Text(_));
    let plain_block = |block: &Block| matches!(block, Block::Paragraph(inlines) if inlines.iter().all(plain));
    Rendered {
        text: markup.plain(),
        formatted: !markup.blocks.iter().all(plain_block),
    }
}

/// The platform's measure: UTF-16 code units of the text.
pub(crate) fn weigh(markup: &Markup) -> usize {
    markup.plain().encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formatting_is_told_and_not_shown() {
        let strong = Inline::Strong(vec![Inline::Text("bold".into())]);
        let markup = Markup {
            blocks: vec![Block::Paragraph(vec![Inline::Text("be ".into()), strong])],
        };
        let expected = Rendered {
            text: "be bold".into(),
            formatted: true,
        };
        assert_eq!(render(&markup), expected);
        assert!(!render(&Markup::text("be bold")).formatted);
    }

    #[test]
    fn weighs_what_the_platform_counts() {
        assert_eq!(weigh(&Markup::text("a\u{1f600}")), 3);
    }
}
