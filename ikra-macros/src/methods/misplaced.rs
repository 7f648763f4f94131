//! `#[kernel]` outside of `#[soa_methods]`.
//!
//! The attribute sees only its own method. So a block of five kernels without `#[soa_methods]` would cause five errors.
//! Many more would follow, because `Ref` is unknown and executors receive functions. The attribute therefore looks for
//! the block in the source file. The block's first kernel reports the mistake, and each kernel expands as under
//! `#[soa_methods]`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, ImplItemFn, ItemImpl, Path, Type};

use crate::class::is_made;
use crate::diagnostics::Errors;

/// Expands the attribute on an item.
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

/// The block that contains a method.
struct Enclosing {
    class: Path,
    /// Whether the method is its first kernel.
    is_first: bool,
}

/// The block in this file that lacks `#[soa_methods]` and has a kernel of this name. Only inherent blocks count, and
/// there must be exactly one.
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
