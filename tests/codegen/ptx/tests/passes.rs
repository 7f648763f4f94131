//! Passes over device code fire as often as expected. A pass that does not recognize a compiler's output would stop
//! firing.

use ikra_build::ptx::Fired;
use ikra_device_tests::device_code;
use ikra_test_gpu::device_code::is_long;

fn fired() -> Option<Fired> {
    let code = std::fs::read_to_string(device_code()?).unwrap();
    Some(Fired::read(&code).expect("device code says how often passes fired"))
}

/// For the classes of the short tier: with `IKRA_LONG=1` there are more.
#[test]
fn each_fires_as_often_as_before() {
    if is_long() {
        return;
    }
    let Some(fired) = fired() else { return };
    let expected = include_str!("../../passes.txt").lines().find_map(|line| line.strip_prefix("ikra-device-tests "));
    let expected = Fired::parse(expected.expect("a line of this package")).unwrap();
    let differences = fired.less_than(&expected);
    assert!(
        differences.is_empty(),
        "{}\ndocs/compilers.md says what that means; `cargo xtask passes bless` writes tests/codegen/passes.txt anew",
        differences.join("\n")
    );
}

#[test]
fn each_fires() {
    let Some(fired) = fired() else { return };
    for (pass, count) in &fired.counts {
        // These kernels call functions by address, so no function is known to be unused: `ikra-build` tests this pass.
        if pass != "uncalled" {
            assert!(count.is_some_and(|count| count > 0), "`{pass}` does not fire: {fired}");
        }
    }
    assert!(fired.counts.len() > 5, "{fired}");
}
