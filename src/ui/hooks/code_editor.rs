//! The bundled code editor (`xtask/parts/editor.js`) as a value: mount it, read and set its text.
//!
//! Dropping the value removes the editor.

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use leptos::web_sys::HtmlTextAreaElement;
use send_wrapper::SendWrapper;

use crate::ui::hooks::js_part::{JsChunk, call, put};
use crate::ui::kit::selector::Effect;
use crate::ui::kit::stored::StoredValue;
use nexus_model::limits::{EDITOR_QUICK_CHARS, EDITOR_QUIET_MS, EDITOR_UNTOLD_MS};
use nexus_text::diff::text_edits::TextEdit;
use nexus_view::language::Text;

pub struct EditorOptions<'a> {
    /// What undo, caret and scroll are kept by while the editor is away.
    pub key: &'a str,
    /// The text, with line feeds only.
    pub text: &'a str,
    pub label: &'a str,
    /// How it is left by keyboard, for who does not see it.
    pub hint: &'a str,
    /// What stands at clashes, and in the library's own fields, by the names that they have there.
    pub words: &'a [(&'a str, Text)],
    /// The same, for the library.
    pub phrases: &'a [(&'a str, Text)],
    pub read_only: bool,
    /// Whether long lines are broken.
    pub wrap: bool,
}

/// Which side of a clash stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictSide {
    /// What was typed here.
    Mine,
    /// What stands there now.
    Theirs,
    /// Both, theirs first.
    Both,
}

pub struct CodeEditor {
    handle: JsValue,
    _changed: Closure<dyn FnMut(String)>,
    _clashed: Closure<dyn FnMut(u32)>,
    _settled: Closure<dyn FnMut()>,
}

impl CodeEditor {
    /// Makes one in `place`. `changed` gets the whole text some time after it was typed into, and at the latest when the
    /// focus goes or the page is hidden; `clashed` the number of places with conflict marks, when it changes; `settled`
    /// is called when the last of them was decided.
    pub fn new(
        part: &JsChunk,
        place: &leptos::web_sys::Element,
        beginning: &EditorOptions<'_>,
        changed: impl FnMut(String) + 'static,
        clashed: impl FnMut(u32) + 'static,
        settled: impl FnMut() + 'static,
    ) -> Option<Self> {
        let (changed, clashed, settled) =
            (Closure::new(changed), Closure::new(clashed), Closure::new(settled));
        let options = js_sys::Object::new();
        for (name, text) in [
            ("key", beginning.key),
            ("text", beginning.text),
            ("label", beginning.label),
            ("hint", beginning.hint),
        ] {
            put(&options, name, &JsValue::from_str(text));
        }
        put(&options, "words", &named(beginning.words));
        put(&options, "phrases", &named(beginning.phrases));
        for (name, on) in [("readOnly", beginning.read_only), ("wrap", beginning.wrap)] {
            put(&options, name, &JsValue::from_bool(on));
        }
        for (name, number) in
            [("quick", EDITOR_QUICK_CHARS), ("quiet", EDITOR_QUIET_MS), ("most", EDITOR_UNTOLD_MS)]
        {
            put(&options, name, &JsValue::from_f64(f64::from(number)));
        }
        put(&options, "changed", changed.as_ref());
        put(&options, "clashed", clashed.as_ref());
        put(&options, "settled", settled.as_ref());
        let handle = call(&part.0, "mount", &[place.clone().into(), options.into()])?;
        Some(Self { handle, _changed: changed, _clashed: clashed, _settled: settled })
    }

    fn tell(&self, name: &str, arguments: &[JsValue]) -> JsValue {
        call(&self.handle, name, arguments).unwrap_or(JsValue::UNDEFINED)
    }

    pub fn text(&self) -> String {
        self.tell("text", &[]).as_string().unwrap_or_default()
    }

    /// The text, if it was typed into since it was last told. It counts as told then.
    pub fn take_untold(&self) -> Option<String> {
        self.tell("isUntold", &[]).is_truthy().then(|| {
            self.tell("told", &[]);
            self.text()
        })
    }

    /// Whether a character is being composed: what is put under it now would disturb that. When it is done, the text is
    /// told.
    pub fn is_composing(&self) -> bool {
        self.tell("isComposing", &[]).is_truthy()
    }

    /// Lets others' edits happen. Caret, scroll and what can be undone stay with the words around them.
    pub fn apply(&self, edits: &[TextEdit]) {
        let flat = js_sys::Array::new();
        let offset = |at: usize| JsValue::from_f64(f64::from(u32::try_from(at).unwrap_or(u32::MAX)));
        for edit in edits {
            flat.push(&offset(edit.range.start));
            flat.push(&offset(edit.range.end));
            flat.push(&JsValue::from_str(&edit.insert));
        }
        self.tell("apply", &[flat.into()]);
    }

    /// Colours the text by a language; not at all without one.
    pub fn colour(&self, language: Option<&JsChunk>) {
        let module = language.map_or(JsValue::NULL, |part| (*part.0).clone());
        self.tell("colour", &[module]);
    }

    pub fn wrap(&self, on: bool) {
        self.tell("wrap", &[JsValue::from_bool(on)]);
    }

    pub fn read_only(&self, on: bool) {
        self.tell("readOnly", &[JsValue::from_bool(on)]);
    }

    pub fn find(&self) {
        self.tell("find", &[]);
    }

    pub fn go_to(&self) {
        self.tell("goTo", &[]);
    }

    pub fn next_clash(&self) {
        self.tell("nextClash", &[]);
    }

    /// Decides the clash at the caret, or the next one.
    pub fn resolve(&self, side: ConflictSide) {
        let name = match side {
            ConflictSide::Mine => "mine",
            ConflictSide::Theirs => "theirs",
            ConflictSide::Both => "both",
        };
        self.tell("resolve", &[JsValue::from_str(name)]);
    }

    pub fn take_focus(&self, (from, to): (u32, u32)) {
        self.tell("focus", &[from.into(), to.into()]);
    }
}

impl Drop for CodeEditor {
    fn drop(&mut self) {
        self.tell("destroy", &[]);
    }
}

fn named(words: &[(&str, Text)]) -> JsValue {
    let object = js_sys::Object::new();
    for (name, text) in words {
        put(&object, name, &JsValue::from_str(text));
    }
    object.into()
}

/// The selection in the text area with this id, if somebody types in it now.
pub fn selection_in(id: &str) -> Option<(u32, u32)> {
    let area = document().active_element().filter(|active| active.id() == id)?;
    let area = area.dyn_into::<HtmlTextAreaElement>().ok()?;
    Some((area.selection_start().ok()??, area.selection_end().ok()??))
}

/// Where an editor is kept as long as its component lives.
pub type EditorSlot = StoredValue<Option<SendWrapper<CodeEditor>>>;

/// Makes an editor as soon as `place` stands, and takes it away with the component. What is still untold then is told.
pub fn use_editor(
    place: NodeRef<html::Div>,
    make: impl Fn(&leptos::web_sys::Element) -> Option<CodeEditor> + 'static,
    made: impl Fn() + Copy + 'static,
) -> EditorSlot {
    let kept = EditorSlot::new(None);
    Effect::new(move || {
        let Some(place) = place.get() else { return };
        if kept.with_value(Option::is_none) {
            kept.set_value(make(&place).map(SendWrapper::new));
            made();
        }
    });
    on_cleanup(move || {
        // Out of its place first: what it tells as it goes asks for it again.
        let gone = kept.try_update_value(Option::take).flatten();
        drop(gone);
    });
    kept
}
