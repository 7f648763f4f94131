//! The parsed model of a world: its members.

use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Fields, GenericArgument, Ident, ItemStruct, PathArguments, Type};

use crate::class::{hides, ungrouped};
use crate::diagnostics::Errors;

/// One `Objects<Class>` of the world.
pub(super) struct Member {
    pub(super) ident: Ident,
    pub(super) class: Type,
}

/// The members of a world.
pub(super) fn members(world: &ItemStruct, errors: &mut Errors) -> Vec<Member> {
    if !world.generics.params.is_empty() {
        errors.at(&world.generics, "a world cannot be generic: it owns the objects of a closed set of classes");
    }
    let Fields::Named(fields) = &world.fields else {
        errors.at(&world.ident, "`#[soa_world]` belongs on a struct with named fields of type `Objects<Class>`");
        return Vec::new();
    };
    let mut members: Vec<Member> = Vec::new();
    for field in &fields.named {
        let Some(ident) = field.ident.clone() else { continue };
        let Some(class) = objects_class(&field.ty) else {
            errors.at(
                &field.ty,
                "a world's fields are of type `Objects<Class>`; keep other data beside the world, and pass it to kernels as arguments",
            );
            continue;
        };
        if hides(&field.ty, "Objects") && matches!(ungrouped(&class), Type::Path(path) if path.path.is_ident("Objects"))
        {
            errors.at(
                &field.ty,
                "a class called `Objects` hides Ikra's `Objects`: write `ikra::Objects<Objects>`, or give the class another name",
            );
            continue;
        }
        if members
            .iter()
            .any(|member| ToTokens::to_token_stream(&member.class).to_string() == quote!(#class).to_string())
        {
            errors
                .at(&field.ty, "a world holds the objects of a class once: a link says which object, not which field");
            continue;
        }
        members.push(Member { ident, class });
    }
    if fields.named.is_empty() {
        errors.at(&world.ident, "a world has at least one field of type `Objects<Class>`");
    }
    members
}

/// The class of `Objects<Class>`.
fn objects_class(ty: &Type) -> Option<Type> {
    let Type::Path(path) = ungrouped(ty) else { return None };
    let last = path.path.segments.last()?;
    if last.ident.unraw() != "Objects" {
        return None;
    }
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match args.args.first()? {
        GenericArgument::Type(class) if args.args.len() == 1 => Some(class.clone()),
        _ => None,
    }
}
