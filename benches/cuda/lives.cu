// Objects that move, die or have a child: the usual program by hand. A kernel moves them and counts what each leaves, 0, 1
// or 2 objects. CUB's scan of the counts gives each its place; a second kernel copies survivors and children there, into
// other buffers. The number of objects stays on the device: no step waits for the host.

#include <memory>

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "common.cuh"

namespace {

constexpr unsigned BLOCK = 256;
constexpr unsigned COLUMNS = 6;

struct Objects {
    float* values[COLUMNS];
    std::uint32_t* seeds;
};

__global__ void start(Objects objects, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (unsigned k = 0; k < COLUMNS; ++k) objects.values[k][i] = k < 3 ? static_cast<float>(i) : 1.0f;
    objects.seeds[i] = hash(i);
}

__global__ void live(Objects objects, const unsigned* count, unsigned capacity, std::uint8_t* left)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= capacity) return;
    if (i >= *count) {
        left[i] = 0;
        return;
    }
    for (unsigned k = 0; k < 3; ++k) objects.values[k][i] += objects.values[k + 3][i] * 0.01f;
    const std::uint32_t seed = objects.seeds[i] * 1664525u + 1013904223u;
    objects.seeds[i] = seed;
    const float drawn = static_cast<float>(hash(seed) >> 8) * (1.0f / (1 << 24));
    left[i] = drawn < 0.05f ? 0 : drawn >= 0.95f ? 2 : 1;
}

__global__ void move(Objects from, Objects to, const std::uint8_t* left, const unsigned* ends, unsigned* count,
                     unsigned capacity)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= capacity) return;
    const unsigned own = left[i], end = ends[i];
    if (i == capacity - 1) *count = min(end, capacity);
    if (own == 0 || end > capacity) return;
    const unsigned first = end - own;
    for (unsigned k = 0; k < COLUMNS; ++k) {
        const float value = from.values[k][i];
        to.values[k][first] = value;
        if (own == 2) to.values[k][first + 1] = k < 3 ? value : -value;
    }
    const std::uint32_t seed = from.seeds[i];
    to.seeds[first] = seed;
    if (own == 2) to.seeds[first + 1] = hash(seed ^ 0x9e3779b9u);
}

struct Widen {
    __host__ __device__ unsigned operator()(std::uint8_t n) const { return n; }
};

}  // namespace

EXPORT double births_and_deaths(std::uint64_t count)
{
    return guarded([&] {
        const unsigned n = checked_count(count), capacity = n + n / 8;
        std::vector<std::unique_ptr<Buffer<float>>> values;
        Buffer<std::uint32_t> seeds(2 * std::size_t{capacity});
        Objects all[2];
        for (unsigned half = 0; half < 2; ++half) {
            for (unsigned k = 0; k < COLUMNS; ++k) {
                values.push_back(std::make_unique<Buffer<float>>(capacity));
                all[half].values[k] = values.back()->data();
            }
            all[half].seeds = seeds.data() + half * std::size_t{capacity};
        }
        Buffer<std::uint8_t> left(capacity);
        Buffer<unsigned> ends(capacity), length(std::vector<unsigned>{n});
        const auto counts = thrust::make_transform_iterator(static_cast<const std::uint8_t*>(left.data()), Widen{});
        std::size_t bytes = 0;
        check(cub::DeviceScan::InclusiveSum(nullptr, bytes, counts, ends.data(), capacity));
        Buffer<std::uint8_t> scratch(bytes);
        const unsigned blocks = blocks_for(capacity, BLOCK);
        start<<<blocks, BLOCK>>>(all[0], n);
        check(cudaDeviceSynchronize());
        const Stream stream;
        unsigned now = 0;
        return median_launch_ns(stream, [&](cudaStream_t stream) {
            live<<<blocks, BLOCK, 0, stream>>>(all[now], length.data(), capacity, left.data());
            cub::DeviceScan::InclusiveSum(scratch.data(), bytes, counts, ends.data(), capacity, stream);
            move<<<blocks, BLOCK, 0, stream>>>(all[now], all[1 - now], left.data(), ends.data(), length.data(), capacity);
            now = 1 - now;
        });
    });
}
