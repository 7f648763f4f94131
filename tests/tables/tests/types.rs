//! Columns of Arrow's rarer types.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float16Type, Int8Type};
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, FixedSizeListArray, Float16Array, Float32Array, Int8Array, Int64Array,
    ListArray, NullArray, RecordBatch, StringArray, StructArray, UInt8Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field};
use ikra::tables::{Import, Source, TableError, TableWorld};
use ikra_tables_tests::{Street, Town, car, message, street};

/// Classes and a world.
mod model {
    use ikra::prelude::*;
    use ikra_tables_tests::{Colour, State};

    #[soa_class]
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct Lamp {
        pub(super) power: f32,
        pub(super) is_on: bool,
        pub(super) state: State,
        pub(super) colour: Colour,
        pub(super) pos: [f32; 2],
        pub(super) next: Option<Link<Lamp>>,
    }
    #[soa_class]
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct Wire {
        #[inline_array(1)]
        pub(super) lamps: InnerArray<Option<Link<Lamp>>>,
    }
    #[soa_class]
    pub(super) struct Ride {
        pub(super) first: Option<VehicleLink>,
        pub(super) pair: [Option<Link<Ride>>; 2],
    }
    #[soa_dispatch(Ride)]
    pub(super) trait Vehicle {}
    #[soa_methods]
    impl Vehicle for Ride {}
    #[soa_world]
    pub(super) struct Rides {
        pub(super) rides: Objects<Ride>,
    }
    #[soa_world]
    pub(super) struct Lamps {
        pub(super) lamps: Objects<Lamp>,
        pub(super) wires: Objects<Wire>,
    }
}
use model::{Lamp, Lamps, Ride, Rides, Wire};

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
}

fn dictionary(keys: impl Into<Int8Array>, values: impl arrow_array::Array + 'static) -> ArrayRef {
    Arc::new(DictionaryArray::<Int8Type>::new(keys.into(), Arc::new(values)))
}

fn lists(values: ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
    Arc::new(FixedSizeListArray::new(field, 2, values, None))
}

/// Two lamps.
fn lamps<const N: usize>(columns: [(&str, ArrayRef); N]) -> Source<Lamp> {
    let usual: [(&str, ArrayRef); 6] = [
        ("power", Arc::new(Float32Array::from(vec![1.0, 2.0]))),
        ("is_on", Arc::new(BooleanArray::from(vec![true, false]))),
        ("state", Arc::new(StringArray::from(vec!["on", "off"]))),
        ("colour", colours(Arc::new(UInt8Array::from(vec![1, 2])))),
        ("pos", lists(Arc::new(Float32Array::from(vec![1.0, 2.0, 3.0, 4.0])))),
        ("next", Arc::new(UInt8Array::from(vec![Some(1), None]))),
    ];
    let column = |(name, column)| {
        let other = columns.iter().find(|(other, _)| *other == name);
        (name, other.map_or(column, |(_, column)| Arc::clone(column)))
    };
    Source::batches([batch(usual.map(column))])
}

fn colours(red: ArrayRef) -> ArrayRef {
    let rest = lists(Arc::new(Int64Array::from(vec![1, 2, 3, 4])));
    let field = |name: &str, column: &ArrayRef| Arc::new(Field::new(name, column.data_type().clone(), true));
    Arc::new(StructArray::from(vec![(field("red", &red), red), (field("rest", &rest), rest)]))
}

fn read<const N: usize>(columns: [(&str, ArrayRef); N]) -> Result<Vec<Lamp>, TableError> {
    let world: Lamps = Import::new().table(lamps(columns)).read()?;
    Ok(world.lamps.iter().collect())
}

#[test]
fn dictionaries_of_any_values() {
    let usual = read([]).unwrap();
    let halves = [2.0, 1.0].map(<Float16Type as ArrowPrimitiveType>::Native::from_f32).to_vec();
    let floats = Float32Array::from(vec![4.0, 3.0, 2.0, 1.0]);
    let found = read([
        ("power", dictionary(vec![1, 0], Float16Array::from(halves))),
        ("is_on", dictionary(vec![1, 0], BooleanArray::from(vec![false, true]))),
        ("state", dictionary(vec![1, 0], StringArray::from(vec!["off", "on"]))),
        ("colour", colours(dictionary(vec![1, 0], Int8Array::from(vec![2, 1])))),
        ("pos", lists(dictionary(vec![3, 2, 1, 0], floats))),
        ("next", dictionary(vec![Some(0), None], Int8Array::from(vec![1]))),
    ]);
    assert_eq!(found.unwrap(), usual);
    let pos = lists(Arc::new(Float32Array::from(vec![3.0, 4.0, 1.0, 2.0])));
    let pos: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(vec![1, 0].into(), pos));
    let found = read([("is_on", dictionary(vec![1, 0], Int8Array::from(vec![0, 1]))), ("pos", pos)]);
    assert_eq!(found.unwrap(), usual);
    let dates = dictionary(vec![0, 0], arrow_array::Date32Array::from(vec![1]));
    assert!(
        message(read([("power", dates)])).contains("column `power` has values of type Date32, and class Lamp needs")
    );
}

#[test]
fn empty_values_of_dictionaries() {
    let none = || dictionary(vec![0, 1], Int8Array::from(vec![Some(0), None]));
    let found = read([("next", none())]).unwrap();
    assert!(found[0].next.is_some() && found[1].next.is_none());
    // Each row counts once.
    for key in [None, Some("number")] {
        let number: ArrayRef = Arc::new(Int64Array::from(vec![0, 1]));
        let streets = Source::<Street>::batches([batch([("number", number)])]);
        let mut streets = streets.fill(street::length, 1.0).fill(street::next, None);
        if let Some(key) = key {
            streets = streets.key(key);
        }
        let cars = Source::batches([batch([("street", none())])]).fill(car::age, 1);
        let error = Import::<Town>::new().table(streets).table(cars).read();
        let Err(TableError::BadRows(bad)) = error else { panic!() };
        assert_eq!((bad.count(), bad.rows()[0].row), (1, 1), "{bad}");
        assert!(bad.rows()[0].problem.starts_with("empty"), "{bad}");
    }
}

#[test]
fn columns_without_any_value() {
    let none = |len: usize| -> ArrayRef { Arc::new(NullArray::new(len)) };
    let found = read([("next", none(2))]).unwrap();
    assert!(found.iter().all(|lamp| lamp.next.is_none()));
    for column in ["power", "is_on", "state", "colour", "pos"] {
        let Err(TableError::BadRows(bad)) = read([(column, none(2))]) else { panic!("{column}") };
        let rows: Vec<_> = bad.rows().iter().map(|bad| (bad.row, &*bad.column, &*bad.problem)).collect();
        assert_eq!(rows, [(0, column, "empty"), (1, column, "empty")]);
    }
    let Err(TableError::BadRows(bad)) = read([("pos", lists(none(4)))]) else { panic!() };
    assert_eq!((bad.count(), bad.rows()[3].row), (4, 1), "{bad}");

    // In columns of keys, and of links to a class with a key.
    let names: ArrayRef = Arc::new(StringArray::from(vec!["Elm", "Oak"]));
    let town = |names: ArrayRef, links: ArrayRef| {
        let streets = Source::<Street>::batches([batch([("name", names), ("next", links)])]).key("name");
        Import::<Town>::new().table(streets.fill(street::length, 1.0).fill(street::number, 1)).read()
    };
    assert_eq!(town(Arc::clone(&names), none(2)).unwrap().streets.column(street::next), [None; 2]);
    assert!(message(town(none(2), none(2))).starts_with("2 values cannot be read"));
    let cars = Source::batches([batch([("street", none(2))])]).fill(car::age, 1);
    let text = message(Import::<Town>::new().table(cars).read());
    assert!(text.contains("row 1, column `street`: empty; only fields of type `Option<Link<_>>` may be"), "{text}");

    // In lists, in elements of arrays, and in the columns of links of a trait.
    let offsets = OffsetBuffer::from_lengths([0, 2]);
    let item = Arc::new(Field::new("item", DataType::Null, true));
    let nothing: ArrayRef = Arc::new(ListArray::new(item, offsets, none(2), None));
    let wires = |column: ArrayRef| Import::new().table(Source::<Wire>::batches([batch([("lamps", column)])])).read();
    let world: Lamps = wires(nothing).unwrap();
    let lengths: Vec<_> = world.wires.iter().map(|wire| wire.lamps.to_vec()).collect();
    assert_eq!(lengths, [vec![], vec![None; 2]]);
    let text = message::<Lamps>(wires(none(2)));
    assert!(text.contains("row 1, column `lamps`: empty"), "{text}");
    let columns = [("first_row", none(2)), ("first_class", none(2)), ("pair_0", none(2)), ("pair_1", none(2))];
    let rides: Rides = Import::new().table(Source::<Ride>::batches([batch(columns)])).read().unwrap();
    assert!(rides.rides.iter().all(|ride| ride.first.is_none() && ride.pair == [None; 2]));
    let columns = [("first_row", none(2)), ("first_class", none(2)), ("pair", lists(none(4)))];
    let rides: Rides = Import::new().table(Source::<Ride>::batches([batch(columns)])).read().unwrap();
    assert_eq!(rides.rides.len(), 2);
}

/// Names of 4 KiB.
mod long {
    use ikra::prelude::*;
    use ikra::tables::{Names, TableNames, TableType};

    const LONG: &str = match std::str::from_utf8(&[b'x'; 4096]) {
        Ok(text) => text,
        Err(_) => "",
    };

    #[derive(Clone, Copy, Debug, Value)]
    #[repr(u8)]
    pub(super) enum Tale {
        Long,
    }
    impl TableType for Tale {
        type As = Names;
    }
    impl TableNames for Tale {
        const NAMES: &'static [(&'static str, Self)] = &[(LONG, Self::Long)];
    }

    #[soa_class]
    pub(super) struct Book {
        pub(super) tale: Tale,
    }

    #[soa_world]
    pub(super) struct Shelf {
        pub(super) books: Objects<Book>,
    }
}

#[test]
fn names_that_are_too_long_together() {
    let mut shelf = long::Shelf::new();
    shelf.books.extend((0..1 << 19).map(|_| long::Book { tale: long::Tale::Long })).unwrap();
    let text = message(shelf.batch::<long::Book>());
    assert!(text.contains("column `tale`") && text.contains("with more processes"), "{text}");
    let fits = long::Shelf::new();
    assert_eq!(fits.batch::<long::Book>().unwrap().num_rows(), 0);
}
