//! Programs for the tests of passes.

use ikra_ptx::{Module, Type};

/// A program whose functions need not declare registers such as `%p1`, `%rs1`, `%r1` and `%rd1`.
pub(super) fn parsed(code: &str) -> Module {
    let names: Vec<(String, Type)> = [("%p", Type::Pred), ("%rs", Type::B16), ("%r", Type::B32), ("%rd", Type::B64)]
        .into_iter()
        .flat_map(|(name, ty)| (0..100).map(move |n| (format!("{name}{n}"), ty)))
        .chain([
            (String::from("%ikra_count0"), Type::B32),
            (String::from(ikra_marks::NOTED_KERNEL), Type::B64),
            (String::from(ikra_marks::NOTED_OBJECT), Type::B32),
        ])
        .collect();
    let names: Vec<(&str, Type)> = names.iter().map(|(name, ty)| (name.as_str(), *ty)).collect();
    match Module::parse_with(code, &names) {
        Ok(module) => module,
        Err(error) => panic!("{error} in {code}"),
    }
}

/// A program as text, without declarations of registers, and with one space between tokens.
pub(super) fn shown(module: &Module) -> String {
    let text = module.to_string();
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.starts_with(".reg ") && !line.is_empty()).map(|line| line + "\n").collect()
}

/// The same for a text.
pub(super) fn normal(code: &str) -> String {
    shown(&parsed(code))
}

/// The result of a pass over a program, as text, and how often it fired.
pub(super) fn done(pass: fn(&mut Module) -> usize, code: &str) -> (String, usize) {
    let mut module = parsed(code);
    let before = module.clone();
    let fired = pass(&mut module);
    assert_eq!(fired > 0, module != before, "it fired {fired} times: {module}");
    (shown(&module), fired)
}
