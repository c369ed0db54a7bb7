use super::*;
use nexus_model::settings::schema::SettingGroup;

/// Search text of a new user, and the id of the expected result.
const TYPED: [(&str, &str); 44] = [
    ("api key", "settings-providers"),
    ("base url", "settings-providers"),
    ("url", "settings-providers"),
    ("endpoint", "settings-providers"),
    ("protocol", "settings-providers"),
    ("api format", "settings-providers"),
    ("proxy", "settings-providers"),
    ("local model", "settings-providers"),
    ("openai", "settings-providers"),
    ("ollama", "settings-providers"),
    ("passphrase", "settings-providers"),
    ("system prompt", "settings-agents"),
    ("instructions", "settings-agents"),
    ("persona", "settings-agents"),
    ("max tokens", "settings-agents"),
    ("max output tokens", "settings-agents"),
    ("reasoning", "settings-agents"),
    ("thinking", "settings-agents"),
    ("context window", "settings-agents"),
    ("temperature", "settings-agents"),
    ("sandbox", "settings-agents"),
    ("permissions", "settings-permissions"),
    ("approval", "settings-permissions"),
    ("price", "price-model"),
    ("budget", "settings-costs"),
    ("timeout", "silence"),
    ("subagent", "worker-depth"),
    ("compact", "compact-auto"),
    ("summarize", "compact-auto"),
    ("memory", "settings-archivist"),
    ("backup", "settings-data"),
    ("export", "settings-data"),
    ("restore", "settings-data"),
    ("reset", "settings-data"),
    ("delete", "settings-data"),
    ("font", "text-size"),
    ("font size", "text-size"),
    ("dark mode", "theme"),
    ("animation", "motion"),
    ("shortcuts", "single-keys"),
    ("notifications", "settings-calls"),
    ("microphone", "settings-voice"),
    ("schedule", "settings-triggers"),
    ("iframe", "settings-triggers"),
];

/// Text of a section or field as indexed by the screen and the palette.
fn text(id: &str) -> String {
    let section = SECTIONS.iter().find(|section| section.id == id);
    let field = SCHEMA.iter().map(|(_, info)| info).find(|info| info.id == id || info.test == id);
    let shown = match (section, field) {
        (Some(section), _) => format!("{} {}", section.name, section.about),
        (None, Some(info)) => format!("{} {}", info.label, info.hint),
        (None, None) => String::new(),
    };
    format!("{shown} {}", synonyms(id)).to_lowercase()
}

#[test]
fn search_terms_of_new_users_find_the_setting() {
    for (typed, id) in TYPED {
        let text = text(id);
        assert!(typed.split(' ').all(|word| text.contains(word)), "{typed:?} does not find {id}: {text}");
    }
}

#[test]
fn all_search_terms_fit_the_palette_s_limit() {
    // Fuzzy search reads 200 characters: the name, the synonyms and the palette's section.
    let fields = SCHEMA.iter().map(|(_, info)| info).filter(|info| info.group != SettingGroup::Hidden);
    let fields = fields.map(|info| (info.label, info.keywords));
    for (name, also) in SECTIONS.iter().map(|section| (section.name.0, section.keywords.0)).chain(fields) {
        let letters = format!("{name} {also} {}", common::SETTINGS).chars().count();
        assert!(letters <= 200, "{name}: {letters} letters");
    }
}
