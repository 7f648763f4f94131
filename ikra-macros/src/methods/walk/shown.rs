//! Which expressions certainly are links, and which are the objects that methods see in their place; and mistakes where
//! one is written for the other.

use quote::ToTokens;
use syn::{Expr, ExprBinary, ExprMethodCall, FnArg, Pat, Signature};

use super::Walk;
use crate::methods::names::atomic_operation;
use crate::methods::ordinary::{Mistake, Unless};
use crate::methods::place::{Place, own};
use crate::methods::{Shown, plain_name};
use crate::stored::{is_link, optional};

impl Walk<'_> {
    /// Notes parameters that are links or objects.
    pub(super) fn takes(&mut self, sig: &Signature) {
        let links = sig.inputs.iter().filter_map(|input| {
            let FnArg::Typed(typed) = input else { return None };
            let Pat::Ident(name) = &*typed.pat else { return None };
            let is_optional = optional(&typed.ty).is_some_and(is_link);
            (is_optional || is_link(&typed.ty)).then(|| (plain_name(&name.ident), Shown { is_optional, ..Shown::LINK }))
        });
        let objects = self.ordinary.others().map(|(name, is_own)| (name.clone(), Shown { is_own, ..Shown::OBJECT }));
        for (name, shown) in links.chain(objects) {
            self.bindings.insert(name.clone(), 1);
            self.shown.insert(name, vec![shown]);
        }
    }

    /// Notes what a pattern binds: `let other = self.next;`, `if let Some(best) = self.best.load()`.
    pub(super) fn binds(&mut self, pattern: &Pat, shown: Option<Shown>) {
        let Some(shown) = shown else { return };
        match pattern {
            // A name such as `None` is no variable.
            Pat::Ident(name) if name.by_ref.is_none() && !plain_name(&name.ident).starts_with(char::is_uppercase) => {
                self.shown.entry(plain_name(&name.ident)).or_default().push(shown);
            }
            Pat::TupleStruct(some) if some.path.is_ident("Some") && shown.is_optional && some.elems.len() == 1 => {
                self.binds(&some.elems[0], Some(Shown { is_optional: false, ..shown }));
            }
            _ => {}
        }
    }

    /// Notes what a closure takes: `self.best.load().map(|best| …)`.
    pub(super) fn binds_inner(&mut self, argument: &Expr, shown: Option<Shown>) {
        if let Expr::Closure(closure) = argument
            && closure.inputs.len() == 1
        {
            self.binds(&closure.inputs[0], shown.map(|shown| Shown { is_optional: false, ..shown }));
        }
    }

    /// What an expression is, if its variables are bound to the same everywhere.
    pub(super) fn shown(&self, expr: &Expr) -> Option<Shown> {
        self.seen(expr, &mut Vec::new())
    }

    /// Whether an expression is another object of the class.
    pub(super) fn is_own_object(&self, expr: &Expr) -> bool {
        self.shown(expr) == Some(Shown { is_own: true, ..Shown::OBJECT })
    }

    /// What an expression is, unless a variable in it is something else.
    pub(super) fn seen(&self, expr: &Expr, unless: &mut Vec<Unless>) -> Option<Shown> {
        match expr {
            Expr::Paren(inner) => self.seen(&inner.expr, unless),
            Expr::Group(inner) => self.seen(&inner.expr, unless),
            Expr::Path(path) => {
                let name = path.path.get_ident().map(plain_name)?;
                let shown = *self.shown.get(&name)?.last()?;
                unless.push(Unless::Other(name, shown));
                Some(shown)
            }
            Expr::Field(_) => {
                let name = Place::of(expr).filter(Place::is_whole)?.name;
                let field = self.fields.position(name)?;
                self.fields.shown(name).filter(|_| !self.fields.is_atomic(field))
            }
            Expr::Index(index) => {
                let array = Place::of(&index.expr).filter(Place::is_whole)?;
                self.fields.links.contains(&plain_name(array.name)).then_some(Shown::LINK)
            }
            Expr::Call(call) if makes_link(&call.func) => Some(Shown { is_optional: true, ..Shown::LINK }),
            Expr::Call(_) => {
                let inner = self.seen(in_some(expr)?, unless).filter(|inner| !inner.is_optional)?;
                Some(Shown { is_optional: true, ..inner })
            }
            Expr::MethodCall(call) => self.returned(call, unless),
            _ => None,
        }
    }

    /// What a method returns.
    fn returned(&self, call: &ExprMethodCall, unless: &mut Vec<Unless>) -> Option<Shown> {
        let is_own = own(&call.receiver).is_some();
        if self.ordinary.defines(&plain_name(&call.method)) {
            return None;
        }
        match (plain_name(&call.method).as_str(), call.args.len()) {
            ("load", 0) => self.atomic(&call.receiver, unless),
            ("link", 0) if self.fields.named("link").is_none() => (is_own
                || self.seen(&call.receiver, unless)? == Shown { is_own: true, ..Shown::OBJECT })
            .then_some(Shown::LINK),
            ("resolve", 1) if is_own && self.seen(&call.args[0], unless)? == Shown::LINK => Some(Shown::OBJECT),
            (_, 0) if !is_own && self.seen(&call.receiver, unless)? == Shown { is_own: true, ..Shown::OBJECT } => {
                let field = self.fields.position(&call.method)?;
                self.fields.shown(&call.method).filter(|_| !self.fields.is_atomic(field))
            }
            _ => None,
        }
    }

    /// The links of an atomic field: `self.best`, `other.best()`.
    fn atomic(&self, expr: &Expr, unless: &mut Vec<Unless>) -> Option<Shown> {
        let name = match expr {
            Expr::MethodCall(call) if call.args.is_empty() => {
                let other = self.seen(&call.receiver, unless)?;
                Some(&call.method).filter(|_| other == Shown { is_own: true, ..Shown::OBJECT })?
            }
            expr => Place::of(expr).filter(Place::is_whole)?.name,
        };
        self.fields.shown(name).filter(|shown| shown.is_link)
    }

    /// A link that is assigned to a field, which methods see as an object.
    pub(super) fn unfollowed(&self, left: &Expr, right: &Expr) -> Option<Mistake> {
        let place = Place::of(left).filter(Place::is_whole)?;
        self.fields.position(place.name).filter(|&field| !self.fields.is_atomic(field))?;
        let mut unless = Vec::new();
        let given = in_some(right).unwrap_or(right);
        if own(given).is_some() {
            let message =
                "`self` shows an object that is loaded, and a field shows another: write `self.resolve(self.link())`";
            return Some(Mistake::at(right, message.to_owned()));
        }
        let is_none = matches!(right, Expr::Path(none) if none.path.is_ident("None"));
        if is_none && self.fields.shown(place.name).is_some_and(|shown| !shown.is_optional) {
            let left = text(left);
            let message = format!(
                "`{left}` is always an object, since its field is a `Link`: for none, make the field an `Option<Link<…>>`"
            );
            return Some(Mistake::at(right, message));
        }
        let shown = self.seen(given, &mut unless).filter(|shown| shown.is_link)?;
        let link = text(given);
        let instead = match given {
            Expr::MethodCall(call) if call.method == "link" && own(&call.receiver).is_none() => text(&call.receiver),
            _ if shown.is_optional => format!("{link}.map(|link| self.resolve(link))"),
            _ => format!("self.resolve({link})"),
        };
        if shown.is_optional && in_some(right).is_some() {
            let message = format!("methods see objects where columns have links: write `{instead}`, without `Some`");
            return Some(Mistake { unless, ..Mistake::at(right, message) });
        }
        let message = format!("methods see objects where columns have links: write `{instead}`; `{link}` is the link");
        Some(Mistake { unless, ..Mistake::at(right, message) })
    }

    /// An object that is compared with a link, or with `self`.
    pub(super) fn compared(&self, binary: &ExprBinary) -> Option<Mistake> {
        let mut unless = Vec::new();
        let [left, right] = [&binary.left, &binary.right].map(|side| match own(side) {
            Some(_) => Some((None, Shown::OBJECT)),
            None => self.seen(side, &mut unless).map(|shown| (Some(shown.is_link), shown)),
        });
        let ((left_is_link, left), (right_is_link, right)) = (left?, right?);
        if left_is_link == right_is_link || left.is_optional != right.is_optional {
            return None;
        }
        let what = match left_is_link.and(right_is_link) {
            Some(_) => "this compares an object with a link",
            None => "`self` shows an object that is loaded, and compares with no other",
        };
        let [left, right] = [as_link(&binary.left, left), as_link(&binary.right, right)];
        let message = format!("{what}: compare links, `{left} {} {right}`", text(binary.op));
        Some(Mistake { unless, ..Mistake::at(binary, message) })
    }

    /// A method of `Option`, called on an atomic field.
    pub(super) fn unloaded(&self, call: &ExprMethodCall) -> Option<Mistake> {
        const OF_OPTIONS: &str = "and_then copied expect is_none is_none_or is_some is_some_and map map_or map_or_else ok_or unwrap unwrap_or";
        let (field, method, mut unless) = (text(&call.receiver), plain_name(&call.method), Vec::new());
        let is_optional = self.atomic(&call.receiver, &mut unless)?.is_optional;
        (is_optional && OF_OPTIONS.split(' ').any(|name| name == method)).then(|| {
            let arguments = if call.args.is_empty() { "" } else { "…" };
            let message =
                format!("an `#[atomic]` field is loaded explicitly: write `{field}.load().{method}({arguments})`");
            Mistake { unless, ..Mistake::at(&call.receiver, message) }
        })
    }

    /// The getter `next` of `self`, for which the compiler would look for `Iterator::next`.
    pub(super) fn got(&self, call: &ExprMethodCall) -> Option<Mistake> {
        own(&call.receiver).filter(|_| call.method == "next" && call.args.is_empty())?;
        self.fields.shown(&call.method)?;
        let message = "other objects have getters, and `self` has fields: write `self.next`";
        Some(Mistake::at(&call.method, message.to_owned()))
    }

    /// An object that is stored in an atomic field, which takes links.
    pub(super) fn stored(&self, call: &ExprMethodCall) -> Option<Mistake> {
        atomic_operation(&plain_name(&call.method), call.args.len())?;
        call.args.iter().find_map(|given| {
            let mut unless = Vec::new();
            self.atomic(&call.receiver, &mut unless)?;
            let shown = match own(in_some(given).unwrap_or(given)) {
                Some(_) => Shown::OBJECT,
                None => self.seen(given, &mut unless).filter(|shown| !shown.is_link)?,
            };
            let message = format!("an `#[atomic]` field takes the link itself: write `{}`", as_link(given, shown));
            Some(Mistake { unless, ..Mistake::at(given, message) })
        })
    }
}

/// Whether a function is `Link::from_index` or `Link::from_id`.
fn makes_link(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    let names: Vec<_> = path.path.segments.iter().map(|segment| plain_name(&segment.ident)).collect();
    matches!(&*names, [.., link, name] if link == "Link" && ["from_index", "from_id"].contains(&&**name))
}

/// The `x` of `Some(x)`.
fn in_some(expr: &Expr) -> Option<&Expr> {
    let Expr::Call(call) = expr else { return None };
    let is_some = matches!(&*call.func, Expr::Path(some) if some.path.is_ident("Some"));
    call.args.first().filter(|_| is_some && call.args.len() == 1)
}

/// The link of an expression, as text.
fn as_link(expr: &Expr, shown: Shown) -> String {
    match in_some(expr) {
        _ if shown.is_link => text(expr),
        Some(inner) => format!("Some({})", as_link(inner, Shown { is_optional: false, ..shown })),
        None if shown.is_optional => format!("{}.map(|object| object.link())", text(expr)),
        None => format!("{}.link()", text(expr)),
    }
}

/// An expression as text.
pub(super) fn text(expr: impl ToTokens) -> String {
    expr.to_token_stream().to_string().replace(' ', "").replace(';', "; ").replace(',', ", ")
}
