//! Links, inner arrays and objects through serde. Nothing that is read is trusted: it enters by the same checked
//! functions as a program's own data.

use core::fmt;
use core::marker::PhantomData;
use core::num::NonZeroU32;

use serde_core::de::{Error as _, SeqAccess, Visitor};
use serde_core::ser::{Error as _, SerializeSeq};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use crate::class::Class;
use crate::error::Error;
use crate::link::Link;
use crate::objects::Objects;
use crate::storage::InnerArray;

/// As the object's id. That there is such an object in the world shows when the link is followed, as for every
/// link.
impl<C> Serialize for Link<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.id())
    }
}

/// From an object's id: 1 or more.
impl<'de, C> Deserialize<'de> for Link<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = NonZeroU32::deserialize(deserializer)?;
        Self::from_id(id.get()).ok_or_else(|| D::Error::custom("0 is no object's id"))
    }
}

/// As a list.
impl<T: Serialize> Serialize for InnerArray<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self[..].serialize(serializer)
    }
}

/// From a list of any length.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for InnerArray<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

/// As a list of rows, in the order of their ids. An object that is reserved and not initialised is an error.
impl<C: Class + Serialize> Serialize for Objects<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.len()))?;
        for link in self.links() {
            rows.serialize_element(&self.read(link).map_err(S::Error::custom)?)?;
        }
        rows.end()
    }
}

/// From a list of rows, which get the ids from 1 on. More than the class's `capacity` or its arena holds are an
/// error.
impl<'de, C: Class + Deserialize<'de>> Deserialize<'de> for Objects<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Rows(PhantomData))
    }
}

/// Reads rows one after another. How many the data claims to have is not asked.
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
