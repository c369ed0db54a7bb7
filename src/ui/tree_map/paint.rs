//! Draws the tree in view: cards, runs, flags, forks and merges; bars and dots when zoomed out.

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

/// How wide a card is, of the width of its lane.
const CARD: (f64, f64) = (196.0, 44.0);
/// From which size on cards have words.
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

    fn middle(&self, spot: &LayoutNode) -> (f64, f64) {
        self.camera.screen(f64::from(spot.lane), f64::from(spot.row))
    }

    fn size(&self) -> (f64, f64) {
        (CARD.0 * self.camera.zoom, CARD.1 * self.camera.zoom)
    }

    fn is_in_view(&self, spot: &LayoutNode) -> bool {
        let (x, _) = self.middle(spot);
        let half = LANE * self.camera.zoom;
        x > -half && x < self.camera.width + half
    }

    /// Draws all that is in view, and says which turns' words can be read.
    pub fn draw(&self, pen: &CanvasPen) -> Vec<TurnId> {
        let (from, to) = self.camera.rows();
        let in_view: Vec<u32> = self.map.in_rows(from, to).collect();
        self.ways(pen, &in_view);
        let spots: Vec<&LayoutNode> =
            in_view.iter().filter_map(|at| self.map.spot(*at)).filter(|spot| self.is_in_view(spot)).collect();
        if self.camera.zoom < SHAPED {
            self.bars(pen, &spots);
            self.rings(pen);
            return Vec::new();
        }
        for spot in &spots {
            self.card(pen, spot);
        }
        self.rings(pen);
        self.tags(pen, &spots);
        if self.camera.zoom < READABLE {
            return Vec::new();
        }
        let turn = |spot: &&LayoutNode| match &spot.stands {
            LayoutNodeKind::Turn(dot) => self.map.dot(*dot).map(|dot| dot.id),
            LayoutNodeKind::Run(_) => None,
        };
        spots.iter().filter_map(turn).collect()
    }

    fn ways(&self, pen: &CanvasPen, in_view: &[u32]) {
        let half = self.size().1 / 2.0;
        let width = (1.5 * self.camera.zoom).max(0.75);
        pen.begin();
        for spot in in_view.iter().filter_map(|at| self.map.spot(*at)) {
            let (x, y) = self.middle(spot);
            if let Some(parent) = spot.parent.and_then(|parent| self.map.spot(parent)) {
                let (above_x, above_y) = self.middle(parent);
                pen.way((above_x, above_y + half), (x, y - half));
            }
        }
        pen.stroke(self.colour("way"), width, false);
        pen.begin();
        for (spot, other) in self.map.merges() {
            let (x, y) = self.middle(spot);
            let (other_x, other_y) = self.middle(other);
            pen.way((other_x, other_y + half), (x, y - half));
        }
        pen.stroke(self.colour("merge"), width, true);
    }

    /// From afar: a bar for each spot, all of one colour together.
    fn bars(&self, pen: &CanvasPen, spots: &[&LayoutNode]) {
        let (width, height) = self.size();
        let mut by_accent: VecMap<&'static str, Vec<(f64, f64)>> = VecMap::new();
        for spot in spots {
            let accent = self.first(spot).map_or("way", |dot| (self.look)(dot).accent);
            let mut here = by_accent.remove(&accent).unwrap_or_default();
            here.push(self.middle(spot));
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

    fn first(&self, spot: &LayoutNode) -> Option<&TurnStub> {
        match &spot.stands {
            LayoutNodeKind::Turn(dot) => self.map.dot(*dot),
            LayoutNodeKind::Run(dots) => dots.first().and_then(|dot| self.map.dot(*dot)),
        }
    }

    fn card(&self, pen: &CanvasPen, spot: &LayoutNode) {
        let Some(dot) = self.first(spot) else { return };
        let ((x, y), (width, height), zoom) = (self.middle(spot), self.size(), self.camera.zoom);
        let (left, top, round) = (x - width / 2.0, y - height / 2.0, 7.0 * zoom);
        if let LayoutNodeKind::Run(dots) = &spot.stands {
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
        let room = width - 24.0 * zoom;
        let time = (self.time)(dot);
        let font = self.font(12.0, "600");
        let small = self.font(11.0, "400");
        let time_width = pen.width_of(&time, &small);
        let start = left + 12.0 * zoom;
        pen.words(&look.name, (start, y - 9.0 * zoom), &font, own, room - time_width - 6.0);
        pen.words(
            &time,
            (left + width - time_width - 10.0 * zoom, y - 9.0 * zoom),
            &small,
            self.colour("soft"),
            room,
        );
        let said = self.words.get(&dot.id).map(|words| words.as_ref()).unwrap_or_default();
        let (said, colour) = match is_special {
            Some(special) => (special, self.colour("trouble")),
            None => (said, self.colour("text")),
        };
        let colour = if dot.kind == TurnKind::Normal { colour } else { self.colour("merge") };
        pen.words(said, (start, y + 9.0 * zoom), &small, colour, room);
    }

    fn font(&self, size: f64, weight: &str) -> String {
        format!("{weight} {:.1}px system-ui, \"Segoe UI\", Roboto, sans-serif", size * self.camera.zoom)
    }

    /// A run that is folded away: three cards behind one another.
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

    /// The sessions, at the lower edge of the cards of their heads.
    fn tags(&self, pen: &CanvasPen, spots: &[&LayoutNode]) {
        let (width, height) = self.size();
        let zoom = self.camera.zoom;
        let font = self.font(10.5, "600");
        for spot in spots {
            let LayoutNodeKind::Turn(dot) = &spot.stands else { continue };
            let Some(dot) = self.map.dot(*dot) else { continue };
            let (x, y) = self.middle(spot);
            let mut start = x - width / 2.0 + 8.0 * zoom;
            let end = x + width / 2.0 - 4.0 * zoom;
            for flag in self.flags.iter().filter(|flag| flag.head == Some(dot.id)) {
                let room = (end - start - 10.0 * zoom).min(130.0 * zoom);
                if room < 16.0 * zoom {
                    break;
                }
                let wide = pen.width_of(&flag.label, &font).min(room);
                let top = y + height / 2.0 - 6.0 * zoom;
                pen.begin();
                pen.area(start, top, wide + 10.0 * zoom, 15.0 * zoom, 4.0 * zoom);
                pen.fill(self.colour("flag"));
                if zoom >= READABLE {
                    let place = (start + 5.0 * zoom, top + 8.0 * zoom);
                    pen.words(&flag.label, place, &font, self.colour("on-flag"), room);
                }
                start += wide + 16.0 * zoom;
            }
        }
    }

    /// The rings around what is looked at, and what is to be compared.
    fn rings(&self, pen: &CanvasPen) {
        let ring = |turn: Option<TurnId>, colour: &str, out: f64, dashed: bool| {
            let spot = turn.and_then(|turn| self.map.spot_of(turn)).and_then(|at| self.map.spot(at));
            let Some(spot) = spot else { return };
            let ((x, y), (width, height)) = (self.middle(spot), self.size());
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

/// How far from a card a click still hits it, in lanes and rows.
pub const REACH: f64 = 0.5;

/// How high a row is drawn, in pixels of the screen.
pub fn row_height(camera: Camera) -> f64 {
    ROW * camera.zoom
}
