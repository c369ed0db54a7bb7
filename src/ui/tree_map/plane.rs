//! The tree's canvas: pan and zoom by pointer, wheel and touch, keyboard navigation, screen-reader text; and the
//! drawing of its visible part: cards, runs, flags, forks and merges; bars and dots when zoomed out.
//!
//! Draws at most once per frame.

use leptos::ev::{FocusEvent, PointerEvent, WheelEvent};

use crate::ui::hooks::canvas::{CanvasPen, colours, use_canvas};
use crate::ui::hooks::events::capture;
use crate::ui::kit::icon::HEAD;
use crate::ui::prelude::*;
use crate::ui::tree_map::card::FIRST;
use crate::ui::tree_map::state::TreeState;
use nexus_engine::queries::tree::SessionFlag;
use nexus_model::agent::Accent;
use nexus_model::settings::schema::THEME;
use nexus_model::turn::tree::TurnStub;
use nexus_view::strings::tree_layout as words;
use nexus_view::tree_layout::camera::{Camera, LANE, ROW};
use nexus_view::tree_layout::{Direction, LayoutNode, LayoutNodeKind, TreeLayout};

/// Maximum movement of a click, in pixels.
const CLICK_TOLERANCE: f64 = 5.0;
const STEP: f64 = 1.25;
/// Colours that the canvas takes from the stylesheet, besides the agents'.
const COLOURS: [&str; 10] =
    ["way", "merge", "card", "run", "edge", "text", "soft", "flag", "on-flag", "trouble"];

#[component]
pub fn TreeCanvas(tree: TreeState) -> impl IntoMarkup {
    let &Page { agents, local, settings, .. } = expect_context();
    let theme = settings.text(THEME);
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
        let (width, height) = surface.size.get();
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
            let make = || Rc::new(untrack(|| look(dot)));
            Rc::clone(looks.borrow_mut().get_or_insert_with(dot.agent.clone(), make))
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
                        special: &|dot| untrack(|| tree.special(dot.id, dot.kind, dot.end)),
                        colours: &colours,
                        typeface: &surface.typeface(),
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
        surface.size.track();
        if !is_due.get_value() {
            is_due.set_value(true);
            request_animation_frame(draw);
        }
    });

    let pointers = StoredValue::new(VecMap::<i32, (f64, f64)>::new());
    let moved = StoredValue::new(0.0_f64);
    let place = move |ev: &PointerEvent| (f64::from(ev.offset_x()), f64::from(ev.offset_y()));
    let down = move |ev: PointerEvent| {
        if ev.button() == 0 && capture(&ev) {
            pointers.update_value(|pointers| pointers.insert(ev.pointer_id(), place(&ev)));
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
        let is_other = |(at, _): &(&i32, &(f64, f64))| **at != id;
        let other = pointers.with_value(|pointers| pointers.iter().find(is_other).map(|(_, place)| *place));
        let shift = (now.0 - before.0, now.1 - before.1);
        moved.update_value(|moved| *moved += shift.0.hypot(shift.1));
        pointers.update_value(|pointers| pointers.insert(id, now));
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
        if let Some(turn) = tree.map.with_untracked(|map| map.turn_at(map.near(lane, row, REACH)?)) {
            let again = tree.at.get_untracked() == Some(turn);
            tree.select(turn);
            if again && untrack(move || tree.folded_here()) > 0 {
                tree.toggle_run();
            }
        }
    };
    let cancel = move |ev: PointerEvent| {
        pointers.update_value(|pointers| pointers.remove(&ev.pointer_id()));
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
        let (lanes, rows) = tree.map.with_untracked(|map| (map.lanes, map.rows));
        tree.camera.update(|camera| *camera = camera.fit(lanes, rows));
    };
    let page = move |sign: f64| {
        tree.camera.update(|camera| *camera = camera.panned(0.0, sign * (camera.height - ROW * camera.zoom)));
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
            "Enter" => focus::soon(FIRST.to_owned()),
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
        let labels: Vec<String> = tree.flags_at(turn).into_iter().map(|flag| reveal(&flag.name)).collect();
        let special = tree.special(dot.id, dot.kind, dot.end);
        words::spoken(&look(&dot).name, &local.clock(dot.at), special, &labels, children)
    };
    let focus = move |is: bool| move |_: FocusEvent| has_focus.set(is);
    let probes_of = COLOURS.map(|name| view! { <i data-name=name></i> });
    let accents =
        Accent::ALL.map(|accent| view! { <i data-name=accent.name() data-accent=accent.name()></i> });
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
            <div class="tree-probes" node_ref=probes aria-hidden="true" on:transitionend=move |_| recoloured.update(|times| *times = times.wrapping_add(1))>{probes_of}{accents}</div>
            <div class="tree-zoom" role="group" aria-label=common::TREE_OF_TURNS>
                {icon_button(icon(icon::NEW)).test("tree-closer").named(common::ZOOM_IN)
                    .on_click(move |_| zoom(STEP))}
                {icon_button(icon(icon::LESS)).test("tree-further").named(common::ZOOM_OUT)
                    .on_click(move |_| zoom(1.0 / STEP))}
                {icon_button(icon(HEAD)).test("tree-to-head").named(words::HEAD)
                    .on_click(move |_| tree.to_head())}
                {icon_button(icon(SIZE)).test("tree-whole").named(words::WHOLE).on_click(move |_| whole())}
            </div>
        </div>
    }
}

/// Card size; the width as a part of its lane's.
const CARD: (f64, f64) = (196.0, 44.0);
/// Minimum zoom for texts on cards.
const READABLE: f64 = 0.55;
const SHAPED: f64 = 0.18;

#[derive(Clone, Debug, PartialEq)]
pub struct AgentLook {
    pub name: String,
    pub accent: &'static str,
}

pub struct TreePicture<'p> {
    pub map: &'p TreeLayout,
    pub camera: Camera,
    pub flags: &'p [SessionFlag],
    pub words: &'p VecMap<TurnId, Arc<str>>,
    pub at: Option<TurnId>,
    pub marked: Option<TurnId>,
    pub look: &'p dyn Fn(&TurnStub) -> Rc<AgentLook>,
    pub time: &'p dyn Fn(&TurnStub) -> String,
    pub special: &'p dyn Fn(&TurnStub) -> Option<&'static str>,
    pub colours: &'p [(String, String)],
    pub typeface: &'p str,
    pub has_focus: bool,
}

impl TreePicture<'_> {
    fn colour(&self, name: &str) -> &str {
        let found = self.colours.iter().find(|(known, _)| known == name);
        found.map_or("gray", |(_, colour)| colour.as_str())
    }

    fn middle(&self, node: &LayoutNode) -> (f64, f64) {
        self.camera.screen(f64::from(node.lane), f64::from(node.row))
    }

    fn size(&self) -> (f64, f64) {
        (CARD.0 * self.camera.zoom, CARD.1 * self.camera.zoom)
    }

    fn is_in_view(&self, node: &LayoutNode) -> bool {
        let (x, _) = self.middle(node);
        let half = LANE * self.camera.zoom;
        x > -half && x < self.camera.width + half
    }

    /// Draws the visible part, and returns the turns whose texts are readable.
    pub fn draw(&self, pen: &CanvasPen) -> Vec<TurnId> {
        let (from, to) = self.camera.rows();
        let in_view: Vec<u32> = self.map.in_rows(from, to).collect();
        self.edges(pen, &in_view);
        let nodes: Vec<&LayoutNode> =
            in_view.iter().filter_map(|at| self.map.node(*at)).filter(|node| self.is_in_view(node)).collect();
        if self.camera.zoom < SHAPED {
            self.bars(pen, &nodes);
            self.rings(pen);
            return Vec::new();
        }
        for node in &nodes {
            self.card(pen, node);
        }
        self.rings(pen);
        self.tags(pen, &nodes);
        if self.camera.zoom < READABLE {
            return Vec::new();
        }
        let turn = |node: &&LayoutNode| match &node.kind {
            LayoutNodeKind::Turn(dot) => self.map.turn(*dot).map(|dot| dot.id),
            LayoutNodeKind::Run(_) => None,
        };
        nodes.iter().filter_map(turn).collect()
    }

    fn edges(&self, pen: &CanvasPen, in_view: &[u32]) {
        let half = self.size().1 / 2.0;
        let width = (1.5 * self.camera.zoom).max(0.75);
        pen.begin();
        for node in in_view.iter().filter_map(|at| self.map.node(*at)) {
            let (x, y) = self.middle(node);
            if let Some(parent) = node.parent.and_then(|parent| self.map.node(parent)) {
                let (above_x, above_y) = self.middle(parent);
                pen.way((above_x, above_y + half), (x, y - half));
            }
        }
        pen.stroke(self.colour("way"), width, false);
        pen.begin();
        for (node, other) in self.map.merges() {
            let (x, y) = self.middle(node);
            let (other_x, other_y) = self.middle(other);
            pen.way((other_x, other_y + half), (x, y - half));
        }
        pen.stroke(self.colour("merge"), width, true);
    }

    /// Zoomed out: a bar per node, batched by colour.
    fn bars(&self, pen: &CanvasPen, nodes: &[&LayoutNode]) {
        let (width, height) = self.size();
        let mut by_accent: VecMap<&'static str, Vec<(f64, f64)>> = VecMap::new();
        for node in nodes {
            let accent = self.first(node).map_or("way", |dot| (self.look)(dot).accent);
            by_accent.get_or_insert_with(accent, Vec::new).push(self.middle(node));
        }
        for (accent, places) in by_accent.iter() {
            pen.begin();
            for (x, y) in places {
                pen.area(x - width / 2.0, y - height / 2.0, width.max(1.5), height.max(1.5), 0.0);
            }
            pen.fill(self.colour(accent));
        }
    }

    fn first(&self, node: &LayoutNode) -> Option<&TurnStub> {
        match &node.kind {
            LayoutNodeKind::Turn(dot) => self.map.turn(*dot),
            LayoutNodeKind::Run(dots) => dots.first().and_then(|dot| self.map.turn(*dot)),
        }
    }

    fn card(&self, pen: &CanvasPen, node: &LayoutNode) {
        let Some(dot) = self.first(node) else { return };
        let ((x, y), (width, height), zoom) = (self.middle(node), self.size(), self.camera.zoom);
        let (left, top, round) = (x - width / 2.0, y - height / 2.0, 7.0 * zoom);
        if let LayoutNodeKind::Run(dots) = &node.kind {
            return self.run(pen, (x, y), dots.len());
        }
        let look = (self.look)(dot);
        let own = self.colour(look.accent);
        let is_special = (self.special)(dot);
        pen.begin();
        pen.area(left, top, width, height, round);
        pen.fill(self.colour("card"));
        let edge = match (dot.kind, is_special) {
            (TurnKind::Compaction | TurnKind::Merge, _) => self.colour("merge"),
            (TurnKind::Normal, Some(_)) => self.colour("trouble"),
            (TurnKind::Normal, None) => self.colour("edge"),
        };
        pen.stroke(edge, 1.0, dot.kind == TurnKind::Compaction);
        pen.begin();
        pen.area(left, top + round, 3.0 * zoom, height - 2.0 * round, 1.5 * zoom);
        pen.fill(own);
        if zoom < READABLE {
            return;
        }
        let text_width = width - 24.0 * zoom;
        let time = (self.time)(dot);
        let font = self.font(12.0, "600");
        let small = self.font(11.0, "400");
        let time_width = pen.width_of(&time, &small);
        let start = left + 12.0 * zoom;
        pen.words(&look.name, (start, y - 9.0 * zoom), &font, own, text_width - time_width - 6.0);
        pen.words(
            &time,
            (left + width - time_width - 10.0 * zoom, y - 9.0 * zoom),
            &small,
            self.colour("soft"),
            text_width,
        );
        let text = self.words.get(&dot.id).map(|words| words.as_ref()).unwrap_or_default();
        let (text, colour) = match is_special {
            Some(special) => (special, self.colour("trouble")),
            None => (text, self.colour("text")),
        };
        let colour = if dot.kind == TurnKind::Normal { colour } else { self.colour("merge") };
        pen.words(text, (start, y + 9.0 * zoom), &small, colour, text_width);
    }

    fn font(&self, size: f64, weight: &str) -> String {
        format!("{weight} {:.1}px {}", size * self.camera.zoom, self.typeface)
    }

    /// A folded run: three stacked cards.
    fn run(&self, pen: &CanvasPen, (x, y): (f64, f64), turns: usize) {
        let (width, height) = self.size();
        let zoom = self.camera.zoom;
        let width = width * 0.72;
        for shift in [6.0, 3.0, 0.0] {
            let shift = shift * zoom;
            let inset = shift * 1.6;
            pen.begin();
            pen.area(
                x - width / 2.0 + inset,
                y - height / 2.0 + shift,
                width - 2.0 * inset,
                height * 0.8,
                6.0 * zoom,
            );
            pen.fill(self.colour("run"));
            pen.stroke(self.colour("edge"), 1.0, false);
        }
        if zoom >= READABLE {
            let (text, font) = (format!("⋮ {}", words::run(turns)), self.font(12.0, "400"));
            let wide = pen.width_of(&text, &font);
            pen.words(&text, (x - wide / 2.0, y - 3.0 * zoom), &font, self.colour("soft"), width);
        }
    }

    /// The sessions, as tags at the lower edge of their heads' cards.
    fn tags(&self, pen: &CanvasPen, nodes: &[&LayoutNode]) {
        let (width, height) = self.size();
        let zoom = self.camera.zoom;
        let font = self.font(10.5, "600");
        for node in nodes {
            let LayoutNodeKind::Turn(dot) = &node.kind else { continue };
            let Some(dot) = self.map.turn(*dot) else { continue };
            let (x, y) = self.middle(node);
            let mut start = x - width / 2.0 + 8.0 * zoom;
            let end = x + width / 2.0 - 4.0 * zoom;
            for flag in self.flags.iter().filter(|flag| flag.head == Some(dot.id)) {
                let text_width = (end - start - 10.0 * zoom).min(130.0 * zoom);
                if text_width < 16.0 * zoom {
                    break;
                }
                let wide = pen.width_of(&flag.name, &font).min(text_width);
                let top = y + height / 2.0 - 3.0 * zoom;
                pen.begin();
                pen.area(start, top, wide + 10.0 * zoom, 15.0 * zoom, 4.0 * zoom);
                pen.fill(self.colour("flag"));
                if zoom >= READABLE {
                    let place = (start + 5.0 * zoom, top + 8.0 * zoom);
                    pen.words(&flag.name, place, &font, self.colour("on-flag"), text_width);
                }
                start += wide + 16.0 * zoom;
            }
        }
    }

    /// Rings around the selected and the marked turn.
    fn rings(&self, pen: &CanvasPen) {
        let ring = |turn: Option<TurnId>, colour: &str, out: f64, dashed: bool| {
            let node = turn.and_then(|turn| self.map.node_of(turn)).and_then(|at| self.map.node(at));
            let Some(node) = node else { return };
            let ((x, y), (width, height)) = (self.middle(node), self.size());
            let (width, height) = (width.max(8.0) + 2.0 * out, height.max(8.0) + 2.0 * out);
            pen.begin();
            pen.area(x - width / 2.0, y - height / 2.0, width, height, 9.0 * self.camera.zoom);
            pen.stroke(colour, 2.0, dashed);
        };
        ring(self.marked, self.colour("flag"), 6.0, true);
        let colour = if self.has_focus { "flag" } else { "soft" };
        ring(self.at, self.colour(colour), 3.0, false);
    }
}

/// Hit tolerance of a click, in lanes and rows.
pub const REACH: f64 = 0.5;
