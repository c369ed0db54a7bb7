//! What every component may use, as one context.

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::tree_map::history_links::HistoryContext;
use crate::ui::view_state::{
    Activity, Agents, Conversation, CoreView, Drafts, LiveText, MindView, Notices, Providers, RunView,
    Sessions, Settings, ViewState, WorldReader,
};
use nexus_model::id::Millis;
use nexus_view::local_time::LocalTime;
use nexus_view::shortcuts::ShortcutAction;

const TICK: Duration = Duration::from_secs(1);

/// The parts of the view state, and how to send commands and to read history. Passed by reference: handlers and
/// components copy what they use.
pub struct Page {
    pub activity: Activity,
    pub agents: Agents,
    pub conversation: Conversation,
    pub core: CoreView,
    pub dispatch: Dispatch,
    pub drafts: Drafts,
    pub history: HistoryContext,
    /// The requested shortcut while it is in progress: palette and sheet as long as they are open, others for a moment.
    pub keyboard: RwSignal<Option<ShortcutAction>>,
    pub live_text: LiveText,
    pub local: LocalTime,
    pub mind: MindView,
    pub notices: Notices,
    /// The current time, updated every second.
    pub now: Selector<Millis>,
    pub providers: Providers,
    pub run: RunView,
    pub sessions: Sessions,
    pub settings: Settings,
    pub world: WorldReader,
}

impl Page {
    /// Lives as long as the page.
    pub(crate) fn new(dispatch: Dispatch, history: HistoryContext, local: LocalTime) -> &'static Self {
        let ViewState { activity, agents, conversation, core, drafts, live_text, mind, .. } = dispatch.view();
        let ViewState { notices, providers, run, sessions, settings, world, .. } = dispatch.view();
        let now = RwSignal::new(dispatch.now());
        // Fails only without a window.
        if let Ok(timer) = set_interval_with_handle(move || now.set(dispatch.now()), TICK) {
            on_cleanup(move || timer.clear());
        }
        Box::leak(Box::new(Self {
            activity,
            agents,
            conversation,
            core,
            dispatch,
            drafts,
            history,
            keyboard: RwSignal::new(None),
            live_text,
            local,
            mind,
            notices,
            now: now.into(),
            providers,
            run,
            sessions,
            settings,
            world,
        }))
    }
}
