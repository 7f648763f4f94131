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
nvcc="${NVCC:-nvcc} -O3 -std=c++17 -arch=$arch -Xcompiler -fPIC"
mkdir -p target/cuda
# Products and sums of the models and workloads round one by one, as Ikra's do unless asked otherwise.
for model in benches/cuda/models/*.cu benches/cuda/workloads/*.cu; do
    $nvcc -fmad=false "$@" -c -o "target/cuda/$(basename "$model" .cu).o" "$model"
done
exec $nvcc "$@" -shared -o target/cuda/libbaselines.so benches/cuda/*.cu target/cuda/*.o
