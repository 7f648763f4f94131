// Many steps of pos += vel * dt in one launch: what keeping an object's fields in registers over a loop
// of method calls is worth. Few bodies, so that the chain of additions is what takes the time.

#include "common.cuh"

namespace {

constexpr double DT = 0.5;

// Block sizes that are tried: 8,000 bodies fill 32 blocks of 256 threads, and an H200 has 132
// multiprocessors.
constexpr unsigned BLOCKS[] = {32, 64, 128, 256};

// Body i: x = i, position (x, -x), velocity (x / 2, x / 4), as in advance.cu.
__global__ void init_bodies(double* pos_x, double* pos_y, double* vel_x, double* vel_y, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double x = i;
    pos_x[i] = x;
    pos_y[i] = -x;
    vel_x[i] = 0.5 * x;
    vel_y[i] = 0.25 * x;
}

// Loaded once, stored once. A floating-point sum may not be reordered, so every step is computed.
__global__ void advance_registers(double* __restrict__ pos_x, double* __restrict__ pos_y,
                                  const double* __restrict__ vel_x, const double* __restrict__ vel_y, unsigned n,
                                  double dt, unsigned steps)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = pos_x[i], y = pos_y[i];
    const double vx = vel_x[i], vy = vel_y[i];
    for (unsigned step = 0; step < steps; ++step) {
        x += vx * dt;
        y += vy * dt;
    }
    pos_x[i] = x;
    pos_y[i] = y;
}

// The columns may overlap as far as the compiler knows: it has to store each field before it loads the
// next, in every step. What a method over fields in memory compiles to.
__global__ void advance_memory(double* pos_x, double* pos_y, double* vel_x, double* vel_y, unsigned n, double dt,
                               unsigned steps)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (unsigned step = 0; step < steps; ++step) {
        pos_x[i] += vel_x[i] * dt;
        pos_y[i] += vel_y[i] * dt;
    }
}

// Volatile: the accesses also bypass the first-level cache.
__global__ void advance_volatile(volatile double* pos_x, volatile double* pos_y, volatile double* vel_x,
                                 volatile double* vel_y, unsigned n, double dt, unsigned steps)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (unsigned step = 0; step < steps; ++step) {
        pos_x[i] = pos_x[i] + vel_x[i] * dt;
        pos_y[i] = pos_y[i] + vel_y[i] * dt;
    }
}

// The best of all block sizes.
template <class Kernel>
double time_fused(Kernel kernel, std::uint64_t bodies, std::uint32_t steps)
{
    return guarded([&] {
        const unsigned n = checked_count(bodies);
        const Buffer<double> pos_x(n), pos_y(n), vel_x(n), vel_y(n);
        double best = 0.0;
        for (unsigned block : BLOCKS) {
            const unsigned grid = blocks_for(n, block);
            init_bodies<<<grid, block>>>(pos_x.data(), pos_y.data(), vel_x.data(), vel_y.data(), n);
            const double time = measure(
                [&](cudaStream_t s) {
                    kernel<<<grid, block, 0, s>>>(pos_x.data(), pos_y.data(), vel_x.data(), vel_y.data(), n, DT, steps);
                },
                [&](Checksum& sum) {
                    sum.add(pos_x.data(), n);
                    sum.add(pos_y.data(), n);
                });
            best = best == 0.0 ? time : std::min(best, time);
        }
        return best;
    });
}

}  // namespace

EXPORT double fused_advance_f64(std::uint64_t bodies, std::uint32_t steps)
{
    return time_fused(advance_registers, bodies, steps);
}

EXPORT double fused_advance_memory_f64(std::uint64_t bodies, std::uint32_t steps)
{
    return time_fused(advance_memory, bodies, steps);
}

EXPORT double fused_advance_volatile_f64(std::uint64_t bodies, std::uint32_t steps)
{
    return time_fused(advance_volatile, bodies, steps);
}
