// Chains of a filter and a reduction as one hand-written kernel each: four objects per load, a sum per thread, warp and block.

#include <type_traits>

#include "common.cuh"

namespace {

constexpr unsigned BLOCK = 512;

__global__ void start_cars(float* speed, float* time, std::uint32_t* people, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    speed[i] = static_cast<float>(hash(2 * i) >> 8) / (1 << 24);
    time[i] = static_cast<float>(hash(2 * i + 1) >> 8) / (1 << 24);
    people[i] = hash(i) % 9;
}

struct Delay {
    using Column = float;
    __device__ static float of(float speed, float time) { return time - time * speed; }
};

struct Load {
    using Column = std::uint32_t;
    __device__ static std::uint32_t of(float, std::uint32_t people) { return people; }
};

template <class T>
struct alignas(16) Four {
    T x, y, z, w;
};

// Reads the second column for all objects, or only where one of four is chosen.
template <class Map, bool ALL>
__global__ void chain(const float* speed, const typename Map::Column* column, unsigned n, float below,
                      typename Map::Column* result)
{
    using T = typename Map::Column;
    __shared__ T sums[BLOCK / 32];
    const auto* speeds = reinterpret_cast<const Four<float>*>(speed);
    const auto* values = reinterpret_cast<const Four<T>*>(column);
    T sum = 0;
#pragma unroll 4
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n / 4; i += gridDim.x * BLOCK) {
        const Four<float> s = speeds[i];
        if (!ALL && s.x >= below && s.y >= below && s.z >= below && s.w >= below) continue;
        const Four<T> v = values[i];
        sum += s.x < below ? Map::of(s.x, v.x) : T{0};
        sum += s.y < below ? Map::of(s.y, v.y) : T{0};
        sum += s.z < below ? Map::of(s.z, v.z) : T{0};
        sum += s.w < below ? Map::of(s.w, v.w) : T{0};
    }
    for (unsigned i = n / 4 * 4 + blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        if (speed[i] < below) sum += Map::of(speed[i], column[i]);
    for (int width = 16; width > 0; width /= 2) sum += __shfl_down_sync(~0u, sum, width);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < BLOCK / 32 ? sums[threadIdx.x] : T{0};
        for (int width = 16; width > 0; width /= 2) sum += __shfl_down_sync(~0u, sum, width);
        if (threadIdx.x == 0) atomicAdd(result, sum);
    }
}

// The faster of the two ways to read, with as many blocks as run at once, or twice as many.
template <class Map>
double fastest(std::uint64_t count, std::uint32_t of_thousand)
{
    using T = typename Map::Column;
    const unsigned n = checked_count(count);
    const Buffer<float> speed(n), time(n);
    const Buffer<std::uint32_t> people(n);
    const Buffer<T> result(1);
    start_cars<<<blocks_for(n, 256), 256>>>(speed.data(), time.data(), people.data(), n);
    check(cudaDeviceSynchronize());
    const T* column;
    if constexpr (std::is_same_v<Map, Delay>) column = time.data();
    else column = people.data();
    int device = 0, processors = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    const float below = static_cast<float>(of_thousand) / 1000;
    const Stream stream;
    // Each launch by itself, as Ikra's kernels are timed. The sum of each starts at 0.
    const auto alone = [&](auto launch) {
        const Event start, stop;
        return median_of([&] {
            double milliseconds = 0;
            for (unsigned i = 0; i < 50; ++i) {
                start.record(stream);
                check(cudaMemsetAsync(result.data(), 0, sizeof(T), stream));
                launch(stream);
                stop.record(stream);
                milliseconds += stop.milliseconds_since(start);
            }
            return milliseconds * 1e6 / 50;
        });
    };
    double best = 1e30;
    for (const unsigned blocks : {4u * processors, 8u * processors, 64u * processors}) {
        best = std::min(best, alone([&](cudaStream_t s) {
                            chain<Map, true><<<blocks, BLOCK, 0, s>>>(speed.data(), column, n, below, result.data());
                        }));
        best = std::min(best, alone([&](cudaStream_t s) {
                            chain<Map, false><<<blocks, BLOCK, 0, s>>>(speed.data(), column, n, below, result.data());
                        }));
    }
    // For the checksum: the sum of one launch.
    check(cudaMemsetAsync(result.data(), 0, sizeof(T), stream));
    chain<Map, true><<<processors, BLOCK, 0, stream>>>(speed.data(), column, n, below, result.data());
    T sum{};
    check(cudaMemcpyAsync(&sum, result.data(), sizeof(T), cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    last_checksum_value = static_cast<double>(sum);
    return best;
}

}  // namespace

EXPORT double chain_delay(std::uint64_t count, std::uint32_t of_thousand)
{
    return guarded([&] { return fastest<Delay>(count, of_thousand); });
}

EXPORT double chain_load(std::uint64_t count, std::uint32_t of_thousand)
{
    return guarded([&] { return fastest<Load>(count, of_thousand); });
}
