// pos += vel * dt for n objects of four fields, in several layouts.

#include "common.cuh"

namespace {

constexpr unsigned BLOCK = 256;

// A power of two: the product is exact, so contraction to fma changes no bit.
constexpr double DT = 0.5;

// Body i: x = i, position (x, -x), velocity (x / 2, x / 4).
template <class T>
struct Body {
    T pos_x, pos_y, vel_x, vel_y;
};

template <class T>
__device__ Body<T> nth_body(unsigned i)
{
    const T x = static_cast<T>(i);
    return {x, -x, T(0.5) * x, T(0.25) * x};
}

// As Rust lays out `[T; 2]`: aligned as one T, so that an element takes two accesses.
template <class T>
struct Pair {
    T x, y;
};

// The same aligned to its size, as CUDA's float2 and double2: one vector access.
template <class T>
struct alignas(2 * sizeof(T)) AlignedPair {
    T x, y;
};

// A body aligned to 16 bytes: vector accesses of up to 16 bytes.
template <class T>
struct alignas(16) AlignedBody : Body<T> {};

__device__ unsigned thread_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// ------------------------------------------------------------------------------ struct of arrays

template <class T>
__global__ void init_soa(T* pos_x, T* pos_y, T* vel_x, T* vel_y, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    const Body<T> body = nth_body<T>(i);
    pos_x[i] = body.pos_x;
    pos_y[i] = body.pos_y;
    vel_x[i] = body.vel_x;
    vel_y[i] = body.vel_y;
}

template <class T>
__global__ void __launch_bounds__(BLOCK)
    advance_soa(T* __restrict__ pos_x, T* __restrict__ pos_y, const T* __restrict__ vel_x,
                const T* __restrict__ vel_y, unsigned n, T dt)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    // Both sums before the first store: the assembler, which no longer knows what __restrict__ said,
    // leaves loads behind stores that precede them.
    const T x = pos_x[i] + vel_x[i] * dt;
    const T y = pos_y[i] + vel_y[i] * dt;
    pos_x[i] = x;
    pos_y[i] = y;
}

template <class T>
__global__ void __launch_bounds__(BLOCK)
    advance_soa_stride(T* __restrict__ pos_x, T* __restrict__ pos_y, const T* __restrict__ vel_x,
                       const T* __restrict__ vel_y, unsigned n, T dt)
{
    for (unsigned i = thread_index(); i < n; i += gridDim.x * blockDim.x) {
        const T x = pos_x[i] + vel_x[i] * dt;
        const T y = pos_y[i] + vel_y[i] * dt;
        pos_x[i] = x;
        pos_y[i] = y;
    }
}

// As many blocks as the device holds at once.
template <class Kernel>
unsigned resident_blocks(Kernel kernel)
{
    int device = 0, processors = 0, per_processor = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, BLOCK, 0));
    return static_cast<unsigned>(processors * per_processor);
}

enum class Grid { ThreadAnObject, Stride };

template <class T>
double time_soa(std::uint64_t count, Grid kind)
{
    return guarded([&] {
        const unsigned n = checked_count(count);
        const unsigned grid = blocks_for(n, BLOCK);
        const Buffer<T> pos_x(n), pos_y(n), vel_x(n), vel_y(n);
        init_soa<<<grid, BLOCK>>>(pos_x.data(), pos_y.data(), vel_x.data(), vel_y.data(), n);

        const bool stride = kind == Grid::Stride;
        const auto kernel = stride ? advance_soa_stride<T> : advance_soa<T>;
        const unsigned blocks = stride ? std::min(grid, resident_blocks(kernel)) : grid;
        return measure(
            [&](cudaStream_t s) {
                kernel<<<blocks, BLOCK, 0, s>>>(pos_x.data(), pos_y.data(), vel_x.data(), vel_y.data(), n, T(DT));
            },
            [&](Checksum& sum) {
                sum.add(pos_x.data(), n);
                sum.add(pos_y.data(), n);
            });
    });
}

// ------------------------------------------------------------------------------ array of structs

template <class Row, class T>
__global__ void init_aos(Row* bodies, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) static_cast<Body<T>&>(bodies[i]) = nth_body<T>(i);
}

template <class Row, class T>
__global__ void __launch_bounds__(BLOCK) advance_aos(Row* __restrict__ bodies, unsigned n, T dt)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    // By value: where the alignment allows it, the loads become vector loads.
    Row body = bodies[i];
    body.pos_x += body.vel_x * dt;
    body.pos_y += body.vel_y * dt;
    bodies[i].pos_x = body.pos_x;
    bodies[i].pos_y = body.pos_y;
}

template <class Row, class T>
double time_aos(std::uint64_t count)
{
    return guarded([&] {
        const unsigned n = checked_count(count);
        const unsigned grid = blocks_for(n, BLOCK);
        const Buffer<Row> bodies(n);
        init_aos<Row, T><<<grid, BLOCK>>>(bodies.data(), n);
        return measure(
            [&](cudaStream_t s) { advance_aos<Row, T><<<grid, BLOCK, 0, s>>>(bodies.data(), n, T(DT)); },
            [&](Checksum& sum) {
                const unsigned stride = sizeof(Row) / sizeof(T);
                const T* first = reinterpret_cast<const T*>(bodies.data());
                sum.add(first + offsetof(Body<T>, pos_x) / sizeof(T), n, stride);
                sum.add(first + offsetof(Body<T>, pos_y) / sizeof(T), n, stride);
            });
    });
}

// ------------------------------------------------------------------------------ columns of arrays

template <class P, class T>
__global__ void init_array(P* pos, P* vel, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    const Body<T> body = nth_body<T>(i);
    pos[i] = P{body.pos_x, body.pos_y};
    vel[i] = P{body.vel_x, body.vel_y};
}

template <class P, class T>
__global__ void __launch_bounds__(BLOCK)
    advance_array(P* __restrict__ pos, const P* __restrict__ vel, unsigned n, T dt)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    P p = pos[i];
    const P v = vel[i];
    p.x += v.x * dt;
    p.y += v.y * dt;
    pos[i] = p;
}

template <class P, class T>
double time_array(std::uint64_t count)
{
    return guarded([&] {
        const unsigned n = checked_count(count);
        const unsigned grid = blocks_for(n, BLOCK);
        const Buffer<P> pos(n), vel(n);
        init_array<P, T><<<grid, BLOCK>>>(pos.data(), vel.data(), n);
        return measure(
            [&](cudaStream_t s) { advance_array<P, T><<<grid, BLOCK, 0, s>>>(pos.data(), vel.data(), n, T(DT)); },
            [&](Checksum& sum) {
                const T* first = reinterpret_cast<const T*>(pos.data());
                sum.add(first, n, 2);
                sum.add(first + 1, n, 2);
            });
    });
}

}  // namespace

EXPORT double advance_soa_f64(std::uint64_t n) { return time_soa<double>(n, Grid::ThreadAnObject); }
EXPORT double advance_soa_f32(std::uint64_t n) { return time_soa<float>(n, Grid::ThreadAnObject); }
EXPORT double advance_soa_stride_f64(std::uint64_t n) { return time_soa<double>(n, Grid::Stride); }
EXPORT double advance_soa_stride_f32(std::uint64_t n) { return time_soa<float>(n, Grid::Stride); }

EXPORT double advance_aos_f64(std::uint64_t n) { return time_aos<Body<double>, double>(n); }
EXPORT double advance_aos_f32(std::uint64_t n) { return time_aos<Body<float>, float>(n); }
EXPORT double advance_aos_aligned_f64(std::uint64_t n) { return time_aos<AlignedBody<double>, double>(n); }
EXPORT double advance_aos_aligned_f32(std::uint64_t n) { return time_aos<AlignedBody<float>, float>(n); }

EXPORT double advance_array_f64(std::uint64_t n) { return time_array<Pair<double>, double>(n); }
EXPORT double advance_array_f32(std::uint64_t n) { return time_array<Pair<float>, float>(n); }
EXPORT double advance_array_aligned_f64(std::uint64_t n) { return time_array<AlignedPair<double>, double>(n); }
EXPORT double advance_array_aligned_f32(std::uint64_t n) { return time_array<AlignedPair<float>, float>(n); }
