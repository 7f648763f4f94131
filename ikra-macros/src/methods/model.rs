//! What a block of methods is, once parsed.

use std::collections::{BTreeSet, HashMap};

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, FnArg, GenericArgument, GenericParam, ImplItem, ImplItemFn, ItemImpl, Path, PathArguments, ReceiverKind,
    ReturnType, Safety, Type,
};

use super::access::{self, Access, is_object_method, plain_name};
use super::calls::{Called, calls};
use super::options::Options;
use super::order::{self, Found, Uses};
use super::{Fields, rewrite};
use crate::diagnostics::Errors;

/// How a method takes its object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// `&self`
    Shared,
    /// `&mut self`
    Exclusive,
}

/// A parameter after the receiver.
pub(crate) struct Parameter {
    pub(crate) ty: Type,
    /// The class `X` of a parameter of type `Ref<X>`.
    pub(crate) object: Option<Type>,
}

/// A method with a receiver.
pub(crate) struct Method {
    pub(crate) item: ImplItemFn,
    pub(crate) receiver: Receiver,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) access: Access,
    /// Plain fields that some kernel which calls it does not write.
    pub(crate) unwritten: u64,
    /// Getters and methods that it calls on other objects, itself or in methods of the block that it calls, with the
    /// lines.
    pub(crate) calls: Vec<(String, usize)>,
    /// The fields that methods of the block read which it calls on other objects.
    pub(crate) others: u64,
    /// What it does to atomic fields, of any object.
    pub(crate) uses: Uses,
    /// Methods that it calls on other objects, and functions.
    called: BTreeSet<String>,
    /// Its body, with marks where the value of an atomic operation is not used.
    pub(crate) body: TokenStream,
    pub(crate) kernel: Option<Options>,
    /// Whether a field has the same name; the error is already reported.
    pub(crate) clashes: bool,
    /// Whether it is a kernel that takes or returns what it cannot, already reported.
    pub(crate) has_nested_ref: bool,
}

impl Method {
    /// Whether it is there under all conditions.
    fn is_certain(&self) -> bool {
        !self.item.attrs.iter().any(|attr| attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr"))
    }
}

/// A constructor under `#[kernel]`.
pub(crate) struct Constructor {
    pub(crate) item: ImplItemFn,
    pub(crate) parameters: Vec<Parameter>,
}

/// A block of methods.
pub(crate) struct Block {
    pub(crate) class: Path,
    pub(crate) fields: Fields,
    /// What stays on the row.
    pub(crate) row_items: Vec<ImplItem>,
    pub(crate) methods: Vec<Method>,
    pub(crate) constructors: Vec<Constructor>,
    pub(crate) attrs: Vec<Attribute>,
    /// What functions without receiver do to atomic fields.
    functions: HashMap<String, Found>,
}

impl Block {
    /// Reads the block.
    pub(crate) fn parse(class: Path, fields: Fields, block: ItemImpl, errors: &mut Errors) -> Self {
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
                ImplItem::Fn(item) => parsed.function(item, errors),
                ImplItem::Macro(item) => errors.at(
                    item.mac.path,
                    "what this macro makes cannot be seen here: let a macro make the whole `#[soa_methods] impl` block, or move what belongs to the struct itself to an `impl` block without `#[soa_methods]`",
                ),
                other => parsed.row_items.push(other),
            }
        }
        parsed.close_over_uses();
        parsed.close_over_calls();
        for method in &mut parsed.methods {
            if let Some(options) = &mut method.kernel {
                options.check_order(&method.uses, &parsed.fields, errors);
            }
        }
        parsed
    }

    fn function(&mut self, mut item: ImplItemFn, errors: &mut Errors) {
        let mut kernel = None;
        item.attrs.retain(|attr| {
            if is_conditional_kernel(attr) {
                errors.at(
                    attr,
                    "a method is a kernel or it is not: write `#[kernel]`, which costs nothing where nobody runs it, or write the method twice, under `#[cfg(…)]`",
                );
                // As if it were one, for those that run it.
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
                    // As if it were so, for those that call it.
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
        let parameters = parameters(&item);
        if kernel.is_some() {
            check_arguments(&parameters, errors);
        }
        match (receiver, kernel) {
            (Some(receiver), kernel) => self.method(item, receiver, parameters, kernel, errors),
            (None, None) => {
                let item = self.function_of_refs(item);
                self.row_items.push(item);
            }
            (None, Some(options)) => self.constructor(item, parameters, &options, errors),
        }
    }

    fn method(
        &mut self,
        mut item: ImplItemFn,
        receiver: Receiver,
        mut parameters: Vec<Parameter>,
        mut kernel: Option<Options>,
        errors: &mut Errors,
    ) {
        let borrows_object = self.check_borrowed_objects(&mut item, &mut parameters, errors);
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
                    "every object already has a method `{}`, from the trait `ikra::Object`; rename this one",
                    plain_name(name)
                ),
            );
        }
        let mut access = access::analyse(&item.block.to_token_stream(), &self.fields);
        if item.attrs.iter().any(access::is_macro) {
            // Whatever it makes of the body.
            access.whole = true;
            access.escapes = true;
        }
        if access.whole || access.escapes {
            access.because = Some(format!("`{}` uses `self` as a whole", plain_name(name)));
        }
        let values: Vec<String> = item.sig.inputs.iter().flat_map(values).collect();
        let (Found { uses, others }, body) = order::analyse(item.block.to_token_stream(), &self.fields, &values);
        if receiver == Receiver::Shared {
            access.writes = 0;
            access.given = 0;
            access.escapes = false;
        }
        if let Some(options) = &mut kernel {
            check_kernel(&item, receiver, &parameters, options, errors);
            if let Some(writes) = options.writes {
                // The user's list stands in for what the text does not show.
                access.writes |= writes;
                access.touches |= writes;
                access.given = 0;
                access.escapes = false;
            }
            access.touches |= options.snapshot;
        }
        let has_nested_ref = kernel.is_some()
            && (self.check_nested_refs(&item, &parameters, errors)
                | check_generics(&item, &parameters, errors)
                | borrows_object);
        self.methods.push(Method {
            item,
            receiver,
            parameters,
            access,
            unwritten: 0,
            calls: Vec::new(),
            others: 0,
            uses,
            called: others,
            body,
            kernel,
            clashes,
            has_nested_ref,
        });
    }

    /// A function without receiver stays on the row. If it takes `Ref`s, it is generic over their phase.
    fn function_of_refs(&mut self, mut item: ImplItemFn) -> ImplItem {
        let values: Vec<String> = item.sig.inputs.iter().flat_map(values).collect();
        let (found, body) = order::analyse(item.block.to_token_stream(), &self.fields, &values);
        self.functions.insert(plain_name(&item.sig.ident), found);
        let takes_refs = item.sig.inputs.iter().any(|input| rewrite::has_ref(input.to_token_stream()));
        if !takes_refs {
            return ImplItem::Fn(item);
        }
        if let Ok(body) = syn::parse2(body) {
            item.block = body;
        }
        item.sig.generics.params.insert(0, syn::parse_quote!('__w));
        item.sig.generics.params.push(syn::parse_quote!(__P: ::ikra::Phase));
        ImplItem::Verbatim(self.rewrite(item))
    }

    /// Another object is no `&Self`, whose fields would be at hand. What is made of such a method is called
    /// by anything, so that the mistake is reported once.
    fn check_borrowed_objects(&self, item: &mut ImplItemFn, parameters: &mut [Parameter], errors: &mut Errors) -> bool {
        let mut found = false;
        let types = item.sig.inputs.iter_mut().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(typed),
            FnArg::Receiver(_) => None,
        });
        for (typed, parameter) in types.zip(parameters) {
            let Type::Reference(reference) = &*typed.ty else { continue };
            let Type::Path(path) = &*reference.elem else { continue };
            if !path.path.is_ident("Self") {
                continue;
            }
            found = true;
            errors.at(
                reference,
                format!(
                    "another object comes as a `Ref<Self>`, whose fields are read by getters, `other.field()`; a `{}` that is not in a world is `&{0}`",
                    self.fields.class
                ),
            );
            *typed.pat = syn::parse_quote!(_);
            parameter.ty = syn::parse_quote!(impl ::core::marker::Sized);
            (*typed.ty).clone_from(&parameter.ty);
        }
        if found {
            item.block = syn::parse_quote!({ ::core::unimplemented!() });
            item.attrs.push(syn::parse_quote!(#[allow(unused_variables, clippy::unimplemented)]));
        }
        found
    }

    /// A kernel's arguments come from outside of the world, and its result goes there: no `Ref`s.
    fn check_nested_refs(&self, item: &ImplItemFn, parameters: &[Parameter], errors: &mut Errors) -> bool {
        let has_ref = |ty: &Type| rewrite::has_ref(ty.to_token_stream());
        let mut found = false;
        for parameter in parameters.iter().filter(|parameter| parameter.object.is_none() && has_ref(&parameter.ty)) {
            found = true;
            errors.at(
                &parameter.ty,
                "a kernel takes another object as a parameter of its own, `other: Ref<Class>`, which is given as a link; within other types take `Link<Class>`, and follow it by `self.resolve(link)`",
            );
        }
        if let ReturnType::Type(_, ty) = &item.sig.output
            && has_ref(ty)
        {
            found = true;
            errors.at(ty, "a `Ref` lasts for one call, so a kernel cannot return it: return its link, `object.link()`");
        }
        found
    }

    fn constructor(&mut self, item: ImplItemFn, parameters: Vec<Parameter>, options: &Options, errors: &mut Errors) {
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
            self.row_items.push(ImplItem::Fn(item));
            return;
        }
        if is_no_id(&parameters[0].ty) {
            errors.at(
                &parameters[0].ty,
                "a constructor's first parameter is the new object's position, `id: u32`; its other parameters follow",
            );
            self.row_items.push(ImplItem::Fn(item));
            return;
        }
        if let Some(object) = parameters.iter().find(|parameter| rewrite::has_ref(parameter.ty.to_token_stream())) {
            errors.at(
                &object.ty,
                "a constructor takes `Link<Class>`: the object that it makes, from which a `Ref` could be followed, is not there yet",
            );
            return;
        }
        if options.pairs.is_some() || !options.reducers.is_empty() || options.writes.is_some() || options.snapshot != 0
        {
            errors.span(options.span, "a constructor under `#[kernel]` takes no options");
        }
        self.constructors.push(Constructor { item, parameters });
    }

    /// Adds to what each method does to atomic fields what the methods and functions of this block do that it calls,
    /// on `self` or on another object.
    fn close_over_uses(&mut self) {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (n, method) in self.methods.iter().enumerate() {
            places.entry(plain_name(&method.item.sig.ident)).or_default().push(n);
        }
        let called = |call: &String| places.get(call).into_iter().flatten();
        loop {
            let mut changed = false;
            for n in 0..self.methods.len() {
                let method = &self.methods[n];
                let (mut uses, mut others) = (method.uses.clone(), method.called.clone());
                for callee in
                    method.access.calls.iter().map(plain_name).flat_map(|call| called(&call).collect::<Vec<_>>())
                {
                    uses.merge(&self.methods[*callee].uses);
                    others.extend(self.methods[*callee].called.iter().cloned());
                }
                for call in &method.called {
                    for &callee in called(call) {
                        uses.merge_of_other(&self.methods[callee].uses);
                        others.extend(self.methods[callee].called.iter().cloned());
                    }
                    if let Some(found) = self.functions.get(call) {
                        uses.merge(&found.uses);
                        others.extend(found.others.iter().cloned());
                    }
                }
                changed |= uses != method.uses || others.len() != method.called.len();
                (self.methods[n].uses, self.methods[n].called) = (uses, others);
            }
            if !changed {
                break;
            }
        }
    }

    /// Adds to each method's accesses those of the methods of this block that it calls, so that methods
    /// may call each other in cycles. Calls of methods of other blocks remain, and of those that a `cfg`
    /// may leave out.
    fn close_over_calls(&mut self) {
        // Under `cfg`, several methods may have one name.
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (n, method) in self.methods.iter().enumerate() {
            places.entry(plain_name(&method.item.sig.ident)).or_default().push(n);
        }
        let called = |call: &Ident| places.get(&plain_name(call)).into_iter().flatten().copied();
        for method in &mut self.methods {
            method.access.calls.retain(|call| !is_object_method(call));
        }
        let direct: Vec<Vec<usize>> =
            self.methods.iter().map(|method| method.access.calls.iter().flat_map(called).collect()).collect();
        loop {
            let mut changed = false;
            for n in 0..self.methods.len() {
                let method = &self.methods[n];
                let mut access = method.access.clone();
                for callee in direct[n].iter().map(|&callee| &self.methods[callee]) {
                    access.loops |= callee.access.loops;
                    if method.receiver == Receiver::Shared && callee.receiver == Receiver::Exclusive {
                        // It cannot call that one: a trait's method of the same name, or a mistake.
                        access.whole = true;
                        access.because.get_or_insert_with(|| {
                            format!(
                                "`{}` calls `{}`, which may be a trait's",
                                plain_name(&method.item.sig.ident),
                                plain_name(&callee.item.sig.ident)
                            )
                        });
                    }
                    if !callee.is_certain() {
                        continue;
                    }
                    access.touches |= callee.access.touches;
                    access.writes |= callee.access.writes;
                    access.given |= callee.access.given;
                    access.whole |= callee.access.whole;
                    if access.because.is_none() {
                        access.because.clone_from(&callee.access.because);
                    }
                    // A kernel with `writes(…)` has said what it writes.
                    if method.kernel.as_ref().is_none_or(|options| options.writes.is_none()) {
                        access.escapes |= callee.access.escapes;
                    }
                    for call in &callee.access.calls {
                        if !access.calls.contains(call) {
                            access.calls.push(call.clone());
                        }
                    }
                }
                if method.receiver == Receiver::Shared {
                    access.writes = 0;
                    access.given = 0;
                    access.escapes = false;
                }
                let before = &method.access;
                changed |= access.touches != before.touches
                    || access.writes != before.writes
                    || access.given != before.given
                    || access.whole != before.whole
                    || access.escapes != before.escapes
                    || access.loops != before.loops
                    || access.calls.len() != before.calls.len();
                self.methods[n].access = access;
            }
            if !changed {
                break;
            }
        }
        self.find_reads(&places);
        let certain: Vec<String> = places
            .iter()
            .filter(|(_, places)| places.iter().any(|&n| self.methods[n].is_certain()))
            .map(|(name, _)| name.clone())
            .collect();
        for method in &mut self.methods {
            method.access.calls.retain(|call| !certain.contains(&plain_name(call)));
            method.access.calls.sort_by_key(plain_name);
            method.access.calls.dedup_by_key(|call| plain_name(call));
        }
        self.find_unwritten(&direct);
    }

    /// Notes where each method may read other objects. A place that a macro is given counts as written,
    /// unless the method may read that field of another: then the executor looks whether it was.
    fn find_reads(&mut self, places: &HashMap<String, Vec<usize>>) {
        let called: Vec<Vec<Called>> =
            self.methods.iter().map(|method| calls(method.item.block.to_token_stream())).collect();
        for n in 0..self.methods.len() {
            let (mut reached, mut open) = (vec![false; self.methods.len()], vec![n]);
            let (mut read, mut others, mut found) = (0, 0, Vec::new());
            while let Some(method) = open.pop() {
                if std::mem::replace(&mut reached[method], true) {
                    continue;
                }
                for call in &called[method] {
                    let methods = places.get(&call.name).into_iter().flatten();
                    read |= self.fields.named(&call.name).map_or(0, |field| 1 << field);
                    open.extend(methods.clone());
                    if !call.on_self {
                        let shared = methods.map(|&method| &self.methods[method]);
                        for Method { access, .. } in shared.filter(|method| method.receiver == Receiver::Shared) {
                            others |= if access.whole { u64::MAX } else { access.touches };
                        }
                        found.push((call.name.clone(), call.line));
                    }
                }
            }
            found.sort();
            found.dedup();
            let method = &mut self.methods[n];
            (method.calls, method.others) = (found, others);
            method.access.writes |= method.access.given & !read;
        }
    }

    /// Notes for each method the plain fields that a kernel which calls it is certain not to write.
    fn find_unwritten(&mut self, direct: &[Vec<usize>]) {
        let plain = (0..self.fields.fields.len())
            .filter(|&field| !self.fields.is_atomic(field))
            .fold(0, |set, field| set | 1 << field);
        for n in 0..self.methods.len() {
            let Method { receiver, kernel, access, .. } = &self.methods[n];
            if kernel.is_none() || *receiver == Receiver::Shared || access.escapes || !access.calls.is_empty() {
                continue;
            }
            let unwritten = plain & !access.writes;
            let (mut reached, mut open) = (vec![false; self.methods.len()], vec![n]);
            while let Some(method) = open.pop() {
                if !std::mem::replace(&mut reached[method], true) {
                    self.methods[method].unwritten |= unwritten;
                    open.extend(&direct[method]);
                }
            }
        }
    }

    /// How the method of this name in this block takes its object, if there is certainly one.
    pub(crate) fn receiver(&self, name: &Ident) -> Option<Receiver> {
        let name = plain_name(name);
        let named = |method: &&Method| plain_name(&method.item.sig.ident) == name && method.is_certain();
        self.methods.iter().find(named).map(|method| method.receiver)
    }

    /// The struct's name.
    pub(crate) fn class_ident(&self) -> Ident {
        match self.class.segments.last() {
            Some(last) => last.ident.clone(),
            None => Ident::new("Self", proc_macro2::Span::call_site()),
        }
    }

    /// A path beside the class's: `model::BodyMut` beside `model::Body`.
    pub(crate) fn beside(&self, ident: Ident) -> Path {
        let mut path = self.class.clone();
        if let Some(last) = path.segments.last_mut() {
            last.ident = ident;
        }
        path
    }

    /// `Ref<X>` and `Self` in some tokens.
    pub(crate) fn rewrite(&self, tokens: impl ToTokens) -> TokenStream {
        rewrite::rewrite(quote!(#tokens), &self.class)
    }
}

/// Whether the attribute is `#[kernel]` under a condition.
fn is_conditional_kernel(attr: &Attribute) -> bool {
    let syn::Meta::List(list) = &attr.meta else { return false };
    let made = list.tokens.clone().into_iter().skip(1);
    attr.path().is_ident("cfg_attr")
        && made.into_iter().any(|token| matches!(token, proc_macro2::TokenTree::Ident(name) if name == "kernel"))
}

/// Points out arguments that own memory, which cannot be given to every object.
fn check_arguments(parameters: &[Parameter], errors: &mut Errors) {
    for Parameter { ty, .. } in parameters {
        let Type::Path(path) = ty else { continue };
        let Some(last) = path.path.segments.last() else { continue };
        let inside = match &last.arguments {
            PathArguments::AngleBracketed(args) => args.args.to_token_stream().to_string().replace(' ', ""),
            _ => String::new(),
        };
        let instead = match last.ident.to_string().as_str() {
            "Vec" | "VecDeque" | "Box" if inside.starts_with('[') => format!("`&{inside}`"),
            "Vec" | "VecDeque" => format!("a slice, `&[{inside}]`"),
            "String" => "`&str`".to_owned(),
            "Box" | "Rc" | "Arc" => format!("a reference, `&{inside}`"),
            "HashMap" | "BTreeMap" | "HashSet" | "BTreeSet" => {
                format!("a reference, `&{}<{inside}>`", last.ident)
            }
            _ => continue,
        };
        errors.at(
            ty,
            format!(
                "a kernel gets a copy of its arguments for each object: instead of `{}` take {instead}",
                last.ident
            ),
        );
    }
}

/// Whether the type is certainly not `u32`, which may have another name.
fn is_no_id(ty: &Type) -> bool {
    const OTHERS: [&str; 14] =
        ["u8", "u16", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64", "bool"];
    match ty {
        Type::Path(path) => OTHERS.iter().any(|other| path.path.is_ident(other)),
        _ => true,
    }
}

fn check_kernel(
    item: &ImplItemFn,
    receiver: Receiver,
    parameters: &[Parameter],
    options: &Options,
    errors: &mut Errors,
) {
    if let Some(pairs) = &options.pairs {
        if parameters.first().is_none_or(|first| first.object.is_none()) {
            errors.at(
                pairs,
                "a kernel for pairs takes the other object first: `fn attract(&mut self, other: Ref<Body>, …)`",
            );
        }
        if let ReturnType::Type(_, ty) = &item.sig.output {
            errors
                .at(ty, "a kernel for pairs returns nothing: keep what it finds out about a pair in a field of `self`");
        }
        if !options.reducers.is_empty() {
            errors.at(
                pairs,
                "a kernel is either for `pairs` or to `reduce`: let one collect into a field, and another reduce that field",
            );
        }
    }
    if options.pairs.is_none() && !options.reducers.is_empty() && matches!(item.sig.output, ReturnType::Default) {
        errors.at(&item.sig.ident, "a kernel to `reduce` returns the value that is combined");
    }
    if receiver == Receiver::Shared
        && let Some(at) = &options.snapshot_at
    {
        errors.at(at, "a kernel with `&self` writes no field, so there is nothing to take a snapshot of");
    }
    if receiver == Receiver::Shared && options.writes.is_some_and(|writes| writes != 0) {
        errors.span(options.span, "a kernel with `&self` cannot write; take `&mut self`");
    }
}

/// What a kernel is generic over follows from its arguments: executors are given these, and nothing else.
fn check_generics(item: &ImplItemFn, parameters: &[Parameter], errors: &mut Errors) -> bool {
    let generics = &item.sig.generics;
    let mut found = false;
    for (n, param) in generics.params.iter().enumerate() {
        let (name, advice) = match param {
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(param) => (&param.ident, String::from("let one be of this type, or of one that has it")),
            GenericParam::Const(param) => {
                let (name, ty) = (plain_name(&param.ident), &param.ty);
                let argument = heck::ToSnakeCase::to_snake_case(&*name);
                (&param.ident, format!("take it as an argument, `{argument}: {}`", quote!(#ty)))
            }
        };
        let others =
            generics.params.iter().enumerate().filter(|(other, _)| *other != n).map(|(_, other)| quote!(#other));
        let bounds = generics.where_clause.to_token_stream();
        let types = parameters.iter().filter(|parameter| parameter.object.is_none()).map(|parameter| {
            let ty = &parameter.ty;
            quote!(#ty)
        });
        if !others.chain(types).chain([bounds]).any(|tokens| names(tokens, name)) {
            found = true;
            errors.at(
                name,
                format!(
                    "an executor is given the kernel's arguments, and none of them says what `{name}` is: {advice}"
                ),
            );
        }
    }
    found
}

/// Whether some tokens contain a name.
fn names(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => names(group.stream(), name),
        _ => false,
    })
}

fn parameters(item: &ImplItemFn) -> Vec<Parameter> {
    item.sig
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(typed) => Some(Parameter { ty: (*typed.ty).clone(), object: ref_class(&typed.ty) }),
            FnArg::Receiver(_) => None,
        })
        .collect()
}

/// The variables of a parameter whose type, as written, is no atomic.
fn values(input: &FnArg) -> Vec<String> {
    let FnArg::Typed(typed) = input else { return Vec::new() };
    let ty = typed.ty.to_token_stream().to_string();
    if ty.contains("Atomic") || ty.contains("impl ") {
        return Vec::new();
    }
    order::variables(&typed.pat.to_token_stream().into_iter().collect::<Vec<_>>())
}

/// The `X` of `Ref<X>`.
fn ref_class(ty: &Type) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if plain_name(&last.ident) != "Ref" {
        return None;
    }
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match args.args.first()? {
        GenericArgument::Type(ty) if args.args.len() == 1 => Some(ty.clone()),
        _ => None,
    }
}
