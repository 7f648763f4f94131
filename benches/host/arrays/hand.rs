//! The synthetic benchmark of inner arrays (INNER §5.1), written by hand in each layout.

use crate::inner_array::{MOST, OBJECTS, data, element, length};

const N: usize = OBJECTS as usize;

/// A layout written by hand.
pub trait Hand {
    /// The objects.
    fn new() -> Self;
    /// Adds to every element, each access deciding where it lies.
    fn add(&mut self);
    /// The same with the loop split where the inlined elements end.
    fn add_split(&mut self) {
        self.add();
    }
    /// Element `j` of object `i`.
    fn get(&self, i: usize, j: usize) -> i32;
}

/// Columns, one for each slot.
#[derive(Debug)]
pub struct SoaFull {
    data: Vec<i32>,
    lens: Vec<u32>,
    slots: Vec<i32>,
}

impl Hand for SoaFull {
    fn new() -> Self {
        let mut slots = vec![0; MOST * N];
        for i in 0..N {
            for j in 0..length(i as u32) {
                slots[j * N + i] = element(i as u32, j);
            }
        }
        Self { data: (0..OBJECTS).map(data).collect(), lens: (0..OBJECTS).map(|i| length(i) as u32).collect(), slots }
    }
    fn add(&mut self) {
        for i in 0..N {
            let data = self.data[i];
            for j in 0..self.lens[i] as usize {
                self.slots[j * N + i] += data;
            }
        }
    }
    fn get(&self, i: usize, j: usize) -> i32 {
        self.slots[j * N + i]
    }
}

/// Columns, one of them of arrays.
#[derive(Debug)]
pub struct SoaObject {
    data: Vec<i32>,
    lens: Vec<u32>,
    arrays: Vec<[i32; MOST]>,
}

impl Hand for SoaObject {
    fn new() -> Self {
        let array = |i| std::array::from_fn(|j| if j < length(i) { element(i, j) } else { 0 });
        Self {
            data: (0..OBJECTS).map(data).collect(),
            lens: (0..OBJECTS).map(|i| length(i) as u32).collect(),
            arrays: (0..OBJECTS).map(array).collect(),
        }
    }
    fn add(&mut self) {
        for i in 0..N {
            let data = self.data[i];
            let array = &mut self.arrays[i];
            for j in 0..(self.lens[i] as usize).min(MOST) {
                array[j] += data;
            }
        }
    }
    fn get(&self, i: usize, j: usize) -> i32 {
        self.arrays[i][j]
    }
}

/// Columns, `K` of them of slots, and an arena.
#[derive(Debug)]
pub struct SoaPartial<const K: usize> {
    data: Vec<i32>,
    lens: Vec<u32>,
    offsets: Vec<u32>,
    slots: Vec<i32>,
    arena: Vec<i32>,
}

impl<const K: usize> Hand for SoaPartial<K> {
    fn new() -> Self {
        let (mut slots, mut arena, mut offsets) = (vec![0; K * N], Vec::new(), Vec::new());
        for i in 0..N {
            offsets.push(arena.len() as u32);
            for j in 0..length(i as u32) {
                match j < K {
                    true => slots[j * N + i] = element(i as u32, j),
                    false => arena.push(element(i as u32, j)),
                }
            }
        }
        let lens = (0..OBJECTS).map(|i| length(i) as u32).collect();
        Self { data: (0..OBJECTS).map(data).collect(), lens, offsets, slots, arena }
    }
    fn add(&mut self) {
        for i in 0..N {
            let data = self.data[i];
            let (len, offset) = (self.lens[i] as usize, self.offsets[i] as usize);
            for j in 0..len {
                *if j < K { &mut self.slots[j * N + i] } else { &mut self.arena[offset + j - K] } += data;
            }
        }
    }
    fn add_split(&mut self) {
        for i in 0..N {
            let data = self.data[i];
            let (len, offset) = (self.lens[i] as usize, self.offsets[i] as usize);
            for j in 0..len.min(K) {
                self.slots[j * N + i] += data;
            }
            let rest = &mut self.arena[offset..offset + len.saturating_sub(K)];
            rest.iter_mut().for_each(|element| *element += data);
        }
    }
    fn get(&self, i: usize, j: usize) -> i32 {
        if j < K { self.slots[j * N + i] } else { self.arena[self.offsets[i] as usize + j - K] }
    }
}

/// Structs that hold whole arrays.
#[derive(Debug)]
pub struct AosFull(Vec<AosFullObject>);

#[derive(Debug)]
struct AosFullObject {
    data: i32,
    len: u32,
    slots: [i32; MOST],
}

impl Hand for AosFull {
    fn new() -> Self {
        let object = |i| AosFullObject {
            data: data(i),
            len: length(i) as u32,
            slots: std::array::from_fn(|j| if j < length(i) { element(i, j) } else { 0 }),
        };
        Self((0..OBJECTS).map(object).collect())
    }
    fn add(&mut self) {
        for object in &mut self.0 {
            for j in 0..(object.len as usize).min(MOST) {
                object.slots[j] += object.data;
            }
        }
    }
    fn get(&self, i: usize, j: usize) -> i32 {
        self.0[i].slots[j]
    }
}

/// Structs that hold `K` slots, and an arena.
#[derive(Debug)]
pub struct AosPartial<const K: usize> {
    objects: Vec<AosPartialObject<K>>,
    arena: Vec<i32>,
}

#[derive(Debug)]
struct AosPartialObject<const K: usize> {
    data: i32,
    len: u32,
    offset: u32,
    slots: [i32; K],
}

impl<const K: usize> Hand for AosPartial<K> {
    fn new() -> Self {
        let (mut objects, mut arena) = (Vec::new(), Vec::new());
        for i in 0..OBJECTS {
            let offset = arena.len() as u32;
            let slots = std::array::from_fn(|j| if j < length(i) { element(i, j) } else { 0 });
            arena.extend((K..length(i)).map(|j| element(i, j)));
            objects.push(AosPartialObject { data: data(i), len: length(i) as u32, offset, slots });
        }
        Self { objects, arena }
    }
    fn add(&mut self) {
        for object in &mut self.objects {
            let offset = object.offset as usize;
            for j in 0..object.len as usize {
                *if j < K { &mut object.slots[j] } else { &mut self.arena[offset + j - K] } += object.data;
            }
        }
    }
    fn add_split(&mut self) {
        for object in &mut self.objects {
            let (len, offset) = (object.len as usize, object.offset as usize);
            for j in 0..len.min(K) {
                object.slots[j] += object.data;
            }
            let rest = &mut self.arena[offset..offset + len.saturating_sub(K)];
            rest.iter_mut().for_each(|element| *element += object.data);
        }
    }
    fn get(&self, i: usize, j: usize) -> i32 {
        if j < K { self.objects[i].slots[j] } else { self.arena[self.objects[i].offset as usize + j - K] }
    }
}
