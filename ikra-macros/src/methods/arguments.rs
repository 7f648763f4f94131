//! The arguments of kernels, passed to executors as one value.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{GenericParam, Generics, Lifetime, Path, Signature, Type};

use super::model::{Block, Parameter};
use super::parse::parameters;
use super::rewrite;

/// A kernel's arguments, as a single type and a pattern.
pub(crate) struct Args {
    pub(crate) ty: TokenStream,
    pub(crate) pattern: TokenStream,
    /// The names of links that become `Ref`s, and the classes or traits of their objects.
    pub(super) linked: Vec<(Ident, TokenStream)>,
    /// Statements that convert other arguments to what the object of a call sees of them.
    pub(super) seen: Vec<TokenStream>,
    /// The types and names of the single arguments.
    pub(crate) types: Vec<TokenStream>,
    /// For each, the type of groups and the lifetime of the reference to them.
    groups: Vec<Option<(TokenStream, Lifetime)>>,
    pub(crate) names: Vec<Ident>,
    /// The names of all parameters, as the method gets them: also those that the caller does not pass.
    pub(super) given: Vec<Ident>,
    /// The generics for an `impl` over these arguments.
    pub(super) generics: Generics,
}

impl Args {
    /// Whether the kernel has type parameters or a `where` clause.
    pub(super) fn has_type_parameters(&self) -> bool {
        let is_lifetime = |param: &GenericParam| matches!(param, GenericParam::Lifetime(_));
        self.generics.where_clause.is_some() || !self.generics.params.iter().all(is_lifetime)
    }

    /// Whether all lifetimes are those of references to groups, of which there are some.
    pub(super) fn borrows_groups_only(&self) -> bool {
        let groups = self.groups.iter().flatten().count();
        groups > 0 && groups == self.generics.params.len() && self.generics.where_clause.is_none()
    }

    /// The types of the single arguments as the device takes them: groups themselves, followed by the lifetime of the
    /// reference to them.
    pub(super) fn device_types(&self) -> impl Iterator<Item = TokenStream> {
        self.types.iter().zip(&self.groups).map(|(ty, groups)| match groups {
            Some((groups, lifetime)) => quote!(#groups => #lifetime '_),
            None => ty.clone(),
        })
    }

    /// The types of the single arguments that are not groups.
    pub(super) fn values(&self) -> impl Iterator<Item = &TokenStream> {
        self.types.iter().zip(&self.groups).filter(|(_, groups)| groups.is_none()).map(|(ty, _)| ty)
    }

    /// Whether a device kernel can have these arguments, judged by their tokens.
    pub(super) fn may_be_values(&self) -> bool {
        fn shows(ty: &Type) -> bool {
            match ty {
                Type::Path(_) | Type::Macro(_) => true,
                Type::Array(array) => shows(&array.elem),
                Type::Paren(inner) => shows(&inner.elem),
                Type::Group(inner) => shows(&inner.elem),
                _ => false,
            }
        }
        let may_be_value = |ty: &TokenStream| syn::parse2::<Type>(ty.clone()).is_ok_and(|ty| shows(&ty));
        let is_of_values = self.generics.params.is_empty() || self.borrows_groups_only();
        is_of_values && self.generics.where_clause.is_none() && self.values().all(may_be_value)
    }
}

/// The arguments of a trait's kernel, if they can be passed to the device. `Self` is `class`.
pub(crate) fn device_arguments(class: &Path, sig: &Signature) -> Option<Args> {
    let args = arguments(class, &sig.generics, &parameters(sig));
    Some(args).filter(|args| args.generics.params.is_empty() && args.may_be_values())
}

/// The arguments of a method with these `generics` as one value. One argument is passed unchanged, no argument as `()`,
/// several as a tuple. `Ref<X>` becomes `Link<X>`, `Groups<X>` a reference to them, `Of<T>` a reference to a column,
/// `Worklist<X>` a reference to it, and
/// `impl Trait` a type parameter.
pub(super) fn arguments(class: &Path, generics: &Generics, parameters: &[Parameter]) -> Args {
    let mut generics = generics.clone();
    let mut lifetimes = Vec::new();
    let (mut types, mut names, mut given) = (Vec::new(), Vec::new(), Vec::new());
    let (mut linked, mut seen) = (Vec::new(), Vec::new());
    let mut all_groups = Vec::new();
    for (n, parameter) in parameters.iter().enumerate() {
        let name = format_ident!("arg{n}");
        given.push(name.clone());
        if parameter.young.is_some() {
            seen.push(quote!(let #name = ::ikra::Spawn::of(::ikra::Object::handle(&*view));));
            continue;
        }
        let mut groups_of = None;
        if let Some(object) = &parameter.object {
            let object = rewrite(object.to_token_stream(), class);
            types.push(quote!(<#object as ::ikra::dispatch::Referent>::Link));
            linked.push((name.clone(), object));
        } else if let Some(groups) = &parameter.groups {
            let lifetime = Lifetime::new(&format!("'__a{}", lifetimes.len()), Span::call_site());
            let groups = rewrite(groups.clone(), class);
            let groups = quote!(::ikra::Groups<#groups>);
            types.push(quote!(&#lifetime #groups));
            seen.push(quote!(let #name = ::ikra::Groups::seen_by(#name, &*view);));
            lifetimes.push(lifetime.clone());
            groups_of = Some((groups, lifetime));
        } else if let Some(element) = &parameter.element {
            let lifetime = Lifetime::new(&format!("'__a{}", lifetimes.len()), Span::call_site());
            let element = rewrite(element.to_token_stream(), class);
            let column = quote!(::ikra::Mapped<#class, #element>);
            types.push(quote!(&#lifetime #column));
            seen.push(quote!(let #name = ::ikra::Mapped::seen_by(#name, &*view);));
            lifetimes.push(lifetime.clone());
            groups_of = Some((column, lifetime));
        } else if let Some(of) = &parameter.worklist {
            let lifetime = Lifetime::new(&format!("'__a{}", lifetimes.len()), Span::call_site());
            let of = rewrite(of.to_token_stream(), class);
            let list = quote!(::ikra::Worklist<#of>);
            types.push(quote!(&#lifetime #list));
            lifetimes.push(lifetime.clone());
            groups_of = Some((list, lifetime));
        } else {
            let mut ty = parameter.ty.clone();
            Named { lifetimes: &mut lifetimes, generics: &mut generics, parameter: n }.visit_type_mut(&mut ty);
            types.push(rewrite(ty.to_token_stream(), class));
        }
        names.push(name);
        all_groups.push(groups_of);
    }
    let (ty, pattern) = match (types.as_slice(), names.as_slice()) {
        ([ty], [name]) => (ty.clone(), quote!(#name)),
        _ => (quote!((#(#types),*)), quote!((#(#names),*))),
    };
    for (n, lifetime) in lifetimes.iter().enumerate() {
        generics.params.insert(n, syn::parse_quote!(#lifetime));
    }
    Args { ty, pattern, linked, seen, types, groups: all_groups, names, given, generics }
}

/// Names elided lifetimes and `impl Trait`, because an `impl` header must name them.
struct Named<'a> {
    lifetimes: &'a mut Vec<Lifetime>,
    generics: &'a mut Generics,
    parameter: usize,
}

impl Named<'_> {
    fn fresh(&mut self) -> Lifetime {
        let lifetime = Lifetime::new(&format!("'__a{}", self.lifetimes.len()), Span::call_site());
        self.lifetimes.push(lifetime.clone());
        lifetime
    }
}

impl VisitMut for Named<'_> {
    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        if reference.lifetime.is_none() {
            reference.lifetime = Some(self.fresh());
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.fresh();
        }
    }
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::ImplTrait(bounds) = ty {
            let name = format_ident!("__T{}_{}", self.parameter, self.generics.params.len());
            let bounds = &bounds.bounds;
            self.generics.params.push(syn::parse_quote!(#name: #bounds));
            *ty = syn::parse_quote!(#name);
            return;
        }
        // Elided lifetimes in function types belong to the function types themselves.
        if !matches!(ty, Type::FnPtr(_)) {
            visit_mut::visit_type_mut(self, ty);
        }
    }
}

/// `::<T, N>`, for a call of a function with these generics; inference may have no other source for them.
pub(super) fn turbofish(generics: &Generics) -> TokenStream {
    let names: Vec<_> = generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(param) => Some(&param.ident),
            GenericParam::Const(param) => Some(&param.ident),
            GenericParam::Lifetime(_) => None,
        })
        .collect();
    if names.is_empty() { TokenStream::new() } else { quote!(::<#(#names),*>) }
}

/// The parameters of an `impl`, in `<…>`, and its `where` clause.
pub(super) fn split(block: &Block, generics: &Generics) -> (TokenStream, TokenStream) {
    let params = block.rewrite(&generics.params);
    let params = if params.is_empty() { params } else { quote!(<#params>) };
    (params, block.rewrite(generics.where_clause.to_token_stream()))
}
