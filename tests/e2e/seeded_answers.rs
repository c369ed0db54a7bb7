//! Seeds thousands of answers into the store as one turn's, and checks their text and elements in the page.
//!
//! Producing them through models would take an hour. The page shows them by the same code as real ones.

use anyhow::{Context, Result, ensure};
use nexus_text::links::SCHEMES;
use nexus_text::markdown::page::{Attribute, Tag};
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::selectors::*;

/// Text of the last answer: once it is rendered as code, all earlier ones are rendered.
const LAST: &str = "`the last answer`";

/// Maximum number of answers on a page: a longer timeline is windowed.
pub(crate) const MOST_ANSWERS: usize = 200;

/// Records calls that hostile text would make, and all requests.
const TRAPS: &str = "window.ran = [];
    for (const name of ['alert', 'confirm', 'prompt', 'print'])
        window[name] = () => { window.ran.push(name); };
    performance.setResourceTimingBufferSize(100000);";

/// Records such calls in this document and in later ones.
pub(crate) async fn set_traps(fixture: &Fixture) -> Result<()> {
    fixture.page.in_every_document(TRAPS).await?;
    fixture.page.eval(TRAPS, &[]).await.map(drop)
}

/// Shows these texts as the answers of the newest turn, which must be the Critic's. Can be called repeatedly.
pub(crate) async fn show(fixture: &mut Fixture, texts: &[String]) -> Result<()> {
    set_traps(fixture).await?;
    let database = fixture.page.database().await?;
    let (turn, message) = newest(&database)?;
    let mut messages = Vec::new();
    let mut ids = Vec::new();
    let old = message.get("id").and_then(Value::as_str).context("a message without an id")?;
    let stem: String = old.chars().take(20).collect();
    let first = message.get("sequence").and_then(Value::as_u64).context("a message without a place")?;
    for (number, text) in texts.iter().map(String::as_str).chain([LAST]).enumerate() {
        let mut row = message.clone();
        let id = format!("{stem}{number:06}");
        let parts = json!([{ "body": { "text": { "text": text } } }]);
        set(&mut row, "id", json!(id))?;
        set(&mut row, "sequence", json!(first + u64::try_from(number)?))?;
        set(&mut row, "parts", parts)?;
        messages.push((json!(id), row));
        ids.push(json!(id));
    }
    let mut turn = turn;
    let key = turn.get("id").cloned().context("a turn without an id")?;
    set(&mut turn, "messages", Value::Array(ids))?;
    fixture.page.put_rows("messages", &messages).await?;
    fixture.page.put_row("turns", key, turn).await?;
    fixture.page.reload().await?;
    fixture.page.see_count(answers_of("critic"), messages.len()).await?;
    let read = "(all => all[all.length - 1].querySelector('code'))(document.querySelectorAll(arguments[0]))";
    fixture.page.wait_for("the last answer to be read", read, &[json!(selector())]).await
}

/// Selector of the texts of the shown answers.
pub(crate) fn selector() -> String {
    answers_of("critic").inner(MESSAGE_TEXT).as_str().to_owned()
}

/// Results of a JavaScript function for the element of each answer except the last.
pub(crate) async fn each(fixture: &Fixture, function: &str) -> Result<Vec<Value>> {
    let script = format!(
        "const of = {function};
         return [...document.querySelectorAll(arguments[0])].slice(0, -1).map(root => of(root))"
    );
    let found = fixture.page.eval(&script, &[json!(selector())]).await?;
    found.as_array().cloned().context("no list")
}

/// Checks that all answers contain only allowed elements, attributes and schemes, and that nothing ran or was
/// requested.
pub(crate) async fn check_allowed(fixture: &Fixture) -> Result<()> {
    let tags: Vec<&str> = Tag::ALL.iter().map(|tag| tag.name()).collect();
    let names: Vec<&str> = Attribute::ALL.iter().map(|name| name.name()).collect();
    let script = "const [spot, tags, names, schemes] = arguments;
        const isGood = each => tags.includes(each.localName)
            && [...each.attributes].every(one => names.includes(one.name))
            && (!each.hasAttribute('href') || schemes.includes(new URL(each.getAttribute('href')).protocol))
            && (!each.hasAttribute('src') || each.getAttribute('src').startsWith('data:image/'));
        return [...document.querySelectorAll(`${spot} *`)].filter(each => !isGood(each))
            .map(each => each.outerHTML.slice(0, 300));";
    let odd =
        fixture.page.eval(script, &[json!(selector()), json!(tags), json!(names), json!(SCHEMES)]).await?;
    ensure!(odd.as_array().is_some_and(Vec::is_empty), "not allowed: {odd}");
    check_nothing_ran(fixture).await
}

/// Checks that nothing ran, that no text became a handler, and that all requests went to the page's host and the
/// provider.
pub(crate) async fn check_nothing_ran(fixture: &Fixture) -> Result<()> {
    let ran = fixture.page.eval("return window.ran ?? null", &[]).await?;
    ensure!(ran == json!([]), "hostile text ran: {ran}");
    let script = "const isOurs = name => name.startsWith(location.origin) || name.startsWith(arguments[0])
            || name.startsWith('data:') || name.startsWith('blob:');
        const handles = each => [...each.attributes].some(one => one.name.startsWith('on'));
        const runs = each => /^\\s*(javascript|vbscript|data):/i.test(each.getAttribute('href') ?? '');
        return performance.getEntriesByType('resource').map(each => each.name).filter(name => !isOurs(name))
            .concat([...document.querySelectorAll('*')].filter(each => handles(each) || runs(each))
                .map(each => each.outerHTML.slice(0, 300)));";
    let odd = fixture.page.eval(script, &[json!(fixture.provider.base_url())]).await?;
    ensure!(odd.as_array().is_some_and(Vec::is_empty), "hostile text caused {odd}");
    Ok(())
}

fn set(row: &mut Value, field: &str, value: Value) -> Result<()> {
    row.as_object_mut().context("a row is no object")?.insert(field.to_owned(), value);
    Ok(())
}

/// The newest turn in the store, and its message.
fn newest(database: &Value) -> Result<(Value, Value)> {
    let rows = |store: &str| database.get(store).and_then(Value::as_array).cloned().unwrap_or_default();
    let id = |row: &Value| row.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let turn = rows("turns").into_iter().max_by_key(id).context("no turn")?;
    let last = turn.pointer("/messages/0").and_then(Value::as_str).context("a turn without a message")?;
    let message = rows("messages").into_iter().find(|row| id(row) == last).context("a message is missing")?;
    Ok((turn.clone(), message))
}
