// The game of life on linked cells: benches/models/src/model/life.rs by hand.

#include "models.cuh"

using namespace models;

namespace {

constexpr unsigned BLOCK = 256;

struct Links {
    const unsigned* around[8];
};

// The same pass over the same columns.
__global__ void __launch_bounds__(BLOCK)
    live(Links links, const std::uint8_t* __restrict__ alive, std::uint8_t* __restrict__ next, unsigned n)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    unsigned count = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) count += alive[links.around[k][i]];
    next[i] = count == 3 || (alive[i] && count == 2);
}

// The links of a cell side by side, in two loads.
__global__ void __launch_bounds__(BLOCK)
    live_rows(const uint4* __restrict__ links, const std::uint8_t* __restrict__ alive, std::uint8_t* __restrict__ next,
              unsigned n)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    const uint4 a = __ldg(&links[2 * i]), b = __ldg(&links[2 * i + 1]);
    const unsigned count = alive[a.x] + alive[a.y] + alive[a.z] + alive[a.w] + alive[b.x] + alive[b.y] + alive[b.z] + alive[b.w];
    next[i] = count == 3 || (alive[i] && count == 2);
}

}  // namespace

// `around` has eight columns of `n` numbers of cells.
EXPORT double model_life(std::uint32_t best, std::uint32_t batches, std::uint32_t n, const std::uint32_t* around,
                         std::uint8_t* alive)
{
    return guarded([&] {
        const unsigned grid = blocks_for(checked_count(n), BLOCK);
        const Stream stream;
        const Column<std::uint8_t> one(alive, n), two(alive, n);
        const std::size_t m = n;
        std::vector<unsigned> rows;
        if (best != 0) {
            rows.resize(8 * m);
            for (std::size_t i = 0; i < m; ++i)
                for (std::size_t k = 0; k < 8; ++k) rows[8 * i + k] = around[k * m + i];
        }
        const Column<unsigned> links(best != 0 ? rows.data() : around, 8 * m);
        Links columns;
        for (std::size_t k = 0; k < 8; ++k) columns.around[k] = links.data() + k * m;
        std::uint8_t *now = one.data(), *next = two.data();
        const double time = median_step_ns(batches, stream, [&](unsigned) {
            for (unsigned step = 0; step < STEPS; ++step) {
                if (best != 0) {
                    live_rows<<<grid, BLOCK, 0, stream>>>(reinterpret_cast<const uint4*>(links.data()), now, next, n);
                } else {
                    live<<<grid, BLOCK, 0, stream>>>(columns, now, next, n);
                }
                std::swap(now, next);
            }
        });
        (now == one.data() ? one : two).read(alive);
        return time;
    });
}
