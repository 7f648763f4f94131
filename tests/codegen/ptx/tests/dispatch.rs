//! Calls of methods of several classes.

use ikra_build::ptx;
use ikra_ptx_tests::code;

use crate::counts::COUNT;

#[test]
fn a_virtual_call_compares_bits() {
    let Some(code) = code() else { return };
    let named = |name: &str| code.kernel(name);
    let calls = code
        .kernels
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
    // The class is in the link's bits. The loads are the link, a position if there is a list, and the class's constant
    // if it is looked up.
    let loads =
        |kernel: &ptx::Kernel| kernel.count("ld.global.b32") + kernel.count("ld.global.nc.b32") - kernel.count(COUNT);
    let count = named("ikra_kernel_Car_count_");
    assert!(loads(count) <= 3, "{}", count.body);
    // And the object's field, for each class.
    let ask = named("ikra_kernel_Car_ask_");
    assert_eq!(loads(ask), 5, "{}", ask.body);
    // A link to an object of the first class is its id, so this class is tested first, without decoding.
    let first = |what: &str| ask.instructions().position(|instruction| instruction.contains(what));
    assert!(first(", 1073741823") < first("shr.u32"), "{}", ask.body);
    assert_eq!((ask.count("shr.u32"), ask.count("and.b32")), (1, 1), "the others' number and id: {}", ask.body);
}

#[test]
fn a_table_of_functions_looks_at_the_class_once() {
    let Some(code) = code() else { return };
    // A declaration ends before a body begins.
    let functions = code.text.split("\n.func ").skip(1).filter(|text| {
        let header = text.split(['{', ';']).next().unwrap_or_default();
        header.contains("9functions4call") && text[header.len()..].starts_with('{')
    });
    let bodies: Vec<_> = functions.filter_map(|text| text.split("\n}").next()).collect();
    assert!(bodies.len() > 3, "there are {}", bodies.len());
    for body in bodies {
        assert!(!body.contains("\tcall"), "it calls something, as if the object could be of another class: {body}");
    }
}
