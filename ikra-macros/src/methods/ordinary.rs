//! Reports code that is right in an ordinary method but is written differently in a method of a class. The error is at
//! the user's tokens; the compiler's own error would name types that the user never wrote.
//!
//! Only code that cannot compile is reported, and arguments of user macros are ignored.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{BinOp, Expr, ExprField, ImplItem, ItemImpl, Local, Pat, Path, Signature, Type, UnOp};

use super::parse::class_in;
use super::place::{Place, is_compound, own};
use super::{FieldKind, Fields, Shown, names, plain_name};

/// The context for finding mistakes in the bodies of a block's methods.
pub(super) struct Ordinary {
    class: Ident,
    /// The names of kernels, which cannot be called as functions.
    kernels: HashSet<String>,
    /// The names of the block's methods.
    methods: HashSet<String>,
    /// The method's parameters that are other objects, and whether they have the same class.
    others: HashMap<String, bool>,
    /// The mistakes found in all methods.
    pub(super) found: Vec<Mistake>,
}

/// A mistake, at some tokens.
pub(super) struct Mistake {
    pub(super) at: TokenStream,
    pub(super) message: String,
    /// The reasons why it may be none.
    pub(super) unless: Vec<Unless>,
}

/// The reason why a text with a variable may be no mistake: another variable of this name.
pub(super) enum Unless {
    /// The parameter is used other than as a base of a field, index or method.
    Bare(String),
    /// The name is not bound to the same everywhere.
    Other(String, Shown),
}

impl Mistake {
    pub(super) fn at(tokens: impl ToTokens, message: String) -> Self {
        Self { at: tokens.to_token_stream(), message, unless: Vec::new() }
    }
}

impl Ordinary {
    pub(super) fn of(class: &Path, block: &ItemImpl) -> Self {
        let methods = block.items.iter().filter_map(|item| match item {
            ImplItem::Fn(item) if item.sig.receiver().is_some() => Some(item),
            _ => None,
        });
        let is_kernel = |attr: &syn::Attribute| attr.path().segments.last().is_some_and(|last| last.ident == "kernel");
        let kernels = methods.clone().filter(|item| item.attrs.iter().any(is_kernel));
        let class =
            class.segments.last().map_or_else(|| Ident::new("Self", Span::call_site()), |last| last.ident.clone());
        Self {
            class,
            kernels: kernels.map(|item| plain_name(&item.sig.ident)).collect(),
            methods: methods.clone().map(|item| plain_name(&item.sig.ident)).collect(),
            others: HashMap::new(),
            found: Vec::new(),
        }
    }

    /// Sets the context for a method with these parameters.
    pub(super) fn for_parameters(&mut self, class: &Path, sig: &Signature) {
        let others = sig.inputs.iter().filter_map(|input| {
            let syn::FnArg::Typed(typed) = input else { return None };
            let Pat::Ident(name) = &*typed.pat else { return None };
            let Type::Path(path) = class_in("Ref", &typed.ty)? else { return Some((plain_name(&name.ident), false)) };
            Some((plain_name(&name.ident), path.path.is_ident("Self") || is_same(&path.path, class)))
        });
        self.others = others.collect();
    }

    /// Whether the block defines a method of this name.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.methods.contains(name)
    }

    /// The parameters that are other objects, and whether they have the same class.
    pub(super) fn others(&self) -> impl Iterator<Item = (&String, bool)> {
        self.others.iter().map(|(name, &is_own)| (name, is_own))
    }

    /// Whether a parameter of this name is another object of the same class.
    pub(super) fn is_same_class(&self, name: &str) -> bool {
        self.others.get(name) == Some(&true)
    }

    /// The mistake in a statement such as `let copy = *self;`.
    pub(super) fn copied(&self, fields: &Fields, local: &Local) -> Option<Mistake> {
        let Expr::Unary(unary) = &*local.init.as_ref()?.expr else { return None };
        let is_copy = matches!(local.pat, Pat::Ident(_)) && matches!(unary.op, UnOp::Deref(_));
        is_copy.then(|| self.copy(fields, own(&unary.expr)?)).flatten()
    }

    fn copy(&self, fields: &Fields, at: &Ident) -> Option<Mistake> {
        let field = fields.fields.first().map_or("field".to_owned(), |(name, _)| name.to_string());
        Some(Mistake::at(
            at,
            format!(
                "`self` shows an object whose fields are in columns, and is no `{}`: copy the fields that you need, `let {field} = self.{field};`; in sequential code `objects.read(link)` returns a whole object",
                self.class
            ),
        ))
    }

    /// The mistake in an expression, if any.
    pub(super) fn mistake(&self, fields: &Fields, expr: &Expr) -> Option<Mistake> {
        match expr {
            Expr::Assign(assign) => match &*assign.left {
                Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                    let at = own(&unary.expr)?;
                    Some(Mistake::at(
                        at,
                        format!(
                            "`self` shows an object whose fields are in columns, and is no `{}`: assign the fields that change; in sequential code `objects.write(link, row)` replaces a whole object",
                            self.class
                        ),
                    ))
                }
                left => {
                    let right = || atomic(fields, &assign.right, "load()").filter(|_| Place::of(left).is_some());
                    self.other(left).or_else(|| atomic(fields, left, "store(…)")).or_else(right)
                }
            },
            Expr::Binary(binary) => {
                let other = is_compound(binary.op).then(|| self.other(&binary.left)).flatten();
                let is_number = matches!(*binary.left, Expr::Lit(_)) || is_number(fields, &binary.left);
                let right = || is_number.then(|| atomic(fields, &binary.right, "load()"));
                other.or_else(|| atomic(fields, &binary.left, instead(binary.op))).or_else(|| right().flatten())
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => atomic(fields, &unary.expr, "load()"),
            Expr::Cast(cast) => atomic(fields, &cast.expr, "load()"),
            Expr::If(branch) => atomic(fields, &branch.cond, "load()"),
            Expr::While(turns) => atomic(fields, &turns.cond, "load()"),
            Expr::Let(condition) if takes_apart(&condition.pat) => atomic(fields, &condition.expr, "load()"),
            Expr::Match(matched) if matched.arms.iter().any(|arm| takes_apart(&arm.pat)) => {
                atomic(fields, &matched.expr, "load()")
            }
            Expr::MethodCall(call) => {
                let is_copy = call.method == "clone" && call.args.is_empty() && !self.defines("clone");
                (is_copy && own(&call.receiver).is_some()).then(|| self.copy(fields, &call.method)).flatten()
            }
            Expr::Call(call) => self.function(&call.func),
            Expr::Struct(row) => match &**row.rest.as_ref()? {
                Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => self.copy(fields, own(&unary.expr)?),
                _ => None,
            },
            _ => None,
        }
    }

    /// An assignment to a field of another object.
    fn other(&self, left: &Expr) -> Option<Mistake> {
        let Expr::Field(ExprField { base, member: syn::Member::Named(name), .. }) = left else { return None };
        let Expr::Path(path) = &**base else { return None };
        let other = path.path.get_ident().filter(|other| self.others.contains_key(&plain_name(other)))?;
        let message = format!(
            "`{other}` is another object, which this one reads and does not change: let the kernel run for the objects that change, or make the field `#[atomic]` and update it, `{other}.{name}().add(…)`"
        );
        Some(Mistake { unless: vec![Unless::Bare(plain_name(other))], ..Mistake::at(left, message) })
    }

    /// A kernel called as a function.
    fn function(&self, function: &Expr) -> Option<Mistake> {
        let Expr::Path(path) = function else { return None };
        let segments: Vec<_> = path.path.segments.iter().collect();
        let [class, kernel] = &*segments else { return None };
        let is_class = class.ident == "Self" || class.ident == self.class;
        let is_call = path.path.leading_colon.is_none() && class.arguments.is_none() && kernel.arguments.is_none();
        let name = &kernel.ident;
        (is_class && is_call && self.kernels.contains(&plain_name(name))).then(|| {
            let class = &self.class;
            let message = format!("`{class}::{name}` is what executors are given, and no function: call the method on an object, `self.{name}(…)`");
            Mistake::at(name, message)
        })
    }
}

/// An atomic field of the object itself, used as a value.
fn atomic(fields: &Fields, expr: &Expr, instead: &str) -> Option<Mistake> {
    let is_atomic = |name: &Ident| fields.position(name).is_some_and(|field| fields.is_atomic(field));
    if let Expr::MethodCall(call) = expr
        && let Some(Place { name, .. }) = Place::of(&call.receiver).filter(Place::is_whole)
        && is_atomic(name)
        && call.args.len() == 1
        && names::update(&plain_name(&call.method)).is_some()
    {
        let method = &call.method;
        let message = format!(
            "`{method}` changes `{name}` and returns nothing: to calculate only, write `self.{name}.load()`; for the value before, `fetch_{method}`"
        );
        return Some(Mistake::at(method, message));
    }
    let Expr::Field(ExprField { attrs, .. }) = expr else { return None };
    let Place { own, name, .. } = Place::of(expr).filter(Place::is_whole)?;
    (is_atomic(name) && attrs.is_empty())
        .then(|| Mistake::at(quote!(#own.#name), format!("`{name}` is `#[atomic]`: write `self.{name}.{instead}`")))
}

/// Whether an expression certainly is a number, or another object.
fn is_number(fields: &Fields, expr: &Expr) -> bool {
    let field = Place::of(expr).filter(Place::is_whole).and_then(|place| fields.position(place.name));
    field.is_some_and(|field| fields.kind(field) == FieldKind::Number)
}

/// Whether a pattern is certainly none of an atomic field: `Some(best)`, `3`.
fn takes_apart(pattern: &Pat) -> bool {
    matches!(pattern, Pat::TupleStruct(_) | Pat::Lit(_) | Pat::Range(_))
}

/// Whether two paths are written with the same tokens.
fn is_same(a: &Path, b: &Path) -> bool {
    a.to_token_stream().to_string() == b.to_token_stream().to_string()
}

/// The atomic operation that replaces an operator.
fn instead(op: BinOp) -> &'static str {
    match op {
        BinOp::AddAssign(_) => "add(…)",
        BinOp::SubAssign(_) => "sub(…)",
        BinOp::BitOrAssign(_) => "or(…)",
        BinOp::BitAndAssign(_) => "and(…)",
        _ => "load()",
    }
}
