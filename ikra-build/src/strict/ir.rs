//! LLVM's text of device code: its instructions, and their source positions.

use std::collections::HashMap;
use std::path::PathBuf;

/// The contents of a text.
#[derive(Debug, Default)]
pub(crate) struct Module<'t> {
    pub(crate) functions: Vec<Function<'t>>,
    /// Descriptions of positions, scopes and files, by their numbers.
    descriptions: HashMap<&'t str, &'t str>,
    /// Attributes that functions share, by their numbers.
    attributes: HashMap<&'t str, &'t str>,
}

#[derive(Debug, Default)]
pub(crate) struct Function<'t> {
    pub(crate) name: &'t str,
    /// The number of its attributes.
    attributes: Option<&'t str>,
    pub(crate) instructions: Vec<Instruction<'t>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction<'t> {
    /// The name by which later instructions use its value: `%7`.
    pub(crate) value: Option<&'t str>,
    /// The text from the operation on.
    pub(crate) text: &'t str,
    /// The number of its position's description.
    place: Option<&'t str>,
}

/// A function in which an instruction was written, or into which that function was inlined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame<'t> {
    pub(crate) function: &'t str,
    pub(crate) file: PathBuf,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl<'t> Module<'t> {
    pub(crate) fn read(text: &'t str) -> Self {
        let mut module = Self::default();
        let mut is_body = false;
        for line in text.lines() {
            if is_body {
                is_body = line != "}";
                let function = module.functions.last_mut();
                function.expect("a body follows its function's name").instructions.extend(Instruction::read(line));
            } else if line.starts_with("define ") {
                is_body = true;
                let attributes = line.rsplit_once(" #").map(|(_, rest)| number(rest));
                let name = symbol(line).unwrap_or_default();
                module.functions.push(Function { name, attributes, ..Function::default() });
            } else if let Some((number, rest)) =
                line.strip_prefix("attributes #").and_then(|line| line.split_once(" = "))
            {
                module.attributes.insert(number, rest);
            } else if let Some((number, description)) = line.strip_prefix('!').and_then(|line| line.split_once(" = ")) {
                module.descriptions.insert(number, description);
            }
        }
        module
    }

    /// The attributes of a function.
    pub(crate) fn attributes(&self, function: &Function<'t>) -> &'t str {
        function.attributes.and_then(|number| self.attributes.get(number)).copied().unwrap_or_default()
    }

    /// The functions around an instruction, from its own function outwards.
    pub(crate) fn frames(&self, instruction: &Instruction<'t>) -> Vec<Frame<'t>> {
        let mut frames = Vec::new();
        let mut place = instruction.place;
        while let Some(location) = place.and_then(|place| self.descriptions.get(place)) {
            // Blocks lead to their functions. The innermost file is the text's, a macro's for example.
            let mut scope = reference(location, "scope");
            let mut file = None;
            let mut function = "";
            while let Some(description) = scope.and_then(|scope| self.descriptions.get(scope)) {
                file = file.or_else(|| reference(description, "file"));
                if description.contains("DISubprogram(") {
                    function = string(description, "linkageName").or(string(description, "name")).unwrap_or_default();
                    break;
                }
                scope = reference(description, "scope");
            }
            let file = file.and_then(|file| self.descriptions.get(file));
            let number = |name| attribute(location, name).and_then(|text| text.parse().ok()).unwrap_or(0);
            frames.push(Frame {
                function,
                file: ["directory", "filename"].iter().filter_map(|part| string(file?, part)).collect(),
                line: number("line"),
                column: number("column"),
            });
            place = reference(location, "inlinedAt");
        }
        frames
    }
}

impl<'t> Instruction<'t> {
    fn read(line: &'t str) -> Option<Self> {
        // Labels are not indented.
        let line = line.strip_prefix("  ")?.trim();
        let (value, text) = match line.split_once(" = ") {
            Some((value, text)) if value.starts_with('%') => (Some(value), text),
            _ => (None, line),
        };
        let place = text.split_once("!dbg !").map(|(_, rest)| number(rest));
        // A line of a `switch` begins with a type: `i32 7, label %bb3`.
        let is_case = text.strip_prefix('i').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        (text.starts_with(|c: char| c.is_ascii_lowercase()) && !is_case).then_some(Self { value, text, place })
    }

    /// `frem` of `frem float %1, %2`, `call` of `tail call …`.
    pub(crate) fn operation(&self) -> &'t str {
        let mut words = self.text.split_whitespace();
        let operation = words.find(|word| !["tail", "musttail", "notail"].contains(word)).unwrap_or_default();
        operation.trim_end_matches(',')
    }

    /// The text of the assembly that it calls.
    pub(crate) fn assembly(&self) -> Option<&'t str> {
        let (before, rest) = self.text.split_once(" asm ")?;
        let (words, rest) = rest.split_once('"')?;
        let is_flag = |c: char| c.is_ascii_lowercase() || c == ' ';
        (self.operation() == "call" && !before.contains(['@', '"', '(']) && words.chars().all(is_flag))
            .then(|| rest.split('"').next().unwrap_or_default())
    }

    /// The function that it calls.
    pub(crate) fn callee(&self) -> Option<&'t str> {
        if self.operation() == "call" && self.assembly().is_none() { symbol(self.text) } else { None }
    }

    /// The values that it uses, unless they are vectors.
    pub(crate) fn operands(&self) -> Vec<&'t str> {
        let text = self.text.split(", !").next().unwrap_or_default();
        let last = |text: &'t str| text.trim().rsplit(' ').next().unwrap_or_default();
        match self.operation() {
            "call" => {
                let Some((_, arguments)) = text.split_once('@').and_then(|(_, call)| call.split_once('(')) else {
                    return Vec::new();
                };
                arguments.rsplit_once(')').map_or(arguments, |(arguments, _)| arguments).split(", ").map(last).collect()
            }
            "phi" => text.split('[').skip(1).map(|pair| pair.split(',').next().unwrap_or_default().trim()).collect(),
            _ => text.split(" to ").next().unwrap_or_default().split(", ").map(last).collect(),
        }
    }
}

/// `name` of `… @name(…`.
fn symbol(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('@')?;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split('(').next(),
    }
}

/// `12` of `12, !noundef !3`.
fn number(text: &str) -> &str {
    text.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default()
}

/// The text after `name: ` in a description.
fn attribute<'t>(description: &'t str, name: &str) -> Option<&'t str> {
    let mut from = 0;
    while let Some(at) = description[from..].find(name) {
        let start = from + at;
        let rest = &description[start + name.len()..];
        if description[..start].ends_with(['(', ' ']) && rest.starts_with(": ") {
            let rest = &rest[2..];
            return Some(if rest.starts_with('"') { rest } else { rest.split([',', ')']).next().unwrap_or_default() });
        }
        from = start + name.len();
    }
    None
}

/// `12` of `name: !12`.
fn reference<'t>(description: &'t str, name: &str) -> Option<&'t str> {
    attribute(description, name)?.strip_prefix('!')
}

/// `x` of `name: "x"`.
fn string<'t>(description: &'t str, name: &str) -> Option<&'t str> {
    attribute(description, name)?.strip_prefix('"')?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
@text = private constant [1 x i8] c"x"
declare float @llvm.fabs.f32(float) #1
; Function Attrs: nounwind
define ptx_kernel void @"a kernel"(i32 noundef %n) unnamed_addr #0 !dbg !4 {
start:
  %0 = tail call float @llvm.fabs.f32(float noundef %x), !dbg !8
  %1 = frem float %0, 0x3FB99999A0000000, !dbg !8, !noundef !1
  %2 = phi float [ %1, %start ], [ 0.000000e+00, %bb1 ]
  %3 = sitofp i32 %n to float
  %4 = call { i32, i32 } asm sideeffect "{ mov.b32 ${0}, 1; }", "=r,=r"() #5, !dbg !9, !srcloc !11
  switch i32 %n, label %bb1 [
    i32 7, label %bb2
  ]
  unreachable, !dbg !9
}
attributes #0 = { nounwind "target-cpu"="sm_75" }
attributes #1 = { nounwind }
!1 = !{}
!3 = !DIFile(filename: "src/model.rs", directory: "")
!4 = distinct !DISubprogram(name: "kernel", scope: null, file: !3, line: 7, scopeLine: 70)
!5 = distinct !DISubprogram(name: "rest", linkageName: "_R4rest", scope: !6, file: !10, line: 2)
!7 = distinct !DILexicalBlock(scope: !5, file: !10, line: 3, column: 1)
!8 = !DILocation(line: 30, column: 9, scope: !7, inlinedAt: !9)
!9 = distinct !DILocation(line: 8, column: 5, scope: !4)
!10 = !DIFile(filename: "src/float.rs", directory: "/x")
"#;

    #[test]
    fn instructions_are_read() {
        let module = Module::read(TEXT);
        let [function] = &module.functions[..] else { panic!("{module:?}") };
        assert_eq!(function.name, "a kernel");
        let operations: Vec<_> = function.instructions.iter().map(Instruction::operation).collect();
        assert_eq!(operations, ["call", "frem", "phi", "sitofp", "call", "switch", "unreachable"]);
        assert_eq!(function.instructions[4].assembly(), Some("{ mov.b32 ${0}, 1; }"));
        assert_eq!((function.instructions[4].callee(), function.instructions[0].assembly()), (None, None));
        assert_eq!(module.attributes(function), "{ nounwind \"target-cpu\"=\"sm_75\" }");
        assert_eq!(function.instructions[0].callee(), Some("llvm.fabs.f32"));
        let operands: Vec<_> = function.instructions.iter().map(Instruction::operands).collect();
        assert_eq!(
            operands[..4],
            [vec!["%x"], vec!["%0", "0x3FB99999A0000000"], vec!["%1", "0.000000e+00"], vec!["%n"]]
        );
        assert_eq!(function.instructions[1].value, Some("%1"));
    }

    #[test]
    fn places_are_followed_outwards() {
        let module = Module::read(TEXT);
        let frames = module.frames(&module.functions[0].instructions[1]);
        assert_eq!(
            frames,
            [
                Frame { function: "_R4rest", file: "/x/src/float.rs".into(), line: 30, column: 9 },
                Frame { function: "kernel", file: "src/model.rs".into(), line: 8, column: 5 },
            ]
        );
        assert!(module.frames(&module.functions[0].instructions[2]).is_empty());
    }
}
