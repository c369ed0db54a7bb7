//! The names of the objectives that the demo can play. The scenarios are in the engine.

/// A prepared objective of the demo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoObjective {
    /// For a button.
    pub title: &'static str,
    /// The text of the message.
    pub objective: &'static str,
}

/// In the order in which they are offered.
pub const DEMO_OBJECTIVES: [DemoObjective; 5] = [
    DemoObjective { title: "Tip calculator", objective: "A tip calculator for a small restaurant" },
    DemoObjective { title: "Snake", objective: "A Snake game" },
    DemoObjective { title: "To-do list", objective: "A to-do list with filters" },
    DemoObjective { title: "Pomodoro timer", objective: "A Pomodoro timer" },
    DemoObjective { title: "Unit converter", objective: "A unit converter" },
];

/// First sentence of the demo's answer to other objectives. The interface offers to set up a model when it sees this.
pub const NEEDS_MODEL: &str = "This is the demo, and this needs a model.";

/// Leading words that are ignored in comparisons.
const FILLERS: [&str; 12] =
    ["please", "build", "make", "create", "write", "me", "us", "a", "an", "the", "i", "want"];

/// The prepared objective that `text` names, by its text or title; similar ones do not match.
pub fn demo_objective(text: &str) -> Option<&'static DemoObjective> {
    let wanted = demo_key(text);
    DEMO_OBJECTIVES.iter().find(|one| [one.title, one.objective].iter().any(|name| demo_key(name) == wanted))
}

/// The text for comparisons: letters and digits in lower case, without `@` names and leading fillers. ASCII only,
/// because lower-casing all alphabets would add 4 kB to the first load.
pub fn demo_key(text: &str) -> String {
    let spoken = text.split_whitespace().filter(|word| !word.starts_with('@')).collect::<Vec<_>>().join(" ");
    let words = spoken.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).skip_while(|word| FILLERS.contains(&word.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_words_match_an_objective() {
        let title = |text: &str| demo_objective(text).map(|one| one.title);
        for text in ["A Snake game", "snake", "@Engineer please build a snake game!", "Make me the Snake."] {
            assert_eq!(title(text), Some("Snake"), "{text}");
        }
        assert_eq!(title("todo list"), Some("To-do list"));
        for text in ["", "a", "chess", "A game", "A snake farm", "Snake with two players", "Build"] {
            assert_eq!(title(text), None, "{text}");
        }
    }

    #[test]
    fn objectives_have_distinct_names() {
        let mut names: Vec<String> =
            DEMO_OBJECTIVES.iter().flat_map(|one| [demo_key(one.title), demo_key(one.objective)]).collect();
        names.sort();
        names.dedup();
        assert!(names.len() >= DEMO_OBJECTIVES.len() && names.iter().all(|name| !name.is_empty()));
        for one in &DEMO_OBJECTIVES {
            assert_eq!(demo_objective(one.title), Some(one));
            assert_eq!(demo_objective(one.objective), Some(one));
        }
    }
}
