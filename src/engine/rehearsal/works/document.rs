//! Never pads: a section says what it is for and leaves to the operator what only the operator knows.
//!
//! Owns texts in Markdown: their forms, first drafts and sections.

use super::Files;
use crate::engine::rehearsal::words::{capital, fill, markdown, position};

/// A form of text.
#[derive(Debug, PartialEq)]
pub(in crate::engine::rehearsal) struct Form {
    /// What it is called in a plan.
    pub(super) label: &'static str,
    words: &'static [&'static str],
    pub(super) usual: &'static [&'static str],
    opening: &'static str,
}

static FORMS: [Form; 7] = [
    Form {
        label: "guide",
        words: &[
            "guide",
            "tutorial",
            "handbook",
            "manual",
            "how-to",
            "readme",
            "documentation",
            "instructions",
        ],
        usual: &["what you need", "first steps", "common mistakes"],
        opening: "## Who this is for\n\nAnyone who begins with **{{title}}**. Read from top to bottom once; after that each section stands \
                  alone.\n",
    },
    Form {
        label: "report",
        words: &["report", "analysis", "review of", "study", "essay", "article", "paper", "blog post"],
        usual: &["background", "observations", "conclusions"],
        opening: "## Question\n\nWhat should a reader know about **{{title}}** after ten minutes?\n",
    },
    Form {
        label: "proposal",
        words: &["proposal", "pitch", "business plan", "concept"],
        usual: &["the problem", "the idea", "what it costs"],
        opening: "## In one sentence\n\n**{{title}}** is worth doing now; the sections below say why, how and at what price.\n",
    },
    Form {
        label: "letter",
        words: &["letter", "email", "e-mail", "invitation"],
        usual: &["the reason for writing", "the request"],
        opening: "Dear reader,\n\nthis is about **{{title}}**.\n",
    },
    Form {
        label: "recipe",
        words: &["recipe"],
        usual: &["ingredients", "preparation", "serving"],
        opening: "## At a glance\n\n| | |\n| - | - |\n| Dish | {{title}} |\n| Serves | 4 |\n",
    },
    Form {
        label: "plan",
        words: &[
            "itinerary",
            "agenda",
            "roadmap",
            "schedule",
            "travel plan",
            "project plan",
            "lesson plan",
            "plan",
        ],
        usual: &["goals", "timetable", "risks"],
        opening: "## Aim\n\nAt the end, **{{title}}** has happened as described here, or this page says why not.\n",
    },
    Form {
        label: "note",
        words: &["document", "markdown", "story", "poem", "text", "speech", "summary", "memo"],
        usual: &["the beginning", "the middle", "the end"],
        opening: "## Opening\n\nThis is about **{{title}}**.\n",
    },
];

/// The form with `label`.
pub(super) fn with_label(label: &str) -> Option<&'static Form> {
    FORMS.iter().find(|form| form.label == label)
}

/// The form whose words come first in `text`, with the place of that word.
pub(in crate::engine::rehearsal) fn form_of(text: &str) -> Option<(&'static Form, usize)> {
    FORMS
        .iter()
        .filter_map(|form| position(text, form.words).map(|place| (form, place)))
        .min_by_key(|(_, p)| *p)
}

/// The first draft, without the named sections.
pub(super) fn draft(form: &Form, title: &str) -> String {
    let title = markdown(title);
    format!("# {title}\n\n{}", fill(form.opening, &[("title", &title)]))
}

/// The heading of the section about `feature`.
pub(super) fn heading(feature: &str) -> String {
    format!("## {}", markdown(&capital(feature)))
}

/// The heading behind which nothing is added.
pub(in crate::engine::rehearsal) const LAST_SECTION: &str = "## Next steps";

/// Adds a section about `feature`.
pub(super) fn add_section(feature: &str, files: &mut Files) -> Option<String> {
    let (name, text) = files.iter().find(|(name, _)| name.ends_with(".md"))?;
    let topic = markdown(feature);
    let section = format!(
        "{}\n\nThis part is complete when it answers, for {topic}:\n\n- [ ] What is it, and why does it matter here?\n\
         - [ ] What comes first, and how often?\n- [ ] How does one notice that it went wrong?\n",
        heading(feature)
    );
    let last = format!("\n{LAST_SECTION}\n");
    let text = match text.split_once(&last) {
        Some((before, after)) => format!("{}\n\n{section}{last}{after}", before.trim_end()),
        None => format!("{}\n\n{section}", text.trim_end()),
    };
    let name = name.clone();
    files.insert(name.clone(), text);
    Some(format!("a section of {name}"))
}
