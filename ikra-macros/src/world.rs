//! `#[soa_world]`.

mod expand;
mod model;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemStruct, Type};

use crate::class::forgotten;
use crate::diagnostics::{Errors, silent};
use crate::krate::Krate;

/// The attribute.
pub(crate) fn soa_world(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (krate, args) = Krate::take("soa_world", args, &mut errors);
    if !args.is_empty() {
        errors.at(&args, "`#[soa_world]` takes no arguments but `crate = path`");
    }
    krate.reach(world(krate.protect(item), errors))
}

fn world(item: TokenStream, mut errors: Errors) -> TokenStream {
    let Ok(world) = syn::parse2::<ItemStruct>(item.clone()) else {
        errors.at(&item, "`#[soa_world]` belongs on a struct with fields of type `Objects<Class>`");
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    };
    let members = model::members(&world, &mut errors);
    match errors.into_tokens() {
        None => {
            let forgotten = members.iter().filter_map(|member| match &member.class {
                Type::Path(path) => forgotten(&path.path, "soa_world"),
                _ => None,
            });
            let forgotten: TokenStream = forgotten.collect();
            let made = expand::expand(world, &members);
            quote!(#forgotten #made)
        }
        errors => {
            let generics = world.generics.clone();
            let mut world = world;
            for parameter in world.generics.type_params_mut() {
                // Said above: the compiler need not ask for it.
                parameter.bounds.push(syn::parse_quote!(::ikra::Class));
            }
            silent(&world.ident, &world.vis, &generics, &world, errors)
        }
    }
}
