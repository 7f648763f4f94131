// Games of life whose agents come and go: benches/workloads/src/model/gol.rs and gen.rs.
//
// A cell is a pointer to its agent. SharedOA has a place for an agent of either class in each cell, as TYPEPTR's programs
// do; `new` allocates agents as they come, and frees them as they go.

#include "strategy.cuh"

using namespace workloads;

namespace {

// What becomes of an agent.
enum class Next : unsigned { Stay, Alive, Candidate, Nobody };

struct Agent {
    Next next = Next::Stay;
    virtual __device__ bool is_alive() = 0;
    virtual __device__ bool is_new() = 0;
    virtual __device__ void prepare(unsigned near) = 0;
    virtual __device__ Next update() = 0;
    virtual __device__ unsigned state() = 0;
};

METHOD(IsAlive, 0, bool, is_alive, (Agent * o), ());
METHOD(IsNew, 1, bool, is_new, (Agent * o), ());
METHOD(Prepare, 2, void, prepare, (Agent * o, unsigned near), (near));
METHOD(Update, 3, Next, update, (Agent * o), ());
METHOD(StateOf, 4, unsigned, state, (Agent * o), ());
using AgentMethods = Methods<IsAlive, IsNew, Prepare, Update, StateOf>;

// The rules: whether an agent comes to life, whether it stays alive, and for how many steps it dies.
struct Life {
    static constexpr int LAST_AGE = 0;
    static __device__ bool is_born(unsigned near) { return near == 3; }
    static __device__ bool stays(unsigned near) { return near == 2 || near == 3; }
};
struct Generations {
    static constexpr int LAST_AGE = 2;
    static __device__ bool is_born(unsigned near) { return near == 2; }
    static __device__ bool stays(unsigned near) { return near >= 3 && near <= 5; }
};

template <class Rule>
struct Alive : Agent {
    int age = 0;
    bool fresh = true;

    __device__ bool is_alive() override { return age == 0; }
    __device__ bool is_new() override { return fresh; }
    __device__ void prepare(unsigned near) override
    {
        next = age == 0 && Rule::stays(near) ? Next::Stay : Next::Candidate;
    }
    __device__ Next update() override
    {
        fresh = false;
        if (next == Next::Stay) return next;
        if (age < Rule::LAST_AGE) {
            ++age;
            return Next::Stay;
        }
        return next;
    }
    __device__ unsigned state() override { return 1 + age; }
};

template <class Rule>
struct Candidate : Agent {
    __device__ bool is_alive() override { return false; }
    __device__ bool is_new() override { return false; }
    __device__ void prepare(unsigned near) override
    {
        next = Rule::is_born(near) ? Next::Alive : near == 0 ? Next::Nobody : Next::Stay;
    }
    __device__ Next update() override { return next; }
    __device__ unsigned state() override { return 0; }
};

struct Field {
    unsigned width, height;
    __host__ __device__ unsigned cells() const { return width * height; }
};

// Calls `f` with the number of each cell around one.
template <class F>
__device__ __forceinline__ void around(Field field, unsigned cell, F f)
{
    const unsigned x = cell % field.width, y = cell / field.width;
#pragma unroll
    for (unsigned dy = 0; dy < 3; ++dy) {
#pragma unroll
        for (unsigned dx = 0; dx < 3; ++dx) {
            if (dx == 1 && dy == 1) continue;
            const unsigned at_x = x + dx - 1, at_y = y + dy - 1;  // beyond the field wraps to large numbers
            if (at_x < field.width && at_y < field.height) f(at_y * field.width + at_x);
        }
    }
}

// Where SharedOA has the agents: of class c, `places[c * cells + cell]`.
struct Places {
    char* base;
    const std::size_t* offsets;
    unsigned cells;
    template <By BY>
    __device__ __forceinline__ char* of(unsigned c, unsigned cell) const
    {
        return BY == By::New ? nullptr : base + offsets[c * std::size_t{cells} + cell];
    }
};

template <By BY, class Rule>
__global__ void begin(Agent** agents, const std::uint8_t* living, unsigned n, Places places)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    agents[i] = living[i] ? static_cast<Agent*>(create<BY, Alive<Rule>>(places.of<BY>(0, i), 0)) : nullptr;
}

template <By BY>
__global__ void prepare(Agent* const* __restrict__ agents, Field field)
{
    const unsigned i = thread_index();
    if (i >= field.cells()) return;
    Agent* const agent = agents[i];
    if (agent == nullptr) return;
    unsigned near = 0;
    around(field, i, [&](unsigned cell) {
        Agent* const other = agents[cell];
        if (other != nullptr) near += call<BY, IsAlive>(other);
    });
    call<BY, Prepare>(agent, near);
}

template <By BY, class Rule>
__global__ void update(Agent** agents, unsigned n, Places places)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    Agent* const agent = agents[i];
    if (agent == nullptr) return;
    const Next next = call<BY, Update>(agent);
    if (next == Next::Stay) return;
    destroy<BY>(agent);
    if (next == Next::Alive) {
        agents[i] = create<BY, Alive<Rule>>(places.of<BY>(0, i), 0);
    } else if (next == Next::Candidate) {
        agents[i] = create<BY, Candidate<Rule>>(places.of<BY>(1, i), 1);
    } else {
        agents[i] = nullptr;
    }
}

// Into another array: agents that come in this step are not called in it.
template <By BY, class Rule>
__global__ void recruit(Agent* const* __restrict__ agents, Agent** next, Field field, Places places)
{
    const unsigned i = thread_index();
    if (i >= field.cells()) return;
    Agent* agent = agents[i];
    if (agent == nullptr) {
        bool is_wanted = false;
        around(field, i, [&](unsigned cell) {
            Agent* const other = agents[cell];
            if (!is_wanted && other != nullptr) is_wanted = call<BY, IsNew>(other);
        });
        if (is_wanted) agent = create<BY, Candidate<Rule>>(places.of<BY>(1, i), 1);
    }
    next[i] = agent;
}

template <By BY>
__global__ void results(Agent* const* agents, unsigned n, std::uint8_t* result)
{
    const unsigned i = thread_index();
    if (i < n) result[i] = agents[i] == nullptr ? 0 : call<BY, StateOf>(agents[i]);
}

template <By BY, class Rule>
double with_objects(Field field, unsigned steps, const std::uint8_t* living, std::uint8_t* result, double* making)
{
    const unsigned n = field.cells();
    const Clock clock;
    Heap heap({sizeof(Alive<Rule>), sizeof(Candidate<Rule>)});
    std::vector<std::size_t> offsets;
    if constexpr (BY != By::New) {
        offsets.resize(2 * std::size_t{n});
        for (unsigned i = 0; i < n; ++i)
            for (unsigned c = 0; c < 2; ++c) offsets[c * std::size_t{n} + i] = heap.add(c);
        heap.seal();
    }
    const Buffer<std::size_t> offset_column(offsets);
    const Places places = {BY == By::New ? nullptr : heap.base(), offset_column.data(), n};
    const Input<std::uint8_t> living_column(living, n);
    const Buffer<Agent*> one(n), two(n);
    Tables tables(2);
    fill_tables<AgentMethods, Alive<Rule>, Candidate<Rule>><<<1, 1>>>(tables.functions(), 0);
    tables.use<BY>(heap);
    launch(n, begin<BY, Rule>, one.data(), living_column.data(), n, places);
    Agent **now = one.data(), **next = two.data();
    auto recruit_all = [&] {
        launch(n, recruit<BY, Rule>, now, next, field, places);
        std::swap(now, next);
    };
    recruit_all();
    *making = clock.nanoseconds();

    launch(n, prepare<BY>, now, field);
    const Clock running;
    for (unsigned step = 0; step < steps; ++step) {
        launch(n, prepare<BY>, now, field);
        launch(n, update<BY, Rule>, now, n, places);
        recruit_all();
    }
    const double time = running.nanoseconds();
    const Buffer<std::uint8_t> states(n);
    launch(n, results<BY>, now, n, states.data());
    read(result, states.data(), n);
    launch(n, destroy_all<BY, Agent>, now, n);
    check(cudaDeviceSynchronize());
    return time;
}

// Columns: a state per cell, and no agents.
template <class Rule>
__global__ void step_columns(const std::uint8_t* __restrict__ states, std::uint8_t* __restrict__ next, Field field)
{
    const unsigned i = thread_index();
    if (i >= field.cells()) return;
    unsigned near = 0;
    around(field, i, [&](unsigned cell) { near += states[cell] == 1; });
    const unsigned state = states[i];
    unsigned new_state = 0;
    if (state == 0) {
        new_state = Rule::is_born(near);
    } else if (state == 1 && Rule::stays(near)) {
        new_state = 1;
    } else if (state < 1u + Rule::LAST_AGE) {
        new_state = state + 1;
    }
    next[i] = new_state;
}

template <class Rule>
double with_columns(Field field, unsigned steps, const std::uint8_t* living, std::uint8_t* result, double* making)
{
    const unsigned n = field.cells();
    const Clock clock;
    const Input<std::uint8_t> one(living, n), two(living, n);
    *making = clock.nanoseconds();
    std::uint8_t *now = one.data(), *next = two.data();
    launch(n, step_columns<Rule>, now, next, field);
    const Clock running;
    for (unsigned step = 0; step < steps; ++step) {
        launch(n, step_columns<Rule>, now, next, field);
        std::swap(now, next);
    }
    const double time = running.nanoseconds();
    read(result, now, n);
    return time;
}

template <class Rule>
double run(std::uint32_t strategy, Field field, unsigned steps, const std::uint8_t* living, std::uint8_t* result,
           double* making)
{
    return with_strategy(strategy, [&](auto by) {
        constexpr By BY = decltype(by)::value;
        if constexpr (BY == By::Columns) {
            return with_columns<Rule>(field, steps, living, result, making);
        } else {
            return with_objects<BY, Rule>(field, steps, living, result, making);
        }
    });
}

}  // namespace

// `rule` is 0 for the game of life, 1 for 345/2/4. `living` and `result` have a byte per cell.
EXPORT double workload_field(std::uint32_t strategy, std::uint32_t rule, std::uint32_t width, std::uint32_t height,
                             std::uint32_t steps, const std::uint8_t* living, std::uint8_t* result, double* making)
{
    return guarded([&] {
        checked_count(std::uint64_t{width} * height);
        const Field field = {width, height};
        return rule == 0 ? run<Life>(strategy, field, steps, living, result, making)
                         : run<Generations>(strategy, field, steps, living, result, making);
    });
}
