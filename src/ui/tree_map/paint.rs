//! Draws the visible part of the tree: cards, runs, flags, forks and merges; bars and dots when zoomed out.

use std::rc::Rc;
use std::sync::Arc;

use crate::ui::hooks::canvas::CanvasPen;
use nexus_engine::queries::tree::SessionFlag;
use nexus_model::id::TurnId;
use nexus_model::turn::TurnKind;
use nexus_model::turn::tree::TurnStub;
use nexus_text::vec_map::VecMap;
use nexus_view::strings::tree_layout as words;
use nexus_view::tree_layout::camera::{Camera, LANE, ROW};
use nexus_view::tree_layout::{LayoutNode, LayoutNodeKind, TreeLayout};

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
    pub colours: &'p [(String, String)],
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
            let mut here = by_accent.remove(&accent).unwrap_or_default();
            here.push(self.middle(node));
            by_accent.insert(accent, here);
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
        let is_special = words::special(dot.kind, dot.end);
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
        format!("{weight} {:.1}px system-ui, \"Segoe UI\", Roboto, sans-serif", size * self.camera.zoom)
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
                let wide = pen.width_of(&flag.label, &font).min(text_width);
                let top = y + height / 2.0 - 6.0 * zoom;
                pen.begin();
                pen.area(start, top, wide + 10.0 * zoom, 15.0 * zoom, 4.0 * zoom);
                pen.fill(self.colour("flag"));
                if zoom >= READABLE {
                    let place = (start + 5.0 * zoom, top + 8.0 * zoom);
                    pen.words(&flag.label, place, &font, self.colour("on-flag"), text_width);
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

/// Row height, in screen pixels.
pub fn row_height(camera: Camera) -> f64 {
    ROW * camera.zoom
}
