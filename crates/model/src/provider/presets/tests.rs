use super::*;
use crate::provider::address::{is_callable, normalise};
use crate::provider::price::known;

#[test]
fn preset_addresses_are_normalised() {
    let mut ids = std::collections::BTreeSet::new();
    for preset in &PRESETS {
        assert!(ids.insert(preset.id), "{} is there twice", preset.id);
        if preset == &OTHER {
            continue;
        }
        assert_eq!(normalise(preset.base_url).as_deref(), Ok(preset.base_url));
        assert!(is_callable(preset.base_url), "{}", preset.id);
        assert_eq!(preset.needs_key, preset.key_page.is_some(), "{}", preset.id);
        let provider = preset.provider(std::iter::empty());
        assert_eq!(preset_of(&provider), preset);
    }
    assert_eq!(preset_of(&Provider::demo()), &OTHER);
    assert_eq!(preset_of(&Provider::gemini()).id, "gemini");
}

#[test]
fn default_models_have_a_price_row() {
    for (preset, model) in PRESETS.iter().filter_map(|preset| Some((preset.id, preset.model?))) {
        assert!(known(model).next().is_some(), "{model} of {preset} has no row in `KNOWN`");
    }
}

#[test]
fn accounts_of_one_provider_differ_in_id_and_label() {
    let groq = PRESETS.iter().find(|preset| preset.id == "groq").unwrap();
    let first = groq.provider(std::iter::empty());
    let second = groq.provider([&first].into_iter());
    let third = groq.provider([&first, &second].into_iter());
    assert_eq!((first.id.as_str(), first.label.as_str()), ("groq", "Groq"));
    assert_eq!((second.id.as_str(), second.label.as_str()), ("groq-2", "Groq 2"));
    assert_eq!((third.id.as_str(), third.label.as_str()), ("groq-3", "Groq 3"));
}

#[test]
fn a_provider_by_address_is_named_after_its_host_until_it_has_a_name() {
    let mut other = OTHER.provider(std::iter::empty());
    let renamed = |provider: &mut Provider, url: &str| {
        let first = Provider { id: "first".into(), label: "models.example.com".into(), ..Provider::gemini() };
        set_address(provider, url, [&first].into_iter());
        (provider.label.clone(), provider.base_url.clone())
    };
    let address = "http://127.0.0.1:5000/v1";
    assert_eq!(renamed(&mut other, address), ("127.0.0.1:5000".into(), address.into()));
    let address = "https://models.example.com/v1";
    assert_eq!(renamed(&mut other, address), ("models.example.com 2".into(), address.into()));
    assert_eq!(renamed(&mut other, "https://a.example").0, "a.example");
    other.label = "Mine".into();
    assert_eq!(renamed(&mut other, address), ("Mine".into(), address.into()));
    assert_eq!(renamed(&mut Provider::gemini(), address).0, Provider::gemini().label);
}

#[test]
fn local_server_is_recognised_by_port_and_protocol() {
    let mut ollama = Provider {
        id: "x".into(),
        label: "x".into(),
        protocol: Protocol::Ollama,
        base_url: "http://localhost:11434".into(),
        needs_key: false,
    };
    assert_eq!(preset_of(&ollama), &OLLAMA);
    for local in ["http://127.0.0.1:5000", "http://localhost:8080", "http://192.168.0.2:11434"] {
        ollama.base_url = local.into();
        assert_eq!(preset_of(&ollama), &OLLAMA, "{local}");
    }
    ollama.base_url = "https://models.example.com".into();
    assert_eq!(preset_of(&ollama), &OTHER);
    ollama.protocol = Protocol::Openai;
    ollama.base_url = "http://127.0.0.1:5000".into();
    assert_eq!(preset_of(&ollama), &OTHER, "the protocol decides");
}

#[test]
fn only_the_same_words_match_an_objective() {
    let title = |text: &str| demo_objective(text).map(|one| one.title);
    for text in ["A Snake game", "snake", "@Engineer please build a snake game!", "Make me the Snake."] {
        assert_eq!(title(text), Some("Snake"), "{text}");
    }
    assert_eq!(title("todo list"), Some("To-do list"));
    for text in ["", "a", "chess", "A game", "A snake farm", "Snake with two players", "Build"] {
        assert_eq!(title(text), None, "{text}");
    }
}

#[test]
fn objectives_have_distinct_names() {
    let mut names: Vec<String> =
        DEMO_OBJECTIVES.iter().flat_map(|one| [demo_key(one.title), demo_key(one.objective)]).collect();
    names.sort();
    names.dedup();
    assert!(names.len() >= DEMO_OBJECTIVES.len() && names.iter().all(|name| !name.is_empty()));
    for one in &DEMO_OBJECTIVES {
        assert_eq!(demo_objective(one.title), Some(one));
        assert_eq!(demo_objective(one.objective), Some(one));
    }
}
