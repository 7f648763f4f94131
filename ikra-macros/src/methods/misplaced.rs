//! `#[kernel]` where there is no `#[soa_methods]`.
//!
//! The attribute sees its method alone, so that a block of five kernels without `#[soa_methods]` would be five errors, and
//! many more where `Ref` is not known and the executors are given functions. So it looks for the block in the source file.
//! The block's first kernel reports the mistake; and in place of each there is what `#[soa_methods]` would have made.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, ImplItemFn, ItemImpl, Path, Type};

use crate::class::is_made;
use crate::diagnostics::Errors;

/// What the attribute makes of an item.
pub(crate) fn misplaced(args: &TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let block = syn::parse2::<ImplItemFn>(item.clone()).ok().and_then(|method| Some((block_of(&method)?, method)));
    let Some((Enclosing { class, is_first }, method)) = block else {
        errors.span(Span::call_site(), "`#[kernel]` belongs on a method inside `#[soa_methods] impl`");
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    };
    if is_first {
        let class = quote!(#class).to_string().replace(' ', "");
        errors.span(
            Span::call_site(),
            format!(
                "`#[kernel]` belongs on a method inside `#[soa_methods] impl`: put `#[soa_methods]` on `impl {class}`"
            ),
        );
    }
    let errors = errors.into_tokens();
    let attribute = if args.is_empty() { quote!(#[kernel]) } else { quote!(#[kernel(#args)]) };
    let constant = format_ident!("__ikra_misplaced_{}", method.sig.ident.unraw());
    quote! {
        #[doc(hidden)]
        #[allow(non_upper_case_globals, non_local_definitions, dead_code)]
        const #constant: () = {
            #errors
            #class! { impl #class { #attribute #item } }
        };
    }
}

/// The block that a method is in.
struct Enclosing {
    class: Path,
    /// Whether the method is its first kernel.
    is_first: bool,
}

/// The one block of a class's own methods in this file, not under `#[soa_methods]`, in which a kernel has this name.
fn block_of(method: &ImplItemFn) -> Option<Enclosing> {
    let text = std::fs::read_to_string(Span::call_site().local_file()?).ok()?;
    let file = syn::parse_file(&text).ok()?;
    let mut finder = Finder { method: &method.sig.ident, found: Vec::new() };
    finder.visit_file(&file);
    match <[Enclosing; 1]>::try_from(finder.found) {
        Ok([found]) if found.class.get_ident().is_some_and(is_made) => Some(found),
        _ => None,
    }
}

struct Finder<'a> {
    method: &'a Ident,
    found: Vec<Enclosing>,
}

impl<'i> Visit<'i> for Finder<'_> {
    fn visit_item_impl(&mut self, block: &'i ItemImpl) {
        let named = |attr: &Attribute, name: &str| attr.path().segments.last().is_some_and(|last| last.ident == name);
        let kernels: Vec<&Ident> = block
            .items
            .iter()
            .filter_map(|item| match item {
                ImplItem::Fn(item) if item.attrs.iter().any(|attr| named(attr, "kernel")) => Some(&item.sig.ident),
                _ => None,
            })
            .collect();
        if let Type::Path(class) = &*block.self_ty
            && block.trait_.is_none()
            && !block.attrs.iter().any(|attr| named(attr, "soa_methods"))
            && kernels.contains(&self.method)
        {
            self.found.push(Enclosing { class: class.path.clone(), is_first: kernels[0] == self.method });
        }
        visit::visit_item_impl(self, block);
    }
}
