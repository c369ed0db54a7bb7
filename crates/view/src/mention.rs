//! Completion of `@Name` and `#file` in the composer.
//!
//! Pure. Positions are byte offsets; two functions convert them from and to UTF-16.

use nexus_model::limits::MENTION_CHARS;
use nexus_model::session::recipients;

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

/// True if `inserted` stands before the caret already, so that completing would only add a blank. Names of agents match
/// in any case, as those of recipients do.
pub fn is_whole(text: &str, caret: usize, inserted: &str) -> bool {
    let typed = at_caret(text, caret).and_then(|begun| text.get(begun.at..caret));
    let is_agent = inserted.starts_with('@');
    typed
        .is_some_and(|typed| typed == inserted || is_agent && typed.to_lowercase() == inserted.to_lowercase())
}

/// The names that contain the typed text: first the same one, then those that start with it.
pub fn matching<'n>(begun: &str, names: &'n [String]) -> Vec<&'n String> {
    let begun = begun.to_lowercase();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for name in names {
        let lower = name.to_lowercase();
        if lower == begun {
            first.insert(0, name);
        } else if lower.starts_with(&begun) {
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

/// The name after the `@` at the start of the text, once it was typed, if no agent has it. `names` are the agents' names.
pub fn unknown_recipient(text: &str, names: impl FnOnce() -> Vec<String>) -> Option<&str> {
    let rest = text.strip_prefix('@')?;
    let (name, _) = rest.split_once(char::is_whitespace)?;
    let name = name.trim_end_matches(|c: char| c.is_ascii_punctuation());
    let is_known = || names().iter().any(|known| recipients::names(rest, known));
    (!name.is_empty() && !is_known()).then_some(name)
}

/// A free file name for a pasted text.
pub fn free_name(files: &[String]) -> String {
    let mut names = (1u32..).map(|number| format!("pasted-{number}.txt"));
    names.find(|name| !files.contains(name)).unwrap_or_default()
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

    /// A message that begins with `/`, as it is sent.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SentCommand<'t> {
        /// It is no command: a path, or a `/` alone.
        None,
        Known(&'static SlashCommand),
        /// The name of a command that does not exist.
        Unknown(&'t str),
    }

    /// The command that a sent text begins with.
    pub fn sent(text: &str) -> SentCommand<'_> {
        let Some(rest) = text.strip_prefix('/') else { return SentCommand::None };
        let name = rest.split(char::is_whitespace).next().unwrap_or_default();
        if name.is_empty() || !name.chars().all(char::is_alphabetic) {
            return SentCommand::None;
        }
        let lower = name.to_lowercase();
        let known = SLASH_COMMANDS.iter().find(|command| command.name == lower);
        known.map_or(SentCommand::Unknown(name), SentCommand::Known)
    }

    #[cfg(test)]
    mod tests;
}

#[cfg(test)]
mod tests;
