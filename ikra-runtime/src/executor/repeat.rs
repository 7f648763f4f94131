//! Loops of kernels: `repeat` and `repeat_while`.

use std::fmt;
use std::ops::RangeFull;

use super::{Chosen, ObjectField, On, Recording, Subset};
use crate::class::Field;
use crate::column::Column;
use crate::dispatch::{CollectOn, ExecuteOn, ReduceOn};
use crate::error::Error;
use crate::kernel::{Kernel, OnDevice, PairCall};
use crate::link::Link;
use crate::storage::Stored;
use crate::value::Value;
use crate::world::{Holds, World, check_links};

/// One iteration of [`On::repeat`] or [`On::repeat_while`]: it starts kernels, and sees no results.
///
/// It has these functions of [`On`]: `execute`, `execute_pairs`, `reduce_into`, `over` and `select`.
pub struct Iteration<'a, W, O = RangeFull>(pub(super) On<'a, W, O>);

impl<W, O: fmt::Debug> fmt::Debug for Iteration<'_, W, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iteration").field("over", &self.0.objects).finish_non_exhaustive()
    }
}

impl<'w, W: World> On<'w, W> {
    /// Runs a sequence of kernels `count` times: iterations outside, objects inside, as in a program over one object at
    /// a time.
    ///
    /// `iteration` describes one iteration: it starts the same kernels with the same arguments whenever it is called.
    /// If a recording can hold them, it is called once, and its [recording](On::record) is replayed: on a GPU as graphs of
    /// launches, and from 16 iterations on as one kernel for all of them, once that is compiled, if it is faster. Otherwise
    /// it is called for each iteration: for kernels that make or remove objects, take groups, run for lists, or for a class
    /// with removed objects. The results are the same.
    ///
    /// With `count` = 0 nothing runs, but `iteration` is recorded: a GPU compiles that kernel at once, and the call waits for
    /// that.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Car { pub pos: f32, pub vel: f32, pub ahead: Option<Link<Car>> }
    /// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
    /// #[soa_methods]
    /// impl Car {
    ///     #[kernel]
    ///     pub fn plan(&mut self) { self.vel = self.ahead.map_or(1.0, |ahead| (ahead.pos() - self.pos).min(1.0)); }
    ///     #[kernel]
    ///     pub fn move_on(&mut self, dt: f32) { self.pos += self.vel * dt; }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut town = Town::new();
    /// let first = town.cars.push(Car { pos: 2.0, vel: 0.0, ahead: None })?;
    /// let second = town.cars.push(Car { pos: 0.0, vel: 0.0, ahead: Some(first) })?;
    /// town.on(Place::Host).repeat(1000, |step| {
    ///     step.execute(Car::plan, ())?;
    ///     step.execute(Car::move_on, 0.5)
    /// })?;
    /// assert_eq!((town.get(first).pos(), town.get(second).pos()), (502.0, 500.0));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors), and the errors of `iteration`. The iterations before the error have run, and
    /// kernels before it in the same one may have run too.
    pub fn repeat(
        &mut self,
        count: usize,
        iteration: impl Fn(&mut Iteration<'_, W>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let once = |on: &mut Self| iteration(&mut Iteration(On::new(on.world, on.place)));
        if count == 1 {
            return once(self);
        }
        match self.record(|on| once(on)) {
            // SAFETY: no field.
            Ok(recording) => match unsafe { self.repeat_recorded(&recording, None, count as u64) }? {
                Some(_) => Ok(()),
                None => (0..count).try_for_each(|_| self.replay(&recording)),
            },
            Err(Error::NotRecordable { .. }) => (0..count).try_for_each(|_| once(self)),
            Err(error) => Err(error),
        }
    }
}

impl<W: World> On<'_, W> {
    /// Runs a sequence of kernels as long as a field of an object is `true`, at most `most` times, and returns how many
    /// times it has run. The field is read before each iteration; kernels of the iteration store it, or
    /// [`reduce_into`](On::reduce_into).
    ///
    /// An object that is alone in its class suits: it holds what concerns all objects, such as the number of the
    /// iteration, and kernels take its link. On the host this is an ordinary loop. On a GPU the loop stays there if a
    /// recording can hold the kernels, as for [`repeat`](Self::repeat): the host launches it once, and waits for its end.
    /// A sequence that is repeated often is compiled as one kernel. Until then it is a graph, which takes a driver for CUDA
    /// 12.4 or newer, and fields that lie in the same memory after an iteration as before: an even number of kernels with
    /// `snapshot` of each field. Otherwise the host launches each iteration, and reads the field after it. The results
    /// are the same. `world.cuda().loops()` says how loops ran.
    ///
    /// With `most` = 0 nothing runs, but a GPU compiles the sequence at once, and the call waits for that.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// #[soa_class]
    /// pub struct Cell { pub heat: f32, pub next: Option<Link<Cell>>, pub flow: f32 }
    /// #[soa_class]
    /// pub struct Room { pub is_uneven: bool, pub steps: u32 }
    ///
    /// #[soa_methods]
    /// impl Cell {
    ///     #[kernel]
    ///     pub fn compare(&mut self) { self.flow = self.next.map_or(0.0, |next| next.heat() - self.heat); }
    ///     #[kernel]
    ///     pub fn take(&mut self) { self.heat += 0.5 * self.flow; }
    ///     #[kernel(reduce(Any))]
    ///     pub fn is_uneven(&self) -> bool { self.flow.abs() > 0.001 }
    /// }
    /// #[soa_methods]
    /// impl Room {
    ///     #[kernel]
    ///     pub fn count(&mut self) { self.steps += 1; }
    /// }
    /// # #[soa_world] pub struct House { pub cells: Objects<Cell>, pub rooms: Objects<Room> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut house = House::new();
    /// let last = house.cells.push(Cell { heat: 8.0, next: None, flow: 0.0 })?;
    /// let first = house.cells.push(Cell { heat: 0.0, next: Some(last), flow: 0.0 })?;
    /// let room = house.rooms.push(Room { is_uneven: true, steps: 0 })?;
    /// let steps = house.on(Place::Host).repeat_while(room, room::is_uneven, 1000, |step| {
    ///     step.execute(Cell::compare, ())?;
    ///     step.execute(Cell::take, ())?;
    ///     step.execute(Room::count, ())?;
    ///     step.reduce_into(Cell::is_uneven, (), Any, room, room::is_uneven)
    /// })?;
    /// assert_eq!((steps, house.get(room).steps()), (14, 14));
    /// assert!(house.get(first).heat() > 7.999);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`repeat`](Self::repeat). [`Error::NotInWorld`] if the object does not exist, [`Error::Removed`] if an iteration
    /// removes it. If the ids of its class change meanwhile, the loop follows it, but other uses of its link in `iteration`
    /// do not.
    pub fn repeat_while<C, const F: usize>(
        &mut self,
        link: Link<C>,
        column: Column<C, F>,
        most: u64,
        iteration: impl Fn(&mut Iteration<'_, W>) -> Result<(), Error>,
    ) -> Result<u64, Error>
    where
        C: Field<F, Storage: Stored<Row = bool, Value = bool>>,
        W: Holds<C>,
    {
        let going = self.object_field(link, column)?;
        let once = |on: &mut Self| iteration(&mut Iteration(On::new(on.world, on.place)));
        let repeat = |on: &mut Self, once: &dyn Fn(&mut Self) -> Result<(), Error>| {
            let mut done = 0;
            // Iterations may give the object another id, or remove it.
            let tracked = on.objects_of::<C>().track(link);
            while done < most {
                // Errors of kernels that are still running are errors here; reading a column would panic.
                on.synchronize()?;
                let objects = on.objects_of::<C>();
                let now = objects.tracked(tracked).ok_or(Error::Removed { class: C::NAME, id: link.id() })?;
                if !objects.read_field(now, column)? {
                    break;
                }
                once(on)?;
                done += 1;
            }
            Ok(done)
        };
        match self.record(|on| once(on)) {
            // SAFETY: `object_field` has found the object, which iterations cannot remove while they are recorded, and the
            // field is stored as a `bool`.
            Ok(recording) => match unsafe { self.repeat_recorded(&recording, Some(going), most) }? {
                Some(done) => Ok(done),
                None => repeat(self, &|on| on.replay(&recording)),
            },
            Err(Error::NotRecordable { .. }) => repeat(self, &once),
            Err(error) => Err(error),
        }
    }
}

impl<W: World> On<'_, W> {
    /// Has the place repeat a recording by itself, if it can.
    ///
    /// # Safety
    ///
    /// `going` is a `bool` of an object in this world.
    unsafe fn repeat_recorded(
        &mut self,
        recording: &Recording,
        going: Option<ObjectField>,
        most: u64,
    ) -> Result<Option<u64>, Error> {
        check_links(self.world, &[])?;
        // SAFETY: `check_links` has linked the tables and checked the links, and the world has been borrowed since. The field
        // is as the caller promises.
        self.at().with(|executor, world| unsafe { executor.repeat(world, recording, going, most) })
    }
}

impl<W: World> Iteration<'_, W> {
    /// The same kernels, restricted to some objects. See [`On::over`].
    #[must_use = "it names objects; `execute` and the like run kernels for them"]
    pub fn over<O>(&mut self, objects: O) -> Iteration<'_, W, O> {
        Iteration(self.0.over(objects))
    }
}

impl<W: World, O> Iteration<'_, W, O> {
    /// Calls a kernel for the objects. See [`On::execute`].
    ///
    /// # Errors
    ///
    /// As for [all executors](On#errors).
    pub fn execute<K, A>(&mut self, kernel: K, args: A) -> Result<(), Error>
    where
        K: ExecuteOn<W, A>,
        A: Copy + Send + Sync,
        O: Subset<W, K>,
    {
        self.0.execute(kernel, args)
    }

    /// Calls a kernel for every pair of an object and another one. See [`On::execute_pairs`].
    ///
    /// # Errors
    ///
    /// As for [all executors](On#errors).
    pub fn execute_pairs<K, A>(&mut self, kernel: K, args: A) -> Result<(), Error>
    where
        K: PairCall<A> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        W: Holds<K::Class> + Holds<K::Other>,
        O: Subset<W, K>,
    {
        self.0.execute_pairs(kernel, args)
    }

    /// Combines the results of a kernel for the objects, and stores the combined result in a field of an object. See
    /// [`On::reduce_into`].
    ///
    /// # Errors
    ///
    /// As for [`On::reduce_into`].
    pub fn reduce_into<K, A, R, T, C, const F: usize>(
        &mut self,
        kernel: K,
        args: A,
        reducer: R,
        link: Link<C>,
        column: Column<C, F>,
    ) -> Result<(), Error>
    where
        K: ReduceOn<W, A, R, Output = T>,
        A: Copy + Send + Sync,
        R: Copy + Send + Sync + 'static,
        T: Value,
        C: Field<F, Storage: Stored<Row = T, Value = T>>,
        W: Holds<C>,
        O: Subset<W, K>,
    {
        self.0.reduce_into(kernel, args, reducer, link, column)
    }

    /// The same kernels, restricted to the objects for which a kernel returns `true` in that iteration. See
    /// [`On::select`].
    #[must_use = "nothing runs before `execute` is called"]
    pub fn select<K, A>(&mut self, kernel: K, args: A) -> Iteration<'_, W, Chosen<O, K, A, true>>
    where
        K: Kernel + CollectOn<W, A, Output = bool>,
        A: Copy + Send + Sync,
        W: Holds<K::Class>,
        O: Subset<W, K> + Clone,
    {
        Iteration(self.0.select(kernel, args))
    }
}
