// An epidemic on a random graph: benches/models/src/model/epidemic.rs by hand.

#include "models.cuh"

#include <cub/device/device_reduce.cuh>

using namespace models;

namespace {

enum Health : std::uint8_t { Susceptible, Infected, Recovered };

constexpr std::uint64_t SEED = 7;
constexpr float TRANSMISSION = 0.03f, RECOVERY = 0.05f;
constexpr unsigned BLOCK = 256, SLOTS = 8;

// Lengths and offsets in one column, the first eight contacts in columns, the others in an arena.
struct Graph {
    const uint2* spans;
    const unsigned* slots[SLOTS];
    const unsigned* arena;
    unsigned n;
};

// The same passes over the same columns.
__global__ void __launch_bounds__(BLOCK)
    live(Graph g, const std::uint8_t* __restrict__ health, std::uint8_t* __restrict__ next, unsigned step)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= g.n) return;
    Random random(SEED, i + 1, step);
    std::uint8_t self = health[i];
    if (self == Susceptible) {
        const uint2 span = g.spans[i];
        bool infected = false;
#pragma unroll
        for (unsigned k = 0; k < SLOTS; ++k) {
            if (k < span.x && !infected) infected = health[g.slots[k][i]] == Infected && random.chance(TRANSMISSION);
        }
        for (unsigned k = SLOTS; k < span.x && !infected; ++k)
            infected = health[g.arena[span.y + k - SLOTS]] == Infected && random.chance(TRANSMISSION);
        if (infected) self = Infected;
    } else if (self == Infected) {
        if (random.chance(RECOVERY)) self = Recovered;
    }
    next[i] = self;
}

// The best that we know: who is infected as a bit each, which stays in the first caches; all contacts' bits are looked
// up before any number is drawn, only the infected ones draw; those infected are counted on the way, by warps.
template <bool COUNT>
__global__ void __launch_bounds__(BLOCK)
    live_bits(Graph g, std::uint8_t* __restrict__ health, const unsigned* __restrict__ bits,
              unsigned* __restrict__ next, unsigned* __restrict__ count, unsigned step)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    std::uint8_t self = Recovered;
    if (i < g.n) {
        self = health[i];
        const std::uint8_t before = self;
        if (self == Susceptible) {
            const uint2 span = g.spans[i];
            unsigned links[SLOTS], found = 0;
#pragma unroll
            for (unsigned k = 0; k < SLOTS; ++k) links[k] = k < span.x ? g.slots[k][i] : NONE;
#pragma unroll
            for (unsigned k = 0; k < SLOTS; ++k)
                if (links[k] != NONE) found += __ldg(&bits[links[k] / 32]) >> links[k] % 32 & 1;
            for (unsigned k = SLOTS; k < span.x; ++k) {
                const unsigned link = g.arena[span.y + k - SLOTS];
                found += __ldg(&bits[link / 32]) >> link % 32 & 1;
            }
            Random random(SEED, i + 1, step);
            for (; found > 0; --found) {
                if (random.chance(TRANSMISSION)) {
                    self = Infected;
                    break;
                }
            }
        } else if (self == Infected) {
            Random random(SEED, i + 1, step);
            if (random.chance(RECOVERY)) self = Recovered;
        }
        if (self != before) health[i] = self;
    }
    const unsigned mask = __ballot_sync(~0u, self == Infected);
    if (threadIdx.x % 32 == 0) {
        next[i / 32] = mask;
        if (COUNT) atomicAdd(count, __popc(mask));
    }
}

struct IsInfected {
    __host__ __device__ unsigned operator()(std::uint8_t health) const { return health == Infected; }
};

}  // namespace

// `links` are rows of `offsets`. With `counts`, the number of infected people is read after each step and added
// to it, 10 + 10 * `batches` numbers.
EXPORT double model_epidemic(std::uint32_t best, std::uint32_t batches, std::uint32_t n, const std::uint32_t* offsets,
                             const std::uint32_t* links, std::uint8_t* health, std::uint64_t* counts)
{
    return guarded([&] {
        const unsigned grid = blocks_for(checked_count(n), BLOCK);
        std::vector<uint2> spans(n);
        std::vector<unsigned> slots(SLOTS * std::size_t{n}), arena;
        for (std::size_t i = 0; i < n; ++i) {
            const unsigned length = offsets[i + 1] - offsets[i];
            spans[i] = make_uint2(length, static_cast<unsigned>(arena.size()));
            for (unsigned k = 0; k < length; ++k) {
                const unsigned link = links[offsets[i] + k];
                if (k < SLOTS) {
                    slots[k * std::size_t{n} + i] = link;
                } else {
                    arena.push_back(link);
                }
            }
        }
        const Column<uint2> span_column(spans.data(), n);
        const Column<unsigned> slot_columns(slots.data(), slots.size()), arena_column(arena.data(), arena.size());
        Graph g = {span_column.data(), {}, arena_column.data(), n};
        for (unsigned k = 0; k < SLOTS; ++k) g.slots[k] = slot_columns.data() + k * std::size_t{n};

        const Stream stream;
        unsigned* pinned = nullptr;
        check(cudaMallocHost(&pinned, sizeof *pinned));
        const Zeros<unsigned> sum(1);
        const Column<std::uint8_t> one(health, n), two(health, n);
        auto read_sum = [&] {
            check(cudaMemcpyAsync(pinned, sum.data(), sizeof *pinned, cudaMemcpyDeviceToHost, stream));
            stream.synchronize();
            *counts += *pinned;
        };
        double time = 0.0;
        if (best == 0) {
            std::uint8_t *now = one.data(), *next = two.data();
            std::size_t scratch_bytes = 0;
            check(cub::DeviceReduce::TransformReduce(nullptr, scratch_bytes, now, sum.data(), n, cuda::std::plus<>{},
                                                     IsInfected{}, 0u, stream));
            const Buffer<std::uint8_t> scratch(scratch_bytes);
            time = median_step_ns(batches, stream, [&](unsigned first) {
                for (unsigned step = first; step < first + STEPS; ++step) {
                    live<<<grid, BLOCK, 0, stream>>>(g, now, next, step);
                    std::swap(now, next);
                    if (counts == nullptr) continue;
                    check(cub::DeviceReduce::TransformReduce(scratch.data(), scratch_bytes, now, sum.data(), n,
                                                             cuda::std::plus<>{}, IsInfected{}, 0u, stream));
                    read_sum();
                }
            });
            (now == one.data() ? one : two).read(health);
        } else {
            const std::size_t words = grid * std::size_t{BLOCK} / 32;
            std::vector<unsigned> bits(words);
            for (std::size_t i = 0; i < n; ++i) bits[i / 32] |= static_cast<unsigned>(health[i] == Infected) << i % 32;
            const Column<unsigned> first_bits(bits.data(), words), second_bits(bits.data(), words);
            unsigned *now = first_bits.data(), *next = second_bits.data();
            time = median_step_ns(batches, stream, [&](unsigned first) {
                for (unsigned step = first; step < first + STEPS; ++step) {
                    if (counts == nullptr) {
                        live_bits<false><<<grid, BLOCK, 0, stream>>>(g, one.data(), now, next, nullptr, step);
                    } else {
                        check(cudaMemsetAsync(sum.data(), 0, sizeof(unsigned), stream));
                        live_bits<true><<<grid, BLOCK, 0, stream>>>(g, one.data(), now, next, sum.data(), step);
                        read_sum();
                    }
                    std::swap(now, next);
                }
            });
            one.read(health);
        }
        cudaFreeHost(pinned);
        return time;
    });
}
