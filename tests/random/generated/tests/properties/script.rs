//! Random operations, on a world and on plain structs.

use ikra::Error;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::plain;
use crate::subject::Subject;
use crate::values::Plain;

/// One operation. Numbers are brought into range when it is run.
#[derive(Clone, Debug)]
pub enum Op {
    Push(Plain),
    Extend(Vec<Plain>),
    Construct(usize, u64),
    /// Reserves and initialises, in an order that starts at the number.
    Reserve(Vec<Plain>, usize),
    Write(usize, Plain),
    Set(usize, Plain),
    BumpColumn(u16),
    Step(u32),
    StepOne(usize, u32),
    StepRange(usize, usize, u32),
    StepEach(Vec<usize>, u32),
    Peek,
    Jump,
    JumpRange(usize, usize),
    JumpEach(Vec<usize>),
    Knock,
    Meet(u64),
    Weigh,
    Drain,
}

impl Op {
    pub fn any() -> impl Strategy<Value = Self> {
        let rows = || prop::collection::vec(Plain::any(), 0..70);
        let places = || prop::collection::vec(any::<usize>(), 0..80);
        prop_oneof![
            Plain::any().prop_map(Self::Push),
            rows().prop_map(Self::Extend),
            (0usize..140, any::<u64>()).prop_map(|(n, seed)| Self::Construct(n, seed)),
            (rows(), any::<usize>()).prop_map(|(rows, start)| Self::Reserve(rows, start)),
            (any::<usize>(), Plain::any()).prop_map(|(place, row)| Self::Write(place, row)),
            (any::<usize>(), Plain::any()).prop_map(|(place, row)| Self::Set(place, row)),
            any::<u16>().prop_map(Self::BumpColumn),
            any::<u32>().prop_map(Self::Step),
            any::<(usize, u32)>().prop_map(|(place, by)| Self::StepOne(place, by)),
            any::<(usize, usize, u32)>().prop_map(|(a, b, by)| Self::StepRange(a, b, by)),
            (places(), any::<u32>()).prop_map(|(places, by)| Self::StepEach(places, by)),
            Just(Self::Peek),
            Just(Self::Jump),
            any::<(usize, usize)>().prop_map(|(a, b)| Self::JumpRange(a, b)),
            places().prop_map(Self::JumpEach),
            Just(Self::Knock),
            any::<u64>().prop_map(Self::Meet),
            Just(Self::Weigh),
            Just(Self::Drain),
        ]
    }
}

/// A world and its model.
struct Both<S> {
    world: S,
    rows: Vec<Plain>,
}

/// Runs operations on `first` things and on plain structs, comparing after each.
pub fn run<S: Subject>(first: usize, ops: &[Op]) -> Result<(), TestCaseError> {
    let mut both = Both { world: S::default(), rows: Vec::new() };
    both.apply(&Op::Construct(first, 1))?;
    both.compare()?;
    for op in ops {
        both.apply(op)?;
        both.compare()?;
    }
    both.compare_refs()
}

impl<S: Subject> Both<S> {
    /// Whether `n` more objects fit; checks that `result` agrees.
    fn fits<T: std::fmt::Debug>(&self, n: usize, result: &Result<T, Error>) -> Result<bool, TestCaseError> {
        let fits = S::CAPACITY.is_none_or(|capacity| self.rows.len() + n <= capacity);
        match result {
            Ok(_) => prop_assert!(fits, "more than the capacity"),
            Err(Error::CapacityExceeded { capacity, requested, .. }) => {
                prop_assert!(!fits);
                prop_assert_eq!(Some(*capacity as usize), S::CAPACITY);
                prop_assert_eq!(*requested, self.rows.len() + n);
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
        Ok(fits)
    }

    fn expect_ids(&self, n: usize, ids: &[u32]) -> Result<(), TestCaseError> {
        let first = self.rows.len() as u32 + 1;
        prop_assert!(ids.iter().copied().eq(first..first + n as u32));
        Ok(())
    }

    fn apply(&mut self, op: &Op) -> Result<(), TestCaseError> {
        let len = self.rows.len();
        let id = |place: usize| (place % len.max(1)) as u32 + 1;
        match op {
            Op::Push(row) => {
                let row = row.linked(len + 1);
                let result = self.world.push(row);
                if self.fits(1, &result)? {
                    self.expect_ids(1, &[result.unwrap()])?;
                    self.rows.push(row);
                }
            }
            Op::Extend(rows) => {
                let rows: Vec<_> = rows.iter().map(|row| row.linked(len + rows.len())).collect();
                let result = self.world.extend(&rows);
                if self.fits(rows.len(), &result)? {
                    self.expect_ids(rows.len(), &result.unwrap())?;
                    self.rows.extend(rows);
                }
            }
            Op::Construct(n, seed) => {
                let result = self.world.construct(*n, *seed);
                if self.fits(*n, &result)? {
                    self.expect_ids(*n, &result.unwrap())?;
                    self.rows.extend((0..*n).map(|k| Plain::numbered((len + k) as u32, *seed)));
                }
            }
            Op::Reserve(rows, start) => {
                let rows: Vec<_> = rows.iter().map(|row| row.linked(len + rows.len())).collect();
                let result = self.world.reserve(rows.len());
                if self.fits(rows.len(), &result)? {
                    let ids = result.unwrap();
                    self.expect_ids(rows.len(), &ids)?;
                    for k in 0..rows.len() {
                        let k = (k + start % rows.len()) % rows.len();
                        prop_assert!(
                            matches!(self.world.read(ids[k]), Err(Error::NotInitialized { .. })),
                            "Error::NotInitialized expected"
                        );
                        let wrote = self.world.write(ids[k], rows[k]);
                        prop_assert!(
                            matches!(wrote, Err(Error::NotInitialized { .. })),
                            "Error::NotInitialized expected"
                        );
                        self.world.init(ids[k], rows[k]).unwrap();
                        let again = self.world.init(ids[k], rows[k]);
                        prop_assert!(
                            matches!(again, Err(Error::AlreadyInitialized { .. })),
                            "Error::AlreadyInitialized expected"
                        );
                    }
                    self.rows.extend(rows);
                }
            }
            Op::Write(place, row) => {
                let row = row.linked(len.max(1));
                let result = self.world.write(id(*place), row);
                if len == 0 {
                    prop_assert!(matches!(result, Err(Error::NotInWorld { .. })), "Error::NotInWorld expected");
                } else {
                    prop_assert!(result.is_ok());
                    self.rows[place % len] = row;
                }
            }
            Op::Set(..) | Op::StepOne(..) if len == 0 => {}
            Op::Set(place, row) => {
                let row = row.linked(len);
                self.world.set(id(*place), row);
                self.rows[place % len] = row;
            }
            Op::StepOne(place, by) => {
                self.world.step_one(id(*place), *by);
                plain::step(&mut self.rows[place % len], *by);
            }
            Op::BumpColumn(by) => {
                if self.world.bump_column(*by) {
                    for row in &mut self.rows {
                        row.short = row.short.wrapping_add(*by);
                        row.count = (*by).into();
                    }
                }
            }
            Op::Step(by) => {
                self.world.step(*by);
                self.rows.iter_mut().for_each(|row| plain::step(row, *by));
            }
            Op::StepRange(a, b, by) => {
                let range = plain::range_of(*a, *b, len);
                self.world.step_range(range.clone(), *by);
                self.rows[range].iter_mut().for_each(|row| plain::step(row, *by));
            }
            Op::StepEach(places, by) => {
                let (ids, indices) = self.each(places);
                let result = self.world.step_each(&ids, *by);
                if self.distinct(&ids, &result)? {
                    indices.iter().for_each(|&index| plain::step(&mut self.rows[index], *by));
                }
            }
            Op::Peek => {
                self.world.peek();
                plain::peek(&mut self.rows);
            }
            Op::Jump => {
                self.world.jump();
                plain::jump(&mut self.rows, 0..len);
            }
            Op::JumpRange(a, b) => {
                let range = plain::range_of(*a, *b, len);
                self.world.jump_range(range.clone());
                plain::jump(&mut self.rows, range);
            }
            Op::JumpEach(places) => {
                let (ids, indices) = self.each(places);
                let result = self.world.jump_each(&ids);
                if self.distinct(&ids, &result)? {
                    plain::jump(&mut self.rows, indices);
                }
            }
            Op::Knock => {
                self.world.knock();
                plain::knock(&mut self.rows);
            }
            Op::Meet(key) => {
                self.world.meet(*key);
                plain::meet(&mut self.rows, *key);
            }
            Op::Weigh => prop_assert_eq!(self.world.weigh(), plain::weigh(&self.rows)),
            Op::Drain => prop_assert_eq!(self.world.drain(), plain::drain(&mut self.rows)),
        }
        Ok(())
    }

    /// A list of objects, without duplicates half of the time.
    fn each(&self, places: &[usize]) -> (Vec<u32>, Vec<usize>) {
        let len = self.rows.len();
        if len == 0 {
            return (Vec::new(), Vec::new());
        }
        let mut indices: Vec<usize> = places.iter().map(|place| place % len).collect();
        if !places.len().is_multiple_of(4) {
            let mut seen = vec![false; len];
            indices.retain(|&index| !std::mem::replace(&mut seen[index], true));
        }
        if places.len().is_multiple_of(3) {
            indices.sort_unstable();
        }
        (indices.iter().map(|&index| index as u32 + 1).collect(), indices)
    }

    /// Whether ids are distinct; checks that `result` agrees.
    fn distinct(&self, ids: &[u32], result: &Result<(), Error>) -> Result<bool, TestCaseError> {
        let twice = |id: &u32| ids.iter().filter(|other| *other == id).count() > 1;
        match result {
            Ok(()) => prop_assert!(!ids.iter().any(twice), "a duplicate went unnoticed: {:?}", ids),
            Err(Error::Duplicate { id, .. }) => prop_assert!(twice(id)),
            Err(error) => prop_assert!(false, "{}", error),
        }
        Ok(result.is_ok())
    }

    fn compare(&self) -> Result<(), TestCaseError> {
        let (world, rows) = (&self.world, &self.rows);
        prop_assert_eq!(world.len(), rows.len());
        prop_assert!(world.capacity() >= rows.len());
        prop_assert!(S::CAPACITY.is_none_or(|capacity| world.capacity() <= capacity));
        prop_assert_eq!(&world.rows(), rows);
        world.slices_are(rows);
        Ok(())
    }

    /// Compares the other ways to read.
    fn compare_refs(&self) -> Result<(), TestCaseError> {
        let (world, rows) = (&self.world, &self.rows);
        prop_assert_eq!(&world.columns(), rows);
        for (index, row) in rows.iter().enumerate() {
            let id = index as u32 + 1;
            prop_assert_eq!(world.read(id).unwrap(), *row);
            prop_assert_eq!(&world.get(id), row);
            prop_assert_eq!(world.decode(world.to_bits(id).unwrap()).unwrap(), id);
        }
        Ok(())
    }
}

/// The sum, as bits, of numbers whose rounding depends on the order.
pub fn float_sum<S: Subject>(len: usize) -> u64 {
    let mut world = S::default();
    world.construct(len, 3).unwrap();
    world.double_sum().to_bits()
}
