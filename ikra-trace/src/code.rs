//! The functions for one field, and for one variant of an enum of pointers, as values: the macro's code asks once
//! whether they exist, so that a field that cannot be traced is one error.

use ikra_core::class::Field;
use ikra_core::column::Column;
use ikra_core::dispatch::{AnyLink, Dispatch, Includes, LinkBits};
use ikra_core::link::Link;

use crate::back::{Back, Context};
use crate::error::{At, Problem};
use crate::field::TraceField;
use crate::held::UntypedLink;
use crate::pointers::{Pointer, Refers};
use crate::store::{Columns, RowOf};
use crate::tracer::Tracer;

/// An object's link and the set of its fields that have changed.
pub(crate) type Changed<C> = (Link<C>, u64);

/// How an ordinary field of type `F` becomes field `K` of class `C`.
#[derive(Debug)]
pub struct FieldCode<C: Field<K>, F, const K: usize> {
    traced: for<'o> fn(&'o F, &mut Tracer<'o, '_>) -> Result<RowOf<C, K>, Problem>,
    write: fn(&F, RowOf<C, K>, &Context<'_>) -> Result<(), Problem>,
    write_mut: fn(&mut F, RowOf<C, K>, &Context<'_>) -> Result<(), Problem>,
    owned: for<'o> fn(&'o F, &mut Back<'o, '_>) -> Result<(), Problem>,
    owned_mut: for<'o> fn(&'o mut F, &mut Back<'o, '_>) -> Result<(), Problem>,
    owns: bool,
    /// Whether a field of a shared object can be written.
    writes: bool,
}

impl<C: Field<K>, F, const K: usize> FieldCode<C, F, K> {
    /// The functions.
    #[must_use]
    pub const fn find() -> Self
    where
        F: TraceField<RowOf<C, K>>,
    {
        Self {
            traced: F::traced,
            write: F::write,
            write_mut: F::write_mut,
            owned: F::owned,
            owned_mut: F::owned_mut,
            owns: F::OWNS,
            writes: F::WRITES,
        }
    }

    /// The value in the row.
    ///
    /// # Errors
    ///
    /// The problem of the field.
    #[inline(always)]
    pub fn row<'o>(self, field: &'o F, tracer: &mut Tracer<'o, '_>) -> Result<RowOf<C, K>, At> {
        (self.traced)(field, tracer).map_err(At::field::<C, K>)
    }

    /// Writes the field of an object that is shared.
    ///
    /// # Errors
    ///
    /// The problem of the field.
    #[inline(always)]
    pub fn shared<'o>(self, field: &'o F, changed: Changed<C>, back: &mut Back<'o, '_>) -> Result<(), At> {
        if !self.writes {
            back.check(changed, Column::<C, K>::NEW, Problem::Immutable)?;
        } else if let Some(value) = back.changed(changed, Column::<C, K>::NEW)? {
            (self.write)(field, value, back.context).map_err(At::field::<C, K>)?;
        }
        if self.owns && back.context.has_owned_changes {
            (self.owned)(field, back).map_err(At::field::<C, K>)?;
        }
        Ok(())
    }

    /// Writes the field of an object that is not shared.
    ///
    /// # Errors
    ///
    /// The problem of the field.
    #[inline(always)]
    pub fn exclusive<'o>(self, field: &'o mut F, changed: Changed<C>, back: &mut Back<'o, '_>) -> Result<(), At> {
        if let Some(value) = back.changed(changed, Column::<C, K>::NEW)? {
            (self.write_mut)(field, value, back.context).map_err(At::field::<C, K>)?;
        }
        if self.owns && back.context.has_owned_changes {
            (self.owned_mut)(field, back).map_err(At::field::<C, K>)?;
        }
        Ok(())
    }

    /// Adds the field to those of the class.
    pub fn add(self, columns: &mut Columns<C>) {
        columns.add(Column::<C, K>::NEW, self.owns);
    }
}

/// How a pointer of type `R` in a variant becomes a link of the trait `D`.
#[derive(Debug)]
pub struct VariantCode<D: Dispatch, R> {
    refer_if_alive: for<'o> fn(&'o R, &mut Tracer<'o, '_>) -> Result<Option<AnyLink<D>>, Problem>,
    again: fn(AnyLink<D>, &Context<'_>) -> Result<R, Problem>,
    target: fn(&R, &Context<'_>) -> Option<UntypedLink>,
    owned: for<'o> fn(&'o R, &mut Back<'o, '_>),
    owned_mut: for<'o> fn(&'o mut R, &mut Back<'o, '_>),
    /// Whether the pointer owns its object.
    pub owns: bool,
}

/// The link as one of a trait, if the id fits into it.
///
/// # Errors
///
/// [`Problem::TooMany`].
pub fn any_link<D: Dispatch, L: Copy + Into<UntypedLink> + Into<AnyLink<D>>>(link: L) -> Result<AnyLink<D>, Problem> {
    let UntypedLink { index, .. } = link.into();
    if index >= D::Bits::largest_id(D::CLASSES.len()) {
        return Err(Problem::TooMany);
    }
    Ok(link.into())
}

impl<D: Dispatch, R> VariantCode<D, R> {
    /// The functions.
    #[must_use]
    pub const fn find() -> Self
    where
        R: Pointer,
        D: Includes<R::Class>,
    {
        Self {
            refer_if_alive: |pointer, tracer| pointer.refer_if_alive(tracer)?.map(any_link).transpose(),
            again: |link, context| {
                let link = Link::<R::Class>::try_from(link).map_err(|_| Problem::OtherType)?;
                R::again(link, context)
            },
            target: R::target,
            owned: |pointer, back| Refers::owned(pointer, back),
            owned_mut: |pointer, back| Refers::owned_mut(pointer, back),
            owns: R::OWNS,
        }
    }

    /// The link to the object; `None` if it was dropped.
    ///
    /// # Errors
    ///
    /// The problem of the pointer.
    pub fn refer_if_alive<'o>(
        self,
        pointer: &'o R,
        tracer: &mut Tracer<'o, '_>,
    ) -> Result<Option<AnyLink<D>>, Problem> {
        (self.refer_if_alive)(pointer, tracer)
    }

    /// A pointer to the object of a link.
    ///
    /// # Errors
    ///
    /// [`Problem::OtherType`], if the variant does not name such objects.
    pub fn again(self, link: AnyLink<D>, context: &Context<'_>) -> Result<R, Problem> {
        (self.again)(link, context)
    }

    /// The object to which the pointer leads, if the trace knows it.
    pub fn target(self, pointer: &R, context: &Context<'_>) -> Option<UntypedLink> {
        (self.target)(pointer, context)
    }

    /// Notes the object if it is owned.
    pub fn owned<'o>(self, pointer: &'o R, back: &mut Back<'o, '_>) {
        (self.owned)(pointer, back);
    }

    /// The same for a pointer that is not shared.
    pub fn owned_mut<'o>(self, pointer: &'o mut R, back: &mut Back<'o, '_>) {
        (self.owned_mut)(pointer, back);
    }
}

/// The only variant that can hold a link, given the pointer or the problem of each.
///
/// # Errors
///
/// [`Problem::Ambiguous`], if several can; a problem of a variant, if none can.
pub fn only<P, const N: usize>(variants: [Result<P, Problem>; N]) -> Result<P, Problem> {
    let (mut found, mut problem) = (None, Problem::OtherType);
    for variant in variants {
        match variant {
            Ok(_) if found.is_some() => return Err(Problem::Ambiguous),
            Ok(pointer) => found = Some(pointer),
            Err(Problem::OtherType) => {}
            Err(other) => problem = other,
        }
    }
    found.ok_or(problem)
}
