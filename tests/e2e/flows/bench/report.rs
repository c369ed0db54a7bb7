//! Rows of the benchmark, and its output: a table for people, and all samples as JSON.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use anyhow::Result;
use serde_json::json;

use super::{Samples, Side};

/// Target of a figure.
enum Aim {
    /// At most this multiple of the minimal page's.
    Ratio(f64),
    /// At most this value.
    Most(f64),
    None,
}

use Aim::{Most, None as Any, Ratio};

/// Name in the samples, description, unit, value at commit e5a8919 (against another minimal page; the ratio if there
/// is no unit), target.
const ROWS: [(&str, &str, &str, &str, Aim); 30] = [
    ("visit_typed", "new visitor, a message can be written", "ms", "", Ratio(2.0)),
    ("visit_came", "… its files have come", "ms", "", Any),
    ("visit_usable", "… first start usable", "ms", "4.8", Ratio(2.0)),
    ("visit_paint", "… first paint", "ms", "", Any),
    ("slow_typed", "… a message can be written on slow 4G (1.44 Mbit/s, 562 ms)", "ms", "", Ratio(3.0)),
    ("slow_came", "… its files have come on slow 4G", "ms", "", Any),
    ("slow_usable", "… first start usable on slow 4G", "ms", "8.2", Ratio(3.0)),
    ("slow_paint", "… first paint on slow 4G", "ms", "2.6", Ratio(1.3)),
    ("visit_blocked", "… blocking time", "ms", "300 ms", Most(60.0)),
    ("visit_requests", "… requests until the network is quiet", "", "61", Most(20.0)),
    ("visit_kilobytes", "… kilobytes over the line until then", "kB", "1579 kB", Most(900.0)),
    ("return_typed", "returning to 1,000 messages: a message can be written", "ms", "", Ratio(1.3)),
    ("return_left", "… the conversation shown, as it was left", "ms", "", Ratio(1.5)),
    ("return_came", "… its files have come", "ms", "", Any),
    ("return_usable", "… composer usable", "ms", "3.7", Ratio(1.3)),
    ("return_last", "… last message shown", "ms", "5.4", Ratio(1.5)),
    ("return_blocked", "… blocking time", "ms", "6.0", Ratio(1.2)),
    ("return_script", "… script", "ms", "", Any),
    ("return_layout", "… style and layout", "ms", "", Any),
    ("return_memory", "… memory of the page's process", "MB", "77 MB", Most(60.0)),
    ("flood_all", "20,000 tokens as fast as they come: all in the document", "ms", "3.9", Ratio(1.6)),
    ("flood_longest", "… longest task", "ms", "108 ms", Most(50.0)),
    ("flood_blocked", "… blocking time", "ms", "204 ms", Most(0.0)),
    ("flood_nodes", "… nodes of the document", "", "11825", Most(6_500.0)),
    ("stream_main", "2,000 tokens at 200 a second: main thread", "ms", "2.3", Ratio(1.4)),
    ("stream_script", "… script", "ms", "5.3", Ratio(2.5)),
    ("stream_layout", "… style and layout", "ms", "2.7", Ratio(1.5)),
    ("typing_median", "typing while it streams, key to frame: median", "ms", "", Any),
    ("typing_p95", "… 95th percentile", "ms", "2.1", Ratio(1.3)),
    ("typing_dropped", "… dropped frames", "%", "42 %", Most(5.0)),
];

/// Prints the table, and writes it and the samples into the folder `NEXUS_BENCH_OUT`.
pub(super) fn write(samples: &Samples) -> Result<()> {
    let mut table =
        String::from("| measure | floor | Nexus | ratio | e5a8919 | aim |\n| - | - | - | - | - | - |\n");
    let mut rows = Vec::new();
    for (key, name, unit, before, aim) in ROWS {
        let Some(taken) = samples.get(key) else { continue };
        let of = |side| taken.get(&side).cloned().unwrap_or_default();
        let (floor, nexus) = (of(Side::Floor), of(Side::Nexus));
        let ratio = median(&nexus) / median(&floor);
        let ratio = if ratio.is_finite() { format!("{ratio:.1}") } else { String::new() };
        let aim = match aim {
            Ratio(most) => format!("≤ {most} × floor"),
            Most(most) => format!("≤ {most} {unit}"),
            Any => String::new(),
        };
        let (floor_told, nexus_told) = (summary(&floor, unit), summary(&nexus, unit));
        writeln!(
            table,
            "| {name} | {floor_told} | {nexus_told} | {ratio} | {before} | {} |",
            aim.trim_end()
        )?;
        rows.push(json!({ "row": key, "floor": floor, "nexus": nexus }));
    }
    println!("{table}");
    if let Some(folder) = env::var_os("NEXUS_BENCH_OUT").map(PathBuf::from) {
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("page.md"), table)?;
        fs::write(folder.join("page.json"), format!("{:#}\n", json!(rows)))?;
    }
    Ok(())
}

/// Median, with minimum and maximum.
fn summary(taken: &[f64], unit: &str) -> String {
    let least = taken.iter().copied().fold(f64::INFINITY, f64::min);
    let most = taken.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let spread = if taken.len() > 1 { format!(" ({least:.0}–{most:.0})") } else { String::new() };
    format!("{}{spread}", format!("{:.0} {unit}", median(taken)).trim_end())
}

fn median(taken: &[f64]) -> f64 {
    let mut sorted = taken.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
