//! A search result: what it is, why it matches, and what selecting it does.

use crate::ui::dispatch::Destination;
use crate::ui::prelude::*;
use nexus_engine::queries::search::{SearchResult, SearchService, SessionInfo};
use nexus_model::id::ToolRunId;
use nexus_model::search_index::{ExcerptSpan, SearchLocation};
use nexus_model::session::recipients::{MatchReason, ThreadMatch};
use nexus_model::session::{SessionFilter, Target, shown_name};
use nexus_view::strings::{ago, search as words};

#[derive(Clone, Debug)]
pub enum ResultAction {
    Open(SessionId, SearchLocation, Option<TurnId>, Option<ToolRunId>),
    Head(Destination),
}

#[derive(Clone, Debug)]
pub struct ResultRow {
    label: String,
    why: String,
    facts: Vec<String>,
    pieces: Vec<ExcerptSpan>,
    pub pick: ResultAction,
}

fn facts(about: &SessionInfo, at: Millis, now: Millis) -> Vec<String> {
    let archived = (about.filter == SessionFilter::Archived).then(|| words::ARCHIVED.to_owned());
    archived.into_iter().chain([ago(at, now)]).collect()
}

fn name_of(about: &SessionInfo) -> String {
    shown_name(&about.label, about.title.as_deref()).into_owned()
}

pub fn of_hit(shown: SearchResult, of: usize, now: Millis, agents: Agents) -> ResultRow {
    let field = match &shown.tool {
        Some(tool) => words::tool(&tool.name, tool.is_result),
        None => words::field(shown.hit.place.field()).to_owned(),
    };
    let said_by = shown.role.map(|role| {
        let agent = shown.agent.as_ref().map(|key| agents.name_untracked(key));
        words::author(role, agent.as_deref())
    });
    let mut facts_told = vec![words::of_words(shown.hit.found, of)];
    facts_told.extend(said_by);
    facts_told.extend(facts(&shown.about, shown.hit.at, now));
    ResultRow {
        label: name_of(&shown.about),
        why: field,
        facts: facts_told,
        pieces: shown.pieces,
        pick: ResultAction::Open(
            shown.hit.session,
            shown.hit.place,
            shown.turn,
            shown.tool.and_then(|tool| tool.run),
        ),
    }
}

pub fn of_thread(shown: SearchResult, places: usize, of: usize, now: Millis, agents: Agents) -> ResultRow {
    let why = words::by_find(shown.hit.place.field(), places);
    let destination = Destination {
        session: shown.hit.session,
        turn: None,
        target: Target::All,
        label: name_of(&shown.about),
        why: why.clone(),
    };
    ResultRow { why, pick: ResultAction::Head(destination), ..of_hit(shown, of, now, agents) }
}

/// The row of a thread that the query names; `None` if the thread is gone.
pub fn of_way(
    way: ThreadMatch,
    search_service: &SearchService,
    now: Millis,
    agents: Agents,
) -> Option<ResultRow> {
    let about = search_service.about(way.session)?;
    let why = match &way.why {
        MatchReason::Thread => words::BY_THREAD.to_owned(),
        MatchReason::Turn => words::BY_TURN.to_owned(),
        MatchReason::Label => words::BY_LABEL.to_owned(),
        MatchReason::Persona(agent, main) => {
            words::agent_session_reason(&agents.name_untracked(agent), *main)
        }
    };
    let destination = Destination {
        session: way.session,
        turn: way.turn,
        target: way.target,
        label: about.label.clone(),
        why: why.clone(),
    };
    let title = about.title.clone().map(|title| (false, title));
    Some(ResultRow {
        why,
        facts: facts(&about, about.last_at, now),
        label: about.label,
        pieces: title.into_iter().collect(),
        pick: ResultAction::Head(destination),
    })
}

#[component]
pub fn ResultLine(
    row: ResultRow,
    at: usize,
    chosen: RwSignal<usize>,
    run: impl Fn() + 'static,
) -> impl IntoMarkup {
    let ResultRow { label, why, facts, pieces, .. } = row;
    let pieces = pieces.into_iter().map(|(is_found, text)| (is_found, reveal(&text).to_string()));
    let line = view! {
        <span class="finder-label" dir="auto">{reveal(&label).to_string()}</span>
        <span class="tag finder-why">{why}</span>
        <span class="finder-text" dir="auto">{marked(pieces)}</span>
        <span class="finder-facts">{facts.join(" · ")}</span>
    };
    list_option("palette-row finder-row", line, move || (chosen.get() == at).to_string())
        .id(format!("finder-{at}"))
        .test("finder-row")
        .on_click(move |_| run())
}
