//! Loads and stores widths and collapsed panes as the setting `panes`. The stylesheet has the default widths.

use leptos::prelude::*;
use serde_json::{Value, json};

use crate::ui::dispatch::Dispatch;
use crate::ui::view_state::Settings;
use nexus_model::settings::schema::PANES;

/// How an outer pane stands.
#[derive(Clone, Copy)]
pub struct PaneState {
    /// Its width in pixels, where the operator chose one.
    pub width: RwSignal<Option<f64>>,
    pub folded: RwSignal<bool>,
}

impl PaneState {
    fn of(kept: Option<&Value>) -> Self {
        let at = |name: &str| kept.and_then(|kept| kept.get(name));
        Self {
            width: RwSignal::new(at("width").and_then(Value::as_f64)),
            folded: RwSignal::new(at("folded").and_then(Value::as_bool).unwrap_or(false)),
        }
    }

    fn value(self) -> Value {
        json!({ "width": self.width.get_untracked(), "folded": self.folded.get_untracked() })
    }
}

/// How the panes stand.
#[derive(Clone, Copy)]
pub struct PaneLayout {
    pub agents: PaneState,
    pub board: PaneState,
    dispatch: Dispatch,
}

impl PaneLayout {
    pub fn load() -> Self {
        let kept = expect_context::<Settings>().value(PANES).get_untracked();
        let side = |name: &str| PaneState::of(kept.as_ref().and_then(|kept| kept.get(name)));
        Self { agents: side("agents"), board: side("board"), dispatch: expect_context::<Dispatch>() }
    }

    pub fn keep(self) {
        self.dispatch
            .set_setting(PANES, json!({ "agents": self.agents.value(), "board": self.board.value() }));
    }
}
