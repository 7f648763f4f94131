//! Parses an impl block into the model: which item is a method, a kernel, a constructor, or stays on the row.

use std::collections::HashMap;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, FnArg, GenericArgument, ImplItem, ImplItemFn, ItemImpl, Path, PathArguments, ReceiverKind, ReturnType,
    Safety, Signature, Type,
};

use super::model::{Block, Constructor, Method, Parameter, Receiver, RowItem};
use super::options::Options;
use super::ordinary::Ordinary;
use super::own::{is_object_method, object_trait};
use super::{Fields, attributes, check, lives, plain_name, rewrite, walk};
use crate::diagnostics::Errors;

impl Block {
    /// Parses the block.
    pub(crate) fn parse(class: Path, fields: Fields, mut block: ItemImpl, errors: &mut Errors) -> Self {
        attributes::check_block(&mut block.attrs, errors);
        let mut ordinary = Ordinary::of(&class, &block);
        let mut parsed = Self {
            class,
            fields,
            row_items: Vec::new(),
            methods: Vec::new(),
            constructors: Vec::new(),
            attrs: block.attrs,
            functions: HashMap::new(),
        };
        for item in block.items {
            match item {
                ImplItem::Fn(item) => parsed.function(item, &mut ordinary, errors),
                ImplItem::Macro(item) => errors.at(
                    item.mac.path,
                    "what this macro makes cannot be seen here: let a macro make the whole `#[soa_methods] impl` block, or move what belongs to the struct itself to an `impl` block without `#[soa_methods]`",
                ),
                other => parsed.row_items.push(RowItem::Plain(Box::new(other))),
            }
        }
        for mistake in ordinary.found {
            errors.at(mistake.at, mistake.message);
        }
        parsed.close_over_uses();
        parsed.close_over_calls();
        for method in &parsed.methods {
            check::races(method, &parsed.fields, errors);
        }
        for method in &mut parsed.methods {
            if let Some(options) = &mut method.kernel {
                options.check_order(&method.facts.uses, &parsed.fields, errors);
            }
        }
        parsed
    }

    fn function(&mut self, mut item: ImplItemFn, ordinary: &mut Ordinary, errors: &mut Errors) {
        let mut kernel = None;
        item.attrs.retain(|attr| {
            if is_conditional_kernel(attr) {
                errors.at(
                    attr,
                    "a method is a kernel or it is not: write `#[kernel]`, which costs nothing where nobody runs it, or write the method twice, under `#[cfg(…)]`",
                );
                // Treated as a kernel, so that its uses are not errors too.
                kernel = Some(Options::parse(&syn::parse_quote!(#[kernel]), &self.fields, errors));
                return false;
            }
            if attr.path().segments.last().is_none_or(|last| last.ident != "kernel") {
                return true;
            }
            if kernel.is_some() {
                errors.at(attr, "`#[kernel]` appears twice; put all options into one");
            }
            kernel = Some(Options::parse(attr, &self.fields, errors));
            false
        });
        let receiver = match item.sig.receiver() {
            None => None,
            Some(receiver) => match &receiver.kind {
                ReceiverKind::Reference(_, _, mutability) if receiver.mutability.is_none() => {
                    Some(if mutability.is_some() { Receiver::Exclusive } else { Receiver::Shared })
                }
                _ => {
                    errors.at(
                        receiver,
                        "methods of a class take `&self` or `&mut self`: the object stays in its columns",
                    );
                    // Treated as `&mut self`, so that calls are not errors too.
                    item.sig.inputs[0] = syn::parse_quote!(&mut self);
                    Some(Receiver::Exclusive)
                }
            },
        };
        if let (Some(asyncness), Some(_)) = (&item.sig.asyncness, receiver) {
            errors.at(asyncness, "a method of a class cannot be `async`");
            return;
        }
        if let (Some(constness), Some(_)) = (&item.sig.constness, receiver) {
            errors.at(constness, "a method of a class cannot be `const`");
            return;
        }
        if let (Safety::Unsafe(unsafety), Some(_)) = (&item.sig.safety, &kernel) {
            errors.at(
                unsafety,
                "a kernel cannot be `unsafe`: executors call it for every object; put the operation into an `unsafe` block in it, or into a method that it calls",
            );
            item.sig.safety = Safety::Default;
        }
        let parameters = parameters(&item.sig);
        if kernel.is_some() {
            check::arguments(&parameters, errors);
        }
        match (receiver, kernel) {
            (Some(receiver), kernel) => self.method(item, receiver, parameters, kernel, ordinary, errors),
            (None, None) => self.row_function(item, ordinary),
            (None, Some(options)) => self.constructor(item, parameters, &options, errors),
        }
    }

    fn method(
        &mut self,
        mut item: ImplItemFn,
        receiver: Receiver,
        mut parameters: Vec<Parameter>,
        mut kernel: Option<Options>,
        ordinary: &mut Ordinary,
        errors: &mut Errors,
    ) {
        let borrows_object = check::borrowed_objects(&self.fields, &mut item, &mut parameters, errors);
        let name = &item.sig.ident;
        let clashes = self.fields.position(name).is_some();
        if clashes {
            errors.at(
                name,
                format!("class `{}` has a field `{name}`, whose getter on a `Ref` already has this name; rename the method or the field", self.fields.class),
            );
        }
        if is_object_method(name) {
            errors.at(
                name,
                format!(
                    "every object already has a method `{}`, from the trait `ikra::{}`; rename this one",
                    plain_name(name),
                    object_trait(name)
                ),
            );
        }
        ordinary.for_parameters(&self.class, &item.sig);
        let (mut facts, mistakes) = walk::read(&item.sig, &item.block, &self.fields, ordinary);
        let is_mistaken = lives::calls(&facts, receiver, &parameters, kernel.is_some(), errors);
        if is_mistaken || !mistakes.is_empty() {
            // An empty method, so that the compiler does not report the mistakes again.
            item.block = syn::parse_quote!({ ::core::unimplemented!() });
            item.attrs.push(syn::parse_quote!(#[allow(unused_variables, clippy::unimplemented)]));
        }
        ordinary.found.extend(mistakes);
        if item.attrs.iter().any(|attr| attributes::kind_of(attr) == attributes::Kind::Macro) {
            // The attribute is a macro that may rewrite the body.
            facts.whole = true;
            facts.escapes = true;
        }
        if facts.whole || facts.escapes {
            facts.because = Some(format!("`{}` uses `self` as a whole", plain_name(name)));
        }
        if receiver == Receiver::Shared {
            facts.writes = 0;
            facts.given = 0;
            facts.escapes = false;
        }
        if let Some(options) = &mut kernel {
            check::kernel(&item, receiver, &parameters, options, errors);
            if let Some(writes) = options.writes {
                // The user's list adds the writes that the text does not show.
                facts.writes |= writes;
                facts.touches |= writes;
                facts.given = 0;
                facts.escapes = false;
            }
            facts.touches |= options.snapshot;
        }
        let has_nested_ref = kernel.as_ref().is_some_and(|options| {
            check::borrowed_result(&mut item, errors)
                | check::nested_refs(&mut item, &parameters, errors)
                | check::generics(&item, &parameters, errors)
                | lives::spawns(&item, &parameters, options, errors)
                | borrows_object
        });
        self.methods.push(Method {
            item,
            receiver,
            parameters,
            called: facts.others().cloned().collect(),
            facts,
            unwritten: 0,
            calls: Vec::new(),
            others: 0,
            roams: false,
            kernel,
            clashes,
            has_nested_ref,
        });
    }

    /// A function without receiver stays on the row. If it takes `Ref`s, it is generic over their phase.
    fn row_function(&mut self, item: ImplItemFn, ordinary: &Ordinary) {
        let (facts, _) = walk::read(&item.sig, &item.block, &self.fields, ordinary);
        self.functions.insert(plain_name(&item.sig.ident), facts);
        let takes = |name| item.sig.inputs.iter().any(|input| rewrite::has(name, input.to_token_stream()));
        let takes_refs = takes("Ref") || takes("Spawn");
        self.row_items.push(match takes_refs {
            true => RowItem::OfRefs(Box::new(item)),
            false => RowItem::Plain(Box::new(ImplItem::Fn(item))),
        });
    }

    fn constructor(
        &mut self,
        mut item: ImplItemFn,
        mut parameters: Vec<Parameter>,
        options: &Options,
        errors: &mut Errors,
    ) {
        let returns_self = match &item.sig.output {
            ReturnType::Type(_, ty) => match &**ty {
                Type::Path(path) => {
                    let name = |path: &Path| path.segments.last().map(|last| plain_name(&last.ident));
                    path.path.is_ident("Self") || name(&path.path) == name(&self.class)
                }
                _ => false,
            },
            ReturnType::Default => false,
        };
        if parameters.is_empty() || !returns_self {
            errors.span(
                options.span,
                "a kernel takes `&self` or `&mut self`; without, it is a constructor, `fn spawn(id: u32, …) -> Self`, for `construct`",
            );
            self.row_items.push(RowItem::Plain(Box::new(ImplItem::Fn(item))));
            return;
        }
        if check::is_no_id(&parameters[0].ty) {
            errors.at(
                &parameters[0].ty,
                "a constructor's first parameter is the new object's position, `id: u32`; its other parameters follow",
            );
            self.row_items.push(RowItem::Plain(Box::new(ImplItem::Fn(item))));
            return;
        }
        if let Some(object) = parameters.iter().find(|parameter| rewrite::has_ref(parameter.ty.to_token_stream())) {
            errors.at(
                &object.ty,
                if rewrite::has_groups(object.ty.to_token_stream()) {
                    "a constructor takes no groups: the object that it makes, from which they could be seen, is not there yet"
                } else {
                    "a constructor takes `Link<Class>`: the object that it makes, from which a `Ref` could be followed, is not there yet"
                },
            );
            return;
        }
        if let Some(element) = parameters.iter().find(|parameter| parameter.element.is_some()) {
            errors.at(
                &element.ty,
                "a constructor takes no element of a column: the object that it makes has none yet; use a kernel that runs after it",
            );
            return;
        }
        if let Some(list) = parameters.iter().find(|parameter| parameter.worklist.is_some()) {
            errors.at(
                &list.ty,
                "a constructor takes no worklist, which has objects that exist; use a kernel that runs after it",
            );
            return;
        }
        lives::in_constructor(&mut item, &mut parameters, errors);
        if options.pairs.is_some() || !options.reducers.is_empty() || options.writes.is_some() || options.snapshot != 0
        {
            errors.span(options.span, "a constructor under `#[kernel]` takes no options");
        }
        self.constructors.push(Constructor { item, parameters });
    }
}

/// Whether the attribute is a `#[kernel]` inside a `cfg_attr`.
fn is_conditional_kernel(attr: &Attribute) -> bool {
    let syn::Meta::List(list) = &attr.meta else { return false };
    let made = list.tokens.clone().into_iter().skip(1);
    attr.path().is_ident("cfg_attr")
        && made.into_iter().any(|token| matches!(token, TokenTree::Ident(name) if name == "kernel"))
}

pub(super) fn parameters(sig: &Signature) -> Vec<Parameter> {
    sig.inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(typed) => Some(Parameter {
                ty: (*typed.ty).clone(),
                object: class_in("Ref", &typed.ty),
                young: class_in("Spawn", &typed.ty),
                groups: groups_of(&typed.ty),
                element: class_in("Of", &typed.ty),
                worklist: class_in("Worklist", &typed.ty),
            }),
            FnArg::Receiver(_) => None,
        })
        .collect()
}

/// The `X` of `Ref<X>`, or of another type with this name.
pub(super) fn class_in(name: &str, ty: &Type) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if plain_name(&last.ident) != name {
        return None;
    }
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match args.args.first()? {
        GenericArgument::Type(ty) if args.args.len() == 1 => Some(ty.clone()),
        _ => None,
    }
}

/// The arguments of `Groups<X>` or `Groups<X, K>`.
fn groups_of(ty: &Type) -> Option<TokenStream> {
    let Type::Path(path) = ty else { return None };
    let only = path.path.segments.last().filter(|_| path.path.segments.len() == 1 && path.qself.is_none())?;
    match &only.arguments {
        PathArguments::AngleBracketed(args) if plain_name(&only.ident) == "Groups" => Some(args.args.to_token_stream()),
        _ => None,
    }
}
