// Following links: each object walks `steps` links of a random permutation and adds up what it finds. Time
// is the memory's latency, so that what else an access takes shows: an address that may be of any memory
// ("generic") instead of a global one, and a check that the link is in range. The compiler unrolls loops that
// have a check four times and those without sixteen times, which is a difference of its own: "four a turn" are
// loops of which both have four links.

#include "common.cuh"

namespace {

struct Table {
    const unsigned* next;
    const unsigned* value;
    unsigned count;
};

// Pointers from here may point anywhere, as far as the compiler knows.
__constant__ Table table;

// Object i: next = (i * 2654435761 + 12345) mod n, a permutation for powers of two; value = i.
__global__ void init_nodes(unsigned* next, unsigned* value, unsigned* sum, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    next[i] = (i * 2654435761u + 12345u) & (n - 1);
    value[i] = i;
    sum[i] = 0;
}

// Adds up what the object at the end of a link carries, and takes its link.
template <bool CHECK>
__device__ __forceinline__ void hop(const unsigned* __restrict__ next, const unsigned* __restrict__ value, unsigned n,
                                    unsigned& at, unsigned& total)
{
    if (CHECK && at >= n) __trap();
    total += value[at];
    at = next[at];
}

template <bool CHECK>
__global__ void hop_global(const unsigned* __restrict__ next, const unsigned* __restrict__ value,
                           unsigned* __restrict__ sum, unsigned n, unsigned steps)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned at = next[i], total = 0;
    for (unsigned step = 0; step < steps; ++step) {
        hop<CHECK>(next, value, n, at, total);
    }
    sum[i] = total;
}

template <bool CHECK>
__global__ void hop_generic(unsigned* __restrict__ sum, unsigned n, unsigned steps)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned at = table.next[i], total = 0;
    for (unsigned step = 0; step < steps; ++step) {
        hop<CHECK>(table.next, table.value, table.count, at, total);
    }
    sum[i] = total;
}

template <bool CHECK>
__global__ void hop_four(const unsigned* __restrict__ next, const unsigned* __restrict__ value,
                         unsigned* __restrict__ sum, unsigned n, unsigned steps)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned at = next[i], total = 0;
#pragma unroll 4
    for (unsigned step = 0; step < steps; ++step) {
        hop<CHECK>(next, value, n, at, total);
    }
    sum[i] = total;
}

enum class Walk { Global, Generic, Four };

template <Walk WALK, bool CHECK>
double time_links(std::uint64_t count, std::uint32_t steps)
{
    return guarded([&] {
        const unsigned n = checked_count(count);
        if (n == 0 || (n & (n - 1)) != 0) throw Failure{cudaErrorInvalidValue};
        const Buffer<unsigned> next(n), value(n), sum(n);
        const unsigned grid = blocks_for(n, 256);
        init_nodes<<<grid, 256>>>(next.data(), value.data(), sum.data(), n);
        const Table filled = {next.data(), value.data(), n};
        check(cudaMemcpyToSymbol(table, &filled, sizeof filled));
        return measure(
            [&](cudaStream_t s) {
                if (WALK == Walk::Generic) {
                    hop_generic<CHECK><<<grid, 256, 0, s>>>(sum.data(), n, steps);
                } else if (WALK == Walk::Four) {
                    hop_four<CHECK><<<grid, 256, 0, s>>>(next.data(), value.data(), sum.data(), n, steps);
                } else {
                    hop_global<CHECK><<<grid, 256, 0, s>>>(next.data(), value.data(), sum.data(), n, steps);
                }
            },
            [](Checksum&) {});
    });
}

}  // namespace

EXPORT double links_global(std::uint64_t n, std::uint32_t steps) { return time_links<Walk::Global, false>(n, steps); }
EXPORT double links_global_checked(std::uint64_t n, std::uint32_t steps)
{
    return time_links<Walk::Global, true>(n, steps);
}
EXPORT double links_generic(std::uint64_t n, std::uint32_t steps) { return time_links<Walk::Generic, false>(n, steps); }
EXPORT double links_generic_checked(std::uint64_t n, std::uint32_t steps)
{
    return time_links<Walk::Generic, true>(n, steps);
}
EXPORT double links_four(std::uint64_t n, std::uint32_t steps) { return time_links<Walk::Four, false>(n, steps); }
EXPORT double links_four_checked(std::uint64_t n, std::uint32_t steps) { return time_links<Walk::Four, true>(n, steps); }
