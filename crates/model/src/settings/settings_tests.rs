use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::schema::*;
use super::*;

#[test]
fn setting_names_are_unique_and_fields_have_texts() {
    let mut names = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for (setting, info) in &SCHEMA {
        assert!(names.insert(setting.name()), "duplicate: {}", setting.name());
        if info.group == SettingGroup::Hidden {
            continue;
        }
        assert!(ids.insert(info.id), "duplicate: {}", info.id);
        assert!(!info.label.is_empty() && !info.keywords.is_empty(), "{}", setting.name());
        assert!(!info.hint.is_empty() || info.group == SettingGroup::Custom, "{}", setting.name());
        let is_plain = !matches!(setting, AnySetting::Own(_) | AnySetting::Rows(_));
        assert!(is_plain || info.group == SettingGroup::Custom, "nothing draws {}", setting.name());
    }
}

#[test]
fn defaults_are_valid_and_replace_invalid_values() {
    let invalid = [None, Some(Value::Null), Some(json!([1])), Some(json!({ "a": 1 }))];
    for (setting, info) in &SCHEMA {
        for kept in invalid.iter().map(Option::as_ref) {
            match setting {
                AnySetting::Check(one) => assert_eq!(one.read(kept), one.kind.default),
                AnySetting::Number(one) => {
                    let Number { default, least, most, notation } = one.kind;
                    assert!((least..=most).contains(&default), "{}", info.label);
                    assert_eq!(one.read(kept), default as f64);
                    assert_eq!(one.read(Some(&default.into())), default as f64);
                    assert_eq!(one.read(Some(&json!(-1))), default as f64, "{}", info.label);
                    assert_eq!(one.read(Some(&json!(1e300))), most as f64, "{}", info.label);
                    if notation != Notation::Dollars {
                        let range = one.kind.show(&least.into());
                        assert!(
                            info.error.contains(&format!("from {range} ")),
                            "{}: {}",
                            info.label,
                            info.error
                        );
                    }
                    let is_bounded = most < u32::MAX.into() && notation != Notation::Dollars;
                    let range = format!("to {}, or blank.", one.kind.show(&most.into()));
                    assert!(!is_bounded || info.error.contains(&range), "{}: {}", info.label, info.error);
                }
                AnySetting::Choice(one) => {
                    assert!(one.kind.options.iter().any(|(value, _)| *value == one.kind.default));
                    assert_eq!(one.read(kept), one.kind.default);
                }
                AnySetting::Text(one) => assert_eq!(one.read(kept), ""),
                AnySetting::Own(_) | AnySetting::Rows(_) => {}
            }
        }
    }
}

/// Entered values round-trip.
#[test]
fn numbers_are_parsed_and_limited_to_their_range() {
    let valid = [
        (CORE_WAIT, "4,5", json!(4500), "4.5"),
        (CORE_WAIT, "3600", json!(3_600_000), "3600"),
        (CORE_LINES, "0", json!(0), "0"),
        (CAP_CALLS, "1,234", json!(1234), "1234"),
        (CAP_TOKENS, "50 000", json!(50_000), "50000"),
        (CAP_DOLLARS, "$2.5", json!(2.5), "2.5"),
        (CAP_DOLLARS, "$3", json!(3.0), "3"),
        (CAP_DOLLARS, "1e2", json!(100.0), "100"),
        (SILENCE, "90", json!(90), "90"),
        (RAW_DAYS, "365", json!(365), "365"),
    ];
    for (setting, text, kept, shown) in valid {
        assert_eq!(setting.kind.enter(text), Some(kept.clone()), "{text}");
        assert_eq!(setting.kind.show(&kept), shown);
        assert_eq!(setting.read(Some(&kept)), kept.as_f64().unwrap());
    }
    let invalid = [
        (CORE_WAIT, "-1"),
        (CORE_WAIT, "3600.001"),
        (CORE_WAIT, "NaN"),
        (CORE_LINES, "1,000"),
        (CORE_LINES, "10001"),
        (CAP_CALLS, "0"),
        (CAP_CALLS, "4294967296"),
        (CAP_DOLLARS, "1,5"),
        (CAP_DOLLARS, "0"),
        (SILENCE, "3601"),
        (WORKER_DEPTH_LIMIT, "65"),
        (RAW_DAYS, "1.5"),
    ];
    for (setting, text) in invalid {
        assert_eq!(setting.kind.enter(text), None, "{text}");
    }
    assert_eq!(RAW_DAYS.kind.show(&Value::Null), "");
}

#[test]
fn invalid_choices_fall_back_to_default() {
    for setting in [THEME, DENSITY, TEXT_SIZE, MOTION] {
        let Choice { default, options } = setting.kind;
        assert_eq!(setting.read(Some(&json!(""))), default);
        assert_eq!(setting.read(Some(&json!("banana"))), default);
        for (value, name) in options {
            assert_eq!(setting.read(Some(&json!(value))), *value);
            assert_eq!(setting.kind.name_of(value), *name);
        }
    }
}

#[test]
fn text_size_steps_stop_at_the_ends() {
    let step = |kept: &str, by| TEXT_SIZE.kind.step(TEXT_SIZE.read(Some(&json!(kept))), by);
    assert_eq!(step("", 1), Some("110"));
    assert_eq!(step("110", -1), Some("100"));
    assert_eq!(step("150", 1), None);
    assert_eq!(step("90", -1), None);
    assert_eq!(step("banana", 1), Some("110"));
}

#[test]
fn boot_script_and_style_sheet_have_the_same_values() {
    // The inline script, which runs before the first paint.
    let boot = include_str!("../../../../index.html");
    let sheet = include_str!("../../../../style/main.css");
    for choice in [THEME, DENSITY, TEXT_SIZE, MOTION] {
        let list: Vec<_> = choice.kind.options.iter().map(|(value, _)| format!("\"{value}\"")).collect();
        assert!(boot.contains(&format!("[{}]", list.join(", "))), "index.html: {}", choice.name());
    }
    let sizes = TEXT_SIZE.kind.options.iter().filter(|(size, _)| *size != TEXT_SIZE.kind.default);
    for (size, _) in sizes {
        assert!(sheet.contains(&format!("[data-text-size=\"{size}\"]")), "main.css: {size}");
    }
    for mark in ["[data-density=\"compact\"]", "[data-motion=\"reduced\"]", "[data-motion=\"full\"]"] {
        assert!(sheet.contains(mark), "main.css: {mark}");
    }
}

/// Stored names and import rules must stay; new ones may be added.
#[test]
fn stored_names_and_import_rules_stay() {
    let names: BTreeSet<_> = SCHEMA.iter().map(|(setting, _)| setting.name()).collect();
    let stored = "archivist_model archivist_provider attention_notify attention_sound cap_calls cap_dollars \
        cap_minutes cap_tokens cap_tool_calls compact_auto core_auto core_lines core_model core_propose core_provider core_wait_ms density editor_wrap \
        export_advised_at exported_at first_start_done graph/ graph_draft job_calls job_dollars job_tokens keep_going key_keeping language memory_auto models. motion \
        open_session operator_name page/ panes prices queue_mode race_models raw_days silence_seconds single_keys \
        small_quota_told summary_auto terminal/ text_size theme tied_folders tool_rules trigger/ trigger_draft voice_auto_read voice_hands_free \
        voice_language voice_languages voice_sounds worker_depth";
    let stored: BTreeSet<_> = stored.split_whitespace().collect();
    assert_eq!(names.symmetric_difference(&stored).collect::<Vec<_>>(), [&""; 0], "in the schema or listed");
    let imported: BTreeSet<_> = SCHEMA
        .iter()
        .filter(|(_, info)| info.imported.is_some())
        .map(|(setting, _)| setting.name())
        .collect();
    let proposed = "archivist_model archivist_provider attention_sound cap_calls cap_dollars cap_minutes cap_tokens \
        cap_tool_calls compact_auto core_auto core_lines core_model core_propose core_provider core_wait_ms density \
        graph/ job_calls job_dollars job_tokens keep_going language memory_auto motion operator_name prices queue_mode \
        raw_days silence_seconds single_keys summary_auto text_size theme voice_auto_read voice_language \
        voice_languages voice_sounds worker_depth";
    let proposed: BTreeSet<_> = proposed.split_whitespace().collect();
    assert_eq!(imported.symmetric_difference(&proposed).collect::<Vec<_>>(), [&""; 0], "marked or listed");
    // Permissions: an import names them and leaves them out.
    let permissions = SCHEMA.iter().filter(|(_, info)| info.imported.is_none() && !info.label.is_empty());
    let permissions: BTreeSet<_> = permissions.map(|(setting, _)| setting.name()).collect();
    let left_out = "attention_notify page/ terminal/ tool_rules voice_hands_free";
    assert_eq!(permissions, left_out.split_whitespace().collect());
}
