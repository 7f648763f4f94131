//! What a method does to atomic fields, found in its tokens, and marks where it leaves the value before unused.
//!
//! The list decides which rule the runtime's `order` module applies to a field in a kernel. Whatever is done that
//! the list does not show is a compile error there, and what the list shows and is not done forbids something at
//! worst, so that this may guess: nothing relies on it.
//!
//! An operation is known by its name, `load`, `fetch_add`, and the field by the nearest name before it: that of a
//! getter, `other.hits().load()`, of a field, `self.hits.load()`, or that behind a local variable,
//! `for hit in &self.hits { hit.load(); }`.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

use super::access::plain_name;
use super::{FieldKind, Fields};
use crate::diagnostics::located;

/// The bits of the runtime's `order::uses`.
pub(crate) mod bits {
    pub(crate) const LOAD: u16 = 1 << 0;
    pub(crate) const STORE: u16 = 1 << 1;
    pub(crate) const ADD: u16 = 1 << 2;
    pub(crate) const MIN: u16 = 1 << 3;
    pub(crate) const MAX: u16 = 1 << 4;
    pub(crate) const OR: u16 = 1 << 5;
    pub(crate) const AND: u16 = 1 << 6;
    pub(crate) const EXCHANGE: u16 = 1 << 7;
    pub(crate) const UNORDERED: u16 = 1 << 8;
}

/// The update that a name stands for in `updates(add(field))`.
pub(crate) fn update(name: &str) -> Option<u16> {
    Some(match name {
        "add" | "sub" => bits::ADD,
        "min" => bits::MIN,
        "max" => bits::MAX,
        "or" => bits::OR,
        "and" => bits::AND,
        _ => return None,
    })
}

/// What is done to atomic fields, by name: bits for those of the method's own object, and for others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses(pub(crate) BTreeMap<String, (u16, u16)>);

impl Uses {
    fn add(&mut self, name: &str, own: u16, other: u16) {
        let entry = self.0.entry(name.to_owned()).or_default();
        entry.0 |= own;
        entry.1 |= other;
    }

    /// Adds those of a method that is called on `self`, or of a function.
    pub(crate) fn merge(&mut self, called: &Self) {
        for (name, &(own, other)) in &called.0 {
            self.add(name, own, other);
        }
    }

    /// Adds those of a method that is called on another object.
    pub(crate) fn merge_of_other(&mut self, called: &Self) {
        for (name, &(own, other)) in &called.0 {
            self.add(name, 0, own | other);
        }
    }

    /// As an array of the runtime's entries.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        let entries = self.0.iter().map(|(name, &(own, other))| {
            let (own, other) = (proc_macro2::Literal::u16_unsuffixed(own), proc_macro2::Literal::u16_unsuffixed(other));
            quote!(::ikra::AtomicUse::new(#name, #own, #other))
        });
        quote!(const { &[#(#entries),*] })
    }
}

/// What a body does.
#[derive(Clone, Default)]
pub(crate) struct Found {
    pub(crate) uses: Uses,
    /// Methods that it calls on something else than `self`, and functions, by name.
    pub(crate) others: BTreeSet<String>,
}

/// Analyses a body. `values` are variables that hold no atomic.
pub(crate) fn analyse(body: TokenStream, class: &Fields, values: &[String]) -> Found {
    scan(body, class, values).0
}

/// The body, with marks at the updates whose value is not used.
pub(crate) fn marked(body: TokenStream, class: &Fields, values: &[String]) -> TokenStream {
    scan(body, class, values).1
}

fn scan(body: TokenStream, class: &Fields, values: &[String]) -> (Found, TokenStream) {
    let mut scanner = Scanner {
        class,
        found: Found::default(),
        unresolved: 0,
        escaped: Vec::new(),
        within_macro: false,
        marked: None,
    };
    let env: Env = values.iter().map(|name| (name.clone(), Vec::new())).collect();
    let body = body.into_iter().map(|token| match token {
        TokenTree::Group(group) => TokenTree::Group(scanner.group(&group, env.clone(), &[Name::Unknown], None).0),
        token => token,
    });
    let mut body: TokenStream = body.collect();
    for name in std::mem::take(&mut scanner.escaped) {
        name.add_to(&mut scanner.found.uses, scanner.unresolved);
    }
    scanner.found.uses.0.retain(|_, uses| *uses != (0, 0));
    if let Some(at) = scanner.marked {
        let import = quote_spanned! {at=>
            #[allow(unused_imports)]
            use ::ikra::rt::NotAtomic as _;
        };
        body = with_import(body, &import);
    }
    (scanner.found, body)
}

/// The block with an import, after its inner attributes.
pub(super) fn with_import(block: TokenStream, import: &TokenStream) -> TokenStream {
    block.into_iter().map(|token| with_import_within(token, import)).collect()
}

fn with_import_within(block: TokenTree, import: &TokenStream) -> TokenTree {
    let TokenTree::Group(block) = block else { return block };
    let tokens: Vec<TokenTree> = block.stream().into_iter().collect();
    let mut at = 0;
    while is_punct(tokens.get(at), '#') && is_punct(tokens.get(at + 1), '!') {
        at += 3;
    }
    let (before, after) = tokens.split_at(at.min(tokens.len()));
    let stream = before.iter().cloned().chain(import.clone()).chain(after.iter().cloned()).collect();
    TokenTree::Group(regrouped(&block, stream))
}

/// What an atomic may be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    /// A field of the object itself.
    Own(String),
    /// A field of another object, or a method that returns it.
    Other(String),
    /// A variable that nothing is known of.
    Unknown,
}

impl Name {
    fn add_to(&self, uses: &mut Uses, bits: u16) {
        match self {
            Self::Own(name) => uses.add(name, bits, 0),
            Self::Other(name) => uses.add(name, 0, bits),
            Self::Unknown => {}
        }
    }
}

/// Which atomics an expression may be.
type Names = Vec<Name>;
/// Which atomics variables may be.
type Env = HashMap<String, Names>;

/// What an expression is, as far as it has been read.
enum State {
    /// `self`.
    View,
    Names(Names),
}

const NOTHING: State = State::Names(Vec::new());

/// Methods without arguments that return what they are called on, or a part of it; or getters of these names.
const PASSING: [&str; 20] = [
    "as_ref",
    "by_ref",
    "clone",
    "cloned",
    "copied",
    "cycle",
    "enumerate",
    "first",
    "flatten",
    "fuse",
    "into_iter",
    "iter",
    "last",
    "next",
    "next_back",
    "ok",
    "peek",
    "peekable",
    "rev",
    "unwrap",
];

/// Methods that return what their closure does.
const MAPPING: [&str; 8] =
    ["and_then", "filter_map", "flat_map", "is_some_and", "map", "map_or", "map_or_else", "then"];

/// Methods whose closure is first given what it has returned before.
const FOLDING: [&str; 4] = ["fold", "reduce", "scan", "try_fold"];

const KEYWORDS: [&str; 24] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "if", "in", "loop", "move", "mut",
    "pub", "ref", "return", "static", "super", "unsafe", "use", "where", "while", "yield",
];

/// An operation.
struct Operation {
    bits: u16,
    /// Whether no other types are likely to have a method of that name.
    is_certain: bool,
    /// Whether it is to be marked.
    is_marked: bool,
}

/// The operation of a name with this number of arguments, which is or is not a statement.
fn operation(name: &str, arguments: usize, is_statement: bool) -> Option<Operation> {
    let plain = |bits, is_certain| Some(Operation { bits, is_certain, is_marked: false });
    let fetching = |bits| {
        let bits = if is_statement { bits } else { bits::EXCHANGE };
        Some(Operation { bits, is_certain: true, is_marked: is_statement })
    };
    match (name, arguments) {
        ("load", 0) => plain(bits::LOAD, true),
        ("store", 1) => plain(bits::STORE, true),
        ("swap", 1) => plain(bits::EXCHANGE, true),
        ("compare_exchange", 2) => plain(bits::EXCHANGE, true),
        ("add" | "sub" | "min" | "max" | "or" | "and", 1) => plain(update(name)?, false),
        ("claim", 1) => fetching(bits::MIN),
        (_, 1) => fetching(update(name.strip_prefix("fetch_")?)?),
        _ => None,
    }
}

struct Scanner<'a> {
    class: &'a Fields,
    found: Found,
    /// Operations on variables that nothing is known of.
    unresolved: u16,
    /// What is not operated on where it is named.
    escaped: Names,
    within_macro: bool,
    /// A place where a mark is.
    marked: Option<proc_macro2::Span>,
}

impl Scanner<'_> {
    /// Reads a group. Closures in it are given `given`; if it holds the arms of a `match`, of `matched`.
    /// Returns the group with marks, and what its last statement may be.
    fn group(&mut self, group: &Group, env: Env, given: &[Name], matched: Option<&Names>) -> (Group, Names) {
        let is_block = group.delimiter() == Delimiter::Brace;
        let (stream, names) = self.tokens(group.stream(), env, given, matched, is_block);
        (regrouped(group, stream), names)
    }

    fn tokens(
        &mut self,
        stream: TokenStream,
        mut env: Env,
        given: &[Name],
        matched: Option<&Names>,
        is_block: bool,
    ) -> (TokenStream, Names) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut out: Vec<TokenTree> = Vec::with_capacity(tokens.len());
        let mut names = Names::new();
        // Variables that what follows is assigned to, and whether until the next block only.
        let mut pending: Option<(Vec<String>, bool)> = None;
        let mut is_match = false;
        let mut is_arm_start = matched.is_some();
        let mut at = 0;
        while at < tokens.len() {
            if let (true, Some(matched)) = (is_arm_start, matched) {
                is_arm_start = false;
                let end = arrow(&tokens, at);
                let pattern_end = (at..end).find(|&n| is_word(&tokens[n], "if")).unwrap_or(end);
                bind(&mut env, &variables(&tokens[at..pattern_end]), matched);
                out.extend_from_slice(&tokens[at..pattern_end]);
                at = pattern_end;
                continue;
            }
            match &tokens[at] {
                TokenTree::Ident(word) if word == "let" => {
                    let end = equals(&tokens, at + 1);
                    let before = at.checked_sub(1).map(|n| &tokens[n]);
                    let is_condition = before.is_some_and(|token| is_word(token, "if") || is_word(token, "while"))
                        || is_punct(before, '&');
                    pending = Some((variables(&tokens[at + 1..end]), is_condition));
                    names.clear();
                    let end = (end + 1).min(tokens.len());
                    out.extend_from_slice(&tokens[at..end]);
                    at = end;
                    continue;
                }
                TokenTree::Ident(word) if word == "for" && !is_punct(tokens.get(at + 1), '<') => {
                    let end = (at..tokens.len()).find(|&n| is_word(&tokens[n], "in")).unwrap_or(at);
                    pending = Some((variables(&tokens[at + 1..end.max(at + 1)]), true));
                    names.clear();
                    out.extend_from_slice(&tokens[at..=end]);
                    at = end + 1;
                    continue;
                }
                TokenTree::Ident(word) if word == "match" => {
                    is_match = true;
                    names.clear();
                    out.push(tokens[at].clone());
                }
                // A function within has variables of its own; other items have methods of their own.
                TokenTree::Ident(word) if word == "fn" => {
                    let end = (at..tokens.len()).find(|&n| is_braces(&tokens[n])).unwrap_or(tokens.len());
                    out.extend_from_slice(&tokens[at..end]);
                    if let Some(TokenTree::Group(body)) = tokens.get(end) {
                        let body = self.group(body, Env::new(), &[Name::Unknown], None).0;
                        out.push(TokenTree::Group(body));
                    }
                    at = end + 1;
                    continue;
                }
                TokenTree::Ident(word)
                    if ["enum", "impl", "macro_rules", "mod", "struct", "trait", "union"]
                        .iter()
                        .any(|item| word == item) =>
                {
                    let is_end = |token: &TokenTree| is_braces(token) || is_punct(Some(token), ';');
                    let end = (at..tokens.len()).find(|&n| is_end(&tokens[n])).unwrap_or(tokens.len() - 1);
                    out.extend_from_slice(&tokens[at..=end]);
                    at = end + 1;
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ';' => {
                    if let Some((variables, false)) = pending.take() {
                        bind(&mut env, &variables, &names);
                    }
                    names.clear();
                    out.push(tokens[at].clone());
                }
                TokenTree::Punct(punct) if punct.as_char() == ',' && matched.is_some() => {
                    is_arm_start = true;
                    out.push(tokens[at].clone());
                }
                TokenTree::Punct(punct)
                    if punct.as_char() == '&'
                        && is_punct(tokens.get(at + 1), '&')
                        && matches!(pending, Some((_, true))) =>
                {
                    if let Some((variables, _)) = pending.take() {
                        bind(&mut env, &variables, &names);
                    }
                    names.clear();
                    out.push(tokens[at].clone());
                    out.push(tokens[at + 1].clone());
                    at += 2;
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == '|' && starts_expression(&tokens, at) => {
                    let end = (at + 1..tokens.len()).find(|&n| is_punct(tokens.get(n), '|')).unwrap_or(at);
                    let parameters = variables(&tokens[at + 1..end.max(at + 1)]);
                    bind(&mut env, &parameters, given);
                    out.extend_from_slice(&tokens[at..=end]);
                    at = end + 1;
                    continue;
                }
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    let mut inner = env.clone();
                    let mut arms = None;
                    if is_match {
                        is_match = false;
                        arms = Some(std::mem::take(&mut names));
                    } else if let Some((variables, true)) = &pending {
                        bind(&mut inner, variables, &names);
                        names.clear();
                        pending = None;
                    }
                    let (group, last) = self.group(group, inner, given, arms.as_ref());
                    names.extend(last);
                    out.push(TokenTree::Group(group));
                    // The arm ends here, without a comma.
                    let is_arm = matched.is_some() && is_punct(at.checked_sub(1).map(|n| &tokens[n]), '>');
                    if is_arm && !is_punct(tokens.get(at + 1), ',') && !is_punct(tokens.get(at + 1), '.') {
                        is_arm_start = true;
                    }
                }
                TokenTree::Ident(word) if KEYWORDS.iter().any(|keyword| word == keyword) => {
                    if word == "if" || word == "while" {
                        names.clear();
                    }
                    out.push(tokens[at].clone());
                }
                TokenTree::Punct(_) => out.push(tokens[at].clone()),
                TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Literal(_) => {
                    let is_statement = is_block && !self.within_macro && starts_statement(&tokens, at);
                    // `h = other.hits();`
                    if let (true, TokenTree::Ident(variable)) = (is_statement, &tokens[at])
                        && is_punct(tokens.get(at + 1), '=')
                        && !is_punct(tokens.get(at + 2), '=')
                    {
                        pending = Some((vec![plain_name(variable)], false));
                    }
                    let (end, state) = self.chain(&tokens, at, &env, given, is_statement, &mut out);
                    if let State::Names(found) = state {
                        self.escaped.extend(found.iter().filter(|name| **name != Name::Unknown).cloned());
                        names.extend(found);
                    } else {
                        // `let Self { hits, .. } = self;`
                        if let Some((variables, _)) = &pending {
                            let atomic = |name: &&String| self.own_atomic(name);
                            names.extend(variables.iter().filter(atomic).map(|name| Name::Own(name.clone())));
                        }
                    }
                    at = end;
                    continue;
                }
            }
            at += 1;
        }
        (out.into_iter().collect(), names)
    }

    fn own_atomic(&self, name: &str) -> bool {
        self.class.fields.iter().any(|(field, kind)| *kind == FieldKind::Atomic && plain_name(field) == name)
    }

    /// Reads an expression from its start through the fields and methods that follow. Returns where it ends.
    fn chain(
        &mut self,
        tokens: &[TokenTree],
        start: usize,
        env: &Env,
        given: &[Name],
        is_statement: bool,
        out: &mut Vec<TokenTree>,
    ) -> (usize, State) {
        let (mut at, mut state) = self.root(tokens, start, env, given, out);
        // The method that was called last: a getter of an atomic, if an operation follows.
        let mut called: Option<String> = None;
        loop {
            match (tokens.get(at), tokens.get(at + 1)) {
                (Some(TokenTree::Punct(dot)), Some(TokenTree::Ident(name))) if dot.as_char() == '.' => {
                    let end = after_turbofish(tokens, at + 2);
                    let Some(arguments) = tokens.get(end).and_then(parenthesised) else {
                        out.extend_from_slice(&tokens[at..at + 2]);
                        state = self.field(&state, name);
                        at += 2;
                        continue;
                    };
                    let is_statement = is_statement && is_punct(tokens.get(end + 1), ';');
                    let before = out.len();
                    out.extend_from_slice(&tokens[at..end]);
                    let operation = operation(&plain_name(name), count(arguments), is_statement);
                    let getter = called.take();
                    match (operation, state) {
                        (Some(operation), State::Names(names)) if !names.is_empty() => {
                            if operation.is_marked {
                                let span = located(name);
                                self.marked.get_or_insert(span);
                                let mark = quote_spanned!(span=> __valueless());
                                let dot = TokenTree::Punct(Punct::new('.', Spacing::Alone));
                                out.splice(before..before, [dot].into_iter().chain(mark));
                            }
                            self.operate(&operation, &names);
                            out.push(TokenTree::Group(self.group(arguments, env.clone(), &[Name::Unknown], None).0));
                            state = NOTHING;
                        }
                        (_, before) => {
                            self.found.others.extend(getter);
                            if let State::Names(_) = before {
                                called = Some(plain_name(name));
                            }
                            let (arguments, result) = self.call(&before, name, arguments, env);
                            out.push(TokenTree::Group(arguments));
                            state = result;
                        }
                    }
                    at = end + 1;
                }
                // `.0`
                (Some(TokenTree::Punct(dot)), Some(TokenTree::Literal(_))) if dot.as_char() == '.' => {
                    out.extend_from_slice(&tokens[at..at + 2]);
                    at += 2;
                }
                (Some(TokenTree::Punct(question)), _) if question.as_char() == '?' => {
                    out.push(tokens[at].clone());
                    at += 1;
                }
                (Some(TokenTree::Group(group)), _) if group.delimiter() != Delimiter::Brace => {
                    let (group, names) = self.group(group, env.clone(), given, None);
                    let is_call = group.delimiter() == Delimiter::Parenthesis;
                    out.push(TokenTree::Group(group));
                    if let (true, State::Names(all)) = (is_call, &mut state) {
                        all.extend(names);
                    }
                    at += 1;
                }
                _ => {
                    self.found.others.extend(called);
                    return (at, state);
                }
            }
        }
    }

    /// Reads what an expression starts with.
    fn root(
        &mut self,
        tokens: &[TokenTree],
        mut at: usize,
        env: &Env,
        given: &[Name],
        out: &mut Vec<TokenTree>,
    ) -> (usize, State) {
        let first = match &tokens[at] {
            TokenTree::Ident(first) => first,
            TokenTree::Group(group) => {
                let (group, names) = self.group(group, env.clone(), given, None);
                out.push(TokenTree::Group(group));
                return (at + 1, State::Names(names));
            }
            other => {
                out.push(other.clone());
                return (at + 1, NOTHING);
            }
        };
        out.push(tokens[at].clone());
        at += 1;
        let mut last = first;
        while is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':') {
            let end = match tokens.get(at + 2) {
                Some(TokenTree::Ident(segment)) => {
                    last = segment;
                    at + 3
                }
                _ => after_turbofish(tokens, at).max(at + 2),
            };
            out.extend_from_slice(&tokens[at..end.min(tokens.len())]);
            at = end;
        }
        let name = plain_name(last);
        match (tokens.get(at), tokens.get(at + 1)) {
            (Some(TokenTree::Punct(not)), Some(TokenTree::Group(input))) if not.as_char() == '!' => {
                let outer = std::mem::replace(&mut self.within_macro, true);
                let (input, names) = self.group(input, env.clone(), given, None);
                self.within_macro = outer;
                out.extend([tokens[at].clone(), TokenTree::Group(input)]);
                (at + 2, State::Names(names))
            }
            (Some(TokenTree::Group(arguments)), _) if arguments.delimiter() == Delimiter::Parenthesis => {
                let count = count(arguments);
                let (arguments, names) = self.group(arguments, env.clone(), &[Name::Unknown], None);
                out.push(TokenTree::Group(arguments));
                // `Atomic::load(other.hits())`
                if let Some(operation) = count.checked_sub(1).and_then(|count| operation(&name, count, false)) {
                    self.operate(&operation, &names);
                }
                self.found.others.insert(name);
                (at + 1, State::Names(names))
            }
            _ if first == "self" => (at, State::View),
            _ => (at, State::Names(env.get(&name).cloned().unwrap_or_else(|| vec![Name::Unknown]))),
        }
    }

    /// `.name` without arguments.
    fn field(&self, of: &State, name: &Ident) -> State {
        let name = plain_name(name);
        match of {
            _ if self.own_atomic(&name) => State::Names(vec![Name::Own(name)]),
            State::View => NOTHING,
            State::Names(names) => State::Names(names.clone()),
        }
    }

    /// A call of a method that is no operation.
    fn call(&mut self, on: &State, name: &Ident, arguments: &Group, env: &Env) -> (Group, State) {
        let name = plain_name(name);
        let on = match on {
            State::View => None,
            State::Names(names) => Some(names),
        };
        // What a folding closure has returned before comes first; the other parameters are what there is.
        let given: &[Name] = match on {
            Some(names) if !FOLDING.contains(&&*name) => names,
            _ => &[Name::Unknown],
        };
        let is_empty = arguments.stream().is_empty();
        let (arguments, found) = self.group(arguments, env.clone(), given, None);
        let Some(names) = on else { return (arguments, State::Names(found)) };
        let names = if is_empty {
            match PASSING.contains(&&*name) && names.iter().any(|name| *name != Name::Unknown) {
                true => names.clone(),
                // A getter, even if it is called `next` or `last`.
                false => vec![Name::Other(name)],
            }
        } else if MAPPING.contains(&&*name) {
            found
        } else {
            names.iter().cloned().chain(found).collect()
        };
        (arguments, State::Names(names))
    }

    fn operate(&mut self, operation: &Operation, names: &[Name]) {
        for name in names {
            name.add_to(&mut self.found.uses, operation.bits);
        }
        if operation.is_certain && names.iter().all(|name| *name == Name::Unknown) {
            self.unresolved |= operation.bits;
        }
    }
}

fn bind(env: &mut Env, variables: &[String], names: &[Name]) {
    for variable in variables {
        env.insert(variable.clone(), names.to_vec());
    }
}

/// The names in a pattern that may be variables, without those in its type.
pub(crate) fn variables(pattern: &[TokenTree]) -> Vec<String> {
    let mut found = Vec::new();
    for token in pattern {
        match token {
            TokenTree::Ident(ident) => {
                let name = plain_name(ident);
                if name.starts_with(|c: char| c.is_lowercase() || c == '_') && !["mut", "ref", "box"].contains(&&*name)
                {
                    found.push(name);
                }
            }
            TokenTree::Group(group) => found.extend(variables(&group.stream().into_iter().collect::<Vec<_>>())),
            _ => {}
        }
    }
    found
}

/// Where the `=` after a pattern is, or the end of the statement.
fn equals(tokens: &[TokenTree], from: usize) -> usize {
    (from..tokens.len())
        .find(|&n| {
            is_punct(tokens.get(n), ';')
                || is_punct(tokens.get(n), '=')
                    && !is_punct(tokens.get(n - 1), '.')
                    && !is_punct(tokens.get(n + 1), '=')
        })
        .map_or(tokens.len(), |n| if is_punct(tokens.get(n), ';') { n - 1 } else { n })
}

/// Where the `=>` after a pattern is.
fn arrow(tokens: &[TokenTree], from: usize) -> usize {
    (from..tokens.len())
        .find(|&n| is_punct(tokens.get(n), '=') && is_punct(tokens.get(n + 1), '>'))
        .unwrap_or(tokens.len())
}

/// The position after `::<…>`, if it is there.
fn after_turbofish(tokens: &[TokenTree], at: usize) -> usize {
    if !(is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':') && is_punct(tokens.get(at + 2), '<')) {
        return at;
    }
    let mut depth = 0;
    for n in at + 2..tokens.len() {
        if is_punct(tokens.get(n), '<') {
            depth += 1;
        } else if is_punct(tokens.get(n), '>') && !is_punct(tokens.get(n - 1), '-') {
            depth -= 1;
            if depth == 0 {
                return n + 1;
            }
        }
    }
    at
}

fn parenthesised(token: &TokenTree) -> Option<&Group> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => Some(group),
        _ => None,
    }
}

/// The number of arguments.
fn count(arguments: &Group) -> usize {
    let tokens: Vec<TokenTree> = arguments.stream().into_iter().collect();
    let commas = tokens.iter().filter(|token| is_punct(Some(token), ',')).count();
    match tokens.last() {
        None => 0,
        last if is_punct(last, ',') => commas,
        _ => commas + 1,
    }
}

/// Whether a statement starts here, or what `let _ =` drops.
fn starts_statement(tokens: &[TokenTree], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|n| &tokens[n]) else { return true };
    match before {
        TokenTree::Punct(punct) if punct.as_char() == '=' => {
            at >= 2 && is_word(&tokens[at - 2], "_") && (at == 2 || !is_punct(tokens.get(at - 3), '|'))
        }
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => match group.delimiter() {
            Delimiter::Brace => true,
            Delimiter::Bracket => at >= 2 && is_punct(tokens.get(at - 2), '#'),
            _ => false,
        },
        _ => false,
    }
}

/// Whether an expression starts here, so that `|` is that of a closure.
fn starts_expression(tokens: &[TokenTree], at: usize) -> bool {
    match at.checked_sub(1).map(|n| &tokens[n]) {
        None => true,
        Some(TokenTree::Punct(punct)) => punct.as_char() != '?',
        Some(TokenTree::Ident(word)) => KEYWORDS.iter().any(|keyword| word == keyword),
        Some(TokenTree::Group(_) | TokenTree::Literal(_)) => false,
    }
}

fn regrouped(group: &Group, stream: TokenStream) -> Group {
    let mut made = Group::new(group.delimiter(), stream);
    made.set_span(group.span());
    made
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is_braces(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == c)
}
