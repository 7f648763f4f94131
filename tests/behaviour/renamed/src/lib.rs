//! A crate that re-exports Ikra, and itself imports it under the name `soa`.

pub use soa as engine;

/// The names that a model needs.
pub mod prelude {
    pub use soa::prelude::*;
}

use prelude::*;

/// A class defined where `ikra` has another name.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Cell {
    /// How full it is.
    pub level: Level,
    /// The next one.
    pub next: Option<Link<Self>>,
    /// The number of queries.
    #[atomic]
    pub asked: u32,
    /// Its last levels.
    #[inline_array(2)]
    pub history: InnerArray<f32>,
    /// A field whose name is the crate's name elsewhere.
    pub ikra: u32,
}

/// A value defined under that name.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Level {
    /// In litres.
    pub litres: f32,
}

mod ikra {
    /// A number in a module of this name.
    pub(crate) const NUMBER: u32 = 3;
}

#[soa_methods]
impl Cell {
    /// One cell.
    #[kernel]
    pub fn made(id: u32, litres: f32) -> Self {
        Self {
            level: Level { litres: litres + id as f32 },
            next: None,
            asked: 0,
            history: InnerArray::from([litres]),
            ikra: ikra::NUMBER,
        }
    }
    /// Takes the level of the next.
    #[kernel(snapshot(level))]
    pub fn follow(&mut self) {
        if let Some(next) = self.next {
            next.asked().add(self.ikra);
            self.level = next.level();
        }
    }
    /// The litres.
    #[kernel(reduce(Sum))]
    #[must_use]
    pub fn litres(&self) -> f32 {
        self.level.litres
    }
}

/// Cells.
#[soa_world]
#[derive(Debug)]
pub struct Cells {
    /// All of them.
    pub cells: Objects<Cell>,
}

/// Makes a class and its world.
#[macro_export]
macro_rules! counter {
    ($class:ident, $world:ident) => {
        #[$crate::engine::soa_class(crate = $crate::engine)]
        pub struct $class {
            pub counted: u32,
        }
        #[$crate::engine::soa_methods]
        impl $class {
            #[kernel]
            pub fn count(&mut self, by: u32) {
                self.counted += by;
            }
        }
        #[$crate::engine::soa_world(crate = $crate::engine)]
        pub struct $world {
            pub counters: $crate::engine::Objects<$class>,
        }
    };
}
