//! A random program of commands: chains of kernels that choose objects and compute values, over ranges, lists, selections
//! and groups. Its plain model has the same kernels, and calls them in loops over rows.

use std::fmt::Write as _;

use crate::commands_calls::command;
use crate::generator::Generator;

/// Commands per program.
const COMMANDS: usize = 24;

/// What a kernel takes besides the object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    One,
    Two,
    /// An element of a column of this type, and a number.
    Element(&'static str),
    Groups,
}

impl Takes {
    /// The parameters, after `self`.
    fn parameters(self, is_plain: bool) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::One => ", x: u32".to_owned(),
            Self::Two => ", x: u32, y: u32".to_owned(),
            Self::Element(ty) => format!(", by: Of<{ty}>, x: u32"),
            Self::Groups if is_plain => ", near: Groups, x: u32".to_owned(),
            Self::Groups => ", near: Groups<Ash>, x: u32".to_owned(),
        }
    }
}

/// A kernel that chooses objects, or computes values.
pub(crate) struct Pure {
    pub(crate) name: String,
    pub(crate) takes: Takes,
    pub(crate) is_heavy: bool,
    pub(crate) result: &'static str,
    /// The reducers of its results.
    pub(crate) reducers: &'static [&'static str],
}

/// The types of results, and their reducers.
const RESULTS: [(&str, &[&str]); 9] = [
    ("u32", &["Sum", "Min", "Max"]),
    ("u64", &["Sum"]),
    ("i32", &["Max", "Sum"]),
    ("f32", &["Sum", "Min"]),
    ("f64", &["Sum", "Mix"]),
    ("bool", &["All", "Any"]),
    ("(f64, u32)", &["Sum", "Max"]),
    ("[f32; 3]", &["Sum"]),
    ("[f64; 9]", &["Sum"]),
];

/// The text of expressions.
struct Text<'a> {
    random: &'a mut Generator,
    takes: Takes,
}

impl Text<'_> {
    fn number(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 4 } else { 11 }) {
            0 => format!("{}u32", self.random.below(1000)),
            1 if self.takes == Takes::Two => "y".to_owned(),
            1 if self.takes != Takes::Nothing => "x".to_owned(),
            1 | 2 => "self.link().id()".to_owned(),
            3 => (*self.random.pick(&["self.a", "self.b", "self.s"])).to_owned(),
            4 | 5 => {
                let operation = *self.random.pick(&["add", "sub", "mul"]);
                format!("({}).wrapping_{operation}({})", self.number(d), self.number(d))
            }
            6 => format!("({} ^ {})", self.number(d), self.number(d)),
            7 => format!("self.next.map_or({}, |o| o.a() ^ o.b())", self.number(0)),
            8 => {
                let field = *self.random.pick(&["a", "b"]);
                format!("self.next.and_then(|o| o.next()).map_or({}, |o| o.{field}())", self.number(0))
            }
            9 => format!("(if {} % 3 == 0 {{ {} }} else {{ {} }})", self.number(0), self.number(d), self.number(d)),
            _ => match self.takes {
                Takes::Element("u32") => "*by".to_owned(),
                Takes::Element(_) => "u32::from(*by > 40.0)".to_owned(),
                Takes::Groups => format!(
                    "near.of(({}) % GROUPS).map(|o| o.a()).fold(3u32, |a, b| a.rotate_left(5) ^ b)",
                    self.number(0)
                ),
                _ => self.number(d),
            },
        }
    }

    fn float(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 3 } else { 6 }) {
            0 => "self.h".to_owned(),
            1 => "f64::from(self.g)".to_owned(),
            2 => match self.takes {
                Takes::Element("f64") => "*by".to_owned(),
                _ => "self.t".to_owned(),
            },
            3 => format!("f64::from({} % 1000) * 0.37", self.number(d)),
            4 => format!("({} * 0.3 + {})", self.float(d), self.float(d)),
            _ => format!("self.next.map_or({}, |o| o.h() - f64::from(o.g()))", self.float(d)),
        }
    }

    fn choice(&mut self) -> String {
        let of = 1 + self.random.below(4);
        let use_all = match self.takes {
            Takes::Element("u32") => "^ *by",
            Takes::Groups => "^ near.of(self.b % GROUPS).len() as u32",
            _ => "",
        };
        match self.random.below(4) {
            0 => format!("{} < {}", self.float(2), self.float(1)),
            _ => format!("({} {use_all} ^ self.link().id().wrapping_mul(2654435761) >> 8) % {of} == 0", self.number(2)),
        }
    }

    /// A value of a type. Sums of integers do not overflow.
    fn value(&mut self, ty: &str) -> String {
        match ty {
            "bool" => self.choice(),
            "u32" => format!("({}) % 5000", self.number(2)),
            "u64" => format!("u64::from({})", self.number(2)),
            "i32" => format!("(({}) % 2001) as i32 - 1000", self.number(2)),
            "f32" => format!("({}) as f32 * 0.5", self.float(2)),
            "f64" => self.float(3),
            "(f64, u32)" => format!("({}, ({}) % 5000)", self.float(2), self.number(1)),
            "[f32; 3]" => format!("[self.g, ({}) as f32, 0.1]", self.float(1)),
            _ => format!("{{ let v = {}; [v, self.h, v * 0.3, 1.0, v - self.h, 0.7, v, 0.1, self.t] }}", self.float(2)),
        }
    }
}

/// The kernels of a program.
pub(crate) struct Kernels {
    pub(crate) choosing: Vec<Pure>,
    pub(crate) computing: Vec<Pure>,
    pub(crate) writing: Vec<(String, Takes)>,
}

/// Writes random kernels to the text of the program and of its model.
fn kernels(random: &mut Generator, ikra: &mut String, plain: &mut String) -> Kernels {
    use Takes::{Element, Groups, Nothing, One, Two};
    let mut both = |attribute: &str, name: &str, receiver: &str, takes: Takes, end: &str| {
        let _ = writeln!(ikra, "{attribute}\npub fn {name}({receiver}{}){end}", takes.parameters(false));
        let _ = writeln!(plain, "pub fn {name}({receiver}{}){end}", takes.parameters(true));
    };
    let weight = |is_heavy: bool| if is_heavy { "heavy" } else { "light" };
    let mut choosing = Vec::new();
    for (n, takes) in [Two, One, Nothing, Two, Element("u32"), Groups].into_iter().enumerate() {
        let (name, is_heavy) = (format!("p{n}"), random.percent(15));
        let text = Text { random, takes }.choice();
        // The others are in a block with the kernels that compute: one kernel on a GPU, if both take values.
        let block = if n == 2 { "}\n#[soa_methods]\nimpl Ash {\n" } else { "" };
        let attribute = format!("{block}#[kernel({})]", weight(is_heavy));
        both(&attribute, &name, "&self", takes, &format!(" -> bool {{ {text} }}"));
        choosing.push(Pure { name, takes, is_heavy, result: "bool", reducers: &[] });
    }
    let mut computing = Vec::new();
    for (n, &(result, reducers)) in RESULTS.iter().chain(&RESULTS[..5]).enumerate() {
        let takes = match result {
            _ if n < RESULTS.len() => *random.pick(&[Nothing, One, Two, Two]),
            "u32" => Element("u32"),
            "f64" => Element("f64"),
            "u64" => Groups,
            _ => One,
        };
        let (name, is_heavy) = (format!("m{n}"), random.percent(20));
        let attribute = format!("#[kernel({}, reduce({}))]", weight(is_heavy), reducers.join(", "));
        let text = Text { random, takes }.value(result);
        both(&attribute, &name, "&self", takes, &format!(" -> {result} {{ {text} }}"));
        computing.push(Pure { name, takes, is_heavy, result, reducers });
    }
    let mut writing = Vec::new();
    for (n, takes) in [Two, Nothing, Element("u32"), Element("f64"), Groups].into_iter().enumerate() {
        let name = format!("w{n}");
        let mut text = Text { random, takes };
        let (number, float) = (text.number(2), text.float(2));
        let own = match takes {
            Element("u32") => "self.s ^= *by;",
            Element(_) => "self.t += *by;",
            _ => "",
        };
        let body = format!("self.s = self.s.rotate_left(3) ^ ({number}); self.t = self.t * 0.5 + {float} * 0.1; {own}");
        both("#[kernel]", &name, "&mut self", takes, &format!(" {{ {body} }}"));
        writing.push((name, takes));
    }
    let key = Text { random, takes: Two }.number(2);
    both("#[kernel]", "key", "&self", Two, &format!(" -> u32 {{ ({key}) % GROUPS }}"));
    let what = Text { random, takes: One }.number(2);
    both("#[kernel]", "row", "&self", One, &format!(" -> Bat {{ new_bat(self.link().id(), {what}) }}"));
    Kernels { choosing, computing, writing }
}

/// The text of a program's classes, which the device code has, and the text of its plain model and its commands.
pub(crate) fn write(seed: u64, is_large: bool) -> (String, String) {
    let mut random = Generator::new(seed ^ 0xc0_11a4d);
    let layout = *random.pick(&["", "(layout = \"aos\")", "(layout = \"tiles\")", ""]);
    let (mut one, mut two) = (String::new(), String::new());
    let kernels = kernels(&mut random, &mut one, &mut two);
    let count = if is_large { 2 * COMMANDS } else { COMMANDS };
    let cases: String = (0..count).map(|n| command(&mut random, &kernels, n)).collect();
    let ikra = format!(
        "pub mod commands_{seed} {{\nuse ikra::prelude::*;\nuse ikra::Groups;\n/// The keys of groups.\npub const GROUPS: u32 = 7;\n\
         /// A reducer whose result shows the order, and whose identity is not neutral.\n#[derive(Clone, Copy)]\npub struct Mix;\n\
         impl Reducer<f64> for Mix {{ fn identity(&self) -> f64 {{ 1.0 }} fn combine(&self, a: f64, b: f64) -> f64 {{ a * 0.75 + b * 0.5 }} }}\n\
         #[soa_class{layout}]\n#[derive(Clone, Debug)]\npub struct Ash {{ pub a: u32, pub b: u32, pub g: f32, pub h: f64, pub next: Option<Link<Ash>>, pub s: u32, pub t: f64 }}\n\
         #[soa_class]\npub struct Bat {{ pub of: u32, pub what: u32 }}\n\
         pub fn new_bat(of: u32, what: u32) -> Bat {{ Bat {{ of, what }} }}\n\
         #[soa_methods]\nimpl Ash {{\n{one}\
         #[kernel]\npub fn by(&self, key: Of<u32>) -> u32 {{ *key }}\n\
         #[kernel]\npub fn leave(&mut self) {{ self.remove(); }}\n}}\n\
         #[soa_world]\npub struct World {{ pub ashes: Objects<Ash>, pub bats: Objects<Bat> }}\n}}\n"
    );
    let plain = format!(
        "pub mod plain {{\nuse super::model::GROUPS;\n{}\ntype Bat = (u32, u32);\nfn new_bat(of: u32, what: u32) -> Bat {{ (of, what) }}\nimpl Ash {{\n{two}}}\n}}\n",
        include_str!("commands.txt")
    );
    let run = include_str!("commands_run.txt").replace("@CASES", &cases);
    let names = format!("use crate::random::commands_{seed} as model;\nuse crate::{{Commanded, Dump, mix}};\n");
    (ikra, format!("pub mod commands_{seed} {{\n{names}{plain}{run}}}\n"))
}
