//! The JSON names of a struct's fields, asked of serde itself.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// The names under which a struct takes its fields.
pub(crate) fn names_of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    match T::deserialize(Asking) {
        Err(Answer::Fields(fields)) => fields,
        Err(Answer::Other(why)) => panic!("no struct with named fields: {why}"),
        Ok(_) => panic!("a struct was made of nothing"),
    }
}

struct Asking;

#[derive(Debug)]
enum Answer {
    Fields(&'static [&'static str]),
    Other(String),
}

impl<'de> Deserializer<'de> for Asking {
    type Error = Answer;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Answer> {
        Err(Answer::Other("it asks for something else".into()))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Answer> {
        Err(Answer::Fields(fields))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Answer {}

impl de::Error for Answer {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self::Other(why.to_string())
    }
}
