//! Lexer tables of the highlighted languages, the kinds of tokens, and the language of a file by its name.

use crate::limits::{EDITOR_COLOURED_BYTES, EDITOR_COLOURED_LINES};
use crate::vec_map::value_in;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Words(&'static Grammar),
    /// HTML and similar: by tags.
    Markup,
    Markdown,
    /// Diffs: by lines.
    Diff,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Grammar {
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// The start and end of strings, and whether they may span lines; longest first.
    pub(super) texts: &'static [(&'static str, &'static str, bool)],
    /// True if a backslash in a string escapes the next character.
    pub(super) escapes: bool,
    /// The keywords, with spaces between.
    pub(super) keywords: &'static str,
    pub(super) constants: &'static str,
    /// True if keywords ignore case.
    pub(super) any_case: bool,
    pub(super) types: bool,
    /// Characters of words besides letters, digits and `_`.
    pub(super) word_signs: &'static str,
    /// The start of an annotation or a directive, such as `@` or `#[`.
    pub(super) meta: &'static [&'static str],
    /// The character after a key, such as `:` in YAML.
    pub(super) key_sign: Option<char>,
}

impl Grammar {
    /// True if a quote may begin the name of a lifetime, and `r#"` a string.
    pub(super) fn is_rust(&self) -> bool {
        self.meta.contains(&"#![")
    }
}

/// The language of a name after a code fence.
pub fn named(name: &str) -> Option<Language> {
    let grammar = match name.to_ascii_lowercase().as_str() {
        "rust" | "rs" => &RUST,
        "javascript" | "js" | "jsx" | "mjs" | "cjs" | "typescript" | "ts" | "tsx" => &SCRIPT,
        "json" | "jsonc" | "json5" | "jsonl" | "ndjson" => &JSON,
        "css" | "scss" | "less" => &CSS,
        "python" | "py" | "py3" | "gd" | "starlark" => &PYTHON,
        "go" | "golang" => &GO,
        "java" | "kotlin" | "kt" | "scala" | "c#" | "cs" | "csharp" | "swift" | "dart" | "groovy" => &JAVA,
        "c" | "h" | "cpp" | "c++" | "cc" | "hpp" | "cxx" | "objc" | "cuda" | "glsl" | "wgsl" => &C,
        "sh" | "bash" | "zsh" | "shell" | "console" | "fish" | "dockerfile" | "make" | "makefile" => &SHELL,
        "toml" | "ini" | "conf" | "properties" => &TOML,
        "yaml" | "yml" => &YAML,
        "sql" | "postgresql" | "mysql" | "sqlite" | "plsql" => &SQL,
        "ruby" | "rb" | "elixir" | "ex" | "lua" | "perl" | "r" => &RUBY,
        "php" => &PHP,
        "html" | "xml" | "svg" | "vue" | "svelte" | "xhtml" | "htm" => return Some(Language::Markup),
        "markdown" | "md" | "mdx" => return Some(Language::Markdown),
        "diff" | "patch" => return Some(Language::Diff),
        _ => return None,
    };
    Some(Language::Words(grammar))
}

/// The defaults of most languages.
const BASE: Grammar = Grammar {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    texts: &[("\"", "\"", false), ("'", "'", false)],
    escapes: true,
    keywords: "",
    constants: "true false null",
    any_case: false,
    types: true,
    word_signs: "",
    meta: &[],
    key_sign: None,
};

static RUST: Grammar = Grammar {
    texts: &[("\"", "\"", true), ("'", "'", false)],
    keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop match \
        mod move mut pub ref return self static struct super trait type union unsafe use where while \
        yield macro_rules",
    constants: "true false Self None bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64",
    meta: &["#![", "#["],
    ..BASE
};

static SCRIPT: Grammar = Grammar {
    texts: &[("\"", "\"", false), ("'", "'", false), ("`", "`", true)],
    keywords: "abstract as async await break case catch class const continue debugger declare default delete do \
        else enum export extends finally for from function get if implements import in instanceof \
        interface keyof let namespace new of private protected public readonly return satisfies set \
        static super switch this throw try type typeof var void while with yield",
    constants: "true false null undefined NaN Infinity string number boolean any unknown never bigint symbol \
        object",
    word_signs: "$",
    meta: &["@"],
    ..BASE
};

static JSON: Grammar = Grammar { types: false, key_sign: None, ..BASE };

static CSS: Grammar = Grammar {
    keywords: "important from to and not only or",
    constants: "auto none inherit initial unset revert",
    types: false,
    word_signs: "-",
    meta: &["@", "."],
    key_sign: Some(':'),
    ..BASE
};

static PYTHON: Grammar = Grammar {
    line_comments: &["#"],
    block_comment: None,
    texts: &[("\"\"\"", "\"\"\"", true), ("'''", "'''", true), ("\"", "\"", false), ("'", "'", false)],
    keywords: "and as assert async await break case class continue def del elif else except finally for from \
        func global if import in is lambda match nonlocal not or pass raise return try while with yield",
    constants: "True False None self cls int str float bool list dict set tuple bytes",
    meta: &["@"],
    ..BASE
};

static GO: Grammar = Grammar {
    texts: &[("\"", "\"", false), ("'", "'", false), ("`", "`", true)],
    keywords: "break case chan const continue default defer else fallthrough for func go goto if import \
        interface map package range return select struct switch type var",
    constants: "true false nil iota string int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 byte rune \
        float32 float64 bool error any",
    ..BASE
};

static JAVA: Grammar = Grammar {
    texts: &[("\"\"\"", "\"\"\"", true), ("\"", "\"", false), ("'", "'", false)],
    keywords: "abstract as async await break by case catch class companion const continue data default defer do \
        else enum extends extension final finally for foreach fun func get guard if implements import in \
        init instanceof interface internal is let namespace new object open out override package private \
        protected protocol public readonly record ref return sealed set static struct super suspend \
        switch synchronized this throw throws trait try using val var virtual volatile when where while \
        with yield",
    constants: "true false null nil void int long short byte char float double boolean bool string self",
    meta: &["@", "#"],
    ..BASE
};

static C: Grammar = Grammar {
    keywords: "alignas auto break case catch class co_await co_return co_yield concept const consteval \
        constexpr continue default delete do else enum explicit export extern final for friend goto if \
        inline mutable namespace new noexcept operator override private protected public register \
        requires restrict return sizeof static struct switch template this throw try typedef typename \
        union using virtual volatile while",
    constants: "true false NULL nullptr void int long short char float double bool unsigned signed size_t \
        uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t",
    meta: &["#"],
    ..BASE
};

static SHELL: Grammar = Grammar {
    line_comments: &["#"],
    block_comment: None,
    texts: &[("\"", "\"", true), ("'", "'", true)],
    keywords: "if then else elif fi for while until do done case esac in function return local export readonly \
        declare set unset source exit shift trap FROM RUN COPY ADD ENTRYPOINT CMD ENV ARG WORKDIR EXPOSE \
        USER VOLUME",
    constants: "true false echo cd sudo printf test",
    types: false,
    word_signs: "-",
    meta: &["${", "$"],
    ..BASE
};

static TOML: Grammar = Grammar {
    line_comments: &["#", ";"],
    block_comment: None,
    texts: &[("\"\"\"", "\"\"\"", true), ("'''", "'''", true), ("\"", "\"", false), ("'", "'", false)],
    types: false,
    word_signs: "-",
    key_sign: Some('='),
    ..BASE
};

static YAML: Grammar = Grammar {
    line_comments: &["#"],
    block_comment: None,
    constants: "true false null yes no on off",
    types: false,
    word_signs: "-./",
    meta: &["&", "*", "!"],
    key_sign: Some(':'),
    ..BASE
};

static SQL: Grammar = Grammar {
    line_comments: &["--"],
    texts: &[("'", "'", true), ("\"", "\"", false), ("`", "`", false)],
    escapes: false,
    any_case: true,
    types: false,
    keywords: "add all alter and as asc begin between by cascade case check column commit constraint create \
        cross database default delete desc distinct drop else end except exists explain foreign from \
        full function grant group having if in index inner insert intersect into is join key left like \
        limit not offset on or order outer over partition primary references replace returning returns \
        right rollback select set table then to transaction trigger truncate union unique update using \
        values view when where with",
    constants: "true false null int integer bigint smallint serial text varchar char boolean date timestamp \
        timestamptz numeric decimal real float double json jsonb uuid blob",
    ..BASE
};

static RUBY: Grammar = Grammar {
    line_comments: &["#", "--"],
    block_comment: None,
    keywords: "alias and begin break case class def defmodule defp do else elseif elsif end ensure for function \
        if in local module my next not or our redo repeat require rescue retry return sub then unless \
        until use when while yield",
    constants: "true false nil self TRUE FALSE NULL NA",
    meta: &["@"],
    ..BASE
};

static PHP: Grammar = Grammar {
    line_comments: &["//", "#"],
    keywords: "abstract and array as break case catch class const continue declare default do echo else elseif \
        enum extends final finally fn for foreach function global if implements include instanceof \
        interface match namespace new or private protected public readonly require require_once return \
        static switch throw trait try use var while yield",
    meta: &["$", "<?php", "?>"],
    ..BASE
};

/// The language of a file with this name; `None` if it cannot be coloured. The names are those of
/// `xtask/parts/languages.mjs`.
fn of_name(name: &str) -> Option<&'static str> {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    match base.as_str() {
        "dockerfile" | "makefile" | ".bashrc" | ".profile" | ".env" => return Some("shell"),
        "cargo.lock" => return Some("toml"),
        "gemfile" | "rakefile" => return Some("ruby"),
        _ => {}
    }
    value_in(ENDINGS, base.rsplit_once('.')?.1)
}

/// The endings of file names, each followed by its language.
const ENDINGS: &str = "rs rust js javascript mjs javascript cjs javascript jsx javascript ts typescript mts typescript \
    cts typescript tsx typescript py python pyi python json json jsonc json webmanifest json map json html html \
    htm html xhtml html vue html svelte html css css scss css less css md markdown markdown markdown mdx markdown \
    xml xml svg xml xsl xml plist xml yaml yaml yml yaml sql sql c cpp h cpp cpp cpp cc cpp cxx cpp hpp cpp hh cpp \
    go go java java sh shell bash shell zsh shell toml toml ini toml rb ruby diff diff patch diff";

/// The language for colouring this text of a file; `None` also if it is too long.
pub fn to_colour(name: &str, text: &str) -> Option<&'static str> {
    let language = of_name(name)?;
    (text.len() <= EDITOR_COLOURED_BYTES && !is_longer(text, EDITOR_COLOURED_LINES)).then_some(language)
}

pub fn is_longer(text: &str, lines: usize) -> bool {
    // A text of few bytes cannot; most are.
    text.len() > lines && text.bytes().filter(|byte| *byte == b'\n').nth(lines).is_some()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Plain,
    Comment,
    Text,
    Number,
    Keyword,
    /// A literal of the language, such as `true`.
    Constant,
    Type,
    Function,
    Name,
    /// An added line, or a title.
    Added,
    Removed,
    /// A line above the code: an annotation, a directive, the head of a hunk.
    Meta,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeToken {
    pub kind: TokenKind,
    pub text: String,
}

#[derive(Default)]
pub(super) struct TokenList(pub(super) Vec<CodeToken>);

impl TokenList {
    /// Pushes the first bytes of a text, and returns the rest.
    pub(super) fn push_head<'t>(&mut self, kind: TokenKind, text: &'t str, length: usize) -> &'t str {
        let (head, rest) = text.split_at_checked(length).unwrap_or((text, ""));
        self.push(kind, head);
        rest
    }

    pub(super) fn push(&mut self, kind: TokenKind, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.kind == kind => last.text.push_str(text),
            Some(_) | None => self.0.push(CodeToken { kind, text: text.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests;
