//! The pass `panics`: the text of a panic is at the panic.

use ikra_ptx_tests::code;

#[test]
fn a_panic_names_kernel_and_object() {
    let Some(code) = code() else { return };
    let advance = code.kernel("ikra_kernel_Body_advance_");
    assert!(!advance.body.contains("%ikra_"), "what is noted for panics goes where there are none");
    let fail = code.kernel("ikra_kernel_Body_fail_at_");
    assert!(fail.body.contains("call.uni ikra_panic_"), "a panic names kernel and object");
}
