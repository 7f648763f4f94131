//! What is written is read again, whatever the fields and the layout.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use ikra::prelude::*;
use ikra::tables::{Export, Import, Source, TableWorld};
use ikra_tables_tests::{
    Bounded, Bounds, Car, Folder, Plan, Route, Row, Rows, Street, Thing, Things, Tile, Tiles, Town, names, street,
    thing,
};

macro_rules! round_trips {
    ($($test:ident $world:ident $class:ident;)*) => { $(
        #[test]
        fn $test() {
            for len in [1, 2, 63, 129, 1000] {
                let world = $world::of(len);
                let folder = Folder::new();
                world.write_parquet(folder.path("parquet")).unwrap();
                assert_eq!($world::read_parquet(folder.path("parquet")).unwrap().rows(), world.rows());
                world.write_csv(folder.path("csv")).unwrap();
                assert_eq!($world::read_csv(folder.path("csv")).unwrap().rows(), world.rows());
                let batch = world.batch::<$class>().unwrap();
                let (first, second) = (batch.slice(0, len as usize / 3), batch.slice(len as usize / 3, len as usize - len as usize / 3));
                let copy: $world = Import::new().table(Source::<$class>::batches([first, second])).read().unwrap();
                assert_eq!(copy.rows(), world.rows());
                let world = Arc::new(world);
                assert_eq!(world.share_batch::<$class>().unwrap(), batch);
                assert_eq!(names(&folder.path("csv")), [concat!(stringify!($class), ".csv")]);
            }
        }
    )* };
}
round_trips! {
    structure_of_arrays Things Thing;
    array_of_structures Rows Row;
    tiles Tiles Tile;
    fixed_capacity Bounds Bounded;
}

#[test]
fn a_world_without_objects() {
    let folder = Folder::new();
    Town::new().write_parquet(folder.path("town")).unwrap();
    Town::new().write_csv(folder.path("town")).unwrap();
    assert_eq!(names(&folder.path("town")), ["Car.csv", "Car.parquet", "Street.csv", "Street.parquet"]);
    assert!(Town::read_parquet(folder.path("town")).unwrap().streets.is_empty());
    assert!(Town::read_csv(folder.path("town")).unwrap().cars.is_empty());
    let none: Town = Import::new().table(Source::<Car>::batches([])).read().unwrap();
    assert!(none.cars.is_empty());
    assert_eq!(Arc::new(none).share_batch::<Car>().unwrap().num_rows(), 0);
}

#[test]
fn read_worlds_run_kernels() {
    // Links of a world that was read are checked before they are followed, as a program's own.
    let folder = Folder::new();
    Things::of(100).write_parquet(folder.path("")).unwrap();
    let read = Things::read_parquet(folder.path("")).unwrap();
    let sum: u32 = read.all::<Thing>().map(|thing| thing.next().number().unsigned_abs()).sum();
    assert_eq!(sum, 99 * 100 / 2);
}

#[test]
fn arrays_in_an_arena() {
    let mut plan = Plan::new();
    let links: Vec<_> = plan.routes.reserve(5).unwrap().collect();
    for n in 0..5 {
        let route = Route {
            stops: (0..n as u16 * 2).collect(),
            next: links.iter().copied().cycle().skip(n).take(5 - n).collect(),
            cost: n as f32,
        };
        plan.routes.init(links[n], route).unwrap();
    }
    let folder = Folder::new();
    plan.write_parquet(folder.path("")).unwrap();
    let read = Plan::read_parquet(folder.path("")).unwrap();
    assert_eq!(read.routes.iter().collect::<Vec<_>>(), plan.routes.iter().collect::<Vec<_>>());
    let batch = plan.batch::<Route>().unwrap();
    let parts = [batch.slice(3, 2), batch.slice(1, 2)];
    let message = ikra_tables_tests::message(Import::<Plan>::new().table(Source::<Route>::batches(parts)).read());
    assert!(message.contains("there is no row 4 among 4 of class Route"), "{message}");
}

fn town() -> Town {
    let mut town = Town::new();
    let streets: Vec<_> = town
        .streets
        .extend((0..10).map(|n| Street { number: 1000 - n, length: n as f32, next: None }))
        .unwrap()
        .collect();
    for n in 0..9 {
        town.set(streets[n], street::next, Some(streets[n + 1]));
    }
    town.cars.extend((0..30).map(|n| Car { age: n, street: streets[n as usize * 7 % 10] })).unwrap();
    town
}

#[test]
fn links_by_keys() {
    let town = town();
    let folder = Folder::new();
    Export::of(&town).key(street::number).unwrap().parquet(folder.path("")).unwrap();
    Export::of(&town).key(street::number).unwrap().csv(folder.path("")).unwrap();
    let rows = |town: &Town| (town.streets.iter().collect::<Vec<_>>(), town.cars.iter().collect::<Vec<_>>());
    let parquet: Town = Import::new()
        .parquet(folder.path(""))
        .table(Source::<Street>::parquet(folder.path("Street.parquet")).key("number"))
        .read()
        .unwrap();
    assert_eq!(rows(&parquet), rows(&town));
    let csv: Town = Import::new()
        .csv(folder.path(""))
        .table(Source::<Street>::csv(folder.path("Street.csv")).key("number"))
        .read()
        .unwrap();
    assert_eq!(rows(&csv), rows(&town));
    // Keys of one format, links of the other.
    let mixed: Town = Import::new()
        .table(Source::<Street>::csv(folder.path("Street.csv")).key("number"))
        .table(Source::<Car>::parquet(folder.path("Car.parquet")))
        .read()
        .unwrap();
    assert_eq!(rows(&mixed), rows(&town));
}

#[test]
fn removed_objects_have_no_row() {
    let mut town = town();
    let gone: Vec<_> = town.streets.links().filter(|link| link.index() % 3 == 1).collect();
    for car in town.cars.links().collect::<Vec<_>>() {
        let street = town.get(car).street().link();
        town.cars
            .write(
                car,
                Car { age: 0, street: if gone.contains(&street) { Link::from_index(9).unwrap() } else { street } },
            )
            .unwrap();
    }
    for link in gone {
        town.remove(link).unwrap();
    }
    let batch = town.batch::<Street>().unwrap();
    assert_eq!(batch.num_rows(), 7);
    let folder = Folder::new();
    town.write_parquet(folder.path("")).unwrap();
    let read = Town::read_parquet(folder.path("")).unwrap();
    town.compact::<Street>().unwrap();
    assert_eq!(read.streets.iter().collect::<Vec<_>>(), town.streets.iter().collect::<Vec<_>>());
    assert_eq!(read.cars.iter().collect::<Vec<_>>(), town.cars.iter().collect::<Vec<_>>());
}

#[test]
fn columns_are_shared() {
    let world = Arc::new(Things::of(100));
    let batch = world.share_batch::<Thing>().unwrap();
    let address =
        |name: &str| batch.column_by_name(name).unwrap().to_data().buffers().first().map(|buffer| buffer.as_ptr());
    let numbers =
        |batch: &RecordBatch| batch.column_by_name("single").unwrap().as_primitive::<Float32Type>().values().to_vec();
    assert_eq!(address("single"), Some(world.things.column(thing::single).as_ptr().cast()));
    assert_eq!(address("large"), Some(world.things.column(thing::large).as_ptr().cast()));
    let pos = batch.column_by_name("pos").unwrap().as_fixed_size_list();
    assert_eq!(pos.values().to_data().buffers()[0].as_ptr(), world.things.column(thing::pos).as_ptr().cast());
    let matrix = batch.column_by_name("matrix").unwrap().as_fixed_size_list().values().as_fixed_size_list();
    assert_eq!(matrix.values().to_data().buffers()[0].as_ptr(), world.things.column(thing::matrix).as_ptr().cast());
    // Links and atomics are copies.
    assert_ne!(address("next"), Some(world.things.column(thing::next).as_ptr().cast()));
    assert_eq!(batch.column_by_name("next").unwrap().as_primitive::<UInt32Type>().value(0), 1);

    let before = numbers(&batch);
    assert_eq!(Arc::strong_count(&world), 1 + shared_columns(&batch));
    let world = Arc::into_inner(world);
    assert!(world.is_none(), "the batch holds it");
    assert_eq!(numbers(&batch), before);
    // The last owner of a column may be another thread.
    std::thread::spawn(move || drop(batch)).join().unwrap();
}

/// The columns of `Thing` that are shared: those of plain numbers and arrays of them.
fn shared_columns(batch: &RecordBatch) -> usize {
    let shared = ["tiny", "small", "number", "large", "single", "double", "pos", "matrix"];
    assert!(shared.iter().all(|name| batch.column_by_name(name).is_some()));
    shared.len()
}

#[test]
fn files_are_replaced_whole() {
    let folder = Folder::new();
    let path = folder.file("Street.parquet", "old");
    let town = town();
    Export::of(&town).parquet_of::<Street>(&path).unwrap();
    assert_eq!(folder.names(), ["Street.parquet"]);
    let copy: Town = Import::new().table(Source::<Street>::parquet(&path)).read().unwrap();
    assert_eq!(copy.streets.len(), 10);
    // Nothing is left of a failed export, and the file is as before.
    let mut plan = Plan::new();
    plan.routes.push(Route { stops: [1].into(), next: InnerArray::new(), cost: 0.0 }).unwrap();
    let path = folder.file("Route.csv", "old");
    let message = ikra_tables_tests::message(Export::of(&plan).csv_of::<Route>(&path));
    assert!(
        message.contains("Route.csv cannot be written: column `stops` has lists, of which CSV has none; write Parquet"),
        "{message}"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(folder.names(), ["Route.csv", "Street.parquet"]);
}

#[test]
fn into_a_world_with_other_objects() {
    let mut world = town();
    world.cars = Objects::new();
    let folder = Folder::new();
    let cars = folder.file("cars.csv", "road,age\n3,7\n0,8\n");
    Import::new()
        .table(Source::<Car>::csv(&cars).rename(ikra_tables_tests::car::street, "road"))
        .into_world(&mut world)
        .unwrap();
    assert_eq!(
        world.all::<Car>().map(|car| (car.age(), car.street().length())).collect::<Vec<_>>(),
        [(7, 3.0), (8, 0.0)]
    );
    let again = Import::new().table(Source::<Car>::csv(&cars)).into_world(&mut world);
    assert!(ikra_tables_tests::message(again).contains("class Car has objects already"));
    assert_eq!(world.cars.len(), 2);
}

#[test]
fn fields_without_columns() {
    let folder = Folder::new();
    let streets = folder.file("s.csv", "id,length\n\"x,y\",1.5\nz,2\n");
    let world: Town = Import::new()
        .table(Source::<Street>::csv(streets).key("id").fill(street::number, 7).fill(street::next, Link::from_index(1)))
        .read()
        .unwrap();
    assert_eq!(world.streets.column(street::number), [7, 7]);
    assert_eq!(world.all::<Street>().next().unwrap().next().unwrap().length(), 2.0);
}
