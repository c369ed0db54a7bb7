//! Never changes a file but through a rule's own mend.
//!
//! Owns what the Critic checks: properties that can be seen in the text of files, each finding with its place.

mod balance;

use super::plan::Plan;
use super::wish::Wish;
use super::words::{count, mentions};
#[cfg(test)]
pub(super) use balance::problem;

use super::works::{Files, Kind, document, web};

/// Something to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// Who can mend it: the Engineer, or only the operator, who knows what was meant.
    pub(super) owner: &'static str,
    /// File, line and words, ready for the plan.
    pub(super) text: String,
}

/// What a review came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Review {
    pub(super) findings: Vec<Finding>,
    /// The files that were read, with their length.
    pub(super) read: Vec<String>,
    /// How many features the plan names as done.
    pub(super) wanted: usize,
    /// The features that were found, with their place.
    pub(super) shown: Vec<String>,
}

/// A property that first drafts tend to miss.
#[derive(Debug)]
pub(super) struct Rule {
    /// The words of its finding, which also name the rule when the Engineer reads the plan.
    says: &'static str,
    applies: fn(Kind) -> bool,
    /// The place, from line 1, where the property is missing.
    missing: fn(&Files) -> Option<(String, usize)>,
    mend: fn(&mut Files) -> Option<String>,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.says == other.says
    }
}

impl Rule {
    /// Puts the property in; tells what is different now.
    pub(super) fn mend(&self, files: &mut Files) -> Option<String> {
        if (self.missing)(files).is_none() {
            return Some(format!("nothing to mend: that a file “{}” is no longer true", self.says));
        }
        (self.mend)(files)
    }
}

/// How a finding begins that misses a feature.
pub(super) const SHOWS_NOTHING_OF: &str = "shows nothing of “";
const FINDINGS_MOST: usize = 4;

static RULES: [Rule; 8] = [
    Rule {
        says: "has no description for search results and link previews",
        applies: |kind| matches!(kind, Kind::Web(_)),
        missing: |files| lacking(files, ".html", "name=\"description\"", "<title>"),
        mend: |files| {
            let name = web::page_name(files)?;
            let page = files.get(&name)?;
            let (_, after) = page.split_once("<title>")?;
            let (title, _) = after.split_once("</title>")?;
            let meta = format!(
                "</title>\n  <meta name=\"description\" content=\"{}\">",
                title.replace('"', "&quot;")
            );
            let page = page.replacen("</title>", &meta, 1);
            files.insert(name, page);
            Some("the page describes itself in a meta element".to_owned())
        },
    },
    Rule {
        says: "marks no keyboard focus",
        applies: |kind| matches!(kind, Kind::Web(_)),
        missing: |files| lacking(files, ".css", ":focus-visible", "button"),
        mend: |files| {
            append(
                files,
                ".css",
                "\n:focus-visible {\n  outline: 3px solid var(--accent);\n  outline-offset: 2px;\n}\n",
            )?;
            Some("keyboard focus has an outline".to_owned())
        },
    },
    Rule {
        says: "stays silent where scripts are switched off",
        applies: |kind| matches!(kind, Kind::Web(_)),
        missing: |files| lacking(files, ".html", "<noscript>", "<main>"),
        mend: |files| {
            let name = web::page_name(files)?;
            let page = files.get(&name).filter(|page| page.contains("<main>\n"))?;
            let note = "<main>\n    <noscript>This page needs JavaScript for what it does.</noscript>\n";
            let page = page.replacen("<main>\n", note, 1);
            files.insert(name, page);
            Some("a note shows where scripts are off".to_owned())
        },
    },
    Rule {
        says: "has no summary under its title",
        applies: |kind| matches!(kind, Kind::Document(_)),
        missing: |files| lacking(files, ".md", "\n> ", "# "),
        mend: |files| {
            let (name, text) = files.iter().find(|(name, _)| name.ends_with(".md"))?;
            let (title, rest) = text.split_once('\n')?;
            let sections: Vec<&str> = rest.lines().filter_map(|line| line.strip_prefix("## ")).collect();
            let text = format!("{title}\n\n> In short: {}.\n{rest}", sections.join("; "));
            let name = name.clone();
            files.insert(name, text);
            Some("a summary stands under the title".to_owned())
        },
    },
    Rule {
        says: "does not say what happens next",
        applies: |kind| matches!(kind, Kind::Document(_)),
        missing: |files| lacking(files, ".md", document::LAST_SECTION, "\u{0}"),
        mend: |files| {
            let steps = "- [ ] Read once from top to bottom and strike what is not needed.\n- [ ] Fill in the open boxes.\n";
            append(files, ".md", &format!("\n{}\n\n{steps}", document::LAST_SECTION))?;
            Some("next steps close the text".to_owned())
        },
    },
    Rule {
        says: "shows no example call",
        applies: |kind| matches!(kind, Kind::Script(_)),
        missing: |files| lacking(files, "", "Example: ", "Usage: "),
        mend: |files| {
            comment_below_usage(files, "Example: printf 'b\\na\\n' | the program with the name of a command")
        },
    },
    Rule {
        says: "explains no exit codes",
        applies: |kind| matches!(kind, Kind::Script(_)),
        missing: |files| lacking(files, "", "Exit codes: ", "Usage: "),
        mend: |files| {
            comment_below_usage(files, "Exit codes: 0 done, 1 a file could not be read, 2 no such command")
        },
    },
    Rule {
        says: "has columns that are explained nowhere",
        applies: |kind| kind == Kind::Data,
        missing: |files| {
            let table = files.keys().find(|name| name.ends_with(".csv"))?;
            (!files.contains_key(COLUMNS)).then(|| (table.clone(), 1))
        },
        mend: |files| {
            let header = files.iter().find(|(name, _)| name.ends_with(".csv"))?.1.lines().next()?;
            let lines: String =
                header.split(',').map(|column| format!("- **{column}**: one value a row\n")).collect();
            let text =
                format!("# Columns\n\n{lines}\nCells that say “to fill in” wait for somebody who knows.\n");
            files.insert(COLUMNS.to_owned(), text);
            Some(format!("{COLUMNS} explains the columns"))
        },
    },
];

const COLUMNS: &str = "COLUMNS.md";

/// The rule whose finding `text` is.
pub(super) fn rule_in(text: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| text.contains(rule.says))
}

/// Where a file with `ending` has no `wanted`: at the line with `near`, or at its end.
fn lacking(files: &Files, ending: &str, wanted: &str, near: &str) -> Option<(String, usize)> {
    let (name, text) = files
        .iter()
        .find(|(name, text)| name.ends_with(ending) && text.contains(near))
        .or_else(|| files.iter().find(|(name, _)| !ending.is_empty() && name.ends_with(ending)))?;
    let line =
        text.lines().position(|line| line.contains(near)).map_or(text.lines().count().max(1), |at| at + 1);
    (!text.contains(wanted)).then(|| (name.clone(), line))
}

fn append(files: &mut Files, ending: &str, block: &str) -> Option<()> {
    let (name, text) = files.iter().find(|(name, _)| name.ends_with(ending))?;
    let text = format!("{}\n{block}", text.trim_end());
    let name = name.clone();
    files.insert(name, text);
    Some(())
}

fn comment_below_usage(files: &mut Files, words: &str) -> Option<String> {
    let (name, text) = files.iter().find(|(_, text)| text.contains("Usage: "))?;
    let at = text.lines().position(|line| line.contains("Usage: "))?;
    let mark = text.lines().nth(at)?.split_whitespace().next()?.to_owned();
    let add = |(number, line): (usize, &str)| {
        if number == at { format!("{line}{mark} {words}\n") } else { line.to_owned() }
    };
    let text = text.split_inclusive('\n').enumerate().map(add).collect();
    let name = name.clone();
    files.insert(name, text);
    Some("the comment at the top says it".to_owned())
}

/// Reviews `files` against `plan`.
pub(super) fn review(kind: Kind, title: &str, plan: Option<&Plan>, files: &Files) -> Review {
    let mut review = Review::default();
    let mut find = |owner, text: String| review.findings.push(Finding { owner, text });
    for name in plan.iter().flat_map(|plan| plan.files()).filter(|name| !files.contains_key(*name)) {
        find("Engineer", format!("write {name}"));
    }
    for (name, content) in files {
        if let Some((line, problem)) = balance::problem(name, content) {
            find("Operator", format!("{name}:{line} {problem}"));
        }
        if let Some(line) = empty_section(name, content) {
            find("Operator", format!("{name}:{line} has a section without content"));
        }
    }
    let (mut shown, mut wanted) = (Vec::new(), 0);
    if let Some(main) = kind.files(title).first().cloned() {
        let wishes = wishes(kind, plan);
        let removed = |feature: &str| {
            wishes.iter().any(|wish| {
                if let Wish::Remove(what) = wish {
                    mentions(feature, &[what]) || mentions(what, &[feature])
                } else {
                    false
                }
            })
        };
        for wish in &wishes {
            let Wish::Feature(feature) = wish else { continue };
            if removed(feature) || files.is_empty() {
                continue;
            }
            wanted += 1;
            match kind.line_of(feature, files) {
                Some((name, line)) => shown.push(format!("“{feature}” at {name}:{line}")),
                None => find("Engineer", format!("{main}:1 {SHOWS_NOTHING_OF}{feature}”")),
            }
        }
    }
    for rule in RULES.iter().filter(|rule| (rule.applies)(kind) && !files.is_empty()) {
        if let Some((name, line)) = (rule.missing)(files) {
            find("Engineer", format!("{name}:{line} {}", rule.says));
        }
    }
    review.findings.truncate(FINDINGS_MOST);

    let size = |(name, text): (&String, &String)| format!("{name} ({})", count(text.lines().count(), "line"));
    review.read = files.iter().map(size).collect();
    review.wanted = wanted;
    review.shown = shown;
    review
}

/// What the ticked items of the plan asked for, files apart. Open ones are the Engineer's next work, not a finding.
fn wishes(kind: Kind, plan: Option<&Plan>) -> Vec<Wish> {
    let items = plan.iter().flat_map(|plan| &plan.items);
    let mut wishes: Vec<Wish> = Vec::new();
    for item in items.filter(|item| item.done && item.owner == "Engineer" && item.file().is_none()) {
        let wish = Wish::read(&item.text, kind);
        if !wishes.contains(&wish) {
            wishes.push(wish);
        }
    }
    wishes
}

/// The line of the first heading of a text that another heading of its level, or the end, follows at once.
fn empty_section(name: &str, text: &str) -> Option<usize> {
    if !name.ends_with(".md") {
        return None;
    }
    let mut heading = None;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("## ") {
            if heading.is_some() {
                return heading;
            }
            heading = Some(number + 1);
        } else if !line.trim().is_empty() {
            heading = None;
        }
    }
    heading
}
