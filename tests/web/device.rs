//! Tests of storage administration: restore points, the note, and usage.

use futures_util::{StreamExt, stream};
use nexus::browser::storage_admin::device;
use nexus_engine::port::{RestorePoint, StoreError, TextStream};
use nexus_model::id::Millis;
use wasm_bindgen_test::wasm_bindgen_test;

fn point(at: u64) -> RestorePoint {
    RestorePoint { at: Millis(at), bytes: 0, sessions: 1, events: 2 }
}

fn chunks(texts: &[&str]) -> TextStream {
    let texts: Vec<_> = texts.iter().map(|text| Ok((*text).to_owned())).collect();
    stream::iter(texts).boxed_local()
}

#[wasm_bindgen_test]
async fn restore_point_is_compressed_and_read_back_whole() {
    let device = device();
    for old in device.restore_points().await.unwrap() {
        device.delete_restore_point(old.at).await.unwrap();
    }
    let long = "grüße ".repeat(400_000);
    let bytes = device.save_restore_point(point(7), chunks(&["{", &long, "}"])).await.unwrap();
    assert!(bytes < 100_000, "{bytes} bytes are not packed");
    device.save_restore_point(point(9), chunks(&["newer"])).await.unwrap();
    let points = device.restore_points().await.unwrap();
    assert_eq!(points.iter().map(|point| point.at.0).collect::<Vec<_>>(), [9, 7]);
    assert_eq!(points[1].bytes, bytes);
    let source = device.restore_point(Millis(7)).await.unwrap();
    // Twice: an import reads a dump once for its preview and once to import it.
    for _ in 0..2 {
        let mut whole = Vec::new();
        let mut read = source.read();
        while let Some(chunk) = read.next().await {
            whole.extend(chunk.unwrap());
        }
        assert_eq!(String::from_utf8(whole).unwrap(), format!("{{{long}}}"));
    }
    device.delete_restore_point(Millis(7)).await.unwrap();
    assert!(device.restore_point(Millis(7)).await.is_err());
    let failing = stream::iter(vec![Ok("half".to_owned()), Err(StoreError::Full)]).boxed_local();
    assert_eq!(device.save_restore_point(point(11), failing).await, Err(StoreError::Full));
    assert_eq!(device.restore_points().await.unwrap().len(), 1, "half a point was kept");
}

#[wasm_bindgen_test]
async fn note_stays_until_it_is_deleted() {
    let device = device();
    device.set_note(Some("begun".to_owned())).await.unwrap();
    assert_eq!(device.read_note().await.unwrap().as_deref(), Some("begun"));
    device.set_note(None).await.unwrap();
    assert_eq!(device.read_note().await.unwrap(), None);
}

#[wasm_bindgen_test]
async fn storage_estimate_has_usage_and_quota() {
    let facts = device().estimate().await;
    assert!(facts.quota.is_some_and(|quota| quota > 0), "{facts:?}");
    assert!(facts.used.is_some() && facts.persisted.is_some(), "{facts:?}");
}
