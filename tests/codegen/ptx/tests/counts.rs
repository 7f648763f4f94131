//! The pass `counts`: the number of objects is loaded once.

use ikra_ptx_tests::code;

/// Loads the number of objects of a class.
pub const COUNT: &str = "ld.global.nc.b32 %ikra_count";

#[test]
fn the_number_of_objects_is_read_once_where_a_kernel_begins() {
    let Some(code) = code() else { return };
    let from_memory = COUNT;
    let named = |name: &str| code.kernel(name);
    // A link made from a number is checked. The host has already checked a link among the arguments.
    let checked = named("ikra_kernel_Body_trust_id_");
    assert_eq!(checked.count(from_memory), 1, "{}", checked.body);
    let trusted = code.kernels.iter().find(|kernel| {
        kernel
            .name
            .strip_prefix("ikra_kernel_Body_trust_")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    let trusted = trusted.unwrap();
    assert_eq!((trusted.count(from_memory), trusted.count("call")), (0, 0), "{}", trusted.body);
    let mut others = 0;
    for kernel in &code.kernels {
        let start = kernel.body.find("$L__BB").unwrap_or(kernel.body.len());
        let (before, after) = kernel.body.split_at(start);
        let reads = |text: &str| text.lines().filter(|line| line.replace(" \t", " ").contains(from_memory)).count();
        assert_eq!(reads(after), 0, "{}: {after}", kernel.name);
        others += reads(before);
    }
    assert!(others > 10, "{others}");
}
