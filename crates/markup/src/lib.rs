//! The macros `view!` (markup as calls of `ui::kit::markup`), `#[component]` (a component from a function), `text!`
//! (an interface text with values) and `#[sparse]` (for stored rows).
//!
//! The syntax is that of Leptos's `view!`, as far as the screens need it: elements, text, `{blocks}`, components with
//! properties and children, `on:`, `prop:`, `style:`, `node_ref`. `<Show when=…>` is built in. Attributes with literal
//! values become a table in the data section, each other attribute a call.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use rstml::node::{Infallible, KeyedAttribute, Node, NodeAttribute, NodeElement};
use syn::spanned::Spanned as _;

/// Builds a `Markup`.
#[proc_macro]
pub fn view(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let parser = rstml::Parser::new(rstml::ParserConfig::default().recover_block(true));
    let (nodes, errors) = parser.parse_recoverable(TokenStream::from(tokens)).split_vec();
    let errors = errors.into_iter().map(|error| error.emit_as_expr_tokens());
    let markup = fragment(&nodes, false);
    quote!({ #(#errors;)* #[allow(unused_braces, reason = "a value in braces is one")] #markup }).into()
}

/// Writes a stored row without its empty fields: an empty `Option`, `Vec` or `VecMap` and a false `bool` are omitted, and may
/// be absent when read. A field with `#[whole]` is always written; one with a serde default of its own stays as it is.
#[proc_macro_attribute]
pub fn sparse(_: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let mut item = syn::parse_macro_input!(item as syn::Item);
    if let syn::Item::Struct(row) = &mut item {
        row.fields.iter_mut().for_each(omit_if_empty);
    } else if let syn::Item::Enum(row) = &mut item {
        row.variants.iter_mut().flat_map(|kind| &mut kind.fields).for_each(omit_if_empty);
    }
    quote!(#item).into()
}

fn omit_if_empty(field: &mut syn::Field) {
    let attributes = field.attrs.len();
    field.attrs.retain(|attribute| !attribute.path().is_ident("whole"));
    let is_own = |attribute: &syn::Attribute| {
        attribute.path().is_ident("serde") && attribute.to_token_stream().to_string().contains("default")
    };
    let syn::Type::Path(kind) = &field.ty else { return };
    let Some(kind) = kind.path.segments.last().filter(|_| field.ident.is_some()) else { return };
    let is_empty = match kind.ident.to_string().as_str() {
        "Option" => "Option::is_none",
        "Vec" => "Vec::is_empty",
        "VecMap" => "VecMap::is_empty",
        "bool" => "::std::ops::Not::not",
        _ => return,
    };
    if field.attrs.len() == attributes && !field.attrs.iter().any(is_own) {
        field.attrs.push(syn::parse_quote!(#[serde(default, skip_serializing_if = #is_empty)]));
    }
}

/// A single node as it is, several as a list.
fn fragment(nodes: &[Node], svg: bool) -> TokenStream {
    let mut nodes: Vec<_> = nodes.iter().filter_map(|child| node(child, svg)).collect();
    match nodes.len() {
        1 => {
            let one = nodes.remove(0);
            quote!(crate::ui::kit::markup::IntoMarkup::into_markup(#one))
        }
        _ => quote!(crate::ui::kit::markup::list(::std::vec![
            #(crate::ui::kit::markup::IntoMarkup::into_markup(#nodes)),*
        ])),
    }
}

/// An expression that implements `IntoMarkup`; `None` for a comment.
fn node(node: &Node, svg: bool) -> Option<TokenStream> {
    Some(match node {
        Node::Comment(_) | Node::Doctype(_) => return None,
        Node::Fragment(inner) => fragment(&inner.children, svg),
        Node::Element(one) => match attributes(one) {
            Ok(attributes) if is_component(one) => component_node(one, &attributes, svg),
            Ok(attributes) => element(one, &attributes, svg),
            Err(error) => quote!({ #error }),
        },
        Node::Block(block) => quote!(#block),
        Node::Text(text) => {
            let text = &text.value;
            quote!(#text)
        }
        Node::RawText(text) => {
            let text = text.to_string_best();
            quote!(#text)
        }
        Node::Custom(never) => quote!(#never),
    })
}

fn is_component(element: &NodeElement<Infallible>) -> bool {
    let name = element.name().to_string();
    let last = name.rsplit("::").next().unwrap_or_default();
    last.starts_with(|first: char| first.is_ascii_uppercase())
}

fn attributes(element: &NodeElement<Infallible>) -> Result<Vec<&KeyedAttribute>, TokenStream> {
    let attributes = element.attributes().iter().map(|attribute| match attribute {
        NodeAttribute::Attribute(attribute) => Ok(attribute),
        NodeAttribute::Block(block) => Err(error(block.span(), "attributes cannot be spread")),
    });
    attributes.collect()
}

fn error(span: Span, message: &str) -> TokenStream {
    let error = syn::Error::new(span, message).into_compile_error();
    quote!(#error;)
}

fn element(element: &NodeElement<Infallible>, attributes: &[&KeyedAttribute], svg: bool) -> TokenStream {
    let tag = element.name().to_string();
    let svg = svg
        || matches!(tag.as_str(), "svg" | "path" | "circle" | "g" | "rect" | "line" | "text" | "polyline");
    let made = format_ident!("made", span = Span::mixed_site());
    let (mut fixed, mut calls) = (Vec::new(), Vec::new());
    for attribute in attributes {
        let key = attribute.key.to_string();
        let key = key.strip_prefix("r#").unwrap_or(&key);
        let Some(value) = attribute.value() else {
            fixed.push(quote!((#key, "")));
            continue;
        };
        let span = attribute.key.span();
        let (kind, name) = key.split_once(':').unwrap_or(("", key));
        calls.push(match kind {
            "" if name == "node_ref" => quote_spanned!(span=> #made.reference(#value);),
            "" => match attribute.value_literal_string() {
                // `true` and `false` decide whether the attribute is present.
                Some(text) if !matches!(text.as_str(), "true" | "false") || is_text(value) => {
                    fixed.push(quote!((#name, #text)));
                    continue;
                }
                _ => quote_spanned!(span=> #made.attribute(#name, #value);),
            },
            "on" => {
                let event = match name {
                    // Leptos has no name for it.
                    "cancel" => quote!(::leptos::ev::Custom::<::leptos::web_sys::Event>::new(#name)),
                    _ => {
                        let name = format_ident!("{name}");
                        quote!(::leptos::ev::#name)
                    }
                };
                quote_spanned!(span=> #made.on(#name, #event, #value);)
            }
            "prop" => quote_spanned!(span=> #made.property(#name, #value);),
            "style" => quote_spanned!(span=> #made.style(#name, #value);),
            _ => error(span, "an attribute is plain, `on:`, `prop:` or `style:`"),
        });
    }
    let children = element.children.iter().filter_map(|child| node(child, svg));
    let new = if svg { quote!(svg) } else { quote!(new) };
    quote!({
        let mut #made = crate::ui::kit::markup::Element::#new(#tag, &[#(#fixed),*]);
        #(#calls)*
        #(#made.child(#children);)*
        #made.done()
    })
}

fn is_text(value: &syn::Expr) -> bool {
    matches!(value, syn::Expr::Lit(literal) if matches!(literal.lit, syn::Lit::Str(_)))
}

fn component_node(
    element: &NodeElement<Infallible>,
    attributes: &[&KeyedAttribute],
    svg: bool,
) -> TokenStream {
    let name = element.name();
    let properties = attributes.iter().map(|attribute| {
        let key = &attribute.key;
        (key, attribute.value().map_or_else(|| quote!(#key), |value| quote!(#value)))
    });
    let properties: Vec<_> = properties.collect();
    let children = (!element.children.is_empty()).then(|| fragment(&element.children, svg));
    if name.to_string() == "Show" {
        let of = |wanted: &str| {
            properties.iter().find(|(key, _)| key.to_string() == wanted).map(|(_, value)| value)
        };
        let (Some(when), Some(children)) = (of("when"), children) else {
            return error(name.span(), "`Show` needs `when` and children");
        };
        return match of("fallback") {
            Some(fallback) => quote!(crate::ui::kit::markup::show_or(#when, move || #children, #fallback)),
            None => quote!(crate::ui::kit::markup::show(#when, move || #children)),
        };
    }
    let fields = properties.iter().map(|(key, value)| quote_spanned!(key.span()=> #key: #value,));
    let children = children.map(|children| quote!(children: ::leptos::prelude::untrack(|| #children),));
    quote!(crate::ui::kit::markup::Component::draw(#name { #(#fields)* #children }))
}

/// An interface text with values, as for `format!`, in the chosen language (`nexus_view::language`). The English text
/// is the key of its translation; a place without a name is numbered.
#[proc_macro]
pub fn text(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let Template { text, values } = syn::parse_macro_input!(tokens as Template);
    let text = syn::LitStr::new(&text, Span::call_site());
    quote!(::nexus_view::language::fill(#text, &[#(&(#values)),*])).into()
}

/// The input of `text!`: the template with a name in each place, and the value of each place.
struct Template {
    text: String,
    values: Vec<TokenStream>,
}

impl syn::parse::Parse for Template {
    fn parse(input: syn::parse::ParseStream) -> syn::Result<Self> {
        let literal: syn::LitStr = input.parse()?;
        let mut given = Vec::new();
        while !input.is_empty() {
            input.parse::<syn::Token![,]>()?;
            if !input.is_empty() {
                given.push(input.parse::<syn::Expr>()?.into_token_stream());
            }
        }
        let (mut text, mut values, mut numbered) = (String::new(), Vec::new(), 0);
        let (whole, wrong) = (literal.value(), |why: &str| syn::Error::new(literal.span(), why));
        let mut rest = whole.as_str();
        while let Some((before, place)) = rest.split_once('{') {
            let (name, after) = place.split_once('}').ok_or_else(|| wrong("a place without an end"))?;
            let name = if name.is_empty() {
                values.push(given.get(numbered).ok_or_else(|| wrong("a place without a value"))?.clone());
                numbered += 1;
                (numbered - 1).to_string()
            } else {
                let name = syn::parse_str::<syn::Ident>(name).map_err(|_| {
                    wrong("a place is empty or has the name of a variable; write its form before")
                })?;
                let value = syn::Ident::new(&name.to_string(), literal.span());
                values.push(quote!(#value));
                name.to_string()
            };
            text.push_str(&format!("{before}{{{name}}}"));
            rest = after;
        }
        if numbered < given.len() {
            return Err(wrong("a value without a place"));
        }
        Ok(Self { text: text + rest, values })
    }
}

/// Turns a function into a component: a struct with its parameters as fields, which `view!` fills in and draws. Reads
/// while it is drawn are not tracked.
#[proc_macro_attribute]
pub fn component(_: proc_macro::TokenStream, tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let mut function = syn::parse_macro_input!(tokens as syn::ItemFn);
    let (about, vis) = (
        std::mem::take(&mut function.attrs),
        std::mem::replace(&mut function.vis, syn::Visibility::Inherited),
    );
    let name = std::mem::replace(&mut function.sig.ident, format_ident!("draw"));
    let (mut names, mut fields, mut generics) = (Vec::new(), Vec::new(), Vec::new());
    for input in &mut function.sig.inputs {
        let syn::FnArg::Typed(input) = input else { continue };
        let syn::Pat::Ident(field) = &*input.pat else {
            return error(input.pat.span(), "a property is a name").into();
        };
        let (field, about) = (field.ident.clone(), std::mem::take(&mut input.attrs));
        let kind = if let syn::Type::ImplTrait(kind) = &*input.ty {
            // Each is a distinct type, which the struct must name.
            let (parameter, bounds) = (format_ident!("T{}", generics.len()), &kind.bounds);
            generics.push((parameter.clone(), quote!(#bounds)));
            quote!(#parameter)
        } else {
            let kind = &input.ty;
            quote!(#kind)
        };
        fields.push(quote!(#(#about)* #vis #field: #kind));
        names.push(field);
    }
    let (parameters, bounds): (Vec<_>, Vec<_>) = generics.into_iter().unzip();
    quote!(
        #(#about)*
        #vis struct #name<#(#parameters),*> { #(#fields),* }

        impl<#(#parameters: #bounds),*> crate::ui::kit::markup::Component for #name<#(#parameters),*> {
            fn draw(self) -> crate::ui::kit::markup::Markup {
                #[allow(clippy::too_many_arguments, reason = "they are properties")]
                #function
                let Self { #(#names),* } = self;
                crate::ui::kit::markup::Markup::Component(::std::boxed::Box::new(
                    ::leptos::reactive::graph::untrack_with_diagnostics(move || {
                        crate::ui::kit::markup::IntoMarkup::into_markup(draw(#(#names),*))
                    }),
                ))
            }
        }
    )
    .into()
}
