#!/usr/bin/env bash
# Runs the hostile programs and the tests of the runtime under AddressSanitizer and ThreadSanitizer.
# `scripts/sanitize.sh address` or `scripts/sanitize.sh thread` runs one of them; `scripts/sanitize.sh std` says which
# standard library it takes, and fails if that is not compiled with the sanitizer.
#
# A standard library that was compiled without it hides errors, and its locks look like none to ThreadSanitizer. So it is
# compiled too, where its sources are: by the nightly toolchain with the component rust-src; or by the system's compiler
# (on Debian rustc-web, cargo-web and rust-web-src), which is linked with the sanitizers of the nightly toolchain if both
# have the same LLVM. Otherwise ThreadSanitizer runs tests/behaviour/threads.rs alone, where worlds live within a task of a
# pool, whose threads hand over work by atomics, and scripts/tsan.supp leaves out the pool's own sleeping, starting and
# ending. That a race in a kernel is found is checked with one made on purpose.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(rustc +nightly -vV | sed -n 's/^host: //p')
nightly=$(rustc +nightly --print sysroot)

# The version of a compiler's LLVM, without what changes no interface.
llvm() { "$@" -vV | sed -n 's/^LLVM version: \([0-9]*\)\..*/\1/p'; }

system=${IKRA_SANITIZE_RUSTC-/usr/bin/rustc}
std=none
if [ -d "$nightly/lib/rustlib/src/rust/library" ]; then
    std=nightly
elif [ -x "$system" ] && [ -x "${system%rustc}cargo" ] &&
    [ -d "$("$system" --print sysroot)/lib/rustlib/src/rust/library" ] &&
    [ "$(llvm "$system")" = "$(llvm rustc +nightly)" ]; then
    std=system
fi

# Sets what a sanitizer needs: `use_sanitizer address asan`.
use_sanitizer() {
    export CARGO_TARGET_DIR=${CARGO_TARGET_DIR-target}/sanitize-$1
    # The tests are of the host's code.
    export IKRA_SKIP_DEVICE=1
    RUSTFLAGS="-Zsanitizer=$1"
    case $std in
        none) RUSTFLAGS+=" -Cunsafe-allow-abi-mismatch=sanitizer" ;;
        nightly) ;;
        system)
            local library="$nightly/lib/rustlib/$target/lib/librustc-nightly_rt.$2.a"
            RUSTFLAGS+=" -Zexternal-clangrt"
            for argument in -Wl,--whole-archive "$library" -Wl,--no-whole-archive; do
                RUSTFLAGS+=" -Zpre-link-args=$argument"
            done
            export RUSTC_BOOTSTRAP=1 RUSTC=$system
            ;;
    esac
    export RUSTFLAGS
}

tests() {
    case $std in
        none) cargo +nightly test --target "$target" "$@" ;;
        nightly) cargo +nightly test -Zbuild-std --target "$target" "$@" ;;
        system) "${system%rustc}cargo" test -Zbuild-std --target "$target" "$@" ;;
    esac
}

# All but those that call a compiler.
hostile() { IKRA_LONG=1 tests --no-fail-fast -p ikra-hostile-tests --test memory --test names --test order --test panics --test threads --test writes; }

address() {
    printf '\n== AddressSanitizer, %s\n' "$(describe)"
    use_sanitizer address asan
    export PROPTEST_CASES=6
    # Some programs forget what they made; and arrays of guards that were exchanged are leaked, as they must be.
    ASAN_OPTIONS=detect_leaks=0 hostile
    # Not tests/behaviour/threads.rs, whose pools are never ended: that is a leak to AddressSanitizer.
    tests -p ikra --test methods --test arrays
    IKRA_LONG=1 tests -p ikra --test behaviour -- executors:: objects:: reductions:: smoke:: worlds::
    # All layouts.
    IKRA_LONG=1 tests -p ikra-generated-tests --test properties --test arrays
    tests -p ikra-report --test layouts
    # Not the tests that ask for all memory there is. One leaks a guard's copies, as it must.
    ASAN_OPTIONS=detect_leaks=0 tests -p ikra --features cuda --test soundness -- --skip sizes
    tests -p ikra-public-api-tests --tests
}

thread() {
    printf '\n== ThreadSanitizer, %s\n' "$(describe)"
    use_sanitizer thread tsan
    if [ $std = none ]; then
        export TSAN_OPTIONS="suppressions=$PWD/scripts/tsan.supp exitcode=66"
        echo "NOT RUN: tests/hostile, for want of the sources of the standard library"
    else
        export TSAN_OPTIONS="exitcode=66"
        hostile
    fi
    tests -p ikra --test threads
    tests -p ikra --test soundness -- worlds::linking::a_table worlds::arrays::whole_rows
    local log=$CARGO_TARGET_DIR/planted.log
    if tests -p ikra --test threads -- --ignored planted_race >"$log" 2>&1; then
        echo "ThreadSanitizer missed the race made on purpose" >&2
        exit 1
    fi
    grep -q 'threads::Planted as threads::Counter' "$log"
    echo "the race made on purpose was found"
}

describe() {
    case $std in
        none) echo "with a standard library that was compiled without it" ;;
        nightly) echo "with the nightly toolchain's standard library compiled with it" ;;
        system) echo "with the standard library of $("$system" --version) compiled with it" ;;
    esac
}

case ${1-both} in
    both) (address); (thread) ;;
    address | thread) "$1" ;;
    std) describe; [ $std != none ]; exit ;;
    *) echo "usage: $0 [address|thread|std]" >&2; exit 2 ;;
esac
printf '\nno findings\n'
