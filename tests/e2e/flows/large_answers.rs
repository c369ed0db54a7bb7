//! Flows for very large answers: shown completely or with a link to the rest, in bounded time, on a responsive page.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::fixture::Fixture;
use crate::flows::network_faults::quick;
use crate::provider::{Answer, Gate};
use crate::seeded_answers;
use crate::selectors::*;

/// Maximum number of elements of an answer.
const ELEMENTS: u64 = 250_000;

/// 100,000 lines, a line of 5 MB, a table of 2,000 by 200, 10,000 footnotes, 3,000 nested quotes.
pub(crate) async fn answers(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let row = |of: &str| format!("|{}\n", format!("{of}|").repeat(200));
    let lines = (0..100_000).map(|line| format!("line {line}\n")).collect::<String>();
    let notes =
        (0..10_000).map(|note| format!("a[^{note}]\n\n[^{note}]: note {note}\n\n")).collect::<String>();
    let table = [row("head"), row("-"), row("cell").repeat(1_999), row("last")].concat();
    let cases = [
        ("lines", lines, "line 99999"),
        ("line", format!("{}the end", "word ".repeat(1_000_000)), "the end"),
        ("footnotes", notes, "note 9999"),
        ("quotes", format!("{} deep", ">".repeat(3_000)), "deep"),
        ("table", table, "last"),
    ];
    for (name, text, last) in cases {
        seeded_answers::show(fixture, &[text]).await.with_context(|| format!("{name} is missing"))?;
        // A long text is rendered in slices.
        let ends = "[...document.querySelectorAll(arguments[0])][0]?.textContent.includes(arguments[1])";
        let whole = [json!(seeded_answers::selector()), json!(last)];
        fixture.page.wait_for("the end", ends, &whole).await.with_context(|| format!("{name}: no end"))?;
        let found =
            seeded_answers::each(fixture, "root => [true, root.querySelectorAll('*').length]").await?;
        let found = found.first().context("no answer")?;
        let count = found.get(1).and_then(Value::as_u64).context("no number")?;
        ensure!(count < ELEMENTS, "{name}: {count} elements");
        quick(&fixture.page).await.with_context(|| name.to_owned())?;
    }
    // The rest of the table is available as text.
    fixture.page.click(Selector::css("[data-testid=table-all]")).await?;
    fixture.page.see(Selector::css(".prose-whole")).await?;
    let cells = "root => root.querySelector('.prose-whole').textContent.match(/cell/g).length";
    let cells = seeded_answers::each(fixture, cells).await?;
    ensure!(cells.first() == Some(&json!(1_999 * 200)), "{cells:?} cells");
    Ok(())
}

/// A stream of 100,000 lines during typing: all lines and keys are there in the end, and the page is responsive
/// again.
pub(crate) async fn streamed(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let piece = |number: usize| {
        let lines = (number * 500..(number + 1) * 500).map(|line| format!("line {line}\n"));
        lines.collect::<String>()
    };
    let gate = Gate::new();
    let begin = Answer::new().text("It begins.\n").hold(&gate);
    let answer = (0..200).fold(begin, |answer, number| answer.text(&piece(number)));
    fixture.provider.queue_for("Engineer", answer);
    app::send_to(&fixture.page, "engineer", "Count.").await?;
    fixture.page.see_text(answers_of("engineer"), "It begins.").await?;
    fixture.page.click(COMPOSER).await?;
    gate.open();
    const TYPED: &str = "What is typed while all of it comes stays as it was typed.";
    for word in TYPED.split_inclusive(' ') {
        fixture.page.press(word).await?;
    }
    fixture.page.see_text(answers_of("engineer"), "line 99999").await?;
    let typed = fixture.page.eval("return document.activeElement.value", &[]).await?;
    ensure!(typed == TYPED, "the message box contains {typed}");
    app::ended(&fixture.page, "engineer", "completed", None).await?;
    app::idle(&fixture.page).await?;
    let text = fixture.page.texts(answers_of("engineer").inner(MESSAGE_TEXT)).await?;
    let text = text.last().context("no answer")?;
    ensure!(text.lines().filter(|line| line.starts_with("line ")).count() == 100_000, "lines are missing");
    quick(&fixture.page).await
}
