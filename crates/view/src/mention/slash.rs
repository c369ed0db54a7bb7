//! Commands that the composer takes in place of a message: `/name` at its start, each an action of the palette.

#[derive(Debug, PartialEq, Eq, Hash)]
pub struct SlashCommand {
    pub name: &'static str,
    pub about: &'static str,
    /// The id of the action in the palette.
    pub action: &'static str,
}

const fn slash(name: &'static str, about: &'static str, action: &'static str) -> SlashCommand {
    SlashCommand { name, about, action }
}

pub static SLASH_COMMANDS: [SlashCommand; 19] = [
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

/// The commands that fit what stands before the caret; none where that is no command.
pub fn fitting(text: &str, caret: usize) -> Vec<&'static SlashCommand> {
    let begun = text.get(..caret).and_then(|before| before.strip_prefix('/'));
    let Some(begun) = begun.filter(|begun| begun.chars().all(char::is_alphabetic)) else { return Vec::new() };
    let begun = begun.to_lowercase();
    SLASH_COMMANDS.iter().filter(|command| command.name.starts_with(&begun)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_at_the_start_offers_commands() {
        let names = |text: &str| fitting(text, text.len()).iter().map(|one| one.name).collect::<Vec<_>>();
        assert_eq!(names("/co"), ["compact"]);
        assert_eq!(names("/S"), ["sessions", "search", "sync", "settings"]);
        assert_eq!(names("/").len(), SLASH_COMMANDS.len());
        for no_command in ["", "a/co", " /co", "/usr/bin is a path", "/compact now", "/ä"] {
            assert!(names(no_command).is_empty(), "{no_command:?}");
        }
        // What stands behind the caret does not matter, and a caret within a letter is no place.
        assert_eq!(fitting("/newer", 4).len(), 1);
        assert!(fitting("/ä", 2).is_empty());
    }
}
