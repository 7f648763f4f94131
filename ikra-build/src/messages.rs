//! What the compiler says, in the user's words.

/// Whether a build without network failed for want of it.
pub(crate) fn wants_network(text: &str) -> bool {
    ["--offline", "offline was specified", "can't checkout", "unable to update registry", "failed to download"]
        .iter()
        .any(|sign| text.contains(sign))
}

/// Aborts of the code generator, and what they mean.
const ABORTS: &[(&str, &str)] = &[
    (
        "Cannot select",
        "the model uses an operation that the device has no instruction for, such as a mathematical function; use that of `ikra::math`",
    ),
    (
        "unsupported library call",
        "the model uses a mathematical function that the device does not have; use that of `ikra::math`",
    ),
    (
        "unsupported characters",
        "a name in the model holds characters that the device's assembler does not allow; use letters, digits and `_`",
    ),
    ("undefined symbol", "the model calls a function that does not exist on the device"),
];

/// The compiler's messages, with a sentence before those that are no sentence themselves.
pub(crate) fn explain(text: &str) -> String {
    let mut message = String::from("the model does not compile for the device:\n");
    if let Some((_, sentence)) = ABORTS.iter().find(|(sign, _)| text.contains(sign)) {
        message.push_str(sentence);
        if let Some(function) = text.lines().find_map(|line| line.trim().strip_prefix("In function: ")) {
            message.push_str(&format!(" (in `{function}`)"));
        }
        message.push('\n');
    }
    message.push('\n');
    message.push_str(text.trim_end());
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aborts_become_sentences() {
        let text = explain("LLVM ERROR: Cannot select: t9: f32 = fsin t7\nIn function: ikra_kernel_Body_spin_3_4\n");
        assert!(text.contains("`ikra::math` (in `ikra_kernel_Body_spin_3_4`)"), "{text}");
        assert!(text.contains("fsin"), "the compiler's words stay");
    }

    #[test]
    fn ordinary_errors_stay_as_they_are() {
        let text = explain("error[E0308]: mismatched types\n --> /x/src/model.rs:3:1\n");
        assert_eq!(text.matches("mismatched types").count(), 1);
        assert!(text.contains("/x/src/model.rs:3:1"));
    }
}
