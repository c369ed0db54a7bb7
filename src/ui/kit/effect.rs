//! Effects and memos that end whole: they leave what they read when their owner is gone.
//!
//! `reactive_graph` keeps what is gone among the subscribers of what it read, and in a memo for ever: a selector that
//! stands as long as the page would hold every row that ever read it, and walk through all of them at each change.

use leptos::prelude::on_cleanup;
use leptos::reactive::effect::EffectFunction;
use leptos::reactive::graph::{AnySubscriber, Subscriber as _, ToAnySubscriber as _};

use crate::ui::kit::call::CallMut;

/// What runs again when something that it reads has changed.
pub struct Effect;

impl Effect {
    /// Runs `run` soon, and after each change of what it reads until its owner is gone.
    #[expect(clippy::new_ret_no_self, reason = "called as that of Leptos, whose place it takes")]
    pub fn new<T: 'static, M>(mut run: impl EffectFunction<T, M> + 'static) {
        let mut before = None;
        begin(Box::new(move |()| before = Some(run.run(before.take()))));
    }
}

/// Leptos compiles an effect anew for each closure; this is the one of all.
#[inline(never)]
fn begin(mut run: Box<dyn CallMut<(), ()>>) {
    let run = move || run.run_mut(());
    leave_at_cleanup(leptos::prelude::Effect::new(run).to_any_subscriber());
}

/// When the present owner is cleaned up, nothing that the subscriber reads holds it any longer.
#[inline(never)]
pub(super) fn leave_at_cleanup(subscriber: AnySubscriber) {
    on_cleanup(move || leave(&subscriber));
}

/// Takes a subscriber from all that it reads.
pub(super) fn leave(subscriber: &AnySubscriber) {
    subscriber.clear_sources(subscriber);
}
