//! Flows that render the cases of CommonMark and GitHub's Markdown and compare text and structure.
//!
//! Images become their names, rejected links and raw HTML become text. The cases are not part of this repository.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use nexus_text::links::allowed;
use pulldown_cmark::{Event, Options, Parser};
use serde_json::{Value, json};

use crate::app;
use crate::corpus::at_hand;
use crate::corpus::html::{Piece, comparable, pieces};
use crate::fixture::Fixture;
use crate::page::Page;
use crate::seeded_answers;

/// Converts an answer's element to the HTML of the cases, without controls and decoration.
const TO_HTML: &str = r#"root => {
    const escaped = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
    const is = (node, kind) => node.nodeType === 1 && node.classList.contains(kind);
    const inner = node => [...node.childNodes].map(html).join("");
    // The URL shown beside a link text, with the space before it.
    const words = node => {
        const all = [...node.childNodes];
        const beside = all.findLastIndex(each => is(each, "prose-address"));
        return (beside < 0 ? all : all.slice(0, beside - 1)).map(html).join("");
    };
    const wrap = (name, node, more = "") => `<${name}${more}>${inner(node)}</${name}>`;
    const html = node => {
        if (node.nodeType === 3) return escaped(node.data);
        if (node.nodeType !== 1) return "";
        if (is(node, "prose-heading")) return wrap(`h${node.dataset.level}`, node) + "\n";
        if (is(node, "prose-words") || is(node, "prose-table") || node.localName === "tbody" || node.localName === "thead")
            return inner(node);
        if (is(node, "prose-code")) {
            const language = node.querySelector(".prose-language").textContent;
            const code = node.querySelector("pre > code").textContent;
            const kind = language === "text" ? "" : ` class="language-${escaped(language)}"`;
            return `<pre><code${kind}>${escaped(code)}${code === "" ? "" : "\n"}</code></pre>\n`;
        }
        if (is(node, "prose-image")) return escaped(node.querySelector(".prose-alt").textContent);
        if (is(node, "prose-blocked") || is(node, "prose-misleading")) return words(node);
        if (is(node, "prose-maths")) return escaped(node.title);
        if (is(node, "prose-notes")) return "<section>";
        if (is(node, "prose-mention")) return inner(node);
        if (is(node, "prose-task") || is(node, "unseen")) return "";
        if (is(node, "prose-link")) return wrap("a", node, ` href="${escaped(node.getAttribute("href") ?? node.dataset.place)}"`);
        switch (node.localName) {
            case "ol": return wrap("ol", node, node.hasAttribute("start") ? ` start="${node.getAttribute("start")}"` : "");
            case "li": return wrap("li", node, "").replace("<li>", "<li>"
                + ({ "true": "<input checked=\"\"> ", "false": "<input> " }[node.dataset.task] ?? "")) + "\n";
            case "td": case "th": {
                const align = node.dataset.align === "middle" ? "center" : node.dataset.align;
                return wrap(node.localName, node, align ? ` align="${align}"` : "");
            }
            case "s": return wrap("del", node);
            case "br": return "<br />";
            case "hr": return "<hr />";
            default: return wrap(node.localName, node);
        }
    };
    return inner(root);
}"#;

struct Case {
    number: u64,
    text: String,
    html: String,
}

fn cases(name: &str) -> Result<Vec<Case>> {
    let all = at_hand::text(name).unwrap_or_default();
    let case = |case: &Value| {
        let text = |key: &str| case.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = case.get("example").and_then(Value::as_u64);
        Some(Case { number: number?, text: text("markdown")?, html: text("html")? })
    };
    let list = all.as_array().into_iter().flatten();
    list.map(|each| case(each).with_context(|| format!("a case of {name} is {each}"))).collect()
}

/// The raw HTML in a text, as found by the parser.
fn raw_html(text: &str) -> Vec<String> {
    Parser::new_ext(text, Options::empty())
        .filter_map(|event| match event {
            Event::Html(html) | Event::InlineHtml(html) => Some(html.into_string()),
            Event::Start(_)
            | Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => None,
        })
        .collect()
}

/// Expected content of a case, with images as their names.
fn expected(html: &str) -> Vec<Piece> {
    let mut within = 0_usize;
    let named = pieces(html).into_iter().map(|piece| match piece {
        Piece::Open(name, attributes) if name == "img" => {
            let alt = attributes.into_iter().find(|(key, _)| key == "alt").map(|(_, alt)| alt);
            let alt = alt.unwrap_or_default();
            let alt = if alt.is_empty() && within == 0 { "Image".to_owned() } else { alt };
            Piece::Text(format!("🖼 {alt}"))
        }
        Piece::Open(name, attributes) => {
            let address = attributes.iter().find(|(key, _)| key == "href");
            // A rejected link is text, and an image in it is separate.
            within +=
                usize::from(name == "a" && address.is_some_and(|(_, address)| allowed(address).is_some()));
            Piece::Open(name, attributes)
        }
        Piece::Close(name) => {
            within = within.saturating_sub(usize::from(name == "a"));
            Piece::Close(name)
        }
        Piece::Text(text) => Piece::Text(text),
    });
    comparable(named.collect())
}

/// Both lists with URLs as normalised by the browser.
async fn as_browsers_write(page: &Page, lists: &mut [(Vec<Piece>, Vec<Piece>)]) -> Result<()> {
    let addresses: BTreeSet<String> = lists
        .iter()
        .flat_map(|(one, other)| one.iter().chain(other))
        .filter_map(|piece| match piece {
            Piece::Open(name, attributes) if name == "a" => Some(attributes),
            Piece::Open(..) | Piece::Close(_) | Piece::Text(_) => None,
        })
        .flat_map(|attributes| attributes.iter().map(|(_, address)| address.clone()))
        .collect();
    let script = "return Object.fromEntries(arguments[0].map(each => {
        try { return [each, decodeURI(new URL(each).href)]; } catch { return [each, each]; }
    }))";
    let written = page.eval(script, &[json!(addresses)]).await?;
    let written_as =
        |address: &str| written.get(address).and_then(Value::as_str).unwrap_or(address).to_owned();
    for piece in lists.iter_mut().flat_map(|(one, other)| one.iter_mut().chain(other)) {
        if let Piece::Open(name, attributes) = piece
            && name == "a"
        {
            attributes.iter_mut().for_each(|(_, address)| *address = written_as(address));
        }
    }
    Ok(())
}

/// Shows all cases of a file. Those without raw HTML must match, except these numbers; the raw HTML of others must be
/// shown as text. Returns how many had any.
async fn check_cases(fixture: &mut Fixture, name: &str, known: &[u64]) -> Result<usize> {
    let cases = cases(name)?;
    if cases.is_empty() {
        return Ok(0);
    }
    let texts: Vec<String> = cases.iter().map(|case| case.text.clone()).collect();
    let (mut shown, mut words) = (Vec::new(), Vec::new());
    for batch in texts.chunks(seeded_answers::MOST_ANSWERS) {
        seeded_answers::show(fixture, batch).await?;
        seeded_answers::check_allowed(fixture).await?;
        shown.extend(seeded_answers::each(fixture, TO_HTML).await?);
        words.extend(seeded_answers::each(fixture, "root => root.textContent").await?);
    }
    ensure!(shown.len() == cases.len() && words.len() == cases.len(), "{} answers are shown", shown.len());
    let (mut numbers, mut lists, mut raw) = (Vec::new(), Vec::new(), 0);
    for ((case, shown), words) in cases.iter().zip(&shown).zip(&words) {
        let (shown, words) = (shown.as_str().unwrap_or_default(), words.as_str().unwrap_or_default());
        let html = raw_html(&case.text);
        if html.is_empty() {
            numbers.push(case.number);
            lists.push((comparable(pieces(shown)), expected(&case.html)));
            continue;
        }
        raw += 1;
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        // In tables a line break is accepted, because there is no other notation.
        for html in html.into_iter().filter(|html| html != "<br>" || !case.text.contains('|')) {
            let is_there = squeezed(words).contains(&squeezed(&html));
            ensure!(is_there, "{name} {}: {html:?} is not in {words:?}", case.number);
        }
    }
    as_browsers_write(&fixture.page, &mut lists).await?;
    let differ = numbers.iter().zip(&lists).filter(|(_, (shown, expected))| shown != expected);
    let differ: Vec<_> = differ.collect();
    if let Some((number, (shown, expected))) = differ.iter().find(|(number, _)| !known.contains(number)) {
        let all: Vec<_> = differ.iter().map(|(number, _)| number).collect();
        anyhow::bail!("{name} {number} reads\n{shown:?}\nand not\n{expected:?}\n(all that differ: {all:?})");
    }
    println!(
        "        {name}: {} of {} without raw HTML, {raw} with",
        lists.len() - differ.len(),
        lists.len()
    );
    Ok(raw)
}

/// All cases of both files.
pub(crate) async fn in_page(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    // Bare URLs are links in every text here, as in GitHub's extension.
    let raw = check_cases(fixture, "commonmark-0.31.2-spec.json", &[602, 606, 608, 611, 612]).await?;
    ensure!(raw == 0 || raw == 72, "{raw} cases have raw HTML");
    check_cases(fixture, "gfm-0.29-spec.json", &[610, 614, 616, 619, 620]).await?;
    // 20 only requires that it does not fail.
    check_cases(fixture, "gfm-extensions.json", &[20]).await.map(drop)
}
