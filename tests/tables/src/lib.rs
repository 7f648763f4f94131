//! A model with every kind of field that a table can have, for the tests of `ikra::tables`.

use std::path::{Path, PathBuf};

use ikra::prelude::*;
use ikra::tables::{Components, Names, TableError, TableNames, TableType};

/// A struct in a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Value)]
#[repr(C)]
pub struct Colour {
    /// A component.
    pub red: u8,
    /// An array in a component.
    pub rest: [i16; 2],
}
impl TableType for Colour {
    type As = Components;
}

/// An enum in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(u8)]
pub enum State {
    /// The first variant.
    Off,
    /// The second variant.
    On,
}
impl TableType for State {
    type As = Names;
}
impl TableNames for State {
    const NAMES: &'static [(&'static str, Self)] = &[("off", Self::Off), ("on", Self::On)];
}

/// Makes the same class in several layouts.
macro_rules! things {
    ($(#[$option:meta] $class:ident of $module:ident in $world:ident;)*) => { $(
        /// A class with every kind of field but arrays of any length.
        #[$option]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $class {
            /// A field.
            pub tiny: i8,
            /// A field.
            pub small: u16,
            /// A field.
            pub number: i32,
            /// A field.
            pub large: u64,
            /// A field.
            pub single: f32,
            /// A field.
            pub double: f64,
            /// A field.
            pub flag: bool,
            /// A field.
            pub pos: [f32; 2],
            /// A field.
            pub matrix: [[i16; 2]; 3],
            /// A field.
            #[inline_array]
            pub slots: [u32; 3],
            /// A field.
            #[inline_array(object)]
            pub object: [u8; 4],
            /// A field.
            pub colour: Colour,
            /// A field.
            #[soa(flatten)]
            pub flat: Colour,
            /// A field.
            pub colours: [Colour; 2],
            /// A field.
            pub state: State,
            /// A field.
            #[atomic]
            pub counter: u32,
            /// A field.
            pub next: Link<$class>,
            /// A field.
            pub other: Option<Link<$class>>,
            /// A field.
            pub pair: [Option<Link<$class>>; 2],
        }
        impl $class {
            /// Different values for each number, with links among `len` objects.
            pub fn numbered(n: u32, len: u32) -> Self {
                let link = |n: u32| Link::from_index((n % len) as usize);
                let colour = Colour { red: n as u8, rest: [n as i16, -(n as i16)] };
                Self {
                    tiny: n as i8,
                    small: n as u16,
                    number: -(n as i32),
                    large: u64::MAX - u64::from(n),
                    single: n as f32 / 3.0,
                    double: f64::from(n) / 7.0,
                    flag: n % 3 == 0,
                    pos: [n as f32, -0.1],
                    matrix: [[n as i16, 1], [2, 3], [4, 5]],
                    slots: [n, n + 1, n + 2],
                    object: (n ^ 0x0102_0304).to_le_bytes(),
                    colour,
                    flat: colour,
                    colours: [colour, Colour::default()],
                    state: if n % 2 == 0 { State::Off } else { State::On },
                    counter: n * 5,
                    next: link(n + 1).unwrap(),
                    other: (n % 4 != 0).then(|| link(n * 7).unwrap()),
                    pair: [link(n * 3).filter(|_| n % 5 == 0), None],
                }
            }
        }
        /// A world of the class.
        #[soa_world]
        pub struct $world {
            /// Its objects.
            pub things: Objects<$class>,
        }
        impl $world {
            /// A world of so many objects.
            pub fn of(len: u32) -> Self {
                let mut world = Self::new();
                world.things.extend((0..len).map(|n| $class::numbered(n, len))).unwrap();
                world
            }
            /// All objects.
            pub fn rows(&self) -> Vec<$class> {
                self.things.iter().collect()
            }
        }
    )* };
}
things! {
    #[soa_class] Thing of thing in Things;
    #[soa_class(layout = "aos")] Row of row in Rows;
    #[soa_class(layout = "tiles", tile = 64)] Tile of tile in Tiles;
    #[soa_class(capacity = 1000)] Bounded of bounded in Bounds;
}

/// A class with arrays in an arena.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// An array of numbers.
    #[inline_array(2)]
    pub stops: InnerArray<u16>,
    /// An array of links.
    #[inline_array(0)]
    pub next: InnerArray<Link<Route>>,
    /// A plain field.
    pub cost: f32,
}
/// A world with arrays.
#[soa_world]
pub struct Plan {
    /// The routes.
    pub routes: Objects<Route>,
}

/// A class with a key.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Street {
    /// The key.
    pub number: u64,
    /// A plain field.
    pub length: f32,
    /// A link within the class.
    pub next: Option<Link<Street>>,
}
/// A class whose links are keys of another one.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Car {
    /// A small number.
    pub age: u8,
    /// A link that cannot be empty.
    pub street: Link<Street>,
}
/// A world of two classes.
#[soa_world]
pub struct Town {
    /// The streets.
    pub streets: Objects<Street>,
    /// The cars.
    pub cars: Objects<Car>,
}

/// Fields whose names begin with the name of another field.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// An array of links.
    #[inline_array(2)]
    pub near: InnerArray<Link<Node>>,
    /// Other lengths than those of `near`.
    #[inline_array(2)]
    pub near_weights: InnerArray<f32>,
    /// An array of structs.
    pub colour: [Colour; 2],
    /// Another length than that of `colour`.
    pub colour_old: [f32; 3],
    /// A field without a column.
    pub none: [f32; 0],
}
/// A world of such objects.
#[soa_world]
pub struct Net {
    /// The nodes.
    pub nodes: Objects<Node>,
}
impl Net {
    /// A world of so many objects.
    pub fn of(len: usize) -> Self {
        let mut net = Self::new();
        let links: Vec<_> = net.nodes.reserve(len).unwrap().collect();
        for n in 0..len {
            let node = Node {
                near: InnerArray::from(&links[..n % 4]),
                near_weights: (0..(n + 1) % 3).map(|k| k as f32).collect(),
                colour: [Colour { red: n as u8, rest: [1, 2] }, Colour::default()],
                colour_old: [n as f32; 3],
                none: [],
            };
            net.nodes.init(links[n], node).unwrap();
        }
        net
    }
    /// All objects.
    pub fn rows(&self) -> Vec<Node> {
        self.nodes.iter().collect()
    }
}

/// A folder for one test, which is removed at its end.
#[derive(Debug)]
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// A new folder.
    #[expect(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    /// Writes a file.
    pub fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).unwrap();
        path
    }
    /// The names of all files, hidden ones too.
    pub fn names(&self) -> Vec<String> {
        names(self.0.path())
    }
}

/// The names of all files of a folder, hidden ones too.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The message of an error, which has one line.
#[track_caller]
pub fn message<T>(result: Result<T, TableError>) -> String {
    let Err(error) = result else { panic!("no error") };
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    assert!(message.len() < 4000, "{message}");
    message
}
