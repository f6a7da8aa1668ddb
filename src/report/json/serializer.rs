//! How serde's data model is written, as `serde_json` does it: enums by the names of their variants, floats
//! that are none as `null`. `serde_json` itself takes twice the time: it looks at each octet of each key,
//! and hands each mark of a line on by itself.

use std::fmt::{self, Display};
use std::io;

use serde::Serialize;
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::writer::Writer;

/// What went wrong behind the writer; or a type that says why it cannot be written.
#[derive(Debug)]
pub(super) struct Error(pub(super) io::Error);

impl Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl std::error::Error for Error {}

impl serde::ser::Error for Error {
    fn custom<T: Display>(what: T) -> Self {
        Self(io::Error::other(what.to_string()))
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self(error)
    }
}

type Result<T = ()> = std::result::Result<T, Error>;

/// An array or an object that is open, and what is around it where that has but one part.
pub(super) struct Open<'w, 'a> {
    writer: &'w mut Writer<'a>,
    mark: u8,
    is_in_variant: bool,
}

impl<'w, 'a> Open<'w, 'a> {
    fn new(writer: &'w mut Writer<'a>, marks: [u8; 2]) -> Self {
        let [open, mark] = marks;
        writer.open(open);
        Self { writer, mark, is_in_variant: false }
    }

    /// The only part of an object, by the name of its variant.
    fn variant(writer: &'w mut Writer<'a>, variant: &'static str, marks: [u8; 2]) -> Self {
        writer.open(b'{');
        writer.key(variant);
        Self { is_in_variant: true, ..Self::new(writer, marks) }
    }

    fn element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result {
        self.writer.begin_part();
        value.serialize(&mut *self.writer)?;
        Ok(self.writer.end_part()?)
    }

    #[inline]
    fn field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result {
        self.writer.key(key);
        value.serialize(&mut *self.writer)?;
        Ok(self.writer.end_part()?)
    }

    fn close(self) -> Result {
        self.writer.close(self.mark);
        if self.is_in_variant {
            self.writer.end_part()?;
            self.writer.close(b'}');
        }
        Ok(())
    }
}

const ARRAY: [u8; 2] = *b"[]";
const OBJECT: [u8; 2] = *b"{}";

impl<'w, 'a> Serializer for &'w mut Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Open<'w, 'a>;
    type SerializeTuple = Open<'w, 'a>;
    type SerializeTupleStruct = Open<'w, 'a>;
    type SerializeTupleVariant = Open<'w, 'a>;
    type SerializeMap = Open<'w, 'a>;
    type SerializeStruct = Open<'w, 'a>;
    type SerializeStructVariant = Open<'w, 'a>;

    fn serialize_bool(self, value: bool) -> Result {
        self.word(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i16(self, value: i16) -> Result {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i32(self, value: i32) -> Result {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i64(self, value: i64) -> Result {
        self.integer(value < 0, value.unsigned_abs());
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u16(self, value: u16) -> Result {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u32(self, value: u32) -> Result {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u64(self, value: u64) -> Result {
        self.integer(false, value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result {
        self.float(value);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result {
        self.text(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result {
        self.serialize_unit()
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result {
        self.word("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result {
        let mut open = Open::new(self, OBJECT);
        open.field(variant, value)?;
        open.close()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        Ok(Open::new(self, ARRAY))
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple> {
        Ok(Open::new(self, ARRAY))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct> {
        Ok(Open::new(self, ARRAY))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        Ok(Open::variant(self, variant, ARRAY))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        Ok(Open::new(self, OBJECT))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct> {
        Ok(Open::new(self, OBJECT))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        Ok(Open::variant(self, variant, OBJECT))
    }
}

/// The ways in which serde names the parts of what stands in an array.
macro_rules! elements {
    ($($trait:ident $part:ident),*) => {$(
        impl $trait for Open<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $part<T: ?Sized + Serialize>(&mut self, value: &T) -> Result {
                self.element(value)
            }

            fn end(self) -> Result {
                self.close()
            }
        }
    )*};
}

elements!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

/// The same of an object with keys that are known.
macro_rules! fields {
    ($($trait:ident),*) => {$(
        impl $trait for Open<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: ?Sized + Serialize>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result {
                self.field(key, value)
            }

            fn end(self) -> Result {
                self.close()
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Open<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result {
        let place = self.writer.begin_key();
        key.serialize(&mut *self.writer)?;
        if self.writer.end_key(place) {
            return Ok(());
        }
        Err(Error::custom("the key of an object is no text"))
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result {
        value.serialize(&mut *self.writer)?;
        Ok(self.writer.end_part()?)
    }

    fn end(self) -> Result {
        self.close()
    }
}
