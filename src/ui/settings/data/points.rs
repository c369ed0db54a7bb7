//! The list of restore points. One is restored by importing it like a file.

use crate::ui::kit::prelude::*;
use crate::ui::settings::data::state::BackupState;
use nexus_engine::port::RestorePoint;
use nexus_model::id::Millis;
use nexus_view::strings as all_words;
pub use nexus_view::strings::settings::data as words;

#[component]
pub fn RestorePointsCard(data: BackupState) -> impl IntoMarkup {
    let (points, said) = (RwSignal::new(Vec::<RestorePoint>::new()), RwSignal::new(String::new()));
    let (is_kept, busy) = (RwSignal::new(true), RwSignal::new(false));
    Effect::new(move |_| {
        data.changed.track();
        data.ask(move |desk| async move {
            is_kept.try_set(desk.is_kept());
            match desk.points().await {
                Ok(all) => drop(points.try_set(all)),
                Err(error) => drop(said.try_set(words::store_error(&error))),
            }
        });
    });
    let make = move |_| {
        busy.set(true);
        data.ask(move |desk| async move {
            let outcome = desk.make_point().await;
            busy.try_set(false);
            said.try_set(outcome.err().map(|error| words::store_error(&error)).unwrap_or_default());
            data.note_change();
        });
    };
    let look = move |at: Millis, name: String| {
        data.ask(move |desk| async move {
            match desk.point(at).await {
                Ok(source) => data.look_into(source, name),
                Err(error) => drop(said.try_set(words::store_error(&error))),
            }
        });
    };
    let forget = move |at: Millis| {
        data.ask(move |desk| async move {
            if let Err(error) = desk.drop_point(at).await {
                said.try_set(words::store_error(&error));
            }
            data.note_change();
        });
    };
    let row = move |point: RestorePoint| {
        let RestorePoint { at, bytes, sessions, events } = point;
        let name = at.rfc3339().replace('T', " ").replace('Z', " UTC");
        let ago = all_words::ago(at, data.dispatch.now());
        let shown = name.clone();
        view! {
            <li data-testid="data-point">
                <span class="settings-card-words">
                    <b>
                        <time datetime=at.rfc3339()>{shown}</time>
                        {format!(" · {ago}")}
                    </b>
                    <span class="hint">{words::point(sessions, events, bytes)}</span>
                </span>
                {button(words::POINT_LOOK).test("data-point-look").on_click(move |_| look(at, name.clone()))}
                {button(words::POINT_DROP).test("data-point-drop").on_click(move |_| forget(at))}
            </li>
        }
    };
    let none = move || {
        let words = if is_kept.get() { words::POINTS_NONE } else { words::POINTS_NOT_KEPT };
        points.with(Vec::is_empty).then_some(words)
    };
    view! {
        <div class="settings-card" data-testid="data-points-card">
            <h3>{words::POINTS}</h3>
            <p class="hint">{words::points_about()}</p>
            <ul class="data-list">{keyed_list(move || points.get(), |point| point.at.0, row)}</ul>
            <p class="hint">{none}</p>
            <div class="settings-acts">
                {button(words::POINT_NOW).test("data-point-make")
                    .disabled(move || busy.get() || !is_kept.get()).on_click(make)}
            </div>
            <p class="field-problem" role="alert">{said}</p>
        </div>
    }
}
