// Boids in space with a list of boids per cell: benches/models/src/model/flock.rs by hand. CUB sorts them by cell.

#include <utility>

#include <cub/device/device_radix_sort.cuh>

#include "models.cuh"

using namespace models;

namespace {

constexpr float RADIUS = 0.05f, APART = 0.02f, DT = 0.005f;
constexpr unsigned BLOCK = 256;

// A periodic grid over a cube, as `ikra::Grid` is.
struct Cells {
    unsigned size;
    float per_unit, side;

    __device__ __forceinline__ unsigned along(float x) const
    {
        const float all = static_cast<float>(size);
        float at = x * per_unit;
        at -= floorf(at / all) * all;
        return min(static_cast<unsigned>(at), size - 1);
    }

    __device__ __forceinline__ unsigned of(float3 pos) const
    {
        return along(pos.x) + (along(pos.y) + along(pos.z) * size) * size;
    }

    __device__ __forceinline__ float shortest(float d) const { return d - floorf(d / side + 0.5f) * side; }
};

struct Seen {
    float count = 0.0f;
    float3 centre = {0.0f, 0.0f, 0.0f}, along = {0.0f, 0.0f, 0.0f}, away = {0.0f, 0.0f, 0.0f};

    template <class Velocity>
    __device__ __forceinline__ void add(const Cells& cells, float3 own, float3 other, Velocity velocity)
    {
        const float x = cells.shortest(other.x - own.x), y = cells.shortest(other.y - own.y),
                    z = cells.shortest(other.z - own.z);
        const float distance2 = x * x + y * y + z * z;
        if (distance2 < RADIUS * RADIUS && distance2 > 0.0f) {
            const float3 vel = velocity();
            const float push = distance2 < APART * APART ? 1.0f : 0.0f;
            count += 1.0f;
            centre = make_float3(centre.x + x, centre.y + y, centre.z + z);
            along = make_float3(along.x + vel.x, along.y + vel.y, along.z + vel.z);
            away = make_float3(away.x - x * push, away.y - y * push, away.z - z * push);
        }
    }

    __device__ __forceinline__ float turned(float vel, float centre, float along, float away) const
    {
        if (count > 0.0f) vel += 0.1f * (centre / count) + 0.05f * (along / count - vel) + 0.2f * away;
        return vel;
    }

    __device__ __forceinline__ float3 turned(float3 vel) const
    {
        return make_float3(turned(vel.x, centre.x, along.x, away.x), turned(vel.y, centre.y, along.y, away.y),
                           turned(vel.z, centre.z, along.z, away.z));
    }
};

// Calls `visit` with the positions in the order of cells of all boids in a cell and in those next to it.
template <class Visit>
__device__ __forceinline__ void around(const Cells& cells, const unsigned* starts, float3 pos, Visit visit)
{
    const unsigned size = cells.size;
    const unsigned x = cells.along(pos.x), y = cells.along(pos.y), z = cells.along(pos.z);
    const unsigned left = x == 0 ? size - 1 : x - 1, below = y == 0 ? size - 1 : y - 1, behind = z == 0 ? size - 1 : z - 1;
    const unsigned end = left + 3;
    for (unsigned dz = 0; dz < 3; ++dz) {
        const unsigned plane = behind + dz < size ? behind + dz : behind + dz - size;
        for (unsigned dy = 0; dy < 3; ++dy) {
            const unsigned line = below + dy < size ? below + dy : below + dy - size;
            const unsigned row = (plane * size + line) * size;
            for (unsigned n = starts[row + left]; n < starts[row + min(end, size)]; ++n) visit(n);
            if (end > size) {
                for (unsigned n = starts[row]; n < starts[row + end - size]; ++n) visit(n);
            }
        }
    }
}

__device__ __forceinline__ float moved(float x, float vel, float side)
{
    x += vel * DT;
    if (x < 0.0f) x += side;
    if (x >= side) x -= side;
    return x;
}

__device__ __forceinline__ float3 moved(float3 pos, float3 vel, float side)
{
    return make_float3(moved(pos.x, vel.x, side), moved(pos.y, vel.y, side), moved(pos.z, vel.z, side));
}

template <class Position>
__global__ void __launch_bounds__(BLOCK)
    find_cells(Cells cells, const Position* pos, unsigned* keys, unsigned* numbers, unsigned n)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    keys[i] = cells.of(make_float3(pos[i].x, pos[i].y, pos[i].z));
    numbers[i] = i;
}

__global__ void __launch_bounds__(BLOCK) find_starts(const unsigned* keys, unsigned* starts, unsigned groups, unsigned n)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i > n) return;
    const unsigned first = i == 0 ? 0 : keys[i - 1] + 1, last = i == n ? groups : keys[i];
    for (unsigned key = first; key <= last; ++key) starts[key] = i;
}

__global__ void __launch_bounds__(BLOCK)
    look(Cells cells, const unsigned* starts, const unsigned* order, const float3* pos, const float3* vel, float3* turned,
         unsigned n)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    const float3 own = pos[i];
    Seen seen;
    around(cells, starts, own, [&](unsigned k) {
        const unsigned other = order[k];
        seen.add(cells, own, pos[other], [&] { return vel[other]; });
    });
    turned[i] = seen.turned(vel[i]);
}

__global__ void __launch_bounds__(BLOCK) fly(float3* pos, float3* vel, const float3* turned, float side, unsigned n)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    vel[i] = turned[i];
    pos[i] = moved(pos[i], turned[i], side);
}

// The best that we know: boids lie in the order of their cells, and fly in the kernel that looks.
__global__ void __launch_bounds__(BLOCK)
    gather(const unsigned* order, const float4* pos, const float4* vel, float4* to_pos, float4* to_vel, unsigned n)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    to_pos[i] = pos[order[i]];
    to_vel[i] = vel[order[i]];
}

__global__ void __launch_bounds__(BLOCK)
    look_and_fly(Cells cells, const unsigned* starts, const float4* __restrict__ pos, const float4* __restrict__ vel,
                 float4* to_pos, float4* to_vel, unsigned n)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    const float4 at = pos[i], with = vel[i];
    const float3 own = make_float3(at.x, at.y, at.z);
    Seen seen;
    around(cells, starts, own, [&](unsigned k) {
        const float4 other = __ldg(&pos[k]);
        seen.add(cells, own, make_float3(other.x, other.y, other.z), [&] {
            const float4 its = __ldg(&vel[k]);
            return make_float3(its.x, its.y, its.z);
        });
    });
    const float3 turned = seen.turned(make_float3(with.x, with.y, with.z));
    const float3 to = moved(own, turned, cells.side);
    to_pos[i] = make_float4(to.x, to.y, to.z, at.w);  // the number at the start
    to_vel[i] = make_float4(turned.x, turned.y, turned.z, 0.0f);
}

}  // namespace

// `size` cells along each axis of a cube with this side.
EXPORT double model_flock(std::uint32_t best, std::uint32_t batches, std::uint32_t size, float per_unit, float side,
                          std::uint32_t n, float* host_pos, float* host_vel)
{
    return guarded([&] {
        const Cells cells = {size, per_unit, side};
        const unsigned groups = size * size * size, blocks = blocks_for(checked_count(n), BLOCK);
        const Buffer<unsigned> keys(n), numbers(n), sorted(n), order(n), starts(std::size_t{groups} + 1);
        int bits = 1;
        while (bits < 32 && (groups - 1) >> bits != 0) ++bits;
        std::size_t bytes = 0;
        const auto sort = [&](void* scratch, cudaStream_t stream) {
            check(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data(), sorted.data(), numbers.data(),
                                                  order.data(), n, 0, bits, stream));
        };
        sort(nullptr, nullptr);
        const Buffer<std::uint8_t> scratch(bytes);
        const Stream stream;
        const auto group = [&](auto* pos) {
            find_cells<<<blocks, BLOCK, 0, stream>>>(cells, pos, keys.data(), numbers.data(), n);
            sort(scratch.data(), stream);
            find_starts<<<blocks_for(n + 1, BLOCK), BLOCK, 0, stream>>>(sorted.data(), starts.data(), groups, n);
        };
        if (best == 0) {
            float3 *all_pos = reinterpret_cast<float3*>(host_pos), *all_vel = reinterpret_cast<float3*>(host_vel);
            const Column<float3> pos(all_pos, n), vel(all_vel, n);
            const Buffer<float3> turned(n);
            const double time = median_step_ns(batches, stream, [&](unsigned) {
                for (unsigned step = 0; step < STEPS; ++step) {
                    group(pos.data());
                    look<<<blocks, BLOCK, 0, stream>>>(cells, starts.data(), order.data(), pos.data(), vel.data(),
                                                       turned.data(), n);
                    fly<<<blocks, BLOCK, 0, stream>>>(pos.data(), vel.data(), turned.data(), side, n);
                }
            });
            pos.read(all_pos);
            vel.read(all_vel);
            return time;
        }
        std::vector<float4> all_pos(n), all_vel(n);
        for (std::size_t i = 0; i < n; ++i) {
            float number;
            const std::uint32_t bits_of_number = static_cast<std::uint32_t>(i);
            static_assert(sizeof number == sizeof bits_of_number);
            __builtin_memcpy(&number, &bits_of_number, sizeof number);
            all_pos[i] = make_float4(host_pos[3 * i], host_pos[3 * i + 1], host_pos[3 * i + 2], number);
            all_vel[i] = make_float4(host_vel[3 * i], host_vel[3 * i + 1], host_vel[3 * i + 2], 0.0f);
        }
        const Column<float4> pos(all_pos.data(), n), vel(all_vel.data(), n);
        const Buffer<float4> near_pos(n), near_vel(n);
        const double time = median_step_ns(batches, stream, [&](unsigned) {
            for (unsigned step = 0; step < STEPS; ++step) {
                group(pos.data());
                gather<<<blocks, BLOCK, 0, stream>>>(order.data(), pos.data(), vel.data(), near_pos.data(),
                                                     near_vel.data(), n);
                look_and_fly<<<blocks, BLOCK, 0, stream>>>(cells, starts.data(), near_pos.data(), near_vel.data(),
                                                           pos.data(), vel.data(), n);
            }
        });
        pos.read(all_pos.data());
        vel.read(all_vel.data());
        for (std::size_t i = 0; i < n; ++i) {
            std::uint32_t number;
            __builtin_memcpy(&number, &all_pos[i].w, sizeof number);
            const float from[] = {all_pos[i].x, all_pos[i].y, all_pos[i].z, all_vel[i].x, all_vel[i].y, all_vel[i].z};
            std::copy(from, from + 3, host_pos + 3 * std::size_t{number});
            std::copy(from + 3, from + 6, host_vel + 3 * std::size_t{number});
        }
        return time;
    });
}
