// Breadth-first search with a worklist: each level has threads for the vertices that the one before has reached. The host
// reads their number after each level, or one kernel stays on the device.

#include "common.cuh"

#include <algorithm>
#include <chrono>
#include <cooperative_groups.h>
#include <utility>

namespace {

constexpr unsigned THREADS = 256;
constexpr unsigned UNREACHED = ~0u;

struct Graph {
    const unsigned* offsets;
    const unsigned* targets;
    unsigned* distances;
    // Three lists, each with its length before it.
    unsigned* lists[3];
};

// Each vertex is reached once: by the thread that changes its distance.
__device__ void visit(const Graph& graph, unsigned vertex, unsigned* next)
{
    const unsigned farther = graph.distances[vertex] + 1;
    for (unsigned edge = graph.offsets[vertex]; edge < graph.offsets[vertex + 1]; ++edge) {
        const unsigned to = graph.targets[edge];
        if (graph.distances[to] == UNREACHED && atomicCAS(graph.distances + to, UNREACHED, farther) == UNREACHED)
            next[1 + atomicAdd(next, 1)] = to;
    }
}

// As above, for up to four neighbours at the same time; the threads of a warp count those that they have reached together.
__device__ void visit_together(const Graph& graph, unsigned vertex, unsigned* next)
{
    constexpr unsigned FOUR = 4;
    const unsigned farther = graph.distances[vertex] + 1, end = graph.offsets[vertex + 1];
    for (unsigned edge = graph.offsets[vertex]; edge < end; edge += FOUR) {
        unsigned to[FOUR], distance[FOUR];
        bool reached[FOUR];
#pragma unroll
        for (unsigned k = 0; k < FOUR; ++k) to[k] = edge + k < end ? graph.targets[edge + k] : vertex;
#pragma unroll
        for (unsigned k = 0; k < FOUR; ++k) distance[k] = graph.distances[to[k]];
#pragma unroll
        for (unsigned k = 0; k < FOUR; ++k)
            reached[k] = distance[k] == UNREACHED && atomicCAS(graph.distances + to[k], UNREACHED, farther) == UNREACHED;
        const unsigned warp = __activemask(), lane = threadIdx.x % 32, first = __ffs(warp) - 1;
        unsigned before = 0, sum = 0;
#pragma unroll
        for (unsigned k = 0; k < FOUR; ++k) {
            const unsigned all = __ballot_sync(warp, reached[k]);
            before += __popc(all & ((1u << lane) - 1));
            sum += __popc(all);
        }
        if (sum == 0) continue;
        unsigned place = lane == first ? atomicAdd(next, sum) : 0;
        place = __shfl_sync(warp, place, first) + before;
#pragma unroll
        for (unsigned k = 0; k < FOUR; ++k)
            if (reached[k]) next[1 + place++] = to[k];
    }
}

__global__ void level(Graph graph, unsigned number, unsigned len)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *graph.lists[(number + 2) % 3] = 0;
    if (i < len) visit(graph, graph.lists[number % 3][1 + i], graph.lists[(number + 1) % 3]);
}

template <bool TOGETHER>
__global__ void resident(Graph graph)
{
    const auto grid = cooperative_groups::this_grid();
    const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (unsigned number = 0;; ++number) {
        const unsigned* const list = graph.lists[number % 3];
        const unsigned len = *static_cast<const volatile unsigned*>(list);
        if (len == 0) return;
        if (first == 0) *graph.lists[(number + 2) % 3] = 0;
        unsigned* const next = graph.lists[(number + 1) % 3];
        for (unsigned i = first; i < len; i += stride) {
            if (TOGETHER)
                visit_together(graph, list[1 + i], next);
            else
                visit(graph, list[1 + i], next);
        }
        grid.sync();
    }
}

__global__ void reset(Graph graph, unsigned n, unsigned source)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) graph.distances[i] = i == source ? 0 : UNREACHED;
    if (i == 0) {
        graph.lists[0][0] = 1;
        graph.lists[0][1] = source;
        graph.lists[1][0] = graph.lists[2][0] = 0;
    }
}

// Nanoseconds of a search, without starting anew.
template <class Run>
double time_search(std::uint64_t size, const unsigned* offsets, const unsigned* targets, unsigned source, unsigned* levels, Run run)
{
    const unsigned n = static_cast<unsigned>(size), m = offsets[n];
    Buffer<unsigned> from(n + 1), to(m), distances(n), lists(3 * (static_cast<std::size_t>(n) + 1));
    Stream stream;
    check(cudaMemcpy(from.data(), offsets, (n + 1) * sizeof(unsigned), cudaMemcpyHostToDevice));
    check(cudaMemcpy(to.data(), targets, m * sizeof(unsigned), cudaMemcpyHostToDevice));
    Graph graph{from.data(), to.data(), distances.data(), {}};
    for (unsigned k = 0; k < 3; ++k) graph.lists[k] = lists.data() + k * (static_cast<std::size_t>(n) + 1);
    double best = 0;
    for (int sample = 0; sample < 7; ++sample) {
        reset<<<(n + THREADS - 1) / THREADS, THREADS, 0, stream>>>(graph, n, source);
        stream.synchronize();
        // Once: a second search would find nothing.
        const auto start = std::chrono::steady_clock::now();
        run(graph, stream);
        const double time = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
        best = sample == 0 ? time : std::min(best, time);
    }
    check(cudaGetLastError());
    check(cudaMemcpy(levels, distances.data(), n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    return best;
}

// With the fastest of some numbers of blocks and threads.
double search_by(const void* kernel, std::uint64_t n, const std::uint32_t* offsets, const std::uint32_t* targets,
                 std::uint32_t source, std::uint32_t* levels)
{
    return guarded([&] {
        int device = 0, processors = 0;
        check(cudaGetDevice(&device));
        check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
        const unsigned all = static_cast<unsigned>(processors);
        double best = 0;
        for (const auto size : {std::pair(16u, 256u), std::pair(all / 4, 128u), std::pair(all / 4, 512u),
                                std::pair(all, 256u), std::pair(all, 1024u)}) {
            const double time =
                time_search(n, offsets, targets, source, levels, [&](const Graph& graph, Stream& stream) {
                    Graph copy = graph;
                    void* arguments[] = {&copy};
                    check(cudaLaunchCooperativeKernel(kernel, dim3(size.first), dim3(size.second), arguments, 0, stream));
                    stream.synchronize();
                });
            best = best == 0 ? time : std::min(best, time);
        }
        return best;
    });
}

}  // namespace

EXPORT double search_by_host(std::uint64_t n, const std::uint32_t* offsets, const std::uint32_t* targets,
                             std::uint32_t source, std::uint32_t* levels, std::uint32_t)
{
    return guarded([&] {
        return time_search(n, offsets, targets, source, levels, [](const Graph& graph, Stream& stream) {
            unsigned len = 1;
            for (unsigned number = 0; len != 0; ++number) {
                level<<<(len + THREADS - 1) / THREADS, THREADS, 0, stream>>>(graph, number, len);
                check(cudaMemcpyAsync(&len, graph.lists[(number + 1) % 3], sizeof len, cudaMemcpyDeviceToHost, stream));
                stream.synchronize();
            }
        });
    });
}

// One neighbour after another.
EXPORT double search_by_kernel(std::uint64_t n, const std::uint32_t* offsets, const std::uint32_t* targets,
                               std::uint32_t source, std::uint32_t* levels, std::uint32_t)
{
    return search_by(reinterpret_cast<const void*>(resident<false>), n, offsets, targets, source, levels);
}

// Several neighbours at the same time.
EXPORT double search_together(std::uint64_t n, const std::uint32_t* offsets, const std::uint32_t* targets,
                              std::uint32_t source, std::uint32_t* levels, std::uint32_t)
{
    return search_by(reinterpret_cast<const void*>(resident<true>), n, offsets, targets, source, levels);
}
