// Traffic on street networks: the steps of `examples/traffic`, number by number (INNER §4).
//
// A step is three or four launches: groups look for cars, controllers open one of their groups, cars plan, cars drive. Steps are
// captured in graphs of 64, 8 and one, and replayed. Version 0 does the same passes over the same columns as Ikra's world. Version
// 1 packs what it can: 4 bytes
// per cell tell where cars go and how fast, 4 bytes how far the way back is straight, a bit whether there is a car; four threads
// look after each controller; a car leaves its target in memory and not its path.

#include "traffic.cuh"

namespace {

constexpr unsigned BLOCK = 256;
constexpr unsigned BATCHES[] = {64, 8, 1};  // steps of a graph

// Which cells are taken: a bit for each.

__device__ __forceinline__ bool is_taken(const unsigned* taken, unsigned cell)
{
    return taken[cell / 32] >> cell % 32 & 1;
}

// Which of the cells up to `last` are taken: that one's bit is the highest of 32. Where there are fewer cells, the others mean nothing.
__device__ __forceinline__ unsigned taken_up_to(const unsigned* taken, unsigned last)
{
    const unsigned bit = last % 32;
    return taken[last / 32] << (31 - bit) | taken[(max(last, 32u) - 32) / 32] >> 1 >> bit;
}

// How many of the `count` cells from `first` on come before the first that is taken; 1 to 32 of them.
__device__ __forceinline__ unsigned free_cells(const unsigned* taken, unsigned first, unsigned count)
{
    const unsigned bit = first % 32;
    const unsigned found = taken[first / 32] >> bit | taken[(first + count - 1) / 32] << 1 << (31 - bit);
    return found == 0 ? count : min(static_cast<unsigned>(__ffs(found)) - 1, count);
}

std::vector<unsigned> taken_bits(const TrafficWorld& from)
{
    std::vector<unsigned> taken((std::size_t{from.cells} + 31) / 32);
    for (std::size_t i = 0; i < from.cars; ++i) taken[from.car_cells[i] / 32] |= 1u << from.car_cells[i] % 32;
    return taken;
}

// ---------------------------------------------------------------------------------------------------
// The same columns as Ikra's.

// Arrays: a length and a place in the arena, K slots, the rest in the arena.
template <unsigned K>
struct Arrays {
    const uint2* spans;
    const unsigned* slots;
    const unsigned* arena;
    unsigned n;

    __device__ __forceinline__ unsigned get(unsigned i, uint2 span, unsigned k) const
    {
        return k < K ? slots[std::size_t{k} * n + i] : arena[span.y + k - K];
    }
};

template <unsigned K>
class ArrayColumns {
public:
    ArrayColumns(const TrafficRows& rows, unsigned n) : ArrayColumns(Host(rows, n), n) {}

    Arrays<K> view() const { return {spans_.data(), slots_.data(), arena_.data(), n_}; }
    std::size_t bytes() const { return spans_.bytes() + slots_.bytes() + arena_.bytes(); }

private:
    struct Host {
        std::vector<uint2> spans;
        std::vector<unsigned> slots, arena;

        Host(const TrafficRows& rows, unsigned n) : spans(n), slots(K * std::size_t{n})
        {
            for (std::size_t i = 0; i < n; ++i) {
                const unsigned length = rows.offsets[i + 1] - rows.offsets[i];
                spans[i] = make_uint2(length, static_cast<unsigned>(arena.size()));
                for (unsigned k = 0; k < length; ++k) {
                    const unsigned value = rows.values[rows.offsets[i] + k];
                    if (k < K) {
                        slots[k * std::size_t{n} + i] = value;
                    } else {
                        arena.push_back(value);
                    }
                }
            }
        }
    };

    ArrayColumns(const Host& host, unsigned n) : spans_(host.spans), slots_(host.slots), arena_(host.arena), n_(n) {}

    Buffer<uint2> spans_;
    Buffer<unsigned> slots_, arena_;
    unsigned n_;
};

constexpr unsigned PATH_SLOTS = 8;

struct Same {
    unsigned* clock;
    unsigned cells, groups, lights, smart, yields, cars, phase_length;
    float randomisation;
    std::uint64_t seed;
    const uchar4* signs;  // speed limit, whether there is a light, cells that follow with the same limit, cells before it
    const std::uint16_t* weights;
    const unsigned* signals;
    Arrays<1> outgoing, incoming;
    unsigned* taken;   // a bit per cell
    unsigned* claims;  // cleared by the car that leaves
    unsigned* green;
    bool* traffic;  // of groups: whether there are cars behind
    Arrays<2> group_cells;
    Arrays<4> light_groups, smart_groups, yield_groups;
    unsigned *light_phases, *light_timers, *smart_phases, *smart_timers;
    unsigned *car_cells, *velocities, *targets;
    const unsigned* car_limits;
    const uint2* path_spans;
    unsigned *path_slots, *path_arena;

    __device__ __forceinline__ unsigned& path(unsigned i, unsigned k) const
    {
        return k < PATH_SLOTS ? path_slots[std::size_t{k} * cars + i] : path_arena[path_spans[i].y + k - PATH_SLOTS];
    }
};

__device__ __forceinline__ bool has_car_behind(const Same& w, unsigned last, unsigned range)
{
    Way way;
    do {
        way.begin();
        unsigned cell = last, left = range;
        for (;;) {
            const unsigned taken = taken_up_to(w.taken, cell);
            const unsigned behind = min(static_cast<unsigned>(w.signs[cell].w), left - 1);
            if (taken >> (31 - behind) != 0) return true;
            left -= behind + 1;
            if (left == 0) break;
            cell -= behind;
            const uint2 span = w.incoming.spans[cell];
            if (span.x == 0) break;
            cell = w.incoming.get(cell, span, way.take(span.x));
        }
    } while (way.advance());
    return false;
}

__global__ void __launch_bounds__(BLOCK) look(const Same w)
{
    const unsigned group = blockIdx.x * BLOCK + threadIdx.x;
    if (group >= w.groups) return;
    const uint2 span = w.group_cells.spans[group];
    bool found = false;
    for (unsigned k = 0; k < span.x && !found; ++k) {
        const unsigned last = w.group_cells.get(group, span, k);
        found = has_car_behind(w, last, w.signs[last].x);
    }
    w.traffic[group] = found;
}

__global__ void __launch_bounds__(BLOCK) control(const Same w, unsigned k)
{
    const unsigned step = *w.clock + k;
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned light_threads = (w.lights + BLOCK - 1) / BLOCK * BLOCK;
    const unsigned smart_threads = (w.smart + BLOCK - 1) / BLOCK * BLOCK;
    if (i < light_threads) {
        if (i >= w.lights) return;
        const uint2 span = w.light_groups.spans[i];
        unsigned phase = w.light_phases[i], timer = w.light_timers[i];
        change(phase, timer, w.phase_length, span.x);
        w.light_phases[i] = phase;
        w.light_timers[i] = timer + 1;
        atomicMax(&w.green[w.light_groups.get(i, span, phase)], step);
        return;
    }
    i -= light_threads;
    if (i < smart_threads) {
        if (i >= w.smart) return;
        const uint2 span = w.smart_groups.spans[i];
        unsigned busy = 0, only = 0;
        for (unsigned n = 0; n < span.x && busy < 2; ++n) {
            if (w.traffic[w.smart_groups.get(i, span, n)]) ++busy, only = n;
        }
        unsigned phase = w.smart_phases[i], timer = w.smart_timers[i];
        change_smart(phase, timer, w.phase_length, span.x, busy, only);
        w.smart_phases[i] = phase;
        w.smart_timers[i] = timer;
        atomicMax(&w.green[w.smart_groups.get(i, span, phase)], step);
        return;
    }
    i -= smart_threads;
    if (i < w.yields) {
        const uint2 span = w.yield_groups.spans[i];
        unsigned first = 0;
        for (unsigned n = 0; n < span.x; ++n) {
            if (w.traffic[w.yield_groups.get(i, span, n)]) {
                first = n;
                break;
            }
        }
        atomicMax(&w.green[w.yield_groups.get(i, span, first)], step);
    }
}

__global__ void __launch_bounds__(BLOCK) plan(const Same w, unsigned k)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= w.cars) return;
    const unsigned step = *w.clock + k;
    Random random(w.seed, i + 1, step);
    const bool dawdles = random.chance(w.randomisation);
    unsigned cell = w.car_cells[i], velocity = 0, target = cell, slower = cell;
    uchar4 sign = w.signs[cell];
    if (sign.z == 0 && w.outgoing.spans[cell].x == 0) {
        const unsigned entry = random.below(w.cells);
        if (!is_taken(w.taken, entry) && !w.signs[entry].y) {
            w.path(i, 0) = entry;
            target = entry;
            velocity = 1;
        }
    } else {
        const unsigned before = w.velocities[i], limit = w.car_limits[i];
        unsigned most = before < limit ? before + 1 : limit;
        while (velocity < most) {
            if (sign.y) {
                const unsigned group = w.signals[cell];
                if (group != NONE && w.green[group] != step) break;
            }
            if (sign.z > 0) {
                most = min(most, static_cast<unsigned>(sign.x));
                if (velocity >= most) break;
                const unsigned wanted = min(most - velocity, static_cast<unsigned>(sign.z));
                const unsigned free = free_cells(w.taken, cell + 1, wanted);
                for (unsigned n = 1; n <= free; ++n) {
                    w.path(i, velocity) = cell + n;
                    ++velocity;
                    slower = target;
                    target = cell + n;
                }
                if (free < wanted || velocity == most) break;
                sign = w.signs[target];
            } else {
                const uint2 span = w.outgoing.spans[cell];
                if (span.x == 0) break;
                unsigned next = w.outgoing.get(cell, span, 0);
                if (span.x > 1) {
                    unsigned weights = w.weights[next];
                    for (unsigned n = 1; n < span.x; ++n) {
                        const unsigned other = w.outgoing.get(cell, span, n);
                        const unsigned weight = w.weights[other];
                        weights += weight;
                        if (weights == weight || random.below(weights) < weight) next = other;
                    }
                }
                sign = w.signs[next];
                if (is_taken(w.taken, next) || sign.x <= velocity) break;
                if (sign.x < most) most = sign.x;
                w.path(i, velocity) = next;
                ++velocity;
                slower = target;
                target = next;
            }
            cell = target;
        }
    }
    if (dawdles && velocity > 0) {
        --velocity;
        target = slower;
    }
    w.velocities[i] = velocity;
    w.targets[i] = target;
    if (velocity > 0) atomicMax(&w.claims[target], ~(i + 1));
}

__global__ void __launch_bounds__(BLOCK) drive(const Same w)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= w.cars) return;
    const unsigned cell = w.car_cells[i], target = w.targets[i];
    if (target == cell) return;
    if (w.claims[target] == ~(i + 1)) {
        atomicSub(&w.taken[cell / 32], 1u << cell % 32);
        w.claims[cell] = 0;
        atomicAdd(&w.taken[target / 32], 1u << target % 32);
        w.car_cells[i] = target;
    } else {
        w.velocities[i] = 0;
    }
}

__global__ void tick(unsigned* clock, unsigned steps)
{
    *clock += steps;
}

// ---------------------------------------------------------------------------------------------------
// Packed.

constexpr unsigned LANES = 4;                        // threads of a controller
constexpr unsigned LIMIT = 0x3f, LIGHT = 0x40, SPECIAL = 0x80;  // of a road word; the rest is the place of the special cell, or how
                                                                // many cells follow with the same limit
constexpr unsigned RUN = 0x3f;                       // of a back word: cells that are straight; the rest as above
constexpr unsigned CAR_BITS = 25;                    // of a claim; the rest is the step in the graph

// A cell that does not lead just to the next one, or not just from the one before.
struct Special {
    unsigned first;  // way, or the only cell
    unsigned ways;
    unsigned group;
};

struct Best {
    unsigned* clock;
    unsigned cells, lights, smart, yields, cars, phase_length;
    float randomisation;
    std::uint64_t seed;
    const unsigned *road, *back;
    const Special *onward, *backward;
    const uint2* onward_ways;       // cell, weight
    const unsigned* backward_ways;  // cell
    unsigned* taken;                // a bit per cell
    unsigned* claims;
    unsigned* green;
    const uint2 *group_spans, *spans;  // first and number: of cells in `group_cells`; of the groups of controllers
    const uint2* group_cells;          // cell, speed limit
    uint2* phases;                     // phase, timer
    uint2* car;                        // cell; velocity, and limit from bit 8 on
    unsigned* targets;
};

__device__ __forceinline__ bool has_car_behind(const Best& w, unsigned last, unsigned range)
{
    Way way;
    do {
        way.begin();
        unsigned cell = last, left = range;
        for (;;) {
            const unsigned back = w.back[cell];
            const unsigned found = taken_up_to(w.taken, cell);
            const unsigned n = min(back & RUN, left);
            if (found >> (32 - n) != 0) return true;
            left -= n;
            if (left == 0) break;
            const Special special = w.backward[back >> 6];
            if (special.ways == 0) break;
            cell = special.ways == 1 ? special.first : w.backward_ways[special.first + way.take(special.ways)];
        }
    } while (way.advance());
    return false;
}

__device__ __forceinline__ bool has_traffic(const Best& w, unsigned group)
{
    const uint2 span = w.group_spans[group];
    for (unsigned k = 0; k < span.y; ++k) {
        const uint2 last = w.group_cells[span.x + k];
        if (has_car_behind(w, last.x, last.y)) return true;
    }
    return false;
}

__global__ void __launch_bounds__(BLOCK) control(const Best w, unsigned k)
{
    const unsigned step = *w.clock + k;
    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned i = thread / LANES, lane = thread % LANES;
    const unsigned shift = threadIdx.x % 32 / LANES * LANES;
    // Threads without a controller have one without groups: all take part in the votes.
    uint2 span = i < w.lights + w.smart + w.yields ? w.spans[i] : make_uint2(0, 0);
    const bool is_light = i < w.lights, is_yield = i >= w.lights + w.smart;
    unsigned busy = 0, first = 0;
    for (unsigned base = 0; __any_sync(~0u, base < span.y); base += LANES) {
        const bool has = !is_light && busy < 2 && base + lane < span.y && has_traffic(w, span.x + base + lane);
        const unsigned votes = __ballot_sync(~0u, has) >> shift & ((1 << LANES) - 1);
        if (busy == 0 && votes != 0) first = base + __ffs(votes) - 1;
        busy += __popc(votes);
    }
    if (lane != 0 || span.y == 0) return;
    unsigned open = first;
    if (!is_yield) {
        uint2 phase = w.phases[i];
        if (is_light) {
            change(phase.x, phase.y, w.phase_length, span.y);
            ++phase.y;
        } else {
            change_smart(phase.x, phase.y, w.phase_length, span.y, busy, first);
        }
        w.phases[i] = phase;
        open = phase.x;
    }
    w.green[span.x + open] = step;
}

__device__ __forceinline__ unsigned short_claim(unsigned i, unsigned k)
{
    return k << CAR_BITS | (~i & ((1 << CAR_BITS) - 1));
}

__global__ void __launch_bounds__(BLOCK) plan(const Best w, unsigned k)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= w.cars) return;
    const unsigned step = *w.clock + k;
    const uint2 car = w.car[i];
    unsigned cell = car.x, velocity = 0, road = w.road[cell];
    Random random(w.seed, i + 1, step);
    const bool dawdles = random.chance(w.randomisation);
    unsigned target = NONE, before = NONE;
    Special special = {};
    if (road & SPECIAL) special = w.onward[road >> 8];
    if (road & SPECIAL && special.ways == 0) {
        const unsigned entry = random.below(w.cells);
        if (!is_taken(w.taken, entry) && !(w.road[entry] & LIGHT)) {
            target = entry;
            velocity = 1;
        }
    } else {
        const unsigned limit = car.y >> 8, was = car.y & 0xff;
        unsigned most = was < limit ? was + 1 : limit;
        while (velocity < most) {
            if (!(road & SPECIAL)) {
                most = min(most, road & LIMIT);
                if (velocity >= most) break;
                const unsigned wanted = min(most - velocity, road >> 8);
                const unsigned free = free_cells(w.taken, cell + 1, wanted);
                if (free > 0) {
                    before = free > 1 ? cell + free - 1 : target;
                    target = cell + free;
                    velocity += free;
                }
                if (free < wanted || velocity == most) break;
                cell = target;
                road = w.road[cell];
                continue;
            }
            if (velocity > 0) special = w.onward[road >> 8];
            if (road & LIGHT && special.group != NONE && w.green[special.group] != step) break;
            if (special.ways == 0) break;
            unsigned next = special.first;
            if (special.ways > 1) {
                const uint2* ways = w.onward_ways + special.first;
                const uint2 way = ways[0];
                next = way.x;
                unsigned weights = way.y;
                for (unsigned n = 1; n < special.ways; ++n) {
                    const uint2 other = ways[n];
                    weights += other.y;
                    if (weights == other.y || random.below(weights) < other.y) next = other.x;
                }
            }
            road = w.road[next];
            const unsigned allowed = road & LIMIT;
            if (is_taken(w.taken, next) || allowed <= velocity) break;
            if (allowed < most) most = allowed;
            before = target;
            target = next;
            ++velocity;
            cell = next;
        }
    }
    if (dawdles && velocity > 0) {
        --velocity;
        target = before;
    }
    w.car[i].y = velocity | (car.y & ~0xffu);
    if (velocity > 0) {
        w.targets[i] = target;
        atomicMax(&w.claims[target], short_claim(i, k));
    }
}

__global__ void __launch_bounds__(BLOCK) drive(const Best w, unsigned k)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= w.cars) return;
    uint2 car = w.car[i];
    if ((car.y & 0xff) == 0) return;
    const unsigned target = w.targets[i];
    if (w.claims[target] == short_claim(i, k)) {
        atomicAnd(&w.taken[car.x / 32], ~(1u << car.x % 32));
        atomicOr(&w.taken[target / 32], 1u << target % 32);
        car.x = target;
    } else {
        car.y &= ~0xffu;
    }
    w.car[i] = car;
}

// ---------------------------------------------------------------------------------------------------
// Graphs.

class Graph {
public:
    template <class Steps>
    Graph(const Stream& stream, Steps steps)
    {
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        steps();
        check(cudaStreamEndCapture(stream, &graph));
        const cudaError_t code = cudaGraphInstantiate(&graph_, graph, 0);
        cudaGraphDestroy(graph);
        check(code);
    }
    ~Graph() { cudaGraphExecDestroy(graph_); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void launch(cudaStream_t stream) const { check(cudaGraphLaunch(graph_, stream)); }

private:
    cudaGraphExec_t graph_ = nullptr;
};

// The median time of a thousand steps, `capture(steps)` of which launches some.
template <class Capture>
double time_steps(unsigned samples, Capture capture, const Stream& stream)
{
    const Graph many(stream, [&] { capture(BATCHES[0]); }), some(stream, [&] { capture(BATCHES[1]); }),
        one(stream, [&] { capture(BATCHES[2]); });
    auto run = [&](unsigned steps) {
        for (; steps >= BATCHES[0]; steps -= BATCHES[0]) many.launch(stream);
        for (; steps >= BATCHES[1]; steps -= BATCHES[1]) some.launch(stream);
        for (; steps > 0; --steps) one.launch(stream);
    };
    run(WARM_UP);
    stream.synchronize();
    const Event start, stop;
    std::vector<double> times;
    for (unsigned i = 0; i < samples; ++i) {
        start.record(stream);
        run(SAMPLE);
        stop.record(stream);
        times.push_back(stop.milliseconds_since(start) * 1e6);
    }
    if (times.empty()) return 0.0;
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

unsigned blocks(std::size_t threads)
{
    return static_cast<unsigned>((threads + BLOCK - 1) / BLOCK);
}

double run_same(const TrafficWorld& from, TrafficResult& to, unsigned samples)
{
    const std::size_t cells = from.cells, cars = from.cars;
    std::vector<uchar4> host_signs(cells);
    auto leads_on = [&](std::size_t i) {
        const unsigned* out = from.outgoing.offsets + i;
        return out[1] - out[0] == 1 && from.outgoing.values[out[0]] == i + 1;
    };
    for (std::size_t i = 0; i < cells; ++i) {
        const unsigned* in = from.incoming.offsets + i;
        const bool is_reached = i > 0 && leads_on(i - 1) && in[1] - in[0] == 1;
        const unsigned behind = is_reached ? std::min(host_signs[i - 1].w + 1u, 255u) : 0;
        host_signs[i] = make_uchar4(from.limits[i], from.signals[i] != NONE, 0, static_cast<unsigned char>(behind));
    }
    for (std::size_t i = cells - 1; i-- > 0;) {
        const uchar4 next = host_signs[i + 1];
        if (!leads_on(i) || next.x != host_signs[i].x) continue;
        host_signs[i].z = static_cast<unsigned char>(next.y ? 1u : std::min(next.z + 1u, 255u));
    }
    std::vector<uint2> host_spans(cars);
    std::size_t arena = 0;
    for (std::size_t i = 0; i < cars; ++i) {
        host_spans[i] = make_uint2(from.car_limits[i], static_cast<unsigned>(arena));
        if (from.car_limits[i] > PATH_SLOTS) arena += from.car_limits[i] - PATH_SLOTS;
    }

    const Zeros<unsigned> clock(1);
    const Buffer<uchar4> signs(host_signs);
    const Column<std::uint16_t> weights(from.weights, cells);
    const Column<unsigned> signals(from.signals, cells);
    const ArrayColumns<1> outgoing(from.outgoing, from.cells), incoming(from.incoming, from.cells);
    const Buffer<unsigned> taken(taken_bits(from));
    const Zeros<unsigned> claims(cells);
    const Zeros<unsigned> green(from.groups);
    const Zeros<bool> traffic(from.groups);
    const ArrayColumns<2> group_cells(from.group_cells, from.groups);
    const ArrayColumns<4> light_groups(from.light_groups, from.lights), smart_groups(from.smart_groups, from.smart),
        yield_groups(from.yield_groups, from.yields);
    const Column<unsigned> light_phases(from.light_phases, from.lights), light_timers(from.light_timers, from.lights),
        smart_phases(from.smart_phases, from.smart), smart_timers(from.smart_timers, from.smart);
    const Column<unsigned> car_cells(from.car_cells, cars), car_limits(from.car_limits, cars);
    const Zeros<unsigned> velocities(cars), targets(cars), path_slots(PATH_SLOTS * cars), path_arena(arena);
    const Buffer<uint2> path_spans(host_spans);

    const Same w = {clock.data(), from.cells, from.groups, from.lights, from.smart, from.yields, from.cars, from.phase_length,
                    from.randomisation, from.seed, signs.data(), weights.data(), signals.data(), outgoing.view(), incoming.view(),
                    taken.data(), claims.data(), green.data(), traffic.data(), group_cells.view(), light_groups.view(), smart_groups.view(),
                    yield_groups.view(), light_phases.data(), light_timers.data(), smart_phases.data(), smart_timers.data(),
                    car_cells.data(), velocities.data(), targets.data(), car_limits.data(), path_spans.data(), path_slots.data(),
                    path_arena.data()};
    to.bytes = signs.bytes() + weights.bytes() + signals.bytes() + outgoing.bytes() + incoming.bytes() + taken.bytes()
             + claims.bytes() + green.bytes() + traffic.bytes() + group_cells.bytes() + light_groups.bytes() + smart_groups.bytes()
             + yield_groups.bytes() + light_phases.bytes() + light_timers.bytes() + smart_phases.bytes() + smart_timers.bytes()
             + car_cells.bytes() + car_limits.bytes() + velocities.bytes() + targets.bytes() + path_slots.bytes() + path_arena.bytes()
             + path_spans.bytes();
    const Stream stream;
    const unsigned controllers = blocks(from.lights) + blocks(from.smart) + blocks(from.yields);
    check(cudaDeviceSynchronize());
    const double time = time_steps(
        samples,
        [&](unsigned steps) {
            for (unsigned k = 1; k <= steps; ++k) {
                if (from.groups > 0) look<<<blocks(from.groups), BLOCK, 0, stream>>>(w);
                if (controllers > 0) control<<<controllers, BLOCK, 0, stream>>>(w, k);
                plan<<<blocks(cars), BLOCK, 0, stream>>>(w, k);
                drive<<<blocks(cars), BLOCK, 0, stream>>>(w);
            }
            tick<<<1, 1, 0, stream>>>(clock.data(), steps);
        },
        stream);
    car_cells.read(to.cells);
    check(cudaMemcpy(to.velocities, velocities.data(), velocities.bytes(), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(to.green, green.data(), green.bytes(), cudaMemcpyDeviceToHost));
    return time;
}

double run_best(const TrafficWorld& from, TrafficResult& to, unsigned samples)
{
    const std::size_t cells = from.cells, cars = from.cars;
    std::vector<unsigned> host_road(cells), host_back(cells);
    std::vector<Special> host_onward, host_backward;
    std::vector<uint2> host_onward_ways;
    std::vector<unsigned> host_backward_ways;
    for (std::size_t i = 0; i < cells; ++i) {
        const unsigned *out = from.outgoing.values + from.outgoing.offsets[i],
                       *in = from.incoming.values + from.incoming.offsets[i];
        const unsigned outs = from.outgoing.offsets[i + 1] - from.outgoing.offsets[i];
        const unsigned ins = from.incoming.offsets[i + 1] - from.incoming.offsets[i];
        host_road[i] = from.limits[i];
        if (from.limits[i] > 32) throw Failure{cudaErrorInvalidValue};
        if (from.signals[i] != NONE) host_road[i] |= LIGHT;
        if (outs != 1 || out[0] != i + 1 || from.signals[i] != NONE || from.limits[i + 1] != from.limits[i]) {
            host_road[i] |= SPECIAL | static_cast<unsigned>(host_onward.size()) << 8;
            host_onward.push_back({outs == 1 ? out[0] : static_cast<unsigned>(host_onward_ways.size()), outs, from.signals[i]});
            for (unsigned k = 0; outs > 1 && k < outs; ++k) host_onward_ways.push_back({out[k], from.weights[out[k]]});
        }
        if (i > 0 && ins == 1 && in[0] == i - 1) {
            // The run goes on; behind more cells than anyone looks back, its beginning does not matter.
            host_back[i] = std::min((host_back[i - 1] & RUN) + 1, RUN) | (host_back[i - 1] & ~RUN);
        } else {
            host_back[i] = 1 | static_cast<unsigned>(host_backward.size()) << 6;
            host_backward.push_back({ins == 1 ? in[0] : static_cast<unsigned>(host_backward_ways.size()), ins, NONE});
            if (ins > 1) host_backward_ways.insert(host_backward_ways.end(), in, in + ins);
        }
    }
    for (std::size_t i = cells; i-- > 0;) {
        if (host_road[i] & SPECIAL) continue;
        const unsigned next = host_road[i + 1];
        host_road[i] |= (next & SPECIAL ? 1 : std::min((next >> 8) + 1, 255u)) << 8;
    }
    if (host_onward.size() >> 24 != 0 || host_backward.size() >> 26 != 0 || cars >> CAR_BITS != 0) {
        throw Failure{cudaErrorInvalidValue};
    }
    std::vector<uint2> host_car(cars);
    for (std::size_t i = 0; i < cars; ++i) {
        host_car[i] = make_uint2(from.car_cells[i], from.car_limits[i] << 8);
    }
    std::vector<uint2> host_group_spans(from.groups), host_group_cells, host_spans, host_phases;
    for (std::size_t i = 0; i < from.groups; ++i) {
        const unsigned first = from.group_cells.offsets[i], end = from.group_cells.offsets[i + 1];
        host_group_spans[i] = make_uint2(first, end - first);
        for (unsigned k = first; k < end; ++k) {
            const unsigned cell = from.group_cells.values[k];
            host_group_cells.push_back(make_uint2(cell, from.limits[cell]));
        }
    }
    auto add_controllers = [&](const TrafficRows& rows, unsigned n, const unsigned* phases, const unsigned* timers) {
        for (std::size_t i = 0; i < n; ++i) {
            const unsigned first = rows.offsets[i], end = rows.offsets[i + 1];
            if (first == end) throw Failure{cudaErrorInvalidValue};
            for (unsigned k = first; k < end; ++k) {
                if (rows.values[k] != rows.values[first] + k - first) throw Failure{cudaErrorInvalidValue};
            }
            host_spans.push_back(make_uint2(rows.values[first], end - first));
            if (phases != nullptr) host_phases.push_back(make_uint2(phases[i], timers[i]));
        }
    };
    add_controllers(from.light_groups, from.lights, from.light_phases, from.light_timers);
    add_controllers(from.smart_groups, from.smart, from.smart_phases, from.smart_timers);
    add_controllers(from.yield_groups, from.yields, nullptr, nullptr);

    const Zeros<unsigned> clock(1);
    const Buffer<unsigned> road(host_road), back(host_back), backward_ways(host_backward_ways), taken(taken_bits(from));
    const Buffer<Special> onward(host_onward), backward(host_backward);
    const Buffer<uint2> onward_ways(host_onward_ways), group_spans(host_group_spans), spans(host_spans),
        group_cells(host_group_cells), phases(host_phases), car(host_car);
    const Zeros<unsigned> claims(cells), green(from.groups), targets(cars);
    const Best w = {clock.data(), from.cells, from.lights, from.smart, from.yields, from.cars, from.phase_length,
                    from.randomisation, from.seed, road.data(), back.data(), onward.data(), backward.data(), onward_ways.data(),
                    backward_ways.data(), taken.data(), claims.data(), green.data(), group_spans.data(), spans.data(),
                    group_cells.data(), phases.data(), car.data(), targets.data()};
    to.bytes = road.bytes() + back.bytes() + onward.bytes() + backward.bytes() + onward_ways.bytes() + backward_ways.bytes()
             + taken.bytes() + claims.bytes() + green.bytes() + group_spans.bytes() + spans.bytes() + group_cells.bytes()
             + phases.bytes() + car.bytes() + targets.bytes();
    const Stream stream;
    const unsigned controllers = blocks(host_spans.size() * LANES);
    check(cudaDeviceSynchronize());
    const double time = time_steps(
        samples,
        [&](unsigned steps) {
            // A claim holds the number of a step in the graph.
            check(cudaMemsetAsync(claims.data(), 0, claims.bytes(), stream));
            for (unsigned k = 1; k <= steps; ++k) {
                if (controllers > 0) control<<<controllers, BLOCK, 0, stream>>>(w, k);
                plan<<<blocks(cars), BLOCK, 0, stream>>>(w, k);
                drive<<<blocks(cars), BLOCK, 0, stream>>>(w, k);
            }
            tick<<<1, 1, 0, stream>>>(clock.data(), steps);
        },
        stream);
    check(cudaMemcpy(host_car.data(), car.data(), car.bytes(), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < cars; ++i) {
        to.cells[i] = host_car[i].x;
        to.velocities[i] = host_car[i].y & 0xff;
    }
    check(cudaMemcpy(to.green, green.data(), green.bytes(), cudaMemcpyDeviceToHost));
    return time;
}

}  // namespace

// Does 72 steps, then `samples` times 1,000, and returns the median of their times in nanoseconds.
EXPORT double traffic(std::uint32_t version, std::uint32_t samples, const TrafficWorld* from, TrafficResult* to)
{
    return guarded([&] {
        checked_count(from->cars);
        return version == 0 ? run_same(*from, *to, samples) : run_best(*from, *to, samples);
    });
}
