// How objects with virtual methods are allocated and called, for the workloads of TYPEPTR: each is written once, as a
// template over `By`.
//
// | By          | objects                                        | the class of an object          |
// | New         | by `new` on the device                         | virtual function                |
// | Shared      | in regions of one class each (SharedOA, §4)    | virtual function                |
// | Coal        | the same                                       | a search among regions (§5)     |
// | TypePointer | the same                                       | the pointer's top 15 bits (§6)  |
// | Columns     | none: a structure of arrays                    | no calls                        |
//
// These files are compiled without fused multiply-add, as the models are, so that results have the same bits.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "../common.cuh"

// Each file has a copy of its own, with a symbol of its own for `CALLS`.
namespace {
namespace workloads {

enum class By : std::uint32_t { New, Shared, Coal, TypePointer, Columns };

constexpr unsigned BLOCK = 256;
constexpr int TAG_SHIFT = 49;  // of a pointer that has its class
constexpr unsigned SLOTS = 8;  // of a class's table of functions, at most
constexpr unsigned FIRST_REGION = 4096;

__device__ __forceinline__ unsigned thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ---------------------------------------------------------------------------------------------------
// Calls.

struct Range {
    std::uintptr_t start, end;
    __host__ __device__ bool has(std::uintptr_t address) const { return start <= address && address < end; }
};

// COAL's tree: below inner node n are 2n + 1 and 2n + 2.
struct Node {
    Range left, right;
};

struct Calls {
    const Node* nodes;
    const unsigned* leaves;  // classes
    unsigned size;           // of `nodes`
    void (*const* functions)();
};

// Set before a run.
__constant__ Calls CALLS;

// Algorithm 1 of TYPEPTR.
__device__ __forceinline__ unsigned search(std::uintptr_t address)
{
    unsigned node = 0;
    while (node < CALLS.size) {
        const Node& at = CALLS.nodes[node];
        if (at.left.has(address)) {
            node = 2 * node + 1;
        } else if (at.right.has(address)) {
            node = 2 * node + 2;
        } else {
            __trap();
        }
    }
    return CALLS.leaves[node - CALLS.size];
}

// The object, without its class in the pointer.
template <By BY, class T>
__device__ __forceinline__ T* at(T* object)
{
    if constexpr (BY == By::TypePointer) {
        constexpr std::uintptr_t ADDRESS = (std::uintptr_t{1} << TAG_SHIFT) - 1;
        return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(object) & ADDRESS);
    } else {
        return object;
    }
}

// A virtual method. `PARAMETERS` begin with `BASE* o`, `ARGUMENTS` are the others' names; SLOT is its place in the tables.
#define METHOD(NAME, SLOT, RESULT, METHOD_OF_CLASS, PARAMETERS, ARGUMENTS)          \
    struct NAME {                                                                  \
        static constexpr unsigned slot = SLOT;                                     \
        using Function = RESULT(*) PARAMETERS;                                     \
        static __device__ __forceinline__ RESULT virtually PARAMETERS              \
        {                                                                          \
            return o->METHOD_OF_CLASS ARGUMENTS;                                   \
        }                                                                          \
        template <class C>                                                         \
        static __device__ __noinline__ RESULT own PARAMETERS                       \
        {                                                                          \
            return static_cast<C*>(o)->C::METHOD_OF_CLASS ARGUMENTS;               \
        }                                                                          \
    }

template <By BY, class Method, class Base, class... Arguments>
__device__ __forceinline__ auto call(Base* object, Arguments&&... arguments)
{
    if constexpr (BY == By::Coal || BY == By::TypePointer) {
        const auto bits = reinterpret_cast<std::uintptr_t>(object);
        const unsigned c = BY == By::Coal ? search(bits) : static_cast<unsigned>(bits >> TAG_SHIFT);
        const auto function = CALLS.functions[c * SLOTS + Method::slot];
        return reinterpret_cast<typename Method::Function>(function)(at<BY>(object), arguments...);
    } else {
        return Method::virtually(object, arguments...);
    }
}

template <class... M>
struct Methods {
    template <class C>
    static __device__ void fill(void (**table)())
    {
        ((table[M::slot] = reinterpret_cast<void (*)()>(&M::template own<C>)), ...);
    }
};

// The tables of classes, of which the first has this number.
template <class M, class... C>
__global__ void fill_tables(void (**tables)(), unsigned first)
{
    ((M::template fill<C>(tables + SLOTS * first++)), ...);
}

// ---------------------------------------------------------------------------------------------------
// Objects.

// A pointer with its class, if the strategy wants it.
template <By BY, class T>
__device__ __forceinline__ T* tagged(T* object, unsigned c)
{
    if constexpr (BY != By::TypePointer) return object;
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(object) | std::uintptr_t{c} << TAG_SHIFT);
}

// Makes an object of class number c; `place` is where SharedOA has allocated it.
template <By BY, class C, class... Arguments>
__device__ __forceinline__ C* create(char* place, unsigned c, Arguments... arguments)
{
    if constexpr (BY == By::New) {
        return new C(arguments...);
    } else {
        return tagged<BY>(new (place) C(arguments...), c);
    }
}

template <By BY, class T>
__device__ __forceinline__ void destroy(T* object)
{
    if constexpr (BY == By::New) ::operator delete(object);
}

template <By BY, class T>
__global__ void destroy_all(T* const* objects, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n && objects[i] != nullptr) destroy<BY>(objects[i]);
}

// What SharedOA's host does: each class has regions of 4096 objects, then twice as many each time.
class Heap {
public:
    // The classes' sizes, by number.
    explicit Heap(std::vector<std::size_t> sizes) : sizes_(std::move(sizes)), open_(sizes_.size()) {}

    // The offset of a new object.
    std::size_t add(unsigned c)
    {
        Open& open = open_[c];
        if (open.left == 0) {
            open.left = open.len = open.len == 0 ? FIRST_REGION : 2 * open.len;
            open.next = end_;
            end_ += open.len * sizes_[c];
            if (!regions_.empty() && regions_.back().c == c) {
                regions_.back().end = end_;
            } else {
                regions_.push_back({open.next, end_, c});
            }
        }
        const std::size_t offset = open.next;
        open.next += sizes_[c];
        --open.left;
        return offset;
    }

    // The offset of a region for all objects of a class.
    std::size_t add_region(unsigned c, std::size_t objects)
    {
        const std::size_t start = end_;
        end_ += objects * sizes_[c];
        if (objects > 0) regions_.push_back({start, end_, c});
        return start;
    }

    // Allocates the memory.
    void seal()
    {
        memory_ = std::make_unique<Buffer<char>>(end_);
    }

    char* base() const { return memory_->data(); }

    // The tree of regions, and for each leaf its class.
    std::pair<std::vector<Node>, std::vector<unsigned>> tree() const
    {
        std::size_t count = 1;
        while (count < regions_.size()) count *= 2;
        constexpr std::uintptr_t NOWHERE = ~std::uintptr_t{0};
        std::vector<Range> below(2 * count - 1, Range{NOWHERE, NOWHERE});
        std::vector<unsigned> leaves(count, 0);
        const auto base = reinterpret_cast<std::uintptr_t>(memory_->data());
        for (std::size_t i = 0; i < regions_.size(); ++i) {
            below[count - 1 + i] = {base + regions_[i].start, base + regions_[i].end};
            leaves[i] = regions_[i].c;
        }
        std::vector<Node> nodes(count - 1);
        for (std::size_t i = count - 1; i-- > 0;) {
            nodes[i] = {below[2 * i + 1], below[2 * i + 2]};
            below[i] = {nodes[i].left.start,
                        nodes[i].right.start == NOWHERE ? nodes[i].left.end : nodes[i].right.end};
        }
        return {nodes, leaves};
    }

private:
    struct Open {
        std::size_t len = 0, left = 0, next = 0;
    };
    struct Region {
        std::size_t start, end;
        unsigned c;
    };

    std::vector<std::size_t> sizes_;
    std::vector<Open> open_;
    std::vector<Region> regions_;
    std::size_t end_ = 0;
    std::unique_ptr<Buffer<char>> memory_;
};

// What calls need, while it lives.
class Tables {
public:
    explicit Tables(unsigned classes) : functions_(classes * SLOTS) {}

    void (**functions() const)() { return functions_.data(); }

    template <By BY>
    void use(const Heap& heap)
    {
        Calls calls = {nullptr, nullptr, 0, functions_.data()};
        if constexpr (BY == By::Coal) {
            const auto [nodes, leaves] = heap.tree();
            calls.size = static_cast<unsigned>(nodes.size());
            nodes_ = std::make_unique<Buffer<Node>>(nodes);
            leaves_ = std::make_unique<Buffer<unsigned>>(leaves);
            calls.nodes = nodes_->data();
            calls.leaves = leaves_->data();
        }
        check(cudaMemcpyToSymbol(CALLS, &calls, sizeof calls));
    }

private:
    Buffer<void (*)()> functions_;
    std::unique_ptr<Buffer<Node>> nodes_;
    std::unique_ptr<Buffer<unsigned>> leaves_;
};

// Room for device-side `new`. It can be set only before the first kernel that allocates.
inline void reserve_heap()
{
    constexpr std::size_t HEAP = std::size_t{4} << 30;
    std::size_t now = 0;
    check(cudaDeviceGetLimit(&now, cudaLimitMallocHeapSize));
    if (now < HEAP) check(cudaDeviceSetLimit(cudaLimitMallocHeapSize, HEAP));
}

// ---------------------------------------------------------------------------------------------------
// The host's side.

// Launches a kernel with a thread for each of n objects.
template <class Kernel, class... Arguments>
void launch(unsigned n, Kernel kernel, Arguments... arguments)
{
    kernel<<<blocks_for(n, BLOCK), BLOCK>>>(arguments...);
    check(cudaGetLastError());
}

// A copy of host memory.
template <class T>
class Input : public Buffer<T> {
public:
    Input(const T* values, std::size_t count) : Buffer<T>(count)
    {
        if (count > 0) check(cudaMemcpy(this->data(), values, count * sizeof(T), cudaMemcpyHostToDevice));
    }
};

template <class T>
void read(T* to, const T* from, std::size_t count)
{
    check(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
}

// Nanoseconds since it was made, when all launched work is done.
class Clock {
public:
    Clock() : start_((check(cudaDeviceSynchronize()), std::chrono::steady_clock::now())) {}
    double nanoseconds() const
    {
        check(cudaDeviceSynchronize());
        const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start_;
        return elapsed.count();
    }

private:
    std::chrono::steady_clock::time_point start_;
};

// A flag that kernels raise.
class Flag {
public:
    Flag() : flag_(1) {}
    unsigned* lowered() const
    {
        check(cudaMemsetAsync(flag_.data(), 0, sizeof(unsigned)));
        return flag_.data();
    }
    bool is_raised() const
    {
        unsigned value = 0;
        read(&value, flag_.data(), 1);
        return value != 0;
    }

private:
    Buffer<unsigned> flag_;
};

// Calls `f` with the strategy as a constant.
template <class F>
double with_strategy(std::uint32_t strategy, F f)
{
    switch (static_cast<By>(strategy)) {
        case By::New: reserve_heap(); return f(std::integral_constant<By, By::New>{});
        case By::Shared: return f(std::integral_constant<By, By::Shared>{});
        case By::Coal: return f(std::integral_constant<By, By::Coal>{});
        case By::TypePointer: return f(std::integral_constant<By, By::TypePointer>{});
        case By::Columns: return f(std::integral_constant<By, By::Columns>{});
    }
    throw Failure{cudaErrorInvalidValue};
}

}  // namespace workloads
}  // namespace
