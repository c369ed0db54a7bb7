use super::*;
use nexus_model::provider::presets::PRESETS;

#[test]
fn every_guide_names_this_page() {
    for preset in &PRESETS {
        let steps = guide(preset, "https://nexus.example");
        assert!(!steps.is_empty());
        for step in steps {
            assert!(!step.contains("{page}") && !step.is_empty(), "{step}");
        }
    }
    let guide_of = |id, page| guide(PRESETS.iter().find(|preset| preset.id == id).unwrap(), page).join("\n");
    let ollama = guide_of("ollama", "https://nexus.example");
    assert!(ollama.contains("OLLAMA_ORIGINS=https://nexus.example"), "{ollama}");
    assert!(ollama.contains("allow it") && ollama.contains("Safari"));
    assert!(!guide_of("ollama", "http://localhost:8080").contains("Safari"));
}

const PAGE: PageContext<'_> = PageContext { origin: "https://nexus.example", online: true };

#[test]
fn the_checklist_depends_on_the_address() {
    let preset = |id| PRESETS.iter().find(|preset| preset.id == id).unwrap();
    let local = checklist(preset("ollama"), "http://localhost:11434", PAGE);
    assert!(local.iter().any(|item| item.contains("OLLAMA_ORIGINS=https://nexus.example")));
    assert!(local.iter().any(|item| item.contains("Safari")));
    assert!(local.iter().any(|item| item.contains("127.0.0.1")));
    let public = checklist(preset("other"), "https://api.example.com", PAGE);
    assert!(!public.iter().any(|item| item.contains("Safari") || item.contains("local network")));
    let offline =
        checklist(preset("other"), "https://api.example.com", PageContext { online: false, ..PAGE });
    assert!(offline[0].contains("offline"));
}

#[test]
fn each_detail_is_a_sentence() {
    for one in [
        CheckDetail::NotTried,
        CheckDetail::NoKey,
        CheckDetail::Models(1),
        CheckDetail::Answered(Some(401)),
        CheckDetail::NobodyUses,
    ] {
        assert!(seen(&one).ends_with('.'), "{one:?}");
    }
    assert!(seen(&CheckDetail::KeyRefused("invalid x-api-key".into())).contains("invalid x-api-key"));
}
