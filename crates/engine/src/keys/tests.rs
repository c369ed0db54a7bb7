use super::*;

fn revealed(keys: &KeyRing, provider: &Provider) -> Option<String> {
    keys.key(provider).map(|key| key.reveal().to_owned())
}

#[test]
fn key_is_only_given_for_the_origin_it_was_entered_for() {
    let keys = KeyRing::default();
    let mut provider = Provider::gemini();
    keys.put(&provider, " secret-canary ");
    assert_eq!(revealed(&keys, &provider).as_deref(), Some("secret-canary"));
    provider.base_url = "https://evil.example".to_owned();
    assert_eq!(keys.state(&provider), KeyState::Missing);
    assert_eq!(revealed(&keys, &provider), None);
    assert!(!format!("{keys:?}").contains("canary"));
}

#[test]
fn key_storage_round_trips_and_is_limited_by_the_vault() {
    for storage in [KeyStorage::Tab, KeyStorage::Passphrase, KeyStorage::Clear] {
        assert_eq!(KeyStorage::named(storage.name()), Some(storage));
        assert!(storage.is_possible(None));
        assert_eq!(storage.is_possible(Some(VaultUnavailable::Frame)), storage == KeyStorage::Tab);
    }
    assert_eq!(KeyStorage::named(""), None);
    assert!(KeyStorage::Clear.is_possible(Some(VaultUnavailable::Insecure)));
    assert!(!KeyStorage::Passphrase.is_possible(Some(VaultUnavailable::Insecure)));
}

#[test]
fn empty_key_deletes_the_key() {
    let keys = KeyRing::default();
    keys.put(&Provider::gemini(), "k");
    keys.put(&Provider::gemini(), " ");
    assert_eq!(keys.state(&Provider::gemini()), KeyState::Missing);
}

#[test]
fn lock_removes_only_encrypted_keys() {
    let keys = KeyRing::default();
    let provider = Provider::gemini();
    keys.put(&provider, "k");
    assert!(!keys.lock(), "a key of this tab is not locked");
    keys.set_storage(&provider.id, KeyStorage::Passphrase);
    assert_eq!(keys.state(&provider), KeyState::Usable(KeyStorage::Passphrase));
    assert!(keys.lock() && keys.is_locked(&provider));
    assert_eq!(revealed(&keys, &provider), None);
    assert_eq!(keys.to_store(&provider.id), None);
    assert!(!keys.lock());
}

#[test]
fn waiting_call_resumes_after_the_decision() {
    let keys = KeyRing::default();
    let mut decision = keys.wait_for_unlock();
    assert_eq!(decision.try_recv(), Ok(None));
    keys.wake_waiting();
    assert_eq!(decision.try_recv(), Ok(Some(())));
}
