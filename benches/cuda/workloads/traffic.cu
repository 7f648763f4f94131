// Traffic on street networks with objects: `examples/traffic` as C++ programs have it, with virtual methods of cells, groups
// of lights, controllers and cars. Cells lead to the next ones by pointers; none is skipped.

#include "../traffic.cuh"
#include "strategy.cuh"

namespace {

using workloads::at;
using workloads::By;
using workloads::call;
using workloads::Methods;

// By number.
enum : unsigned { CELL, GROUP, LIGHT, SMART, YIELD, CAR, CLASSES };

template <By BY>
struct Objects {
    struct Cell;

    struct Group {
        unsigned green_at = 0;
        bool has_traffic = false;
        Cell** cells;
        unsigned count;
        __device__ Group(Cell** cells, unsigned count) : cells(cells), count(count) {}
        virtual __device__ void look()
        {
            has_traffic = false;
            for (unsigned k = 0; k < count && !has_traffic; ++k) has_traffic = has_car_behind(cells[k]);
        }
        virtual __device__ void open(unsigned step) { green_at = step; }
        virtual __device__ bool is_green(unsigned step) { return green_at == step; }
        virtual __device__ bool is_busy() { return has_traffic; }
    };
    METHOD(Look, 0, void, look, (Group * o), ());
    METHOD(Open, 1, void, open, (Group * o, unsigned step), (step));
    METHOD(IsGreen, 2, bool, is_green, (Group * o, unsigned step), (step));
    METHOD(IsBusy, 3, bool, is_busy, (Group * o), ());

    struct Cell {
        Group* light;
        Cell **outgoing, **incoming;
        unsigned ways, ways_back, claim = 0;
        std::uint16_t weight;
        std::uint8_t limit;
        bool taken;
        __device__ Cell(Group* light, Cell** outgoing, Cell** incoming, unsigned ways, unsigned ways_back,
                        std::uint16_t weight, std::uint8_t limit, bool taken)
            : light(light), outgoing(outgoing), incoming(incoming), ways(ways), ways_back(ways_back), weight(weight),
              limit(limit), taken(taken)
        {
        }
        virtual __device__ bool is_taken() { return taken; }
        virtual __device__ unsigned max_velocity() { return limit; }
        virtual __device__ bool is_open(unsigned step) { return light == nullptr || call<BY, IsGreen>(light, step); }
        virtual __device__ unsigned attraction() { return weight; }
        // A way on, chosen by weight. There is one at least.
        virtual __device__ Cell* onward(Random& random)
        {
            Cell* next = outgoing[0];
            if (ways == 1) return next;
            unsigned weights = call<BY, Attraction>(next);
            for (unsigned n = 1; n < ways; ++n) {
                Cell* const other = outgoing[n];
                const unsigned weight = call<BY, Attraction>(other);
                weights += weight;
                if (weights == weight || random.below(weights) < weight) next = other;
            }
            return next;
        }
    };
    METHOD(IsTaken, 0, bool, is_taken, (Cell * o), ());
    METHOD(MaxVelocity, 1, unsigned, max_velocity, (Cell * o), ());
    METHOD(IsOpen, 2, bool, is_open, (Cell * o, unsigned step), (step));
    METHOD(Attraction, 3, unsigned, attraction, (Cell * o), ());
    METHOD(Onward, 4, Cell*, onward, (Cell * o, Random& random), (random));

    // Whether a car is near enough to cross the junction behind a cell in a step.
    static __device__ bool has_car_behind(Cell* last)
    {
        Way way;
        do {
            way.begin();
            Cell* cell = last;
            for (unsigned left = call<BY, MaxVelocity>(last);;) {
                if (call<BY, IsTaken>(cell)) return true;
                if (--left == 0) break;
                const Cell* const here = at<BY>(cell);
                if (here->ways_back == 0) break;
                cell = here->incoming[way.take(here->ways_back)];
            }
        } while (way.advance());
        return false;
    }

    struct Controller {
        Group** groups;
        unsigned count;
        __device__ Controller(Group** groups, unsigned count) : groups(groups), count(count) {}
        virtual __device__ void control(unsigned step) = 0;
    };
    METHOD(Control, 0, void, control, (Controller * o, unsigned step), (step));

    struct Light : Controller {
        unsigned phase, timer, phase_length;
        __device__ Light(Group** groups, unsigned count, unsigned phase, unsigned timer, unsigned phase_length)
            : Controller(groups, count), phase(phase), timer(timer), phase_length(phase_length)
        {
        }
        __device__ void control(unsigned step) override
        {
            change(phase, timer, phase_length, this->count);
            ++timer;
            call<BY, Open>(this->groups[phase], step);
        }
    };

    struct Smart : Light {
        using Light::Light;
        __device__ void control(unsigned step) override
        {
            unsigned busy = 0, only = 0;
            for (unsigned n = 0; n < this->count; ++n) {
                if (call<BY, IsBusy>(this->groups[n])) ++busy, only = n;
            }
            change_smart(this->phase, this->timer, this->phase_length, this->count, busy, only);
            call<BY, Open>(this->groups[this->phase], step);
        }
    };

    struct Yield : Controller {
        using Controller::Controller;
        __device__ void control(unsigned step) override
        {
            unsigned first = 0;
            while (first < this->count && !call<BY, IsBusy>(this->groups[first])) ++first;
            call<BY, Open>(this->groups[first < this->count ? first : 0], step);
        }
    };

    struct Rules {
        std::uint64_t seed;
        float randomisation;
        unsigned cells;
        Cell* const* all;
    };

    struct Car {
        Cell *cell, *target;
        Cell** path;
        unsigned number, velocity = 0, max_velocity;
        __device__ Car(Cell* cell, Cell** path, unsigned number, unsigned max_velocity)
            : cell(cell), target(cell), path(path), number(number), max_velocity(max_velocity)
        {
        }
        __device__ unsigned claim() const { return ~(number + 1); }

        virtual __device__ void plan(unsigned step, const Rules& rules)
        {
            Random random(rules.seed, number + 1, step);
            const bool dawdles = random.chance(rules.randomisation);
            Cell *next_target = cell, *before = cell;
            unsigned new_velocity = 0;
            auto enter = [&](Cell* next) {
                path[new_velocity++] = next;
                before = next_target;
                next_target = next;
            };
            if (at<BY>(cell)->ways == 0) {
                Cell* const entry = rules.all[random.below(rules.cells)];
                if (!call<BY, IsTaken>(entry) && at<BY>(entry)->light == nullptr) enter(entry);
            } else {
                unsigned most = velocity < max_velocity ? velocity + 1 : max_velocity;
                while (new_velocity < most) {
                    if (!call<BY, IsOpen>(next_target, step) || at<BY>(next_target)->ways == 0) break;
                    Cell* const next = call<BY, Onward>(next_target, random);
                    const unsigned limit = call<BY, MaxVelocity>(next);
                    if (call<BY, IsTaken>(next) || limit <= new_velocity) break;
                    most = min(most, limit);
                    enter(next);
                }
            }
            if (dawdles && new_velocity > 0) {
                --new_velocity;
                next_target = before;
            }
            velocity = new_velocity;
            target = next_target;
            if (velocity > 0) atomicMax(&at<BY>(target)->claim, claim());
        }

        virtual __device__ void drive()
        {
            if (target == cell) return;
            if (at<BY>(target)->claim == claim()) {
                at<BY>(cell)->taken = false;
                at<BY>(cell)->claim = 0;
                at<BY>(target)->taken = true;
                cell = target;
            } else {
                velocity = 0;
            }
        }
    };
    METHOD(Plan, 0, void, plan, (Car * o, unsigned step, const Rules& rules), (step, rules));
    METHOD(Drive, 1, void, drive, (Car * o), ());
};

// Rows on the device.
struct Rows {
    const unsigned* offsets;
    const unsigned* values;
};

// All objects, and where SharedOA has them: first cells, then groups, controllers and cars.
template <By BY>
struct World {
    using O = Objects<BY>;
    unsigned cells, groups, lights, smart, yields, cars, phase_length;
    typename O::Cell** all_cells;
    typename O::Group** all_groups;
    typename O::Controller** controllers;
    typename O::Car** all_cars;
    char* base;
    const std::size_t* places;
    // The elements of arrays.
    typename O::Cell **outgoing_cells, **incoming_cells, **cells_of_groups, **paths;
    typename O::Group** groups_of_controllers;

    __device__ char* place(unsigned i) const { return BY == By::New ? nullptr : base + places[i]; }
};

// Columns of what a run begins with.
struct Start {
    const std::uint8_t* limits;
    const std::uint16_t* weights;
    const unsigned* signals;
    const unsigned* taken;  // a word per cell
    Rows outgoing, incoming, group_cells, controller_groups;
    const unsigned *phases, *timers, *car_cells, *car_limits, *paths;
};

template <By BY>
__global__ void make_groups(World<BY> w, Start s)
{
    const unsigned i = workloads::thread_index();
    if (i >= w.groups) return;
    const unsigned first = s.group_cells.offsets[i], count = s.group_cells.offsets[i + 1] - first;
    w.all_groups[i] =
        workloads::create<BY, typename World<BY>::O::Group>(w.place(w.cells + i), GROUP, w.cells_of_groups + first, count);
}

template <By BY>
__global__ void make_cells(World<BY> w, Start s)
{
    const unsigned i = workloads::thread_index();
    if (i >= w.cells) return;
    const unsigned out = s.outgoing.offsets[i], in = s.incoming.offsets[i];
    w.all_cells[i] = workloads::create<BY, typename World<BY>::O::Cell>(
        w.place(i), CELL, s.signals[i] == NONE ? nullptr : w.all_groups[s.signals[i]], w.outgoing_cells + out,
        w.incoming_cells + in, s.outgoing.offsets[i + 1] - out, s.incoming.offsets[i + 1] - in, s.weights[i], s.limits[i],
        s.taken[i] != 0);
}

template <By BY>
__global__ void make_controllers(World<BY> w, Start s)
{
    using O = typename World<BY>::O;
    const unsigned i = workloads::thread_index();
    if (i >= w.lights + w.smart + w.yields) return;
    const unsigned first = s.controller_groups.offsets[i], count = s.controller_groups.offsets[i + 1] - first;
    char* const place = w.place(w.cells + w.groups + i);
    auto** const groups = w.groups_of_controllers + first;
    if (i < w.lights) {
        w.controllers[i] =
            workloads::create<BY, typename O::Light>(place, LIGHT, groups, count, s.phases[i], s.timers[i], w.phase_length);
    } else if (i < w.lights + w.smart) {
        w.controllers[i] =
            workloads::create<BY, typename O::Smart>(place, SMART, groups, count, s.phases[i], s.timers[i], w.phase_length);
    } else {
        w.controllers[i] = workloads::create<BY, typename O::Yield>(place, YIELD, groups, count);
    }
}

template <By BY>
__global__ void make_cars(World<BY> w, Start s)
{
    const unsigned i = workloads::thread_index();
    if (i >= w.cars) return;
    char* const place = w.place(w.cells + w.groups + w.lights + w.smart + w.yields + i);
    w.all_cars[i] = workloads::create<BY, typename World<BY>::O::Car>(place, CAR, w.all_cells[s.car_cells[i]],
                                                                      w.paths + s.paths[i], i, s.car_limits[i]);
}

template <class T>
__global__ void fill(T** to, T* const* objects, const unsigned* numbers, unsigned n)
{
    const unsigned i = workloads::thread_index();
    if (i < n) to[i] = objects[numbers[i]];
}

template <class Method, By BY, class T, class... Arguments>
__global__ void for_all(T* const* objects, unsigned n, Arguments... arguments)
{
    const unsigned i = workloads::thread_index();
    if (i < n) call<BY, Method>(objects[i], arguments...);
}

template <By BY>
__global__ void results(World<BY> w, unsigned* green, unsigned* velocities, typename World<BY>::O::Cell** cells)
{
    const unsigned i = workloads::thread_index();
    if (i < w.groups) green[i] = at<BY>(w.all_groups[i])->green_at;
    if (i < w.cars) {
        velocities[i] = at<BY>(w.all_cars[i])->velocity;
        cells[i] = at<BY>(w.all_cars[i])->cell;
    }
}

// A row for each controller, of all classes.
struct ControllerRows {
    std::vector<unsigned> offsets = {0}, values, phases, timers;

    explicit ControllerRows(const TrafficWorld& from)
    {
        add(from.light_groups, from.lights, from.light_phases, from.light_timers);
        add(from.smart_groups, from.smart, from.smart_phases, from.smart_timers);
        add(from.yield_groups, from.yields, nullptr, nullptr);
    }

private:
    void add(const TrafficRows& rows, unsigned n, const unsigned* row_phases, const unsigned* row_timers)
    {
        values.insert(values.end(), rows.values + rows.offsets[0], rows.values + rows.offsets[n]);
        for (unsigned i = 0; i < n; ++i) {
            offsets.push_back(offsets.back() + rows.offsets[i + 1] - rows.offsets[i]);
            phases.push_back(row_phases == nullptr ? 0 : row_phases[i]);
            timers.push_back(row_timers == nullptr ? 0 : row_timers[i]);
        }
    }
};

template <By BY>
double run(const TrafficWorld& from, unsigned steps, TrafficResult& to, double* making)
{
    using namespace workloads;
    using O = Objects<BY>;
    const unsigned controllers = from.lights + from.smart + from.yields;
    const Clock clock;
    const ControllerRows rows(from);
    std::vector<unsigned> taken(from.cells, 0), paths;
    unsigned path_cells = 0;
    for (unsigned i = 0; i < from.cars; ++i) {
        taken[from.car_cells[i]] = 1;
        paths.push_back(path_cells);
        path_cells += std::max(from.car_limits[i], 1u);
    }
    Heap heap({sizeof(typename O::Cell), sizeof(typename O::Group), sizeof(typename O::Light), sizeof(typename O::Smart),
               sizeof(typename O::Yield), sizeof(typename O::Car)});
    std::vector<std::size_t> places;
    if constexpr (BY != By::New) {
        const unsigned counts[CLASSES] = {from.cells, from.groups, from.lights, from.smart, from.yields, from.cars};
        for (unsigned c = 0; c < CLASSES; ++c)
            for (unsigned i = 0; i < counts[c]; ++i) places.push_back(heap.add(c));
        heap.seal();
    }
    const unsigned outs = from.outgoing.offsets[from.cells], ins = from.incoming.offsets[from.cells];
    const unsigned lasts = from.group_cells.offsets[from.groups], parts = rows.offsets.back();
    const Input<std::uint8_t> limits(from.limits, from.cells);
    const Input<std::uint16_t> weights(from.weights, from.cells);
    const Input<unsigned> signals(from.signals, from.cells), car_cells(from.car_cells, from.cars),
        car_limits(from.car_limits, from.cars), out_offsets(from.outgoing.offsets, from.cells + std::size_t{1}),
        out_values(from.outgoing.values, outs), in_offsets(from.incoming.offsets, from.cells + std::size_t{1}),
        in_values(from.incoming.values, ins), last_offsets(from.group_cells.offsets, from.groups + std::size_t{1}),
        last_values(from.group_cells.values, lasts);
    const Buffer<unsigned> taken_column(taken), path_column(paths), part_offsets(rows.offsets), part_values(rows.values),
        phases(rows.phases), timers(rows.timers);
    const Buffer<std::size_t> place_column(places);
    const Buffer<typename O::Cell*> all_cells(from.cells), outgoing(outs), incoming(ins), group_cells(lasts),
        path_room(path_cells);
    const Buffer<typename O::Group*> all_groups(from.groups), controller_groups(parts);
    const Buffer<typename O::Controller*> all_controllers(controllers);
    const Buffer<typename O::Car*> all_cars(from.cars);
    const World<BY> w = {from.cells, from.groups, from.lights, from.smart, from.yields, from.cars, from.phase_length,
                         all_cells.data(), all_groups.data(), all_controllers.data(), all_cars.data(),
                         BY == By::New ? nullptr : heap.base(), place_column.data(), outgoing.data(), incoming.data(),
                         group_cells.data(), path_room.data(), controller_groups.data()};
    const Start s = {limits.data(), weights.data(), signals.data(), taken_column.data(),
                     {out_offsets.data(), out_values.data()}, {in_offsets.data(), in_values.data()},
                     {last_offsets.data(), last_values.data()}, {part_offsets.data(), part_values.data()},
                     phases.data(), timers.data(), car_cells.data(), car_limits.data(), path_column.data()};
    Tables tables(CLASSES);
    fill_tables<Methods<typename O::IsTaken, typename O::MaxVelocity, typename O::IsOpen, typename O::Attraction,
                        typename O::Onward>, typename O::Cell><<<1, 1>>>(tables.functions(), CELL);
    fill_tables<Methods<typename O::Look, typename O::Open, typename O::IsGreen, typename O::IsBusy>, typename O::Group>
        <<<1, 1>>>(tables.functions(), GROUP);
    fill_tables<Methods<typename O::Control>, typename O::Light, typename O::Smart, typename O::Yield>
        <<<1, 1>>>(tables.functions(), LIGHT);
    fill_tables<Methods<typename O::Plan, typename O::Drive>, typename O::Car><<<1, 1>>>(tables.functions(), CAR);
    tables.use<BY>(heap);
    auto for_each = [&](unsigned n, auto kernel, auto... arguments) {
        if (n > 0) launch(n, kernel, arguments...);
    };
    for_each(from.groups, make_groups<BY>, w, s);
    for_each(from.cells, make_cells<BY>, w, s);
    for_each(controllers, make_controllers<BY>, w, s);
    for_each(from.cars, make_cars<BY>, w, s);
    for_each(outs, fill<typename O::Cell>, outgoing.data(), all_cells.data(), out_values.data(), outs);
    for_each(ins, fill<typename O::Cell>, incoming.data(), all_cells.data(), in_values.data(), ins);
    for_each(lasts, fill<typename O::Cell>, group_cells.data(), all_cells.data(), last_values.data(), lasts);
    for_each(parts, fill<typename O::Group>, controller_groups.data(), all_groups.data(), part_values.data(), parts);
    *making = clock.nanoseconds();

    const typename O::Rules rules = {from.seed, from.randomisation, from.cells, all_cells.data()};
    auto run_steps = [&](unsigned first, unsigned end) {
        for (unsigned step = first; step < end; ++step) {
            for_each(from.groups, for_all<typename O::Look, BY, typename O::Group>, all_groups.data(), from.groups);
            for_each(controllers, for_all<typename O::Control, BY, typename O::Controller, unsigned>,
                     all_controllers.data(), controllers, step);
            for_each(from.cars, for_all<typename O::Plan, BY, typename O::Car, unsigned, typename O::Rules>,
                     all_cars.data(), from.cars, step, rules);
            for_each(from.cars, for_all<typename O::Drive, BY, typename O::Car>, all_cars.data(), from.cars);
        }
    };
    run_steps(1, WARM_UP + 1);
    const Clock running;
    run_steps(WARM_UP + 1, WARM_UP + steps + 1);
    const double time = running.nanoseconds();
    const Buffer<unsigned> green(from.groups), velocities(from.cars);
    const Buffer<typename O::Cell*> car_ends(from.cars);
    launch(std::max(from.groups, from.cars), results<BY>, w, green.data(), velocities.data(), car_ends.data());
    read(to.green, green.data(), from.groups);
    read(to.velocities, velocities.data(), from.cars);
    // The numbers of cells by their pointers.
    std::vector<typename O::Cell*> ends(from.cars), pointers(from.cells);
    read(ends.data(), car_ends.data(), from.cars);
    read(pointers.data(), all_cells.data(), from.cells);
    std::vector<unsigned> order(from.cells);
    for (unsigned i = 0; i < from.cells; ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return pointers[a] < pointers[b]; });
    for (unsigned i = 0; i < from.cars; ++i) {
        to.cells[i] = *std::lower_bound(order.begin(), order.end(), ends[i],
                                        [&](unsigned a, typename O::Cell* end) { return pointers[a] < end; });
    }
    for_each(from.cells, destroy_all<BY, typename O::Cell>, all_cells.data(), from.cells);
    for_each(from.groups, destroy_all<BY, typename O::Group>, all_groups.data(), from.groups);
    for_each(controllers, destroy_all<BY, typename O::Controller>, all_controllers.data(), controllers);
    for_each(from.cars, destroy_all<BY, typename O::Car>, all_cars.data(), from.cars);
    check(cudaDeviceSynchronize());
    return time;
}

}  // namespace

// Does 72 steps, and then `steps`, which are timed. There is no program of columns: that is `traffic` of traffic.cu.
EXPORT double workload_traffic(std::uint32_t strategy, std::uint32_t steps, const TrafficWorld* from, TrafficResult* to,
                               double* making)
{
    return guarded([&] {
        checked_count(from->cars);
        return workloads::with_strategy(strategy, [&](auto by) -> double {
            constexpr By BY = decltype(by)::value;
            if constexpr (BY == By::Columns) {
                throw Failure{cudaErrorInvalidValue};
            } else {
                return run<BY>(*from, steps, *to, making);
            }
        });
    });
}
