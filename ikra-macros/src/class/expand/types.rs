//! The types behind a field: its storage, and what views and getters show.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::class::arrays::Arrangement;
use crate::class::model::{Field, StorageKind, is_number};
use crate::diagnostics::{located, unless_error};
use crate::stored::is_stored;

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
