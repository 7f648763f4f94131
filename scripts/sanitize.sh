#!/usr/bin/env bash
# Runs the tests of the runtime under AddressSanitizer, and those of its threads under ThreadSanitizer,
# with a nightly toolchain. `scripts/sanitize.sh address` or `scripts/sanitize.sh thread` runs one of them.
#
# ThreadSanitizer does not see the locks of a standard library that was compiled without it, and nightly
# has no other unless `rust-src` is there. So it runs tests/threads.rs, where worlds live within a task of
# a pool, whose threads hand over work by atomics, and scripts/tsan.supp leaves out the pool's own sleeping,
# starting and ending. That a race in a kernel is found all the same is checked with one made on purpose.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(rustc +nightly -vV | sed -n 's/^host: //p')
build_std=()
if [ -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" ]; then
    build_std=(-Zbuild-std)
fi
tests() { cargo +nightly test "${build_std[@]}" --target "$target" "$@"; }

address() {
    printf '\n== AddressSanitizer\n'
    export RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=target/sanitize-address PROPTEST_CASES=6
    # Not tests/threads.rs, whose pools are never ended: that is a leak to AddressSanitizer.
    tests -p ikra --test methods --test executors --test properties --test layouts --test smoke --test worlds --test objects --test arrays --test reductions
    # Not the tests that ask for all memory there is. One leaks a guard's copies, as it must.
    ASAN_OPTIONS=detect_leaks=0 tests -p ikra --features cuda --test soundness -- --skip sizes
    tests -p ikra-public-api-tests --tests
}

thread() {
    printf '\n== ThreadSanitizer\n'
    export RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer"
    export CARGO_TARGET_DIR=target/sanitize-thread
    export TSAN_OPTIONS="suppressions=$PWD/scripts/tsan.supp exitcode=66"
    tests -p ikra --test threads
    tests -p ikra --test soundness -- worlds::linking::a_table worlds::arrays::whole_rows
    if tests -p ikra --test threads -- --ignored planted_race >target/planted.log 2>&1; then
        echo "ThreadSanitizer missed the race made on purpose" >&2
        exit 1
    fi
    grep -q 'threads::Planted as threads::Counter' target/planted.log
    echo "the race made on purpose was found"
}

case ${1-both} in
    both) (address); (thread) ;;
    address | thread) "$1" ;;
    *) echo "usage: $0 [address|thread]" >&2; exit 2 ;;
esac
printf '\nno findings\n'
