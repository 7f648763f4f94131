#!/usr/bin/env bash
# Runs the hostile programs and the tests of the runtime under AddressSanitizer and ThreadSanitizer.
# `scripts/sanitize.sh address` or `scripts/sanitize.sh thread` runs one of them;
# `scripts/sanitize.sh address all` and `thread all` run all cases, as with IKRA_LONG=1, and further tests, which take long
# to compile; `address short` and `thread short` only the hostile programs that are about memory, or about threads. `scripts/sanitize.sh std` says which standard library it takes, and fails if that is not compiled with the
# sanitizer.
#
# A standard library that was compiled without it hides errors, and its locks look like none to ThreadSanitizer. So it is
# compiled too, where its sources are: by the nightly toolchain with the component rust-src; or by the system's compiler
# (on Debian rustc-web, cargo-web and rust-web-src), which is linked with the sanitizers of the nightly toolchain if both
# have the same LLVM. Otherwise ThreadSanitizer runs tests/behaviour/threads alone, where worlds live within a task of a
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

# Each run names the same packages, so that what they depend on is compiled once.
chosen() { tests -p ikra-hostile-tests -p ikra -p ikra-generated-tests -p ikra-report -p ikra-public-api-tests --features ikra/cuda "$@"; }

# All but those that call a compiler.
hostile=(--test memory --test names --test order --test panics --test threads --test writes --test lives)
[ "${2-}" != short ] || case $1 in
    address) hostile=(--test memory --test lives) ;;
    # Also that of tests/behaviour.
    thread) hostile=(--test threads) ;;
esac

# `step run some tests` says how long it took.
step() {
    local start=$SECONDS
    "$@"
    echo "$((SECONDS - start)) seconds"
}

address() {
    printf '\n== AddressSanitizer, %s\n' "$(describe)"
    use_sanitizer address asan
    export PROPTEST_CASES=6
    # Some programs forget what they made; arrays of guards that were exchanged are leaked, as they must be, and the threads
    # of some pools are never ended.
    export ASAN_OPTIONS=detect_leaks=0
    # `threads` is also that of tests/behaviour.
    if [ "$extent" = short ]; then
        step chosen --no-fail-fast "${hostile[@]}"
        return
    fi
    step chosen --no-run "${hostile[@]}" --test behaviour --test properties --test elements
    step chosen --no-fail-fast "${hostile[@]}"
    export ASAN_OPTIONS=detect_leaks=1
    # Not lives_soak, which measures the process's memory: the sanitizer keeps what was freed.
    step chosen --test behaviour -- executors:: lives:: lives_model:: objects:: reductions:: reorder:: smoke:: worlds::
    # All layouts.
    step chosen --test properties --test elements
    [ "$extent" = all ] || return 0
    step chosen --test methods --test arrays --test layouts --test models
    # Not the tests that ask for all memory there is. One leaks a guard's copies, as it must.
    ASAN_OPTIONS=detect_leaks=0 step chosen --test soundness -- --skip sizes
}

thread() {
    printf '\n== ThreadSanitizer, %s\n' "$(describe)"
    use_sanitizer thread tsan
    if [ $std = none ]; then
        export TSAN_OPTIONS="suppressions=$PWD/scripts/tsan.supp exitcode=66"
        echo "NOT RUN: tests/hostile, for want of the sources of the standard library"
        step tests -p ikra --test threads
    else
        export TSAN_OPTIONS="exitcode=66"
        step chosen --no-run "${hostile[@]}"
        # `threads` is also that of tests/behaviour.
        step chosen --no-fail-fast "${hostile[@]}"
    fi
    local log=$CARGO_TARGET_DIR/planted.log
    local planted=(chosen --test threads)
    [ $std != none ] || planted=(tests -p ikra --test threads)
    if "${planted[@]}" -- --ignored planted_race >"$log" 2>&1; then
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

extent=${2-}
# `cargo xtask ci` sets it for other tests.
unset IKRA_LONG
[ "$extent" != all ] || export IKRA_LONG=1
case ${1-both} in
    both) (address); (thread) ;;
    address | thread) "$1" ;;
    std) describe; [ $std != none ]; exit ;;
    *) echo "usage: $0 [address [all|short]|thread [all|short]|std]" >&2; exit 2 ;;
esac
printf '\nno findings\n'
