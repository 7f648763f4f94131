//! Names in the device code.

use proc_macro2::Ident;
use syn::ext::IdentExt;

/// A name of letters, digits and `_` for what `parts` name, made unlike others of the same name by its
/// place in the file. Host and device compile the same file, and so agree.
pub(crate) fn device_symbol(parts: &[&str], at: &Ident) -> String {
    let start = at.span().start();
    let mut symbol = String::from("ikra");
    for part in parts {
        symbol.push('_');
        // Identifiers may hold letters that PTX does not allow.
        for c in part.chars() {
            match c {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => symbol.push(c),
                _ => symbol.push_str(&format!("u{:x}", u32::from(c))),
            }
        }
    }
    symbol.push_str(&format!("_{}_{}", start.line, start.column));
    symbol
}

/// The name of a kernel's entry.
pub(crate) fn kernel_symbol(class: &str, method: &Ident) -> String {
    device_symbol(&["kernel", class, &method.unraw().to_string()], method)
}
