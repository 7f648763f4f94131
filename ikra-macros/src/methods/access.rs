//! What a method does to the fields of its own object, found in its tokens.
//!
//! Reads are found completely: a field can be reached only through the token `self`, either as
//! `self.field`, or through another method, or through `self` as a whole, which counts as every field.
//! Writes are found where the text shows them; the executor checks the rest at run time.
//!
//! What a macro of the user's does with the tokens it is given cannot be seen: `pick!(self.a)` may well
//! expand to `self.b`. Such a call counts as a use of every field; of those written count the ones that
//! show, and the ones that the macro is given as places of their own, `increment!(self.a)`. A macro that is
//! given no `self` may still expand to one, by `include!` or as a procedural macro: such a method is
//! [`hidden`](FieldUse::hidden), and its own `self` gets another hygiene, so that it does not compile then.
//!
//! The standard library's macros are known by their names. A method that calls one imports all of them by a glob, so that
//! a macro of the user's with such a name is ambiguous, and does not compile. A path that begins with `::` is not known: `::alloc` is
//! what the crate calls so. [`attributes`] says which attributes may be macros; those in a body count as macros do.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};
use syn::LitStr;
use syn::ext::IdentExt;

use super::attributes::{self, Kind};
use super::{FieldKind, Fields};

/// What a method does to the fields of its own object.
#[derive(Clone, Default)]
pub(crate) struct FieldUse {
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
    /// The method that is `whole` or `escapes`: this one or one that it calls.
    pub(crate) because: Option<String>,
    /// Fields that macros of the user's are given as places, `increment!(self.a)`: perhaps changed.
    pub(crate) given: u64,
    /// Whether it calls macros that are not known and are not given `self`.
    pub(crate) hidden: bool,
    /// Whether it calls macros of the standard library, by their names alone or by paths that begin with `std`.
    pub(crate) standard: Standard,
    /// Whether strings in it format `self`: `"{self:?}"`.
    pub(crate) formats_self: bool,
    /// Whether it contains a loop.
    pub(crate) loops: bool,
}

/// Which names must mean those of the standard library.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Standard {
    /// `assert!`
    pub(crate) macros: bool,
    /// `std::assert!`
    pub(crate) crates: bool,
}

/// Methods of the trait `Object`, which touch no field.
const OBJECT_METHODS: [&str; 4] = ["all", "handle", "link", "resolve"];

/// Macros that take what is formatted by reference.
const FORMATTING: [&str; 16] = [
    "assert",
    "assert_eq",
    "assert_ne",
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
    "todo",
    "unimplemented",
    "unreachable",
];

/// Macros that format into what they are given first.
const WRITING: [&str; 2] = ["write", "writeln"];

/// Other macros of the standard library that use what they are given and nothing else.
///
/// All that are known by name are in `standard` of ikra-core, too: a glob import of it makes the compiler refuse a
/// name that means another macro.
const HARMLESS: [&str; 20] = [
    "addr_of",
    "addr_of_mut",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "env",
    "file",
    "include_bytes",
    "include_str",
    "line",
    "matches",
    "module_path",
    "offset_of",
    "option_env",
    "pin",
    "stringify",
    "thread_local",
    "vec",
];

/// Where the macros of the standard library are.
const STANDARD: [&str; 3] = ["alloc", "core", "std"];

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
pub(crate) fn analyse(body: &TokenStream, class: &Fields) -> FieldUse {
    let mut access = FieldUse::default();
    let imports = imports(body);
    let mut scanner = Scanner { class, access: &mut access, imports: &imports, binds_mutably: false };
    scanner.scan(body.clone(), Context::Plain);
    if scanner.binds_mutably {
        // To what, the tokens do not show: `match self.a { P { ref mut x } => *x = 1 }`.
        access.writes |= (0..class.fields.len())
            .filter(|&field| !class.is_atomic(field))
            .fold(0, |set, field| set | access.touches & 1 << field);
    }
    access.whole |= access.formats_self;
    if access.hidden && access.formats_self {
        // The `self` in a string has the hygiene of the string, which names other things too.
        access.hidden = false;
        access.whole = true;
        access.escapes = true;
    }
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
    /// In a macro that formats into what comes first.
    Writing,
    /// In a macro of the user's.
    Unknown,
    /// In a block in a macro of the user's.
    UnknownBlock,
}

impl Context {
    fn is_unknown(self) -> bool {
        matches!(self, Self::Unknown | Self::UnknownBlock)
    }
}

/// What a macro does with what it is given, as far as its name says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Macro {
    Formatting,
    Writing,
    Harmless,
    Unknown,
}

/// The names that a body gives a meaning of its own, by `use`, `mod`, `extern crate` and `macro_rules!`: macros of these names, and
/// those on paths that begin with them, are the user's own.
pub(super) fn imports(body: &TokenStream) -> HashSet<String> {
    let mut found = HashSet::new();
    collect_imports(body, &mut found);
    found
}

fn collect_imports(tokens: &TokenStream, found: &mut HashSet<String>) {
    let mut in_use = false;
    // Whether the next name is one that an item is given: `mod name`, `extern crate self as name`, `macro_rules! name`.
    let mut is_named = false;
    for token in tokens.clone() {
        let was_named = std::mem::replace(&mut is_named, false);
        match token {
            TokenTree::Ident(word) if word == "use" => in_use = true,
            TokenTree::Ident(word)
                if ["mod", "crate", "as", "macro", "macro_rules"].iter().any(|item| word == item) =>
            {
                is_named = true;
            }
            TokenTree::Ident(name) if was_named => {
                found.insert(plain_name(&name));
            }
            TokenTree::Punct(bang) if was_named && bang.as_char() == '!' => is_named = true,
            TokenTree::Ident(name) if in_use => {
                found.insert(plain_name(&name));
            }
            TokenTree::Group(group) if in_use => names_in(group.stream(), found),
            TokenTree::Group(group) => collect_imports(&group.stream(), found),
            TokenTree::Punct(end) if end.as_char() == ';' => in_use = false,
            _ => {}
        }
    }
}

fn names_in(tokens: TokenStream, found: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                found.insert(plain_name(&name));
            }
            TokenTree::Group(group) => names_in(group.stream(), found),
            _ => {}
        }
    }
}

/// The macro whose arguments the group at `at` are, if it is one's.
pub(super) fn macro_at(tokens: &[TokenTree], at: usize, imports: &HashSet<String>) -> Option<Macro> {
    Some(named_macro_at(tokens, at, imports)?.0)
}

/// The same, and which names must mean what they do in the standard library.
fn named_macro_at(tokens: &[TokenTree], at: usize, imports: &HashSet<String>) -> Option<(Macro, Standard)> {
    let [name, bang] = &tokens[at.checked_sub(2)?..at] else { return None };
    if !is_punct(Some(bang), '!') {
        return None;
    }
    let name = match name {
        // `match !(a)` calls none, but `r#match!(a)` does.
        TokenTree::Ident(name) if BEFORE_NOT.iter().all(|word| name != word) => name,
        // A path that came to a macro as one, `$path!(a)`.
        TokenTree::Group(path) if path.delimiter() == Delimiter::None => {
            return Some((Macro::Unknown, Standard::default()));
        }
        _ => return None,
    };
    // `std::assert!`, but not `crate::assert!`.
    let mut first = at - 2;
    while let Some([TokenTree::Ident(_), a, b]) = first.checked_sub(3).map(|start| &tokens[start..first])
        && is_punct(Some(a), ':')
        && is_punct(Some(b), ':')
    {
        first -= 3;
    }
    let name = plain_name(name);
    let root = match &tokens[first] {
        TokenTree::Ident(root) if first < at - 2 => Some(plain_name(root)),
        _ => None,
    };
    // `::std::assert!`, but not `Field { name:std::line!() }`. What the crate calls `::std` is not known, see above.
    let is_rooted = matches!(&tokens[..first], [.., a, b] if is_punct(Some(a), ':') && is_punct(Some(b), ':'));
    let is_own = imports.contains(root.as_ref().unwrap_or(&name)) || is_rooted;
    let found = match &*name {
        _ if is_own || root.as_ref().is_some_and(|root| !STANDARD.contains(&&**root)) => Macro::Unknown,
        name if FORMATTING.contains(&name) => Macro::Formatting,
        name if WRITING.contains(&name) => Macro::Writing,
        name if HARMLESS.contains(&name) => Macro::Harmless,
        _ => Macro::Unknown,
    };
    let is_known = found != Macro::Unknown;
    Some((found, Standard { macros: is_known && root.is_none(), crates: is_known && root.is_some() }))
}

struct Scanner<'a> {
    class: &'a Fields,
    access: &'a mut FieldUse,
    /// What the body imports.
    imports: &'a HashSet<String>,
    /// Whether there is a `ref mut`.
    binds_mutably: bool,
}

impl Scanner<'_> {
    fn scan(&mut self, tokens: TokenStream, context: Context) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut context = context;
        for at in 0..tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(ident) if ident == "self" => self.own(&tokens, at, context),
                TokenTree::Ident(ident) if ["for", "while", "loop"].iter().any(|word| ident == word) => {
                    self.access.loops = true;
                }
                // A module in another file may define macros.
                TokenTree::Ident(ident)
                    if ident == "mod"
                        && matches!(tokens.get(at + 1), Some(TokenTree::Ident(_)))
                        && !tokens.get(at + 2).is_some_and(|token| matches!(token, TokenTree::Group(_))) =>
                {
                    self.access.hidden = true;
                }
                TokenTree::Ident(ident)
                    if ident == "ref"
                        && matches!(tokens.get(at + 1), Some(TokenTree::Ident(word)) if word == "mut") =>
                {
                    self.binds_mutably = true;
                }
                TokenTree::Group(group) => {
                    let inner = self.group_context(&tokens, at, group, context);
                    let found = named_macro_at(&tokens, at, self.imports);
                    if let Some((_, standard)) = found {
                        self.access.standard.macros |= standard.macros;
                        self.access.standard.crates |= standard.crates;
                    }
                    if inner.is_unknown() && found.is_some() && !mentions_self(group.stream()) {
                        self.access.hidden = true;
                    }
                    self.scan(group.stream(), inner);
                }
                TokenTree::Literal(literal) => self.access.formats_self |= names_self(literal),
                TokenTree::Punct(hash) if hash.as_char() == '#' && !context.is_unknown() => {
                    self.attribute(&tokens[at..])
                }
                TokenTree::Punct(comma) if comma.as_char() == ',' && context == Context::Writing => {
                    context = Context::Formatting;
                }
                _ => {}
            }
        }
    }

    /// Looks at what may be an attribute. One that may be a macro makes anything of the item that it stands on: like a macro that is
    /// called, which is given the item.
    fn attribute(&mut self, tokens: &[TokenTree]) {
        let Some((meta, _)) = attributes::at(tokens, 0) else { return };
        match attributes::kind(&meta) {
            Kind::Plain => return,
            // On a statement it is the tool's own, since no macro may stand there.
            Kind::Tool if !attributes::are_on_item(tokens) => return,
            Kind::Tool | Kind::Macro => {}
        }
        self.access.hidden = true;
        if mentions_self(attributes::given(tokens)) {
            self.access.whole = true;
            self.access.escapes = true;
        }
    }

    /// What the contents of a group are.
    fn group_context(&self, tokens: &[TokenTree], at: usize, group: &Group, outer: Context) -> Context {
        let before = at.checked_sub(1).map(|n| &tokens[n]);
        if outer.is_unknown() {
            return if group.delimiter() == Delimiter::Brace { Context::UnknownBlock } else { outer };
        }
        match macro_at(tokens, at, self.imports) {
            Some(Macro::Formatting) => return Context::Formatting,
            Some(Macro::Writing) => return Context::Writing,
            Some(Macro::Unknown) => return Context::Unknown,
            Some(Macro::Harmless) => {
                let name = &tokens[at - 2];
                let changes = matches!(name, TokenTree::Ident(name) if plain_name(name) == "addr_of_mut");
                return if changes { Context::Assigned } else { Context::Plain };
            }
            None => {}
        }
        let after = &tokens[at + 1..];
        let is_pattern = match (group.delimiter(), before) {
            // `Some(a) = …` and `&mut (a)`, but not `*pick(a) = …` nor `list[a] = …`.
            (Delimiter::Parenthesis, Some(TokenTree::Ident(name))) if starts_uppercase(name) || name == "mut" => true,
            (Delimiter::Parenthesis | Delimiter::Bracket, Some(TokenTree::Ident(name))) => {
                BEFORE_NOT.iter().any(|word| name == word)
            }
            // Behind a statement that ends with a block, or an attribute.
            (Delimiter::Parenthesis | Delimiter::Bracket, Some(TokenTree::Group(end))) => {
                end.delimiter() == Delimiter::Brace || is_attribute(&tokens[..at])
            }
            (Delimiter::Parenthesis | Delimiter::Bracket, Some(before)) => !matches!(before, TokenTree::Literal(_)),
            (Delimiter::Brace, Some(TokenTree::Ident(name))) => starts_uppercase(name),
            (Delimiter::Parenthesis | Delimiter::Bracket, None) => true,
            // What a macro was given as an expression.
            (Delimiter::None, _) => true,
            _ => false,
        };
        // `(self.a)[0] = …`, `(self.a).sort()`.
        let is_parenthesised = matches!(group.delimiter(), Delimiter::Parenthesis | Delimiter::None);
        let is_place =
            is_parenthesised && changes(after, FieldKind::Other) == Some(true) && !has_operators(&group.stream());
        let changed = outer == Context::Assigned || is_assignment(after) || is_place;
        if is_pattern && (changed || is_borrowed_mutably(&tokens[..at])) {
            return Context::Assigned;
        }
        Context::Plain
    }

    /// Looks at one `self`.
    fn own(&mut self, tokens: &[TokenTree], at: usize, context: Context) {
        self.access.whole |= context.is_unknown();
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
        let change = changes(after, self.class.kind(field));
        let changed = match change {
            Some(changed) => changed,
            None => matches!(context, Context::Assigned | Context::Writing),
        };
        if changed || is_borrowed_mutably(&tokens[..at]) {
            self.access.writes |= bit;
        } else if change.is_none() && context == Context::Unknown && is_place_alone(&tokens[..at], after) {
            self.access.given |= bit;
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

/// Whether some tokens name `self`.
pub(super) fn mentions_self(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "self",
        TokenTree::Group(group) => mentions_self(group.stream()),
        TokenTree::Literal(literal) => names_self(&literal),
        TokenTree::Punct(_) => false,
    })
}

/// Whether tokens are an expression with operators between its parts, as in `(x ^ self.a).rotate_left(1)`: its value is no field's.
fn has_operators(tokens: &TokenStream) -> bool {
    let operators = ['+', '-', '*', '/', '%', '^', '|', '&', '<', '>'];
    let is_before = |token: &TokenTree| match token {
        TokenTree::Punct(punct) => ['*', '&'].contains(&punct.as_char()),
        TokenTree::Ident(name) => name == "mut",
        _ => false,
    };
    tokens
        .clone()
        .into_iter()
        .skip_while(is_before)
        .any(|token| matches!(token, TokenTree::Punct(punct) if operators.contains(&punct.as_char())))
}

/// Whether `self.field` between these tokens is no part of an expression with operators.
fn is_place_alone(before: &[TokenTree], after: &[TokenTree]) -> bool {
    let starts = match before {
        [.., a, b] if is_punct(Some(a), '=') && is_punct(Some(b), '>') => true,
        [.., TokenTree::Punct(punct)] => [',', ';'].contains(&punct.as_char()),
        _ => true,
    };
    let ends = |after: &[TokenTree]| match after {
        [a, b, ..] if is_punct(Some(a), '=') && is_punct(Some(b), '>') => true,
        [TokenTree::Punct(punct), ..] => [',', ';'].contains(&punct.as_char()),
        _ => true,
    };
    let mut after = after;
    loop {
        after = match after {
            [TokenTree::Group(index), rest @ ..] if index.delimiter() == Delimiter::Bracket => rest,
            [TokenTree::Punct(dot), TokenTree::Ident(_) | TokenTree::Literal(_), rest @ ..] if dot.as_char() == '.' => {
                rest
            }
            _ => return starts && ends(after),
        };
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
pub(super) fn is_call(after: &[TokenTree]) -> bool {
    match after.first() {
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
        Some(TokenTree::Punct(colon)) => colon.as_char() == ':' && is_punct(after.get(1), ':'),
        _ => false,
    }
}

/// Whether `self.field`, of a kind, is changed by what follows: an assignment to it or to a part of it, or a method
/// that is known to change what it is called on. `None` if nothing follows that says so.
pub(super) fn changes(mut after: &[TokenTree], mut kind: FieldKind) -> Option<bool> {
    let mut is_element = false;
    loop {
        match after {
            [TokenTree::Group(index), rest @ ..] if index.delimiter() == Delimiter::Bracket => {
                (after, is_element) = (rest, true);
            }
            [TokenTree::Punct(dot), TokenTree::Ident(name), rest @ ..] if dot.as_char() == '.' => {
                if is_call(rest) {
                    return Some(kind.has_mutators(is_element) && is_mutator(&plain_name(name)));
                }
                (after, kind) = (rest, FieldKind::Other);
            }
            // `.0`, and `.0.1`, which is one token.
            [TokenTree::Punct(dot), TokenTree::Literal(_), rest @ ..] if dot.as_char() == '.' => {
                (after, kind) = (rest, FieldKind::Other);
            }
            _ => return is_assignment(after).then_some(true),
        }
    }
}

/// Whether a method of this name is known to change what it is called on.
pub(super) fn is_mutator(name: &str) -> bool {
    MUTATORS.contains(&name)
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

/// Whether the tokens end with an attribute.
fn is_attribute(before: &[TokenTree]) -> bool {
    let [.., hash, TokenTree::Group(group)] = before else { return false };
    is_punct(Some(hash), '#') && group.delimiter() == Delimiter::Bracket
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

pub(super) fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
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
