//! The names of the objectives that the demo can play. The scenarios are in the engine.

/// An objective that the demo has prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoObjective {
    /// In short, for a button.
    pub title: &'static str,
    /// As the operator would say it.
    pub objective: &'static str,
}

/// All of them, in the order in which they are offered.
pub const DEMO_OBJECTIVES: [DemoObjective; 5] = [
    DemoObjective { title: "Tip calculator", objective: "A tip calculator for a small restaurant" },
    DemoObjective { title: "Snake", objective: "A Snake game" },
    DemoObjective { title: "To-do list", objective: "A to-do list with filters" },
    DemoObjective { title: "Pomodoro timer", objective: "A Pomodoro timer" },
    DemoObjective { title: "Unit converter", objective: "A unit converter" },
];

/// What the demo says first when it has nothing prepared. The interface offers a way to a model where it reads this.
pub const NEEDS_MODEL: &str = "This is the demo, and this needs a model.";

/// Words before the name of a thing that do not change what is asked for.
const FILLERS: [&str; 12] =
    ["please", "build", "make", "create", "write", "me", "us", "a", "an", "the", "i", "want"];

/// The prepared objective that `text` asks for, in its own words or by its title. Never one that is only similar.
pub fn demo_objective(text: &str) -> Option<&'static DemoObjective> {
    let wanted = demo_key(text);
    DEMO_OBJECTIVES.iter().find(|one| [one.title, one.objective].iter().any(|name| demo_key(name) == wanted))
}

/// `text` for comparison: its letters and digits in lower case, without names behind `@` and without fillers in front. All
/// that it is compared with is ASCII: the lower case of all alphabets would be 4 kB of what a newcomer fetches.
pub fn demo_key(text: &str) -> String {
    let spoken = text.split_whitespace().filter(|word| !word.starts_with('@')).collect::<Vec<_>>().join(" ");
    let words = spoken.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).skip_while(|word| FILLERS.contains(&word.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_words_ask_for_a_prepared_objective() {
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
    fn no_two_objectives_share_a_name() {
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
