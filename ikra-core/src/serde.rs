//! Links and inner arrays through serde.

use core::num::NonZeroU32;

use serde_core::de::Error as _;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use crate::link::Link;
use crate::storage::InnerArray;

/// As the object's id. Following the link checks that the object exists in the world, as for every link.
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
