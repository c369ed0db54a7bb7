//! Inputs of tools: one declaration defines the struct, its JSON Schema for models, and its parser.
//!
//! [`tool_input!`] replaces derives, which would be larger: the difference between two inputs is a table.

use nexus_model::tool::ToolClass;
use serde_json::{Map, Value};

pub(in crate::tools) struct InputField {
    pub(in crate::tools) name: &'static str,
    /// Description for models; empty if the name is enough.
    pub(in crate::tools) about: &'static str,
    /// Its type in JSON Schema.
    pub(in crate::tools) kind: &'static str,
    pub(in crate::tools) is_required: bool,
    /// Min and max of a number, or of a text's length.
    pub(in crate::tools) limits: [Option<u32>; 2],
}

pub(in crate::tools) trait ToolInput: Sized {
    const NAME: &'static str;
    /// What the tool accesses; decides whether the operator is asked if no rule applies.
    const CLASS: ToolClass;
    /// What the tool does and when to use it, for models.
    const ABOUT: &'static str;
    const FIELDS: &'static [InputField];

    /// Parses arguments; `None` if they do not fit the schema.
    fn read(args: &Map<String, Value>) -> Option<Self>;
}

pub(in crate::tools) trait Argument: Sized {
    /// Its name in JSON Schema.
    const KIND: &'static str;
    const IS_REQUIRED: bool = true;

    fn read(value: Option<&Value>) -> Option<Self>;
}

impl Argument for String {
    const KIND: &'static str = "string";

    fn read(value: Option<&Value>) -> Option<Self> {
        value?.as_str().map(str::to_owned)
    }
}

impl Argument for bool {
    const KIND: &'static str = "boolean";

    fn read(value: Option<&Value>) -> Option<Self> {
        value?.as_bool()
    }
}

impl Argument for usize {
    const KIND: &'static str = "integer";

    fn read(value: Option<&Value>) -> Option<Self> {
        // A whole number may come as 3.0.
        let number = value?.as_f64()?;
        (number >= 0.0).then(|| number.min(f64::from(u32::MAX)) as Self)
    }
}

impl<T: Argument> Argument for Option<T> {
    const KIND: &'static str = T::KIND;
    const IS_REQUIRED: bool = false;

    fn read(value: Option<&Value>) -> Option<Self> {
        if value.is_some() { T::read(value).map(Some) } else { Some(None) }
    }
}

pub(in crate::tools) fn schema(fields: &[InputField]) -> Value {
    let property = |field: &InputField| {
        let [least, most] = field.limits;
        let is_text = field.kind == String::KIND;
        object([
            Some(("type", field.kind.into())),
            least.map(|least| (if is_text { "minLength" } else { "minimum" }, least.into())),
            most.map(|most| (if is_text { "maxLength" } else { "maximum" }, most.into())),
            (!field.about.is_empty()).then(|| ("description", field.about.trim_start().into())),
        ])
    };
    let required: Vec<_> = fields.iter().filter(|field| field.is_required).map(|field| field.name).collect();
    object([
        Some(("type", "object".into())),
        Some(("properties", fields.iter().map(|field| (field.name, property(field))).collect())),
        (!required.is_empty()).then(|| ("required", required.into())),
        Some(("additionalProperties", false.into())),
    ])
}

fn object<const N: usize>(entries: [Option<(&str, Value)>; N]) -> Value {
    entries.into_iter().flatten().collect()
}

/// Declares a tool: its name, its class and its input.
///
/// The doc comments of the struct and its fields are the descriptions for models. A type can be followed by the limits
/// of its number or length, `[1]` or `[0, 10]`, and by the argument's name if it is not the field's.
macro_rules! tool_input {
    ($(#[doc = $about:literal])+ $vis:vis struct $name:ident: $tool:expr, $class:ident { $(
        $(#[doc = $told:literal])*
        $field:ident: $kind:ty $([$least:literal $(, $most:expr)?])? $(= $key:literal)?
    ),* $(,)? }) => {
        $vis struct $name { $($field: $kind),* }

        impl $crate::tools::input::ToolInput for $name {
            const NAME: &'static str = $tool;
            const CLASS: nexus_model::tool::ToolClass = nexus_model::tool::ToolClass::$class;
            const ABOUT: &'static str = concat!($($about),+);
            const FIELDS: &'static [$crate::tools::input::InputField] = &[$($crate::tools::input::InputField {
                name: tool_input!(@name $field $($key)?),
                about: concat!($($told),*),
                kind: <$kind as $crate::tools::input::Argument>::KIND,
                is_required: <$kind as $crate::tools::input::Argument>::IS_REQUIRED,
                limits: tool_input!(@limits $($least $(, $most)?)?),
            }),*];

            #[allow(unused_variables, reason = "some tools take no arguments")]
            fn read(args: &serde_json::Map<String, serde_json::Value>) -> Option<Self> {
                Some(Self { $(
                    $field: $crate::tools::input::Argument::read(args.get(tool_input!(@name $field $($key)?)))?
                ),* })
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $key:literal) => { $key };
    (@limits) => { [None, None] };
    (@limits $least:literal) => { [Some($least), None] };
    (@limits $least:literal, $most:expr) => { [Some($least), Some($most)] };
}
pub(in crate::tools) use tool_input;

#[cfg(test)]
mod tests;
