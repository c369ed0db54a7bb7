//! The checklist on the scratchpad. Only ticks its lines, never changes them.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedItem<'t> {
    /// Its line on the scratchpad, from 0.
    pub(super) line: usize,
    pub(super) done: bool,
    /// Who does it: what stands before the first colon.
    pub(super) owner: &'t str,
    pub(super) text: &'t str,
}

impl ListedItem<'_> {
    /// The file that the item asks to write: `write index.html: what it holds`.
    pub(super) fn file(&self) -> Option<&str> {
        let rest = self.text.strip_prefix("write ")?;
        let name = rest.split([':', ' ']).next().unwrap_or(rest);
        name.contains('.').then_some(name)
    }

    /// Whether it is this piece of work of this owner, whatever is noted behind it.
    pub(super) fn is(&self, owner: &str, text: &str) -> bool {
        self.owner == owner && self.text.starts_with(text)
    }
}

/// The checklist lines of `scratchpad`.
pub(super) fn items(scratchpad: &str) -> Vec<ListedItem<'_>> {
    let item = |(line, text)| {
        let text = str::trim_start(text);
        let rest = text.strip_prefix("- [").or_else(|| text.strip_prefix("* ["))?;
        let (mark, text) = rest.split_once(']')?;
        let done = match mark {
            " " | "" => false,
            "x" | "X" => true,
            _ => return None,
        };
        let (owner, text) = text.split_once(':').unwrap_or(("", text));
        Some(ListedItem { line, done, owner: owner.trim(), text: text.trim() })
    };
    scratchpad.lines().enumerate().filter_map(item).collect()
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

/// `block` behind `text`: in its list where it ends with one, else as a paragraph of its own.
pub(super) fn joined(text: &str, block: &str) -> String {
    let text = text.trim_end();
    let in_list = text.lines().last().is_some_and(|line| line.starts_with("- [")) && block.starts_with("- [");
    match (text.is_empty(), in_list) {
        (true, _) => block.to_owned(),
        (false, true) => format!("{text}\n{block}"),
        (false, false) => format!("{text}\n\n{block}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_read_ticked_and_added_to() {
        let pad = "my note\n- [ ] Engineer: write a.js: all of it\n- [x] buy milk\n* [?] no box";
        let found = items(pad);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].owner, found[0].file(), found[0].line), ("Engineer", Some("a.js"), 1));
        assert!(found[0].is("Engineer", "write a.js") && found[1].done && found[1].file().is_none());
        let pad = with_ticks(pad, &[1]);
        assert!(pad.starts_with("my note\n- [x] Engineer: write a.js"));
        assert_eq!(joined("- [ ] a: b\n", "- [ ] c: d"), "- [ ] a: b\n- [ ] c: d");
        assert_eq!(joined("text", "- [ ] c: d"), "text\n\n- [ ] c: d");
    }
}
