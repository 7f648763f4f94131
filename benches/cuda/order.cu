// CUB's scan, sort and selection, of numbers and flags that are there already.

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "common.cuh"

namespace {

constexpr unsigned BLOCK = 256;

__global__ void start_numbers(std::uint32_t* numbers, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) numbers[i] = hash(i);
}

__global__ void start_flags(std::uint8_t* flags, unsigned n, unsigned of_thousand)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) flags[i] = hash(i) % 1000 < of_thousand;
}

// The time of work that takes scratch memory: it is called without, to learn how much, and then with it.
template <class Work>
double with_scratch(Work work)
{
    std::size_t bytes = 0;
    const Stream stream;
    check(work(nullptr, bytes, stream));
    Buffer<std::uint8_t> scratch(bytes);
    check(cudaDeviceSynchronize());
    return median_launch_ns(stream, [&](cudaStream_t stream) { work(scratch.data(), bytes, stream); });
}

}  // namespace

EXPORT double scan_u32(std::uint64_t count)
{
    return guarded([&] {
        const unsigned n = checked_count(count);
        Buffer<std::uint32_t> numbers(n), sums(n);
        start_numbers<<<blocks_for(n, BLOCK), BLOCK>>>(numbers.data(), n);
        return with_scratch([&](void* scratch, std::size_t& bytes, cudaStream_t stream) {
            return cub::DeviceScan::ExclusiveSum(scratch, bytes, numbers.data(), sums.data(), n, stream);
        });
    });
}

EXPORT double sort_pairs_u32(std::uint64_t count)
{
    return guarded([&] {
        const unsigned n = checked_count(count);
        Buffer<std::uint32_t> keys(n), values(n), sorted_keys(n), sorted_values(n);
        start_numbers<<<blocks_for(n, BLOCK), BLOCK>>>(keys.data(), n);
        start_numbers<<<blocks_for(n, BLOCK), BLOCK>>>(values.data(), n);
        return with_scratch([&](void* scratch, std::size_t& bytes, cudaStream_t stream) {
            return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data(), sorted_keys.data(), values.data(),
                                                   sorted_values.data(), n, 0, 32, stream);
        });
    });
}

EXPORT double select_flagged(std::uint64_t count, std::uint32_t of_thousand)
{
    return guarded([&] {
        const unsigned n = checked_count(count);
        Buffer<std::uint8_t> flags(n);
        Buffer<std::uint32_t> chosen(n), length(1);
        start_flags<<<blocks_for(n, BLOCK), BLOCK>>>(flags.data(), n, of_thousand);
        return with_scratch([&](void* scratch, std::size_t& bytes, cudaStream_t stream) {
            return cub::DeviceSelect::Flagged(scratch, bytes, thrust::make_counting_iterator(0u), flags.data(),
                                              chosen.data(), length.data(), n, stream);
        });
    });
}
