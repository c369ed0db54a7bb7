//! Tests of the vault on IndexedDB and WebCrypto.

use std::future::ready;
use std::rc::Rc;

use nexus::browser::idb::IdbStore;
use nexus::browser::vault::{BrowserVault, SEALING};
use nexus_engine::port::{KeyVault, StoredKey, VaultError};
use nexus_providers::http::Secret;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::script_promise;

const CANARY: &str = "sk-canary-0123456789";

async fn empty(name: &str) -> Rc<dyn KeyVault> {
    script_promise(&format!(
        "new Promise((done) => {{ const r = indexedDB.deleteDatabase('{name}'); r.onsuccess = r.onerror = done; }})"
    ))
    .await;
    reopen(name).await
}

/// The vault after a reload.
async fn reopen(name: &str) -> Rc<dyn KeyVault> {
    let store = IdbStore::open(name, Rc::default()).await.unwrap();
    Rc::new(BrowserVault::new(store, || Box::pin(ready(Ok(&SEALING)))))
}

fn stored_key(provider: &str, key: &str) -> StoredKey {
    StoredKey {
        provider: provider.into(),
        origin: format!("https://{provider}.example"),
        key: Some(Secret::new(key)),
    }
}

/// The whole content of a database, localStorage and sessionStorage, as text.
async fn dump(name: &str) -> String {
    let text = script_promise(&format!(
        "(async () => {{
            const db = await new Promise((done) => {{
                const r = indexedDB.open('{name}'); r.onsuccess = () => done(r.result);
            }});
            const all = [];
            for (const store of db.objectStoreNames) {{
                const rows = await new Promise((done) => {{
                    const r = db.transaction(store).objectStore(store).getAll(); r.onsuccess = () => done(r.result);
                }});
                all.push(store, JSON.stringify(rows, (_, v) =>
                    ArrayBuffer.isView(v) ? String.fromCharCode(...new Uint8Array(v.buffer)) : v));
            }}
            db.close();
            all.push(JSON.stringify(localStorage), JSON.stringify(sessionStorage));
            return all.join('\\n');
        }})()"
    ))
    .await;
    text.as_string().unwrap()
}

#[wasm_bindgen_test]
async fn encrypted_keys_open_only_with_the_passphrase() {
    let vault = empty("t-vault").await;
    assert_eq!(vault.unavailable(), None);
    assert_eq!(vault.seal(stored_key("a", CANARY)).await, Err(VaultError::Closed));
    assert_eq!(vault.open(Secret::new("open sesame")).await, Ok(vec![]));
    vault.seal(stored_key("a", CANARY)).await.unwrap();
    vault.seal(stored_key("b", "second")).await.unwrap();

    let vault = reopen("t-vault").await;
    let sealed: Vec<_> = vault.list().await.unwrap().into_iter().map(|stored_key| stored_key.key).collect();
    assert_eq!(sealed, [None, None]);
    assert_eq!(vault.open(Secret::new("Open sesame")).await, Err(VaultError::WrongPassphrase));
    assert!(!vault.is_open());
    assert_eq!(
        vault.open(Secret::new("open sesame")).await,
        Ok(vec![stored_key("a", CANARY), stored_key("b", "second")])
    );
    assert!(vault.is_open());
    vault.close();
    assert_eq!(vault.seal(stored_key("c", "third")).await, Err(VaultError::Closed));
    vault.delete("a".into()).await.unwrap();
    assert_eq!(vault.list().await.unwrap().len(), 1);
}

#[wasm_bindgen_test]
async fn changing_the_passphrase_reencrypts_all_keys_at_once() {
    let vault = empty("t-vault-renewed").await;
    vault.open(Secret::new("open sesame")).await.unwrap();
    let both = || vec![stored_key("a", CANARY), stored_key("b", "second")];
    for key in both() {
        vault.seal(key).await.unwrap();
    }
    vault.store_unencrypted(stored_key("c", "clear")).await.unwrap();
    let other_tab = reopen("t-vault-renewed").await;
    other_tab.open(Secret::new("open sesame")).await.unwrap();
    vault.change_passphrase(Secret::new("open barley"), both()).await.unwrap();
    assert!(vault.is_open());
    vault.seal(stored_key("d", "third")).await.unwrap();

    let vault = reopen("t-vault-renewed").await;
    assert_eq!(vault.open(Secret::new("open sesame")).await, Err(VaultError::WrongPassphrase));
    let keys = [both(), vec![stored_key("d", "third")]].concat();
    assert_eq!(vault.open(Secret::new("open barley")).await, Ok(keys));
    let clear = vault.list().await.unwrap().into_iter().filter(|stored_key| stored_key.key.is_some()).count();
    assert_eq!(clear, 1, "what lies in the clear is left alone");
    assert!(!dump("t-vault-renewed").await.contains(CANARY));
}

#[wasm_bindgen_test]
async fn encrypted_key_is_nowhere_in_plain_text_and_each_iv_is_new() {
    let vault = empty("t-vault-canary").await;
    vault.open(Secret::new("a passphrase-canary")).await.unwrap();
    vault.seal(stored_key("a", CANARY)).await.unwrap();
    let first = dump("t-vault-canary").await;
    assert!(first.contains("\"rounds\"") && first.contains("https://a.example"), "{first}");
    assert!(!first.contains("canary"), "{first}");
    vault.seal(stored_key("a", CANARY)).await.unwrap();
    assert_ne!(dump("t-vault-canary").await, first, "a new initialisation vector for each write");
}

#[wasm_bindgen_test]
async fn derivation_uses_at_least_600_000_rounds() {
    let vault = empty("t-vault-rounds").await;
    vault.open(Secret::new("open sesame")).await.unwrap();
    vault.seal(stored_key("a", CANARY)).await.unwrap();
    let rounds = "(async () => { const db = await new Promise((done) => { const r = \
        indexedDB.open('t-vault-rounds'); r.onsuccess = () => done(r.result); }); const row = await new Promise(\
        (done) => { const r = db.transaction('secrets').objectStore('secrets').get('a'); r.onsuccess = () => \
        done(r.result); }); db.close(); return [row.rounds, row.salt.length, row.iv.length, 'key' in row].join(); })()";
    let row = script_promise(rounds).await.as_string().unwrap();
    let parts: Vec<_> = row.split(',').collect();
    assert!(parts[0].parse::<u32>().unwrap() >= 600_000, "{row}");
    assert_eq!(parts[1..], ["16", "12", "false"]);
}

#[wasm_bindgen_test]
async fn record_moved_to_another_origin_or_provider_cannot_be_decrypted() {
    for change in ["row.origin = 'https://evil.example'; key = 'a'", "key = 'evil'"] {
        let vault = empty("t-vault-moved").await;
        vault.open(Secret::new("open sesame")).await.unwrap();
        vault.seal(stored_key("a", CANARY)).await.unwrap();
        script_promise(&format!(
            "(async () => {{ const db = await new Promise((done) => {{ const r = indexedDB.open('t-vault-moved'); \
             r.onsuccess = () => done(r.result); }}); const t = db.transaction('secrets', 'readwrite'); const s = \
             t.objectStore('secrets'); await new Promise((done) => {{ const r = s.get('a'); r.onsuccess = () => {{ \
             const row = r.result; let key; {change}; s.clear(); s.put(row, key); }}; t.oncomplete = done; }}); \
             db.close(); }})()"
        ))
        .await;
        let vault = reopen("t-vault-moved").await;
        assert_eq!(vault.list().await.unwrap().len(), 1);
        assert_eq!(
            vault.open(Secret::new("open sesame")).await,
            Err(VaultError::WrongPassphrase),
            "{change}"
        );
    }
}

#[wasm_bindgen_test]
async fn plain_key_is_available_without_passphrase() {
    let vault = empty("t-vault-clear").await;
    vault.store_unencrypted(stored_key("a", CANARY)).await.unwrap();
    assert_eq!(reopen("t-vault-clear").await.list().await, Ok(vec![stored_key("a", CANARY)]));
}
