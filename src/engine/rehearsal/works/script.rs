//! Never needs a package: a program is one file for a language's own library.
//!
//! Owns programs that work on lines of text: their first draft and the commands that can be added to them.

use super::Files;
use crate::engine::rehearsal::words::{fill, literal, mentions, slug, words};

/// A programming language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::rehearsal) enum Language {
    Python,
    JavaScript,
    Rust,
}

use Language::{JavaScript, Python, Rust};

impl Language {
    /// What it is called in a plan.
    pub(super) fn label(self) -> &'static str {
        match self {
            Python => "Python",
            JavaScript => "JavaScript",
            Rust => "Rust",
        }
    }

    pub(super) fn from_label(label: &str) -> Option<Self> {
        [Python, JavaScript, Rust].into_iter().find(|language| language.label() == label)
    }

    pub(super) fn extension(self) -> &'static str {
        match self {
            Python => "py",
            JavaScript => "js",
            Rust => "rs",
        }
    }

    /// What begins a comment.
    pub(in crate::engine::rehearsal) fn comment(self) -> &'static str {
        match self {
            Python => "#",
            JavaScript | Rust => "//",
        }
    }

    fn template(self) -> &'static str {
        match self {
            Python => include_str!("script/python.txt"),
            JavaScript => include_str!("script/javascript.txt"),
            Rust => include_str!("script/rust.txt"),
        }
    }

    /// The line that opens the table of commands.
    fn table(self) -> &'static str {
        match self {
            Python => "COMMANDS = {\n",
            JavaScript => "const commands = {\n",
            Rust => "const COMMANDS: &[(&str, Command)] = &[\n",
        }
    }
}

/// The language of the program that `text` asks for, if it asks for a program.
pub(in crate::engine::rehearsal) fn language_of(text: &str) -> Option<Language> {
    let named = [
        (
            Python,
            &["in python", "python script", "python program", "python tool", "python cli", "using python"][..],
        ),
        (Rust, &["in rust", "rust program", "rust tool", "rust cli", "using rust", "rust script"][..]),
        (
            JavaScript,
            &["node script", "node program", "javascript script", "node cli", "in node", "nodejs", "node.js"]
                [..],
        ),
    ];
    let found = named.into_iter().find(|(_, marks)| mentions(text, marks)).map(|(language, _)| language);
    let page = mentions(text, super::web::SURE_WORDS);
    let program =
        mentions(text, &["script", "command line", "command-line", "cli", "terminal tool", "shell"]);
    found.or((program && !page).then_some(Python))
}

/// What a command does: words that ask for it, and its body in each language.
struct Operation {
    words: &'static [&'static str],
    python: &'static str,
    javascript: &'static str,
    rust: &'static str,
}

const OPERATIONS: &[Operation] = &[
    Operation {
        words: &["duplicate", "unique", "distinct", "dedupe", "deduplicate"],
        python: "    return list(dict.fromkeys(lines))\n",
        javascript: "  return [...new Set(lines)];\n",
        rust: "    let mut seen = std::collections::BTreeSet::new();\n    lines.iter().filter(|line| seen.insert(*line)).cloned().collect()\n",
    },
    Operation {
        words: &["sort", "sorted", "order", "alphabetical", "alphabetically"],
        python: "    return sorted(lines, key=str.casefold)\n",
        javascript: "  return [...lines].sort((a, b) => a.localeCompare(b));\n",
        rust: "    let mut sorted = lines.to_vec();\n    sorted.sort_by_key(|line| line.to_lowercase());\n    sorted\n",
    },
    Operation {
        words: &["sum", "add up", "average", "mean", "total", "statistic", "numbers", "maximum", "minimum"],
        python: "    numbers = [n for line in lines for n in map(number, line.split()) if n is not None]\n    if not numbers:\n        \
                 return [\"no numbers\"]\n    total = sum(numbers)\n    return [\n        f\"count {len(numbers)}\",\n        \
                 f\"sum {total:g}\",\n        f\"mean {total / len(numbers):g}\",\n        f\"least {min(numbers):g}\",\n        \
                 f\"most {max(numbers):g}\",\n    ]\n",
        javascript: "  const numbers = lines.join(\" \").split(/[\\s,;]+/).filter(Boolean).map(Number).filter(Number.isFinite);\n  \
                     if (!numbers.length) {\n    return [\"no numbers\"];\n  }\n  const total = numbers.reduce((sum, n) => sum + n, 0);\n  \
                     return [\n    \"count \" + numbers.length,\n    \"sum \" + total,\n    \"mean \" + total / numbers.length,\n    \
                     \"least \" + numbers.reduce((a, b) => Math.min(a, b)),\n    \"most \" + numbers.reduce((a, b) => Math.max(a, b)),\n  ];\n",
        rust: "    let numbers: Vec<f64> = lines\n        .iter()\n        .flat_map(|line| line.split_whitespace())\n        \
               .filter_map(|word| word.trim_matches([',', ';']).parse().ok())\n        .collect();\n    if numbers.is_empty() {\n        \
               return vec![\"no numbers\".to_owned()];\n    }\n    let total: f64 = numbers.iter().sum();\n    vec![\n        \
               format!(\"count {}\", numbers.len()),\n        format!(\"sum {total}\"),\n        \
               format!(\"mean {}\", total / numbers.len() as f64),\n        \
               format!(\"least {}\", numbers.iter().copied().fold(f64::INFINITY, f64::min)),\n        \
               format!(\"most {}\", numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)),\n    ]\n",
    },
    Operation {
        words: &["count", "frequency", "frequencies", "how often", "how many", "statistics of words", "word"],
        python: "    counts = Counter(word.casefold() for line in lines for word in line.split())\n    \
                 return [f\"{times}\\t{word}\" for word, times in counts.most_common()]\n",
        javascript: "  const counts = new Map();\n  for (const word of lines.join(\" \").toLowerCase().split(/\\s+/).filter(Boolean)) {\n    \
                     counts.set(word, (counts.get(word) ?? 0) + 1);\n  }\n  \
                     return [...counts].sort((a, b) => b[1] - a[1]).map(([word, times]) => times + \"\\t\" + word);\n",
        rust: "    let mut counts = std::collections::BTreeMap::<String, usize>::new();\n    \
               for word in lines.iter().flat_map(|line| line.split_whitespace()) {\n        \
               *counts.entry(word.to_lowercase()).or_default() += 1;\n    }\n    let mut rows: Vec<_> = counts.into_iter().collect();\n    \
               rows.sort_by_key(|(_, times)| std::cmp::Reverse(*times));\n    \
               rows.into_iter().map(|(word, times)| format!(\"{times}\\t{word}\")).collect()\n",
    },
    Operation {
        words: &["reverse", "backwards", "upside down"],
        python: "    return lines[::-1]\n",
        javascript: "  return [...lines].reverse();\n",
        rust: "    lines.iter().rev().cloned().collect()\n",
    },
    Operation {
        words: &["number the lines", "line number", "numbered"],
        python: "    return [f\"{at}\\t{line}\" for at, line in enumerate(lines, 1)]\n",
        javascript: "  return lines.map((line, at) => at + 1 + \"\\t\" + line);\n",
        rust: "    lines.iter().enumerate().map(|(at, line)| format!(\"{}\\t{line}\", at + 1)).collect()\n",
    },
];

/// For a feature that no operation knows: the lines that mention its words.
const KEEP: Operation = Operation {
    words: &[],
    python: "    wanted = [{{wanted}}]\n    return [line for line in lines if any(word in line.casefold() for word in wanted)]\n",
    javascript: "  const wanted = [{{wanted}}];\n  return lines.filter((line) => wanted.some((word) => line.toLowerCase().includes(word)));\n",
    rust: "    let wanted = [{{wanted}}];\n    lines.iter().filter(|line| wanted.iter().any(|word| line.to_lowercase().contains(word))).cloned().collect()\n",
};

/// The first draft, without commands.
pub(super) fn draft(language: Language, title: &str, file: &str) -> String {
    fill(language.template(), &[("title", title), ("file", file)])
}

/// The comment that stands above the command for `feature`.
pub(super) fn mark(language: Language, feature: &str) -> String {
    format!("{} Command for: {feature}", language.comment())
}

/// Adds a command for `feature`.
pub(super) fn add_command(language: Language, feature: &str, files: &mut Files) -> Option<String> {
    let ending = format!(".{}", language.extension());
    let (file, program) =
        files.iter().find(|(name, program)| name.ends_with(&ending) && program.contains(language.table()))?;
    let base = slug(feature, "command");
    let is_taken = |name: &str| program.contains(&format!("\"{name}\""));
    let name = std::iter::once(base.clone())
        .chain((2..100).map(|number| format!("{base}-{number}")))
        .find(|name| !is_taken(name))?;
    let function = format!("do_{}", name.replace('-', "_"));
    let operation = OPERATIONS.iter().find(|operation| mentions(feature, operation.words));
    let keeps = operation.is_none();
    let operation = operation.unwrap_or(&KEEP);
    let wanted: Vec<String> = words(feature)
        .iter()
        .filter(|word| word.chars().count() > 3 || !word.is_ascii())
        .map(|w| literal_of(language, w))
        .collect();
    let wanted =
        if wanted.is_empty() { literal_of(language, &feature.to_lowercase()) } else { wanted.join(", ") };
    let mark = mark(language, feature);
    let (command, entry) = match language {
        Python => (
            format!("{mark}\ndef {function}(lines):\n{}\n\n", operation.python),
            format!("    \"{name}\": {function},\n"),
        ),
        JavaScript => (
            format!("{mark}\nfunction {function}(lines) {{\n{}}}\n\n", operation.javascript),
            format!("  \"{name}\": {function},\n"),
        ),
        Rust => (
            format!("{mark}\nfn {function}(lines: &[String]) -> Vec<String> {{\n{}}}\n\n", operation.rust),
            format!("    (\"{name}\", {function}),\n"),
        ),
    };
    let command = fill(&command, &[("wanted", &wanted)]);
    let (before, after) = program.split_once(language.table())?;
    let program = format!("{before}{command}{}{entry}{after}", language.table());
    let file = file.clone();
    files.insert(file, program);
    let about = if keeps { format!(": it keeps the lines that mention {wanted}") } else { String::new() };
    Some(format!("the command `{name}`{about}"))
}

fn literal_of(language: Language, text: &str) -> String {
    match language {
        Python | JavaScript => literal(text),
        // Rust knows no \u003c; its own escapes are those of Debug.
        Rust => format!("{text:?}"),
    }
}
