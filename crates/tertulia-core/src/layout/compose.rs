//! The system prompt: a base, the project's files, the tools, and what else is to be known.

/// What a system prompt is made of; empty parts vanish with their headings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SystemParts {
    /// Who the model is to be.
    pub base: String,
    /// The files of the project, as a tree.
    pub tree: String,
    /// What is to be said about tools.
    pub tools: String,
    /// What else is to be known about the conversation.
    pub context: String,
}

impl SystemParts {
    /// All parts as one text, which never begins with a line break.
    #[must_use]
    pub fn compose(&self) -> String {
        let parts = [
            ("", &self.base),
            ("## Current Project Structure\n\n", &self.tree),
            ("", &self.tools),
            ("## Additional Context\n\n", &self.context),
        ];
        let parts = parts.iter().filter(|(_, part)| !part.trim().is_empty());
        let parts = parts.map(|(heading, part)| format!("{heading}{}", part.trim_start_matches(['\n', '\r'])));
        parts.collect::<Vec<_>>().join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(parts: [&str; 4], expected: &str) {
        let [base, tree, tools, context] = parts.map(str::to_owned);
        let parts = SystemParts {
            base,
            tree,
            tools,
            context,
        };
        assert_eq!(parts.compose(), expected);
    }

    #[test]
    fn empty_parts_vanish_with_their_headings() {
        check(["", "", "", ""], "");
        check(["B", "", "", ""], "B");
        check(["", "F", "", ""], "## Current Project Structure\n\nF");
        check(["", "", "\nT", " \n"], "T");
        check(["", "", "", "C"], "## Additional Context\n\nC");
        check(["B\n", "", "", "C"], "B\n\n\n## Additional Context\n\nC");
        check(
            ["B", "F", "T", "C"],
            "B\n\n## Current Project Structure\n\nF\n\nT\n\n## Additional Context\n\nC",
        );
    }
}
