//! A compact `serde` serializer that builds a `serde_json::Value`.
//!
//! A builder tracks its position, so that the generated code of a type is little more than a call per field.

use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde::{Serialize, Serializer};
use serde_json::{Error, Map, Result, Value};

/// A tree under construction.
#[derive(Default)]
pub(super) struct ValueSerializer {
    /// The open lists and objects, innermost last.
    open: Vec<OpenContainer>,
    pub(super) whole: Value,
}

enum OpenContainer {
    List(Vec<Value>),
    /// With the key of the next value.
    Object(Map<String, Value>, Option<String>),
}

impl ValueSerializer {
    /// Adds a value at the current position. In an object the key comes first, then its value.
    #[inline(never)]
    fn put(&mut self, value: Value) -> Result<()> {
        match self.open.last_mut() {
            None => self.whole = value,
            Some(OpenContainer::List(items)) => items.push(value),
            Some(OpenContainer::Object(map, key)) => match (key.take(), value) {
                (Some(key), value) => drop(map.insert(key, value)),
                (None, Value::String(text)) => *key = Some(text),
                (None, _) => return Err(Error::custom("a key must be a string")),
            },
        }
        Ok(())
    }

    #[inline(never)]
    fn text(&mut self, text: &str) -> Result<()> {
        self.put(Value::from(text))
    }

    #[inline(never)]
    fn whole(&mut self, number: u64) -> Result<()> {
        self.put(Value::from(number))
    }

    #[inline(never)]
    fn signed(&mut self, number: i64) -> Result<()> {
        self.put(Value::from(number))
    }

    #[inline(never)]
    fn list(&mut self) -> &mut Self {
        self.open.push(OpenContainer::List(Vec::new()));
        self
    }

    #[inline(never)]
    fn object(&mut self) -> &mut Self {
        self.open.push(OpenContainer::Object(Map::new(), None));
        self
    }

    /// An object with the name of a variant as its only key.
    #[inline(never)]
    fn variant(&mut self, name: &str) -> &mut Self {
        self.open.push(OpenContainer::Object(Map::new(), Some(name.to_owned())));
        self
    }

    #[inline(never)]
    fn close(&mut self) -> Result<()> {
        let value = match self.open.pop() {
            Some(OpenContainer::List(items)) => Value::Array(items),
            Some(OpenContainer::Object(map, _)) => Value::Object(map),
            None => return Ok(()),
        };
        self.put(value)
    }

    #[inline(never)]
    fn close_variant(&mut self) -> Result<()> {
        self.close()?;
        self.close()
    }
}

/// Methods of a serializer for numbers.
macro_rules! numbers {
    ($($method:ident: $number:ty => $put:ident;)+) => {$(
        fn $method(self, number: $number) -> Result<()> {
            self.$put(number.into())
        }
    )+};
}

impl Serializer for &mut ValueSerializer {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    numbers! {
        serialize_i8: i8 => signed;
        serialize_i16: i16 => signed;
        serialize_i32: i32 => signed;
        serialize_i64: i64 => signed;
        serialize_u8: u8 => whole;
        serialize_u16: u16 => whole;
        serialize_u32: u32 => whole;
        serialize_u64: u64 => whole;
        serialize_f32: f32 => put;
        serialize_f64: f64 => put;
        serialize_bool: bool => put;
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        self.text(value)
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<()> {
        Err(Error::custom("bytes have no place in JSON"))
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.put(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.text(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self.variant(variant))?;
        self.close()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self> {
        Ok(self.list())
    }

    fn serialize_tuple(self, _: usize) -> Result<Self> {
        Ok(self.list())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self> {
        Ok(self.list())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self> {
        Ok(self.variant(variant).list())
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self> {
        Ok(self.object())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self> {
        Ok(self.object())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self> {
        Ok(self.variant(variant).object())
    }
}

/// Adds elements to the open list.
macro_rules! elements {
    ($($compound:ident::$method:ident, $close:ident;)+) => {$(
        impl $compound for &mut ValueSerializer {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<()> {
                self.$close()
            }
        }
    )+};
}

elements! {
    SerializeSeq::serialize_element, close;
    SerializeTuple::serialize_element, close;
    SerializeTupleStruct::serialize_field, close;
    SerializeTupleVariant::serialize_field, close_variant;
}

/// Adds fields to the open object.
macro_rules! fields {
    ($($compound:ident, $close:ident;)+) => {$(
        impl $compound for &mut ValueSerializer {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
                self.text(name)?;
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<()> {
                self.$close()
            }
        }
    )+};
}

fields! {
    SerializeStruct, close;
    SerializeStructVariant, close_variant;
}

impl SerializeMap for &mut ValueSerializer {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}
