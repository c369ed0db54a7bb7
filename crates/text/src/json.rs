//! Converts between JSON text and our types, always through a `serde_json::Value`.
//!
//! With one source and one target the `serde` code of a type is compiled once. The general text and tree readers and
//! writers of `serde_json` cost about 250 kB more for all our types.

pub mod schema;
mod writer;

use serde::Serialize;
use serde::de::value::{StrDeserializer, UsizeDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer as _,
    MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_json::map::Iter as Entries;
use serde_json::{Error, Map, Result, Value};

pub fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    from_tree(&tree(text)?)
}

pub fn from_tree<T: DeserializeOwned>(tree: &Value) -> Result<T> {
    T::deserialize(ValueDeserializer(tree))
}

/// JSON text of a value. Fails only for a map whose keys are not strings; none of ours is.
pub fn write<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    serde_json::to_string(&to_tree(value)?)
}

/// The tree of a value. Fails like [`write()`].
pub fn to_tree<T: Serialize + ?Sized>(value: &T) -> Result<Value> {
    let mut tree = writer::ValueSerializer::default();
    value.serialize(&mut tree)?;
    Ok(tree.whole)
}

/// The name by which a value of an enum without data is stored; empty for any other value.
pub fn name<T: Serialize + ?Sized>(value: &T) -> String {
    to_tree(value).ok().and_then(|tree| tree.as_str().map(str::to_owned)).unwrap_or_default()
}

#[inline(never)]
pub fn tree(text: &str) -> Result<Value> {
    serde_json::from_str(text)
}

/// Parses a decimal number as people and hosts write it: with a plus sign, leading zeros, or no digit on one side of
/// the point.
///
/// `f64::from_str` would bring tables of 10 kB, for digits beyond those of a price or a delay.
pub fn number(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let has_digits = digits.trim_start_matches('.').starts_with(|first: char| first.is_ascii_digit());
    let digits = digits.trim_start_matches('0');
    let digits = digits.strip_suffix('.').unwrap_or(digits);
    let zero = if digits.starts_with(|first: char| first.is_ascii_digit()) { "" } else { "0" };
    let number: f64 = serde_json::from_str(&format!("{zero}{digits}")).ok().filter(|_| has_digits)?;
    Some(sign * number)
}

/// True for the value that a field has when it is absent: `skip_serializing_if` omits it.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A position in a tree.
#[derive(Clone, Copy)]
struct ValueDeserializer<'a>(&'a Value);

#[inline(never)]
fn wrong(found: &Value, wanted: &str) -> Error {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Error::custom(format_args!("{found} where {wanted} belongs"))
}

/// Methods that read a value as a type of JSON.
macro_rules! read_as {
    ($($method:ident -> $type:ty: $as:ident, $wanted:literal;)+) => {$(
        #[inline(never)]
        fn $method(self) -> Result<$type> {
            self.0.$as().ok_or_else(|| wrong(self.0, $wanted))
        }
    )+};
}

impl<'a> ValueDeserializer<'a> {
    read_as! {
        flag -> bool: as_bool, "a boolean";
        text -> &'a str: as_str, "a string";
        whole -> u64: as_u64, "a whole number";
        signed -> i64: as_i64, "a whole number";
        number -> f64: as_f64, "a number";
        list -> &'a Vec<Value>: as_array, "a list";
        object -> &'a Map<String, Value>: as_object, "an object";
    }

    #[inline(never)]
    fn items(self) -> Result<ArrayAccess<'a>> {
        Ok(ArrayAccess(self.list()?.iter()))
    }

    /// A variant is its name, or an object with its name as the only key.
    #[inline(never)]
    fn variant(self, variants: &'static [&'static str]) -> Result<VariantReader<'a>> {
        let (name, content) = match self.0.as_str() {
            Some(name) => (name, None),
            None => {
                let only = self.0.as_object().filter(|map| map.len() == 1).and_then(|map| map.iter().next());
                let (name, content) = only.ok_or_else(|| wrong(self.0, "the name of a variant"))?;
                (name.as_str(), Some(content))
            }
        };
        let index = variants.iter().position(|variant| *variant == name);
        let index = index.ok_or_else(|| Error::unknown_variant(name, variants))?;
        Ok(VariantReader { name, index, content })
    }

    /// Reads the fields of a struct by position.
    fn fields<V: Visitor<'a>>(self, names: &'static [&'static str], visitor: V) -> Result<V::Value> {
        let mut fields = FieldAccess { object: self.object()?, names: names.iter(), missing: None };
        match visitor.visit_seq(&mut fields) {
            Err(error) => Err(fields.named(error)),
            read => read,
        }
    }
}

/// Methods of a deserializer for values that hold no others.
macro_rules! scalars {
    ($($method:ident: $read:ident => $visit:ident;)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            visitor.$visit(self.$read()?)
        }
    )+};
}

/// Methods of a deserializer that delegate to another of its methods.
macro_rules! like {
    ($($method:ident($($name:ident: $type:ty),*) => $other:ident;)+) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value> {
            $(let _ = $name;)*
            self.$other(visitor)
        }
    )+};
}

impl<'de> Deserializer<'de> for ValueDeserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => number.deserialize_any(visitor),
            Value::String(text) => visitor.visit_str(text),
            Value::Array(items) => visitor.visit_seq(ArrayAccess(items.iter())),
            Value::Object(map) => {
                visitor.visit_map(ObjectAccess { entries: map.iter(), value: &Value::Null })
            }
        }
    }

    scalars! {
        deserialize_bool: flag => visit_bool;
        deserialize_u64: whole => visit_u64;
        deserialize_i64: signed => visit_i64;
        deserialize_f64: number => visit_f64;
        deserialize_str: text => visit_str;
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
        Err(wrong(self.0, "nothing but bytes"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.0.as_null().ok_or_else(|| wrong(self.0, "null"))?;
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(self.items()?)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_map(ObjectAccess { entries: self.object()?.iter(), value: &Value::Null })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.fields(names, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(self.variant(variants)?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    like! {
        deserialize_u8() => deserialize_u64;
        deserialize_u16() => deserialize_u64;
        deserialize_u32() => deserialize_u64;
        deserialize_i8() => deserialize_i64;
        deserialize_i16() => deserialize_i64;
        deserialize_i32() => deserialize_i64;
        deserialize_f32() => deserialize_f64;
        deserialize_char() => deserialize_str;
        deserialize_string() => deserialize_str;
        deserialize_identifier() => deserialize_str;
        deserialize_byte_buf() => deserialize_bytes;
        deserialize_unit_struct(_name: &'static str) => deserialize_unit;
        deserialize_tuple(_len: usize) => deserialize_seq;
        deserialize_tuple_struct(_name: &'static str, _len: usize) => deserialize_seq;
    }
}

struct ArrayAccess<'a>(std::slice::Iter<'a, Value>);

impl<'de> SeqAccess<'de> for ArrayAccess<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        self.0.next().map(|item| seed.deserialize(ValueDeserializer(item))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct ObjectAccess<'a> {
    entries: Entries<'a>,
    /// The value of the last requested key.
    value: &'a Value,
}

impl<'a> ObjectAccess<'a> {
    #[inline(never)]
    fn next(&mut self) -> Option<StrDeserializer<'a, Error>> {
        let (key, value) = self.entries.next()?;
        self.value = value;
        Some(key.as_str().into_deserializer())
    }
}

impl<'de> MapAccess<'de> for ObjectAccess<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        self.next().map(|key| seed.deserialize(key)).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        seed.deserialize(ValueDeserializer(self.value))
    }
}

/// The values of an object in the order of a struct's fields.
///
/// The code that `serde` derives for a sequence is a third of that for a map. Works only while no field has an
/// `alias`: aliases are among the names, too.
struct FieldAccess<'a> {
    object: &'a Map<String, Value>,
    names: std::slice::Iter<'static, &'static str>,
    /// The last requested field, if the object has no value for it.
    missing: Option<&'static str>,
}

impl<'a> FieldAccess<'a> {
    #[inline(never)]
    fn next(&mut self) -> ValueDeserializer<'a> {
        let name = self.names.next().copied().unwrap_or_default();
        let value = self.object.get(name);
        self.missing = value.is_none().then_some(name);
        ValueDeserializer(value.unwrap_or(&Value::Null))
    }

    /// Names the field in the error of a missing one, which `serde` takes for the end of a list.
    #[inline(never)]
    fn named(&self, error: Error) -> Error {
        self.missing.map_or(error, Error::missing_field)
    }
}

impl<'de> SeqAccess<'de> for FieldAccess<'de> {
    type Error = Error;

    /// `None` for a missing field that cannot be null: it has a default, or the struct cannot be read.
    #[inline(never)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        match seed.deserialize(self.next()) {
            Err(_) if self.missing.is_some() => Ok(None),
            read => read.map(Some),
        }
    }
}

struct VariantReader<'a> {
    name: &'a str,
    index: usize,
    /// `None` if the name stands alone.
    content: Option<&'a Value>,
}

impl<'a> VariantReader<'a> {
    #[inline(never)]
    fn content(self) -> Result<ValueDeserializer<'a>> {
        let missing = || Error::custom(format_args!("the variant {} has no content", self.name));
        self.content.map(ValueDeserializer).ok_or_else(missing)
    }
}

impl<'de> EnumAccess<'de> for VariantReader<'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        let index: UsizeDeserializer<Error> = self.index.into_deserializer();
        Ok((seed.deserialize(index)?, self))
    }
}

impl<'de> VariantAccess<'de> for VariantReader<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        match self.content {
            None | Some(Value::Null) => Ok(()),
            Some(content) => Err(wrong(content, "nothing")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(self.content()?.items()?)
    }

    fn struct_variant<V: Visitor<'de>>(self, names: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.content()?.fields(names, visitor)
    }
}

#[cfg(test)]
mod tests;
