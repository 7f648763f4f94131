//! What is written is read again, whatever the fields and the layout.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, UInt32Type};
use arrow_array::{Array, ArrayRef, Float32Array, Float64Array, ListArray, RecordBatch};
use ikra::prelude::*;
use ikra::tables::{Checkpoints, Export, Import, Source, TableError, TableWorld};
use ikra_tables_tests::{
    Bounded, Bounds, Car, Folder, Net, Node, Plan, Route, Row, Rows, Street, Thing, Things, Tile, Tiles, Town, message,
    names, route, street, thing,
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
fn fields_with_names_that_begin_alike() {
    let (folder, net) = (Folder::new(), Net::of(50));
    net.write_parquet(folder.path("")).unwrap();
    assert_eq!(Net::read_parquet(folder.path("")).unwrap().rows(), net.rows());
    let mut checkpoints = Checkpoints::open(folder.path("run")).unwrap();
    checkpoints.write(&net, 1).unwrap();
    checkpoints.wait().unwrap();
    assert_eq!(checkpoints.newest::<Net>().unwrap().unwrap().world.rows(), net.rows());
    let batch = Arc::new(net).share_batch::<Node>().unwrap();
    let names: Vec<_> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["near", "near_weights", "colour_red", "colour_rest", "colour_old"]);
}

#[test]
fn ignored_columns_with_names_that_begin_alike() {
    let things = Things::of(3);
    let lists = |lens: [usize; 3]| -> ArrayRef {
        Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(lens.map(|len| Some(vec![Some(1.0); len]))))
    };
    let batch = things.batch::<Thing>().unwrap();
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        match column.as_fixed_size_list_opt().filter(|_| field.name() == "pos") {
            None => columns.push((field.name().clone(), Arc::clone(column))),
            Some(list) => (0..2).for_each(|n| {
                let values = list.values().as_primitive::<Float32Type>().values();
                let column: Float32Array = (0..3).map(|row| Some(values[2 * row + n])).collect();
                columns.push((format!("pos_{n}"), Arc::new(column)));
            }),
        }
    }
    columns.push(("pos_history".to_owned(), lists([2, 0, 1])));
    columns.push(("slots_other".to_owned(), lists([1, 2, 3])));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let read: Things = Import::new().table(Source::<Thing>::batches([batch])).read().unwrap();
    assert_eq!(read.rows(), things.rows());
    let plan = RecordBatch::try_from_iter([
        ("stops", lists([1, 2, 0])),
        ("stops_other", lists([2, 2, 2])),
        ("next", lists([0, 0, 0])),
        ("cost", Arc::new(Float32Array::from(vec![1.0; 3])) as ArrayRef),
    ]);
    let plan: Plan = Import::new()
        .table(Source::<Route>::batches([plan.unwrap()]).fill(route::next, InnerArray::new()))
        .read()
        .unwrap();
    assert_eq!(plan.routes.iter().map(|route| route.stops.len()).collect::<Vec<_>>(), [1, 2, 0]);
}

#[test]
fn integers_of_texts_are_exact() {
    let folder = Folder::new();
    let numbers = ["9007199254740993", "9007199254740993.0", "9.007199254740993e15", "18446744073709551615.00"];
    let file = folder.file("s.csv", format!("number\n{}\n", numbers.join("\n")));
    let streets = || Source::<Street>::csv(&file).fill(street::length, 1.0).fill(street::next, None);
    let read: Town = Import::new().table(streets()).read().unwrap();
    assert_eq!(
        read.streets.column(street::number),
        [9_007_199_254_740_993; 3].into_iter().chain([u64::MAX]).collect::<Vec<_>>()
    );
    folder.file("s.csv", "number\n0.99999999999999999999\n1.00000000000000000001\n18446744073709551616.0\n");
    let error = message(Import::<Town>::new().table(streets()).read());
    assert!(error.starts_with("3 values") && error.contains("`1.00000000000000000001` is no u64"), "{error}");
    folder.file("s.csv", "number,length,next\n1,1,0.0\n2,1,1.00000000000000000001\n3,1,0.5\n");
    let error = message(Import::<Town>::new().table(Source::<Street>::csv(&file)).read());
    assert!(error.starts_with("2 values") && error.contains("there is no row 0.5"), "{error}");
    assert!(error.contains("`1.00000000000000000001` is no integer"), "{error}");
}

/// pandas writes a column of integers with gaps as floats.
#[test]
fn keys_that_are_floats() {
    let folder = Folder::new();
    let read = |keys: &str, links: &str| -> Result<Vec<Option<usize>>, TableError> {
        let rows = keys.split(' ').zip(links.split(' '));
        let text: String = rows.map(|(key, link)| format!("{key},{link},1,1\n")).collect();
        let file = folder.file("s.csv", format!("id,next,number,length\n{text}"));
        let town: Town = Import::new().table(Source::<Street>::csv(file).key("id")).read()?;
        Ok(town.streets.iter().map(|street| street.next.map(Link::index)).collect())
    };
    let links = [Some(1), None, Some(0)];
    for (keys, found) in
        [("7 8 9", "8.0  7.0"), ("7 8 9", "8 NaN 7"), ("7.0 8.0 9.0", "8 nan 7"), ("7.0 8.0 9.0", "8.00 NaN 7.0")]
    {
        assert_eq!(read(keys, found).unwrap(), links, "{keys}: {found}");
    }
    assert_eq!(read("a NaN 9", "NaN NaN a").unwrap(), [Some(1), Some(1), Some(0)]);
    assert!(message(read("7 8 9", "8.5 7 7")).contains("no Street has the key `8.5`"));
    assert!(message(read("7 7.0 9", "7 7 7")).contains("key `7` is that of row 0 too"));
    // NaN in Arrow's floats, where links may not be empty.
    let floats = |values: [f64; 2]| -> ArrayRef { Arc::new(Float64Array::from(values.to_vec())) };
    let read = |keys: [f64; 2], links: [f64; 2]| -> Result<Town, TableError> {
        let streets = RecordBatch::try_from_iter([("id", floats(keys))]).unwrap();
        let streets = Source::<Street>::batches([streets]).key("id").fill(street::number, 1).fill(street::length, 1.0);
        let cars = RecordBatch::try_from_iter([("age", floats([1.0; 2])), ("street", floats(links))]).unwrap();
        Import::new().table(streets.fill(street::next, None)).table(Source::<Car>::batches([cars])).read()
    };
    assert_eq!(
        read([7.0, 8.0], [8.0, 7.0]).unwrap().cars.iter().map(|car| car.street.index()).collect::<Vec<_>>(),
        [1, 0]
    );
    let empty = message(read([7.0, 8.0], [f64::NAN, 7.0]));
    assert!(empty.contains("row 0, column `street`: empty"), "{empty}");
    let empty = message(read([7.0, f64::NAN], [7.0, 7.0]));
    assert!(empty.contains("row 1, column `id`: empty"), "{empty}");
}

#[test]
fn one_column_with_empty_values() {
    let (folder, mut chain) = (Folder::new(), chain::Chain::new());
    let first = chain.parts.push(chain::Part { next: None }).unwrap();
    chain.parts.extend([Some(first), None, None].map(|next| chain::Part { next })).unwrap();
    chain.write_csv(folder.path("")).unwrap();
    let read = chain::Chain::read_csv(folder.path("")).unwrap();
    assert_eq!(read.parts.column(chain::part::next), chain.parts.column(chain::part::next));
}

/// A class with one field.
mod chain {
    use ikra::prelude::*;

    #[soa_class]
    pub(super) struct Part {
        pub(super) next: Option<Link<Part>>,
    }
    #[soa_world]
    pub(super) struct Chain {
        pub(super) parts: Objects<Part>,
    }
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
        ("\n0,Car,", "\n,Car,", "column `first_row`: empty, although `first_class` is Car"),
        ("\n0,Car,", "\n-1,Car,", "column `first_row`: there is no such row"),
        ("\n0,Car,", "\n0,Dealer,", "column `first_class`: `Dealer` is none of `Car`, `Bike`"),
        ("\n0,Car,", "\n,,", "column `first_row`: empty; only fields of an `Option` may be"),
        ("\n7,Bike,1,Bike,", "\n7,Bike,1,,", "column `second_class`: empty, although `second_row` has a number"),
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
