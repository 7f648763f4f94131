//! The device code is what it should be: assembled for every architecture, without spills.
#![allow(missing_docs, reason = "a test, not a library")]

use std::path::Path;

use ikra_build::{ptx, ptxas};
use ikra_device_tests::device_code;

/// Reads the number of objects of a class.
const COUNT: &str = "ld.global.nc.b32 %ikra_count";

fn code() -> Option<(&'static Path, String)> {
    let path = Path::new(device_code()?);
    Some((path, std::fs::read_to_string(path).unwrap()))
}

#[test]
fn every_kernel_is_there() {
    let Some((_, code)) = code() else { return };
    let names: Vec<_> = ptx::kernels(&code).into_iter().map(|kernel| kernel.name).collect();
    for wanted in [
        "ikra_kernel_Growing_change_",
        "ikra_kernel_Tiled_spawn_",
        "ikra_kernel_Rows_meet_",
        "ikra_kernel_Body_age_of_",
    ] {
        assert!(names.iter().any(|name| name.starts_with(wanted)), "{wanted} is not among {names:?}");
    }
    assert!(names.iter().any(|name| name.starts_with("ikra_kernel_Fixed_weight_") && name.ends_with("_reduce2")));
}

#[test]
fn a_kernel_does_no_more_than_it_says() {
    let Some((_, code)) = code() else { return };
    let kernels = ptx::kernels(&code);
    let advance = kernels.iter().find(|kernel| kernel.name.starts_with("ikra_kernel_Body_advance_")).unwrap();
    assert_eq!((advance.count("ld.param.u64"), advance.count("ld.const")), (2, 0), "a start for each of two columns");
    assert!(advance.parameters.last().unwrap().ends_with("_words[16]"), "{:?}", advance.parameters);
    assert_eq!(advance.count("ld.global.b64"), 1, "the position, which it changes");
    assert_eq!(advance.count("ld.global.nc.b64"), 1, "the velocity, which it does not");
    assert_eq!((advance.count("st.global.b64"), advance.count("st.")), (1, 1), "the position");
    assert_eq!((advance.count("call"), advance.local_bytes()), (0, 0));
    let (labels, loops) = (advance.body.matches("\n$L__BB").count(), advance.count("bra.uni"));
    // Where there is no list, it jumps over the load of its element.
    assert!(labels <= 2 && loops == 1, "one thread per object, and no loop over several: {}", advance.body);
    assert!(!advance.body.contains("%ikra_"), "what is noted for panics goes where there are none");
    // A link that is not read is not looked at; with sixteen classes this was a loop over them.
    let lift = kernels.iter().find(|kernel| kernel.name.starts_with("ikra_kernel_Hook_lift_")).unwrap();
    assert_eq!((lift.count("brx.idx"), lift.count("%ikra_count")), (1, 0), "one choice of a class: {}", lift.body);
    let fail = kernels.iter().find(|kernel| kernel.name.starts_with("ikra_kernel_Body_fail_at_")).unwrap();
    assert!(fail.body.contains("call.uni ikra_panic_"), "a panic names kernel and object");
    // Barriers stay where they are: one a step of a reduction within a warp or block, two a tile of others.
    // Those that put links in order are Ikra's own, and scan within a block.
    for kernel in kernels.iter().filter(|kernel| !kernel.name.starts_with("ikra_list_")) {
        let name = &kernel.name;
        assert_eq!(kernel.count("bar.warp.sync"), if name.contains("_reduce") { 6 } else { 0 }, "{name}");
        let barriers = kernel.count("barrier.sync") + kernel.count("bar.sync");
        if name.contains("_reduce") {
            // Two for what the threads of a block found, if the kernel is heavy, three to find the last block, and one a
            // step there: where it is unrolled, one for each of eight steps.
            let own = if name.contains("_heavy_") { 2 } else { 0 };
            assert!([1, 5, 8].contains(&(barriers - 3 - own)), "{name}: {barriers}");
        } else {
            // A `Taker` reads nothing of others.
            let has_records = (name.contains("_meet_") || name.contains("_near_")) && !name.contains("_Taker_");
            assert_eq!(barriers, if has_records { 2 } else { 0 }, "{name}");
        }
    }
}

#[test]
fn where_columns_are_comes_with_the_launch() {
    let Some((_, code)) = code() else { return };
    let mut some = Vec::new();
    for kernel in ptx::kernels(&code).iter().filter(|kernel| kernel.name.starts_with("ikra_kernel_")) {
        assert!(!kernel.body.contains("ld.const"), "{}", kernel.body);
        // Functions that a kernel calls read tables in constant memory, where a method calls itself or is called by a pointer.
        if kernel.body.contains("//ikra:takes some") {
            assert!(kernel.count("call") > 0, "{}", kernel.body);
            some.push(kernel.name.trim_start_matches("ikra_kernel_").to_owned());
        } else {
            assert!(kernel.body.contains("//ikra:takes all"), "{}", kernel.body);
        }
    }
    let is = |some: &String| ["Tree_walk_", "Tree_measure_", "Left_trace_"].iter().any(|name| some.starts_with(name));
    assert_eq!(some.iter().filter(|some| is(some)).count(), 3, "{some:?}");
    assert!(some.len() < 10, "{some:?}");
    // Of the rest of the classes there are no tables.
    let tables: Vec<&str> = code.lines().filter(|line| line.starts_with(".visible .const")).collect();
    assert!(tables.len() < 10 && tables.iter().any(|line| line.contains(" ikra_class_Left_")), "{tables:#?}");
}

#[test]
fn atomics_are_in_global_memory() {
    let Some((_, code)) = code() else { return };
    let kernels = ptx::kernels(&code);
    for kernel in &kernels {
        let atomic = |at: &&str| at.starts_with("atom.") || at.starts_with("red.");
        for instruction in kernel.instructions().filter(atomic) {
            assert!(instruction.contains(".global."), "{}: {instruction}", kernel.name);
        }
    }
    let visit = kernels.iter().find(|kernel| kernel.name.starts_with("ikra_kernel_Growing_visit_")).unwrap();
    for operation in ["add.u32", "add.u64", "min.s32", "max.u64", "or.b32"] {
        assert!(visit.count(&format!("atom.relaxed.gpu.global.{operation}")) > 0, "{operation}");
    }
    // The best of floating-point numbers, and a claim.
    assert_eq!(visit.count("atom.relaxed.gpu.global.cas"), 3);
}

#[test]
fn elements_of_columns_are_accessed_as_a_whole() {
    let Some((_, code)) = code() else { return };
    let kernels = ptx::kernels(&code);
    let kernel = |name: &str| kernels.iter().find(|kernel| kernel.name.starts_with(name)).unwrap();
    // Of 16 bytes, and of 24, three times 8.
    assert_eq!(kernel("ikra_kernel_Sample_draw_").count("st.global.v4.b32"), 1);
    assert_eq!(kernel("ikra_kernel_Sample_evaluate_fast_").count("st.global.v2.b32"), 3);
}

#[test]
fn the_number_of_objects_is_read_once_where_a_kernel_begins() {
    let Some((_, code)) = code() else { return };
    let kernels = ptx::kernels(&code);
    let from_memory = COUNT;
    let named = |name: &str| kernels.iter().find(|kernel| kernel.name.starts_with(name)).unwrap();
    // A link made of a number is checked. Among the arguments the host has looked at it.
    let checked = named("ikra_kernel_Body_trust_id_");
    assert_eq!(checked.count(from_memory), 1, "{}", checked.body);
    let trusted = kernels.iter().find(|kernel| {
        kernel
            .name
            .strip_prefix("ikra_kernel_Body_trust_")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    let trusted = trusted.unwrap();
    assert_eq!((trusted.count(from_memory), trusted.count("call")), (0, 0), "{}", trusted.body);
    let mut others = 0;
    for kernel in &kernels {
        let start = kernel.body.find("$L__BB").unwrap_or(kernel.body.len());
        let (before, after) = kernel.body.split_at(start);
        let reads = |text: &str| text.lines().filter(|line| line.replace(" \t", " ").contains(from_memory)).count();
        assert_eq!(reads(after), 0, "{}: {after}", kernel.name);
        others += reads(before);
    }
    assert!(others > 10, "{others}");
}

#[test]
fn a_ref_on_a_stack_is_four_bytes() {
    let Some((path, code)) = code() else { return };
    let kernels = ptx::kernels(&code);
    let gather = kernels.iter().find(|kernel| kernel.name.starts_with("ikra_kernel_Tree_gather_")).unwrap();
    assert_eq!(gather.local_bytes(), 64 * 4, "{}", gather.body);
    let Some(ptxas) = ptxas::find() else { return };
    let usages = ptxas::assemble(&ptxas, path, "sm_90").unwrap();
    let gather = usages.iter().find(|usage| usage.kernel == gather.name).unwrap();
    // And the frame of the call that reports a panic.
    assert!((256..=320).contains(&gather.stack_bytes) && gather.spill_bytes == 0, "{gather:?}");
}

#[test]
fn a_loop_over_neighbours_asks_for_all_slots() {
    let Some((_, code)) = code() else { return };
    let kernels = ptx::kernels(&code);
    for (class, slots) in [("SoaPartial", 2), ("SoaCapacityPartial", 3), ("TilesPartial", 1), ("AosPartial", 2)] {
        let name = format!("ikra_kernel_{class}_survey_");
        let survey = kernels.iter().find(|kernel| kernel.name.starts_with(&name)).unwrap();
        let is_asked = |line: &&str| line.starts_with("\t@p") && line.contains(" ld.global.b32 ");
        assert_eq!(survey.body.lines().filter(is_asked).count(), slots, "{}", survey.body);
        assert_eq!(survey.local_bytes(), 0, "{name}");
        // The length and the place of the rest are one load, but in rows, where they are anywhere.
        assert_eq!(survey.count("ld.global.nc.v2.b32") == 0, class.starts_with("Aos"), "{}", survey.body);
    }
}

#[test]
fn every_architecture_takes_it() {
    let Some((path, _)) = code() else { return };
    let Some(ptxas) = ptxas::find() else {
        assert!(std::env::var_os("IKRA_REQUIRE_DEVICE_CODE").is_none(), "there is no ptxas");
        println!("SKIPPED: there is no ptxas");
        return;
    };
    let check = |architecture| {
        let usages = ptxas::assemble(&ptxas, path, architecture).unwrap();
        assert!(usages.len() > 50, "{}", usages.len());
        for usage in usages {
            assert_eq!(usage.spill_bytes, 0, "{usage:?} on {architecture}");
        }
    };
    std::thread::scope(|scope| {
        for architecture in ["sm_75", "sm_80", "sm_90", "sm_100"] {
            scope.spawn(move || check(architecture));
        }
    });
}

#[test]
fn a_virtual_call_compares_bits() {
    let Some((_, code)) = code() else { return };
    let kernels = ptx::kernels(&code);
    let named = |name: &str| kernels.iter().find(|kernel| kernel.name.starts_with(name)).unwrap();
    let calls = kernels
        .iter()
        .filter(|kernel| ["_Car_", "_Pedestrian_", "_Bus_"].iter().any(|class| kernel.name.contains(class)));
    for kernel in calls {
        assert!(
            !kernel.body.contains("call (") || !kernel.body.contains("prototype_"),
            "{}: an indirect call",
            kernel.name
        );
        assert_eq!(kernel.local_bytes(), 0, "{}", kernel.name);
    }
    // The class is in the link's bits. The loads are that of the link, that of a position, if there is a list of them, and that of
    // the class's constant, if it is looked up.
    let loads =
        |kernel: &ptx::Kernel| kernel.count("ld.global.b32") + kernel.count("ld.global.nc.b32") - kernel.count(COUNT);
    let count = named("ikra_kernel_Car_count_");
    assert!(loads(count) <= 3, "{}", count.body);
    // And the field of the object, of each class.
    let ask = named("ikra_kernel_Car_ask_");
    assert_eq!(loads(ask), 5, "{}", ask.body);
    // A link to an object of the first class is its id, which is looked at first and as it is.
    let first = |what: &str| ask.instructions().position(|instruction| instruction.contains(what));
    assert!(first(", 1073741823") < first("shr.u32"), "{}", ask.body);
    assert_eq!((ask.count("shr.u32"), ask.count("and.b32")), (1, 1), "the others' number and id: {}", ask.body);
}

#[test]
fn a_table_of_functions_looks_at_the_class_once() {
    let Some((_, code)) = code() else { return };
    // What is only declared ends before a body begins.
    let functions = code.split("\n.func ").skip(1).filter(|text| {
        let header = text.split(['{', ';']).next().unwrap_or_default();
        header.contains("8dispatch9functions4call") && text[header.len()..].starts_with('{')
    });
    let bodies: Vec<_> = functions.filter_map(|text| text.split("\n}").next()).collect();
    assert!(bodies.len() > 3, "there are {}", bodies.len());
    for body in bodies {
        assert!(!body.contains("\tcall"), "it calls something, as if the object could be of another class: {body}");
    }
}
