//! The procedural macros behind the `ikra` crate: parse → model → expand, one folder an attribute.
//!
//! | folder | attribute |
//! | --- | --- |
//! | `class` | `#[soa_class]` |
//! | `methods` | `#[soa_methods]`, and `#[kernel]` within |
//! | `world` | `#[soa_world]` |
//! | `value` | `#[derive(Value)]` |

mod class;
mod diagnostics;
#[cfg(test)]
mod expansions;
mod methods;
mod value;
mod world;

use proc_macro::TokenStream;

/// Turns a struct into a class, whose objects are stored column by column.
///
/// The struct stays as it is: it is the *row*, to construct, read and write whole objects. Beside it
/// appear, for a struct `Body`:
///
/// | | |
/// | --- | --- |
/// | `BodyMut<'w, P>` | the view: what methods in `#[soa_methods]` see as `self`, with real fields |
/// | `BodyRef<'w, P>` | the ref: another object, with a getter for each field; written `Ref<Body>` in methods |
/// | `body::mass` | a name for the column of each field, for `Objects::column` |
///
/// # Options
///
/// `#[soa_class(layout = "soa", capacity = 1_000_000, addressing = "zero")]`
///
/// | option | values |
/// | --- | --- |
/// | `layout` | `"soa"` (default): an array a column; `"tiles"`: SoA in blocks of 64 objects (`tile = 128` for 128); `"aos"`: side by side |
/// | `capacity` | the largest number of objects; makes SoA's strides compile-time constants. Without it storage grows |
/// | `addressing` | `"zero"` (default), `"storage"`, `"first_field"`: what `Link::to_bits` yields |
/// | `columns` | the name before `::mass`, instead of the struct's in snake case |
///
/// # Fields
///
/// | field | in a view | on a ref |
/// | --- | --- | --- |
/// | a number, `bool`, array, `#[derive(Value)]` struct | the value | a getter |
/// | `Link<X>`, `Option<Link<X>>` | `Ref<X>`, `Option<Ref<X>>` | a getter of that |
/// | `#[atomic]` | [`Atomic`](../ikra/struct.Atomic.html), which can be changed from any object | the same |
/// | `#[soa(flatten)]` on a struct | the struct; stored as a column per component | a getter |
#[proc_macro_attribute]
pub fn soa_class(args: TokenStream, item: TokenStream) -> TokenStream {
    class::soa_class(args.into(), item.into()).into()
}

/// Makes the methods of an impl block methods of the class's objects.
///
/// Methods with `&self` or `&mut self` move to the view; those with `&self` can be called on a
/// `Ref<Body>` too. Other functions and constants stay on the struct. In signatures and bodies
/// `Ref<X>` means another object of class `X`, and `Self` the struct.
///
/// # What a method does to the fields
///
/// It is found in the text: a field is written if it is assigned to, borrowed by `&mut`, or changed by a
/// method such as `sort`, here or in a method that is called on `self`. Where the text does not show it,
/// the executor notices, and says which `writes(…)` to add.
///
/// | in the text | counts as |
/// | --- | --- |
/// | `self.mass` | a use of `mass` |
/// | `let body = self;`, `f(self)` | a change of every field, unless the kernel says `writes(…)` |
/// | `f(&*self)`, `format!("{self:?}")` | a use of every field |
/// | `my_macro!(self.mass)`, a macro of your own | a use of every field: it may expand to any |
///
/// # Several blocks
///
/// A class may have several blocks, in different modules. They find the class's fields through a macro of
/// the class's name, which is imported along with it; import the view and the ref too
/// (`use model::{Body, BodyMut, BodyRef}`), or write a path, `impl model::Body`. "Cannot find macro `Body`"
/// means that the struct is not under `#[soa_class]`.
///
/// # `#[kernel]`
///
/// | attribute | the method | runs by |
/// | --- | --- | --- |
/// | `#[kernel]` | `fn step(&mut self, …)` | `execute`, `execute_range`, `execute_each` |
/// | `#[kernel(pairs)]` | `fn attract(&mut self, other: Ref<X>, …)` | `execute_pairs` |
/// | `#[kernel(reduce(Sum, …))]` | `fn energy(&self, …) -> T` | `execute_and_reduce` |
/// | `#[kernel]` | `fn spawn(id: u32, …) -> Self` | `construct` |
///
/// | option | meaning |
/// | --- | --- |
/// | `writes(field, …)` | the method changes these fields in ways that its text does not show |
/// | `snapshot(field, …)` | others see the values from before the kernel |
/// | `heavy`, `light` | whether a call does much work, so that few objects are worth several threads and several instruction sets; by default, whether the method contains a loop |
#[proc_macro_attribute]
pub fn soa_methods(args: TokenStream, item: TokenStream) -> TokenStream {
    methods::soa_methods(args.into(), item.into()).into()
}

/// `#[kernel]` outside `#[soa_methods]`: an error that says so.
#[proc_macro_attribute]
pub fn kernel(_args: TokenStream, item: TokenStream) -> TokenStream {
    methods::misplaced_kernel(item.into()).into()
}

/// The second stage of [`macro@soa_methods`], once the class's fields are known.
#[doc(hidden)]
#[proc_macro]
pub fn __expand_methods(input: TokenStream) -> TokenStream {
    methods::expand_methods(input.into()).into()
}

/// Makes a struct of `Objects<…>` a world: it owns the objects of these classes, and runs their kernels.
///
/// The struct gets `new()`, `Default` and the trait `World`. All its fields must be of type
/// `Objects<Class>`, each class once; every class that a link refers to must be there.
#[proc_macro_attribute]
pub fn soa_world(args: TokenStream, item: TokenStream) -> TokenStream {
    world::soa_world(args.into(), item.into()).into()
}

/// Lets columns hold a struct, or an enum without fields.
///
/// The type must be `Copy` and have a fixed representation: `#[repr(C)]` or `#[repr(transparent)]` on a
/// struct, `#[repr(u8)]` or the like on an enum. All fields must be values. A struct of at most 16
/// fields can be under `#[soa(flatten)]`. A type in a `pub` class must be `pub` itself.
#[proc_macro_derive(Value)]
pub fn derive_value(item: TokenStream) -> TokenStream {
    value::derive_value(item.into()).into()
}
