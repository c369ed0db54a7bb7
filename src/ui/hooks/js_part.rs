//! Bundled JavaScript modules (`xtask/src/parts.rs`), loaded lazily, above all the code editor
//! (`xtask/parts/editor.js`) as a value: mount it, read and set its text. Dropping the value removes the editor.
//!
//! And the loaders for checks, terminals and voice, and whether the browser supports voice.

use leptos::html;
use wasm_bindgen_futures::JsFuture;

use crate::ui::hooks::dom::*;
use crate::ui::hooks::text::selected_range;
use nexus_engine::checks::RunChecks;
use nexus_engine::lazy::{ChunkLoadError, LazyFuture};
use nexus_engine::port::VoicePorts;
use nexus_engine::port::lazy::Terminals;
use nexus_model::limits::{EDITOR_DEBOUNCE_MS, EDITOR_MAX_DELAY_MS, EDITOR_QUICK_CHARS};
use nexus_text::diff::text_edits::TextEdit;
use nexus_text::vec_map::VecMap;
use nexus_view::language::Text;

#[derive(Clone)]
pub struct JsChunk(pub(super) SendWrapper<JsValue>);

thread_local! {
    /// Loaded modules, available at once from then on.
    static LOADED: RefCell<VecMap<String, JsChunk>> = const { RefCell::new(VecMap::new()) };
}

/// Loads a module by its name. `public/boot.js` verifies each of its files.
pub async fn load(name: &str) -> Result<JsChunk, ChunkLoadError> {
    if let Some(part) = LOADED.with_borrow(|loaded| loaded.get(name).cloned()) {
        return Ok(part);
    }
    let promise = call(&get(&window(), "__nexus"), "part", &[JsValue::from_str(name)]);
    let promise = promise.and_then(|promise| promise.dyn_into::<js_sys::Promise>().ok());
    let module = JsFuture::from(promise.ok_or(ChunkLoadError)?).await.map_err(|_| ChunkLoadError)?;
    let part = JsChunk(SendWrapper::new(module));
    drop(LOADED.with_borrow_mut(|loaded| loaded.insert(name.to_owned(), part.clone())));
    Ok(part)
}

/// Calls a function of an object; `None` if it has none or throws.
pub(super) fn call(object: &JsValue, name: &str, arguments: &[JsValue]) -> Option<JsValue> {
    let list: js_sys::Array = arguments.iter().collect();
    get(object, name).dyn_ref::<js_sys::Function>()?.apply(object, &list).ok()
}

pub(super) fn put(object: &js_sys::Object, name: &str, value: &JsValue) {
    // Fails only on frozen objects; ours are fresh.
    drop(js_sys::Reflect::set(object, &JsValue::from_str(name), value));
}

#[derive(Clone, Copy)]
pub(crate) struct LazyChecks(pub(crate) fn() -> LazyFuture<RunChecks>);

pub type LoadTerminals = Rc<dyn Fn() -> LazyFuture<Rc<dyn Terminals>>>;

#[derive(Clone)]
pub(crate) struct LazyTerminals(pub(crate) SendWrapper<LoadTerminals>);

#[derive(Clone, Copy)]
pub(crate) struct LazyVoice(pub(crate) fn() -> LazyFuture<MakeVoice>);

pub type MakeVoice = fn() -> VoicePorts;

pub fn can_hear() -> bool {
    ["SpeechRecognition", "webkitSpeechRecognition"].iter().any(|name| get(&window(), name).is_truthy())
}

pub fn can_speak() -> bool {
    get(&window(), "speechSynthesis").is_truthy()
}

/// True for the first key press that activates a button; prevents the browser's own click.
pub fn is_key_press(event: &KeyboardEvent) -> bool {
    let is_press = matches!(event.key().as_str(), " " | "Enter");
    if is_press {
        event.prevent_default();
    }
    is_press && !event.repeat()
}

pub struct EditorOptions<'a> {
    /// Key under which undo history, caret and scroll are kept while the editor is unmounted.
    pub key: &'a str,
    /// The text, with line feeds only.
    pub text: &'a str,
    pub label: &'a str,
    /// Screen-reader hint on how to leave the editor by keyboard.
    pub hint: &'a str,
    /// Texts of conflicts and of the library's fields, by name.
    pub words: &'a [(&'a str, Text)],
    /// Texts of the library, by its own keys.
    pub phrases: &'a [(&'a str, Text)],
    pub read_only: bool,
    pub wrap: bool,
}

pub struct CodeEditor {
    handle: JsValue,
    _changed: Closure<dyn FnMut(String)>,
    _in_conflict: Closure<dyn FnMut(u32)>,
    _settled: Closure<dyn FnMut()>,
}

impl CodeEditor {
    /// Mounts an editor in `place`. `changed` gets the whole text some time after input, at the latest on blur or when
    /// the page is hidden; `in_conflict` the number of conflicts, when it changes; `settled` is called when the last
    /// one was resolved.
    pub fn new(
        part: &JsChunk,
        place: &leptos::web_sys::Element,
        options_in: &EditorOptions<'_>,
        changed: impl FnMut(String) + 'static,
        in_conflict: impl FnMut(u32) + 'static,
        settled: impl FnMut() + 'static,
    ) -> Option<Self> {
        let (changed, in_conflict, settled) =
            (Closure::new(changed), Closure::new(in_conflict), Closure::new(settled));
        let options = js_sys::Object::new();
        for (name, text) in [
            ("key", options_in.key),
            ("text", options_in.text),
            ("label", options_in.label),
            ("hint", options_in.hint),
        ] {
            put(&options, name, &JsValue::from_str(text));
        }
        put(&options, "words", &named(options_in.words));
        put(&options, "phrases", &named(options_in.phrases));
        for (name, on) in [("readOnly", options_in.read_only), ("wrap", options_in.wrap)] {
            put(&options, name, &JsValue::from_bool(on));
        }
        for (name, number) in
            [("quick", EDITOR_QUICK_CHARS), ("quiet", EDITOR_DEBOUNCE_MS), ("most", EDITOR_MAX_DELAY_MS)]
        {
            put(&options, name, &JsValue::from_f64(f64::from(number)));
        }
        put(&options, "changed", changed.as_ref());
        put(&options, "conflicted", in_conflict.as_ref());
        put(&options, "settled", settled.as_ref());
        let handle = call(&part.0, "mount", &[place.clone().into(), options.into()])?;
        Some(Self { handle, _changed: changed, _in_conflict: in_conflict, _settled: settled })
    }

    fn call_method(&self, name: &str, arguments: &[JsValue]) -> JsValue {
        call(&self.handle, name, arguments).unwrap_or(JsValue::UNDEFINED)
    }

    pub fn text(&self) -> String {
        self.call_method("text", &[]).as_string().unwrap_or_default()
    }

    /// The text if it has unreported input, which then counts as reported.
    pub fn take_unreported(&self) -> Option<String> {
        self.call_method("isUntold", &[]).is_truthy().then(|| {
            self.call_method("told", &[]);
            self.text()
        })
    }

    /// True during input method composition, which an edit would disturb. Its end reports the text.
    pub fn is_composing(&self) -> bool {
        self.call_method("isComposing", &[]).is_truthy()
    }

    /// Applies edits of others. Caret, scroll and undo history stay with the surrounding text.
    pub fn apply(&self, edits: &[TextEdit]) {
        let flat = js_sys::Array::new();
        let offset = |at: usize| JsValue::from_f64(f64::from(u32::try_from(at).unwrap_or(u32::MAX)));
        for edit in edits {
            flat.push(&offset(edit.range.start));
            flat.push(&offset(edit.range.end));
            flat.push(&JsValue::from_str(&edit.insert));
        }
        self.call_method("apply", &[flat.into()]);
    }

    /// Highlights the text as this language; `None` for none.
    pub fn set_language(&self, language: Option<&JsChunk>) {
        let module = language.map_or(JsValue::NULL, |part| (*part.0).clone());
        self.call_method("colour", &[module]);
    }

    pub fn wrap(&self, on: bool) {
        self.call_method("wrap", &[JsValue::from_bool(on)]);
    }

    pub fn read_only(&self, on: bool) {
        self.call_method("readOnly", &[JsValue::from_bool(on)]);
    }

    /// Opens the search or the dialog of lines, or goes to the next conflict: `find`, `goTo`, `nextConflict`.
    pub fn command(&self, name: &str) {
        self.call_method(name, &[]);
    }

    /// Resolves the conflict at the caret, or the next one, by one side: `mine`, `theirs`, or `both`, theirs first.
    pub fn resolve(&self, side: &str) {
        self.call_method("resolve", &[JsValue::from_str(side)]);
    }

    pub fn take_focus(&self, (from, to): (u32, u32)) {
        self.call_method("focus", &[from.into(), to.into()]);
    }
}

impl Drop for CodeEditor {
    fn drop(&mut self) {
        self.call_method("destroy", &[]);
    }
}

fn named(words: &[(&str, Text)]) -> JsValue {
    let object = js_sys::Object::new();
    for (name, text) in words {
        put(&object, name, &JsValue::from_str(text));
    }
    object.into()
}

/// The selection in the text area with this id, if it has the focus.
pub fn selection_in(id: &str) -> Option<(u32, u32)> {
    let area = document().active_element().filter(|active| active.id() == id)?;
    selected_range(&area.dyn_into().ok()?)
}

/// Holds an editor as long as its component lives.
pub type EditorSlot = StoredValue<Option<SendWrapper<CodeEditor>>>;

/// Creates an editor once `place` is mounted, and removes it with the component, after it reported its text.
pub fn use_editor(
    place: NodeRef<html::Div>,
    create: impl Fn(&leptos::web_sys::Element) -> Option<CodeEditor> + 'static,
    on_mount: impl Fn() + Copy + 'static,
) -> EditorSlot {
    let slot = EditorSlot::new(None);
    Effect::new(move || {
        let Some(place) = place.get() else { return };
        if slot.with_value(Option::is_none) {
            slot.set_value(create(&place).map(SendWrapper::new));
            on_mount();
        }
    });
    on_cleanup(move || {
        // Emptied first, because the editor's last report reads this slot.
        let editor = slot.try_update_value(Option::take).flatten();
        drop(editor);
    });
    slot
}
