//! What a method does to the fields of its own object, found in its tokens.
//!
//! Reads are found completely: a field can be reached only through the token `self`, either as
//! `self.field`, or through another method, or through `self` as a whole, which counts as every field.
//! Writes are found where the text shows them; the executor checks the rest at run time.
//!
//! What a macro of the user's does with the tokens it is given cannot be seen: `pick!(self.a)` may well
//! expand to `self.b`. Such a call counts as a use of every field, though of those written only that
//! show.

#[cfg(test)]
mod tests;

use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};
use syn::LitStr;
use syn::ext::IdentExt;

use super::Fields;

/// What a method does to the fields of its own object.
#[derive(Clone, Default)]
pub(crate) struct Access {
    /// Fields that it names, by position.
    pub(crate) touches: u64,
    /// Fields that it may change.
    pub(crate) writes: u64,
    /// Methods that it calls on `self`.
    pub(crate) calls: Vec<Ident>,
    /// Whether it uses `self` as a whole, to read.
    pub(crate) whole: bool,
    /// Whether it hands on `self` as a whole in a way that may change any field.
    pub(crate) escapes: bool,
    /// Whether it contains a loop.
    pub(crate) loops: bool,
}

/// Methods of the trait `Object`, which touch no field.
const OBJECT_METHODS: [&str; 4] = ["all", "handle", "link", "resolve"];

/// Macros that take what is formatted by reference.
const FORMATTING: [&str; 16] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "panic",
    "print",
    "println",
    "write",
    "writeln",
];

/// Other macros of the standard library that use what they are given and nothing else.
const HARMLESS: [&str; 14] = [
    "addr_of",
    "addr_of_mut",
    "assert_matches",
    "cfg",
    "compile_error",
    "concat",
    "debug_assert_matches",
    "matches",
    "stringify",
    "todo",
    "try",
    "unimplemented",
    "unreachable",
    "vec",
];

/// Keywords that may stand before `!(…)` and name no macro.
const BEFORE_NOT: [&str; 8] = ["break", "else", "if", "in", "match", "move", "return", "while"];

/// Methods of arrays, slices, options and glam's types that change what they are called on.
const MUTATORS: [&str; 36] = [
    "append",
    "as_deref_mut",
    "as_mut",
    "as_mut_slice",
    "chunks_exact_mut",
    "chunks_mut",
    "copy_from_slice",
    "copy_within",
    "each_mut",
    "fill",
    "fill_with",
    "first_mut",
    "get_many_mut",
    "get_mut",
    "get_or_insert",
    "get_or_insert_with",
    "insert",
    "iter_mut",
    "last_mut",
    "range_mut",
    "replace",
    "reverse",
    "rotate_left",
    "rotate_right",
    "select_nth_unstable",
    "set",
    "sort",
    "sort_by",
    "sort_by_key",
    "sort_unstable",
    "sort_unstable_by",
    "sort_unstable_by_key",
    "split_at_mut",
    "swap",
    "swap_with_slice",
    "take",
];

/// Analyses the body of a method.
pub(crate) fn analyse(body: &TokenStream, class: &Fields) -> Access {
    let mut access = Access::default();
    Scanner { class, access: &mut access }.scan(body.clone(), Context::Plain);
    access
}

/// Where tokens stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Plain,
    /// In the parentheses, brackets or braces before `=`, a destructuring assignment, or after `&mut`.
    Assigned,
    /// In a formatting macro.
    Formatting,
    /// In a macro of the user's.
    Unknown,
}

struct Scanner<'a> {
    class: &'a Fields,
    access: &'a mut Access,
}

impl Scanner<'_> {
    fn scan(&mut self, tokens: TokenStream, context: Context) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for at in 0..tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(ident) if ident == "self" => self.own(&tokens, at, context),
                TokenTree::Ident(ident) if ["for", "while", "loop"].iter().any(|word| ident == word) => {
                    self.access.loops = true;
                }
                TokenTree::Group(group) => {
                    let context = self.group_context(&tokens, at, group, context);
                    self.scan(group.stream(), context);
                }
                TokenTree::Literal(literal) => self.access.whole |= names_self(literal),
                _ => {}
            }
        }
    }

    /// What the contents of a group are.
    fn group_context(&self, tokens: &[TokenTree], at: usize, group: &Group, outer: Context) -> Context {
        let before = at.checked_sub(1).map(|n| &tokens[n]);
        let name = match at.checked_sub(2).map(|n| &tokens[n]) {
            // Of a macro: `match !(a)` calls none, but `r#match!(a)` does.
            Some(TokenTree::Ident(name)) if is_punct(before, '!') && !BEFORE_NOT.iter().any(|word| name == word) => {
                plain_name(name)
            }
            _ => String::new(),
        };
        if outer == Context::Unknown {
            return outer;
        }
        if FORMATTING.contains(&&*name) {
            return Context::Formatting;
        }
        if !name.is_empty() && !HARMLESS.contains(&&*name) {
            return Context::Unknown;
        }
        if outer == Context::Formatting {
            return outer;
        }
        let after = &tokens[at + 1..];
        let is_pattern = match (group.delimiter(), before) {
            // `Some(a) = …` and `&mut (a)`, but not `*pick(a) = …` nor `list[a] = …`.
            (Delimiter::Parenthesis, Some(TokenTree::Ident(name))) => starts_uppercase(name) || name == "mut",
            (Delimiter::Parenthesis | Delimiter::Bracket, Some(before)) => {
                !matches!(before, TokenTree::Ident(_) | TokenTree::Literal(_) | TokenTree::Group(_))
            }
            (Delimiter::Brace, Some(TokenTree::Ident(name))) => starts_uppercase(name),
            (Delimiter::Parenthesis | Delimiter::Bracket, None) => true,
            _ => false,
        };
        // `(self.a)[0] = …`, `(self.a).sort()`.
        let is_place = group.delimiter() == Delimiter::Parenthesis && changes(after) == Some(true);
        let changed = outer == Context::Assigned || is_assignment(after) || is_place;
        if is_pattern && (changed || is_borrowed_mutably(&tokens[..at])) {
            return Context::Assigned;
        }
        Context::Plain
    }

    /// Looks at one `self`.
    fn own(&mut self, tokens: &[TokenTree], at: usize, context: Context) {
        self.access.whole |= context == Context::Unknown;
        let dot = is_punct(tokens.get(at + 1), '.') && !is_punct(tokens.get(at + 2), '.');
        let Some(TokenTree::Ident(name)) = tokens.get(at + 2).filter(|_| dot) else {
            return self.whole(tokens, at, context);
        };
        let after = &tokens[at + 3..];
        if is_call(after) {
            self.access.calls.push(name.clone());
            return;
        }
        let Some(field) = self.class.position(name) else { return };
        let bit = 1 << field;
        self.access.touches |= bit;
        if self.class.is_atomic(field) {
            return;
        }
        let changed = match changes(after) {
            Some(changed) => changed,
            None => context == Context::Assigned,
        };
        if changed || is_borrowed_mutably(&tokens[..at]) {
            self.access.writes |= bit;
        }
    }

    /// `self` that is not followed by a field or method.
    fn whole(&mut self, tokens: &[TokenTree], at: usize, context: Context) {
        self.access.whole = true;
        if context == Context::Formatting {
            return;
        }
        // `&self`, `&*self`: read only.
        let mut before = &tokens[..at];
        while let [rest @ .., TokenTree::Punct(star)] = before
            && star.as_char() == '*'
        {
            before = rest;
        }
        if !is_punct(before.last(), '&') {
            self.access.escapes = true;
        }
    }
}

/// Whether a string formats `self`: `"{self:?}"`.
fn names_self(literal: &Literal) -> bool {
    let Ok(text) = syn::parse_str::<LitStr>(&literal.to_string()) else { return false };
    text.value().split('{').skip(1).any(|place| {
        let after = place.trim_start().strip_prefix("self");
        after.is_some_and(|after| !after.starts_with(|c: char| c == '_' || c.is_alphanumeric()))
    })
}

fn starts_uppercase(name: &Ident) -> bool {
    plain_name(name).starts_with(char::is_uppercase)
}

/// Whether an expression that continues with these tokens is a method call: `(…)` or `::<…>(…)`.
fn is_call(after: &[TokenTree]) -> bool {
    match after.first() {
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
        Some(TokenTree::Punct(colon)) => colon.as_char() == ':' && is_punct(after.get(1), ':'),
        _ => false,
    }
}

/// Whether `self.field` is changed by what follows: an assignment to it or to a part of it, or a method
/// that is known to change what it is called on. `None` if nothing follows that says so.
fn changes(mut after: &[TokenTree]) -> Option<bool> {
    loop {
        match after {
            [TokenTree::Group(index), rest @ ..] if index.delimiter() == Delimiter::Bracket => after = rest,
            [TokenTree::Punct(dot), TokenTree::Ident(name), rest @ ..] if dot.as_char() == '.' => {
                if is_call(rest) {
                    return Some(MUTATORS.contains(&&*plain_name(name)));
                }
                after = rest;
            }
            // `.0`, and `.0.1`, which is one token.
            [TokenTree::Punct(dot), TokenTree::Literal(_), rest @ ..] if dot.as_char() == '.' => after = rest,
            _ => return is_assignment(after).then_some(true),
        }
    }
}

/// Whether the tokens begin with `=` or a compound assignment.
fn is_assignment(tokens: &[TokenTree]) -> bool {
    let punct = |n: usize| match tokens.get(n) {
        Some(TokenTree::Punct(punct)) => Some(punct.as_char()),
        _ => None,
    };
    match (punct(0), punct(1), punct(2)) {
        (Some('='), next, _) => next != Some('=') && next != Some('>'),
        (Some('+' | '-' | '*' | '/' | '%' | '^' | '&' | '|'), Some('='), next) => next != Some('='),
        (Some('<'), Some('<'), Some('=')) | (Some('>'), Some('>'), Some('=')) => true,
        _ => false,
    }
}

/// Whether the tokens end with `&mut` or `&raw mut`.
fn is_borrowed_mutably(before: &[TokenTree]) -> bool {
    let [.., and, raw, TokenTree::Ident(mutable)] = before else {
        let [and, TokenTree::Ident(mutable)] = before else { return false };
        return mutable == "mut" && is_punct(Some(and), '&');
    };
    mutable == "mut"
        && (is_punct(Some(raw), '&')
            || matches!(raw, TokenTree::Ident(raw) if raw == "raw") && is_punct(Some(and), '&'))
}

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == c)
}

/// Whether it is the name of a method of the trait `Object`.
pub(crate) fn is_object_method(name: &Ident) -> bool {
    OBJECT_METHODS.contains(&&*plain_name(name))
}

/// A name without `r#`, which means the same with it.
pub(crate) fn plain_name(ident: &Ident) -> String {
    ident.unraw().to_string()
}
