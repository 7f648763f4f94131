// Reductions of one column by CUB, the library that CUDA programmers use for them.

#include <cub/device/device_reduce.cuh>

#include "common.cuh"

namespace {

template <class T>
__global__ void init_values(T* values, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = unit<T>(i + 1);
}

struct Sum {
    template <class T>
    static cudaError_t run(void* scratch, std::size_t& bytes, const T* in, T* out, unsigned n, cudaStream_t stream)
    {
        return cub::DeviceReduce::Sum(scratch, bytes, in, out, n, stream);
    }
};

struct Min {
    template <class T>
    static cudaError_t run(void* scratch, std::size_t& bytes, const T* in, T* out, unsigned n, cudaStream_t stream)
    {
        return cub::DeviceReduce::Min(scratch, bytes, in, out, n, stream);
    }
};

template <class Operation, class T>
double time_reduce(std::uint64_t count)
{
    return guarded([&] {
        const unsigned n = checked_count(count);
        const Buffer<T> values(n), result(1);
        init_values<<<blocks_for(n, 256), 256>>>(values.data(), n);

        // A call without scratch memory says how much it wants.
        std::size_t bytes = 0;
        check(Operation::run(nullptr, bytes, values.data(), result.data(), n, nullptr));
        const Buffer<char> scratch(std::max<std::size_t>(bytes, 1));
        return measure(
            [&](cudaStream_t s) {
                check(Operation::run(scratch.data(), bytes, values.data(), result.data(), n, s));
            },
            [&](Checksum& sum) { sum.add(result.data(), 1); });
    });
}

}  // namespace

EXPORT double reduce_sum_f32(std::uint64_t n) { return time_reduce<Sum, float>(n); }
EXPORT double reduce_sum_f64(std::uint64_t n) { return time_reduce<Sum, double>(n); }
EXPORT double reduce_min_f32(std::uint64_t n) { return time_reduce<Min, float>(n); }
EXPORT double reduce_min_f64(std::uint64_t n) { return time_reduce<Min, double>(n); }
