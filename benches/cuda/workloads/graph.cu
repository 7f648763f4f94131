// GraphChi's programs, with virtual edges and with virtual edges and vertices: benches/workloads/src/model/ve and ven.

#include "strategy.cuh"

using namespace workloads;

namespace {

constexpr unsigned HUB = 32;  // arcs

// What a program keeps in a vertex, and what edges carry.
struct Bfs {
    using State = unsigned;
    using Value = unsigned;
    static __device__ State start(unsigned vertex, unsigned) { return vertex == 0 ? 0 : ~0u; }
    static __device__ Value carry(State level) { return level == ~0u ? ~0u : level + 1; }
    static __device__ Value begin(State level) { return level; }
    static __device__ Value add(Value least, Value value) { return min(least, value); }
    static __device__ State finish(Value least, unsigned) { return least; }
};

struct Cc : Bfs {
    static __device__ State start(unsigned vertex, unsigned) { return vertex; }
    static __device__ Value carry(State label) { return label; }
};

struct Pr {
    struct State {
        float rank, share;
    };
    using Value = float;
    static __device__ State start(unsigned, unsigned count) { return {1.0f, 1.0f / count}; }
    static __device__ Value carry(State state) { return state.share; }
    static __device__ Value begin(State) { return 0.0f; }
    static __device__ Value add(Value sum, Value value) { return sum + value; }
    static __device__ State finish(Value sum, unsigned count)
    {
        const float rank = 0.15f + 0.85f * sum;
        return {rank, rank / count};
    }
};

__device__ unsigned result_of(unsigned state) { return state; }
__device__ unsigned result_of(Pr::State state) { return __float_as_uint(state.rank); }

struct Arcs {
    unsigned vertices, arcs;
    const unsigned* offsets;
    const unsigned* sources;
};

// The classes: edges in either direction are 0 and 1, vertices and hubs 2 and 3.
template <By BY, class P, bool HAS_VIRTUAL_VERTICES>
struct Classes {
    using State = typename P::State;
    using Value = typename P::Value;

    struct Edge;
    METHOD(ValueOf, 0, Value, value, (Edge * o), ());
    METHOD(Carry, 1, void, carry, (Edge * o), ());
    using EdgeMethods = Methods<ValueOf, Carry>;

    // What vertices have in common, virtual or not.
    struct Parts {
        State state;
        Edge** incoming;
        unsigned count;

        __device__ void collect()
        {
            Value sum = P::begin(state);
            for (unsigned k = 0; k < count; ++k) sum = P::add(sum, call<BY, ValueOf>(incoming[k]));
            state = P::finish(sum, count);
        }
    };

    struct Plain {
        Parts parts;
        __device__ explicit Plain(Parts parts) : parts(parts) {}
    };
    struct Virtual {
        Parts parts;
        __device__ explicit Virtual(Parts parts) : parts(parts) {}
        virtual __device__ State here() { return parts.state; }
        virtual __device__ void gather() { parts.collect(); }
    };
    template <int C>
    struct VertexOf : Virtual {
        __device__ explicit VertexOf(Parts parts) : Virtual(parts) {}
        __device__ State here() override { return this->parts.state; }
        __device__ void gather() override { this->parts.collect(); }
    };
    METHOD(Here, 0, State, here, (Virtual * o), ());
    METHOD(Gather, 1, void, gather, (Virtual * o), ());
    using VertexMethods = Methods<Here, Gather>;
    using Vertex = std::conditional_t<HAS_VIRTUAL_VERTICES, Virtual, Plain>;

    static __device__ __forceinline__ State state_of(Vertex* vertex)
    {
        if constexpr (HAS_VIRTUAL_VERTICES) {
            return call<BY, Here>(vertex);
        } else {
            return at<BY>(vertex)->parts.state;
        }
    }

    struct Edge {
        Value carried;
        Vertex* from;
        __device__ explicit Edge(Vertex* from) : carried(), from(from) {}
        virtual __device__ Value value() = 0;
        virtual __device__ void carry() = 0;
    };
    template <int C>
    struct EdgeOf : Edge {
        __device__ explicit EdgeOf(Vertex* from) : Edge(from) {}
        __device__ Value value() override { return this->carried; }
        __device__ void carry() override { this->carried = P::carry(state_of(this->from)); }
    };
};

// Edges to older vertices have class 0.
__host__ __device__ unsigned class_of_edge(unsigned source, unsigned vertex) { return source > vertex ? 0 : 1; }

template <class W, By BY, bool HAS_VIRTUAL_VERTICES>
__global__ void make_vertices(Arcs arcs, typename W::Vertex** vertices, typename W::Edge** edges, char* base,
                              const std::size_t* places)
{
    const unsigned i = thread_index();
    if (i >= arcs.vertices) return;
    const unsigned first = arcs.offsets[i], count = arcs.offsets[i + 1] - first;
    const typename W::Parts parts = {{}, edges + first, count};
    char* const place = BY == By::New ? nullptr : base + places[i];
    if constexpr (!HAS_VIRTUAL_VERTICES) {
        vertices[i] = create<BY, typename W::Plain>(place, 2, parts);
    } else if (count < HUB) {
        vertices[i] = create<BY, typename W::template VertexOf<0>>(place, 2, parts);
    } else {
        vertices[i] = create<BY, typename W::template VertexOf<1>>(place, 3, parts);
    }
}

template <class W, By BY>
__global__ void make_edges(Arcs arcs, const unsigned* targets, typename W::Vertex* const* vertices,
                           typename W::Edge** edges, char* base, const std::size_t* places)
{
    const unsigned i = thread_index();
    if (i >= arcs.arcs) return;
    char* const place = BY == By::New ? nullptr : base + places[i];
    const unsigned source = arcs.sources[i];
    if (class_of_edge(source, targets[i]) == 0) {
        edges[i] = create<BY, typename W::template EdgeOf<0>>(place, 0, vertices[source]);
    } else {
        edges[i] = create<BY, typename W::template EdgeOf<1>>(place, 1, vertices[source]);
    }
}

template <class W, By BY, class P>
__global__ void start(typename W::Vertex* const* vertices, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    auto& parts = at<BY>(vertices[i])->parts;
    parts.state = P::start(i, parts.count);
}

template <class W, By BY>
__global__ void carry(typename W::Edge* const* edges, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) call<BY, typename W::Carry>(edges[i]);
}

template <class W, By BY, bool HAS_VIRTUAL_VERTICES>
__global__ void gather(typename W::Vertex* const* vertices, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    if constexpr (HAS_VIRTUAL_VERTICES) {
        call<BY, typename W::Gather>(vertices[i]);
    } else {
        at<BY>(vertices[i])->parts.collect();
    }
}

template <class W, By BY>
__global__ void results(typename W::Vertex* const* vertices, unsigned n, unsigned* result)
{
    const unsigned i = thread_index();
    if (i < n) result[i] = result_of(at<BY>(vertices[i])->parts.state);
}

template <By BY, class P, bool HAS_VIRTUAL_VERTICES>
double with_objects(unsigned iterations, const unsigned* offsets, const unsigned* sources, Arcs arcs, unsigned* result,
                    double* making)
{
    using W = Classes<BY, P, HAS_VIRTUAL_VERTICES>;
    const unsigned n = arcs.vertices, m = arcs.arcs;
    const Clock clock;
    std::vector<unsigned> targets(m);
    for (unsigned v = 0; v < n; ++v) std::fill(&targets[0] + offsets[v], &targets[0] + offsets[v + 1], v);
    Heap heap({sizeof(typename W::template EdgeOf<0>), sizeof(typename W::template EdgeOf<1>), sizeof(typename W::Vertex),
               sizeof(typename W::Vertex)});
    std::vector<std::size_t> vertex_places, edge_places;
    if constexpr (BY != By::New) {
        for (unsigned v = 0; v < n; ++v) {
            const bool is_hub = HAS_VIRTUAL_VERTICES && offsets[v + 1] - offsets[v] >= HUB;
            vertex_places.push_back(heap.add(is_hub ? 3 : 2));
        }
        for (unsigned i = 0; i < m; ++i) edge_places.push_back(heap.add(class_of_edge(sources[i], targets[i])));
        heap.seal();
    }
    char* const base = BY == By::New ? nullptr : heap.base();
    const Buffer<std::size_t> vertex_offsets(vertex_places), edge_offsets(edge_places);
    const Buffer<unsigned> target_column(targets);
    const Buffer<typename W::Vertex*> vertices(n);
    const Buffer<typename W::Edge*> edges(m);
    launch(n, make_vertices<W, BY, HAS_VIRTUAL_VERTICES>, arcs, vertices.data(), edges.data(), base,
           vertex_offsets.data());
    launch(m, make_edges<W, BY>, arcs, target_column.data(), vertices.data(), edges.data(), base, edge_offsets.data());
    Tables tables(4);
    fill_tables<typename W::EdgeMethods, typename W::template EdgeOf<0>, typename W::template EdgeOf<1>>
        <<<1, 1>>>(tables.functions(), 0);
    if constexpr (HAS_VIRTUAL_VERTICES) {
        fill_tables<typename W::VertexMethods, typename W::template VertexOf<0>, typename W::template VertexOf<1>>
            <<<1, 1>>>(tables.functions(), 2);
    }
    tables.use<BY>(heap);
    *making = clock.nanoseconds();

    auto steps = [&](unsigned count) {
        launch(n, start<W, BY, P>, vertices.data(), n);
        const Clock clock;
        for (unsigned k = 0; k < count; ++k) {
            launch(m, carry<W, BY>, edges.data(), m);
            launch(n, gather<W, BY, HAS_VIRTUAL_VERTICES>, vertices.data(), n);
        }
        return clock.nanoseconds();
    };
    steps(1);
    const double time = steps(iterations);
    const Buffer<unsigned> values(n);
    launch(n, results<W, BY>, vertices.data(), n, values.data());
    read(result, values.data(), n);
    launch(m, destroy_all<BY, typename W::Edge>, edges.data(), m);
    launch(n, destroy_all<BY, typename W::Vertex>, vertices.data(), n);
    check(cudaDeviceSynchronize());
    return time;
}

// Columns: arcs in the order of the vertices at their ends.
template <class P>
__global__ void start_columns(Arcs arcs, typename P::State* states)
{
    const unsigned i = thread_index();
    if (i < arcs.vertices) states[i] = P::start(i, arcs.offsets[i + 1] - arcs.offsets[i]);
}

template <class P>
__global__ void carry_columns(Arcs arcs, const typename P::State* __restrict__ states, typename P::Value* __restrict__ carried)
{
    const unsigned i = thread_index();
    if (i < arcs.arcs) carried[i] = P::carry(states[arcs.sources[i]]);
}

template <class P>
__global__ void gather_columns(Arcs arcs, typename P::State* __restrict__ states, const typename P::Value* __restrict__ carried)
{
    const unsigned i = thread_index();
    if (i >= arcs.vertices) return;
    const unsigned first = arcs.offsets[i], end = arcs.offsets[i + 1];
    typename P::Value sum = P::begin(states[i]);
    for (unsigned k = first; k < end; ++k) sum = P::add(sum, carried[k]);
    states[i] = P::finish(sum, end - first);
}

template <class P>
__global__ void result_columns(const typename P::State* states, unsigned n, unsigned* result)
{
    const unsigned i = thread_index();
    if (i < n) result[i] = result_of(states[i]);
}

template <class P>
double with_columns(unsigned iterations, Arcs arcs, unsigned* result, double* making)
{
    const unsigned n = arcs.vertices;
    const Clock clock;
    const Buffer<typename P::State> states(n);
    const Buffer<typename P::Value> carried(arcs.arcs);
    *making = clock.nanoseconds();
    auto steps = [&](unsigned count) {
        launch(n, start_columns<P>, arcs, states.data());
        const Clock clock;
        for (unsigned k = 0; k < count; ++k) {
            launch(arcs.arcs, carry_columns<P>, arcs, states.data(), carried.data());
            launch(n, gather_columns<P>, arcs, states.data(), carried.data());
        }
        return clock.nanoseconds();
    };
    steps(1);
    const double time = steps(iterations);
    const Buffer<unsigned> values(n);
    launch(n, result_columns<P>, states.data(), n, values.data());
    read(result, values.data(), n);
    return time;
}

template <class P>
double run(std::uint32_t strategy, bool has_virtual_vertices, unsigned iterations, unsigned n, const unsigned* offsets,
           const unsigned* sources, unsigned* result, double* making)
{
    const unsigned m = offsets[n];
    const Clock clock;
    const Input<unsigned> offset_column(offsets, n + std::size_t{1}), source_column(sources, m);
    const double copying = clock.nanoseconds();
    const Arcs arcs = {n, m, offset_column.data(), source_column.data()};
    const double time = with_strategy(strategy, [&](auto by) {
        constexpr By BY = decltype(by)::value;
        if constexpr (BY == By::Columns) {
            return with_columns<P>(iterations, arcs, result, making);
        } else if (has_virtual_vertices) {
            return with_objects<BY, P, true>(iterations, offsets, sources, arcs, result, making);
        } else {
            return with_objects<BY, P, false>(iterations, offsets, sources, arcs, result, making);
        }
    });
    *making += copying;
    return time;
}

}  // namespace

// `program` is 0 for BFS, 1 for CC, 2 for PR. `result` has room for a number per vertex.
EXPORT double workload_graph(std::uint32_t strategy, std::uint32_t program, std::uint32_t has_virtual_vertices,
                             std::uint32_t iterations, std::uint32_t n, const std::uint32_t* offsets,
                             const std::uint32_t* sources, std::uint32_t* result, double* making)
{
    return guarded([&] {
        checked_count(n);
        const bool is_ven = has_virtual_vertices != 0;
        switch (program) {
            case 0: return run<Bfs>(strategy, is_ven, iterations, n, offsets, sources, result, making);
            case 1: return run<Cc>(strategy, is_ven, iterations, n, offsets, sources, result, making);
            default: return run<Pr>(strategy, is_ven, iterations, n, offsets, sources, result, making);
        }
    });
}

// Sets the room for device-side `new`, before any kernel allocates.
EXPORT double workload_heap()
{
    return guarded([&] {
        reserve_heap();
        return 0.0;
    });
}
