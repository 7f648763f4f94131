// Masses and springs: benches/models/src/model/structure.rs by hand.

#include "models.cuh"

using namespace models;

namespace {

constexpr float DT = 0.01f, DAMPING = 0.995f, GRAVITY = 0.05f, BREAKS_AT = 0.25f;
constexpr unsigned BLOCK = 256, SLOTS = 8;

struct Nodes {
    float2* pos;
    float2* vel;
    const float* mass;
    const std::uint8_t* pinned;
    const uint2* spans;
    const unsigned* slots[SLOTS];
    const unsigned* arena;
    unsigned n;
};

struct Springs {
    const unsigned* a;
    const unsigned* b;
    const float* length;
    const float* stiffness;
    float2* force;
    std::uint8_t* broken;
    unsigned n;
};

// The same passes over the same columns; a pair of numbers is one load.
__global__ void __launch_bounds__(BLOCK) pull(Nodes nodes, Springs s)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= s.n || s.broken[i]) return;
    const float2 a = nodes.pos[s.a[i]], b = nodes.pos[s.b[i]];
    const float x = b.x - a.x, y = b.y - a.y;
    const float length = sqrtf(x * x + y * y);
    const float rest = s.length[i], stretch = length - rest;
    if (stretch > BREAKS_AT * rest) {
        s.broken[i] = 1;
        s.force[i] = make_float2(0.0f, 0.0f);
    } else {
        const float scale = s.stiffness[i] * stretch / length;
        s.force[i] = make_float2(x * scale, y * scale);
    }
}

__device__ __forceinline__ void move(float2& pos, float2& vel, float2 force, float mass)
{
    vel.x = (vel.x + force.x / mass * DT) * DAMPING;
    vel.y = (vel.y + force.y / mass * DT) * DAMPING;
    pos.x += vel.x * DT;
    pos.y += vel.y * DT;
}

__global__ void __launch_bounds__(BLOCK) advance(Nodes nodes, Springs s)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= nodes.n || nodes.pinned[i]) return;
    const float mass = nodes.mass[i];
    const uint2 span = nodes.spans[i];
    float2 force = make_float2(0.0f, -GRAVITY * mass);
    auto add = [&](unsigned spring) {
        const float2 pull = s.force[spring];
        const float sign = s.a[spring] == i ? 1.0f : -1.0f;
        force.x += sign * pull.x;
        force.y += sign * pull.y;
    };
#pragma unroll
    for (unsigned k = 0; k < SLOTS; ++k)
        if (k < span.x) add(nodes.slots[k][i]);
    for (unsigned k = SLOTS; k < span.x; ++k) add(nodes.arena[span.y + k - SLOTS]);
    float2 pos = nodes.pos[i], vel = nodes.vel[i];
    move(pos, vel, force, mass);
    nodes.pos[i] = pos;
    nodes.vel[i] = vel;
}

// The best that we know with forces kept by springs: the two ends of a spring in one load, its length and stiffness too; which
// end of a spring a node is in the top bit of its link, so that nothing is looked up for it; all links loaded first.
constexpr unsigned OTHER_END = 1u << 31;

struct Packed {
    const uint2* ends;
    const float2* rest;  // length, stiffness
    float2* force;
    std::uint8_t* broken;
    unsigned n;
};

__global__ void __launch_bounds__(BLOCK) pull_packed(const float2* __restrict__ pos, Packed s)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= s.n) return;
    const uint2 ends = __ldg(&s.ends[i]);
    const bool broken = s.broken[i];
    const float2 rest = __ldg(&s.rest[i]);
    if (broken) return;
    const float2 a = __ldg(&pos[ends.x]), b = __ldg(&pos[ends.y]);
    const float x = b.x - a.x, y = b.y - a.y;
    const float length = sqrtf(x * x + y * y);
    const float stretch = length - rest.x;
    if (stretch > BREAKS_AT * rest.x) {
        s.broken[i] = 1;
        s.force[i] = make_float2(0.0f, 0.0f);
    } else {
        const float scale = rest.y * stretch / length;
        s.force[i] = make_float2(x * scale, y * scale);
    }
}

// `mass` is 0 for pinned nodes.
__global__ void __launch_bounds__(BLOCK) advance_packed(Nodes nodes, const float2* __restrict__ forces)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= nodes.n) return;
    const float mass = nodes.mass[i];
    if (mass == 0.0f) return;
    const uint2 span = nodes.spans[i];
    float2 pos = nodes.pos[i], vel = nodes.vel[i];
    unsigned links[SLOTS];
#pragma unroll
    for (unsigned k = 0; k < SLOTS; ++k) links[k] = k < span.x ? __ldg(&nodes.slots[k][i]) : NONE;
    float2 force = make_float2(0.0f, -GRAVITY * mass);
    auto add = [&](unsigned link) {
        const float2 pull = __ldg(&forces[link & ~OTHER_END]);
        const float sign = link & OTHER_END ? -1.0f : 1.0f;
        force.x += sign * pull.x;
        force.y += sign * pull.y;
    };
#pragma unroll
    for (unsigned k = 0; k < SLOTS; ++k)
        if (k < span.x) add(links[k]);
    for (unsigned k = SLOTS; k < span.x; ++k) add(nodes.arena[span.y + k - SLOTS]);
    move(pos, vel, force, mass);
    nodes.pos[i] = pos;
    nodes.vel[i] = vel;
}

}  // namespace

// `links` are the springs of each node, as rows of `offsets`.
EXPORT double model_structure(std::uint32_t best, std::uint32_t batches, std::uint32_t n, float* pos, float* vel,
                              const float* mass, const std::uint8_t* pinned, const std::uint32_t* offsets,
                              const std::uint32_t* links, std::uint32_t springs, const std::uint32_t* a,
                              const std::uint32_t* b, const float* length, const float* stiffness, std::uint8_t* broken)
{
    return guarded([&] {
        const unsigned node_grid = blocks_for(checked_count(n), BLOCK);
        const unsigned spring_grid = blocks_for(checked_count(springs), BLOCK);
        std::vector<uint2> spans(n);
        std::vector<unsigned> slots(SLOTS * std::size_t{n}), arena;
        for (std::size_t i = 0; i < n; ++i) {
            const unsigned count = offsets[i + 1] - offsets[i];
            spans[i] = make_uint2(count, static_cast<unsigned>(arena.size()));
            for (unsigned k = 0; k < count; ++k) {
                unsigned link = links[offsets[i] + k];
                if (best != 0 && a[link] != i) link |= OTHER_END;
                if (k < SLOTS) {
                    slots[k * std::size_t{n} + i] = link;
                } else {
                    arena.push_back(link);
                }
            }
        }
        const Column<uint2> span_column(spans.data(), n);
        const Column<unsigned> slot_columns(slots.data(), slots.size()), arena_column(arena.data(), arena.size());
        const Column<float2> positions(reinterpret_cast<const float2*>(pos), n),
            velocities(reinterpret_cast<const float2*>(vel), n);
        std::vector<float> masses(mass, mass + n);
        if (best != 0) {
            for (std::size_t i = 0; i < n; ++i)
                if (pinned[i]) masses[i] = 0.0f;
        }
        const Column<float> mass_column(masses.data(), n);
        const Column<std::uint8_t> pinned_column(pinned, n), broken_column(broken, springs);
        const Zeros<float2> force(springs);
        Nodes nodes = {positions.data(), velocities.data(), mass_column.data(), pinned_column.data(),
                       span_column.data(), {}, arena_column.data(), n};
        for (unsigned k = 0; k < SLOTS; ++k) nodes.slots[k] = slot_columns.data() + k * std::size_t{n};

        const Stream stream;
        double time = 0.0;
        if (best == 0) {
            const Column<unsigned> as(a, springs), bs(b, springs);
            const Column<float> lengths(length, springs), stiffnesses(stiffness, springs);
            const Springs s = {as.data(), bs.data(), lengths.data(), stiffnesses.data(), force.data(),
                               broken_column.data(), springs};
            time = median_step_ns(batches, stream, [&](unsigned) {
                for (unsigned step = 0; step < STEPS; ++step) {
                    pull<<<spring_grid, BLOCK, 0, stream>>>(nodes, s);
                    advance<<<node_grid, BLOCK, 0, stream>>>(nodes, s);
                }
            });
        } else {
            std::vector<uint2> ends(springs);
            std::vector<float2> rest(springs);
            for (std::size_t i = 0; i < springs; ++i) {
                ends[i] = make_uint2(a[i], b[i]);
                rest[i] = make_float2(length[i], stiffness[i]);
            }
            const Column<uint2> end_column(ends.data(), springs);
            const Column<float2> rest_column(rest.data(), springs);
            const Packed s = {end_column.data(), rest_column.data(), force.data(), broken_column.data(), springs};
            time = median_step_ns(batches, stream, [&](unsigned) {
                for (unsigned step = 0; step < STEPS; ++step) {
                    pull_packed<<<spring_grid, BLOCK, 0, stream>>>(positions.data(), s);
                    advance_packed<<<node_grid, BLOCK, 0, stream>>>(nodes, force.data());
                }
            });
        }
        positions.read(reinterpret_cast<float2*>(pos));
        velocities.read(reinterpret_cast<float2*>(vel));
        broken_column.read(broken);
        return time;
    });
}
