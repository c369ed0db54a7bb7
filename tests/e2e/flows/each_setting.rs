//! Flows for the settings: every one has a description and an entry of the palette; of each kind some are validated and
//! keep their value after a reload. Effects are tested elsewhere.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::settings::section_ids;
use crate::page::Page;
use crate::selectors::*;

/// Fields by id: an invalid value, part of its error, a valid value, and how that is shown.
const TEXTS: [(&str, &str, &str, &str, &str); 16] = [
    ("core-wait", "-1", "Seconds from 0 to 3600", "4.5", "4.5"),
    ("core-lines", "many", "", "7", "7"),
    ("cap-calls", "0", "A whole number from 1 up", "1,234", "1234"),
    ("cap-tokens", "-5", "A whole number from 1 up", "50000", "50000"),
    ("cap-dollars", "1,5", "Dollars above 0", "2.5", "2.5"),
    ("silence", "0", "Whole seconds from 1", "90", "90"),
    ("raw-days", "-1", "", "3", "3"),
    ("voice-languages", "not a tag!", "Each line must be a language tag", "de-DE\npt-BR", "de-DE\npt-BR"),
    ("voice-rate-critic", "9", "A number from 0.5 to 3", "1.5", "1.5"),
    ("voice-pitch-critic", "low", "A number from 0 to 2", "0.5", "0.5"),
    ("critic-name", "", "", "Reviewer", "Reviewer"),
    ("critic-tokens", "0", "A whole number from 1, or blank", "900", "900"),
    ("critic-temperature", "2.5", "A number from 0 to 2", "0.3", "0.3"),
    ("critic-context", "few", "", "32000", "32000"),
    ("price-gemini/gemini-3.8-flash-input", "-1", "Dollars from 0", "0.8", "0.8"),
    ("provider-gemini-address", "ftp://host", "", "https://example.org/v1beta", "https://example.org/v1beta"),
];

/// Fields that accept anything, selects with another choice, and switches with their new state.
const OTHERS: [(&str, &str); 20] = [
    ("core-model", "some-model"),
    ("archivist-model", "some-model"),
    ("critic-description", "Looks twice."),
    ("critic-persona", "You are Reviewer, who looks twice."),
    ("critic-emoji", "🦉"),
    ("critic-thinking", "low"),
    ("critic-priority", "high"),
    ("critic-role", "worker"),
    ("rule-read_file", "ask"),
    ("theme", "light"),
    ("density", "compact"),
    ("text-size", "110"),
    ("motion", "reduced"),
    ("single-keys", "off"),
    ("core-auto", ""),
    ("compact-auto", ""),
    ("summary-auto", ""),
    ("memory-auto", ""),
    ("voice-auto-read-setting", "on"),
    ("calls-sound", "on"),
];

/// Enters a value and leaves the field, or toggles a switch; returns what is shown then.
const ENTER: &str = "const [id, value] = arguments;
    const field = document.getElementById(id);
    if (field === null) return null;
    if (field.type === 'checkbox') { if (field.checked !== (value !== '')) field.click(); }
    else {
        if (field.tagName === 'SELECT' && ![...field.options].some(each => each.value === value))
            return `it offers ${[...field.options].map(each => each.value)}`;
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
        field.dispatchEvent(new Event('change', { bubbles: true }));
    }
    return true";

/// The value shown by a field.
const SHOWN: &str =
    "((field) => field && (field.type === 'checkbox' ? (field.checked ? 'on' : '') : field.value))
    (document.getElementById(arguments[0]))";

/// The error nearest to a field.
const PROBLEM: &str = "((field) => {
    for (let near = field; near; near = near.parentElement) {
        const said = near.querySelector(':scope [role=alert]:not(:empty)')?.textContent;
        if (said || near.matches('.settings-card')) return said ?? '';
    }
    return '';
})(document.getElementById(arguments[0]))";

/// Controls without a description, neither their own nor in their group.
const SILENT: &str = "for (const fold of document.querySelectorAll('.settings details')) fold.open = true;
    const silent = [];
    for (const field of document.querySelectorAll('.settings-parts :is(input, select, textarea)')) {
        // Controls that add something or pick a file set nothing.
        const adds = ['agent-template', 'agent-import', 'price-provider', 'price-model', 'data-import-file'];
        if (!field.checkVisibility() || adds.includes(field.dataset.testid)) continue;
        const label = field.labels?.[0]?.textContent?.trim() || field.getAttribute('aria-label')
            || field.closest('fieldset')?.querySelector('legend')?.textContent;
        const ids = (field.getAttribute('aria-describedby') ?? '').split(' ');
        const own = ids.map(id => document.getElementById(id)?.textContent ?? '').join('').trim();
        const after = field.closest('label')?.nextElementSibling;
        const line = after?.matches('.hint') ? after.textContent : '';
        // Rows of one kind are described once, above them.
        const rows = field.closest('table, .rules, .price-list, .key-line, fieldset');
        const above = (rows?.closest('.settings-card, details') ?? rows)?.querySelector('.hint')?.textContent ?? '';
        if (!label || !(own || line || (rows && above))) silent.push(field.id || field.dataset.testid || field.outerHTML);
    }
    return silent";

/// Ids of the sections, and of the fields that exist for any providers, agents, tools and models.
const LASTING: &str =
    "return [...document.querySelectorAll('.settings-parts :is(h2, input, select, textarea)')]
    .filter(each => !each.closest('[data-agent], [data-provider], .rules, table'))
    .filter(each => each.type !== 'file' && !each.closest('[data-testid=data-import-card]'))
    .map(each => each.id || `without an id: ${each.dataset.testid}`)";

async fn shows(page: &Page, id: &str, value: &str) -> Result<()> {
    let is = format!("{SHOWN} === arguments[1]");
    page.wait_for(&format!("{value:?} in {id}"), &is, &[json!(id), json!(value)]).await
}

/// Each has a description; an invalid value is rejected with a reason, others are stored; the palette leads to each.
pub(crate) async fn each(fixture: &mut Fixture) -> Result<()> {
    let settings = fixture.site.url("/settings/");
    fixture.page.goto(&settings).await?;
    let page = &fixture.page;
    page.see(DATA_USED).await?;
    page.see(VOICE_AGENT).await?;
    for id in section_ids(page).await? {
        page.see(Selector::css(&format!("#{id}"))).await?;
        let silent = page.eval(SILENT, &[]).await?;
        ensure!(silent == json!([]), "settings that do not say what they do in {id}: {silent}");
    }

    let lasting: Vec<String> = serde_json::from_value(page.eval(LASTING, &[]).await?)?;
    page.press(Key::Control + "k").await?;
    page.see(PALETTE_ROW).await?;
    let named = page.attributes(PALETTE_ROW, "data-action").await?;
    for id in lasting
        .iter()
        .filter(|id| !["data-session", "agent-template", "price-provider"].contains(&id.as_str()))
    {
        ensure!(
            named.iter().any(|name| *name == format!("setting-{id}")),
            "the palette does not lead to {id}"
        );
    }
    ensure!(lasting.len() > 30, "only {} settings were found", lasting.len());
    page.press(Key::Escape).await?;
    page.hidden(PALETTE).await?;

    for (id, wrong, words, right, _) in TEXTS {
        enter(page, id, wrong).await?;
        let says = format!("((said) => said && said.includes(arguments[1]))({PROBLEM})");
        page.wait_for(&format!("{id} to reject {wrong:?}"), &says, &[json!(id), json!(words)]).await?;
        enter(page, id, right).await?;
        page.wait_for(&format!("{id} to take {right:?}"), &format!("!({PROBLEM})"), &[json!(id)]).await?;
    }
    for (id, value) in OTHERS {
        enter(page, id, value).await?;
    }
    // Inputs are stored in order: when the last one is stored, all are.
    enter(page, "operator-name", "Grace").await?;
    let mut tries = 0;
    while !Value::from(app::events(page).await?).to_string().contains("Grace") {
        tries += 1;
        ensure!(tries < 200, "the name was not stored");
    }
    fixture.page.reload().await?;
    let page = &fixture.page;
    page.see(DATA_USED).await?;
    page.see(VOICE_AGENT).await?;
    for (id, _, _, _, shown) in TEXTS {
        shows(page, id, shown).await?;
    }
    for (id, value) in OTHERS {
        shows(page, id, value).await?;
    }
    shows(page, "operator-name", "Grace").await?;
    let dressed = "document.documentElement.dataset.theme === 'light'
        && document.documentElement.dataset.density === 'compact'";
    page.wait_for("the page to look as it was set", dressed, &[]).await
}

async fn enter(page: &Page, id: &str, value: &str) -> Result<()> {
    let entered = page.eval(ENTER, &[json!(id), json!(value)]).await?;
    ensure!(entered == true, "{id} cannot be set to {value:?}: {entered}");
    Ok(())
}
