// All-pairs softened gravity in three dimensions: acc[i] += the pull of every body on body i.
//
// Columns as Rust lays them out: positions and accelerations as [T; 3] (12 or 24 bytes apart), masses
// as T. One thread a body.

#include "common.cuh"

namespace {

template <class T>
constexpr T EPS2 = T(0.01);

template <class T>
struct Vec3 {
    T x, y, z;
};

// Body i: coordinates in [-1, 1), mass in [1, 2).
template <class T>
__global__ void init_bodies(Vec3<T>* pos, T* mass, Vec3<T>* acc, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const auto coordinate = [i](unsigned k) { return T(2) * unit<T>(3 * i + k) - T(1); };
    pos[i] = {coordinate(0), coordinate(1), coordinate(2)};
    mass[i] = T(1) + T(i % 16) / T(16);
    acc[i] = {T(0), T(0), T(0)};
}

enum class Root { Ieee, Fast };

// 1 / sqrt(x): two correctly rounded operations, or the device's own within an ulp or two.
template <Root ROOT>
__device__ float inverse_root(float x)
{
    return ROOT == Root::Ieee ? 1.0f / sqrtf(x) : rsqrtf(x);
}

template <Root ROOT>
__device__ double inverse_root(double x)
{
    return ROOT == Root::Ieee ? 1.0 / sqrt(x) : rsqrt(x);
}

// Adds the pull of one other body. A body does not pull itself, nor one at the same place.
template <class T, Root ROOT>
__device__ void attract(Vec3<T>& acc, const Vec3<T>& self, T x, T y, T z, T mass)
{
    const T dx = x - self.x, dy = y - self.y, dz = z - self.z;
    const T dist2 = dx * dx + dy * dy + dz * dz;
    const T s2 = dist2 + EPS2<T>;
    const T inv = dist2 > T(0) ? inverse_root<ROOT>(s2) : T(0);
    const T pull = mass * inv * inv * inv;
    acc.x += pull * dx;
    acc.y += pull * dy;
    acc.z += pull * dz;
}

template <class T, Root ROOT, unsigned BLOCK>
__global__ void __launch_bounds__(BLOCK)
    force_naive(const Vec3<T>* __restrict__ pos, const T* __restrict__ mass, Vec3<T>* __restrict__ acc, unsigned n)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    const Vec3<T> self = pos[i];
    Vec3<T> sum = acc[i];
    for (unsigned j = 0; j < n; ++j) {
        const Vec3<T> other = pos[j];
        attract<T, ROOT>(sum, self, other.x, other.y, other.z, mass[j]);
    }
    acc[i] = sum;
}

// Position and mass side by side: one 16-byte access to shared memory an f32 body, two an f64 body.
template <class T>
struct alignas(16) Other {
    T x, y, z, mass;
};

// The last tile is filled up with bodies without mass, which add exact zeros: every tile has
// the same number of bodies, known to the compiler.
template <class T>
__device__ Other<T> other_of(const Vec3<T>* __restrict__ pos, const T* __restrict__ mass, unsigned j, unsigned n)
{
    if (j >= n) return {};
    const Vec3<T> at = pos[j];
    return {at.x, at.y, at.z, mass[j]};
}

template <class T, Root ROOT, unsigned BLOCK>
__global__ void __launch_bounds__(BLOCK)
    force_tiled(const Vec3<T>* __restrict__ pos, const T* __restrict__ mass, Vec3<T>* __restrict__ acc, unsigned n)
{
    __shared__ Other<T> tile[BLOCK];
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    // Threads past the end load tiles as the others do, and store nothing.
    const bool mine = i < n;
    const Vec3<T> self = mine ? pos[i] : Vec3<T>{};
    Vec3<T> sum = mine ? acc[i] : Vec3<T>{};

    for (unsigned first = 0; first < n; first += BLOCK) {
        tile[threadIdx.x] = other_of(pos, mass, first + threadIdx.x, n);
        __syncthreads();
#pragma unroll 16
        for (unsigned k = 0; k < BLOCK; ++k) {
            const Other<T> o = tile[k];
            attract<T, ROOT>(sum, self, o.x, o.y, o.z, o.mass);
        }
        __syncthreads();
    }
    if (mine) acc[i] = sum;
}

// Several threads for each body, one in each of ROWS rows of a block, which add up their sums at the end. The order of additions
// depends on ROWS.
template <class T, Root ROOT, unsigned BLOCK, unsigned ROWS>
__global__ void __launch_bounds__(BLOCK)
    force_split(const Vec3<T>* __restrict__ pos, const T* __restrict__ mass, Vec3<T>* __restrict__ acc, unsigned n)
{
    constexpr unsigned COLUMNS = BLOCK / ROWS;
    __shared__ Other<T> tile[BLOCK];
    __shared__ Vec3<T> sums[BLOCK];
    const unsigned column = threadIdx.x % COLUMNS, row = threadIdx.x / COLUMNS;
    const unsigned i = blockIdx.x * COLUMNS + column;
    const bool mine = i < n;
    const Vec3<T> self = mine ? pos[i] : Vec3<T>{};
    Vec3<T> sum{};
    for (unsigned first = 0; first < n; first += BLOCK) {
        tile[threadIdx.x] = other_of(pos, mass, first + threadIdx.x, n);
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < BLOCK; k += ROWS) {
            const Other<T> o = tile[k + row];
            attract<T, ROOT>(sum, self, o.x, o.y, o.z, o.mass);
        }
        __syncthreads();
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (mine && row == 0) {
        Vec3<T> all = acc[i];
        for (unsigned k = 0; k < ROWS; ++k) {
            const Vec3<T> one = sums[k * COLUMNS + column];
            all.x += one.x;
            all.y += one.y;
            all.z += one.z;
        }
        acc[i] = all;
    }
}

// The time of a kernel for all bodies in so many blocks.
template <class T, unsigned BLOCK, class Kernel>
double time_kernel(unsigned n, unsigned grid, Kernel kernel)
{
    const Buffer<Vec3<T>> pos(n), acc(n);
    const Buffer<T> mass(n);
    init_bodies<<<blocks_for(n, BLOCK), BLOCK>>>(pos.data(), mass.data(), acc.data(), n);
    return measure(
        [&](cudaStream_t s) { kernel<<<grid, BLOCK, 0, s>>>(pos.data(), mass.data(), acc.data(), n); },
        [&](Checksum& sum) {
            const T* first = &acc.data()->x;
            for (unsigned k = 0; k < 3; ++k) sum.add(first + k, n, 3);
        });
}

template <class T, unsigned ROWS>
double time_split(unsigned n)
{
    constexpr unsigned BLOCK = 128;
    return time_kernel<T, BLOCK>(n, blocks_for(n, BLOCK / ROWS), force_split<T, Root::Ieee, BLOCK, ROWS>);
}

// With the best number of threads for each body.
template <class T>
double time_split(std::uint64_t count)
{
    return guarded([&] {
        const unsigned n = checked_count(count);
        return std::min(
            {time_split<T, 4>(n), time_split<T, 8>(n), time_split<T, 16>(n), time_split<T, 32>(n)});
    });
}

enum class Loop { Naive, Tiled };

template <class T, Root ROOT, Loop LOOP, unsigned BLOCK>
double time_block(unsigned n)
{
    const auto kernel = LOOP == Loop::Naive ? force_naive<T, ROOT, BLOCK> : force_tiled<T, ROOT, BLOCK>;
    return time_kernel<T, BLOCK>(n, blocks_for(n, BLOCK), kernel);
}

// With blocks of `block` threads; 0 takes the better of the two sizes.
template <class T, Root ROOT, Loop LOOP>
double time_force(std::uint64_t count, unsigned block)
{
    return guarded([&] {
        const unsigned n = checked_count(count);
        switch (block) {
        case 128: return time_block<T, ROOT, LOOP, 128>(n);
        case 256: return time_block<T, ROOT, LOOP, 256>(n);
        case 0: return std::min(time_block<T, ROOT, LOOP, 128>(n), time_block<T, ROOT, LOOP, 256>(n));
        default: throw Failure{cudaErrorInvalidValue};
        }
    });
}

}  // namespace

EXPORT double force_naive_f32(std::uint64_t n) { return time_force<float, Root::Ieee, Loop::Naive>(n, 0); }
EXPORT double force_naive_f64(std::uint64_t n) { return time_force<double, Root::Ieee, Loop::Naive>(n, 0); }
EXPORT double force_naive_f32_fast(std::uint64_t n) { return time_force<float, Root::Fast, Loop::Naive>(n, 0); }
EXPORT double force_naive_f64_fast(std::uint64_t n) { return time_force<double, Root::Fast, Loop::Naive>(n, 0); }

EXPORT double force_tiled_f32(std::uint64_t n) { return time_force<float, Root::Ieee, Loop::Tiled>(n, 0); }
EXPORT double force_tiled_f64(std::uint64_t n) { return time_force<double, Root::Ieee, Loop::Tiled>(n, 0); }
EXPORT double force_tiled_f32_fast(std::uint64_t n) { return time_force<float, Root::Fast, Loop::Tiled>(n, 0); }
EXPORT double force_tiled_f64_fast(std::uint64_t n) { return time_force<double, Root::Fast, Loop::Tiled>(n, 0); }

EXPORT double force_split_f32(std::uint64_t n) { return time_split<float>(n); }
EXPORT double force_split_f64(std::uint64_t n) { return time_split<double>(n); }

// One block size by itself: 128 or 256.
EXPORT double force_tiled_block_f32(std::uint64_t n, std::uint32_t block)
{
    return block == 0 ? -double(cudaErrorInvalidValue) : time_force<float, Root::Ieee, Loop::Tiled>(n, block);
}
EXPORT double force_tiled_block_f64(std::uint64_t n, std::uint32_t block)
{
    return block == 0 ? -double(cudaErrorInvalidValue) : time_force<double, Root::Ieee, Loop::Tiled>(n, block);
}
