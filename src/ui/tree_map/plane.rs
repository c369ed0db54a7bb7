//! The tree's canvas: pan and zoom by pointer, wheel and touch, keyboard navigation, screen-reader text.
//!
//! Draws at most once per frame.

use std::cell::RefCell;

use leptos::ev::{FocusEvent, PointerEvent, WheelEvent};
use leptos::html::Div;

use crate::ui::hooks::canvas::{colours, use_canvas};
use crate::ui::hooks::pointer::capture;
use crate::ui::kit::icon::{HEAD, SIZE};
use crate::ui::prelude::*;
use crate::ui::tree_map::paint::{AgentLook, REACH, TreePicture, row_height};
use crate::ui::tree_map::state::TreeState;
use nexus_model::agent::Accent;
use nexus_model::settings::schema::THEME;
use nexus_model::turn::tree::TurnStub;
use nexus_text::vec_map::VecMap;
use nexus_view::strings::tree_layout as words;
use nexus_view::tree_layout::Direction;

/// Maximum movement of a click, in pixels.
const CLICK_TOLERANCE: f64 = 5.0;
/// Factor of one zoom step.
const STEP: f64 = 1.25;
/// Colours that the canvas takes from the stylesheet, besides the agents'.
const COLOURS: [&str; 10] =
    ["way", "merge", "card", "run", "edge", "text", "soft", "flag", "on-flag", "trouble"];

type ActivePointers = VecMap<i32, (f64, f64)>;

#[component]
pub fn TreeCanvas(tree: TreeState) -> impl IntoMarkup {
    let (agents, local) = (expect_context::<Agents>(), expect_context::<LocalTime>());
    let theme = expect_context::<Settings>().text(THEME);
    let surface = use_canvas();
    let probes = NodeRef::<Div>::new();
    let has_focus = RwSignal::new(false);
    // Incremented when the page's colours changed.
    let recoloured = RwSignal::new(0_u32);
    let look = move |dot: &TurnStub| match agents.rows.row(&dot.agent) {
        Some(row) => row.with(|row| AgentLook {
            name: reveal(&row.agent.identity.name),
            accent: row.agent.accent.name(),
        }),
        None => AgentLook { name: words::nobody(dot.kind, &dot.agent), accent: "way" },
    };
    Effect::new(move |_| {
        let (width, height) = surface.size();
        tree.resized(width, height);
    });

    let is_due = StoredValue::new(false);
    let draw = move || {
        if !is_due.try_set_value(false) {
            return;
        }
        let Some(pen) = surface.pen() else { return };
        let colours = colours(probes);
        let looks: RefCell<VecMap<AgentKey, Rc<AgentLook>>> = RefCell::default();
        let of = |dot: &TurnStub| {
            let known = looks.borrow().get(&dot.agent).cloned();
            known.unwrap_or_else(|| {
                let new = Rc::new(untrack(|| look(dot)));
                looks.borrow_mut().insert(dot.agent.clone(), Rc::clone(&new));
                new
            })
        };
        let readable = tree.map.with_untracked(|map| {
            tree.flags.with_untracked(|flags| {
                tree.last_lines.with_untracked(|words| {
                    let picture = TreePicture {
                        map,
                        camera: tree.camera.get_untracked(),
                        flags,
                        words,
                        at: tree.at.get_untracked(),
                        marked: tree.marked.get_untracked(),
                        look: &of,
                        time: &|dot| local.clock(dot.at),
                        colours: &colours,
                        has_focus: has_focus.get_untracked(),
                    };
                    picture.draw(&pen)
                })
            })
        });
        tree.load_words(readable);
    };
    Effect::new(move |_| {
        tree.map.track();
        tree.flags.track();
        tree.last_lines.track();
        tree.camera.track();
        tree.at.track();
        tree.marked.track();
        theme.track();
        agents.order.track();
        has_focus.track();
        recoloured.track();
        surface.size();
        if !is_due.get_value() {
            is_due.set_value(true);
            request_animation_frame(draw);
        }
    });

    let pointers = StoredValue::new(ActivePointers::new());
    let moved = StoredValue::new(0.0_f64);
    let place = move |ev: &PointerEvent| (f64::from(ev.offset_x()), f64::from(ev.offset_y()));
    let down = move |ev: PointerEvent| {
        if ev.button() == 0 && capture(&ev) {
            pointers.update_value(|pointers| {
                pointers.insert(ev.pointer_id(), place(&ev));
            });
            moved.set_value(0.0);
            if let Some(frame) = surface.frame.get_untracked() {
                // Keyboard navigation continues from a clicked canvas.
                drop(frame.focus());
            }
        }
    };
    let drag = move |ev: PointerEvent| {
        let (now, id) = (place(&ev), ev.pointer_id());
        let Some(before) = pointers.with_value(|pointers| pointers.get(&id).copied()) else { return };
        let other = pointers
            .with_value(|pointers| pointers.iter().find(|(at, _)| **at != id).map(|(_, place)| *place));
        let shift = (now.0 - before.0, now.1 - before.1);
        moved.update_value(|moved| *moved += shift.0.hypot(shift.1));
        pointers.update_value(|pointers| {
            pointers.insert(id, now);
        });
        tree.camera.update(|camera| {
            *camera = match other {
                None => camera.panned(shift.0, shift.1),
                Some(other) => {
                    let distance = |place: (f64, f64)| (place.0 - other.0).hypot(place.1 - other.1).max(1.0);
                    let middle = ((now.0 + other.0) / 2.0, (now.1 + other.1) / 2.0);
                    camera.panned(shift.0 / 2.0, shift.1 / 2.0).zoomed(
                        middle.0,
                        middle.1,
                        distance(now) / distance(before),
                    )
                }
            };
        });
    };
    let release = move |ev: PointerEvent| {
        let was_pressed =
            pointers.try_update_value(|pointers| pointers.remove(&ev.pointer_id())).flatten().is_some();
        if !was_pressed || moved.get_value() > CLICK_TOLERANCE {
            return;
        }
        let (x, y) = place(&ev);
        let (lane, row) = tree.camera.get_untracked().grid(x, y);
        let hit = tree.map.with_untracked(|map| {
            let turn = map.turn_at(map.near(lane, row, REACH)?)?;
            Some((turn, map.node_of(turn)))
        });
        if let Some((turn, _)) = hit {
            let again = tree.at.get_untracked() == Some(turn);
            tree.select(turn);
            if again && untrack(move || tree.folded_here()) > 0 {
                tree.toggle_run();
            }
        }
    };
    let cancel = move |ev: PointerEvent| {
        pointers.update_value(|pointers| {
            pointers.remove(&ev.pointer_id());
        });
    };
    let wheel = move |ev: WheelEvent| {
        ev.prevent_default();
        // Some browsers scroll in lines or pages.
        let unit = match ev.delta_mode() {
            0 => 1.0,
            1 => 16.0,
            _ => tree.camera.get_untracked().height,
        };
        let (across, along) = (ev.delta_x() * unit, ev.delta_y() * unit);
        let at = (f64::from(ev.offset_x()), f64::from(ev.offset_y()));
        tree.camera.update(|camera| {
            *camera = match (ev.ctrl_key() || ev.meta_key(), ev.shift_key()) {
                (true, _) => camera.zoomed(at.0, at.1, (-along / 240.0).exp()),
                (false, true) => camera.panned(-along - across, 0.0),
                (false, false) => camera.panned(-across, -along),
            };
        });
    };
    let zoom = move |by: f64| {
        tree.camera.update(|camera| *camera = camera.zoomed(camera.width / 2.0, camera.height / 2.0, by));
    };
    let whole = move || {
        let (lanes, rows) = tree.map.with_untracked(|map| (map.lanes(), map.rows()));
        tree.camera.update(|camera| *camera = camera.fit(lanes, rows));
    };
    let page = move |sign: f64| {
        tree.camera
            .update(|camera| *camera = camera.panned(0.0, sign * (camera.height - row_height(*camera))));
    };
    let key = move |ev: KeyboardEvent| {
        if ev.alt_key() || ev.ctrl_key() || ev.meta_key() {
            return;
        }
        match ev.key().as_str() {
            "PageUp" => page(1.0),
            "PageDown" => page(-1.0),
            "+" | "=" => zoom(STEP),
            "-" => zoom(1.0 / STEP),
            "0" => whole(),
            " " => tree.toggle_run(),
            "Enter" => crate::ui::tree_map::card::focus_first(),
            key => match Direction::of_key(key) {
                Some(way) => tree.walk(way),
                None => return,
            },
        }
        ev.prevent_default();
    };
    let spoken = move || {
        let Some(turn) = tree.at.get() else { return words::EMPTY.to_owned() };
        let folded = tree.folded_here();
        let (dot, children) = tree.map.with(|map| {
            let spot = map.node_of(turn).and_then(|at| map.node(at));
            (map.turn_of(turn).cloned(), spot.map_or(0, |spot| spot.children.len()))
        });
        let Some(dot) = dot else { return words::READING.to_owned() };
        if folded > 0 {
            return words::unfold(folded);
        }
        let labels: Vec<String> = tree.flags_at(turn).into_iter().map(|flag| reveal(&flag.label)).collect();
        let special = words::special(dot.kind, dot.end);
        words::spoken(&look(&dot).name, &local.clock(dot.at), special, &labels, children)
    };
    let focus = move |is: bool| move |_: FocusEvent| has_focus.set(is);
    let probes_of = COLOURS.into_iter().map(|name| view! { <i data-name=name></i> });
    let accents = Accent::ALL
        .into_iter()
        .map(|accent| view! { <i data-name=accent.name() data-accent=accent.name()></i> });
    let probes_of: Vec<Markup> = probes_of.chain(accents).collect();
    let empty = move || (tree.is_done() && tree.map.with(|map| map.is_empty())).then_some(words::EMPTY);
    view! {
        <div class="tree-plane">
            <div
                class="tree-frame" data-testid="tree-plane" node_ref=surface.frame tabindex="0"
                role="application" aria-roledescription=words::PLANE_ROLE aria-label=common::TREE_OF_TURNS
                aria-describedby="tree-spoken" on:keydown=key on:focus=focus(true) on:blur=focus(false)
                on:pointerdown=down on:pointermove=drag on:pointerup=release on:pointercancel=cancel
                on:wheel=wheel title=words::KEYS
            >
                <canvas node_ref=surface.canvas aria-hidden="true"></canvas>
                <p class="tree-empty">{empty}</p>
            </div>
            <p id="tree-spoken" class="unseen" role="status" data-testid="tree-spoken">{spoken}</p>
            <div class="tree-probes" node_ref=probes aria-hidden="true" on:transitionend=move |_| recoloured.update(|times| *times = times.wrapping_add(1))>{probes_of}</div>
            <div class="tree-zoom" role="group" aria-label=common::TREE_OF_TURNS>
                {icon_button(icon(icon::NEW)).test("tree-closer").title(common::ZOOM_IN).label(common::ZOOM_IN)
                    .on_click(move |_| zoom(STEP))}
                {icon_button(icon(icon::LESS)).test("tree-further").title(common::ZOOM_OUT).label(common::ZOOM_OUT)
                    .on_click(move |_| zoom(1.0 / STEP))}
                {icon_button(icon(HEAD)).test("tree-to-head").title(words::HEAD).label(words::HEAD)
                    .on_click(move |_| tree.to_head())}
                {icon_button(icon(SIZE)).test("tree-whole").title(words::WHOLE).label(words::WHOLE)
                    .on_click(move |_| whole())}
            </div>
        </div>
    }
}
