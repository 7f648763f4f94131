// The game of life on linked cells: benches/models/src/model/life.rs by hand.

#include "models.cuh"

using namespace models;

namespace {

constexpr unsigned BLOCK = 256;

// The same pass over the same columns, and the best that we know: the links of a cell side by side, in two loads.
__global__ void __launch_bounds__(BLOCK)
    live(const uint4* __restrict__ links, const std::uint8_t* __restrict__ alive, std::uint8_t* __restrict__ next,
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
EXPORT double model_life(std::uint32_t, std::uint32_t batches, std::uint32_t n, const std::uint32_t* around,
                         std::uint8_t* alive)
{
    return guarded([&] {
        const unsigned grid = blocks_for(checked_count(n), BLOCK);
        const Stream stream;
        const Column<std::uint8_t> one(alive, n), two(alive, n);
        const std::size_t m = n;
        std::vector<unsigned> rows(8 * m);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t k = 0; k < 8; ++k) rows[8 * i + k] = around[k * m + i];
        const Column<unsigned> links(rows.data(), 8 * m);
        std::uint8_t *now = one.data(), *next = two.data();
        const double time = median_step_ns(batches, stream, [&](unsigned) {
            for (unsigned step = 0; step < STEPS; ++step) {
                live<<<grid, BLOCK, 0, stream>>>(reinterpret_cast<const uint4*>(links.data()), now, next, n);
                std::swap(now, next);
            }
        });
        (now == one.data() ? one : two).read(alive);
        return time;
    });
}
