//! A GPU as a place to run kernels.

use std::any::Any;
use std::iter;
use std::sync::Arc;

use ikra_core::info::ClassId;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::executor::{
    Executor, Form, Launch, NewOrder, ObjectField, On, Recorded, Recorder, Recording, Reordered, Run, WorkLoop, Worked,
};
use ikra_runtime::groups::{GroupKeys, Grouped};
use ikra_runtime::list::{ListOrder, Unordered};
use ikra_runtime::place::Place;
use ikra_runtime::world::World;

use crate::code::Codes;
use crate::device_world::DeviceWorld;
use crate::driver::{Context, DeviceInfo};
use crate::tables::{Members, Table};

/// Opens a GPU for a world.
///
/// # Errors
///
/// As for executors.
#[doc(hidden)]
pub fn open<W: World>(world: &mut W, place: Place) -> Result<Box<dyn Executor<W>>, Error> {
    let Place::Gpu(device) = place else {
        return Err(Error::NoSuchPlace { place, reason: "it is not a GPU" });
    };
    Ok(Box::new(made(world, &|| Context::open(device))?))
}

/// A world's data on a device, in a context.
fn made<W: World>(world: &mut W, context: &dyn Fn() -> Result<Context, GpuError>) -> Result<DeviceWorld, GpuError> {
    DeviceWorld::new(context, Codes::of::<W>()?, world.members_mut().as_mut())
}

/// Opens a world in a context, unless it is open there.
pub(crate) fn open_in<W: World>(world: &mut W, context: &Context) -> Result<DeviceInfo, Error> {
    if let Some(mut device) = take(world, Place::Gpu(context.device().index)) {
        let is_there = device.log.context.number() == context.number();
        let left = if is_there { device.log.check().map_err(Error::from) } else { device.leave(world) };
        if is_there || left.is_err() {
            world.state_mut().executors().put(device);
            return left.map(|()| context.device().clone());
        }
    }
    let device = made(world, &|| Ok(context.clone()))?;
    world.state_mut().executors().put(Box::new(device));
    Ok(context.device().clone())
}

// SAFETY: kernels run in the order of their launches, for the launch's objects (I28, I30). A reduction waits for its
// result, and a constructor's objects exist when any other kernel runs. Kernels of the device choose, sort and group objects
// as the host does.
unsafe impl<W: World> Executor<W> for DeviceWorld {
    fn place(&self) -> Place {
        Place::Gpu(self.device().index)
    }

    fn stream(&self) -> Option<u64> {
        Some(self.log.number())
    }

    fn worker(&self) -> Result<String, Error> {
        self.log.check()?;
        Ok(self.device().name.clone())
    }

    fn run(&mut self, world: &mut W, run: &mut Run<'_, W>) -> Result<(), Error> {
        let is_done = self.run_launch(world.members_mut().as_mut(), &run.launch)?;
        // The host calls the kernels that the device cannot run.
        if is_done { Ok(()) } else { run.on_host(world, run.part) }
    }

    fn order(&mut self, world: &mut W, links: &Unordered<'_>) -> Result<Option<ListOrder>, Error> {
        self.attempt(|device| device.order(world.members_mut().as_mut(), links))
    }

    fn select(&mut self, world: &mut W, launch: &Launch<'_>) -> Result<Option<ListOrder>, Error> {
        self.choose(world.members_mut().as_mut(), Some(launch), |device, members| device.select(members, launch))
    }

    fn reorder(&mut self, world: &mut W, order: NewOrder<'_>) -> Result<Option<Reordered>, Error> {
        let launch = if let NewOrder::Results { launch, .. } = order { Some(launch) } else { None };
        self.choose(world.members_mut().as_mut(), launch, |device, members| device.reorder(members, order))
    }

    fn group(&mut self, world: &mut W, launch: &Launch<'_>, keys: GroupKeys) -> Result<Option<Grouped>, Error> {
        self.choose(world.members_mut().as_mut(), Some(launch), |device, members| device.group(members, launch, keys))
    }

    fn specialize_for(&mut self, _: &mut W, class: ClassId) -> Result<(), Error> {
        // `On::specialize_for` does not compile for other classes: a kernel may change their atomic fields as it runs.
        let is_meant = |table: &&mut Table| table.class == class && table.atomics.is_empty();
        self.tables.iter_mut().filter(is_meant).for_each(|table| table.is_fixed = true);
        Ok(())
    }

    fn synchronize(&mut self, _: &mut W) -> Result<(), Error> {
        self.attempt(|device| device.log.synchronize())
    }

    fn recorder(&mut self, world: &mut W) -> Result<Arc<dyn Recorder>, Error> {
        self.attempt(|device| device.recorder(world.members_mut().as_mut()))
    }

    fn recorded(&mut self, world: &mut W, recorded: Recorded) -> Result<Recorded, Error> {
        self.attempt(|device| device.recorded(world.members_mut().as_mut(), recorded))
    }

    unsafe fn replay(&mut self, world: &mut W, recording: &Recording) -> Result<(), Error> {
        self.attempt(|device| device.replay(world.members_mut().as_mut(), recording))
    }

    unsafe fn repeat(
        &mut self,
        world: &mut W,
        recording: &Recording,
        going: Option<ObjectField>,
        most: u64,
    ) -> Result<Option<u64>, Error> {
        self.attempt(|device| device.repeat(world.members_mut().as_mut(), recording, going, most))
    }

    fn has_worklists(&self) -> bool {
        true
    }

    unsafe fn repeat_over(
        &mut self,
        world: &mut W,
        recording: &Recording,
        work: &WorkLoop<'_>,
    ) -> Result<Worked, Error> {
        self.attempt(|device| device.repeat_over(world.members_mut().as_mut(), recording, work))
    }
}

impl DeviceWorld {
    /// Runs a kernel, and returns whether the device can.
    fn run_launch(&mut self, members: &mut Members<'_>, launch: &Launch<'_>) -> Result<bool, Error> {
        self.attempt(|device| {
            device.refuse_in_recording(launch)?;
            device.refuse_worklist(launch)?;
            if launch.changes_objects() {
                let plan = device.plan(members, launch)?;
                return plan.map_or(Ok(false), |plan| device.change(members, launch, &plan).map(|()| true));
            }
            // Columns of results are made by the host.
            let mut kernels = iter::once(launch).chain(launch.filters);
            if matches!(launch.form, Form::Chain) || !kernels.all(|one| device.knows_removed(members, one)) {
                device.log.refuse_in_recording("a kernel that the host runs")?;
                return Ok(false);
            }
            if let (Form::Reduce(reduction), [_, ..]) = (launch.form, launch.filters) {
                return device.reduce_chosen(members, launch, reduction);
            }
            if let Form::Store(store) = launch.form {
                let is_done =
                    device.with_groups(launch, |device, launch| device.store(members, launch, store))?;
                if !is_done {
                    device
                        .log
                        .refuse_in_recording("storing a result of several classes, of no objects, in a row, or in a field that the kernel takes a snapshot of")?;
                }
                return Ok(is_done);
            }
            device.run(members, launch).map(|()| true)
        })
    }

    /// Calls `work`, which uses the results of a kernel here, if the device can run the kernel.
    fn choose<T>(
        &mut self,
        members: &mut Members<'_>,
        launch: Option<&Launch<'_>>,
        work: impl FnOnce(&mut Self, &mut Members<'_>) -> Result<Option<T>, Error>,
    ) -> Result<Option<T>, Error> {
        self.attempt(|device| {
            device.log.refuse_in_recording("collecting results, or moving objects,")?;
            launch.map_or(Ok(()), |launch| device.refuse_worklist(launch))?;
            if launch.is_some_and(|launch| launch.changes_objects() || !device.knows_removed(members, launch)) {
                return Ok(None);
            }
            work(device, members)
        })
    }

    /// Ends a world's work in this context; the world continues in another context of the device.
    fn leave<W: World>(&mut self, world: &mut W) -> Result<(), Error> {
        self.attempt(|device| {
            device.log.refuse_in_recording("opening another context")?;
            let stream = device.log.number();
            for objects in world.members_mut().as_mut() {
                let fields = objects.copies().only_on(stream);
                objects.fetch(fields)?;
            }
            for objects in world.members_mut().as_mut() {
                // SAFETY: every value that only this copy had was fetched (I26).
                unsafe { objects.lose(stream) };
            }
            Ok(())
        })
    }
}

/// The executors at the GPU that a world used last, or at the first GPU.
pub(crate) fn on_gpu<W: World>(world: &mut W) -> On<'_, W> {
    let place = used_last(world);
    world.on(place.unwrap_or(Place::Gpu(0)))
}

/// The GPU that a world used last, if any.
pub(crate) fn used_last<W: World>(world: &mut W) -> Option<Place> {
    world.state_mut().executors().places().rfind(|place| matches!(place, Place::Gpu(_)))
}

/// Takes a world's data on a GPU out of the world.
pub(crate) fn take<W: World>(world: &mut W, place: Place) -> Option<Box<DeviceWorld>> {
    let executor: Box<dyn Any> = world.state_mut().executors().take(place)?;
    executor.downcast().ok()
}

/// Calls `work` with a world's data on a GPU; opens the GPU if none is open.
pub(crate) fn with<W: World, T>(
    world: &mut W,
    work: impl FnOnce(&mut W, &mut DeviceWorld) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut on = on_gpu(world);
    let place = on.place();
    on.open()?;
    let Some(mut device) = take(world, place) else { unreachable!("it was just opened") };
    let result = device.attempt(|device| work(world, device));
    world.state_mut().executors().put(device);
    result
}
