// Breadth-first search level by level: in each, every vertex of the frontier relaxes its neighbours. One
// launch a level, one thread a vertex; the host reads back after each whether anything changed.
//
// Vertices are a structure of arrays. Of a vertex's neighbours the first K are columns of their own, the
// others lie in an arena (K = 0: a graph in the usual compressed form). A link to a neighbour is a 4-byte
// number, or an 8-byte pointer to its distance.

#include <limits>
#include <optional>

#include "common.cuh"

namespace {

constexpr unsigned BLOCK = 256;
constexpr std::uint32_t UNREACHED = std::numeric_limits<std::uint32_t>::max();

// ------------------------------------------------------------------------------ links

struct IdLink {
    std::uint32_t id;

    static IdLink to(std::uint32_t vertex, std::uint32_t*) { return {vertex}; }
    __device__ std::uint32_t& distance(std::uint32_t* distances) const { return distances[id]; }
};

struct PointerLink {
    std::uint32_t* pointer;

    static PointerLink to(std::uint32_t vertex, std::uint32_t* distances) { return {distances + vertex}; }
    __device__ std::uint32_t& distance(std::uint32_t*) const { return *pointer; }
};

// ------------------------------------------------------------------------------ the graph

// Compressed rows in host memory, checked: kernels follow links without looking.
struct HostGraph {
    std::uint32_t vertices;
    const std::uint32_t* offsets;
    const std::uint32_t* targets;

    HostGraph(std::uint64_t n, const std::uint32_t* offsets, const std::uint32_t* targets)
        : vertices(checked_count(n)), offsets(offsets), targets(targets)
    {
        bool valid = offsets != nullptr && offsets[0] == 0;
        for (std::uint32_t v = 0; valid && v < vertices; ++v) valid = offsets[v] <= offsets[v + 1];
        valid = valid && (targets != nullptr || offsets[vertices] == 0);
        for (std::uint32_t e = 0; valid && e < offsets[vertices]; ++e) valid = targets[e] < vertices;
        if (!valid) throw Failure{cudaErrorInvalidValue};
    }
};

template <class Link, unsigned K>
class DeviceGraph {
public:
    explicit DeviceGraph(const HostGraph& graph) : distance_(graph.vertices), vertices_(graph.vertices)
    {
        const std::uint32_t n = graph.vertices;
        std::vector<std::uint32_t> degree(n), first(n);
        std::vector<Link> slots(std::size_t{K} * n), arena;
        arena.reserve(graph.offsets[n]);
        for (std::uint32_t v = 0; v < n; ++v) {
            const std::uint32_t* neighbours = graph.targets + graph.offsets[v];
            degree[v] = graph.offsets[v + 1] - graph.offsets[v];
            first[v] = static_cast<std::uint32_t>(arena.size());
            const auto link = [&](std::uint32_t j) { return Link::to(neighbours[j], distance_.data()); };
            const std::uint32_t inlined = std::min(degree[v], K);
            for (std::uint32_t j = 0; j < inlined; ++j) slots[std::size_t{j} * n + v] = link(j);
            for (std::uint32_t j = inlined; j < degree[v]; ++j) arena.push_back(link(j));
        }
        degree_.emplace(degree);
        first_.emplace(first);
        slots_.emplace(slots);
        arena_.emplace(arena);
    }

    std::uint32_t* distance() const { return distance_.data(); }
    const std::uint32_t* degree() const { return degree_->data(); }
    const std::uint32_t* first() const { return first_->data(); }  // of the neighbours in the arena
    const Link* slots() const { return slots_->data(); }           // K columns
    const Link* arena() const { return arena_->data(); }
    unsigned vertices() const { return vertices_; }

private:
    Buffer<std::uint32_t> distance_;
    std::optional<Buffer<std::uint32_t>> degree_, first_;
    std::optional<Buffer<Link>> slots_, arena_;
    unsigned vertices_;
};

// ------------------------------------------------------------------------------ kernels

__global__ void init_distances(std::uint32_t* distance, unsigned vertices, std::uint32_t source)
{
    const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices) distance[v] = v == source ? 0 : UNREACHED;
}

// Several vertices may reach the same neighbour at once: all store the same number, so that it does not
// matter who is first. `reached` becomes the last level that found a vertex: it needs no reset.
//
// What is only read is __restrict__, so that its loads need not wait for stores of distances. The
// distances are not: links may point into them.
template <class Link, unsigned K>
__global__ void __launch_bounds__(BLOCK)
    visit_frontier(std::uint32_t* distance, const std::uint32_t* __restrict__ degree,
                   const std::uint32_t* __restrict__ first, const Link* __restrict__ slots,
                   const Link* __restrict__ arena, unsigned vertices, std::uint32_t level, std::uint32_t* reached)
{
    const unsigned v = blockIdx.x * BLOCK + threadIdx.x;
    if (v >= vertices || distance[v] != level) return;

    const std::uint32_t next = level + 1;
    bool found = false;
    auto relax = [&](Link link) {
        std::uint32_t& other = link.distance(distance);
        if (other > next) {
            other = next;
            found = true;
        }
    };
    const unsigned neighbours = degree[v];
    const unsigned inlined = min(neighbours, K);
    for (unsigned j = 0; j < inlined; ++j) relax(slots[std::size_t{j} * vertices + v]);
    if (neighbours > K) {
        const Link* external = arena + first[v];
        for (unsigned j = 0; j < neighbours - K; ++j) relax(external[j]);
    }
    if (found) *reached = next;
}

// ------------------------------------------------------------------------------ measurements

// A number in page-locked host memory: copies to it do not wait for a staging buffer.
class PinnedWord {
public:
    PinnedWord() { check(cudaMallocHost(&word_, sizeof *word_)); }
    ~PinnedWord() { cudaFreeHost(word_); }
    PinnedWord(const PinnedWord&) = delete;
    PinnedWord& operator=(const PinnedWord&) = delete;
    std::uint32_t* get() const { return word_; }

private:
    std::uint32_t* word_ = nullptr;
};

template <class Link, unsigned K>
double time_search(const HostGraph& host, std::uint32_t source, std::uint32_t* levels)
{
    const DeviceGraph<Link, K> graph(host);
    const unsigned vertices = graph.vertices();
    const unsigned grid = blocks_for(vertices, BLOCK);
    const Buffer<std::uint32_t> reached(1);
    const PinnedWord last;
    const Stream stream;
    const Event start, stop;

    // From the first launch to the last answer; the initial distances are not counted.
    auto search_ns = [&] {
        init_distances<<<grid, BLOCK, 0, stream>>>(graph.distance(), vertices, source);
        check(cudaMemsetAsync(reached.data(), 0, reached.bytes(), stream));
        stream.synchronize();
        start.record(stream);
        std::uint32_t level = 0;
        do {
            visit_frontier<Link, K><<<grid, BLOCK, 0, stream>>>(graph.distance(), graph.degree(), graph.first(),
                                                                graph.slots(), graph.arena(), vertices, level,
                                                                reached.data());
            check(cudaMemcpyAsync(last.get(), reached.data(), sizeof *last.get(), cudaMemcpyDeviceToHost, stream));
            stream.synchronize();
            ++level;
        } while (*last.get() == level);
        stop.record(stream);
        check(cudaGetLastError());
        return stop.milliseconds_since(start) * 1e6;
    };

    for (double total = 0.0; total < 30e6;) total += search_ns();
    const double time = median_of(search_ns);

    Checksum checksum;
    checksum.add(graph.distance(), vertices);
    checksum.publish();
    if (levels != nullptr)
        check(cudaMemcpy(levels, graph.distance(), vertices * sizeof *levels, cudaMemcpyDeviceToHost));
    return time;
}

template <class Link>
double time_bfs(std::uint64_t n, const std::uint32_t* offsets, const std::uint32_t* targets, std::uint32_t source,
                std::uint32_t* levels, std::uint32_t k)
{
    return guarded([&] {
        const HostGraph graph(n, offsets, targets);
        if (source >= graph.vertices) throw Failure{cudaErrorInvalidValue};
        switch (k) {
        case 0: return time_search<Link, 0>(graph, source, levels);
        case 1: return time_search<Link, 1>(graph, source, levels);
        case 2: return time_search<Link, 2>(graph, source, levels);
        case 3: return time_search<Link, 3>(graph, source, levels);
        case 4: return time_search<Link, 4>(graph, source, levels);
        default: throw Failure{cudaErrorInvalidValue};
        }
    });
}

}  // namespace

EXPORT double bfs_soa(std::uint64_t n, const std::uint32_t* offsets, const std::uint32_t* targets,
                      std::uint32_t source, std::uint32_t* levels)
{
    return time_bfs<IdLink>(n, offsets, targets, source, levels, 0);
}

EXPORT double bfs_soa_ptr(std::uint64_t n, const std::uint32_t* offsets, const std::uint32_t* targets,
                          std::uint32_t source, std::uint32_t* levels)
{
    return time_bfs<PointerLink>(n, offsets, targets, source, levels, 0);
}

EXPORT double bfs_soa_inlined(std::uint64_t n, const std::uint32_t* offsets, const std::uint32_t* targets,
                              std::uint32_t source, std::uint32_t* levels, std::uint32_t k)
{
    return time_bfs<IdLink>(n, offsets, targets, source, levels, k);
}

EXPORT double bfs_soa_ptr_inlined(std::uint64_t n, const std::uint32_t* offsets, const std::uint32_t* targets,
                                  std::uint32_t source, std::uint32_t* levels, std::uint32_t k)
{
    return time_bfs<PointerLink>(n, offsets, targets, source, levels, k);
}
