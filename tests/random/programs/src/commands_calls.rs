//! The commands of a random program, and the same loops over the rows of its model.

use std::fmt::Write as _;

use crate::commands::{Kernels, Pure, Takes};
use crate::generator::Generator;

/// The ends of a chain.
const ENDS: usize = 14;

/// A command while it is written.
struct Command<'a> {
    random: &'a mut Generator,
    kernels: &'a Kernels,
    /// The statements, for the world and its model.
    text: String,
    /// The subset, and the kernels that choose.
    over: &'static str,
    chain: String,
    /// Whether one of these is heavy.
    is_heavy: bool,
    names: usize,
}

impl<'a> Command<'a> {
    fn say(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    /// Names the objects: `among` are those of the model.
    fn subset(&mut self) {
        let (over, text) = match self.random.below(9) {
            0 | 1 => ("", ""),
            2 => {
                (".over(range.clone())", "let range = part(among.len(), h); let among = among[range.clone()].to_vec();")
            }
            3 => {
                (".over(range.start..)", "let range = part(among.len(), h); let among = among[range.start..].to_vec();")
            }
            4 => (".over(&list)", "let among = some(&among, h); let list = links(&among, h);"),
            5 => (".over(&list)", "let among = some(&among, h); let list = LinkList::new(&links(&among, h))?;"),
            6 => (
                ".over(&list)",
                "let list = world.on(place).select(Ash::p0, (y, x)).selection()?; let among: Vec<_> = among.into_iter().filter(|&n| twin.call(n, |row| row.p0(y, x))).collect();",
            ),
            7 => (
                ".over(&list)",
                "let list = { let mut on = world.on(place); on.select(Ash::p1, x).selection()?.difference(&on.select(Ash::p0, (x, x)).selection()?) }; let among: Vec<_> = among.into_iter().filter(|&n| twin.call(n, |row| row.p1(x) && !row.p0(x, x))).collect();",
            ),
            _ => (
                ".over(&list)",
                "let list = Selection::of_group(&world.on(place).group_by(Ash::key, model::GROUPS, (x, y))?, y % model::GROUPS); let among = plain::Groups::by(twin, &among, |row| row.key(x, y)).members(y % model::GROUPS);",
            ),
        };
        self.over = over;
        self.say(&format!("let (x, y) = two(h); twin.freeze(); let live = twin.live(); let among = live.clone(); {text} let mut chosen = among.clone();"));
    }

    /// The arguments of a kernel in the program and in the model, where `n` is the object. A column has elements for all
    /// objects, for those of the subset, or for those that are chosen so far.
    fn arguments(&mut self, takes: Takes) -> (String, String) {
        self.names += 1;
        let n = self.names;
        match takes {
            Takes::Nothing => ("()".into(), String::new()),
            Takes::One => ("x".into(), "x".into()),
            Takes::Two if self.random.percent(50) => ("(x, y)".into(), "x, y".into()),
            Takes::Two => ("(y, x ^ 5)".into(), "y, x ^ 5".into()),
            Takes::Element(ty) => {
                let of = self.kernels.computing.iter().find(|kernel| {
                    kernel.result == ty && matches!(kernel.takes, Takes::Nothing | Takes::One | Takes::Two)
                });
                let Pure { name, takes, .. } = of.expect("each type has such a kernel");
                let (given, twin) = self.arguments(*takes);
                let (over, some) = match self.random.below(3) {
                    0 => (String::new(), "live"),
                    1 => (self.over.to_owned(), "among"),
                    _ => (format!("{}{}", self.over, self.chain), "chosen"),
                };
                self.say(&format!("let c{n} = world.on(place){over}.map(Ash::{name}, {given}).column()?; let t{n} = twin.column(&{some}, |row| row.{name}({twin}));"));
                (format!("(&c{n}, x)"), format!("t{n}.at(n), x"))
            }
            Takes::Groups => {
                let (over, some) = if self.random.percent(50) { ("", "live") } else { (self.over, "among") };
                self.say(&format!("let near{n} = world.on(place){over}.group_by(Ash::key, model::GROUPS, (y, x))?; let groups{n} = plain::Groups::by(twin, &{some}, |row| row.key(y, x));"));
                (format!("(&near{n}, x)"), format!("groups{n}, x"))
            }
        }
    }

    fn choices(&mut self) {
        for _ in 0..*self.random.pick(&[0, 1, 1, 1, 2, 2, 3]) {
            let Pure { name, takes, is_heavy, .. } = self.random.pick(&self.kernels.choosing);
            let (given, twin) = self.arguments(*takes);
            self.say(&format!("chosen.retain(|&n| twin.call(n, |row| row.{name}({twin})));"));
            let _ = write!(self.chain, ".select(Ash::{name}, {given})");
            self.is_heavy |= is_heavy;
        }
    }

    /// A kernel that computes values, one of its reducers, and its arguments.
    fn computing(&mut self) -> (&'a Pure, &'static str, String, String) {
        let kernel: &Pure = self.random.pick(&self.kernels.computing);
        let (given, twin) = self.arguments(kernel.takes);
        (kernel, *self.random.pick(kernel.reducers), given, twin)
    }

    /// A kernel that writes, and its arguments.
    fn writing(&mut self) -> (&'a str, String, String) {
        let (name, takes): &(String, Takes) = self.random.pick(&self.kernels.writing);
        let (given, twin) = self.arguments(*takes);
        (name, given, twin)
    }

    /// The end of a chain for which the loop computes a value of each chosen object.
    fn values(&mut self, kind: usize) {
        let (kernel, reducer, given, twin) = self.computing();
        let Pure { name, is_heavy, .. } = kernel;
        let (chain, is_chain_heavy) = (format!("{}{}", self.over, self.chain), *is_heavy || self.is_heavy);
        let each = format!("|n| twin.call(n, |row| row.{name}({twin}))");
        let all = format!("chosen.iter().copied().map({each}).collect::<Vec<_>>()");
        let chained = format!("plain::reduce_chosen({reducer}, {is_chain_heavy}, &among, &chosen, {each})");
        self.say(&match kind {
            0..=3 => format!(
                "let found = world.on(place){chain}.map(Ash::{name}, {given}).reduce({reducer})?; same(&[found], &[{chained}]);"
            ),
            // On the host, by any reducer.
            4 => format!(
                "let found = world{chain}.map(Ash::{name}, {given}).reduce({reducer}); same(&[found], &[{chained}]);"
            ),
            5 => format!(
                "let found = world.on(place){chain}.map(Ash::{name}, {given}).collect()?; same(&found, &{all});"
            ),
            6 => format!(
                "let found = world{chain}.map(Ash::{name}, {given}).map(|value| (value, 7u32)).collect(); \
                 same(&found, &{all}.into_iter().map(|value| (value, 7u32)).collect::<Vec<_>>());"
            ),
            7 => format!(
                "let column = world.on(place){chain}.map(Ash::{name}, {given}).column()?; \
                 let expected = twin.column(&chosen, |row| {{ let n = row.id; row.{name}({twin}) }}); \
                 same_column(&column, &chosen, &expected, &live);"
            ),
            // Only the chosen objects count.
            _ => format!(
                "let found = world.on(place){chain}.execute_and_reduce(Ash::{name}, {given}, {reducer})?; \
                 same(&[found], &[plain::reduce({reducer}, {is_heavy}, &{all})]);"
            ),
        });
    }

    fn end(&mut self, kind: usize) {
        let (over, chain) = (self.over, format!("{}{}", self.over, self.chain));
        match kind {
            0..=7 | 10 => self.values(kind),
            8 => {
                // Without a kernel that chooses, there is no selection.
                self.say(&format!(
                    "let found = world.on(place){chain}.select(Ash::p2, ()).selection()?; \
                     chosen.retain(|&n| twin.call(n, |row| row.p2())); \
                     assert_eq!((found.len(), indices(found.links())), (chosen.len(), chosen));"
                ));
            }
            9 => {
                let (name, given, twin) = self.writing();
                self.say(&format!(
                    "world.on(place){chain}.execute(Ash::{name}, {given})?; twin.each(&chosen, |n, row| row.{name}({twin}));"
                ));
            }
            // A column for fewer objects than the kernel is called for.
            11 => self.say(&format!(
                "let column = world.on(place){chain}.map(Ash::key, (x, y)).column()?; \
                 let values = twin.column(&chosen, |row| row.key(x, y)); \
                 let lacking = among.iter().find(|&&n| values.get(n).is_none()); \
                 match (world.on(place){over}.execute(Ash::w2, (&column, x)), lacking) {{ \
                 (Ok(()), None) => twin.each(&chosen, |n, row| row.w2(values.at(n), x)), \
                 (Err(Error::NoElement {{ class: \"Ash\", id }}), Some(&n)) if id as usize == n + 1 => {{}} \
                 (found, lacking) => panic!(\"{{found:?}} where {{lacking:?}} is the first object without an element\") }}"
            )),
            12 => self.say(&format!(
                "let made = world{chain}.map(Ash::row, x).construct()?; assert_eq!(made.len(), chosen.len()); \
                 let rows: Vec<_> = chosen.iter().map(|&n| twin.call(n, |row| row.row(x))).collect(); twin.bats.extend(rows);"
            )),
            _ => self.repeat(),
        }
    }

    /// A loop with a chain, whose choice changes from one iteration to the next.
    fn repeat(&mut self) {
        let over = self.over;
        let (first, first_given, first_twin) = self.writing();
        let (name, given, twin) = self.writing();
        let chain = self.random.percent(60);
        let chosen = if chain { ".select(Ash::p3, (x, y))" } else { "" };
        self.say(&format!(
            "let times = mix(h, 11) as usize % 4; \
             world.on(place).repeat(times, |step| {{ step{over}.execute(Ash::{first}, {first_given})?; step{over}{chosen}.execute(Ash::{name}, {given}) }})?; \
             for _ in 0..times {{ twin.each(&among, |n, row| row.{first}({first_twin})); twin.freeze(); \
             let now: Vec<_> = among.iter().copied().filter(|&n| !{chain} || twin.call(n, |row| row.p3(x, y))).collect(); twin.each(&now, |n, row| row.{name}({twin})); }}"
        ));
    }
}

/// The text of a command, as an element of an array. Their ends come in turn.
pub(crate) fn command(random: &mut Generator, kernels: &Kernels, number: usize) -> String {
    let mut command =
        Command { random, kernels, text: String::new(), over: "", chain: String::new(), is_heavy: false, names: 0 };
    let kind = number % ENDS;
    command.subset();
    // The columns and groups of a loop are those of the subset.
    if kind != 13 {
        command.choices();
    }
    command.end(kind);
    format!("({:?}, |world, twin, h, place| {{\n{}Ok(()) }}),\n", command.text, command.text)
}
