//! Adds the languages of the interface to the built page: one file each in `public/languages`, named by its tag.
//!
//! The `noscript` text of the page is included in each language, because nothing can choose one without scripts.
//!
//! A new language is one more file. Its empty key has its display name. `tests/languages.rs` checks its texts against
//! the sources.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::digest;
use crate::error::{Context, Error, Result};

const FOLDER: &str = "public/languages";
/// Start of the `noscript` text.
const NO_SCRIPT: &str = "<noscript>\n        <p class=\"shell-status\">";

/// Writes the files and lists them in the page for public/boot.js: tag, file, hash and name of each.
pub(crate) fn write(root: &Path, staging: &Path, page: &str) -> Result<String> {
    let mut page = page.to_owned();
    let no_script = page.split_once(NO_SCRIPT).and_then(|(_, rest)| rest.split_once("</p>"));
    let no_script = no_script.map(|(text, _)| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let no_script = no_script.context("index.html has no `noscript` text")?;
    let mut files: Vec<_> = fs::read_dir(root.join(FOLDER))
        .context("reading the languages")?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()
        .context("reading the languages")?;
    files.sort();
    let mut named = Vec::new();
    for path in files {
        let tag = path.file_stem().and_then(|stem| stem.to_str()).context("a language without a tag")?;
        let text = fs::read_to_string(&path).context(format_args!("reading the language {tag}"))?;
        let (name, brief) = brief(&text).context(format_args!("the language {tag} is invalid"))?;
        let words: Map<String, Value> = serde_json::from_str(&brief).context("reading it again")?;
        if let Some(own) = words.get(&no_script).and_then(Value::as_str) {
            let own = format!("<p class=\"shell-status\" lang=\"{tag}\">{own}</p></noscript>");
            page = page.replace("</noscript>", &own);
        }
        let file = format!("language-{tag}-{}.json", digest::short(brief.as_bytes()));
        fs::write(staging.join(&file), &brief).context(format_args!("writing {file}"))?;
        named.push(format!("{tag} {file} {} {name}", digest::integrity(brief.as_bytes())));
    }
    let empty = r#"<meta name="nexus-languages" content="">"#;
    if !page.contains(empty) {
        return Err(Error::new("index.html has no empty <meta name=\"nexus-languages\">"));
    }
    Ok(page.replace(empty, &format!(r#"<meta name="nexus-languages" content="{}">"#, named.join(";"))))
}

/// The name of a language and its minified JSON; `None` if the file is invalid.
fn brief(text: &str) -> Option<(String, String)> {
    let mut words: Map<String, Value> = serde_json::from_str(text).ok()?;
    let name = words.shift_remove("")?.as_str()?.to_owned();
    let is_plain = !name.is_empty() && !name.contains([';', '"', '<', '&']);
    is_plain.then(|| (name, Value::Object(words).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;

    #[test]
    fn a_language_is_written_under_its_hash_and_listed_in_the_page() {
        let root = env::temp_dir().join(format!("nexus-languages-{}", std::process::id()));
        fs::create_dir_all(root.join(FOLDER)).unwrap();
        let words = r#"{"Save":"Speichern","Scripts are off.":"Skripte sind aus."}"#;
        fs::write(root.join(FOLDER).join("de.json"), words.replace("{", "{\n  \"\": \"Deutsch\",\n  "))
            .unwrap();
        let no_script = format!("{NO_SCRIPT}\n  Scripts are\n  off.\n</p>\n");
        let page = format!(r#"<meta name="nexus-languages" content="">{no_script}</noscript>"#);
        let named = write(&root, &root, &page).unwrap();
        let file = format!("language-de-{}.json", digest::short(words.as_bytes()));
        let written = fs::read_to_string(root.join(&file)).unwrap();
        let is_rejected = write(&root, &root, "<p>").is_err() && write(&root, &root, &no_script).is_err();
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(written, words);
        let integrity = digest::integrity(words.as_bytes());
        assert_eq!(
            named,
            format!(
                "<meta name=\"nexus-languages\" content=\"de {file} {integrity} Deutsch\">{no_script}\
                 <p class=\"shell-status\" lang=\"de\">Skripte sind aus.</p></noscript>"
            )
        );
        assert!(is_rejected);
    }

    #[test]
    fn a_file_without_a_plain_name_is_invalid() {
        for text in ["", "[]", r#"{"Save":"Speichern"}"#, r#"{"":"a;b"}"#, r#"{"":""}"#] {
            assert_eq!(brief(text), None, "{text}");
        }
    }
}
