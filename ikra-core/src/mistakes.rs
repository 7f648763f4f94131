//! Traits that nothing implements, for messages: a bound by one of them makes the compiler say what to write instead.
//!
//! Bounds of a method show the whole message. So do bounds of an `impl`, unless the type has a lifetime.

/// In bounds of operators of atomics: the other operand.
#[diagnostic::on_unimplemented(
    message = "an `#[atomic]` field is loaded explicitly: write `.load()`",
    label = "calculates with the field itself, not with its value",
    note = "write `self.hits.load() > 3`, `other.hits().load() + 1`; to change it, `self.hits.add(1)`, `other.hits().add(1)`"
)]
pub trait LoadedValue {}

/// In bounds of functions of structs that are methods under `#[soa_methods]` without `#[kernel]`.
#[diagnostic::on_unimplemented(
    message = "this is a method of objects in a world, and no kernel: for all objects put `#[kernel]` on it",
    label = "no kernel, and no function of `{Self}` itself",
    note = "for one object call it on `sim.get(link)`, or on `sim.get_mut(link)` if it takes `&mut self`"
)]
pub trait IsKernel {}

/// In bounds of functions of structs that are kernels.
#[diagnostic::on_unimplemented(
    message = "a kernel runs for objects in a world, and this is a struct of its own",
    label = "called on the struct `{Self}`, not on an object",
    note = "for all objects write `sim.execute({Self}::kernel, arguments)`, for one `sim.get_mut(link).kernel(…)`; rows from `&sim.objects` are copies"
)]
pub trait IsInWorld {}

/// In bounds of constants of structs that have names of columns.
#[diagnostic::on_unimplemented(
    message = "columns belong to the enum with the class's name in small letters: `body::mass` for `Body`",
    label = "the struct `{Self}` has no columns"
)]
pub trait HasColumns {}

/// In bounds of methods of refs that take `&mut self`.
#[diagnostic::on_unimplemented(
    message = "a method with `&mut self` changes its object, and a ref to another object only reads",
    label = "this method takes `&mut self`",
    note = "in a kernel each object changes itself, `self.mass = self.next.…`, or updates an `#[atomic]` field of the other",
    note = "in sequential code write `sim.get_mut(link)` instead of `sim.get(link)`"
)]
pub trait ChangesOthers {}

/// In bounds of functions that would lend or remove whole objects.
#[diagnostic::on_unimplemented(
    message = "there is no `{Self}` in memory to lend or to take out: each field has a column",
    label = "objects cannot be indexed, borrowed or taken out",
    note = "one object: `sim.get(link)`, `sim.get_mut(link)`; in methods `self.resolve(link)`, and by its position `self.all::<{Self}>().get(index)`",
    note = "all objects: a kernel; a loop `for row in &sim.objects`, which copies them; or a slice of one field, `sim.objects.column_mut(column)`",
    note = "to remove objects, and the links to them: `sim.remove(link)`, `sim.clear::<{Self}>()`, `sim.retain({Self}::kernel, arguments)` by a kernel that returns a `bool`, or `self.remove()` in a kernel"
)]
pub trait LentWhole {}

/// In bounds of functions that would change the length of an inner array.
#[diagnostic::on_unimplemented(
    message = "an inner array keeps its length in methods",
    label = "would change the length",
    note = "take an array with room, `[Option<Link<Class>>; 8]` or `[u32; 8]`, and a field that counts; or call `sim.objects.set_array(column, link, &values)` between kernels"
)]
pub trait ChangesLength {}

/// In bounds of methods of fields that the text does not show as written.
#[diagnostic::on_unimplemented(
    message = "this method changes the field, and the text of the kernel does not show that",
    label = "write `(&mut self.field).method()`, or `#[kernel(writes(field))]`"
)]
pub trait ShownAsWritten {}

/// In bounds of functions that need the feature `cuda`.
#[diagnostic::on_unimplemented(
    message = "kernels run on NVIDIA GPUs with the feature `cuda` only",
    label = "needs the feature `cuda`",
    note = "write `ikra = {{ version = \"0.1\", features = [\"cuda\"] }}` in Cargo.toml"
)]
pub trait HasFeatureCuda {}
