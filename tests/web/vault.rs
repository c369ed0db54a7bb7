//! Tests of the vault on IndexedDB and WebCrypto.

use std::rc::Rc;

use nexus::browser::idb::IdbStore;
use nexus::browser::vault::BrowserVault;
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
    again(name).await
}

/// The vault of another visit.
async fn again(name: &str) -> Rc<dyn KeyVault> {
    Rc::new(BrowserVault::new(IdbStore::open(name).await.unwrap()))
}

fn kept(provider: &str, key: &str) -> StoredKey {
    StoredKey {
        provider: provider.into(),
        origin: format!("https://{provider}.example"),
        key: Some(Secret::new(key)),
    }
}

/// All that a database holds, as text.
async fn everything(name: &str) -> String {
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
async fn sealed_keys_come_back_by_the_passphrase_and_only_by_it() {
    let vault = empty("t-vault").await;
    assert_eq!(vault.hindrance(), None);
    assert_eq!(vault.seal(kept("a", CANARY)).await, Err(VaultError::Closed));
    assert_eq!(vault.open(Secret::new("open sesame")).await, Ok(vec![]));
    vault.seal(kept("a", CANARY)).await.unwrap();
    vault.seal(kept("b", "second")).await.unwrap();

    let vault = again("t-vault").await;
    let sealed: Vec<_> = vault.list().await.unwrap().into_iter().map(|kept| kept.key).collect();
    assert_eq!(sealed, [None, None]);
    assert_eq!(vault.open(Secret::new("Open sesame")).await, Err(VaultError::WrongPassphrase));
    assert!(!vault.is_open());
    assert_eq!(
        vault.open(Secret::new("open sesame")).await,
        Ok(vec![kept("a", CANARY), kept("b", "second")])
    );
    assert!(vault.is_open());
    vault.close();
    assert_eq!(vault.seal(kept("c", "third")).await, Err(VaultError::Closed));
    vault.forget("a".into()).await.unwrap();
    assert_eq!(vault.list().await.unwrap().len(), 1);
}

#[wasm_bindgen_test]
async fn another_passphrase_takes_the_place_of_the_first_for_all_keys_at_once() {
    let vault = empty("t-vault-renewed").await;
    vault.open(Secret::new("open sesame")).await.unwrap();
    let both = || vec![kept("a", CANARY), kept("b", "second")];
    for key in both() {
        vault.seal(key).await.unwrap();
    }
    vault.keep_clear(kept("c", "clear")).await.unwrap();
    let other_tab = again("t-vault-renewed").await;
    other_tab.open(Secret::new("open sesame")).await.unwrap();
    vault.renew(Secret::new("open barley"), both()).await.unwrap();
    assert!(vault.is_open());
    vault.seal(kept("d", "third")).await.unwrap();

    let vault = again("t-vault-renewed").await;
    assert_eq!(vault.open(Secret::new("open sesame")).await, Err(VaultError::WrongPassphrase));
    let keys = [both(), vec![kept("d", "third")]].concat();
    assert_eq!(vault.open(Secret::new("open barley")).await, Ok(keys));
    let clear = vault.list().await.unwrap().into_iter().filter(|kept| kept.key.is_some()).count();
    assert_eq!(clear, 1, "what lies in the clear is left alone");
    assert!(!everything("t-vault-renewed").await.contains(CANARY));
}

#[wasm_bindgen_test]
async fn a_sealed_key_is_found_nowhere_and_each_seal_is_another() {
    let vault = empty("t-vault-canary").await;
    vault.open(Secret::new("a passphrase-canary")).await.unwrap();
    vault.seal(kept("a", CANARY)).await.unwrap();
    let first = everything("t-vault-canary").await;
    assert!(first.contains("\"rounds\"") && first.contains("https://a.example"), "{first}");
    assert!(!first.contains("canary"), "{first}");
    vault.seal(kept("a", CANARY)).await.unwrap();
    assert_ne!(everything("t-vault-canary").await, first, "a new initialisation vector for each write");
}

#[wasm_bindgen_test]
async fn rounds_are_many_and_take_their_time() {
    let vault = empty("t-vault-rounds").await;
    vault.open(Secret::new("open sesame")).await.unwrap();
    vault.seal(kept("a", CANARY)).await.unwrap();
    let rounds = "(async () => { const db = await new Promise((done) => { const r = \
        indexedDB.open('t-vault-rounds'); r.onsuccess = () => done(r.result); }); const row = await new Promise(\
        (done) => { const r = db.transaction('secrets').objectStore('secrets').get('a'); r.onsuccess = () => \
        done(r.result); }); db.close(); return [row.rounds, row.salt.length, row.iv.length, 'key' in row].join(); })()";
    let told = script_promise(rounds).await.as_string().unwrap();
    let parts: Vec<_> = told.split(',').collect();
    assert!(parts[0].parse::<u32>().unwrap() >= 600_000, "{told}");
    assert_eq!(parts[1..], ["16", "12", "false"]);
}

#[wasm_bindgen_test]
async fn a_record_that_is_moved_to_another_origin_or_provider_opens_no_more() {
    for change in ["row.origin = 'https://evil.example'; key = 'a'", "key = 'evil'"] {
        let vault = empty("t-vault-moved").await;
        vault.open(Secret::new("open sesame")).await.unwrap();
        vault.seal(kept("a", CANARY)).await.unwrap();
        script_promise(&format!(
            "(async () => {{ const db = await new Promise((done) => {{ const r = indexedDB.open('t-vault-moved'); \
             r.onsuccess = () => done(r.result); }}); const t = db.transaction('secrets', 'readwrite'); const s = \
             t.objectStore('secrets'); await new Promise((done) => {{ const r = s.get('a'); r.onsuccess = () => {{ \
             const row = r.result; let key; {change}; s.clear(); s.put(row, key); }}; t.oncomplete = done; }}); \
             db.close(); }})()"
        ))
        .await;
        let vault = again("t-vault-moved").await;
        assert_eq!(vault.list().await.unwrap().len(), 1);
        assert_eq!(
            vault.open(Secret::new("open sesame")).await,
            Err(VaultError::WrongPassphrase),
            "{change}"
        );
    }
}

#[wasm_bindgen_test]
async fn a_key_in_the_clear_is_there_at_once() {
    let vault = empty("t-vault-clear").await;
    vault.keep_clear(kept("a", CANARY)).await.unwrap();
    assert_eq!(again("t-vault-clear").await.list().await, Ok(vec![kept("a", CANARY)]));
}
