//! Kernels execute the work in their text, and nothing else.

use ikra_ptx_tests::{code, usages};

#[test]
fn a_kernel_does_no_more_than_it_says() {
    let Some(code) = code() else { return };
    let advance = code.kernel("ikra_kernel_Body_advance_");
    assert_eq!((advance.count("ld.param.u64"), advance.count("ld.const")), (2, 0), "a start for each of two columns");
    assert!(advance.parameters.last().unwrap().ends_with("_words[16]"), "{:?}", advance.parameters);
    assert_eq!(advance.count("ld.global.b64"), 1, "the position, which it changes");
    assert_eq!(advance.count("ld.global.nc.b64"), 1, "the velocity, which it does not");
    assert_eq!((advance.count("st.global.b64"), advance.count("st.")), (1, 1), "the position");
    assert_eq!((advance.count("call"), advance.local_bytes()), (0, 0));
    let (labels, loops) = (advance.body.matches("\n$L__BB").count(), advance.count("bra.uni"));
    // Without a list, a branch skips the load of its element.
    assert!(labels <= 2 && loops == 1, "one thread per object, and no loop over several: {}", advance.body);
    // An unread link is not checked; with sixteen classes the check would be a loop.
    let lift = code.kernel("ikra_kernel_Hook_lift_");
    assert_eq!((lift.count("brx.idx"), lift.count("%ikra_count")), (1, 0), "one choice of a class: {}", lift.body);
}

#[test]
fn elements_of_columns_are_accessed_as_a_whole() {
    let Some(code) = code() else { return };
    let kernel = |name: &str| code.kernel(name);
    // Of 16 bytes, and of 24, three times 8.
    assert_eq!(kernel("ikra_kernel_Sample_draw_").count("st.global.v4.b32"), 1);
    assert_eq!(kernel("ikra_kernel_Sample_evaluate_fast_").count("st.global.v2.b32"), 3);
}

#[test]
fn a_ref_on_a_stack_is_four_bytes() {
    let Some(code) = code() else { return };
    let gather = code.kernel("ikra_kernel_Tree_gather_");
    assert_eq!(gather.local_bytes(), 64 * 4, "{}", gather.body);
    let Some(usages) = usages(code) else { return };
    let gather = usages.iter().find(|usage| usage.kernel == gather.name).unwrap();
    // And the frame of the call that reports a panic.
    assert!((256..=320).contains(&gather.stack_bytes) && gather.spill_bytes == 0, "{gather:?}");
}

#[test]
fn a_loop_over_neighbours_asks_for_all_slots() {
    let Some(code) = code() else { return };
    for (class, slots) in [("SoaPartial", 2), ("SoaCapacityPartial", 3), ("TilesPartial", 1), ("AosPartial", 2)] {
        let name = format!("ikra_kernel_{class}_survey_");
        let survey = code.kernel(&name);
        let is_asked = |line: &&str| line.starts_with("\tld.global.b32 ") && line.contains("bits");
        assert_eq!(survey.body.lines().filter(is_asked).count(), slots, "{}", survey.body);
        assert_eq!(survey.local_bytes(), 0, "{name}");
        // The length and the position of the rest are one load, except in rows, where they are not adjacent.
        assert_eq!(survey.count("ld.global.nc.v2.b32") == 0, class.starts_with("Aos"), "{}", survey.body);
    }
}
