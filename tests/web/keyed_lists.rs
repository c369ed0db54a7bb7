//! Keyed lists, and markup elsewhere on the page.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::HtmlElement;
use nexus::ui::kit::markup::{elsewhere, keyed_list, view};
use nexus::ui::kit::signal::RwSignal;
use send_wrapper::SendWrapper;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::kit::Mounted;
use crate::settle;

#[wasm_bindgen_test]
async fn keyed_list_keeps_rows_of_its_items() {
    let items = RwSignal::new(vec!["a", "b", "c"]);
    let mounted = Mounted::of(move || {
        let row = |item: &'static str| (item != "nothing").then(|| view! { <i id=item>{item}</i> });
        view! { <p>{keyed_list(move || items.get(), |item| *item, row)}"." </p> }
    });
    let rows = || mounted.find::<HtmlElement>("p").text_content().unwrap();
    let first = mounted.find::<HtmlElement>("#a");
    assert_eq!(rows(), "abc.");
    items.set(vec!["c", "nothing", "d", "a"]);
    settle().await;
    assert_eq!(rows(), "cda.");
    assert!(first.is_same_node(Some(&mounted.find::<HtmlElement>("#a"))));
    items.set(Vec::new());
    settle().await;
    assert_eq!(rows(), ".");
}

/// Numbers that look random, always the same ones.
fn shuffled(seed: &mut u64, most: u64) -> Vec<u64> {
    let mut next = |below: u64| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) % below
    };
    let mut numbers: Vec<u64> = (0..most).filter(|_| next(3) > 0).collect();
    for at in (1..numbers.len()).rev() {
        if next(2) == 0 {
            numbers.swap(at, next(at as u64 + 1) as usize);
        }
    }
    numbers
}

#[wasm_bindgen_test]
async fn keyed_list_follows_any_order_and_disposes_what_leaves() {
    let items = RwSignal::new(Vec::<u64>::new());
    let disposed = RwSignal::new(0_usize);
    let drawn = RwSignal::new(0_usize);
    let suffix = RwSignal::new(String::new());
    let mounted = Mounted::of(move || {
        let row = move |item: u64| {
            drawn.update(|drawn| *drawn += 1);
            on_cleanup(move || disposed.update(|disposed| *disposed += 1));
            view! { <i>{item}{suffix}</i>{item.is_multiple_of(3).then(|| view! { <b>"!"</b> })} }
        };
        view! { <p>"["{keyed_list(move || items.get(), |item| *item, row)}"]"</p> }
    });
    let (mut seed, mut before) = (7, Vec::<(u64, HtmlElement)>::new());
    let nodes = |mounted: &Mounted| {
        let all = mounted.root.query_selector_all("i").unwrap();
        (0..all.length()).map(|at| all.item(at).unwrap().unchecked_into()).collect::<Vec<HtmlElement>>()
    };
    for round in 0..60 {
        let order = shuffled(&mut seed, 14);
        items.set(order.clone());
        suffix.set(format!(".{round}"));
        settle().await;
        let row = |item: &u64| format!("{item}.{round}{}", if item.is_multiple_of(3) { "!" } else { "" });
        let wanted: String = order.iter().map(row).collect();
        let p: HtmlElement = mounted.find("p");
        assert_eq!(p.text_content().unwrap(), format!("[{wanted}]"), "{order:?}");
        let now: Vec<_> = order.iter().copied().zip(nodes(&mounted)).collect();
        for (item, node) in &now {
            if let Some((_, old)) = before.iter().find(|(known, _)| known == item) {
                assert!(node.is_same_node(Some(old)), "{item} was drawn again");
            }
        }
        before = now;
        assert_eq!(drawn.get_untracked() - disposed.get_untracked(), order.len());
    }
    drop(mounted);
    assert_eq!(drawn.get_untracked(), disposed.get_untracked());
}

#[wasm_bindgen_test]
async fn keyed_list_moves_as_few_rows_as_possible() {
    let items = RwSignal::new(vec![1, 2, 3, 4, 5]);
    let mounted = Mounted::of(move || {
        let row = |item: u32| view! { <button id=format!("row-{item}")>{item}</button> };
        keyed_list(move || items.get(), |item| *item, row)
    });
    // An element that moves loses its focus.
    let focused = || document().active_element().map(|element| element.id()).unwrap_or_default();
    for (focus, order) in [
        (2, vec![5, 1, 2, 3, 4]),
        (4, vec![1, 2, 3, 4, 5]),
        (4, vec![2, 3, 4, 5, 1]),
        (3, vec![9, 2, 3, 7, 5, 1]),
        (7, vec![7, 1]),
    ] {
        mounted.find::<HtmlElement>(&format!("#row-{focus}")).focus().unwrap();
        items.set(order.clone());
        settle().await;
        let text: String = order.iter().map(u32::to_string).collect();
        assert_eq!(mounted.root.text_content().unwrap(), text);
        assert_eq!(focused(), format!("row-{focus}"), "{order:?}");
    }
}

#[wasm_bindgen_test]
async fn markup_elsewhere_leaves_with_its_owner() {
    let place: HtmlElement = document().create_element("div").unwrap().unchecked_into();
    document().body().unwrap().append_child(&place).unwrap();
    let is_there = RwSignal::new(true);
    let target = SendWrapper::new(place.clone());
    let mounted = Mounted::of(move || {
        let panel = move || elsewhere((*target).clone().unchecked_into(), view! { <b>"here"</b> });
        view! { <div><Show when=move || is_there.get()><p>{panel()}</p></Show></div> }
    });
    assert_eq!((place.inner_html().as_str(), mounted.html().as_str()), ("<b>here</b>", "<div><p></p></div>"));
    is_there.set(false);
    settle().await;
    assert_eq!((place.inner_html().as_str(), mounted.html().as_str()), ("", "<div></div>"));
    place.remove();
}
