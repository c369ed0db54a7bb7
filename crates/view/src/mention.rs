//! Completion of `@Name` and `#file` in the composer.
//!
//! Pure. Positions are byte offsets; two functions convert them from and to UTF-16.

use nexus_model::limits::MENTION_CHARS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mention<'t> {
    pub at: usize,
    /// True for a file: `#` instead of `@`.
    pub is_file: bool,
    pub typed: &'t str,
}

/// The mention that ends at the caret: an `@` or `#` at the start of a word, without a space after it.
pub fn at_caret(text: &str, caret: usize) -> Option<Mention<'_>> {
    let before = text.get(..caret)?;
    // Limits the search, however long the text is.
    let (at, _) = before.char_indices().rev().take(MENTION_CHARS).find(|(_, c)| matches!(c, '@' | '#'))?;
    let is_file = before.get(at..)?.starts_with('#');
    let starts_word = before.get(..at)?.chars().next_back().is_none_or(|c| !c.is_alphanumeric());
    let typed = before.get(at + 1..)?;
    (starts_word && !typed.contains(char::is_whitespace)).then_some(Mention { at, is_file, typed })
}

/// The names that contain the typed text; those that start with it come first.
pub fn matching<'n>(begun: &str, names: &'n [String]) -> Vec<&'n String> {
    let begun = begun.to_lowercase();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for name in names {
        let lower = name.to_lowercase();
        if lower.starts_with(&begun) {
            first.push(name);
        } else if lower.contains(&begun) {
            others.push(name);
        }
    }
    first.append(&mut others);
    first
}

/// Replaces the text between `from` and `to`, and returns the caret behind the replacement.
pub fn insert(text: &str, from: usize, to: usize, inserted: &str) -> (String, usize) {
    let (before, after) = (text.get(..from).unwrap_or(text), text.get(to..).unwrap_or(""));
    let space = if after.starts_with(char::is_whitespace) { "" } else { " " };
    let head = format!("{before}{inserted}{space}");
    let caret = head.len();
    (head + after, caret)
}

/// A free file name for a pasted text.
pub fn free_name(files: &[String]) -> String {
    let mut number = 1u32;
    loop {
        let name = format!("pasted-{number}.txt");
        if !files.contains(&name) {
            return name;
        }
        number += 1;
    }
}

/// A free file name for code: its own name, else one with the extension of its language.
pub fn file_for(name: Option<&str>, language: &str, files: &[String]) -> String {
    let extension = match language {
        "rust" => "rs",
        "javascript" => "js",
        "typescript" => "ts",
        "python" => "py",
        "markdown" => "md",
        "bash" | "shell" | "zsh" | "console" => "sh",
        "c++" => "cpp",
        "c#" | "csharp" => "cs",
        "yml" => "yaml",
        "ruby" => "rb",
        "kotlin" => "kt",
        "golang" => "go",
        "" | "text" | "plain" | "plaintext" => "txt",
        short if short.len() <= 5 && short.chars().all(|c| c.is_ascii_alphanumeric()) => short,
        _ => "txt",
    };
    let wanted = name.map_or_else(|| format!("code.{extension}"), str::to_owned);
    let (stem, extension) = wanted.rsplit_once('.').unwrap_or((&wanted, extension));
    let names = (2u32..).map(|number| format!("{stem}-{number}.{extension}"));
    std::iter::once(wanted.clone()).chain(names).find(|name| !files.contains(name)).unwrap_or_default()
}

/// The byte offset of a UTF-16 offset.
pub fn byte_of(text: &str, utf16: usize) -> usize {
    let mut units = 0;
    for (byte, c) in text.char_indices() {
        if units >= utf16 {
            return byte;
        }
        units += c.len_utf16();
    }
    text.len()
}

/// The UTF-16 offset of a byte offset.
pub fn utf16_of(text: &str, byte: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < byte).map(|(_, c)| c.len_utf16()).sum()
}

/// Slash commands of the composer: `/name` at its start, each an action of the palette.
pub mod slash {
    #[derive(Debug, PartialEq, Eq, Hash)]
    pub struct SlashCommand {
        pub name: &'static str,
        pub about: &'static str,
        /// Id of the palette action.
        pub action: &'static str,
    }

    const fn slash(name: &'static str, about: &'static str, action: &'static str) -> SlashCommand {
        SlashCommand { name, about, action }
    }

    pub static SLASH_COMMANDS: &[SlashCommand] = &[
        slash("new", "New session", "session-new"),
        slash("sessions", "Switch, rename or archive sessions", "session-list"),
        slash("search", "Search all sessions", "thread-find"),
        slash("model", "Model and options for the next message", "message-over"),
        slash("race", "Compare models on a new message", "race-new"),
        slash("graph", "Run a message as a graph", "run-graph-new"),
        slash("compact", "Compact older turns", "compact"),
        slash("recap", "Recap the last run", "run-catch-up"),
        slash("undo", "Undo the changes of the last round", "run-undo-round"),
        slash("checks", "Run checks", "checks-run"),
        slash("sync", "Execute sync", "core-sync"),
        slash("tree", "Open the tree: fork and merge", "to-tree"),
        slash("merge", "Open the tree: fork and merge", "to-tree"),
        slash("export", "Export this conversation as Markdown", "export-markdown"),
        slash("html", "Export this conversation as an HTML page", "export-html"),
        slash("backup", "Export all data", "data-export"),
        slash("settings", "Open the settings", "to-settings"),
        slash("keys", "Keyboard shortcuts", "keys"),
        slash("help", "Help and about", "to-help"),
    ];

    /// The commands that match the text before the caret; empty if that is no command.
    pub fn matching(text: &str, caret: usize) -> Vec<&'static SlashCommand> {
        let begun = text.get(..caret).and_then(|before| before.strip_prefix('/'));
        let Some(begun) = begun.filter(|begun| begun.chars().all(char::is_alphabetic)) else {
            return Vec::new();
        };
        let begun = begun.to_lowercase();
        SLASH_COMMANDS.iter().filter(|command| command.name.starts_with(&begun)).collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_slash_at_the_start_offers_commands() {
            let names =
                |text: &str| matching(text, text.len()).iter().map(|one| one.name).collect::<Vec<_>>();
            assert_eq!(names("/co"), ["compact"]);
            assert_eq!(names("/S"), ["sessions", "search", "sync", "settings"]);
            assert_eq!(names("/").len(), SLASH_COMMANDS.len());
            for no_command in ["", "a/co", " /co", "/usr/bin is a path", "/compact now", "/ä"] {
                assert!(names(no_command).is_empty(), "{no_command:?}");
            }
            // Text behind the caret is ignored, and a caret within a character matches nothing.
            assert_eq!(matching("/newer", 4).len(), 1);
            assert!(matching("/ä", 2).is_empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["Architect", "Engineer", "Critic"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_mention_begins_a_word_and_ends_at_a_space() {
        assert_eq!(at_caret("ask @arc", 8), Some(Mention { at: 4, is_file: false, typed: "arc" }));
        assert_eq!(at_caret("@", 1), Some(Mention { at: 0, is_file: false, typed: "" }));
        assert_eq!(at_caret("(@cr", 4), Some(Mention { at: 1, is_file: false, typed: "cr" }));
        assert_eq!(at_caret("see #src/a", 10), Some(Mention { at: 4, is_file: true, typed: "src/a" }));
        assert_eq!(at_caret("me@home", 7), None);
        assert_eq!(at_caret("@arc now", 8), None);
        assert_eq!(at_caret("ask @arc", 2), None);
        assert_eq!(at_caret("é", 1), None);
    }

    #[test]
    fn no_completion_far_behind_the_mark() {
        let text = format!("@{}", "a".repeat(1_000_000));
        assert_eq!(at_caret(&text, text.len()), None);
        assert_eq!(
            at_caret(&text, MENTION_CHARS).map(|mention| mention.typed.len()),
            Some(MENTION_CHARS - 1)
        );
    }

    #[test]
    fn matching_prefixes_come_first_in_any_case() {
        assert_eq!(matching("", &names()).len(), 3);
        assert_eq!(matching("C", &names()), ["Critic", "Architect"]);
        assert!(matching("zz", &names()).is_empty());
    }

    #[test]
    fn a_choice_replaces_the_mention_and_moves_the_caret_behind_it() {
        let (text, caret) = insert("ask @arc to plan", 4, 8, "@Architect");
        assert_eq!((text.as_str(), caret), ("ask @Architect to plan", 14));
        assert_eq!(insert("@", 0, 1, "@Critic"), ("@Critic ".to_owned(), 8));
    }

    #[test]
    fn new_files_get_free_names() {
        let files = ["a.txt".to_owned(), "pasted-1.txt".to_owned()];
        assert_eq!(free_name(&files), "pasted-2.txt");
        assert_eq!(free_name(&[]), "pasted-1.txt");
    }

    #[test]
    fn code_gets_its_own_name_or_one_of_its_language() {
        let files = ["code.rs".to_owned(), "app.js".to_owned()];
        assert_eq!(file_for(Some("lib.rs"), "rust", &files), "lib.rs");
        assert_eq!(file_for(Some("app.js"), "js", &files), "app-2.js");
        assert_eq!(file_for(None, "rust", &files), "code-2.rs");
        assert_eq!(file_for(None, "html", &files), "code.html");
        assert_eq!(file_for(None, "something else", &[]), "code.txt");
    }

    #[test]
    fn offsets_convert_to_and_from_utf16() {
        let text = "a😀é";
        assert_eq!(byte_of(text, 3), 5);
        assert_eq!(byte_of(text, 99), text.len());
        assert_eq!(utf16_of(text, 5), 3);
        for utf16 in [0, 1, 3, 4] {
            assert_eq!(utf16_of(text, byte_of(text, utf16)), utf16);
        }
    }
}
