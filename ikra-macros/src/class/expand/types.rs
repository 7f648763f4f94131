//! The types behind a field: its storage, and what views and getters show.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned as _;

use crate::class::arrays::Arrangement;
use crate::class::checks::{innermost, linked, optional, shown};
use crate::class::model::{Field, StorageKind, is_number};
use crate::diagnostics::{located, unless_error};

impl Field {
    /// The runtime's storage for it, as other items name it.
    pub(crate) fn storage(&self) -> TokenStream {
        if self.is_sure() {
            return self.definition();
        }
        let Self { class, place, .. } = self;
        quote_spanned!(located(&self.ty)=> <#class as ::ikra::rt::Field<#place>>::Storage)
    }

    /// The runtime's storage for it, where `Field<K>` says which. What the macro cannot know about the type is asked
    /// here and nowhere else.
    pub(crate) fn definition(&self) -> TokenStream {
        let Self { ty, class, place, .. } = self;
        if self.broken {
            return quote!(::ikra::rt::Plain<u8>);
        }
        let at = located(ty);
        let arrangement = self.array.as_ref().map(|array| array.to_type(at));
        let storage = match (&arrangement, self.kind) {
            (Some(arrangement), StorageKind::Atomic) => {
                quote_spanned!(at=> ::ikra::rt::AtomicInner<#class, #place, #arrangement>)
            }
            (Some(arrangement), _) => quote_spanned!(at=> ::ikra::rt::Inner<#class, #place, #arrangement>),
            (None, StorageKind::Plain) => quote_spanned!(at=> ::ikra::rt::Plain<#ty>),
            (None, StorageKind::Flatten) => quote_spanned!(at=> ::ikra::rt::Flat<#ty>),
            (None, StorageKind::Atomic) => quote_spanned!(at=> ::ikra::rt::AtomicColumn<#ty>),
        };
        if self.is_sure() {
            return storage;
        }
        if let Some(first) = self.asked {
            // An error there is one here, and is not repeated.
            let first = quote_spanned!(at=> ::core::mem::size_of::<<#class as ::ikra::rt::Field<#first>>::Storage>());
            return unless_error(&storage, first, at);
        }
        unless_error(&storage, is_stored(&self.ty, self.kind, &storage), at)
    }

    /// What a view shows for it.
    pub(crate) fn view_type(&self, world: &TokenStream, phase: &Ident) -> TokenStream {
        self.shown_type(world, phase, &quote!(OfSelf), &quote!(FieldView))
    }

    /// What a view or a getter shows, which differ in the place of atomics and in the name for types that the macro
    /// does not know.
    fn shown_type(
        &self,
        world: &TokenStream,
        phase: &Ident,
        atomic: &TokenStream,
        unsure: &TokenStream,
    ) -> TokenStream {
        let Self { ty, class, place, .. } = self;
        let at = located(ty);
        let atomic = quote_spanned!(at=> ::ikra::rt::#atomic<#phase, #class, #place>);
        if self.array.is_some() && !self.broken {
            let storage = self.storage();
            return match self.kind {
                StorageKind::Atomic => quote_spanned!(at=> ::ikra::InnerAtomics<#world, #storage, #atomic>),
                _ => quote_spanned!(at=> ::ikra::InnerMut<#world, #phase, #storage>),
            };
        }
        match self.kind {
            _ if self.broken => quote!(#ty),
            StorageKind::Flatten => quote!(#ty),
            _ if !self.is_sure() => quote_spanned!(at=> ::ikra::rt::#unsure<#world, #phase, #class, #place>),
            StorageKind::Atomic => quote_spanned!(at=> ::ikra::Atomic<#world, #ty, #atomic>),
            StorageKind::Plain if is_number(ty) => quote!(#ty),
            StorageKind::Plain => quote_spanned!(at=> <#ty as ::ikra::Value>::View<#world, #phase>),
        }
    }

    /// What a getter returns.
    pub(crate) fn seen_type(&self, world: &TokenStream, phase: &Ident) -> TokenStream {
        if self.array.is_some() && !self.broken && self.kind == StorageKind::Plain {
            let storage = self.storage();
            return quote_spanned!(located(&self.ty)=> ::ikra::InnerRef<#world, #phase, #storage>);
        }
        self.shown_type(world, phase, &quote!(OfAny), &quote!(FieldSeen))
    }
}

impl Arrangement {
    /// The runtime's type for it.
    fn to_type(&self, at: Span) -> TokenStream {
        match self {
            Self::Full { element, len } => quote_spanned!(at=> ::ikra::rt::FullyInlined<#element, { #len }>),
            Self::Whole { element, len } => quote_spanned!(at=> ::ikra::rt::WholeArray<#element, { #len }>),
            Self::Partly { element, slots } => quote_spanned!(at=> ::ikra::rt::PartlyInlined<#element, { #slots }>),
        }
    }
}

/// 1 if `storage` stores a field of this type, and an error that says why not otherwise.
fn is_stored(ty: &Type, kind: StorageKind, storage: &TokenStream) -> TokenStream {
    let at = located(ty);
    let element = innermost(ty);
    let name = shown(element);
    let class = shown(linked(element).unwrap_or(element));
    let no_class =
        format!("`{class}` is not a class, and `{name}` links to one: put `#[soa_class]` on `struct {class}`");
    let no_value = match kind {
        StorageKind::Plain => format!(
            "`{name}` cannot be stored in a column, which holds plain bytes: add `#[derive(Clone, Copy, Value)] #[repr(C)]` to it if it is a struct of yours, `#[repr(u8)]` if it is an enum"
        ),
        StorageKind::Flatten => format!(
            "`{name}` cannot be flattened into a column per component: leave out `#[soa(flatten)]`, or make it a struct of at most 16 fields with `#[derive(Clone, Copy, Value)] #[repr(C)]`"
        ),
        StorageKind::Atomic => format!(
            "`{name}` cannot be `#[atomic]`: atomic fields are `u32`, `i32`, `u64`, `i64`, `f32`, `f64`, `bool`, `ikra::Fixed`, `Link<Class>` or `Option<Link<Class>>`; an enum is stored as its number"
        ),
    };
    let an_object = format!(
        "`{class}` is a class, whose objects are in columns of their own: refer to one by `Link<{class}>`, or `Option<Link<{class}>>`"
    );
    let [no_value, no_class] = [no_value, no_class].map(|message| panic(ty, &message));
    let why = match linked(element) {
        Some(target) => quote_spanned! {at=>
            if !<::ikra::rt::Probe<#target>>::IS_CLASS { #no_class }
        },
        None => {
            let inside = optional(element).unwrap_or(element);
            let an_object = match optional(element) {
                Some(inside) => an_object.replace(&class, &shown(inside)),
                None => an_object,
            };
            let an_object = panic(ty, &an_object);
            quote_spanned! {at=>
                if <::ikra::rt::Probe<#inside>>::IS_CLASS { #an_object }
            }
        }
    };
    quote_spanned! {at=>
        #[allow(unused_imports)]
        use ::ikra::rt::No as _;
        #why
        if !<::ikra::rt::Probe<#storage>>::IS_STORAGE { #no_value }
        1
    }
}

/// `panic!(message)` that the compiler shows at a type.
fn panic(ty: &Type, message: &str) -> TokenStream {
    // With the type's own span, so that it is not shown as part of an expansion.
    quote_spanned!(ty.span()=> ::core::panic!(#message))
}
