//! Variables that are other objects or links, and mistakes with them: an assignment to a field of another object, a link
//! where methods see objects.

use quote::ToTokens;
use syn::{Expr, ExprField, ExprMethodCall, Member, Pat};

use super::Walk;
use crate::methods::ordinary::{Mistake, Unless};
use crate::methods::place::{Place, own};
use crate::methods::plain_name;

impl Walk<'_> {
    /// Notes a variable that a pattern binds to another object: `let other = self.next;`, `for other in &self.near`.
    pub(super) fn binds_object(&mut self, pattern: &Pat, is_object: bool) {
        if let (Pat::Ident(name), true) = (pattern, is_object) {
            *self.objects.entry(plain_name(&name.ident)).or_default() += 1;
        }
    }

    /// Whether an expression is a field that is a link, which methods see as an object.
    pub(super) fn is_object(&self, expr: &Expr) -> bool {
        Place::of(expr).is_some_and(|place| place.is_whole() && self.fields.is_link(place.name))
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
        self.changed_object(left).or_else(|| self.unfollowed(left, right?))
    }

    /// An assignment to a field of another object.
    fn changed_object(&self, left: &Expr) -> Option<Mistake> {
        let (base, field) = match left {
            Expr::Field(ExprField { base, member: Member::Named(name), .. }) => (base, name),
            Expr::MethodCall(ExprMethodCall { receiver, method, args, .. }) if args.is_empty() => (receiver, method),
            _ => return None,
        };
        let variable = variable(base).filter(|name| self.objects.contains_key(name));
        let shown = match &variable {
            Some(name) => name.clone(),
            None if self.is_object(base) => base.to_token_stream().to_string().replace(' ', ""),
            None => return None,
        };
        let message = format!(
            "`{shown}` is another object, which this one reads and does not change: let the kernel run for the objects that change, or make the field `#[atomic]` and update it, `{shown}.{field}().add(…)`"
        );
        Some(Mistake { unless: variable.map(Unless::NotObject), ..Mistake::at(left, message) })
    }

    /// A link that is assigned to a field, which methods see as an object.
    fn unfollowed(&self, left: &Expr, right: &Expr) -> Option<Mistake> {
        let place = Place::of(left).filter(Place::is_whole)?;
        let is_plain = self.fields.position(place.name).is_some_and(|field| !self.fields.is_atomic(field));
        let given = match right {
            Expr::Call(call) => match &*call.func {
                Expr::Path(some) if some.path.is_ident("Some") => call.args.first()?,
                _ => return None,
            },
            right => right,
        };
        let linked = variable(given).filter(|name| self.parameters.contains(name));
        let is_own = matches!(given, Expr::MethodCall(call) if call.method == "link" && own(&call.receiver).is_some());
        (is_plain && (is_own || linked.is_some())).then(|| {
            let given = given.to_token_stream().to_string().replace(' ', "");
            let message = format!(
                "methods see objects where columns have links: write `self.resolve({given})`; `{given}` is the link"
            );
            Mistake { unless: linked.map(Unless::Bound), ..Mistake::at(right, message) }
        })
    }

    /// The mistake in `if let Some(next) = self.next` of a field that is no `Option`.
    pub(super) fn matched(&self, pattern: &Pat, value: &Expr) -> Option<Mistake> {
        let Pat::TupleStruct(some) = pattern else { return None };
        (some.path.is_ident("Some") && self.is_object(value)).then(|| {
            let value = value.to_token_stream().to_string().replace(' ', "");
            let message = format!(
                "`{value}` is always an object, since its field is a `Link`: use `{value}` itself, or make the field an `Option<Link<…>>`"
            );
            Mistake::at(pattern, message)
        })
    }

    /// Whether a mistake is one, by all bindings of its variable.
    pub(super) fn holds(&self, mistake: &Mistake) -> bool {
        let bindings = |name: &String| self.bindings.get(name).copied().unwrap_or(0);
        match &mistake.unless {
            None => true,
            Some(Unless::Bare(name)) => !self.bare.contains(name),
            Some(Unless::Bound(name)) => bindings(name) == 0,
            Some(Unless::NotObject(name)) => self.objects.get(name) == Some(&bindings(name)),
        }
    }
}

/// The variable that an expression is.
fn variable(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(path) => path.path.get_ident().map(plain_name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use syn::ImplItemFn;

    use crate::methods::ordinary::Ordinary;
    use crate::methods::{FieldKind, Fields, walk};

    /// The number of mistakes in a body of a class with the links `next` and `near`, and with the fields `a` and `maybe`.
    fn mistakes(body: &str) -> usize {
        let fields = [("a", FieldKind::Other), ("maybe", FieldKind::Other), ("next", FieldKind::Number)];
        let fields = fields.into_iter().chain([("near", FieldKind::Other)]);
        let class = Fields {
            class: "Body".to_owned(),
            fields: fields.map(|(name, kind)| (syn::parse_str(name).unwrap(), kind)).collect(),
            links: vec!["near".to_owned()],
            own_links: Vec::new(),
            other_links: vec!["next".to_owned()],
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
        ];
        for body in right {
            assert_eq!(mistakes(body), 0, "{body}");
        }
    }
}
