//! The pass `words`: the addresses of columns are launch parameters.

use ikra_ptx_tests::code;

#[test]
fn where_columns_are_comes_with_the_launch() {
    let Some(code) = code() else { return };
    let mut some = Vec::new();
    for kernel in code.kernels.iter().filter(|kernel| kernel.name.starts_with("ikra_kernel_")) {
        assert!(!kernel.body.contains("ld.const"), "{}", kernel.body);
        // Called functions read tables in constant memory if a method is recursive or is called through a pointer.
        if kernel.body.contains("//ikra:takes some") {
            assert!(kernel.count("call") > 0, "{}", kernel.body);
            some.push(kernel.name.trim_start_matches("ikra_kernel_").to_owned());
        } else {
            assert!(kernel.body.contains("//ikra:takes all"), "{}", kernel.body);
        }
    }
    let is = |some: &String| ["Tree_walk_", "Tree_measure_", "Left_trace_"].iter().any(|name| some.starts_with(name));
    assert_eq!(some.iter().filter(|some| is(some)).count(), 3, "{some:?}");
    // Entry points for new objects call what remaps links.
    assert!(some.iter().filter(|some| !some.contains("_born")).count() < 10, "{some:?}");
    // The other classes have no tables, but for some whose links are changed by a function.
    let tables: Vec<&str> = code.text.lines().filter(|line| line.starts_with(".visible .const")).collect();
    assert!(tables.len() <= 10 && tables.iter().any(|line| line.contains(" ikra_class_Left_")), "{tables:#?}");
}
