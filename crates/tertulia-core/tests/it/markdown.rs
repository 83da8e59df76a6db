//! Reading Markdown.

use proptest::prelude::*;
use tertulia_core::markdown::parse;

use crate::texts;

proptest! {
    #[test]
    fn any_text_can_be_read(text in texts::markdown()) {
        let markup = parse(&text);
        prop_assert!(markup.plain().len() <= text.len() * 20 + 100);
    }

    #[test]
    fn words_are_not_lost(words in "[a-z]{1,9}([ \\n][a-z]{1,9}){0,20}") {
        prop_assert_eq!(parse(&words).plain(), words);
    }
}
