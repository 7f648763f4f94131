//! The layouts that are compiled with `IKRA_LONG=1` only: device code takes long to compile.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;

use super::model::arrays::{Mixed, Triple};
use super::model::{Kind, Mix, Pair, Place};

class!(WideTiles, WideTilesWorld, (layout = "tiles", tile = 128, capacity = 20_000));
class!(Stored, StoredWorld, (addressing = "storage"));
class!(Addressed, AddressedWorld, (layout = "aos", addressing = "first_field", capacity = 20_000));

arrays!(SoaFullByte, SoaFullByteWorld, [], [], [u8; 7], [Link<SoaFullByte>; 2], []);
arrays!(SoaCapacityFull, SoaCapacityFullWorld, [capacity = 12_000], [], [Triple; 3], [Link<SoaCapacityFull>; 2], []);
arrays!(
    SoaPartialTriple,
    SoaPartialTripleWorld,
    [],
    [(3)],
    InnerArray<Triple>,
    InnerArray<Link<SoaPartialTriple>>,
    [(0)]
);
arrays!(SoaPartialWide, SoaPartialWideWorld, [], [(1)], InnerArray<u128>, InnerArray<Link<SoaPartialWide>>, [(1)]);
arrays!(AosObject, AosObjectWorld, [layout = "aos"], [(object)], [i32; 4], InnerArray<Link<AosObject>>, [(1)]);
arrays!(AosNone, AosNoneWorld, [layout = "aos"], [(0)], InnerArray<u64>, InnerArray<Link<AosNone>>, [(0)]);
arrays!(TilesNone, TilesNoneWorld, [layout = "tiles"], [(0)], InnerArray<u8>, [Link<TilesNone>; 2], [(object)]);
