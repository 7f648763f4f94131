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

/// Links of a trait.
mod owners {
    use ikra::prelude::*;

    #[soa_class]
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct Car {
        pub(super) km: u32,
    }
    #[soa_class]
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct Bike {
        pub(super) gears: u8,
    }
    #[soa_dispatch(Car, Bike)]
    pub(super) trait Vehicle {}
    #[soa_methods]
    impl Vehicle for Car {}
    #[soa_methods]
    impl Vehicle for Bike {}

    #[soa_class]
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct Owner {
        pub(super) first: VehicleLink,
        pub(super) second: Option<VehicleLink>,
        pub(super) pair: [Option<VehicleLink>; 2],
    }
    #[soa_class]
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct Dealer {
        #[inline_array(2)]
        pub(super) all: InnerArray<VehicleLink>,
    }
    #[soa_methods]
    impl Car {
        #[kernel]
        fn scrap(&mut self) {
            if self.km % 3 == 1 {
                self.remove();
            }
        }
    }
    #[soa_world]
    pub(super) struct Market {
        pub(super) cars: Objects<Car>,
        pub(super) bikes: Objects<Bike>,
        pub(super) owners: Objects<Owner>,
        pub(super) dealers: Objects<Dealer>,
    }

    impl Market {
        pub(super) fn new_of(len: u32) -> Self {
            let mut market = Self::new();
            market.cars.extend((0..len).map(|km| Car { km })).unwrap();
            market.bikes.extend((0..len).map(|n| Bike { gears: n as u8 })).unwrap();
            let link = |n: u32| -> VehicleLink {
                let index = (n % len) as usize;
                if n.is_multiple_of(2) {
                    Link::<Car>::from_index(index / 3 * 3).unwrap().into()
                } else {
                    Link::<Bike>::from_index(index).unwrap().into()
                }
            };
            let owner = |n: u32| Owner {
                first: link(7 * n),
                second: (!n.is_multiple_of(3)).then(|| link(n)),
                pair: [None, Some(link(n + 1))],
            };
            market.owners.extend((0..len).map(owner)).unwrap();
            for n in 0..len {
                let all: Vec<_> = (0..n % 5).map(|k| link(n * k)).collect();
                market.dealers.push(Dealer { all: InnerArray::from(&*all) }).unwrap();
            }
            market
        }
        /// Removes every third car, to which nothing is a link.
        pub(super) fn thin_out(&mut self) {
            self.execute(Car::scrap, ());
        }
        pub(super) fn rows(&self) -> (Vec<Car>, Vec<Owner>, Vec<Dealer>) {
            (self.cars.iter().collect(), self.owners.iter().collect(), self.dealers.iter().collect())
        }
    }
}

#[test]
fn links_of_a_trait() {
    use owners::{Bike, Car, Dealer, Market, Owner};

    let folder = Folder::new();
    let mut market = Market::new_of(60);
    market.write_parquet(folder.path("market")).unwrap();
    assert_eq!(Market::read_parquet(folder.path("market")).unwrap().rows(), market.rows());
    let file = folder.path("owners.csv");
    Export::of(&market).csv_of::<Owner>(&file).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let head = "first_row,first_class,second_row,second_class,pair_0_row,pair_0_class,pair_1_row,pair_1_class\n0,Car,,,,,1,Bike\n7,Bike,1,Bike,,,0,Car\n";
    assert!(text.starts_with(head), "{text}");
    let read = |text: &str| {
        let file = folder.file("read.csv", text);
        let mut read = Market::new_of(60);
        read.clear::<Owner>().unwrap();
        Import::new()
            .table(Source::<Owner>::csv(file))
            .into_world(&mut read)
            .map(|()| read.owners.iter().collect::<Vec<_>>())
    };
    assert_eq!(read(&text).unwrap(), market.rows().1);
    for (from, to, problem) in [
        ("\n0,Car,", "\n60,Car,", "column `first_row`: there is no such row among 60 of class Car"),
        ("\n0,Car,", "\n,Car,", "column `first_row`: there is no such row"),
        ("\n0,Car,", "\n-1,Car,", "column `first_row`: there is no such row"),
        ("\n0,Car,", "\n0,Dealer,", "column `first_class`: `Dealer` is none of `Car`, `Bike`"),
        ("\n0,Car,", "\n,,", "column `first_row`: empty; only fields of an `Option` may be"),
        ("\n7,Bike,1,Bike,", "\n7,Bike,1,,", "column `second_class`: `` is none of `Car`, `Bike`"),
    ] {
        let error = ikra_tables_tests::message(read(&text.replacen(from, to, 1)));
        assert!(error.contains(problem), "{error}");
    }
    // With removed objects: rows are numbered anew in tables, and not in checkpoints.
    market.thin_out();
    market.write_parquet(folder.path("fewer")).unwrap();
    let mut fewer = Market::read_parquet(folder.path("fewer")).unwrap();
    let mut checkpoints = ikra::tables::Checkpoints::open(folder.path("run")).unwrap();
    checkpoints.write(&market, 1).unwrap();
    checkpoints.wait().unwrap();
    let saved = checkpoints.newest::<Market>().unwrap().unwrap().world;
    assert_eq!(saved.rows(), market.rows());
    assert!(saved.cars.links().eq(market.cars.links()));
    market.compact::<Car>().unwrap();
    fewer.compact::<Bike>().unwrap();
    assert_eq!(fewer.rows(), market.rows());
    assert!(market.rows().2.iter().any(|Dealer { all }| all.len() == 4));
}
