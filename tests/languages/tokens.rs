//! The sources as tokens.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use proc_macro2::{Group, TokenStream, TokenTree};

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

pub(super) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The sources at these paths, each a file or a folder.
pub(super) fn sources(paths: &[&str]) -> Vec<(String, TokenStream)> {
    let mut found = Vec::new();
    paths.iter().for_each(|path| add_sources(&root().join(path), &mut found));
    found
}

fn add_sources(path: &Path, found: &mut Vec<(String, TokenStream)>) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| add_sources(&entry.unwrap().path(), found));
        return;
    }
    let name = path.file_name().unwrap().to_str().unwrap();
    if name.ends_with(".rs") && !name.ends_with("tests.rs") && name != "language.rs" {
        let text = fs::read_to_string(path).unwrap();
        let shown = path.strip_prefix(root()).unwrap().display().to_string();
        found.push((shown, program(TokenStream::from_str(&text).unwrap())));
    }
}

/// The tokens without tests and attributes; comments are attributes too.
fn program(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut kept = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "mod" && is_tests(tokens.peek()) => {
                tokens.nth(1);
            }
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                let skipped = usize::from(matches!(tokens.peek(), Some(TokenTree::Punct(_))));
                tokens.nth(skipped);
            }
            TokenTree::Group(group) => {
                let inner = Group::new(group.delimiter(), program(group.stream()));
                kept.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Literal(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => kept.extend([token]),
        }
    }
    kept
}

/// The value of a string literal.
pub(super) fn literal(token: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else { return None };
    if let syn::Lit::Str(text) = syn::Lit::new(literal.clone()) { Some(text.value()) } else { None }
}

/// True for `tests` and for names such as `stream_tests`.
fn is_tests(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Ident(word)) if word.to_string().ends_with("tests"))
}

pub(super) fn is_named(token: Option<&TokenTree>, name: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(word)) if word == name)
}
