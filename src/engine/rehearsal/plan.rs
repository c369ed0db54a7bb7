//! Never touches a line of the scratchpad that it did not write, but to tick it.
//!
//! Owns the plan: a checklist in Markdown on the shared scratchpad, that the operator may edit like any text.

use super::brief::Brief;
use super::scene::Scene;
use super::words::clean;
use super::works::Kind;

/// A line of the checklist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// Its line on the scratchpad, from 0.
    pub(super) line: usize,
    pub(super) done: bool,
    /// Who does it; the Engineer where nobody is named.
    pub(super) owner: String,
    pub(super) text: String,
}

impl Item {
    /// The file that the item asks to write, if it is such an item.
    pub(super) fn file(&self) -> Option<&str> {
        self.text.strip_prefix("write ").filter(|name| !name.contains(' ') && name.contains('.'))
    }
}

/// The newest plan of a scratchpad.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) title: String,
    pub(super) kind: Kind,
    /// The beginning of the objective that it was made for.
    pub(super) made_for: String,
    pub(super) items: Vec<Item>,
}

const OWNERS: [&str; 4] = ["Architect", "Engineer", "Critic", "Operator"];
const HEADING: &str = "## Plan: ";
const MADE_FOR: &str = "For: ";
const KIND: &str = "Kind: ";
const DONE_WHEN: &str = "Done when: ";
const MADE_FOR_MOST: usize = 72;
const REVIEW: &str = "## Review";

impl Plan {
    /// The plan on `scratchpad`, if there is one. Items of older plans do not count.
    pub(super) fn read(scratchpad: &str) -> Option<Self> {
        let at = scratchpad.lines().enumerate().filter(|(_, line)| line.starts_with(HEADING)).last()?.0;
        let field = |mark: &str| {
            scratchpad
                .lines()
                .skip(at)
                .find_map(|line| line.strip_prefix(mark))
                .unwrap_or_default()
                .to_owned()
        };
        Some(Self {
            title: field(HEADING),
            kind: Kind::from_label(&field(KIND))?,
            made_for: field(MADE_FOR),
            items: items(scratchpad).into_iter().filter(|item| item.line > at).collect(),
        })
    }

    /// Whether it was made for `objective`.
    pub(super) fn fits(&self, objective: &str) -> bool {
        self.made_for == clean(objective, MADE_FOR_MOST)
    }

    /// The items that `owner` still has to do.
    pub(super) fn open_of(&self, owner: &str) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| !item.done && item.owner == owner)
    }

    /// The files it asks for.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(Item::file)
    }

    /// How many items are ticked.
    pub(super) fn done(&self) -> usize {
        self.items.iter().filter(|item| item.done).count()
    }
}

/// What is to be made as the agents after the Architect know it: the plan where there is one, else the objective,
/// else the message.
pub(super) fn agreed(scene: &Scene) -> Brief {
    let mut brief =
        Brief::of(&scene.mind.objective, if scene.mind.objective.is_empty() { &scene.message } else { "" });
    if let Some(plan) = Plan::read(&scene.mind.scratchpad) {
        brief.title = plan.title;
        brief.kind = plan.kind;
    }
    brief
}

/// The checklist lines of `scratchpad`.
pub(super) fn items(scratchpad: &str) -> Vec<Item> {
    let item = |(number, line): (usize, &str)| {
        let line = line.trim_start();
        let rest = line.strip_prefix("- [").or_else(|| line.strip_prefix("* ["))?;
        let (mark, text) = rest.split_once(']')?;
        let done = match mark {
            " " | "" => false,
            "x" | "X" => true,
            _ => return None,
        };
        let text = text.trim();
        let owned = text.split_once(':').filter(|(owner, _)| OWNERS.contains(&owner.trim()));
        let (owner, text) = owned.map_or(("Engineer", text), |(owner, text)| (owner.trim(), text.trim()));
        Some(Item { line: number, done, owner: owner.to_owned(), text: text.to_owned() })
    };
    scratchpad.lines().enumerate().filter_map(item).collect()
}

/// `scratchpad` with a plan for `brief` at its end, which asks to write `files`. What stood there stays.
pub(super) fn with_plan(scratchpad: &str, objective: &str, brief: &Brief, files: &[String]) -> String {
    let mut lines = vec![
        format!("{HEADING}{}", brief.title),
        format!("{MADE_FOR}{}", clean(objective, MADE_FOR_MOST)),
        format!("{KIND}{}", brief.kind.label()),
        String::new(),
    ];
    lines.extend(files.iter().map(|file| open("Engineer", &format!("write {file}"))));
    lines.extend(brief.features.iter().map(|feature| open("Engineer", feature)));
    lines.push(open("Critic", "review the files against the objective"));
    lines.push(String::new());
    lines.push(format!(
        "{DONE_WHEN}every item above is ticked, each named feature is found in a file, and the Critic has no finding."
    ));
    joined(scratchpad, &lines.join("\n"))
}

/// `scratchpad` with `items` for the Engineer behind the last item of the plan that is the Engineer's.
pub(super) fn with_items(scratchpad: &str, wishes: &[String], done: bool) -> String {
    let new = wishes.iter().map(|wish| if done { ticked("Engineer", wish) } else { open("Engineer", wish) });
    let plan = Plan::read(scratchpad);
    let review = review_line(scratchpad).unwrap_or(usize::MAX);
    let after = plan.and_then(|plan| {
        plan.items
            .iter()
            .filter(|item| item.owner == "Engineer" && item.line < review)
            .map(|item| item.line)
            .max()
    });
    let Some(after) = after else { return joined(scratchpad, &new.collect::<Vec<_>>().join("\n")) };
    let mut lines: Vec<String> = scratchpad.lines().map(str::to_owned).collect();
    let tail = lines.split_off((after + 1).min(lines.len()));
    lines.extend(new);
    lines.extend(tail);
    lines.join("\n")
}

/// `scratchpad` with the boxes of `lines` ticked.
pub(super) fn with_ticks(scratchpad: &str, lines: &[usize]) -> String {
    let tick = |(number, line): (usize, &str)| {
        if lines.contains(&number) {
            line.replacen("[ ]", "[x]", 1).replacen("[]", "[x]", 1)
        } else {
            line.to_owned()
        }
    };
    scratchpad.lines().enumerate().map(tick).collect::<Vec<_>>().join("\n")
}

/// `scratchpad` with `lines` under its review heading, which is made where it is missing.
pub(super) fn with_review(scratchpad: &str, lines: &[String]) -> String {
    let block = lines.join("\n");
    if review_line(scratchpad).is_some() {
        format!("{}\n{block}", scratchpad.trim_end())
    } else {
        joined(scratchpad, &format!("{REVIEW}\n{block}"))
    }
}

/// The line of the newest plan's review heading.
fn review_line(scratchpad: &str) -> Option<usize> {
    let plan = scratchpad.lines().enumerate().filter(|(_, line)| line.starts_with(HEADING)).last();
    let from = plan.map_or(0, |(line, _)| line);
    scratchpad.lines().enumerate().skip(from).find(|(_, line)| *line == REVIEW).map(|(line, _)| line)
}

/// An open checklist line.
pub(super) fn open(owner: &str, text: &str) -> String {
    format!("- [ ] {owner}: {text}")
}

fn ticked(owner: &str, text: &str) -> String {
    format!("- [x] {owner}: {text}")
}

/// `block` behind `text`, a blank line between them.
pub(super) fn joined(text: &str, block: &str) -> String {
    if text.trim().is_empty() { block.to_owned() } else { format!("{}\n\n{block}", text.trim_end()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_keeps_what_the_operator_wrote_and_its_own_ticks() {
        let objective = "A tip calculator that splits the bill";
        let brief = Brief::of(objective, "");
        let pad =
            with_plan("my own note\n- [ ] buy milk", objective, &brief, &brief.kind.files(&brief.title));
        assert!(pad.starts_with("my own note\n- [ ] buy milk\n\n## Plan: Tip calculator\n"));
        let plan = Plan::read(&pad).unwrap();
        assert!(plan.fits(objective));
        assert_eq!(plan.kind, brief.kind);
        assert_eq!(plan.files().count(), 3);
        assert!(plan.items.iter().any(|item| item.text == "splits the bill" && item.owner == "Engineer"));
        assert!(!plan.items.iter().any(|item| item.text == "buy milk"));

        let pad = with_ticks(&pad, &[plan.items[0].line]);
        let pad = with_items(&pad, &["make it blue".to_owned()], false);
        let plan = Plan::read(&pad).unwrap();
        assert_eq!(plan.done(), 1);
        let texts: Vec<&str> = plan.items.iter().map(|item| item.text.as_str()).collect();
        let at = texts.iter().position(|text| *text == "make it blue").unwrap();
        assert_eq!(texts[at - 1], "splits the bill");
        assert!(pad.starts_with("my own note\n- [ ] buy milk\n\n"));
    }
}
