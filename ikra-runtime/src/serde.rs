//! Serialization by serde. Deserialized data is not trusted: it passes the same checks as a program's own data.

use core::fmt;
use core::marker::PhantomData;

use serde_core::de::{Error as _, SeqAccess, Visitor};
use serde_core::ser::{Error as _, SerializeSeq};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use crate::class::Class;
use crate::error::Error;
use crate::objects::Objects;

/// Serializes a list of rows, in the order of their ids. A reserved object that is not initialised is an error. So are
/// removed objects whose ids are free, because the rows' links would name other objects when they are read again.
impl<C: Class + Serialize> Serialize for Objects<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.holes() > 0 {
            return Err(S::Error::custom(Error::HasHoles { class: C::NAME, holes: self.holes() }));
        }
        let mut rows = serializer.serialize_seq(Some(self.len()))?;
        for link in self.links() {
            rows.serialize_element(&self.read(link).map_err(S::Error::custom)?)?;
        }
        rows.end()
    }
}

/// Deserializes a list of rows, which get the ids from 1 on. Exceeding the class's `capacity` or its arena is an error.
impl<'de, C: Class + Deserialize<'de>> Deserialize<'de> for Objects<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Rows(PhantomData))
    }
}

/// Reads rows one after another, and ignores the length that the data claims.
struct Rows<C>(PhantomData<fn() -> C>);

impl<'de, C: Class + Deserialize<'de>> Visitor<'de> for Rows<C> {
    type Value = Objects<C>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of objects of class {}", C::NAME)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Objects<C>, A::Error> {
        let mut objects = Objects::new();
        while let Some(row) = rows.next_element()? {
            objects.push(row).map_err(|error: Error| A::Error::custom(error))?;
        }
        Ok(objects)
    }
}
