#!/bin/sh
# Builds the baselines into target/cuda/libbaselines.so.
#
#   benches/cuda/build.sh [ARCH] [further nvcc options]
#
# ARCH is nvcc's -arch: sm_90 (Hopper) unless given; `native` is the GPU of this machine.
# NVCC names the compiler where it is not in the PATH.
set -eu
cd "$(dirname "$0")/../.."

arch=${1:-sm_90}
[ $# -eq 0 ] || shift
mkdir -p target/cuda
exec "${NVCC:-nvcc}" -O3 -std=c++17 -arch="$arch" -shared -Xcompiler -fPIC "$@" \
    -o target/cuda/libbaselines.so benches/cuda/*.cu
