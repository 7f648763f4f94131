//! Variables that are other objects or links, and mistakes with them: an assignment to a field of another object, a link
//! where methods see objects.

use syn::{Expr, ExprField, ExprMethodCall, Member, Pat};

use super::Walk;
use super::shown::text;
use crate::methods::ordinary::{Mistake, Unless};
use crate::methods::place::{Place, own};
use crate::methods::plain_name;

impl Walk<'_> {
    /// Whether an expression is a field that is a link, which methods see as an object.
    pub(super) fn is_object(&self, expr: &Expr) -> bool {
        let shown = Place::of(expr).and_then(|_| self.shown(expr));
        shown.is_some_and(|shown| !shown.is_link && !shown.is_optional)
    }

    /// Whether an expression lists objects: `self.all::<Cell>().range(..)`, `&self.near`, `self.near.iter()`.
    pub(super) fn lists_objects(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Reference(reference) => self.lists_objects(&reference.expr),
            Expr::MethodCall(call) if own(&call.receiver).is_some() => call.method == "all",
            Expr::MethodCall(call) => {
                let same = ["iter", "range", "skip", "take", "rev", "filter"];
                same.iter().any(|name| call.method == name) && self.lists_objects(&call.receiver)
            }
            Expr::Field(_) => Place::of(expr)
                .is_some_and(|place| place.is_whole() && self.fields.links.contains(&plain_name(place.name))),
            _ => false,
        }
    }

    /// The mistake in `left = right`, or `left += right`.
    pub(super) fn assigned(&self, left: &Expr, right: Option<&Expr>) -> Option<Mistake> {
        let mistake = self.changed_object(left).or_else(|| self.replaced_array(left, right?));
        mistake.or_else(|| self.unfollowed(left, right?))
    }

    /// An assignment to a field of another object.
    fn changed_object(&self, left: &Expr) -> Option<Mistake> {
        let (base, field) = match left {
            Expr::Field(ExprField { base, member: Member::Named(name), .. }) => (base, name),
            Expr::MethodCall(ExprMethodCall { receiver, method, args, .. }) if args.is_empty() => (receiver, method),
            _ => return None,
        };
        let mut unless = Vec::new();
        self.seen(base, &mut unless).filter(|shown| !shown.is_link && !shown.is_optional)?;
        let shown = text(base);
        let message = format!(
            "`{shown}` is another object, which this one reads and does not change: let the kernel run for the objects that change, or make the field `#[atomic]` and update it, `{shown}.{field}().add(…)`"
        );
        Some(Mistake { unless, ..Mistake::at(left, message) })
    }

    /// An inner array that is assigned as a whole.
    fn replaced_array(&self, left: &Expr, right: &Expr) -> Option<Mistake> {
        let place = Place::of(left).filter(Place::is_whole)?;
        self.fields.arrays.contains(&plain_name(place.name)).then(|| {
            let borrow = if let Expr::Reference(_) = right { "" } else { "&" };
            let (left, right) = (text(left), text(right));
            let message = format!(
                "an inner array stays in its columns, and its elements change: write `{left}.copy_from_slice({borrow}{right})`"
            );
            Mistake::at(place.name, message)
        })
    }

    /// The mistake in `if let Some(next) = self.next` of a field that is no `Option`.
    pub(super) fn matched(&self, pattern: &Pat, value: &Expr) -> Option<Mistake> {
        let Pat::TupleStruct(some) = pattern else { return None };
        (some.path.is_ident("Some") && self.is_object(value)).then(|| {
            let value = text(value);
            let message = format!(
                "`{value}` is always an object, since its field is a `Link`: use `{value}` itself, or make the field an `Option<Link<…>>`"
            );
            Mistake::at(pattern, message)
        })
    }

    /// Whether a mistake is one, by all bindings of its variable.
    pub(super) fn holds(&self, mistake: &Mistake) -> bool {
        let holds = |unless: &Unless| match unless {
            Unless::Bare(name) => !self.bare.contains(name),
            Unless::Other(name, shown) => {
                let all = self.shown.get(name).map_or(&[][..], |all| all);
                self.bindings.get(name) == Some(&all.len()) && all.iter().all(|one| one == shown)
            }
        };
        mistake.unless.iter().all(holds)
    }
}

#[cfg(test)]
mod tests {
    use syn::ImplItemFn;

    use crate::methods::ordinary::Ordinary;
    use crate::methods::{FieldKind, Fields, Shown, walk};

    /// The number of mistakes in a body of a class with the links `next` and `near`, and with the fields `a` and `maybe`.
    fn mistakes(body: &str) -> usize {
        let fields = [("a", FieldKind::Other), ("maybe", FieldKind::Other), ("next", FieldKind::Number)];
        let fields = fields.into_iter().chain([("near", FieldKind::Other), ("own", FieldKind::Number)]);
        let fields = fields.chain([("best", FieldKind::Atomic), ("first", FieldKind::Atomic)]);
        let class = Fields {
            class: "Body".to_owned(),
            fields: fields.map(|(name, kind)| (syn::parse_str(name).unwrap(), kind)).collect(),
            links: vec!["near".to_owned()],
            arrays: vec!["near".to_owned()],
            shown: vec![
                ("next".to_owned(), Shown::OBJECT),
                ("own".to_owned(), Shown { is_own: true, ..Shown::OBJECT }),
                ("maybe".to_owned(), Shown { is_optional: true, ..Shown::OBJECT }),
                ("best".to_owned(), Shown { is_optional: true, ..Shown::LINK }),
                ("first".to_owned(), Shown::LINK),
            ],
        };
        let text = format!("fn method(&mut self, to: Link<Cell>, value: Value) {{ {body} }}");
        let method: ImplItemFn = syn::parse_str(&text).unwrap();
        let ordinary = Ordinary::of(&syn::parse_quote!(Body), &syn::parse_quote!(impl Body {}));
        walk::read(&method.sig, &method.block, &class, &ordinary).1.len()
    }

    #[test]
    fn only_what_cannot_compile_is_a_mistake() {
        let mistaken = [
            "self.next.heat = 1.0;",
            "self.next.heat += 1.0;",
            "self.next.heat() = 1.0;",
            "let other = self.next; other.heat = 1.0;",
            "for other in &self.near { other.heat = 1.0; }",
            "for other in self.all::<Cell>().range(1..) { other.heat += 1.0; }",
            "self.next = to;",
            "self.maybe = Some(to);",
            "self.next = self.link();",
            "if let Some(next) = self.next { f(next); }",
            "self.resolve(to).heat = 1.0;",
            "let to = self.near[0]; self.next = to;",
            "self.maybe = self.best.load();",
            "self.maybe = Some(self.first.load());",
            "self.maybe = self.own.best().load();",
            "self.next = self.own.link();",
            "if let Some(best) = self.best.load() { self.maybe = Some(best); }",
            "self.maybe = self.best.load().filter(f).map(g); self.best.load().map(|best| self.next = best);",
            "if self.best.load() == Some(self.next) { f(); }",
            "if self.maybe != self.best.load() { f(); }",
            "if self.next == to || f() { f(); }",
            "if self.next == self { f(); }",
            "if to == self { f(); }",
            "self.best.store(Some(self.next));",
            "self.best.store(Some(self));",
            "self.own.first().store(self.next);",
            "self.first.claim(self);",
            "self.maybe = Some(self);",
            "self.maybe = Some(Link::from_index(0));",
            "self.next = None;",
            "self.best.is_some();",
            "self.own.best().map(f);",
            "if let Some(best) = self.best { f(best); }",
            "match self.best { Some(_) => f(), None => g() }",
            "self.a = self.best.claim(to) as u32;",
            "self.next();",
            "self.best.compare_exchange(None, self.maybe);",
            "self.near = [to; 4];",
        ];
        for body in mistaken {
            assert_eq!(mistakes(body), 1, "{body}");
        }
        let right = [
            "self.a.heat = 1.0;",
            "self.a.link = to;",
            "self.near[0] = to;",
            "let to = self.resolve(to); self.next = to;",
            "if let Some(to) = self.maybe { self.next = to; }",
            "let other = self.next; let mut other = other.copy(); other.heat = 1.0;",
            "let mut other = self.a; other.heat = 1.0;",
            "for mut row in self.near.rows() { row.heat = 1.0; }",
            "let f = |other: &mut Value| { other.heat = 1.0; }; let other = self.next;",
            "self.next = value;",
            "if let Some(next) = self.maybe { f(next); }",
            "fn inner(to: Ref<Cell>) { let mut x = to; x.heat = 1.0; }",
            "self.maybe = self.best.load().map(|best| self.resolve(best));",
            "self.next = self.next.link();",
            "self.best.store(Some(to)); self.first.store(self.next.link()); self.best.store(self.near[0].into());",
            "self.maybe = self.own.maybe(); self.next = self.own.next();",
            "if self.next == self.own || self.maybe == Some(self.next) || self.best.load() == Some(to) { f(); }",
            "if self.maybe == Some(to).map(|to| self.resolve(to)) { f(); }",
            "for to in &self.near { if self.next == to { self.next = to; } }",
            "match self.best.load() { None => self.maybe = None, Some(_) => f(None == self.maybe) }",
            "self.maybe = None; let best = self.best; match self.best { best => f(best) }",
            "self.first.is_some(); self.resolve(self.first.load()); self.best.load().is_some(); self.best.claim(to);",
            "let best = self.best.load(); { let best = 3; self.a = best; }",
        ];
        for body in right {
            assert_eq!(mistakes(body), 0, "{body}");
        }
    }
}
