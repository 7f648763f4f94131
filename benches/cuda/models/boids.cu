// Boids in linked cells: benches/models/src/model/boids.rs by hand.

#include "models.cuh"

using namespace models;

namespace {

constexpr float DT = 0.05f, COHESION = 0.05f, ALIGNMENT = 0.1f, SEPARATION = 0.6f, SPEED = 1.0f;
constexpr unsigned BLOCK = 256, ROOM = 32, AROUND = 9;

struct Cells {
    unsigned* entered;
    unsigned* count;
    unsigned* boids;  // ROOM per cell
    const unsigned* around[AROUND];
    unsigned n;
};

struct Boids {
    float2* pos;
    float2* vel;
    float2* turned;
    unsigned* cell;
    unsigned n;
};

__global__ void __launch_bounds__(BLOCK) enter(Cells c, Boids b)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= b.n) return;
    const unsigned cell = b.cell[i];
    const unsigned place = atomicAdd(&c.entered[cell], 1u);
    c.boids[cell * ROOM + place] = i;
}

__global__ void __launch_bounds__(BLOCK) sort(Cells c)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= c.n) return;
    const unsigned count = c.entered[i];
    c.entered[i] = 0;
    c.count[i] = count;
    unsigned* boids = c.boids + i * ROOM;
    for (unsigned n = 1; n < count; ++n) {
        const unsigned boid = boids[n];
        unsigned place = n;
        while (place > 0) {
            const unsigned before = boids[place - 1];
            if (before <= boid) break;
            boids[place--] = before;
        }
        boids[place] = boid;
    }
}

// What a boid sees of the others.
struct Seen {
    float2 pos, vel;
    float size;
    float count = 0.0f;
    float2 towards = {0.0f, 0.0f}, along = {0.0f, 0.0f}, away = {0.0f, 0.0f};

    __device__ __forceinline__ Seen(float2 pos, float2 vel, float size) : pos(pos), vel(vel), size(size) {}

    __device__ __forceinline__ float shortest(float d) const
    {
        if (d > 0.5f * size) return d - size;
        if (d < -0.5f * size) return d + size;
        return d;
    }

    __device__ __forceinline__ void add(float2 other, float2 their_vel)
    {
        const float x = shortest(other.x - pos.x), y = shortest(other.y - pos.y);
        const float distance = x * x + y * y;
        if (distance < 1.0f && distance > 0.0f) {
            count += 1.0f;
            towards.x += x;
            towards.y += y;
            along.x += their_vel.x;
            along.y += their_vel.y;
            away.x -= x * (1.0f - distance);
            away.y -= y * (1.0f - distance);
        }
    }

    __device__ __forceinline__ float2 turned() const
    {
        float2 v = vel;
        if (count > 0.0f) {
            v.x += COHESION * towards.x / count + ALIGNMENT * (along.x / count - vel.x) + SEPARATION * away.x;
            v.y += COHESION * towards.y / count + ALIGNMENT * (along.y / count - vel.y) + SEPARATION * away.y;
        }
        const float speed = sqrtf(v.x * v.x + v.y * v.y);
        if (speed > SPEED) v = make_float2(v.x / speed * SPEED, v.y / speed * SPEED);
        return v;
    }
};

__global__ void __launch_bounds__(BLOCK) flock(Cells c, Boids b, float size)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= b.n) return;
    Seen seen(b.pos[i], b.vel[i], size);
    const unsigned home = b.cell[i];
    for (unsigned k = 0; k < AROUND; ++k) {
        const unsigned cell = c.around[k][home], count = c.count[cell];
        for (unsigned n = 0; n < count; ++n) {
            const unsigned boid = c.boids[cell * ROOM + n];
            seen.add(b.pos[boid], b.vel[boid]);
        }
    }
    b.turned[i] = seen.turned();
}

__device__ __forceinline__ float moved(float x, float vel, float side)
{
    x += vel * DT;
    if (x < 0.0f) x += side;
    if (x >= side) x -= side;
    return x;
}

__global__ void __launch_bounds__(BLOCK) fly(Boids b, unsigned size)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= b.n) return;
    const float side = static_cast<float>(size);
    const float2 vel = b.turned[i], pos = b.pos[i];
    const float2 at = make_float2(moved(pos.x, vel.x, side), moved(pos.y, vel.y, side));
    b.vel[i] = vel;
    b.pos[i] = at;
    b.cell[i] = static_cast<unsigned>(at.x) * size + static_cast<unsigned>(at.y);
}

// The best that we know with links between cells: a cell's sorted boids bring what others look at along, so that nothing is
// looked up through them, and a boid turns and flies in one kernel, since others look at the copies.
struct Packed {
    unsigned* entered;
    unsigned* count;
    unsigned* boids;
    float4* copies;  // pos, vel; ROOM per cell
    const unsigned* around[AROUND];
    unsigned n;
};

__global__ void __launch_bounds__(BLOCK) enter_packed(Packed c, const float4* __restrict__ state, unsigned n, unsigned size)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    const float4 self = state[i];
    const unsigned cell = static_cast<unsigned>(self.x) * size + static_cast<unsigned>(self.y);
    c.boids[cell * ROOM + atomicAdd(&c.entered[cell], 1u)] = i;
}

__global__ void __launch_bounds__(BLOCK) sort_packed(Packed c, const float4* __restrict__ state)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= c.n) return;
    const unsigned count = c.entered[i];
    c.entered[i] = 0;
    c.count[i] = count;
    const unsigned* boids = c.boids + i * ROOM;
    // The place of each is the number of those before it.
    for (unsigned n = 0; n < count; ++n) {
        const unsigned boid = boids[n];
        unsigned place = 0;
        for (unsigned k = 0; k < count; ++k) place += boids[k] < boid;
        c.copies[i * ROOM + place] = state[boid];
    }
}

__global__ void __launch_bounds__(BLOCK)
    flock_packed(Packed c, const float4* __restrict__ copies, float4* __restrict__ state, unsigned n, unsigned size)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    const float side = static_cast<float>(size);
    const float4 self = state[i];
    Seen seen(make_float2(self.x, self.y), make_float2(self.z, self.w), side);
    const unsigned home = static_cast<unsigned>(self.x) * size + static_cast<unsigned>(self.y);
    unsigned cells[AROUND], counts[AROUND];
#pragma unroll
    for (unsigned k = 0; k < AROUND; ++k) cells[k] = __ldg(&c.around[k][home]);
#pragma unroll
    for (unsigned k = 0; k < AROUND; ++k) counts[k] = c.count[cells[k]];
#pragma unroll
    for (unsigned k = 0; k < AROUND; ++k) {
        const float4* cell = copies + cells[k] * ROOM;
        for (unsigned m = 0; m < counts[k]; ++m) {
            const float4 other = __ldg(&cell[m]);
            seen.add(make_float2(other.x, other.y), make_float2(other.z, other.w));
        }
    }
    const float2 vel = seen.turned();
    state[i] = make_float4(moved(self.x, vel.x, side), moved(self.y, vel.y, side), vel.x, vel.y);
}

}  // namespace

// `around` has nine columns of `size`² numbers of cells.
EXPORT double model_boids(std::uint32_t best, std::uint32_t batches, std::uint32_t size, const std::uint32_t* around,
                          std::uint32_t n, float* pos, float* vel)
{
    return guarded([&] {
        const std::size_t m = std::size_t{size} * size;
        const unsigned cell_grid = blocks_for(checked_count(m), BLOCK), grid = blocks_for(checked_count(n), BLOCK);
        const Stream stream;
        const Column<unsigned> links(around, AROUND * m);
        const Zeros<unsigned> entered(m), count(m);
        const Buffer<unsigned> boids(ROOM * m);
        float2 *host_pos = reinterpret_cast<float2*>(pos), *host_vel = reinterpret_cast<float2*>(vel);
        if (best == 0) {
            std::vector<unsigned> homes(n);
            for (std::size_t i = 0; i < n; ++i)
                homes[i] = static_cast<unsigned>(host_pos[i].x) * size + static_cast<unsigned>(host_pos[i].y);
            const Column<float2> positions(host_pos, n), velocities(host_vel, n);
            const Buffer<float2> turned(n);
            const Column<unsigned> home(homes.data(), n);
            Cells c = {entered.data(), count.data(), boids.data(), {}, static_cast<unsigned>(m)};
            for (unsigned k = 0; k < AROUND; ++k) c.around[k] = links.data() + k * m;
            const Boids b = {positions.data(), velocities.data(), turned.data(), home.data(), n};
            const double time = median_step_ns(batches, stream, [&](unsigned) {
                for (unsigned step = 0; step < STEPS; ++step) {
                    enter<<<grid, BLOCK, 0, stream>>>(c, b);
                    sort<<<cell_grid, BLOCK, 0, stream>>>(c);
                    flock<<<grid, BLOCK, 0, stream>>>(c, b, static_cast<float>(size));
                    fly<<<grid, BLOCK, 0, stream>>>(b, size);
                }
            });
            positions.read(host_pos);
            velocities.read(host_vel);
            return time;
        }
        std::vector<float4> states(n);
        for (std::size_t i = 0; i < n; ++i)
            states[i] = make_float4(host_pos[i].x, host_pos[i].y, host_vel[i].x, host_vel[i].y);
        const Column<float4> state(states.data(), n);
        const Buffer<float4> copies(ROOM * m);
        Packed c = {entered.data(), count.data(), boids.data(), copies.data(), {}, static_cast<unsigned>(m)};
        for (unsigned k = 0; k < AROUND; ++k) c.around[k] = links.data() + k * m;
        const double time = median_step_ns(batches, stream, [&](unsigned) {
            for (unsigned step = 0; step < STEPS; ++step) {
                enter_packed<<<grid, BLOCK, 0, stream>>>(c, state.data(), n, size);
                sort_packed<<<cell_grid, BLOCK, 0, stream>>>(c, state.data());
                flock_packed<<<grid, BLOCK, 0, stream>>>(c, copies.data(), state.data(), n, size);
            }
        });
        state.read(states.data());
        for (std::size_t i = 0; i < n; ++i) {
            host_pos[i] = make_float2(states[i].x, states[i].y);
            host_vel[i] = make_float2(states[i].z, states[i].w);
        }
        return time;
    });
}
