//! What every component may use, as one context.

use crate::ui::kit::prelude::*;
use crate::ui::tree_map::history_links::HistoryContext;
use crate::ui::view_state::{
    Activity, Agents, Conversation, CoreView, Drafts, LiveText, MindView, Notices, ProjectorMessage,
    Providers, RunView, Sessions, Settings, WorldReader,
};
use futures_channel::mpsc::UnboundedSender;
use nexus_engine::client::EngineClient;
use nexus_engine::port::Clock;
use nexus_model::id::{IdSource, Millis, SessionId};
use nexus_model::world::World;
use nexus_view::local_time::LocalTime;
use nexus_view::shortcuts::ShortcutAction;

const TICK: Duration = Duration::from_secs(1);

/// The view state, and how to send commands and to read history. Passed by reference: handlers and components copy
/// what they use. Created once, at the mount, so that its signals live as long as the page.
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
    pub fn new(
        world: &Rc<RefCell<World>>,
        focus: SessionId,
        dispatch: Dispatch,
        history: HistoryContext,
        local: LocalTime,
    ) -> &'static Self {
        let world = WorldReader::new(world);
        let sessions = Sessions::new(world, focus);
        let focus = sessions.focus;
        let agents = Agents::new(world, focus);
        let now = RwSignal::new(dispatch.now());
        // Fails only without a window.
        if let Ok(timer) = set_interval_with_handle(move || now.set(dispatch.now()), TICK) {
            on_cleanup(move || timer.clear());
        }
        let page: &'static Self = Box::leak(Box::new(Self {
            activity: Activity::default(),
            agents,
            conversation: Conversation::new(world, focus, dispatch.clock(), local),
            core: CoreView::new(world, focus),
            dispatch,
            drafts: Drafts::default(),
            history,
            keyboard: RwSignal::new(None),
            live_text: LiveText::default(),
            local,
            mind: MindView::new(world, focus),
            notices: Notices::new(sessions, agents),
            now: now.into(),
            providers: Providers::new(world, &dispatch.engine().keys),
            run: RunView::new(world, focus),
            sessions,
            settings: Settings::new(world),
            world,
        }));
        dispatch.0.update_value(|state| state.page = Some(page));
        page
    }
}

/// Sends commands of the screens to the engine, and shows why one was rejected. Its methods are in `ui::dispatch`.
#[derive(Clone, Copy)]
pub struct Dispatch(pub(super) StoredValue<DispatchState>);

pub(super) struct DispatchState {
    pub(super) handle: EngineClient,
    pub(super) clock: SendWrapper<Rc<dyn Clock>>,
    pub(super) ids: SendWrapper<Rc<RefCell<dyn IdSource>>>,
    pub(super) projector: UnboundedSender<ProjectorMessage>,
    /// The session that was in view when it was removed, and the one that was opened instead.
    pub(super) left: Option<(SessionId, SessionId)>,
    /// Each has the other; the page fills it in.
    pub(super) page: Option<&'static Page>,
}
