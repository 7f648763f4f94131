//! The lines of the model in device code, where nobody asked for them.

/// The code without places in the sources, and without the labels and sections that are for them.
pub(crate) fn removed(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    // A section's braces, which may be on lines of their own.
    let mut is_section = false;
    for line in code.lines() {
        let text = line.trim_start();
        is_section |= text.starts_with(".section");
        if is_section {
            is_section = !line.contains('}');
            continue;
        }
        let is_label = ["$L__tmp", "$L__func_begin", "$L__func_end"].iter().any(|label| line.starts_with(label));
        // `.local` is another one.
        let directive = text.split(char::is_whitespace).next().unwrap_or_default();
        if !is_label && ![".loc", ".file"].contains(&directive) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_go() {
        let code = "\
.visible .entry kernel(
)
{
\t.local .align 8 .b8 \t__local_depot0[48];
$L__func_begin0:
\t.loc\t1 26 0

\t.loc\t1 27 13, function_name $L__info_string0, inlined_at 1 2 3
\tadd.s32 \t%r1, %r1, 1;
$L__tmp1:
$L__BB0_1:
\tret;
$L__func_end0:
}
\t.file\t1 \"/x/model.rs\"
\t.section\t.debug_str
\t{
$L__info_string0:
.b8 109
\t}
\t.section\t.debug_macinfo\t{\t}
";
        assert_eq!(
            removed(code),
            ".visible .entry kernel(\n)\n{\n\t.local .align 8 .b8 \t__local_depot0[48];\n\n\tadd.s32 \t%r1, %r1, 1;\n$L__BB0_1:\n\tret;\n}\n"
        );
    }
}
