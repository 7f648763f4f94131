//! `#[soa_world]`.

mod expand;
mod model;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ItemStruct, Type};

use crate::class::forgotten;
use crate::device_code::Codes;
use crate::diagnostics::{Errors, silent};
use crate::krate::Krate;

/// Expands the attribute `#[soa_world]`.
pub(crate) fn soa_world(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (krate, args) = Krate::take("soa_world", args, &mut errors);
    let codes = syn::parse2::<Codes>(krate.protect(args.clone())).unwrap_or_else(|_| {
        errors.at(
            &args,
            "`#[soa_world]` takes no arguments but `device_code = […]`, a list of other packages' device code such as `shapes::DEVICE_CODE`, and `crate = path`",
        );
        Codes::default()
    });
    krate.reach(world(krate.protect(item), &codes.0, errors))
}

fn world(item: TokenStream, codes: &[Expr], mut errors: Errors) -> TokenStream {
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
            let made = expand::expand(world, &members, codes);
            quote!(#forgotten #made)
        }
        errors => {
            let generics = world.generics.clone();
            let mut world = world;
            for parameter in world.generics.type_params_mut() {
                // The error is already reported; this bound prevents a second one from the compiler.
                parameter.bounds.push(syn::parse_quote!(::ikra::Class));
            }
            silent(&world.ident, &world.vis, &generics, &world, errors)
        }
    }
}
