//! Tests of the kit: reactive markup, buttons, checkboxes, dialogs.

use leptos::ev::MouseEvent;
use leptos::mount::mount_to_renderer;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Event, HtmlElement, HtmlInputElement, HtmlSelectElement};
use nexus::ui::hooks::focus_restore::keep_focus;
use nexus::ui::kit::control::{button, check, choice_field, icon_button, quiet_button, text_field};
use nexus::ui::kit::markup::{IntoMarkup, Markup, NodeRef, component, view};
use nexus::ui::kit::overlay::modal;
use nexus::ui::kit::selector::{Effect, Selector, select};
use nexus::ui::kit::signal::RwSignal;
use nexus::ui::kit::splitter::splitter;
use nexus_view::language::Text;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::settle;

/// Markup mounted in an element of its own until dropped.
pub(crate) struct Mounted {
    pub(crate) root: HtmlElement,
    unmount: Option<Box<dyn FnOnce()>>,
}

impl Mounted {
    pub(crate) fn of(render: impl FnOnce() -> Markup + 'static) -> Self {
        let root: HtmlElement = document().create_element("div").unwrap().unchecked_into();
        document().body().unwrap().append_child(&root).unwrap();
        let handle = mount_to_renderer(&root.clone(), render);
        Self { root, unmount: Some(Box::new(move || drop(handle))) }
    }

    /// The HTML without placeholder comments.
    pub(crate) fn html(&self) -> String {
        self.root.inner_html().replace("<!---->", "")
    }

    pub(crate) fn find<T: leptos::wasm_bindgen::JsCast>(&self, selector: &str) -> T {
        self.root.query_selector(selector).unwrap().unwrap().unchecked_into()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.unmount.take().unwrap()();
        self.root.remove();
    }
}

#[wasm_bindgen_test]
async fn element_has_its_attributes_and_follows_signals() {
    let name = RwSignal::new("one".to_owned());
    let hidden = RwSignal::new(false);
    let nothing = None::<String>;
    let mounted = Mounted::of(move || {
        view! {
            <p class="hint" title=move || name.get() hidden=hidden data-count=3 aria-label=nothing>
                "Hello, " {name} {move || hidden.get().then_some("!")}
            </p>
        }
    });
    assert_eq!(mounted.html(), r#"<p class="hint" data-count="3" title="one">Hello, one</p>"#);
    name.set("two".to_owned());
    hidden.set(true);
    settle().await;
    assert_eq!(mounted.html(), r#"<p class="hint" data-count="3" title="two" hidden="">Hello, two!</p>"#);
    hidden.set(false);
    settle().await;
    assert_eq!(mounted.html(), r#"<p class="hint" data-count="3" title="two">Hello, two</p>"#);
}

#[wasm_bindgen_test]
async fn element_of_same_tag_is_reused_and_loses_old_attributes() {
    let is_first = RwSignal::new(true);
    let clicks = RwSignal::new(Vec::<&str>::new());
    let mounted = Mounted::of(move || {
        let inner = move || {
            if is_first.get() {
                let on_click = move |_| clicks.update(|all| all.push("first"));
                view! { <button class="a" title="t" data-x=String::from("1") on:click=on_click>"A"<i></i></button> }
            } else {
                view! { <button class="b" data-y="2" on:click=move |_| clicks.update(|all| all.push("second"))>"B"</button> }
            }
        };
        view! { <div>{inner}<hr /></div> }
    });
    let before: HtmlElement = mounted.find("button");
    before.click();
    is_first.set(false);
    settle().await;
    let after: HtmlElement = mounted.find("button");
    assert!(before == after);
    assert_eq!(mounted.html(), r#"<div><button class="b" data-y="2">B</button><hr></div>"#);
    after.click();
    assert_eq!(clicks.get_untracked(), ["first", "second"]);
    is_first.set(true);
    settle().await;
    assert!(mounted.html().contains("A<i></i></button><hr>"), "{}", mounted.html());
}

#[wasm_bindgen_test]
async fn markup_of_different_kinds_replaces_each_other() {
    let number = RwSignal::new(0);
    let mounted = Mounted::of(move || {
        let part = move || match number.get() {
            0 => ().into_markup(),
            1 => "text".into_markup(),
            2 => view! { <p>"one"</p> },
            3 => view! { <b>"x"</b><i>"y"</i> },
            _ => (move || number.get().to_string()).into_markup(),
        };
        view! { <section>"<"{part}">"</section> }
    });
    for (step, inside) in [
        (0, ""),
        (1, "text"),
        (3, "<b>x</b><i>y</i>"),
        (2, "<p>one</p>"),
        (4, "4"),
        (5, "5"),
        (3, "<b>x</b><i>y</i>"),
        (0, ""),
    ] {
        number.set(step);
        settle().await;
        assert_eq!(mounted.html(), format!("<section>&lt;{inside}&gt;</section>"));
    }
}

#[component]
fn Greeting(name: Selector<String>, again: impl Fn() + 'static, children: Markup) -> impl IntoMarkup {
    let first = name.get();
    view! { <p title=first>{name}{children}{button("Again").on_click(move |_| again())}</p> }
}

#[wasm_bindgen_test]
async fn component_gets_props_and_is_not_rerun_for_signals_it_read() {
    let name = RwSignal::new("Ada".to_owned());
    let clicks = RwSignal::new(0);
    let mounted = Mounted::of(move || {
        view! {
            {move || view! {
                <Greeting name=name.into() again=move || clicks.update(|clicks| *clicks += 1)><i>"!"</i></Greeting>
            }}
        }
    });
    name.set("Bea".to_owned());
    settle().await;
    let button = r#"<button type="button" class="button">Again</button>"#;
    assert_eq!(mounted.html(), format!(r#"<p title="Ada">Bea<i>!</i>{button}</p>"#));
    mounted.find::<HtmlElement>("button").click();
    assert_eq!(clicks.get_untracked(), 1);
}

#[wasm_bindgen_test]
async fn plain_element_does_not_reuse_a_components_element() {
    let plain = RwSignal::new(false);
    let name = Selector::fixed("Ada".to_owned());
    let mounted = Mounted::of(move || {
        view! {
            {move || if plain.get() {
                view! { <p>"plain"</p> }
            } else {
                view! { <Greeting name again=|| ()>""</Greeting> }
            }}
        }
    });
    // A node that a hook added by hand.
    mounted.find::<HtmlElement>("p").append_child(&document().create_element("hr").unwrap()).unwrap();
    plain.set(true);
    settle().await;
    assert_eq!(mounted.html(), "<p>plain</p>");
}

#[wasm_bindgen_test]
async fn list_grows_and_shrinks_before_its_sibling() {
    let items = RwSignal::new(vec!["a", "b"]);
    let mounted = Mounted::of(move || {
        let rows = move || items.get().into_iter().map(|item| view! { <li>{item}</li> }).collect::<Vec<_>>();
        view! { <ul>{rows}<li>"end"</li></ul> }
    });
    for rows_wanted in [vec!["a", "b"], vec!["a", "c", "d"], vec![], vec!["z"]] {
        items.set(rows_wanted.clone());
        settle().await;
        let rows: String =
            rows_wanted.iter().chain(&["end"]).map(|item| format!("<li>{item}</li>")).collect();
        assert_eq!(mounted.html(), format!("<ul>{rows}</ul>"));
    }
}

#[wasm_bindgen_test]
async fn show_rerenders_only_when_its_condition_changes() {
    let number = RwSignal::new(1);
    let drawings = StoredValue::new(0);
    let mounted = Mounted::of(move || {
        let count = move || {
            drawings.update_value(|count| *count += 1);
            "many"
        };
        view! { <Show when=move || { number.get() > 1 } fallback=|| "few"><b>{count()}</b></Show> }
    });
    assert_eq!(mounted.html(), "few");
    number.set(2);
    settle().await;
    number.set(3);
    settle().await;
    assert_eq!((mounted.html().as_str(), drawings.get_value()), ("<b>many</b>", 1));
    number.set(0);
    settle().await;
    assert_eq!(mounted.html(), "few");
}

#[wasm_bindgen_test]
async fn handler_has_its_components_context_and_is_removed_with_it() {
    #[derive(Clone)]
    struct Name(&'static str);
    let clicks = RwSignal::new(Vec::new());
    let is_there = RwSignal::new(true);
    let mounted = Mounted::of(move || {
        provide_context(Name("outer"));
        let click = move |_: MouseEvent| clicks.update(|all| all.push(expect_context::<Name>().0));
        view! { <Show when=move || is_there.get()><button on:click=click>"x"</button></Show> }
    });
    let inner: HtmlElement = mounted.find("button");
    inner.click();
    assert_eq!(clicks.get_untracked(), ["outer"]);
    is_there.set(false);
    settle().await;
    inner.click();
    assert_eq!((mounted.html().as_str(), clicks.get_untracked().len()), ("", 1));
}

fn depth(element: &HtmlElement) -> String {
    HtmlElement::style(element).get_property_value("--depth").unwrap()
}

#[wasm_bindgen_test]
async fn svg_styles_and_properties_follow_signals() {
    let width = RwSignal::new("1rem".to_owned());
    let text = RwSignal::new("a".to_owned());
    let field = NodeRef::<leptos::html::Input>::new();
    let mounted = Mounted::of(move || {
        view! {
            <svg viewBox="0 0 1 1"><path d="M0 0" /></svg>
            <input node_ref=field style:--depth=move || width.get() prop:value=move || text.get() />
        }
    });
    let path: HtmlElement = mounted.find("path");
    assert_eq!(path.namespace_uri().as_deref(), Some("http://www.w3.org/2000/svg"));
    let input: HtmlInputElement = mounted.find("input");
    assert!(field.get_untracked().is_some_and(|field| field == input));
    settle().await;
    assert_eq!(input.value(), "a");
    assert_eq!(depth(&input), "1rem");
    input.set_value("typed");
    text.set("b".to_owned());
    width.set("2rem".to_owned());
    settle().await;
    assert_eq!(input.value(), "b");
    assert_eq!(depth(&input), "2rem");
}

#[wasm_bindgen_test]
async fn button_has_its_label_and_does_nothing_when_disabled() {
    let clicks = RwSignal::new(0);
    let disabled = RwSignal::new(false);
    let mounted = Mounted::of(move || {
        let count = move |_| clicks.update(|clicks| *clicks += 1);
        view! {
            {button("Save").first().test("save").disabled(disabled).on_click(count)}
            {quiet_button("Why").id("why").title("Reasons").with("aria-pressed", "true")}
            {icon_button("×").danger().label("Close")}
        }
    });
    assert_eq!(
        mounted.html(),
        r#"<button type="button" class="button" data-weight="first" data-testid="save">Save</button><button type="button" class="quiet" id="why" title="Reasons" aria-pressed="true">Why</button><button type="button" class="icon" data-weight="danger" aria-label="Close">×</button>"#
    );
    let save: HtmlElement = mounted.find("[data-testid=save]");
    save.click();
    disabled.set(true);
    settle().await;
    save.click();
    assert_eq!(clicks.get_untracked(), 1);
}

#[wasm_bindgen_test]
async fn button_that_is_disabled_while_it_works_keeps_the_focus() {
    keep_focus();
    let busy = RwSignal::new(false);
    let mounted = Mounted::of(move || {
        view! {
            {button("Save").test("save").disabled(busy).on_click(move |_| busy.set(true))}
            {button("Next").test("next")}
        }
    });
    let focused = || document().active_element().and_then(|focused| focused.get_attribute("data-testid"));
    let frames = || async {
        for _ in 0..3 {
            crate::script_promise("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
                .await;
        }
    };
    let save: HtmlElement = mounted.find("[data-testid=save]");
    save.focus().unwrap();
    save.click();
    settle().await;
    frames().await;
    assert_ne!(focused().as_deref(), Some("next"));
    busy.set(false);
    settle().await;
    frames().await;
    assert_eq!(focused().as_deref(), Some("save"));
}

#[wasm_bindgen_test]
async fn checkbox_is_ticked_by_its_label_and_follows_its_signal() {
    let is_on = RwSignal::new(false);
    let mounted =
        Mounted::of(move || check("Sound", is_on, move |on| is_on.set(on)).test("sound").into_markup());
    let (label, input): (HtmlElement, HtmlInputElement) =
        (mounted.find("label.check"), mounted.find("input"));
    assert_eq!(label.inner_text(), "Sound");
    label.click();
    assert!(is_on.get_untracked() && input.checked());
    is_on.set(false);
    settle().await;
    assert!(!input.checked());
}

#[wasm_bindgen_test]
async fn dialog_takes_focus_closes_on_escape_and_restores_focus() {
    let is_open = RwSignal::new(false);
    let mounted = Mounted::of(move || {
        view! {
            {button("Open").test("open").on_click(move |_| is_open.set(true))}
            <Show when=move || is_open.get()>
                {modal("dialog", "ask", move || is_open.set(false)).titled("ask-title").beside().with_children(view! {
                    <h2 id="ask-title">"Really?"</h2>
                    {button("Yes").test("yes")}
                })}
            </Show>
        }
    });
    let open: HtmlElement = mounted.find("[data-testid=open]");
    let focused = || document().active_element().map(|focused| focused.get_attribute("data-testid"));
    for way in ["cancel", "click"] {
        open.focus().unwrap();
        open.click();
        settle().await;
        let dialog: HtmlElement = mounted.find("dialog[open][aria-labelledby=ask-title]");
        assert_eq!(focused(), Some(Some("yes".to_owned())));
        // A click inside the dialog does not close it.
        mounted.find::<HtmlElement>("h2").click();
        settle().await;
        assert!(is_open.get_untracked());
        // The browser sends `cancel` for Escape.
        match way {
            "cancel" => drop(dialog.dispatch_event(&Event::new("cancel").unwrap()).unwrap()),
            _ => dialog.click(),
        }
        settle().await;
        assert!(!is_open.get_untracked() && !mounted.html().contains("dialog"));
        crate::script_promise("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))").await;
        assert_eq!(focused(), Some(Some("open".to_owned())));
    }
}

#[wasm_bindgen_test]
async fn field_has_its_label_and_shows_its_error() {
    let stored = RwSignal::new("1".to_owned());
    let store = move |text: &str| {
        let number = text.parse::<u32>().map_err(|_| Text("Not a number."))?;
        stored.set(number.to_string());
        Ok(())
    };
    let mounted = Mounted::of(move || {
        view! { {text_field("days", Text("Days"), stored, store).test("days-test").hint(Text("Whole ones."))} }
    });
    let input: HtmlInputElement = mounted.find("label[for=days] ~ #days[data-testid=days-test]");
    settle().await;
    assert_eq!(input.value(), "1");
    let enter = async |text: &str| {
        input.set_value(text);
        assert!(input.dispatch_event(&Event::new("change").unwrap()).unwrap());
        settle().await;
        (input.get_attribute("aria-invalid"), mounted.find::<HtmlElement>("[role=alert]").inner_text())
    };
    assert_eq!(enter("x").await, (Some("true".to_owned()), "Not a number.".to_owned()));
    assert_eq!(stored.get_untracked(), "1");
    assert_eq!(enter(" 7 ").await, (None, String::new()));
    assert_eq!((stored.get_untracked(), input.value()), ("7".to_owned(), "7".to_owned()));
}

#[wasm_bindgen_test]
async fn select_shows_the_stored_value_and_reports_the_chosen_one() {
    let stored = RwSignal::new("b".to_owned());
    let choices =
        Selector::fixed(["a", "b", "c"].map(|name| (name.to_owned(), name.to_uppercase())).to_vec());
    let mounted = Mounted::of(move || {
        let store = move |value| stored.set(value);
        view! { {choice_field("which", Text("Which"), choices, stored, store)} }
    });
    let select: HtmlSelectElement = mounted.find("label[for=which] ~ select#which");
    assert_eq!(select.value(), "b");
    select.set_value("c");
    assert!(select.dispatch_event(&Event::new("change").unwrap()).unwrap());
    assert_eq!(stored.get_untracked(), "c");
    stored.set("a".to_owned());
    settle().await;
    assert_eq!(select.value(), "a");
}

/// Two panes of 300 px side by side; the splitter resizes the second.
fn split(size: RwSignal<Option<f64>>, stored: RwSignal<usize>) -> Mounted {
    Mounted::of(move || {
        let width = move || format!("{}px", size.get().unwrap_or(300.0));
        let first = move || format!("{}px", 600.0 - size.get().unwrap_or(300.0));
        view! {
            <div style:display="flex">
                <div id="split-first" style:width=first></div>
                {splitter("Width".to_owned(), size, ("split-second", "split-first"), (100.0, 50.0))
                    .before().on_save(move || stored.update(|stored| *stored += 1))}
                <div id="split-second" style:width=width></div>
            </div>
        }
    })
}

#[wasm_bindgen_test]
async fn splitter_moves_by_keys_exposes_its_value_and_resets() {
    let (size, stored) = (RwSignal::new(None), RwSignal::new(0));
    let mounted = split(size, stored);
    crate::script_promise("new Promise(requestAnimationFrame)").await;
    settle().await;
    let line: HtmlElement = mounted.find("[role=separator]");
    let attribute = |name: &str| line.get_attribute(name).unwrap();
    assert_eq!(
        (attribute("aria-valuenow"), attribute("aria-valuemin"), attribute("aria-valuemax")),
        ("300".to_owned(), "100".to_owned(), "550".to_owned())
    );
    assert_eq!(
        (attribute("aria-orientation"), attribute("tabindex")),
        ("vertical".to_owned(), "0".to_owned())
    );
    // The pane after the splitter grows to the left.
    for (key, shift, expected) in [
        ("ArrowLeft", false, Some(316.0)),
        ("ArrowRight", true, Some(252.0)),
        ("ArrowUp", false, Some(252.0)),
        ("Home", false, Some(100.0)),
        ("End", false, Some(550.0)),
        ("Enter", false, None),
    ] {
        crate::script(&format!(
            "document.querySelector('[role=separator]')
                .dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', shiftKey: {shift}, cancelable: true }}))"
        ));
        crate::script_promise("new Promise(requestAnimationFrame)").await;
        settle().await;
        assert_eq!(size.get_untracked(), expected, "{key}");
        assert_eq!(attribute("aria-valuenow"), expected.unwrap_or(300.0).to_string(), "{key}");
    }
    // Each key that changes the size stores it.
    assert_eq!(stored.get_untracked(), 5);
}

#[wasm_bindgen_test]
async fn splitter_follows_pointer_within_bounds_and_a_click_changes_nothing() {
    let (size, stored) = (RwSignal::new(None), RwSignal::new(0));
    let mounted = split(size, stored);
    settle().await;
    let line: HtmlElement = mounted.find("[role=separator]");
    let send = |name: &str, x: i32| {
        crate::script(&format!(
            "document.querySelector('[role=separator]')
                .dispatchEvent(new PointerEvent('{name}', {{ clientX: {x}, cancelable: true }}))"
        ));
    };
    // Synthetic pointers cannot be captured.
    crate::script(
        "Element.prototype.realCapture = Element.prototype.setPointerCapture;
        Element.prototype.setPointerCapture = () => {};",
    );
    for (to, expected) in [(300, None), (340, Some(260.0)), (900, Some(100.0))] {
        send("pointerdown", 300);
        send("pointermove", to);
        send("pointerup", to);
        crate::script_promise("new Promise(requestAnimationFrame)").await;
        settle().await;
        assert_eq!(size.get_untracked(), expected, "to {to}");
        size.set(expected.map(|_| 300.0));
        settle().await;
    }
    crate::script(
        "Element.prototype.setPointerCapture = Element.prototype.realCapture;
        delete Element.prototype.realCapture;",
    );
    assert_eq!(stored.get_untracked(), 2);
    let twice = Event::new("dblclick").unwrap();
    line.dispatch_event(&twice).unwrap();
    assert_eq!(size.get_untracked(), None);
}

/// WASM memory, in bytes.
fn memory() -> f64 {
    let memory: js_sys::WebAssembly::Memory = leptos::wasm_bindgen::memory().unchecked_into();
    js_sys::Reflect::get(&memory.buffer(), &"byteLength".into()).unwrap().as_f64().unwrap()
}

#[wasm_bindgen_test]
async fn signals_do_not_leak_removed_elements_effects_and_selectors() {
    let owner = Owner::new();
    owner.set();
    let word = RwSignal::new(1_u32);
    // A selector that lives as long as the page, such as a setting.
    let setting = select(move || word.get());
    // An owner retains all its children until its own cleanup, so each round has its own owner.
    let rows = || {
        owner.child().with(|| {
            for _ in 0..500 {
                drop(Mounted::of(move || {
                    let more = select(move || setting.get() + 1);
                    Effect::new(move || setting.track());
                    view! { <p data-count=move || more.get().to_string()>{move || setting.get()}</p> }
                }));
            }
        });
    };
    rows();
    settle().await;
    let before = memory();
    for _ in 0..8 {
        rows();
        settle().await;
    }
    let grew = memory() - before;
    assert!(grew <= 256.0 * 1024.0, "4,000 rows that are gone hold {grew} bytes");
    assert_eq!(setting.get_untracked(), 1);
    owner.cleanup();
}
