// Nearest points in a k-d tree: benches/models/src/model/tree.rs by hand.

#include "models.cuh"

using namespace models;

namespace {

constexpr unsigned BLOCK = 256;
constexpr int DEPTH = 64;

struct Nodes {
    const float2* pos;
    const std::uint8_t* axis;
    const unsigned* left;
    const unsigned* right;
};

struct Queries {
    const float2* pos;
    unsigned* nearest;
    float* distance;
    unsigned root;
    unsigned n;
};

struct Entry {
    unsigned node;
    float bound;
};

__device__ __forceinline__ float distance_to(float2 a, float2 b)
{
    const float x = b.x - a.x, y = b.y - a.y;
    return x * x + y * y;
}

// The same passes over the same columns: everything goes through the stack.
__global__ void __launch_bounds__(BLOCK) search_stack(Nodes t, Queries q)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= q.n) return;
    const float2 self = q.pos[i];
    Entry stack[DEPTH];
    stack[0] = {q.root, 0.0f};
    int depth = 1;
    float best = INFINITY;
    unsigned nearest = NONE;
    while (depth > 0) {
        const Entry entry = stack[--depth];
        if (entry.bound >= best) continue;
        const float2 pos = t.pos[entry.node];
        const float distance = distance_to(self, pos);
        if (distance < best) {
            best = distance;
            nearest = entry.node;
        }
        const float side = t.axis[entry.node] == 0 ? self.x - pos.x : self.y - pos.y;
        const unsigned left = t.left[entry.node], right = t.right[entry.node];
        const unsigned near = side < 0.0f ? left : right, far = side < 0.0f ? right : left;
        if (far != NONE) stack[depth++] = {far, side * side};
        if (near != NONE) stack[depth++] = {near, entry.bound};
    }
    q.nearest[i] = nearest;
    q.distance[i] = best;
}

__device__ void below(const Nodes& t, float2 self, unsigned node, float bound, float& best, unsigned& nearest)
{
    if (node == NONE || bound >= best) return;
    const float2 pos = t.pos[node];
    const float distance = distance_to(self, pos);
    if (distance < best) {
        best = distance;
        nearest = node;
    }
    const float side = t.axis[node] == 0 ? self.x - pos.x : self.y - pos.y;
    const unsigned left = t.left[node], right = t.right[node];
    below(t, self, side < 0.0f ? left : right, bound, best, nearest);
    below(t, self, side < 0.0f ? right : left, side * side, best, nearest);
}

__global__ void __launch_bounds__(BLOCK) search_recursively(Nodes t, Queries q)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= q.n) return;
    float best = INFINITY;
    unsigned nearest = NONE;
    below(t, q.pos[i], q.root, 0.0f, best, nearest);
    q.nearest[i] = nearest;
    q.distance[i] = best;
}

// The best that we know for the same walk: a node is one load of 16 bytes, of which the axis is the top bit of a link; the
// nearer child needs no stack; a child that is too far already is not pushed.

constexpr unsigned AXIS = 1u << 31, LINK = ~AXIS;

__global__ void __launch_bounds__(BLOCK) search_packed(const uint4* __restrict__ nodes, Queries q)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= q.n) return;
    const float2 self = q.pos[i];
    Entry stack[32];
    int depth = 0;
    float best = INFINITY;
    unsigned nearest = NONE, node = q.root;
    for (;;) {
        const uint4 raw = __ldg(&nodes[node]);
        const float2 pos = make_float2(__uint_as_float(raw.x), __uint_as_float(raw.y));
        const float distance = distance_to(self, pos);
        if (distance < best) {
            best = distance;
            nearest = node;
        }
        const float side = raw.z & AXIS ? self.y - pos.y : self.x - pos.x;
        const unsigned left = raw.z & LINK, right = raw.w;
        const unsigned near = side < 0.0f ? left : right, far = side < 0.0f ? right : left;
        const float bound = side * side;
        if (far != LINK && bound < best) stack[depth++] = {far, bound};
        node = near;
        if (node != LINK) continue;
        Entry entry;
        do {
            if (depth == 0) goto done;
            entry = stack[--depth];
        } while (entry.bound >= best);
        node = entry.node;
    }
done:
    q.nearest[i] = nearest;
    q.distance[i] = best;
}

}  // namespace

// `best` 0: a stack; 1: packed nodes; 2: recursion. `left` and `right` are 2^32 - 1 where there is no child.
EXPORT double model_tree(std::uint32_t best, std::uint32_t batches, std::uint32_t nodes, const float* pos,
                         const std::uint8_t* axis, const std::uint32_t* left, const std::uint32_t* right,
                         std::uint32_t root, std::uint32_t queries, const float* query_pos, std::uint32_t* nearest,
                         float* distance)
{
    return guarded([&] {
        const unsigned grid = blocks_for(checked_count(queries), BLOCK);
        const Stream stream;
        const Column<float2> asked(reinterpret_cast<const float2*>(query_pos), queries);
        const Buffer<unsigned> found(queries);
        const Buffer<float> distances(queries);
        const Queries q = {asked.data(), found.data(), distances.data(), root, queries};
        double time = 0.0;
        if (best == 1) {
            std::vector<uint4> packed(nodes);
            for (std::size_t i = 0; i < nodes; ++i) {
                std::uint32_t bits[2];
                std::copy_n(reinterpret_cast<const std::uint32_t*>(pos) + 2 * i, 2, bits);
                packed[i] = make_uint4(bits[0], bits[1], (left[i] & LINK) | (axis[i] != 0 ? AXIS : 0), right[i] & LINK);
            }
            const Column<uint4> tree(packed.data(), nodes);
            time = median_step_ns(batches, stream, [&](unsigned) {
                for (unsigned step = 0; step < STEPS; ++step) search_packed<<<grid, BLOCK, 0, stream>>>(tree.data(), q);
            });
        } else {
            const Column<float2> points(reinterpret_cast<const float2*>(pos), nodes);
            const Column<std::uint8_t> axes(axis, nodes);
            const Column<unsigned> lefts(left, nodes), rights(right, nodes);
            const Nodes t = {points.data(), axes.data(), lefts.data(), rights.data()};
            std::size_t before = 0;
            check(cudaDeviceGetLimit(&before, cudaLimitStackSize));
            if (best == 2) check(cudaDeviceSetLimit(cudaLimitStackSize, 32 << 10));
            time = median_step_ns(batches, stream, [&](unsigned) {
                for (unsigned step = 0; step < STEPS; ++step) {
                    if (best == 2) {
                        search_recursively<<<grid, BLOCK, 0, stream>>>(t, q);
                    } else {
                        search_stack<<<grid, BLOCK, 0, stream>>>(t, q);
                    }
                }
            });
            check(cudaDeviceSetLimit(cudaLimitStackSize, before));
        }
        check(cudaMemcpy(nearest, found.data(), found.bytes(), cudaMemcpyDeviceToHost));
        check(cudaMemcpy(distance, distances.data(), distances.bytes(), cudaMemcpyDeviceToHost));
        return time;
    });
}
