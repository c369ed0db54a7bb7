//! Never shows a key, and keeps none.
//!
//! Owns the settings screen: the operator, the providers, the agents. What is changed is kept as its field is left.

pub mod agent;
pub mod field;
pub mod operator;
pub mod provider;

use leptos::prelude::*;

use crate::ui::app::home_path;
use crate::ui::brand::Brand;
use crate::ui::each::Each;
use crate::ui::settings::agent::AgentForm;
use crate::ui::settings::operator::OperatorForm;
use crate::ui::settings::provider::ProviderCard;
use crate::ui::view_state::{Agents, Providers};
use crate::ui::words::settings as words;

/// The settings.
#[component]
pub fn SettingsScreen() -> impl IntoView {
    let (agents, providers) = (expect_context::<Agents>(), expect_context::<Providers>());
    view! { class="n",
        <main class="settings" data-testid="settings">
            <header class="settings-bar">
                <a href=home_path() class="settings-back" title=words::BACK><Brand /></a>
                <h1>{words::TITLE}</h1>
                <p class="hint">{words::KEPT}</p>
                <a href=home_path() class="button">{words::BACK}</a>
            </header>
            <div class="settings-parts">
                <Part title=words::OPERATOR about=words::OPERATOR_ABOUT>
                    <OperatorForm />
                </Part>
                <Part title=words::PROVIDERS about=words::PROVIDERS_ABOUT>
                    <Each
                        each=move || providers.order().get()
                        key=Clone::clone
                        children=move |id| {
                            providers.row(&id).map(|row| view! { class="n", <ProviderCard row agents /> })
                        }
                    />
                </Part>
                <Part title=words::AGENTS about=words::AGENTS_ABOUT>
                    <Each
                        each=move || agents.order().get()
                        key=Clone::clone
                        children=move |key| {
                            agents.row(&key).map(|row| view! { class="n", <AgentForm row agents providers /> })
                        }
                    />
                </Part>
            </div>
        </main>
    }
}

/// A part of the settings.
#[component]
fn Part(title: &'static str, about: &'static str, children: Children) -> impl IntoView {
    view! { class="n",
        <section class="settings-part" aria-label=title>
            <header>
                <h2>{title}</h2>
                <p class="hint">{about}</p>
            </header>
            <div class="settings-cards">{children()}</div>
        </section>
    }
}
