// A sheet of masses and springs that is torn apart: benches/workloads/src/model/structure.rs.

#include "strategy.cuh"

using namespace workloads;

namespace {

constexpr float DT = 0.05f, DAMPING = 0.99f;
constexpr unsigned LOOSE = ~0u, MOST_SPRINGS = 6;

// A sheet in host memory. The first row is anchored, and the last one pulls.
struct Given {
    unsigned columns, rows, springs, rounds, steps;
    float2 pull;
    const float2* pos;
    const float* mass;
    const uint2* ends;
    const float* length;
    const float* stiffness;
    const float* strength;
    unsigned nodes() const { return columns * rows; }
};

// The same on the device.
struct Sheet {
    unsigned columns, nodes, springs;
    float2 pull;
    const float2* pos;
    const float* mass;
    const uint2* ends;
    const float* length;
    const float* stiffness;
    const float* strength;
    __device__ bool is_anchored(unsigned node) const { return node < columns; }
    __device__ bool is_pulled(unsigned node) const { return node >= nodes - columns; }
};

__device__ __forceinline__ void move(float2& pos, float2& vel, float2 force, float mass)
{
    vel.x = (vel.x + force.x / mass * DT) * DAMPING;
    vel.y = (vel.y + force.y / mass * DT) * DAMPING;
    pos.x += vel.x * DT;
    pos.y += vel.y * DT;
}

// The force of a spring, or that it breaks.
__device__ __forceinline__ bool stretch(float2 a, float2 b, float rest, float stiffness, float strength, float2& force)
{
    const float x = b.x - a.x, y = b.y - a.y;
    const float length = sqrtf(x * x + y * y);
    const float pull = stiffness * (length - rest);
    if (pull > strength) {
        force = make_float2(0.0f, 0.0f);
        return true;
    }
    const float scale = pull / length;
    force = make_float2(x * scale, y * scale);
    return false;
}

template <By BY>
struct Classes {
    struct Spring;

    struct Node {
        float2 pos;
        __device__ explicit Node(float2 pos) : pos(pos) {}
        virtual __device__ float2 place() { return pos; }
        virtual __device__ unsigned depth() { return 0; }
        virtual __device__ void pull() {}
        virtual __device__ void advance() {}
        virtual __device__ void let_go() {}
        virtual __device__ bool settle() { return false; }
        virtual __device__ void drop() {}
        virtual __device__ void add(Spring*) {}
    };
    METHOD(Place, 0, float2, place, (Node * o), ());
    METHOD(Depth, 1, unsigned, depth, (Node * o), ());
    METHOD(Pull, 2, void, pull, (Node * o), ());
    METHOD(Advance, 3, void, advance, (Node * o), ());
    METHOD(LetGo, 4, void, let_go, (Node * o), ());
    METHOD(Settle, 5, bool, settle, (Node * o), ());
    METHOD(Drop, 6, void, drop, (Node * o), ());
    METHOD(Add, 7, void, add, (Node * o, Spring* spring), (spring));
    using NodeMethods = Methods<Place, Depth, Pull, Advance, LetGo, Settle, Drop, Add>;

    struct Spring {
        Node *a, *b;
        float length, stiffness, strength;
        float2 force = {0.0f, 0.0f};
        unsigned distance = LOOSE;
        bool broken = false;
        __device__ Spring(Node* a, Node* b, float length, float stiffness, float strength)
            : a(a), b(b), length(length), stiffness(stiffness), strength(strength)
        {
        }

        __device__ void stretch_it()
        {
            if (!broken) broken = stretch(call<BY, Place>(a), call<BY, Place>(b), length, stiffness, strength, force);
        }
        __device__ void carry()
        {
            const unsigned nearest = min(call<BY, Depth>(a), call<BY, Depth>(b));
            distance = broken || nearest == LOOSE ? LOOSE : nearest + 1;
        }
    };

    struct Mass : Node {
        float2 vel = {0.0f, 0.0f};
        float mass;
        unsigned distance = LOOSE, count = 0;
        Spring* springs[MOST_SPRINGS];
        __device__ Mass(float2 pos, float mass) : Node(pos), mass(mass) {}

        __device__ unsigned depth() override { return distance; }
        __device__ void add(Spring* spring) override { springs[count++] = spring; }
        __device__ void advance() override
        {
            float2 force = make_float2(0.0f, 0.0f);
            for (unsigned k = 0; k < count; ++k) {
                const Spring* const spring = at<BY>(springs[k]);
                const float sign = at<BY>(spring->a) == this ? 1.0f : -1.0f;
                force.x += sign * spring->force.x;
                force.y += sign * spring->force.y;
            }
            move(this->pos, vel, force, mass);
        }
        __device__ void let_go() override { distance = LOOSE; }
        __device__ bool settle() override
        {
            if (distance != LOOSE) return false;
            for (unsigned k = 0; k < count; ++k) distance = min(distance, at<BY>(springs[k])->distance);
            return distance != LOOSE;
        }
        // Forgets broken springs.
        __device__ void drop() override
        {
            unsigned left = 0;
            for (unsigned k = 0; k < count; ++k)
                if (!at<BY>(springs[k])->broken) springs[left++] = springs[k];
            count = left;
        }
    };

    struct Anchor : Node {
        using Node::Node;
    };

    struct Puller : Node {
        float2 vel;
        __device__ Puller(float2 pos, float2 vel) : Node(pos), vel(vel) {}
        __device__ void pull() override
        {
            this->pos.x += vel.x;
            this->pos.y += vel.y;
        }
    };
};

// Classes 0 to 2 are masses, anchors and pullers; springs have number 3.
template <class W, By BY>
__global__ void make_nodes(Sheet sheet, typename W::Node** nodes, char* base, const std::size_t* places)
{
    const unsigned i = thread_index();
    if (i >= sheet.nodes) return;
    char* const place = BY == By::New ? nullptr : base + places[i];
    if (sheet.is_anchored(i)) {
        nodes[i] = create<BY, typename W::Anchor>(place, 1, sheet.pos[i]);
    } else if (sheet.is_pulled(i)) {
        nodes[i] = create<BY, typename W::Puller>(place, 2, sheet.pos[i], sheet.pull);
    } else {
        nodes[i] = create<BY, typename W::Mass>(place, 0, sheet.pos[i], sheet.mass[i]);
    }
}

template <class W, By BY>
__global__ void make_springs(Sheet sheet, typename W::Node* const* nodes, typename W::Spring** springs, char* base,
                             const std::size_t* places)
{
    const unsigned i = thread_index();
    if (i >= sheet.springs) return;
    char* const place = BY == By::New ? nullptr : base + places[i];
    const uint2 ends = sheet.ends[i];
    springs[i] = create<BY, typename W::Spring>(place, 3, nodes[ends.x], nodes[ends.y], sheet.length[i],
                                                sheet.stiffness[i], sheet.strength[i]);
}

// `rows` has the springs of node i from `offsets[i]` on, in order.
template <class W, By BY>
__global__ void add_springs(typename W::Node* const* nodes, typename W::Spring* const* springs, unsigned n,
                            const unsigned* offsets, const unsigned* rows)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    for (unsigned k = offsets[i]; k < offsets[i + 1]; ++k) call<BY, typename W::Add>(nodes[i], springs[rows[k]]);
}

template <class Method, By BY, class Node>
__global__ void for_nodes(Node* const* nodes, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n && nodes[i] != nullptr) call<BY, Method>(nodes[i]);
}

template <class W, By BY>
__global__ void settle(typename W::Node* const* nodes, unsigned n, unsigned* flag)
{
    const unsigned i = thread_index();
    if (i < n && nodes[i] != nullptr && call<BY, typename W::Settle>(nodes[i])) *flag = 1;
}

template <class W, By BY>
__global__ void stretch_springs(typename W::Spring* const* springs, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n && springs[i] != nullptr) at<BY>(springs[i])->stretch_it();
}

template <class W, By BY>
__global__ void carry(typename W::Spring* const* springs, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n && springs[i] != nullptr) at<BY>(springs[i])->carry();
}

template <class W, By BY>
__global__ void find_broken(typename W::Spring* const* springs, unsigned n, unsigned* flag)
{
    const unsigned i = thread_index();
    if (i < n && springs[i] != nullptr && at<BY>(springs[i])->broken) *flag = 1;
}

// Breaks the springs of nodes that nothing holds.
template <class W, By BY>
__global__ void loosen(typename W::Spring* const* springs, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n || springs[i] == nullptr) return;
    typename W::Spring* const spring = at<BY>(springs[i]);
    if (call<BY, typename W::Depth>(spring->a) == LOOSE || call<BY, typename W::Depth>(spring->b) == LOOSE) {
        spring->broken = true;
    }
}

template <class W, By BY>
__global__ void remove_springs(typename W::Spring** springs, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n || springs[i] == nullptr || !at<BY>(springs[i])->broken) return;
    destroy<BY>(springs[i]);
    springs[i] = nullptr;
}

template <class W, By BY>
__global__ void remove_nodes(typename W::Node** nodes, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n || nodes[i] == nullptr || call<BY, typename W::Depth>(nodes[i]) != LOOSE) return;
    destroy<BY>(nodes[i]);
    nodes[i] = nullptr;
}

template <class W, By BY>
__global__ void results(typename W::Node* const* nodes, unsigned n, float2* pos, std::uint8_t* is_gone)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    is_gone[i] = nodes[i] == nullptr;
    if (nodes[i] != nullptr) pos[i] = call<BY, typename W::Place>(nodes[i]);
}

// The springs of each node, in order.
struct Rows {
    std::vector<unsigned> offsets, springs;
    explicit Rows(const Given& input) : offsets(input.nodes() + 1), springs(2 * std::size_t{input.springs})
    {
        for (unsigned i = 0; i < input.springs; ++i) {
            ++offsets[input.ends[i].x + 1];
            ++offsets[input.ends[i].y + 1];
        }
        for (unsigned i = 0; i < input.nodes(); ++i) offsets[i + 1] += offsets[i];
        std::vector<unsigned> next = offsets;
        for (unsigned i = 0; i < input.springs; ++i) {
            springs[next[input.ends[i].x]++] = i;
            springs[next[input.ends[i].y]++] = i;
        }
    }
};

struct Result {
    float2* pos;
    std::uint8_t* is_gone;
    unsigned* springs;
    double* making;
};

template <By BY>
double with_objects(const Given& input, const Sheet& sheet, const Result& result)
{
    using W = Classes<BY>;
    const unsigned n = sheet.nodes, m = sheet.springs;
    const Clock clock;
    Heap heap({sizeof(typename W::Mass), sizeof(typename W::Anchor), sizeof(typename W::Puller), sizeof(typename W::Spring)});
    std::vector<std::size_t> node_places, spring_places;
    if constexpr (BY != By::New) {
        for (unsigned i = 0; i < n; ++i) node_places.push_back(heap.add(i < input.columns ? 1 : i >= n - input.columns ? 2 : 0));
        for (unsigned i = 0; i < m; ++i) spring_places.push_back(heap.add(3));
        heap.seal();
    }
    char* const base = BY == By::New ? nullptr : heap.base();
    const Buffer<std::size_t> node_offsets(node_places), spring_offsets(spring_places);
    const Buffer<typename W::Node*> node_pointers(n);
    const Buffer<typename W::Spring*> spring_pointers(m);
    typename W::Node** const nodes = node_pointers.data();
    typename W::Spring** const springs = spring_pointers.data();
    Tables tables(4);
    fill_tables<typename W::NodeMethods, typename W::Mass, typename W::Anchor, typename W::Puller>
        <<<1, 1>>>(tables.functions(), 0);
    tables.use<BY>(heap);
    launch(n, make_nodes<W, BY>, sheet, nodes, base, node_offsets.data());
    launch(m, make_springs<W, BY>, sheet, nodes, springs, base, spring_offsets.data());
    const Rows rows(input);
    const Buffer<unsigned> offsets(rows.offsets), links(rows.springs);
    launch(n, add_springs<W, BY>, nodes, springs, n, offsets.data(), links.data());
    *result.making += clock.nanoseconds();

    // At rest, a step changes nothing.
    launch(m, stretch_springs<W, BY>, springs, m);
    launch(n, for_nodes<typename W::Advance, BY, typename W::Node>, nodes, n);
    const Flag flag;
    const Clock running;
    for (unsigned round = 0; round < input.rounds; ++round) {
        launch(n, for_nodes<typename W::Pull, BY, typename W::Node>, nodes, n);
        for (unsigned step = 0; step < input.steps; ++step) {
            launch(m, stretch_springs<W, BY>, springs, m);
            launch(n, for_nodes<typename W::Advance, BY, typename W::Node>, nodes, n);
        }
        launch(m, find_broken<W, BY>, springs, m, flag.lowered());
        if (!flag.is_raised()) continue;
        launch(n, for_nodes<typename W::Drop, BY, typename W::Node>, nodes, n);
        launch(m, remove_springs<W, BY>, springs, m);
        launch(n, for_nodes<typename W::LetGo, BY, typename W::Node>, nodes, n);
        do {
            launch(m, carry<W, BY>, springs, m);
            launch(n, settle<W, BY>, nodes, n, flag.lowered());
        } while (flag.is_raised());
        launch(m, loosen<W, BY>, springs, m);
        launch(m, remove_springs<W, BY>, springs, m);
        launch(n, remove_nodes<W, BY>, nodes, n);
    }
    const double time = running.nanoseconds();
    const Buffer<float2> pos(n);
    const Buffer<std::uint8_t> is_gone(n);
    launch(n, results<W, BY>, nodes, n, pos.data(), is_gone.data());
    read(result.pos, pos.data(), n);
    read(result.is_gone, is_gone.data(), n);
    std::vector<typename W::Spring*> left(m);
    read(left.data(), springs, m);
    *result.springs = static_cast<unsigned>(m - std::count(left.begin(), left.end(), nullptr));
    launch(m, destroy_all<BY, typename W::Spring>, springs, m);
    launch(n, destroy_all<BY, typename W::Node>, nodes, n);
    check(cudaDeviceSynchronize());
    return time;
}

// Columns. Which end of a spring a node is lies in the top bit of its link; flags say what is gone.
constexpr unsigned OTHER_END = 1u << 31;

struct Columns {
    float2* pos;
    float2* vel;
    unsigned* depth;
    std::uint8_t* is_gone;
    const unsigned* links;  // MOST_SPRINGS columns
    float2* force;
    unsigned* distance;
    std::uint8_t* broken;
};

__global__ void pull_columns(Sheet sheet, Columns c)
{
    const unsigned i = sheet.nodes - sheet.columns + thread_index();
    if (i >= sheet.nodes) return;
    c.pos[i].x += sheet.pull.x;
    c.pos[i].y += sheet.pull.y;
}

__global__ void stretch_columns(Sheet sheet, Columns c)
{
    const unsigned i = thread_index();
    if (i >= sheet.springs || c.broken[i]) return;
    const uint2 ends = sheet.ends[i];
    float2 force;
    if (stretch(c.pos[ends.x], c.pos[ends.y], sheet.length[i], sheet.stiffness[i], sheet.strength[i], force)) {
        c.broken[i] = 1;
    }
    c.force[i] = force;
}

// Calls `f` with the links of a node.
template <class F>
__device__ __forceinline__ void for_springs(const Sheet& sheet, const Columns& c, unsigned node, F f)
{
#pragma unroll
    for (unsigned k = 0; k < MOST_SPRINGS; ++k) {
        const unsigned link = c.links[k * std::size_t{sheet.nodes} + node];
        if (link == ~0u) break;
        f(link);
    }
}

__global__ void advance_columns(Sheet sheet, Columns c)
{
    const unsigned i = thread_index() + sheet.columns;
    if (i >= sheet.nodes - sheet.columns || c.is_gone[i]) return;
    float2 force = make_float2(0.0f, 0.0f);
    for_springs(sheet, c, i, [&](unsigned link) {
        const float2 pull = c.force[link & ~OTHER_END];
        const float sign = link & OTHER_END ? -1.0f : 1.0f;
        force.x += sign * pull.x;
        force.y += sign * pull.y;
    });
    float2 pos = c.pos[i], vel = c.vel[i];
    move(pos, vel, force, sheet.mass[i]);
    c.pos[i] = pos;
    c.vel[i] = vel;
}

__global__ void let_go_columns(Sheet sheet, Columns c)
{
    const unsigned i = thread_index();
    if (i < sheet.nodes) c.depth[i] = sheet.is_anchored(i) || sheet.is_pulled(i) ? 0 : LOOSE;
}

__global__ void carry_columns(Sheet sheet, Columns c)
{
    const unsigned i = thread_index();
    if (i >= sheet.springs) return;
    const unsigned nearest = c.broken[i] ? LOOSE : min(c.depth[sheet.ends[i].x], c.depth[sheet.ends[i].y]);
    c.distance[i] = nearest == LOOSE ? LOOSE : nearest + 1;
}

__global__ void settle_columns(Sheet sheet, Columns c, unsigned* flag)
{
    const unsigned i = thread_index();
    if (i >= sheet.nodes || c.is_gone[i] || c.depth[i] != LOOSE) return;
    unsigned least = LOOSE;
    for_springs(sheet, c, i, [&](unsigned link) { least = min(least, c.distance[link & ~OTHER_END]); });
    if (least == LOOSE) return;
    c.depth[i] = least;
    *flag = 1;
}

__global__ void find_broken_columns(Sheet sheet, Columns c, const std::uint8_t* before, unsigned* flag)
{
    const unsigned i = thread_index();
    if (i < sheet.springs && c.broken[i] != before[i]) *flag = 1;
}

__global__ void fall_columns(Sheet sheet, Columns c)
{
    const unsigned i = thread_index();
    if (i >= sheet.nodes || c.is_gone[i] || c.depth[i] != LOOSE) return;
    c.is_gone[i] = 1;
    for_springs(sheet, c, i, [&](unsigned link) { c.broken[link & ~OTHER_END] = 1; });
}

double with_columns(const Given& input, const Sheet& sheet, const Result& result)
{
    const unsigned n = sheet.nodes, m = sheet.springs;
    const Clock clock;
    const Rows rows(input);
    std::vector<unsigned> links(MOST_SPRINGS * std::size_t{n}, ~0u);
    for (unsigned i = 0; i < n; ++i) {
        for (unsigned k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
            const unsigned spring = rows.springs[k];
            const unsigned link = input.ends[spring].x == i ? spring : spring | OTHER_END;
            links[(k - rows.offsets[i]) * std::size_t{n} + i] = link;
        }
    }
    const Input<float2> pos(input.pos, n);
    const Buffer<float2> vel(std::vector<float2>(n, float2{0.0f, 0.0f})), force(m);
    const Buffer<unsigned> depth(n), link_columns(links), distance(m);
    const Buffer<std::uint8_t> is_gone(std::vector<std::uint8_t>(n, 0)), broken(std::vector<std::uint8_t>(m, 0)),
        before(std::vector<std::uint8_t>(m, 0));
    const Columns c = {pos.data(), vel.data(), depth.data(), is_gone.data(), link_columns.data(),
                       force.data(), distance.data(), broken.data()};
    *result.making += clock.nanoseconds();

    launch(m, stretch_columns, sheet, c);
    launch(n, advance_columns, sheet, c);
    const Flag flag;
    const Clock running;
    for (unsigned round = 0; round < input.rounds; ++round) {
        launch(sheet.columns, pull_columns, sheet, c);
        for (unsigned step = 0; step < input.steps; ++step) {
            launch(m, stretch_columns, sheet, c);
            launch(n, advance_columns, sheet, c);
        }
        launch(m, find_broken_columns, sheet, c, before.data(), flag.lowered());
        if (!flag.is_raised()) continue;
        launch(n, let_go_columns, sheet, c);
        do {
            launch(m, carry_columns, sheet, c);
            launch(n, settle_columns, sheet, c, flag.lowered());
        } while (flag.is_raised());
        launch(n, fall_columns, sheet, c);
        check(cudaMemcpyAsync(before.data(), broken.data(), m, cudaMemcpyDeviceToDevice));
    }
    const double time = running.nanoseconds();
    read(result.pos, pos.data(), n);
    read(result.is_gone, is_gone.data(), n);
    std::vector<std::uint8_t> gone(m);
    read(gone.data(), broken.data(), m);
    *result.springs = static_cast<unsigned>(std::count(gone.begin(), gone.end(), 0));
    return time;
}

}  // namespace

// `pos` and `is_gone` of the result have room for each node; `springs_left` is a number.
EXPORT double workload_sheet(std::uint32_t strategy, std::uint32_t columns, std::uint32_t rows, std::uint32_t springs,
                             std::uint32_t rounds, std::uint32_t steps, float pull_x, float pull_y, const float* pos,
                             const float* mass, const std::uint32_t* ends, const float* length, const float* stiffness,
                             const float* strength, float* new_pos, std::uint8_t* is_gone, std::uint32_t* springs_left,
                             double* making)
{
    return guarded([&] {
        const Given input = {columns,
                              rows,
                              springs,
                              rounds,
                              steps,
                              make_float2(pull_x, pull_y),
                              reinterpret_cast<const float2*>(pos),
                              mass,
                              reinterpret_cast<const uint2*>(ends),
                              length,
                              stiffness,
                              strength};
        checked_count(input.nodes());
        const Clock clock;
        const Input<float2> pos_column(input.pos, input.nodes());
        const Input<float> mass_column(mass, input.nodes()), length_column(length, springs),
            stiffness_column(stiffness, springs), strength_column(strength, springs);
        const Input<uint2> end_column(input.ends, springs);
        *making = clock.nanoseconds();
        const Sheet sheet = {columns,
                             input.nodes(),
                             springs,
                             input.pull,
                             pos_column.data(),
                             mass_column.data(),
                             end_column.data(),
                             length_column.data(),
                             stiffness_column.data(),
                             strength_column.data()};
        const Result result = {reinterpret_cast<float2*>(new_pos), is_gone, springs_left, making};
        return with_strategy(strategy, [&](auto by) {
            constexpr By BY = decltype(by)::value;
            if constexpr (BY == By::Columns) {
                return with_columns(input, sheet, result);
            } else {
                return with_objects<BY>(input, sheet, result);
            }
        });
    });
}
