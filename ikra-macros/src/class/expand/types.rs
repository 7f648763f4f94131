//! The types of a field: its storage, and the types that views and getters show.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::class::arrays::Arrangement;
use crate::class::model::{Field, StorageKind, is_number};
use crate::diagnostics::{located, unless_error};
use crate::stored::{self, is_link, is_stored, linked};

impl Field {
    /// The runtime's storage type for the field, as other items name it.
    pub(crate) fn storage(&self) -> TokenStream {
        if self.is_sure() {
            return self.definition();
        }
        let Self { class, place, .. } = self;
        quote_spanned!(located(&self.ty)=> <#class as ::ikra::rt::Field<#place>>::Storage)
    }

    /// The runtime's storage type for the field, in the definition of `Field<K>`. This is the only code that queries
    /// the compiler about facts the macro cannot know.
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
            // The first field of this type reports its error; this field refers to it instead of repeating the error.
            let first = quote_spanned!(at=> ::core::mem::size_of::<<#class as ::ikra::rt::Field<#first>>::Storage>());
            return unless_error(&storage, first, at);
        }
        unless_error(&storage, is_stored(&self.ty, self.kind, &storage), at)
    }

    /// The type of the field in a view.
    pub(crate) fn view_type(&self, world: &TokenStream, phase: &Ident) -> TokenStream {
        self.shown_type(world, phase, &quote!(OfSelf), &quote!(FieldView))
    }

    /// The type in a view or a getter. The two differ for atomics, and in the name of a type that the macro does not
    /// know.
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
                StorageKind::Atomic => quote_spanned!(at=> ::ikra::arrays::InnerAtomics<#world, #storage, #atomic>),
                _ => quote_spanned!(at=> ::ikra::arrays::InnerMut<#world, #phase, #storage>),
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

    /// The type as documentation shows it, in a getter and, for links, in a view.
    pub(crate) fn documented_type(&self, world: &TokenStream, phase: &Ident) -> Option<TokenStream> {
        let ty = &self.ty;
        if self.broken || self.array.is_some() && self.kind == StorageKind::Atomic {
            return None;
        }
        if self.array.is_some() {
            let element = stored::element(ty)?;
            let storage = quote!(impl ::ikra::arrays::ArrayStorage<Element = #element>);
            return Some(quote!(::ikra::arrays::InnerRef<#world, #phase, #storage>));
        }
        match self.kind {
            StorageKind::Atomic => Some(quote!(::ikra::Atomic<#world, #ty, impl ::ikra::AtomicOwner>)),
            StorageKind::Plain => {
                let class = linked(ty)?;
                let seen = quote!(::ikra::Ref<#world, #class, #phase>);
                Some(if is_link(ty) { seen } else { quote!(::core::option::Option<#seen>) })
            }
            StorageKind::Flatten => None,
        }
    }

    /// The return type of a getter.
    pub(crate) fn seen_type(&self, world: &TokenStream, phase: &Ident) -> TokenStream {
        if self.array.is_some() && !self.broken && self.kind == StorageKind::Plain {
            let storage = self.storage();
            return quote_spanned!(located(&self.ty)=> ::ikra::arrays::InnerRef<#world, #phase, #storage>);
        }
        self.shown_type(world, phase, &quote!(OfAny), &quote!(FieldSeen))
    }
}

impl Arrangement {
    /// The runtime type that maps the field to its shown type.
    fn to_type(&self, at: Span) -> TokenStream {
        match self {
            Self::Full { element, len } => quote_spanned!(at=> ::ikra::rt::FullyInlined<#element, { #len }>),
            Self::Whole { element, len } => quote_spanned!(at=> ::ikra::rt::WholeArray<#element, { #len }>),
            Self::Partly { element, slots } => quote_spanned!(at=> ::ikra::rt::PartlyInlined<#element, { #slots }>),
        }
    }
}
