//! Types that can be a child or an attribute's value.

use std::borrow::Cow;
use std::iter::Map;
use std::sync::Arc;

use leptos::prelude::*;

use super::{Element, Markup, Scalar, Source};
use crate::ui::kit::selector::Selector;
use crate::ui::kit::signal::RwSignal;

pub trait IntoMarkup {
    fn into_markup(self) -> Markup;
}

pub trait IntoSource {
    fn into_source(self) -> Source;
}

impl IntoMarkup for Markup {
    fn into_markup(self) -> Markup {
        self
    }
}

impl IntoMarkup for Box<Element> {
    fn into_markup(self) -> Markup {
        self.done()
    }
}

impl IntoMarkup for () {
    fn into_markup(self) -> Markup {
        Markup::Empty
    }
}

impl IntoMarkup for Cow<'static, str> {
    fn into_markup(self) -> Markup {
        Markup::Text(self)
    }
}

impl<T: IntoMarkup> IntoMarkup for Option<T> {
    fn into_markup(self) -> Markup {
        self.map(T::into_markup).unwrap_or_default()
    }
}

impl<T: IntoMarkup> IntoMarkup for Vec<T> {
    fn into_markup(self) -> Markup {
        Markup::List(self.into_iter().map(T::into_markup).collect())
    }
}

impl<T: IntoMarkup, const N: usize> IntoMarkup for [T; N] {
    fn into_markup(self) -> Markup {
        Markup::List(self.into_iter().map(T::into_markup).collect())
    }
}

impl<I: Iterator, F: FnMut(I::Item) -> T, T: IntoMarkup> IntoMarkup for Map<I, F> {
    fn into_markup(self) -> Markup {
        Markup::List(Iterator::map(self, T::into_markup).collect())
    }
}

impl<F: FnMut() -> T + Send + 'static, T: IntoMarkup> IntoMarkup for F {
    fn into_markup(mut self) -> Markup {
        Markup::Live(Box::new(move |()| self().into_markup()))
    }
}

impl IntoSource for Scalar {
    fn into_source(self) -> Source {
        Source::Fixed(self)
    }
}

impl IntoSource for Source {
    fn into_source(self) -> Source {
        self
    }
}

impl IntoSource for bool {
    fn into_source(self) -> Source {
        Source::Fixed(Scalar::Flag(self))
    }
}

impl IntoSource for Cow<'static, str> {
    fn into_source(self) -> Source {
        Source::Fixed(Scalar::Text(self))
    }
}

impl<T: IntoSource> IntoSource for Option<T> {
    fn into_source(self) -> Source {
        self.map_or(Source::Fixed(Scalar::None), T::into_source)
    }
}

impl<F: FnMut() -> T + Send + 'static, T: IntoSource> IntoSource for F {
    fn into_source(mut self) -> Source {
        Source::Live(Box::new(move |()| self().into_source()))
    }
}

macro_rules! text {
    ($($type:ty: $from:expr),+) => {$(
        impl IntoMarkup for $type {
            fn into_markup(self) -> Markup {
                let from: fn($type) -> Cow<'static, str> = $from;
                Markup::Text(from(self))
            }
        }

        impl IntoSource for $type {
            fn into_source(self) -> Source {
                let from: fn($type) -> Cow<'static, str> = $from;
                Source::Fixed(Scalar::Text(from(self)))
            }
        }
    )+};
}

text! {
    &'static str: Cow::Borrowed,
    nexus_view::language::Text: Cow::from,
    String: Cow::Owned,
    Arc<str>: |text| Cow::Owned(text.as_ref().to_owned()),
    u32: |value| Cow::Owned(value.to_string()),
    u64: |value| Cow::Owned(value.to_string()),
    usize: |value| Cow::Owned(value.to_string())
}

macro_rules! signal {
    ($($type:ident),+) => {$(
        impl<T: IntoMarkup + Clone + Send + Sync + 'static> IntoMarkup for $type<T> {
            fn into_markup(self) -> Markup {
                Markup::Live(Box::new(move |()| self.get().into_markup()))
            }
        }

        impl<T: IntoSource + Clone + Send + Sync + 'static> IntoSource for $type<T> {
            fn into_source(self) -> Source {
                Source::Live(Box::new(move |()| self.get().into_source()))
            }
        }
    )+};
}

signal!(Selector, RwSignal, ArcRwSignal);
