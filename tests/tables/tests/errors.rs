//! Bad tables give one line that says where and what to do.

use std::sync::Arc;

use arrow_array::types::Float32Type;
use arrow_array::{ArrayRef, Float64Array, Int64Array, ListArray, RecordBatch, StringArray, UInt8Array};
use arrow_schema::{Field, Schema};
use ikra::prelude::*;
use ikra::tables::{Checkpoints, Export, Import, Source, TableError, TableWorld};
use ikra_tables_tests::{Car, Colour, Folder, Street, Thing, Things, Town, car, message, street};

fn read(streets: Source<Street>, cars: Source<Car>) -> Result<Town, TableError> {
    Import::new().table(streets).table(cars).read()
}

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn streets() -> Source<Street> {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![10, 20]));
    Source::batches([batch([("number", numbers)])]).key("number").fill(street::length, 1.0).fill(street::next, None)
}

#[test]
fn all_bad_rows_are_in_one_error() {
    let folder = Folder::new();
    let streets = folder.file("s.csv", "name,number,length,next\nElm,-1,1,\nOak,2,,Elm\nElm,3,1,Fir\n,4,1,\n");
    let cars = folder.file("c.csv", "age,street\n300,Elm\n,Oak\n7,\n8,Ash\n9,Oak\n");
    let error = read(Source::csv(&streets).key("name"), Source::csv(&cars)).err().unwrap();
    let text = message::<()>(Err(error));
    let streets = streets.display();
    let cars = cars.display();
    assert_eq!(
        text,
        format!(
            "9 values cannot be read, and nothing was: in {streets} for class Street, row 3, column `name`: empty; \
             row 2, column `name`: key `Elm` is that of row 0 too; \
             row 0, column `number`: `-1` is no u64; row 1, column `length`: empty; row 2, column `next`: no Street has the key `Fir`; \
             in {cars} for class Car, row 1, column `age`: empty; row 0, column `age`: `300` is no u8; \
             row 2, column `street`: empty; only fields of type `Option<Link<_>>` may be; \
             row 3, column `street`: no Street has the key `Ash`. Rows count from 0; correct them in the table"
        )
    );
}

#[test]
fn many_bad_rows_are_counted() {
    let ages: ArrayRef = Arc::new(Int64Array::from_iter_values((0..100_000).map(|n| n + 200)));
    let links: ArrayRef = Arc::new(StringArray::from(vec!["20"; 100_000]));
    let whole = batch([("age", ages), ("street", links)]);
    let parts: Vec<_> = (0..100).map(|n| whole.slice(n * 1000, 1000)).collect();
    let TableError::BadRows(bad) = read(streets(), Source::batches(parts)).err().unwrap() else { panic!() };
    assert_eq!((bad.count(), bad.rows().len()), (100_000 - 56, 20));
    // The first ones, whichever thread found them.
    assert!(bad.rows().iter().map(|row| row.row).eq(56..76));
    assert!(bad.to_string().ends_with("; and 99924 more. Rows count from 0; correct them in the table"));
}

#[test]
fn missing_and_wrong_columns() {
    let ages: ArrayRef = Arc::new(UInt8Array::from(vec![1]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["20"]));
    let cars = || Source::<Car>::batches([batch([("age", Arc::clone(&ages)), ("road", Arc::clone(&text))])]);
    assert_eq!(
        message(read(streets(), cars())),
        "the table of batches has no column `street` for class Car; it has `age`, `road`: name another column by `rename`, or give all objects one value by `fill`"
    );
    assert!(read(streets(), cars().rename(car::street, "road")).is_ok());
    assert_eq!(
        message(read(streets(), cars().rename(car::street, "road").rename(car::age, "road"))),
        "the table of batches: column `road` has values of type Utf8, and class Car needs numbers; convert the column in the program that wrote it"
    );
    let unkeyed =
        Source::batches([batch([("number", Arc::clone(&ages))])]).fill(street::length, 1.0).fill(street::next, None);
    assert!(
        message(read(unkeyed, cars().rename(car::street, "road")))
            .contains("`road` has values of type Utf8, and class Car needs the numbers of rows of another table")
    );
    let no_key = Source::batches([batch([("number", Arc::clone(&ages))])]).key("id");
    assert!(message(read(no_key, cars())).contains("has no column `id` for class Street; it has `number`"));
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.5]));
    let key = Source::batches([batch([("number", floats)])]).key("number").fill(street::number, 1);
    let key = key.fill(street::length, 1.0).fill(street::next, None);
    assert!(
        message(read(key, cars().rename(car::street, "road")))
            .contains("row 0, column `number`: 1.5 is no integer of 64 bits, and so no key")
    );
}

/// Classes with two fields of one column.
mod twice {
    use ikra::prelude::*;
    use ikra_tables_tests::Colour;

    #[soa_class]
    pub(super) struct Car {
        pub(super) colour: Colour,
        pub(super) colour_red: f32,
    }
    #[soa_class]
    pub(super) struct Bike {
        pub(super) pos: [f32; 2],
        pub(super) pos_0: f32,
    }
    #[soa_dispatch(Car, Bike)]
    pub(super) trait Vehicle {}
    #[soa_methods]
    impl Vehicle for Car {}
    #[soa_methods]
    impl Vehicle for Bike {}
    #[soa_class]
    pub(super) struct Owner {
        pub(super) first: VehicleLink,
        pub(super) first_row: u32,
    }
    #[soa_world]
    pub(super) struct Market {
        pub(super) cars: Objects<Car>,
        pub(super) bikes: Objects<Bike>,
        pub(super) owners: Objects<Owner>,
    }
}

#[test]
fn two_fields_with_one_column() {
    use twice::{Bike, Car, Market, Owner, bike, car};

    let (folder, mut market) = (Folder::new(), Market::new());
    let link = market.cars.push(Car { colour: Colour::default(), colour_red: 9.0 }).unwrap();
    market.bikes.push(Bike { pos: [1.0, 2.0], pos_0: 9.0 }).unwrap();
    market.owners.push(Owner { first: link.into(), first_row: 7 }).unwrap();
    assert_eq!(
        message(market.batch::<Car>()),
        "Car cannot be written: fields `colour` and `colour_red` both have a column `colour_red`; give one of them another name"
    );
    assert!(message(market.batch::<Owner>()).contains("fields `first` and `first_row` both have a column `first_row`"));
    // Parquet has one column for `pos`.
    assert!(Export::of(&market).parquet_of::<Bike>(folder.path("bikes.parquet")).is_ok());
    let bikes = message(Export::of(&market).csv_of::<Bike>(folder.path("bikes.csv")));
    assert!(bikes.contains("bikes.csv cannot be written: fields `pos` and `pos_0` both"), "{bikes}");
    assert!(bikes.ends_with("another name; the file that was there before is unchanged"), "{bikes}");
    let mut checkpoints = Checkpoints::open(folder.path("run")).unwrap();
    assert!(message(checkpoints.write(&market, 1)).contains("fields `colour` and `colour_red` both"));
    assert!(Export::of(&market).skip(car::colour_red).batch::<Car>().is_ok());

    // A reader would take one column for both fields.
    let read = |path: &std::path::Path| Import::<Market>::new().table(Source::<Bike>::csv(path)).read();
    let bikes = folder.file("bikes.csv", "pos_0,pos_1\n1,2\n");
    assert_eq!(
        message(read(&bikes)),
        format!(
            "{}: fields `pos` and `pos_0` of class Bike both have a column `pos_0`; give one of them another name, or name another column by `rename`",
            bikes.display()
        )
    );
    let cars = folder.file("cars.csv", "colour_red,colour_rest_0,colour_rest_1,other\n1,2,3,4\n");
    let cars = || Source::<Car>::csv(&cars);
    let text = message(Import::<Market>::new().table(cars()).read());
    assert!(text.contains("fields `colour` and `colour_red` of class Car both"), "{text}");
    let read: Market = Import::new().table(cars().rename(car::colour_red, "other")).read().unwrap();
    assert_eq!(read.cars.column(car::colour_red), [4.0]);
    let read: Market = Import::new().table(cars().fill(car::colour_red, 5.0)).read().unwrap();
    assert_eq!(read.cars.column(car::colour_red), [5.0]);
    let owners = folder.file("owners.csv", "first_row,first_class\n0,Car\n");
    let owners = Import::<Market>::new().table(Source::<Owner>::csv(owners)).read();
    assert!(message(owners).contains("fields `first` and `first_row` of class Owner both"));
    // Lists and single numbers are two columns.
    let again = Import::<Market>::new().table(Source::<Bike>::parquet(folder.path("bikes.parquet"))).read().unwrap();
    assert_eq!(again.bikes.column(bike::pos_0), [9.0]);
    let lengths = folder.file("streets.csv", "number,next\n7,\n");
    let town: Town =
        Import::new().table(Source::<Street>::csv(lengths).rename(street::length, "number")).read().unwrap();
    assert_eq!((town.streets.column(street::number), town.streets.column(street::length)), (&[7][..], &[7.0][..]));
}

/// A class without columns.
mod bare {
    use ikra::prelude::*;

    #[soa_class]
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct Mark {
        pub(super) nothing: [u32; 0],
    }
    #[soa_class]
    pub(super) struct Note {
        pub(super) mark: Link<Mark>,
    }
    #[soa_world]
    pub(super) struct Marks {
        pub(super) notes: Objects<Note>,
        pub(super) marks: Objects<Mark>,
    }
}

#[test]
fn files_need_columns() {
    use bare::{Mark, Marks, Note, note};

    let (folder, mut marks) = (Folder::new(), Marks::new());
    let links: Vec<_> = (0..3).map(|_| marks.marks.push(Mark { nothing: [] }).unwrap()).collect();
    marks.notes.push(Note { mark: links[2] }).unwrap();
    let path = folder.path("marks");
    for error in [message(marks.write_parquet(&path)), message(marks.write_csv(&path))] {
        assert!(
            error.contains("class Mark has no columns, and files have no rows without columns; add a field"),
            "{error}"
        );
    }
    assert_eq!(ikra_tables_tests::names(&path), [] as [&str; 0]);
    let skipped = Export::of(&marks).skip(note::mark).parquet_of::<Note>(folder.path("notes.parquet"));
    assert!(message(skipped).contains("class Note has no columns"));
    // Batches and checkpoints have numbers of rows.
    let batch = marks.batch::<Mark>().unwrap();
    let again: Marks = Import::new().table(Source::<Mark>::batches([batch])).read().unwrap();
    assert_eq!(again.marks.len(), 3);
    let mut checkpoints = Checkpoints::open(folder.path("run")).unwrap();
    checkpoints.write(&marks, 1).unwrap();
    checkpoints.wait().unwrap();
    let again = checkpoints.newest::<Marks>().unwrap().unwrap().world;
    assert_eq!((again.marks.len(), again.all::<Note>().next().unwrap().mark().link()), (3, links[2]));
}

#[test]
fn two_columns_of_one_name() {
    let folder = Folder::new();
    let cars = folder.file("c.csv", "age,street,age\n1,0,2\n");
    assert_eq!(
        message(read(streets(), Source::csv(&cars))),
        format!("{} has several columns `age`, and class Car reads one; give the others other names", cars.display())
    );
    // Others may be called the same.
    let cars = folder.file("c.csv", "age,street,x,x\n1,10,2,3\n");
    assert!(read(streets(), Source::csv(cars)).is_ok());
    let keys = folder.file("s.csv", "id,length,id\n7,1,8\n8,2,7\n");
    let keys = message(read(Source::csv(keys).key("id"), Source::batches([])));
    assert!(keys.contains("has several columns `id`"), "{keys}");
    let ages: ArrayRef = Arc::new(UInt8Array::from(vec![1]));
    let columns = [("age", &ages), ("street", &ages), ("street", &ages)];
    let fields: Vec<_> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), false)).collect();
    let columns = columns.map(|(_, column)| Arc::clone(column)).to_vec();
    let cars = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
    assert!(message(read(streets(), Source::batches([cars]))).contains("has several columns `street`"));
}

#[test]
fn links_to_rows_that_do_not_exist() {
    let links: ArrayRef = Arc::new(Float64Array::from(vec![
        Some(0.0),
        Some(1.0),
        Some(-1.0),
        Some(0.5),
        Some(f64::NAN),
        None,
        Some(1e300),
    ]));
    let ages: ArrayRef = Arc::new(UInt8Array::from(vec![0; 7]));
    let unkeyed = Source::batches([batch([("number", Arc::new(Int64Array::from(vec![5])) as ArrayRef)])]);
    let unkeyed = unkeyed.fill(street::length, 1.0).fill(street::next, None);
    let text = message(read(unkeyed, Source::batches([batch([("age", ages), ("street", links)])])));
    for problem in [
        "row 1, column `street`: there is no row 1 among 1 of class Street",
        "no row -1 ",
        "no row 0.5 ",
        "row 4, column `street`: empty",
        "row 5, column `street`: empty",
        "no row 1e300 ",
    ] {
        assert!(text.contains(problem), "{problem}: {text}");
    }
}

#[test]
fn lists_of_other_lengths() {
    let pos = ListArray::from_iter_primitive::<Float32Type, _, _>([
        Some(vec![Some(1.0), Some(2.0)]),
        Some(vec![Some(1.0)]),
        None,
        Some(vec![None, Some(1.0)]),
    ]);
    let world = Things::of(4);
    let batch = world.batch::<Thing>().unwrap();
    let place = batch.schema().index_of("pos").unwrap();
    let mut columns: Vec<_> =
        batch.schema().fields().iter().map(|field| field.name().clone()).zip(batch.columns().to_vec()).collect();
    columns[place].1 = Arc::new(pos);
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let text = message(Import::<Things>::new().table(Source::<Thing>::batches([batch])).read());
    assert!(text.contains("row 1, column `pos`: a list of 1, not of 2"), "{text}");
    assert!(text.contains("row 2, column `pos`: empty"), "{text}");
}

#[test]
fn files_that_are_none() {
    let folder = Folder::new();
    let parquet = |path: &std::path::Path| message(Import::<Town>::new().table(Source::<Car>::parquet(path)).read());
    let csv = |path: &std::path::Path| message(Import::<Town>::new().table(Source::<Car>::csv(path)).read());
    for read in [&parquet as &dyn Fn(&std::path::Path) -> String, &csv] {
        let text = read(&folder.path("none"));
        assert!(text.contains("none: No such file") && text.contains("check that the path is right"), "{text}");
        assert!(read(&folder.path("")).contains("check that the path is right"), "{}", read(&folder.path("")));
    }
    for contents in ["", "PAR1", "no Parquet at all", "PAR1PAR1PAR1"] {
        let text = parquet(&folder.file("car.parquet", contents));
        assert!(text.contains("car.parquet cannot be read: ") && text.contains("is a whole Parquet file"), "{text}");
    }
    for contents in ["", "\n\n", "age,street\n1\n", "age,street\n\"1,0\n", "age,street\n1,0,2\n"] {
        let text = csv(&folder.file("car.csv", contents));
        assert!(
            text.contains("car.csv cannot be read: ") && text.contains("is a whole CSV file"),
            "{contents:?}: {text}"
        );
    }
    let text = csv(&folder.file("car.csv", "age,street\nx,0\n2,y\n3,7\n"));
    assert!(
        text.contains("row 0, column `age`: `x` is no u8")
            && text.contains("row 1, column `street`: `y` is no integer"),
        "{text}"
    );
    assert!(text.starts_with("4 values") && text.contains("there is no row 7 among 0 of class Street"), "{text}");
    assert!(csv(&folder.file("car.csv", "a,b\n1,2\n")).contains("has no column `age` for class Car; it has `a`, `b`:"));
    assert!(csv(&folder.file("car.csv", b"age,street\n\xff,0\n")).contains("cannot be read"));
    // What spreadsheets write.
    let marked = folder.file("marked.csv", "\u{feff}number,length,next\r\n1,2,\r\n");
    let town: Town = Import::new().table(Source::<Street>::csv(marked)).read().unwrap();
    assert_eq!(town.streets.column(street::length), [2.0]);
}

#[cfg(unix)]
#[test]
fn pipes_are_refused() {
    let folder = Folder::new();
    let pipe = folder.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Nobody writes to the pipe: whoever opens it waits.
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for source in [Source::<Car>::csv(&pipe), Source::parquet(&pipe), Source::csv("/dev/null")] {
            sender.send(message(Import::<Town>::new().table(source).read())).unwrap();
        }
    });
    for _ in 0..3 {
        let text = receiver.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
        assert!(text.contains(": this is a pipe or a device") && text.contains("copy it into a file"), "{text}");
    }
}

#[test]
fn export_refuses_bad_links_and_keys() {
    let mut town = Town::new();
    town.cars.push(Car { age: 1, street: Link::from_index(0).unwrap() }).unwrap();
    assert_eq!(
        message(town.batch::<Car>()),
        "`Car::street` of the object in row 0 is a link to an object of class Street that does not exist; store another link, or remove the object"
    );
    let key = Export::of(&town).key(street::length).map(drop);
    assert!(message(key).contains("`Street::length` cannot be the key of its class: a key is integers or texts"));
    let key = Export::of(&Things::of(3)).key(ikra_tables_tests::thing::pos).map(drop);
    assert!(message(key).contains("a key is one column, and it has 2"));
    let folder = Folder::new();
    let result = town.write_parquet(folder.path("town"));
    assert!(message(result).contains("Car::street"));
    assert_eq!(ikra_tables_tests::names(&folder.path("town")), [] as [&str; 0]);
}

#[test]
fn parquet_without_the_columns() {
    let folder = Folder::new();
    Things::of(3).write_parquet(folder.path("")).unwrap();
    let cars = || Source::<Car>::parquet(folder.path("Thing.parquet"));
    let text = message(read(streets(), cars()));
    assert!(
        text.contains("has no column `age` for class Car; it has `tiny`, `small`, ")
            && text.contains(" and 10 more: name"),
        "{text}"
    );
    let text = message(read(Source::parquet(folder.path("Thing.parquet")).key("id"), cars()));
    assert!(text.contains("has no column `id` for class Street; it has `tiny`"), "{text}");
    // No column is needed at all.
    let town = read(streets(), cars().fill(car::age, 1).fill(car::street, Link::from_index(1).unwrap())).ok().unwrap();
    assert_eq!(town.cars.column(car::age), [1; 3]);
}

#[test]
fn links_to_a_class_with_removed_objects() {
    let mut town = read(streets(), Source::batches([])).ok().unwrap();
    let first = town.streets.links().next().unwrap();
    town.remove(first).unwrap();
    let ages: ArrayRef = Arc::new(UInt8Array::from(vec![1]));
    let links: ArrayRef = Arc::new(UInt8Array::from(vec![0]));
    let cars = || Source::<Car>::batches([batch([("age", Arc::clone(&ages)), ("street", Arc::clone(&links))])]);
    let text = message(Import::new().table(cars()).into_world(&mut town));
    assert!(
        text.contains("objects of class Street were removed (1)") && text.contains("world.compact::<Street>()"),
        "{text}"
    );
    assert_eq!(town.cars.len(), 0);
    town.compact::<Street>().unwrap();
    Import::new().table(cars()).into_world(&mut town).unwrap();
    assert_eq!(town.all::<Car>().next().unwrap().street().number(), 20);
}

#[test]
fn quotes_that_are_not_closed() {
    let folder = Folder::new();
    let csv = |contents: &str| {
        let path = folder.file("s.csv", contents);
        let source = Source::<Street>::csv(path).fill(street::number, 1).fill(street::next, None);
        Import::<Town>::new().table(source).read()
    };
    let many = "1,Elm\n".repeat(5000);
    for (contents, line) in [
        ("length,name\n1,Elm\n2,\"Oak\n3,Fir\n".to_owned(), 3),
        ("length,name\n1,\"Elm\n2,Oak,3\n3,Fir\n".to_owned(), 2),
        ("length,name\n\"1,Elm\n2,Oak\n".to_owned(), 2),
        ("length,\"name\n1,Elm\n".to_owned(), 1),
        ("length,name\n1,\"a\nb\"\n2,\"\"\"\"\n3,\"\"\"\n4,Elm\n".to_owned(), 5),
        (format!("length,name\n{many}2,\"Oak\n{many}"), 5002),
        // The row is too long before the quote.
        (format!("length,name\n1,Elm,2\n{many}2,\"Oak\n{many}"), 5003),
    ] {
        let text = message(csv(&contents));
        let expected =
            format!("s.csv cannot be read: the quote that begins a value in line {line} is not closed; check");
        assert!(text.contains(&expected), "{text}");
    }
    for name in
        ["\"Elm\"", "El\"m", "Elm\"", "\"El\"\"m\"", "\"a,\nb\"", "\"\"", "\"Elm\"s", "\"\"\"\"", "\"a\"\"\nb\""]
    {
        for end in ["", "\n", "\r\n"] {
            let contents = format!("length,name\n1,{name}\n2,{name}{end}");
            assert_eq!(csv(&contents).unwrap().streets.column(street::length), [1.0, 2.0], "{contents:?}");
            let contents = format!("length,name\n{many}2,{name}\n{many}");
            assert_eq!(csv(&contents).unwrap().streets.len(), 10_001, "{contents:?}");
        }
    }
}

#[test]
fn filled_links_are_to_objects() {
    let link = |index| Link::<Street>::from_index(index).unwrap();
    let cars = |rows: u8, index| {
        let ages: ArrayRef = Arc::new(UInt8Array::from_iter_values(0..rows));
        Source::<Car>::batches([batch([("age", ages)])]).fill(car::street, link(index))
    };
    let town = read(streets(), cars(3, 1)).ok().unwrap();
    assert_eq!(town.cars.column(car::street), [link(1); 3]);
    assert_eq!(
        message(read(streets(), cars(3, 2))),
        "`Car::street` of the object in row 0 is a link to an object of class Street that does not exist; store another link, or remove the object"
    );
    // No object has the link.
    assert!(read(streets(), cars(0, 2)).is_ok());
    assert!(message(read(streets().fill(street::next, Some(link(99))), cars(1, 0))).contains("`Street::next`"));
    assert!(read(streets().fill(street::next, Some(link(1))), cars(1, 0)).is_ok());
    // Objects that were removed before.
    let mut town = read(streets(), Source::batches([])).ok().unwrap();
    town.remove(link(0)).unwrap();
    let text = message(Import::new().table(cars(1, 0)).into_world(&mut town));
    assert!(text.contains("`Car::street` of the object in row 0 is a link to an object of class Street"), "{text}");
    Import::new().table(cars(1, 1)).into_world(&mut town).unwrap();
    assert_eq!(town.all::<Car>().next().unwrap().street().number(), 20);
}

#[test]
fn batches_with_other_columns() {
    let number = |number| Arc::new(Int64Array::from(vec![number])) as ArrayRef;
    let good = || batch([("number", number(10))]);
    let streets = |batches: Vec<RecordBatch>| {
        let source = Source::<Street>::batches(batches).fill(street::length, 1.0).fill(street::next, None);
        Import::<Town>::new().table(source)
    };
    let text = message(streets(vec![good(), batch([("other", number(1)), ("more", number(1))])]).read());
    assert!(text.contains("has no column `number` for class Street; it has `other`, `more`: name"), "{text}");
    let nothing = RecordBatch::new_empty(Arc::new(Schema::empty()));
    assert_eq!(streets(vec![nothing.clone(), good(), nothing.clone()]).read().unwrap().streets.len(), 1);
    let keyed = |batches: Vec<RecordBatch>| {
        let source = Source::<Street>::batches(batches).key("number").fill(street::length, 1.0);
        Import::<Town>::new().table(source.fill(street::next, None)).read()
    };
    assert_eq!(keyed(vec![nothing, good()]).unwrap().streets.len(), 1);
    let text = message(keyed(vec![good(), batch([("other", number(1))])]));
    assert!(text.contains("has no column `number` for class Street; it has `other`: name"), "{text}");
}

#[test]
fn single_values_are_no_arrays() {
    use twice::{Bike, Market, bike};

    let pos: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
    let bikes = Source::<Bike>::batches([batch([("pos", pos)])]).fill(bike::pos_0, 1.0);
    let text = message(Import::<Market>::new().table(bikes).read());
    assert!(
        text.contains("column `pos` has values of type Float64, and class Bike needs lists, or for each"),
        "{text}"
    );
}

#[test]
fn large_floats_are_keys() {
    let keys = |key: f64| {
        let names: ArrayRef = Arc::new(Float64Array::from(vec![2.0, key]));
        let next: ArrayRef = Arc::new(Float64Array::from(vec![key, f64::NAN]));
        let source = Source::<Street>::batches([batch([("name", names), ("next", next)])]).key("name");
        Import::<Town>::new().table(source.fill(street::length, 1.0).fill(street::number, 1)).read()
    };
    assert_eq!(keys(1e19).unwrap().streets.column(street::next), [Link::from_index(1), None]);
    assert!(message(keys(1e20)).contains("1e20 is no integer of 64 bits, and so no key"));
}

#[test]
fn reserved_objects_are_refused() {
    let mut town = Town::new();
    town.streets.reserve(1).unwrap();
    assert!(message(town.batch::<Street>()).contains("object Street#1 is reserved but not initialised"));
    assert!(message(Arc::new(town).share_batch::<Street>()).contains("reserved"));
}

#[test]
fn capacities_hold() {
    let folder = Folder::new();
    Things::of(1001).write_parquet(folder.path("")).unwrap();
    let read = Import::<ikra_tables_tests::Bounds>::new()
        .table(Source::<ikra_tables_tests::Bounded>::parquet(folder.path("Thing.parquet")))
        .read();
    assert!(message(read).contains("class Bounded has `capacity = 1000` and cannot hold 1001 objects"));
}
