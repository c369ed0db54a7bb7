//! Checks a JSON value against a table of field names and types.

use serde_json::Value;

/// The type of a field.
pub(super) enum Shape {
    Text,
    Number,
    Whole,
    Truth,
    Null,
    /// Any object.
    Struct,
    /// Any value.
    Free,
    Word(&'static [&'static str]),
    /// One of these words, in any case.
    AnyCase(&'static [&'static str]),
    List(&'static Shape),
    /// Any keys, values of one shape.
    Keyed(&'static Shape),
    Message(&'static Message),
    /// A message whose kind is in this field.
    Tagged(&'static str, &'static [(&'static str, &'static Message)]),
    /// Any of these.
    Either(&'static [Shape]),
}

/// Fields of a message type. A name with `!` at its end is required.
pub(super) struct Message(pub(super) &'static [(&'static str, Shape)]);

/// A deviation from the table. Paths look like `contents[0].parts`.
#[derive(Debug)]
pub(super) enum Misfit {
    Unknown { path: String, name: String },
    Missing { path: String, name: &'static str },
    Wrong { path: String, expected: &'static str, value: Value },
}

impl Misfit {
    fn depth(&self) -> usize {
        match self {
            Self::Unknown { path, name } => path.len() + 1 + name.len(),
            Self::Missing { path, name } => path.len() + 1 + name.len(),
            Self::Wrong { path, .. } => path.len(),
        }
    }
}

/// Checks a whole request.
pub(super) fn check(body: &Value, message: &Message) -> Result<(), Misfit> {
    check_message(body, message, "")
}

fn check_message(value: &Value, message: &Message, path: &str) -> Result<(), Misfit> {
    let Some(fields) = value.as_object() else {
        return Err(wrong(value, path, "an object"));
    };
    for (name, value) in fields {
        let known = message.0.iter().find(|(known, _)| known.strip_suffix('!').unwrap_or(known) == name);
        let Some((_, shape)) = known else {
            return Err(Misfit::Unknown { path: path.to_owned(), name: name.clone() });
        };
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        check_shape(value, shape, &path)?;
    }
    let needed = message.0.iter().filter_map(|(name, _)| name.strip_suffix('!'));
    for name in needed {
        if !fields.contains_key(name) {
            return Err(Misfit::Missing { path: path.to_owned(), name });
        }
    }
    Ok(())
}

fn check_shape(value: &Value, shape: &Shape, path: &str) -> Result<(), Misfit> {
    let (fits, expected) = match shape {
        Shape::Text => (value.is_string(), "a string"),
        Shape::Number => (value.is_number(), "a number"),
        Shape::Whole => (value.is_i64() || value.is_u64(), "an integer"),
        Shape::Truth => (value.is_boolean(), "a boolean"),
        Shape::Null => (value.is_null(), "null"),
        Shape::Struct => (value.is_object(), "any object"),
        Shape::Free => (true, ""),
        Shape::Word(words) => (value.as_str().is_some_and(|word| words.contains(&word)), "one of its words"),
        Shape::AnyCase(words) => {
            let is_known = |word: &str| words.iter().any(|known| known.eq_ignore_ascii_case(word));
            (value.as_str().is_some_and(is_known), "one of its words")
        }
        Shape::List(shape) => {
            let Some(items) = value.as_array() else {
                return Err(wrong(value, path, "a list"));
            };
            for (index, item) in items.iter().enumerate() {
                check_shape(item, shape, &format!("{path}[{index}]"))?;
            }
            return Ok(());
        }
        Shape::Keyed(shape) => {
            let Some(fields) = value.as_object() else {
                return Err(wrong(value, path, "an object"));
            };
            for (name, value) in fields {
                check_shape(value, shape, &format!("{path}[{name}]"))?;
            }
            return Ok(());
        }
        Shape::Message(message) => return check_message(value, message, path),
        Shape::Tagged(tag, kinds) => {
            let kind = value.get(tag).and_then(Value::as_str);
            let Some((_, message)) = kinds.iter().find(|(name, _)| Some(*name) == kind) else {
                return Err(wrong(value, path, "of a known type"));
            };
            return check_message(value, message, path);
        }
        Shape::Either(shapes) => {
            // The deepest error is the most useful.
            let mut worst: Option<Misfit> = None;
            for shape in *shapes {
                match check_shape(value, shape, path) {
                    Ok(()) => return Ok(()),
                    Err(misfit) => {
                        if worst.as_ref().is_none_or(|known| known.depth() < misfit.depth()) {
                            worst = Some(misfit);
                        }
                    }
                }
            }
            return Err(worst.unwrap_or_else(|| wrong(value, path, "anything")));
        }
    };
    if fits { Ok(()) } else { Err(wrong(value, path, expected)) }
}

fn wrong(value: &Value, path: &str, expected: &'static str) -> Misfit {
    Misfit::Wrong { path: path.to_owned(), expected, value: value.clone() }
}
